"""cuda_graphs.json, which a capture writes, → the captured graphs of a trace's processes.

capture/cuda_graphs.py says what stands in the file. A file belongs to the process of its pid;
where several traces have that pid, to the one that lies beside it. Left out: captures that failed.
A file that cannot be used costs what it says of replays, and a notice tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec.structs import replace

from kernelmap.model import Notice, Trace
from kernelmap.model.paths import read_bytes
from kernelmap.model.trace import (
    CAPTURED_FORMAT,
    CAPTURED_VERSION,
    CapturedCall,
    CapturedGraph,
    CapturedRun,
)
from kernelmap.traces.chrome.json_stream import MALFORMED


class _CallEntry(msgspec.Struct):
    index: int
    wrapper: str
    handle: int | None = None
    nodes: tuple[int, ...] | None = None


class _RunEntry(msgspec.Struct):
    digest: str
    calls: tuple[_CallEntry, ...]
    name: str | None = None


class _CaptureEntry(msgspec.Struct):
    runs: tuple[_RunEntry, ...]
    complete: bool


class _GraphsFile(msgspec.Struct):
    format: str
    version: int
    pid: int
    captures: tuple[_CaptureEntry, ...]


class _UnusableError(Exception):
    """A file that tells of no process of the trace, and why."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def with_captures(trace: Trace, paths: Iterable[Path]) -> Trace:
    """`trace` with the captured graphs that the files at `paths` tell of its processes.

    A file counts once, under the first of the names that it is given.
    """
    # A link and its target are one file.
    files = {path.resolve(): path for path in sorted(paths, reverse=True)}
    captured: list[CapturedGraph] = []
    notices: list[Notice] = []
    for path in sorted(files.values()):
        try:
            captured.extend(_captured(path, trace))
        except _UnusableError as unusable:
            notices.append(
                Notice(
                    slug="cuda-graphs-unusable",
                    message=f"{path} is not used: {unusable.why}.",
                    hint="What CUDA graphs replayed is then known by names and order at best.",
                    gap=True,
                )
            )
    return replace(trace, captured=tuple(captured), notices=(*trace.notices, *notices))


def _captured(path: Path, trace: Trace) -> Iterator[CapturedGraph]:
    try:
        file = msgspec.json.decode(read_bytes(path), type=_GraphsFile)
    except (OSError, *MALFORMED) as error:
        raise _UnusableError(f"it cannot be read ({error})") from error
    if file.format != CAPTURED_FORMAT or file.version > CAPTURED_VERSION:
        raise _UnusableError(
            f"it is {file.format} of version {file.version}, known is {CAPTURED_VERSION}"
        )
    process = _process(path, file.pid, trace)
    for capture in file.captures:
        if capture.complete:
            yield CapturedGraph(
                process=process, runs=tuple(map(_run, capture.runs)), source=str(path)
            )


def _process(path: Path, pid: int, trace: Trace) -> int:
    """The process of `trace` that wrote the file."""
    fitting = [at for at, process in enumerate(trace.processes) if process.pid == str(pid)]
    # Ranks in containers may share a pid; the folder of the file tells them apart.
    beside = [
        at
        for at in fitting
        if Path(trace.sources[trace.processes[at].trace]).resolve().parent == path.resolve().parent
    ]
    processes = beside or fitting
    if len(processes) != 1:
        raise _UnusableError(f"{len(processes)} processes of the traces have its pid, {pid}")
    return processes[0]


def _run(run: _RunEntry) -> CapturedRun:
    return CapturedRun(
        digest=run.digest,
        name=run.name,
        calls=tuple(
            CapturedCall(
                index=call.index, wrapper=call.wrapper, handle=call.handle, nodes=call.nodes
            )
            for call in run.calls
        ),
    )
