"""Bundles as input: a folder that `kernelmap capture` wrote → traces, steps, and what it lacks.

The compile side of a bundle needs no help: its logs and code files are found like those of any
folder. A bundle that was not finished is read by the names that a capture gives to its files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import mean

from kernelmap.compiler import is_compiled, load_compiled
from kernelmap.errors import KernelmapError
from kernelmap.model import Notice, Trace
from kernelmap.model.bundle import (
    CUDA_GRAPHS,
    MANIFEST,
    NSYS,
    REPORT,
    SQLITE,
    TRACE,
    BundleFile,
    CountedStep,
    FileKind,
    Manifest,
    ModelTensors,
    RecordedProcess,
    State,
    UnprofiledSteps,
    is_bundle,
    read_manifest,
)
from kernelmap.model.compilations import UNCHANGING, find_recompilations
from kernelmap.model.notices import format_count
from kernelmap.model.paths import is_regular, open_file

_AGAIN = "What is there is used; capture again for the rest."


def traces_in(bundle: Path) -> list[Path]:
    """The trace files of a bundle that are there. Raises KernelmapError for a damaged manifest."""
    return _files_in(bundle, FileKind.TRACE, f"*/{TRACE}", f"{NSYS}/{SQLITE}")


def cuda_graphs_in(bundle: Path) -> list[Path]:
    """The bundle's records of captured CUDA graphs. Raises KernelmapError as `traces_in`."""
    return _files_in(bundle, FileKind.CUDA_GRAPHS, f"*/{CUDA_GRAPHS}")


def recorded_steps(sources: Iterable[Path]) -> tuple[int, int] | None:
    """First and last recorded step, where the traces of the bundles hold more than the steps.

    Nsight Systems records from the first compilation on, for what went into CUDA graphs then. None
    where all of a trace counts, or it is not known which steps were recorded.
    """
    manifests = [read_manifest(path) for path in sources if is_bundle(path)]
    # Only Nsight Systems records more than the steps.
    if not manifests or any(manifest.profiler != NSYS for manifest in manifests):
        return None
    # The steps of the program: from the first to the last that any of its processes recorded.
    processes = [process for manifest in manifests for process in manifest.processes]
    first = [process.first_step for process in processes if process.first_step is not None]
    last = [process.last_step for process in processes if process.last_step is not None]
    return (min(first), max(last)) if first and last else None


def complete_steps(bundles: Iterable[Path], trace: Trace) -> dict[int, tuple[int, int]]:
    """By process of `trace` the first and last step that its capture recorded whole, where it says.

    One report of Nsight Systems holds all processes of a program.
    """
    spans: dict[Path, tuple[int, int]] = {}
    for bundle in bundles:
        manifest = read_manifest(bundle)
        whole = [
            (process.name, process.first_step, process.last_step)
            for process in manifest.processes
            if process.first_step is not None and process.last_step is not None
        ]
        if manifest.profiler != NSYS:
            # torch.profiler writes a trace per process; a report of nsys has all of them, so the
            # widest span of steps counts for it.
            spans |= {bundle / name / TRACE: (first, last) for name, first, last in whole}
        elif whole:
            first, last = min(first for _, first, _ in whole), max(last for *_, last in whole)
            spans |= {bundle / NSYS / name: (first, last) for name in (SQLITE, REPORT)}
    by_file = {path.resolve(): span for path, span in spans.items()}
    # By the position of a process in the trace, as its file says.
    sources = [Path(source).resolve() for source in trace.sources]
    return {
        at: by_file[sources[process.trace]]
        for at, process in enumerate(trace.processes)
        if sources[process.trace] in by_file
    }


def unprofiled_steps(bundles: Iterable[Path]) -> UnprofiledSteps | None:
    """What steps of the bundles took without a profiler; None where none was measured."""
    processes = [process for bundle in bundles for process in read_manifest(bundle).processes]
    timed = [process for process in processes if process.unprofiled_ns is not None]
    if not timed:
        return None
    return UnprofiledSteps(
        # Ranks wait for one another, so that their mean is that of the program.
        mean_ns=round(mean(process.unprofiled_ns or 0 for process in timed)),
        before=sum(len(process.before_ns) for process in timed),
        after=sum(len(process.after_ns) for process in timed),
    )


def counted_memory(sources: Iterable[Path]) -> tuple[tuple[RecordedProcess, CountedStep], ...]:
    """What torch's allocator counted in the recorded steps, by process, of bundles in `sources`."""
    return tuple(
        (process, row)
        for bundle in sources
        if is_bundle(bundle)
        for process in read_manifest(bundle).processes
        for row in process.memory or ()
    )


def held_tensors(sources: Iterable[Path]) -> tuple[tuple[RecordedProcess, ModelTensors], ...]:
    """What the processes of bundles in `sources` held when their recordings ended."""
    return tuple(
        (process, row)
        for bundle in sources
        if is_bundle(bundle)
        for process in read_manifest(bundle).processes
        for row in process.model_tensors or ()
    )


