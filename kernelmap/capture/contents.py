"""The folder of a bundle, once the program has ended → its manifest.

Copies what torch logged elsewhere; writes the generated code of the logs as files of their own, so
that a statement can be opened when Inductor's cache is gone; takes size and digest of each file.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from kernelmap.compiler.logs.events import is_torch_trace
from kernelmap.compiler.logs.torch_trace import read_log
from kernelmap.compiler.python.comments import id_at_head
from kernelmap.model.bundle import (
    CODE,
    CUDA_GRAPHS,
    LOGS,
    MANIFEST,
    NSYS,
    PROCESS,
    REPORT,
    SCHEDULER,
    SQLITE,
    TRACE,
    BundleFile,
    FileKind,
    Manifest,
    RecordedProcess,
    State,
    recorded_process,
)
from kernelmap.model.program import kind_of
from kernelmap.whole_files import HIDDEN

_KINDS = {
    TRACE: FileKind.TRACE,
    SQLITE: FileKind.TRACE,
    REPORT: FileKind.REPORT,
    CUDA_GRAPHS: FileKind.CUDA_GRAPHS,
    SCHEDULER: FileKind.SCHEDULER,
}
_NOBODY = (
    "no process of the program made a step: neither a step of an optimizer nor a call of a compiled"
    " function was seen, or its Python has no kernelmap"
)


def finished(folder: Path, begun: Manifest, *, failed: bool = False) -> Manifest:
    """The manifest of `folder` now that nothing writes into it any more; `begun` is its first one.

    A program that ends before all steps are recorded has no more to show, and its bundle is
    complete; of one that `failed` the rest is missing. Also writes the code files. Raises OSError
    where the folder cannot be written to.
    """
    for logs in sorted(folder.glob(f"*/{LOGS}")):
        write_code(logs)
    # Logs that the user has written elsewhere were copied here, of all processes together.
    if (folder / LOGS).is_dir():
        write_code(folder / LOGS)
    processes = tuple(_processes(folder))
    if failed:
        processes = tuple(_without_rest(process, begun.steps) for process in processes)
    # What these files say stands in the manifest from here on.
    for process in processes:
        (folder / process.name / PROCESS).unlink()
    files = listed(folder)
    why = _missing(begun, processes, files)
    state = State.COMPLETE if why is None else State.PARTIAL
    return replace(begun, state=state, why=why, processes=processes, files=files)


def copy_logs(source: Path, folder: Path, before: frozenset[str]) -> None:
    """Copy the logs in `source` that were not there `before` into the bundle."""
    for path in sorted(source.glob("*.log")):
        if path.name not in before:
            (folder / LOGS).mkdir(exist_ok=True)
            shutil.copyfile(path, folder / LOGS / path.name)


def write_code(logs: Path) -> None:
    """The generated code of all logs of one folder, each text once, beside them."""
    written: set[str] = set()
    for log in sorted(logs.iterdir()):
        if not is_torch_trace(log):
            continue
        for text in read_log(log).texts:
            # A graph that two processes compiled, or that a cache hit logged again, has one code
            # file.
            if text.text.strip() in written:
                continue
            written.add(text.text.strip())
            place = logs.parent / CODE / _folder_name(text.text, len(written))
            place.mkdir(parents=True, exist_ok=True)
            (place / "output_code.py").write_text(
                text.text, encoding="utf-8", errors="replace", newline="\n"
            )


def _folder_name(text: str, number: int) -> str:
    """`model__0_forward_1.0`, as torch_compile_debug names it; `graph_1` for code without an id."""
    stated = id_at_head(text)
    if stated is None or kind_of(stated) is None:
        return f"graph_{number}"
    return f"model__{re.sub(r'[^0-9A-Za-z_]', '_', stated)}_{number}.0"


def listed(folder: Path) -> tuple[BundleFile, ...]:
    """Every file of a bundle but its manifest, as the manifest lists it. Raises OSError."""
    return tuple(_file(path, folder) for path in _files(folder))


def _processes(folder: Path) -> Iterator[RecordedProcess]:
    for path in sorted(folder.glob(f"*/{PROCESS}")):
        try:
            process = recorded_process(json.loads(path.read_text(encoding="utf-8")))
        except ValueError:  # not whole: it was written to a disk that was full, say
            process = RecordedProcess(
                name="", state=State.PARTIAL, why="its process.json is damaged"
            )
        # A process cannot finish any more: what it left is all there is.
        state = State.PARTIAL if process.state is State.RECORDING else process.state
        yield replace(process, name=path.parent.name, state=state)


def _without_rest(process: RecordedProcess, steps: int | None) -> RecordedProcess:
    """The process of a program that failed: what it has not recorded is missing."""
    recorded = process.recorded_steps
    # A process that recorded nothing says itself why.
    if process.state is not State.COMPLETE or steps is None or not 0 < recorded < steps:
        return process
    why = f"the program ended after {recorded} of {steps} recorded steps"
    return replace(process, state=State.PARTIAL, why=why)


def _missing(
    begun: Manifest, processes: Sequence[RecordedProcess], files: Sequence[BundleFile]
) -> str | None:
    """Why the bundle is not complete; None where it is."""
    if not processes:
        return _NOBODY
    reasons = [
        f"{process.name}: {process.why or 'it says nothing'}"
        for process in processes
        if process.state is not State.COMPLETE
    ]
    traced = {file.path.partition("/")[0] for file in files if file.kind is FileKind.TRACE}
    if begun.profiler == NSYS:
        reasons += [] if NSYS in traced else ["nsys wrote no report that could be exported"]
    else:
        # A process that already has a reason is not named twice.
        silent = [p.name for p in processes if p.name not in traced and p.why is None]
        reasons += [f"{name}: it wrote no trace" for name in silent]
    return "; ".join(reasons) or None


def _file(path: Path, folder: Path) -> BundleFile:
    return BundleFile(
        path=path.relative_to(folder).as_posix(),
        kind=_kind(path),
        bytes=path.stat().st_size,
        sha256=digest(path),
    )


def _kind(path: Path) -> FileKind:
    if path.parent.name == LOGS and path.suffix == ".log":
        return FileKind.LOG
    if path.parent.parent.name == CODE:
        return FileKind.CODE
    return _KINDS.get(path.name, FileKind.OTHER)


def digest(path: Path) -> str:
    """SHA-256 of a file, in hex. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name != MANIFEST and not name.startswith(HIDDEN):
                yield Path(place, name)
