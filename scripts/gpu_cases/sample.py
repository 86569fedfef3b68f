"""A captured bundle with marks → a sample: the bundle neutral, small, and with its truth beside it.

    sample_traces/cpu_mlp_train/
      manifest.toml, rank_0/     the bundle: its trace without marks, its log with what is read
      truth.json, RUN.toml       what the marks said, and how the sample was made

The digests in truth.json are those of the code as it is kept. Refused: a bundle that is not
complete, and a sample of more than 2 MB, compressed.
"""

from __future__ import annotations

import gzip
import json
import pickle
import platform
import re
import shutil
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from neutral_paths import CACHE as NEUTRAL_CACHE
from neutral_paths import HOME, neutral
from small_log import small_log

from gpu_cases.case import Case
from gpu_cases.kineto_marks import BENCHMARK
from gpu_cases.record import BUNDLE, CACHE, CAPTURE, SEED, SNAPSHOT
from gpu_cases.replays import (
    calls_by_time,
    calls_in_order,
    captured_order,
    nodes_by_order,
    nodes_of,
)
from gpu_cases.truth import Call, Truth, without_marks
from kernelmap.capture.contents import listed, write_code
from kernelmap.capture.folder import write_manifest
from kernelmap.compiler import load_compiled
from kernelmap.model.bundle import CUDA_GRAPHS, LOGS, TRACE, RecordedProcess, State, read_manifest
from kernelmap.model.marks import is_mark

MOST_BYTES = 2_000_000
TRUTH, RUN = "truth.json", "RUN.toml"
PROCESS = "rank_0"
LOG = "torch_trace.log"


class UnusableError(Exception):
    """A recording that is too large for the repository, or not whole."""


def make_sample(case: Case, work: Path, target: Path, command: str) -> int:
    """Make the sample `target` of the recording in `work`; gives its size in bytes, compressed."""
    folders = {work / CACHE: NEUTRAL_CACHE, work: f"{HOME}/run"}

    def scrub(text: str) -> str:
        return neutral(text, folders)

    manifest = read_manifest(work / BUNDLE)
    if manifest.state is not State.COMPLETE:
        raise UnusableError(f"the bundle is {manifest.state}: {manifest.why}")
    source, kept = work / BUNDLE / PROCESS, target / PROCESS
    if target.exists():
        shutil.rmtree(target)
    (kept / LOGS).mkdir(parents=True)
    logs = sorted((source / LOGS).iterdir())
    _write_log(kept / LOGS / LOG, logs, scrub, settings=case.keeps_settings)
    renamed = _digests(logs, kept / LOGS / LOG)
    if case.withheld:
        _write_log(kept / LOGS / LOG, logs, scrub, withheld=case.withheld)
    write_code(kept / LOGS)
    marked = _document(source / TRACE)
    first = manifest.processes[0].first_step or 0
    document, truth = without_marks(marked, *_replayed(case, work, marked, first))
    _write_trace(kept / TRACE, document, scrub)
    if (source / CUDA_GRAPHS).exists():
        graphs = _with_digests(_document(source / CUDA_GRAPHS), renamed)
        _write_json(kept / CUDA_GRAPHS, graphs if case.annotations else _without_ids(graphs))
    write_manifest(target, replace(manifest, files=listed(target)))
    _write_json(target / TRUTH, _with_digests(truth.plain(), renamed))
    if (work / SNAPSHOT).exists():
        _write_snapshot(work / SNAPSHOT, target / f"{SNAPSHOT}.gz", scrub)
    (process,) = manifest.processes
    (target / RUN).write_text(_run_toml(case, process, truth, command), encoding="utf-8")
    files = (path for path in target.rglob("*") if path.is_file())
    size = sum(len(gzip.compress(path.read_bytes())) for path in files)
    if size > MOST_BYTES:
        shutil.rmtree(target)
        raise UnusableError(f"{size / 1e6:.1f} MB, more than {MOST_BYTES / 1e6:.0f}")
    return size


def _write_log(
    target: Path,
    logs: Iterable[Path],
    scrub: Callable[[str], str],
    *,
    settings: bool = False,
    withheld: Collection[str] = (),
) -> None:
    texts = (path.read_text(encoding="utf-8") for path in logs)
    small = (small_log(text, scrub, settings=settings, withheld=withheld) for text in texts)
    target.write_text("".join(small), encoding="utf-8")


