"""The trials: a release of torch writes something, and this checkout's kernelmap reads it.

torch runs in its own environment; what it wrote is read in this one, as on a laptop without torch.
A trial that ends in an error is UNREAD where kernelmap fails, UNTRIED where torch does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from torch_releases.findings import PROJECT, Finding, Verdict

EXAMPLES = ("train_block", "infer", "breaks_and_recompile")
"""Training, dynamic shapes, graph breaks: scripts/examples."""

TRITON_CASES = ("mlp", "attnflash", "conv", "foreach", "usertriton", "maxauto")
"""Cases of scripts/fake_gpu, for the forms of call that Inductor writes most."""

_LIMIT_S = 900
_MOST = 0.9
_PROBE = PROJECT / "scripts" / "torch_releases" / "graph_nodes.py"
_WRITE_BOTH = PROJECT / "scripts" / "make_pftrace.py"
_RECORDING = PROJECT / "sample_traces" / "cuda_mlp_train" / "rank_0" / "trace.json.gz"
_FAKE_GPU = PROJECT / "scripts" / "fake_gpu" / "generate.py"

Trial = Callable[[Path, Path], Finding]
Json = Mapping[str, Any]  # what kernelmap prints, read as it is


class _TorchFailedError(Exception):
    """torch did not get as far as to write anything."""


def run_trials(python: Path, folder: Path, names: Iterable[str] = ()) -> dict[str, Finding]:
    """Trials with the torch of `python`, all or those named; torch writes below `folder`."""
    findings = {}
    for name in names or ALL:
        trial = ALL[name]
        place = folder / name.replace(" ", "_")
        place.mkdir(parents=True)
        try:
            findings[name] = trial(python, place)
        except _TorchFailedError as failure:
            findings[name] = Finding(Verdict.UNTRIED, str(failure))
        except subprocess.SubprocessError as failure:
            findings[name] = Finding(Verdict.UNREAD, _last_line(failure))
        print(f"  {name}: {findings[name].verdict}: {findings[name].words}", flush=True)
    return findings


def _try_code(python: Path, folder: Path) -> Finding:
    """C++ code with all that torch writes beside it: the debug folder and the log."""
    written = _compile_examples(python, folder)
    return judge_calls(written / "torch_compile_debug", written / "torch_trace")


def _try_triton(python: Path, folder: Path) -> Finding:
    """Triton code, which Inductor writes for a GPU that it is told of; it needs no GPU."""
    written = []
    for case in TRITON_CASES:
        try:
            _run_torch(python, _FAKE_GPU, "--as-written", case, folder / case, folder=folder)
        except _TorchFailedError:
            continue
        written.append(case)
    if not written:
        raise _TorchFailedError("scripts/fake_gpu cannot make this torch believe in a GPU")
    found = judge_calls(*(folder / case for case in written), apart=True)
    left = len(TRITON_CASES) - len(written)
    words = f"{found.words}; {left} cases could not be made" if left else found.words
    return Finding(found.verdict, words)


def _try_log(python: Path, folder: Path) -> Finding:
    """A TORCH_TRACE log alone."""
    return judge_calls(_compile_examples(python, folder) / "torch_trace")


def _try_mappings(python: Path, folder: Path) -> Finding:
    """The files with which torch says itself from which nodes a kernel was made."""
    debug = _compile_examples(python, folder) / "torch_compile_debug"
    files = len(list(debug.rglob("inductor_provenance_tracking_node_mappings*.json")))
    if not files:
        return Finding(Verdict.ABSENT, "torch writes no such file")
    graphs = _inspect(debug)["graphs"]
    read = [
        graph
        for graph in graphs
        if not any(missing["what"] == "node mapping" for missing in graph["missing"])
    ]
    verdict = Verdict.READ if len(read) >= files else Verdict.PARTLY if read else Verdict.UNREAD
    calls = sum(graph["found"]["calls with nodes"] for graph in read)
    return Finding(verdict, f"{len(read)} of {files} files, {calls} calls")


def _try_capture(python: Path, folder: Path) -> Finding:
    """`kernelmap capture` of a training program, and which of its time has a line."""
    bundle = folder / "bundle"
    program = PROJECT / "scripts" / "examples" / "train_block.py"
    capture = f"-m kernelmap capture --steps 3 -o {bundle} -- {python} {program}"
    try:
        settings = {"PYTHONPATH": str(PROJECT), "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache")}
        _run_torch(python, *capture.split(), folder=folder, settings=settings)
    except _TorchFailedError as failure:
        return Finding(Verdict.UNREAD, str(failure))
    answer = _kernelmap("correlate", bundle, "--by", "line")
    ledger, lines = answer["ledger"], answer["lines"]
    compiled = sum(row["time_ns"] for row in ledger if row["bucket"] not in ("outside", "unknown"))
    exact = sum(row["time_ns"] for row in ledger if row["bucket"] == "exact")
    named = sum(row["time_ns"] + row["backward_ns"] for row in lines if row["line"] is not None)
    if not compiled:
        return Finding(Verdict.UNREAD, "no launch of compiled code")
    whole = exact == compiled and named >= _MOST * compiled
    words = f"{exact / compiled:.0%} of compiled time exact, {named / compiled:.0%} with a line"
    return Finding(Verdict.READ if whole else Verdict.PARTLY, words)


def _try_graph_nodes(python: Path, folder: Path) -> Finding:
    """Whether capture knows a way to ask that torch for the ids of CUDA graph nodes."""
    settings = {"PYTHONPATH": str(PROJECT)}
    said = _run_torch(python, _PROBE, folder=folder, settings=settings)
    verdict, _, words = said.strip().splitlines()[-1].partition(": ")
    return Finding(Verdict(verdict), words)


def _try_second_backend(python: Path, folder: Path) -> Finding:
    """JSON and .pftrace of one run, written by torch from the columns of a recording."""
    try:
        written = _run_torch(python, _WRITE_BOTH, _RECORDING, "-o", folder, folder=folder)
    except _TorchFailedError as failure:
        if "has no backend" in str(failure):
            return Finding(Verdict.ABSENT, "torch has Kineto alone")
        raise
    of_json, of_packets = (_kernelmap("correlate", path)["kernels"] for path in written.split())
    if list(map(_known_in_both, of_json)) != list(map(_known_in_both, of_packets)):
        return Finding(Verdict.PARTLY, ".json and .pftrace of one run differ")
    launches = sum(row["launches"] for row in of_json)
    return Finding(Verdict.READ, f".json and .pftrace alike, {launches} launches")


def _known_in_both(kernel: Json) -> Json:
    """A row of kernels; packets do not say between which kinds of memory a copy went."""
    name = kernel["device_name"]
    is_copy = name is not None and name.startswith(("Memcpy", "Memset"))
    return {**kernel, "device_name": name.split()[0]} if is_copy else kernel


ALL: Mapping[str, Trial] = {
    "C++ code": _try_code,
    "Triton code": _try_triton,
    "log": _try_log,
    "node mappings": _try_mappings,
    "capture": _try_capture,
    "ids of graph nodes": _try_graph_nodes,
    "second profiler": _try_second_backend,
}
"""Every trial by its column in docs/versions.md."""


def _compile_examples(python: Path, folder: Path) -> Path:
    """Where the examples ran, once for all trials, with all that torch can write about them."""
    place = folder.parent / "examples"
    done = place / "done"
    if done.exists():
        return place
    place.mkdir(exist_ok=True)
    for example in EXAMPLES:
        settings = {
            "TORCHINDUCTOR_CACHE_DIR": str(place / "cache" / example),
            "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1",
            "TORCH_COMPILE_DEBUG": "1",
            "TORCH_COMPILE_DEBUG_DIR": str(place),
            "TORCH_TRACE": str(place / "torch_trace"),
            "INDUCTOR_PROVENANCE": "1",
            "OMP_NUM_THREADS": "1",
        }
        program = PROJECT / "scripts" / "examples" / f"{example}.py"
        _run_torch(python, program, folder=place, settings=settings)
    done.touch()
    return place


def judge_calls(*inputs: Path, apart: bool = False) -> Finding:
    """READ where nine calls in ten have a line, and no notice says that something is unknown.

    Some calls have none in any release: Inductor adds copies and fills of its own. `apart`: every
    input is a program of its own.
    """
    calls, notices = [], set()
    for given in [[one] for one in inputs] if apart else [inputs]:
        read = _kernelmap("inspect", *given)
        calls += [call for graph in read["graphs"] for call in graph["calls"]]
        notices |= {notice["slug"] for notice in read["notices"]}
    with_line = sum(bool(call["lines"]) for call in calls)
    words = f"{with_line} of {len(calls)} calls have a line"
    if notices:
        words += f"; {', '.join(sorted(notices))}"
    if not with_line:
        return Finding(Verdict.UNREAD, words)
    whole = with_line >= _MOST * len(calls) and not notices
    return Finding(Verdict.READ if whole else Verdict.PARTLY, words)


def _inspect(folder: Path) -> Json:
    return _kernelmap("inspect", folder)


def _kernelmap(*arguments: str | Path) -> Json:
    """What this checkout's kernelmap answers, in this Python.

    Raises CalledProcessError where it fails.
    """
    command = [sys.executable, "-m", "kernelmap", *arguments, "--format", "json"]
    done = subprocess.run(  # noqa: S603 -- this checkout
        command, cwd=PROJECT, check=True, capture_output=True, text=True, timeout=_LIMIT_S
    )
    answer: Json = json.loads(done.stdout)
    return answer


def _run_torch(
    python: Path, *arguments: str | Path, folder: Path, settings: Mapping[str, str] | None = None
) -> str:
    """What a command with that torch prints, run in `folder`."""
    environment = os.environ | (settings or {})
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        done = subprocess.run(  # noqa: S603 -- that environment's Python
            [python, *arguments],
            cwd=folder,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
        )
    except subprocess.SubprocessError as failure:
        raise _TorchFailedError(_last_line(failure)) from failure
    return done.stdout


def _last_line(failure: subprocess.SubprocessError) -> str:
    """What a command said last before it failed, without the paths of this machine."""
    if isinstance(failure, subprocess.TimeoutExpired):
        return f"took longer than {_LIMIT_S} s"
    said = getattr(failure, "stderr", None) or ""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1].replace(str(PROJECT), "")[:160] if lines else "failed without a word"
