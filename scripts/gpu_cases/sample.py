"""A raw recording → a sample: neutral, small, and with its truth beside it.

Kept: profile.json.gz without marks, the log with what kernelmap reads of it, truth.json,
cuda_graphs.json, and RUN.toml. The digests in truth.json are those of the code as it is kept.
Refused: a sample of more than 2 MB.
"""

from __future__ import annotations

import gzip
import json
import platform
import re
import shutil
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from neutral_paths import CACHE, HOME, neutral
from small_log import small_log

from gpu_cases.case import Case
from gpu_cases.record import CAPTURE, FACTS, LOG, TRACE
from gpu_cases.replays import captured_order, nodes_by_order, nodes_of
from gpu_cases.truth import Call, Truth, without_marks
from kernelmap.capture.cuda_graphs import FILE as CUDA_GRAPHS
from kernelmap.compiler import load_compiled

MOST_BYTES = 2_000_000
PROFILE, TRUTH, KEPT_LOG, RUN = "profile.json.gz", "truth.json", "torch_trace.log", "RUN.toml"


class TooLargeError(Exception):
    """A sample that is too large for the repository."""


def make_sample(case: Case, work: Path, target: Path, command: str) -> int:
    """Make the sample `target` of the recording in `work`; gives its size in bytes."""
    folders = {work / "cache": CACHE, work: f"{HOME}/run"}

    def scrub(text: str) -> str:
        return neutral(text, folders)

    if target.exists():
        shutil.rmtree(target)
    target.mkdir(parents=True)
    logs = sorted((work / LOG).iterdir())
    log = "".join(small_log(path.read_text(encoding="utf-8"), scrub) for path in logs)
    (target / KEPT_LOG).write_text(log, encoding="utf-8")
    document, truth = without_marks(_document(work / TRACE), _nodes(work))
    _write_profile(target / PROFILE, document, scrub)
    renamed = _digests(logs, target)
    _write_json(target / TRUTH, _with_digests(truth.plain(), renamed))
    if (work / CUDA_GRAPHS).exists():
        _write_json(target / CUDA_GRAPHS, _with_digests(_document(work / CUDA_GRAPHS), renamed))
    facts = _document(work / FACTS)
    (target / RUN).write_text(_run_toml(case, facts, truth, command), encoding="utf-8")
    size = sum(path.stat().st_size for path in target.iterdir())
    if size > MOST_BYTES:
        shutil.rmtree(target)
        raise TooLargeError(f"{size / 1e6:.1f} MB, more than {MOST_BYTES / 1e6:.0f}")
    return size


def _nodes(work: Path) -> dict[int, Call | int]:
    """The calls of graph nodes: as the driver told them, else by the order of capture."""
    if not (work / CUDA_GRAPHS).exists():
        return {}
    told = nodes_of(_document(work / CUDA_GRAPHS))
    if told or not (work / CAPTURE).exists():
        return told
    return nodes_by_order(_document(work / TRACE), captured_order(_document(work / CAPTURE)))


def _digests(logs: list[Path], target: Path) -> dict[str, str]:
    """Digest of the code as it ran → digest of the code as it is kept, where they differ."""
    ran = [str(graph.digest) for graph in load_compiled(*logs).graphs]
    kept = [str(graph.digest) for graph in load_compiled(target / KEPT_LOG).graphs]
    return {one: other for one, other in zip(ran, kept, strict=True) if one != other}


def _with_digests(values: Mapping[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    text = json.dumps(values)
    for one, other in renamed.items():
        text = text.replace(f'"{one}"', f'"{other}"')
    renewed: dict[str, Any] = json.loads(text)
    return renewed


def _document(path: Path) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return parsed


def _write_profile(path: Path, document: Mapping[str, Any], scrub: Callable[[str], str]) -> None:
    """The trace, without what names the machine or its processes' environment."""
    text = scrub(json.dumps(document, separators=(",", ":")))
    text = re.sub(r'"host_name":\s*"[^"]*",?', "", text)
    if len(platform.node()) > len("host"):
        text = text.replace(platform.node(), "host")
    json.loads(text)  # whatever was replaced, it still is JSON
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def _write_json(path: Path, values: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(values, separators=(",", ":")) + "\n", encoding="utf-8")


def _run_toml(case: Case, facts: Mapping[str, Any], truth: Truth, command: str) -> str:
    versions = {**facts["versions"], "gpu": facts["gpu"]}
    stated = "\n".join(f"{key} = {json.dumps(value)}" for key, value in versions.items() if value)
    notes = f"{case.notes}\n" if case.notes else ""
    text = f'''title = {json.dumps(case.title)}
kind = "recorded"
made_by = "{command}"
command = "kernelmap correlate . profile.json.gz"
seed = {facts["seed"]}
notes = """
{notes}Recorded with a range around every call; the ranges were taken out and became truth.json.
Paths and the host's name were replaced; names of kernel files stay.
"""

[versions]
{stated}

[truth]
steps = {facts["steps"]}
executions = {len(truth.order)}
calls = {len(truth.calls)}
'''
    tomllib.loads(text)
    return text