def bundle_notices(sources: Iterable[Path]) -> tuple[Notice, ...]:
    """What a person should know about the bundles among `sources`."""
    return tuple(
        notice
        for bundle in sources
        if is_bundle(bundle)
        for notice in _notices(bundle, read_manifest(bundle))
    )


def without_trace(sources: Sequence[Path]) -> KernelmapError | None:
    """The error to raise where bundles were given and hold no trace; None where none was given."""
    bundle = next(filter(is_bundle, sources), None)
    if bundle is None:
        return None
    manifest = read_manifest(bundle)
    why = manifest.why or "its trace is missing"
    hint = "Let the program make more steps, or capture with a smaller --warmup and --steps."
    # A function that is compiled again and again never lets a step be warm: that is the better
    # hint.
    again = find_recompilations(load_compiled(bundle).compilations) if is_compiled(bundle) else ()
    if again:
        hint = f"No step stays warm: {again[0].words}. {UNCHANGING}"
    return KernelmapError("bundle-without-trace", f"{bundle} holds no trace: {why}", hint)


def _files_in(bundle: Path, kind: FileKind, *names: str) -> list[Path]:
    """The files of a kind that are there; `names` they go by until a manifest lists them."""
    manifest = read_manifest(bundle)
    # The manifest lists files only when the capture has ended.
    if manifest.state is State.RECORDING:
        paths = sorted(path for name in names for path in bundle.glob(name))
        return [path for path in paths if _is_inside(bundle, path)]
    files = (bundle / file.path for file in manifest.files if file.kind is kind)
    return [path for path in files if _is_inside(bundle, path) and is_regular(path)]


def _is_inside(bundle: Path, path: Path) -> bool:
    """Whether a file of a bundle lies in it: neither its name nor a link may lead out of it."""
    try:
        return path.resolve().is_relative_to(bundle.resolve())
    except (OSError, ValueError, RuntimeError):  # too long a name, a NUL in it, links in a circle
        return False


def _notices(bundle: Path, manifest: Manifest) -> Iterator[Notice]:
    if manifest.state is not State.COMPLETE:
        yield Notice(
            slug="bundle-partial",
            message=f"{bundle} is {manifest.state}: {manifest.why or 'it does not say why'}.",
            hint=_AGAIN,
            gap=True,
        )
    if manifest.exit_code:
        yield Notice(
            slug="bundle-program-failed",
            message=f"The recorded program ended with exit code {manifest.exit_code}.",
        )
    yield from _of_processes(bundle, manifest)
    yield from _of_files(bundle, manifest.files)


def _of_processes(bundle: Path, manifest: Manifest) -> Iterator[Notice]:
    for process in manifest.processes:
        if process.compiled_inside:
            yield Notice(
                slug="bundle-compiled-inside",
                message=f"{bundle}, {process.name}: "
                f"{format_count(process.compiled_inside, 'compilation')}"
                " inside the recorded steps, with whatever they benchmarked.",
                hint="Capture with a larger --warmup if the program compiles late.",
            )
        if process.graphs == 0:
            yield Notice(
                slug="bundle-without-graphs",
                message=f"{bundle}, {process.name}: no function that torch.compile compiled ran.",
                hint="Whatever ran is outside of compiled code.",
            )


def _of_files(bundle: Path, listed: Sequence[BundleFile]) -> Iterator[Notice]:
    files = [file for file in listed if _is_inside(bundle, bundle / file.path)]
    outside = [file.path for file in listed if file not in files]
    if outside:
        yield Notice(
            slug="bundle-file-outside",
            message=f"{bundle} names {_some(outside)}, which lies outside of it.",
            hint="A capture never does that; the file was not read.",
            gap=True,
        )
    missing = [file.path for file in files if not is_regular(bundle / file.path)]
    changed = [
        file.path for file in files if file.path not in missing and not _is_same(bundle, file)
    ]
    if missing:
        yield Notice(
            slug="bundle-file-missing",
            message=f"{bundle} lacks {_some(missing)}, which {MANIFEST} lists.",
            hint=_AGAIN,
            gap=True,
        )
    if changed:
        yield Notice(
            slug="bundle-file-changed",
            message=f"{bundle}: {_some(changed)} differs from what was recorded.",
            hint="Its digest in the manifest is another one; use the bundle as it was written.",
            gap=True,
        )


def _is_same(bundle: Path, file: BundleFile) -> bool:
    path = bundle / file.path
    try:
        if path.stat().st_size != file.bytes:
            return False
        with open_file(path) as content:
            return hashlib.file_digest(content, "sha256").hexdigest() == file.sha256
    except OSError:
        return False


def _some(names: Sequence[str]) -> str:
    rest = len(names) - 1
    return f"{names[0]} and {rest} more" if rest else names[0]
