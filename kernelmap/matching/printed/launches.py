"""What the debug printer said, line by line → launches, each with the call that it is.

The printer writes kernels' names, and several calls may run one kernel. The arguments that it
names tell most of them apart; for the others the order does: within one run of the model, launches
come in the order of the code. Where a launch that the order asks for is missing, or calls stand in
branches or loops, all calls of the name stay candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from kernelmap.matching.printed.names import PrinterNames
from kernelmap.model import Occurrence
from kernelmap.model.printed import Printed, When


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedLaunch:
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
        """Whether something was said before it."""
        return any(each.when is When.BEFORE for each in self.said)

    @property
    def returned(self) -> bool:
        """Whether all that was said before it was said after it as well."""
        before, after = (
            {each.argument for each in self.said if each.when is when}
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
    order = _Order(names)
    said: list[Printed] = []
    for each in log:
        if said and _is_another(said, each):
            yield order.placed(said)
            said = []
        said.append(each)
    if said:
        yield order.placed(said)


def _is_another(said: list[Printed], each: Printed) -> bool:
    """Whether `each` is said of another launch than what was said before it."""
    last = said[-1]
    if each.kernel != last.kernel:
        return True
    if each.when is When.INPUT:
        return any(each.argument == other.argument for other in said)
    again = any((each.when, each.argument) == (other.when, other.argument) for other in said)
    return again or (each.when is When.BEFORE and last.when is When.AFTER)


@dataclass(slots=True)
class _Order:
    """Where in the code the log is; `last` is the position of the launch before, -1 at a start.

    It is None where it is not known.
    """

    names: PrinterNames
    last: int | None = -1
    run: int = 1
    begun: bool = False
    heard: set[str] = field(default_factory=set)

    def placed(self, said: list[Printed]) -> PrintedLaunch:
        """The launch of which `said` was said."""
        kernel = said[0].kernel
        if kernel is None:
            self._restart()
            return PrintedLaunch(kernel=None, said=tuple(said), run=self.run)
        arguments = frozenset(each.argument for each in said if each.argument is not None)
        found = self.names.calls(kernel, arguments)
        chosen = self._next(found) if len(found) > 1 else next(iter(found), None)
        launch = PrintedLaunch(
            kernel=kernel,
            said=tuple(said),
            calls=found if chosen is None else (chosen,),
            ordered=chosen is not None and len(found) > 1,
        )
        self._move(chosen)
        self.heard.add(kernel)
        return replace(launch, run=self.run)

    def _restart(self) -> None:
        self.run += self.begun
        self.last, self.begun = -1, False

    def _move(self, chosen: int | None) -> None:
        if chosen is not None and self.last is not None and chosen <= self.last:
            once = self.names.program.calls[chosen][1].occurrence is not Occurrence.LOOP
            self.run += once
        self.last, self.begun = chosen, True

    def _next(self, found: tuple[int, ...]) -> int | None:
        """The first of `found` after the last launch, or of the next run; None where unsure."""
        calls = self.names.program.calls
        if self.last is None or any(calls[at][1].occurrence is not Occurrence.ONCE for at in found):
            return None
        ahead = [at for at in found if at > self.last]
        chosen = (ahead or found)[0]
        between = range(self.last + 1, chosen if ahead else len(calls))
        before = range(0 if ahead else chosen)
        skipped = any(self._was_due(at) for at in (*between, *([] if ahead else before)))
        same = self.last < 0 or calls[chosen][0] is calls[self.last][0]
        return None if skipped or not same else chosen

    def _was_due(self, at: int) -> bool:
        """Whether a call that the printer speaks of should have been heard of."""
        call = self.names.program.calls[at][1]
        names = self.names.names(at)
        return call.occurrence is Occurrence.ONCE and not self.heard.isdisjoint(names)