def _write_snapshot(source: Path, target: Path, scrub: Callable[[str], str]) -> None:
    """The snapshot of memory, pickled anew without marks and with neutral paths; it is our own."""
    once = cache(scrub)  # frames name few files, thousands of times

    def neutralized(value: object) -> object:
        if isinstance(value, str):
            return once(value)
        if isinstance(value, dict):
            return {key: neutralized(one) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(map(neutralized, value))
        return value

    snapshot = pickle.loads(source.read_bytes())  # noqa: S301 -- ours
    ranges = snapshot.get("external_annotations", [])
    kept = [it for it in ranges if it["name"] != BENCHMARK and not is_mark(it["name"])]
    snapshot["external_annotations"] = kept
    target.write_bytes(gzip.compress(pickle.dumps(neutralized(snapshot)), mtime=0))


def _replayed(
    case: Case, work: Path, document: Mapping[str, Any], first_step: int
) -> tuple[dict[int, Call | int], dict[int, Call | int]]:
    """Graph node → call as the driver stated it, else by the order of capture; or event → call."""
    source = work / BUNDLE / PROCESS
    if not (source / CUDA_GRAPHS).exists():
        return {}, {}
    nodes = nodes_of(_document(source / CUDA_GRAPHS))
    if nodes or not (work / CAPTURE).exists():
        return nodes, {}
    captures = captured_order(_document(work / CAPTURE))
    if case.replayed is not None:
        steps = range(first_step, first_step + case.steps)
        order = [captures[number] for step in steps for number in case.replayed(step)]
        return {}, calls_in_order(document, order)
    nodes = nodes_by_order(document, captures)
    return nodes, {} if nodes else calls_by_time(document, captures)


def _without_ids(graphs: dict[str, Any]) -> dict[str, Any]:
    """The record that a driver without ids of nodes leaves."""
    for capture in graphs["captures"]:
        capture["graph_id"] = None
        for run in capture["runs"]:
            for call in run["calls"]:
                call["nodes"] = None
    return graphs


def _digests(logs: list[Path], small: Path) -> dict[str, str]:
    """Digest of the code as it ran → digest of the code as it is kept, where they differ."""
    ran = [str(graph.digest) for graph in load_compiled(*logs).graphs]
    kept = [str(graph.digest) for graph in load_compiled(small).graphs]
    return {one: other for one, other in zip(ran, kept, strict=True) if one != other}


def _with_digests(values: Mapping[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    text = json.dumps(values)
    for one, other in renamed.items():
        text = text.replace(f'"{one}"', f'"{other}"')
    renewed: dict[str, Any] = json.loads(text)
    return renewed


def _document(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    parsed: dict[str, Any] = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    return parsed


def _write_trace(path: Path, document: Mapping[str, Any], scrub: Callable[[str], str]) -> None:
    """The trace, without what names the machine or its processes' environment."""
    text = scrub(json.dumps(document, separators=(",", ":")))
    text = re.sub(r'"host_name":\s*"[^"]*",?', "", text)
    if len(platform.node()) > len("host"):
        text = text.replace(platform.node(), "host")
    json.loads(text)  # whatever was replaced, it still is JSON
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def _write_json(path: Path, values: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(values, separators=(",", ":")) + "\n", encoding="utf-8")


def _run_toml(case: Case, process: RecordedProcess, truth: Truth, command: str) -> str:
    versions = {
        "torch": process.torch,
        "python": platform.python_version(),
        "triton": process.triton,
        "cuda": process.cuda if process.gpus else None,
        "rocm": process.rocm if process.gpus else None,
        "gpu": next(iter(process.gpus), None),
    }
    stated = "\n".join(f"{key} = {json.dumps(value)}" for key, value in versions.items() if value)
    notes = f"{case.notes}\n" if case.notes else ""
    text = f'''title = {json.dumps(case.title)}
kind = "recorded"
made_by = "{command}"
command = "kernelmap correlate ."
seed = {SEED}
notes = """
{notes}Recorded with a range around every call; the ranges were taken out and became truth.json.
Paths and the host's name were replaced; names of kernel files stay.
The log keeps what kernelmap reads of it, and the manifest has the digests of what is kept.
"""

[versions]
{stated}

[truth]
steps = {case.steps}
executions = {len(truth.order)}
calls = {len(truth.calls)}
'''
    tomllib.loads(text)
    return text
