"""What the debug printer said, line by line → launches, each with its call, and how the log ends.

The printer writes kernels' names, and several calls may run one kernel. The arguments that it
names tell most of them apart; for the others the order does: within one run of the model, launches
come in the order of the code. Where a launch that the order asks for is missing, or calls stand in
branches or loops, all calls of the name stay candidates.

A log ends within a launch, between two, or after the last one. It says nothing of the reason; given
here is where it ends, and which calls it cannot speak of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.debug_printer.names import PrinterNames
from kernelmap.model import CompiledGraph, Occurrence
from kernelmap.model.printed import Printed, When, may_be_printed, names_of
from kernelmap.model.program import GPU_KERNELS

_DEVICE = ("aoti_torch_cuda_", "aoti_torch_xpu_")


class PrintedLaunch(Struct, frozen=True, kw_only=True):
    """One launch, or the model's inputs (`kernel` is None) at the start of a run.

    `said` is what the printer said of it. `calls` are positions in `program.calls`: one where it is
    known, several candidates, none for a name that the code lacks. `ordered` says that the order
    chose among several. `run` counts from 1.
    """

    kernel: str | None
    said: tuple[Printed, ...]
    calls: tuple[int, ...] = ()
    ordered: bool = False
    run: int = 1

    @property
    def call(self) -> int | None:
        """The position of its call, None where that is not known."""
        return self.calls[0] if len(self.calls) == 1 else None

    @property
    def began(self) -> bool:
        """Whether something was printed before the launch."""
        return any(line.when is When.BEFORE for line in self.said)

    @property
    def returned(self) -> bool:
        """Whether all that was printed before the launch was printed after it as well."""
        # The arguments that were printed before the launch, and those after it.
        before, after = (
            {line.argument for line in self.said if line.when is when}
            for when in (When.BEFORE, When.AFTER)
        )
        return bool(after) and before <= after and not self._is_cut

    @property
    def _is_cut(self) -> bool:
        """Whether the last thing said is a title without values."""
        values = self.said[-1].values
        return values is not None and values.elements is None

    @property
    def line(self) -> int:
        """The line of the log at which it begins."""
        return self.said[0].line


def printed_launches(log: Iterable[Printed], names: PrinterNames) -> Iterator[PrintedLaunch]:
    """The launches of a log, in its order."""
    order = _PrintedOrder(names)
    said: list[Printed] = []
    for line in log:
        if said and _is_another(said, line):
            yield order.place_launch(said)
            said = []
        said.append(line)
    if said:
        yield order.place_launch(said)


def _is_another(said: list[Printed], printed: Printed) -> bool:
    """Whether `printed` belongs to another launch than the lines `said` before it."""
    last = said[-1]
    if printed.kernel != last.kernel:
        return True
    if printed.when is When.INPUT:
        return any(printed.argument == other.argument for other in said)
    again = any((printed.when, printed.argument) == (other.when, other.argument) for other in said)
    return again or (printed.when is When.BEFORE and last.when is When.AFTER)


class _PrintedOrder(Struct):
    """Where in the code the log is; `last` is the position of the launch before, -1 at a start.

    It is None where it is not known.
    """

    names: PrinterNames
    last: int | None = -1
    run: int = 1
    begun: bool = False
    heard: set[str] = set()

    def place_launch(self, said: list[Printed]) -> PrintedLaunch:
        """The launch that the lines `said` are about."""
        kernel = said[0].kernel
        if kernel is None:
            # The model's inputs are printed where a run begins.
            self._restart_run()
            return PrintedLaunch(kernel=None, said=tuple(said), run=self.run)
        arguments = frozenset(line.argument for line in said if line.argument is not None)
        calls = self.names.calls(kernel, arguments)
        # Arguments tell the call where they can; the order is asked for only among several calls.
        chosen = self._next_call(calls) if len(calls) > 1 else next(iter(calls), None)
        launch = PrintedLaunch(
            kernel=kernel,
            said=tuple(said),
            calls=calls if chosen is None else (chosen,),
            ordered=chosen is not None and len(calls) > 1,
        )
        self._move_to(chosen)
        self.heard.add(kernel)
        return replace(launch, run=self.run)

    def _restart_run(self) -> None:
        # Inputs may be printed one after another; only launches since then make another run.
        self.run += self.begun
        self.last, self.begun = -1, False

    def _move_to(self, chosen: int | None) -> None:
        # A call at or before the last one means that the next run has begun, unless it lies in a
        # loop.
        if chosen is not None and self.last is not None and chosen <= self.last:
            once = self.names.program.calls[chosen][1].occurrence is not Occurrence.LOOP
            self.run += once
        self.last, self.begun = chosen, True

    def _next_call(self, calls_of_kernel: tuple[int, ...]) -> int | None:
        """The first of the calls after the last launch, or of the next run; None where unsure."""
        calls = self.names.program.calls
        # How often calls in branches and loops run is not known, so their order tells nothing.
        if self.last is None or any(
            calls[at][1].occurrence is not Occurrence.ONCE for at in calls_of_kernel
        ):
            return None
        # In this run if such a call still follows, else in the next one.
        ahead = [at for at in calls_of_kernel if at > self.last]
        chosen = (ahead or calls_of_kernel)[0]
        # Calls that lie on the way there: to the end of this run, then from the start of the next.
        between = range(self.last + 1, chosen if ahead else len(calls))
        before = range(0 if ahead else chosen)
        # If one of them should have spoken and did not, a part of the log may be missing.
        skipped = any(self._was_due(at) for at in (*between, *([] if ahead else before)))
        # Graphs may run in any order; only within one does the order of the code count.
        same = self.last < 0 or calls[chosen][0] is calls[self.last][0]
        return None if skipped or not same else chosen

    def _was_due(self, at: int) -> bool:
        """Whether the log, had it passed this call, would have a line of it."""
        call = self.names.program.calls[at][1]
        names = self.names.names(at)
        # A filter may keep kernels silent: only one that the log speaks of elsewhere is missed
        # here.
        return call.occurrence is Occurrence.ONCE and not self.heard.isdisjoint(names)


class EndKind(StrEnum):
    """Where a log ends."""

    INSIDE = "inside"  # the last launch began, and nothing says that it came back
    BETWEEN = "between"  # the last launch came back, and the run had more to do
    COMPLETE = "complete"  # the last launch is the last one of a run
    UNPLACED = "unplaced"  # the code does not tell which call the last launch is


class End(Struct, frozen=True, kw_only=True):
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
    """How a log ends whose last launch is `last`; it speaks of the kernels `heard`."""
    if last is None or last.kernel is None:
        return None
    kernels = frozenset(heard)
    following, silent = _calls_ahead(last, kernels, names)
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
        unheard=_find_unheard(last, kernels, names),
        gpu=last.call is not None and _is_gpu(names.program.calls[last.call][0]),
    )


def _calls_ahead(
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
        # Where the code does not say that the printer speaks of this call, the log may: it names
        # the kernel elsewhere.
        expected = may_be_printed(graph, call) or not heard.isdisjoint(names_of(call))
        if expected and call.occurrence is Occurrence.ONCE:
            return at, tuple(silent)
        silent.append(at)
    return None, tuple(silent)


def _find_unheard(
    last: PrintedLaunch, heard: frozenset[str], names: PrinterNames
) -> tuple[int, ...]:
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
    return any(
        call.backend in GPU_KERNELS or call.wrapper.startswith(_DEVICE) for call in graph.calls
    )
