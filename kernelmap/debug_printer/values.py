"""Values of the debug printer → a row per call and argument, and the first NaN or Inf.

Takes launches one by one, so that the length of a log does not matter. What a buffer holds before
the first call that works with its memory is whatever lay there: such values are told apart and
prove nothing. A NaN that is first seen before a call came from a call that the printer does not
show: library calls that allocate their results are shown without them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isnan

from msgspec import Struct, field

from kernelmap.debug_printer.launches import PrintedLaunch
from kernelmap.debug_printer.names import PrinterNames
from kernelmap.model import Backend
from kernelmap.model.printed import Printed, Values, When

_INPUTS = ("arg", "primals")


class ValueRow(Struct, frozen=True, kw_only=True):
    """What the printer said of one argument before or after one call, over all runs.

    `calls` as in PrintedLaunch; `kernel` is None for the model's inputs. `last` is what it said
    last (at level 1 no values), `low` and `high` are the extremes of all runs. `bad` is the first
    of NaN and Inf that was seen, in run `bad_run`. `unset` says that nothing had been written there
    yet.
    """

    kernel: str | None
    calls: tuple[int, ...]
    argument: str
    when: When
    times: int
    last: Values
    low: float | None
    high: float | None
    bad: str | None
    bad_run: int | None
    unset: bool


class FirstBad(Struct, frozen=True, kw_only=True):
    """The first NaN or Inf that anything had written, and where it may come from.

    Seen `when` around `calls` in `argument`. `suspects` are the calls that may have written it:
    the call itself where it was seen after that; none where it came in with the model's inputs.
    """

    bad: str
    kernel: str | None
    calls: tuple[int, ...]
    argument: str
    when: When
    run: int
    line: int
    suspects: tuple[int, ...]


class _ArgumentRow(Struct):
    """A ValueRow while it grows."""

    unset: bool
    times: int = 0
    last: Values = field(default_factory=Values)
    low: float | None = None
    high: float | None = None
    bad: str | None = None
    bad_run: int | None = None

    def add_values(self, values: Values, run: int) -> None:
        self.times += 1
        self.last = values
        self.low = _extreme_of(min, self.low, values.low)
        self.high = _extreme_of(max, self.high, values.high)
        if self.bad is None and values.bad is not None:
            self.bad, self.bad_run = values.bad, run


class PrintedValues:
    """Collects the rows of a log; `first_bad` is known as soon as it was seen."""

    def __init__(self, names: PrinterNames) -> None:
        """For the calls of one program."""
        self.names = names
        self.first_bad: FirstBad | None = None
        self._rows: dict[tuple[tuple[int, ...], str | None, str, When], _ArgumentRow] = {}
        self._first_use = _first_uses(names)
        self._fine: dict[str, int] = {}
        self._run = 0

    def add_launch(self, launch: PrintedLaunch) -> None:
        """Take in one launch."""
        if launch.run != self._run:
            # A new run begins with new inputs: what was fine in the run before says nothing of it.
            self._run, self._fine = launch.run, {}
        for said in launch.said:
            if said.argument is not None:
                self._add_value(launch, said, said.argument, said.values or Values())

    def iter_rows(self) -> tuple[ValueRow, ...]:
        """The inputs, then call by call, before and after, arguments in order."""
        rows = [
            ValueRow(
                kernel=key[1],
                calls=key[0],
                argument=key[2],
                when=key[3],
                times=row.times,
                last=row.last,
                low=row.low,
                high=row.high,
                bad=row.bad,
                bad_run=row.bad_run,
                unset=row.unset,
            )
            for key, row in self._rows.items()
        ]
        return tuple(sorted(rows, key=self._place_of_row))

    def _place_of_row(self, row: ValueRow) -> tuple[object, ...]:
        at = row.calls[0] if row.calls else len(self.names.program.calls)
        place = self.names.place(at, row.argument) if row.calls else 0
        return (row.kernel is not None, at, row.when is When.AFTER, place)

    def _add_value(
        self, launch: PrintedLaunch, said: Printed, argument: str, values: Values
    ) -> None:
        # Memory that nobody has written yet may hold anything, NaN among it.
        unset = said.when is When.BEFORE and self._is_unset(launch, argument)
        key = (launch.calls, launch.kernel, argument, said.when)
        row = self._rows.setdefault(key, _ArgumentRow(unset))
        row.add_values(values, launch.run)
        call = launch.call
        memory = argument if call is None else self.names.memory(call, argument)
        if values.bad is None:
            # The last call around which this memory held neither NaN nor Inf.
            if call is not None and not unset:
                self._fine[memory] = call
            return
        if self.first_bad is None and not unset:
            self.first_bad = FirstBad(
                bad=values.bad,
                kernel=launch.kernel,
                calls=launch.calls,
                argument=argument,
                when=said.when,
                run=launch.run,
                line=said.line,
                suspects=self._find_suspects(launch, said.when, memory),
            )

    def _is_unset(self, launch: PrintedLaunch, argument: str) -> bool:
        """Whether no call before can have written what a launch is given; False for inputs."""
        # Inputs hold values from the start.
        if argument.startswith(_INPUTS):
            return False
        # Which call it is, and so who wrote before it, is not known.
        if launch.call is None:
            return True
        graph, call = self.names.program.calls[launch.call]
        if call.operands is None and call.backend is Backend.EXTERN:
            return False  # Python prints what such a call reads, and not where it writes
        first = self._first_use.get((graph.id, self.names.memory(launch.call, argument)))
        return first is None or first >= launch.call

    def _find_suspects(self, launch: PrintedLaunch, when: When, memory: str) -> tuple[int, ...]:
        """The calls that may have written a value that was seen around `launch`."""
        is_input = memory.startswith(_INPUTS)
        # An input that held it before any call did has brought it along.
        if when is When.INPUT or (when is When.BEFORE and is_input and memory not in self._fine):
            return ()
        if when is When.AFTER or launch.call is None:
            return launch.calls
        graph, _ = self.names.program.calls[launch.call]
        # Calls that work with the memory, from the one at which it was fine last, which may have
        # written to it after that, up to the launch.
        return tuple(
            at
            for at in range(self._fine.get(memory, 0), launch.call)
            if self.names.program.calls[at][0] is graph and memory in self.names.touched(at)
        )


def _first_uses(names: PrinterNames) -> dict[tuple[str, str], int]:
    """The first call of each graph that works with a memory."""
    first_use: dict[tuple[str, str], int] = {}
    for at, (graph, _) in enumerate(names.program.calls):
        for memory in names.touched(at):
            first_use.setdefault((graph.id, memory), at)
    return first_use


def _extreme_of(
    pick: Callable[[Iterable[float]], float], old: float | None, new: float | None
) -> float | None:
    """The smaller or the larger of what is known; a NaN, once seen, stays."""
    values = [value for value in (old, new) if value is not None]
    # What a comparison with NaN gives depends on the order, so a NaN is looked for by itself.
    return next((value for value in values if isnan(value)), pick(values) if values else None)
