"""How a log of the debug printer ends: within a launch, between two, or after the last one.

Takes the launches of a log and the calls that the printer may speak of. A log says nothing of the
reason why it ends; what is said here is where it ends, and which calls it cannot speak of.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from kernelmap.matching.printed.launches import PrintedLaunch
from kernelmap.matching.printed.names import PrinterNames
from kernelmap.model import Backend, CompiledGraph, Occurrence
from kernelmap.model.printed import names_of, speaks

_GPU = (Backend.TRITON, Backend.USER, Backend.TEMPLATE, Backend.COMBO, Backend.MULTI)
_DEVICE = ("aoti_torch_cuda_", "aoti_torch_xpu_")


class EndKind(StrEnum):
    """Where a log ends."""

    INSIDE = "inside"  # the last launch began, and nothing says that it came back
    BETWEEN = "between"  # the last launch came back, and the run had more to do
    COMPLETE = "complete"  # the last launch is the last one of a run
    UNPLACED = "unplaced"  # the code does not tell which call the last launch is


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The last launch of a log: `calls` as in PrintedLaunch, `line` where it begins.

    `unfinished` is a line of the printer that was cut off. `next` is the call that the printer
    should have spoken of next, `silent` are those before it, of which it does not speak. `unheard`
    are calls of the graph whose kernels have a name and that the whole log never speaks of. `gpu`
    says that launches come back before their kernel has run.
    """

    kind: EndKind
    kernel: str
    calls: tuple[int, ...]
    ordered: bool
    run: int
    line: int
    unfinished: str | None
    next: int | None
    silent: tuple[int, ...]
    unheard: tuple[int, ...]
    gpu: bool


def end_of(
    last: PrintedLaunch | None,
    heard: Iterable[str],
    unfinished: str | None,
    names: PrinterNames,
) -> End | None:
    """How a log ends whose last launch is `last`, and which spoke of the kernels `heard`."""
    if last is None or last.kernel is None:
        return None
    known = frozenset(heard)
    following, silent = _ahead(last, known, names)
    if last.began and not last.returned:
        kind = EndKind.INSIDE
    elif last.call is None:
        kind = EndKind.UNPLACED
    elif following is None and unfinished is None:
        kind = EndKind.COMPLETE
    else:
        kind = EndKind.BETWEEN
    return End(
        kind=kind,
        kernel=last.kernel,
        calls=last.calls,
        ordered=last.ordered,
        run=last.run,
        line=last.line,
        unfinished=unfinished,
        next=following,
        silent=silent,
        unheard=_unheard(last, known, names),
        gpu=last.call is not None and _is_gpu(names.program.calls[last.call][0]),
    )


def _ahead(
    last: PrintedLaunch, heard: frozenset[str], names: PrinterNames
) -> tuple[int | None, tuple[int, ...]]:
    """The next call that the printer speaks of in this run, and the silent ones before it."""
    if last.call is None:
        return None, ()
    calls = names.program.calls
    graph = calls[last.call][0]
    silent: list[int] = []
    for at in range(last.call + 1, len(calls)):
        other, call = calls[at]
        if other is not graph:
            break
        expected = speaks(graph, call) or not heard.isdisjoint(names_of(call))
        if expected and call.occurrence is Occurrence.ONCE:
            return at, tuple(silent)
        silent.append(at)
    return None, tuple(silent)


def _unheard(last: PrintedLaunch, heard: frozenset[str], names: PrinterNames) -> tuple[int, ...]:
    """The calls with a name, in the graph of `last`, that the log never speaks of."""
    if last.call is None:
        return ()
    calls = names.program.calls
    graph = calls[last.call][0]
    return tuple(
        at
        for at, (other, call) in enumerate(calls)
        if other is graph and (named := names_of(call)) and heard.isdisjoint(named)
    )


def _is_gpu(graph: CompiledGraph) -> bool:
    return any(call.backend in _GPU or call.wrapper.startswith(_DEVICE) for call in graph.calls)
