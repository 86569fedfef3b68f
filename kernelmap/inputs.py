"""What was named on a command line → compile side, trace side, snapshots, and what was captured.

Takes paths in any order and any mix, sorts them by content. Inputs that no reader took get an error
as exact as can be; where no trace was named, the one that must be meant is looked for. Left out:
reading them, and errors of one format, which its reader raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from kernelmap.bundles import cuda_graphs_in, traces_in, without_trace
from kernelmap.commands import command, input_word
from kernelmap.compiler import CodeFiles, find_code
from kernelmap.compiler.files.packages import find_damage
from kernelmap.errors import KernelmapError, UsageError
from kernelmap.matching.references.learning import files_of_captures, files_of_replays
from kernelmap.model.bundle import is_bundle
from kernelmap.model.paths import Source, is_folder, require_readable
from kernelmap.traces import is_captures, is_trace, load_trace
from kernelmap.traces.copies import without_other_forms
from kernelmap.traces.load import are_ranks, is_named_after_rank, looks_like
from kernelmap.traces.memory_snapshot.reader import is_memory_snapshot
from kernelmap.traces.ncu.reader import is_ncu_report

_NAMED = 5
_LOOKED_INTO = 100
"""Traces of a folder that are read to tell captures from replays: each takes up to a second, and an
engine captures some fifty batch sizes. Chosen for time."""
_A_TRACE = (
    "a profile of torch.profiler (.json, .json.gz, .pftrace), an Nsight Systems export (.sqlite) or"
    " a file of rocprofv3 (.db, .json)"
)


class Inputs(Struct, frozen=True):
    """What was named, by what it is: code, traces, and records of captured CUDA graphs.

    `snapshots` are memory snapshots of torch, `bundles` the folders among them that a capture
    wrote. `reports` are those of Nsight Compute: what they counted is of the profile beside them,
    and one that comes without a profile is a trace, too.
    """

    paths: tuple[Path, ...]
    code: tuple[CodeFiles, ...]
    traces: tuple[Path, ...]
    captures: tuple[Path, ...]
    snapshots: tuple[Path, ...] = ()
    bundles: tuple[Path, ...] = ()
    reports: tuple[Path, ...] = ()

    @property
    def traces_meant(self) -> tuple[Path, ...]:
        """The traces; where none was named, the one that must be meant. Raises KernelmapError."""
        return self.traces or tuple(trace_meant(self.paths))


def sort(sources: Sequence[Source]) -> Inputs:
    """`sources` by content; a KernelmapError names what is neither code nor trace nor captures.

    A bundle gives its traces and captures here, and so does a folder without code: one trace, or
    those of all ranks of a run.
    """
    code: list[CodeFiles] = []
    traces: list[Path] = []
    captures: list[Path] = []
    snapshots: list[Path] = []
    bundles: list[Path] = []
    reports: list[Path] = []
    for path in map(Path, sources):
        require_readable(path)
        # A bundle says itself which of its files are traces; its folder is not searched for them.
        if bundle := is_bundle(path):
            bundles.append(path)
            traces.extend(traces_in(path))
            captures.extend(cuda_graphs_in(path))
        elif is_captures(path):
            captures.append(path)
        elif is_memory_snapshot(path):
            snapshots.append(path)
        elif is_ncu_report(path):
            reports.append(path)
        taken = bundle or any(path in found for found in (captures, snapshots, reports))
        # Code is looked for in bundles as in any folder.
        if (part := find_code(path)).files:
            code.append(part)
            taken = True
        if path not in reports and is_trace(path):
            traces.append(path)
            taken = True
        # A folder without code may hold the traces of a run.
        if not taken and not traces_in_folder(path):
            raise unknown(path)
        if not taken:
            traces.extend(trace_beside([path]))
    return Inputs(
        paths=tuple(map(Path, sources)),
        code=tuple(code),
        traces=tuple(traces or _trace_of_reports(reports, sources)),
        captures=tuple(captures),
        snapshots=tuple(snapshots),
        bundles=tuple(bundles),
        reports=tuple(reports),
    )


def _trace_of_reports(reports: Sequence[Path], sources: Sequence[Source]) -> Sequence[Path]:
    """The report that has to do as a trace, as no other is there."""
    beside = bool(reports) and has_trace_beside([*map(Path, sources)])
    return () if beside else reports[:1]


def trace_meant(sources: Sequence[Path]) -> list[Path]:
    """The trace that must be meant where none was named."""
    error = without_trace(sources)
    if error is not None:
        raise error
    return trace_beside(sources)


def has_trace_beside(sources: Sequence[Path]) -> bool:
    """Whether a trace, or those of all ranks of a run, lies in the folders of code."""
    try:
        return bool(trace_beside(sources))
    except UsageError:
        return False


def unknown(path: Path) -> KernelmapError:
    """The error for a path, known to be readable, that is neither code nor trace."""
    if path.is_dir():
        return KernelmapError(
            "nothing-found",
            f"{path} holds neither generated code nor a trace",
            "Name a TORCH_TRACE or torch_compile_debug folder, an output_code.py, or a profile.",
        )

    # Of a known format, but cut off or broken: its own error says more.
    if (damaged := find_damage(path)) is not None:
        return damaged
    try:
        load_trace(path)
    except KernelmapError as error:
        # Of an empty file nobody can say that it was meant to be a trace.
        if error.slug != "unknown-trace" and path.stat().st_size:
            return error
    return KernelmapError(
        "unknown-format",
        f"{path} is neither generated code, nor a log of it, nor a trace: it is {looks_like(path)}",
        f"Give an output_code.py or a TORCH_TRACE log, and {_A_TRACE}.",
    )


def trace_beside(sources: Sequence[Path]) -> list[Path]:
    """The one trace in the given folders, in all its forms, or the traces of all ranks of a run.

    A folder that is named twice, or through a link, holds its traces once. Raises UsageError
    `no-trace` where there is none, or several of which nothing shows that they are ranks: they may
    be of several runs.
    """
    inside = [path for folder in sources if folder.is_dir() for path in traces_in_folder(folder)]
    # The last one that is put in under a place stays, so the list is gone through from its end.
    by_place = {path.parent.resolve() / path.name: path for path in reversed(inside)}
    traces = list(reversed(by_place.values()))  # spelled as they were named first
    # A profile may lie there in several forms, such as a report with its export: those are one.
    chosen = without_other_forms(traces)[0] if len(traces) > 1 else traces
    if len(chosen) == 1 or (chosen and are_ranks(chosen)):
        return traces
    if not traces:
        raise UsageError("no-trace", "no profile was given", f"Add {_A_TRACE}.")
    named = ", ".join(map(str, traces[:_NAMED])) + ", …" * (len(traces) > _NAMED)
    raise UsageError(
        "no-trace",
        f"no profile was given, and the folders hold {len(traces)}: {named}",
        _hint_about_captures(chosen)
        or "Nothing shows that they are ranks of one run: name the one of this run, or all its"
        " ranks.",
    )


def _hint_about_captures(traces: Sequence[Path]) -> str | None:
    """What to do with profiles of captures, where some of `traces` are; None where none is.

    A serving engine writes them beside the profile of its steps. They are looked for in the traces
    themselves, since each engine names its files in its own way.
    """
    if len(traces) > _LOOKED_INTO:
        return None
    captures, replays = [], []
    for path in traces:
        try:
            trace = load_trace(path, may_be_capture=True)
        except KernelmapError:
            continue
        if files_of_captures(trace):
            captures.append(path)
        elif files_of_replays(trace):
            replays.append(path)
    taught = replays[0] if replays else None
    # Whatever else lies in a folder of captures teaches as well as they do.
    like = [
        word for folder in dict.fromkeys(it.parent for it in captures) for word in _like(folder)
    ]
    if not captures or (taught is None and len(captures) < len(traces)):
        return None
    if taught is None:
        return (
            "All of them show captures of CUDA or HIP graphs, which tell what replays ran. Name"
            f" them beside the profile of the replays: `{command('correlate', 'REPLAYS', *like)}`"
        )
    which = ", such as" if len(replays) > 1 else ":"
    return (
        f"{len(captures)} of them {'shows' if len(captures) == 1 else 'show'} captures of CUDA or"
        " HIP graphs, which tell what replays ran."
        f" Name a profile of replays, and the captures with --like{which}"
        f" `{command('correlate', input_word(taught), *like)}`"
    )


def _like(folder: Path) -> tuple[str, str]:
    return "--like", input_word(folder)


def traces_in_folder(folder: Path) -> list[Path]:
    """The traces directly in `folder`, and in folders in it that are named after ranks.

    Of a folder that may not be looked into there are none.
    """
    try:
        inside = sorted(folder.iterdir())
        ranks = [path for path in inside if is_folder(path) and is_named_after_rank(path)]
        deeper = [path for rank in ranks for path in sorted(rank.iterdir())]
    except OSError:
        return []
    traces = [path for path in (*inside, *deeper) if is_trace(path)]
    # A report of counters lies beside the profile that it is about.
    return [path for path in traces if not is_ncu_report(path)] or traces
