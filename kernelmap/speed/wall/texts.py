"""What the host did in a piece of idleness, in the profile's words, and where the source says so.

Of a graph break the compiler's log states the line. Of another host event the Python frame around
it shows the function. Else the log shows the function whose guards ran, and a synchronisation has
the line of what it copies. Launching and waiting have the line of the call that the device waited
for. A function is written as one, `in forward (model.py:12)`: which statement of it ran, neither a
frame nor the log says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from kernelmap.attribution.records import Attribution
from kernelmap.model import NONE, CompiledProgram, Matching, SourceLine, Trace
from kernelmap.model.columns import distinct_values
from kernelmap.model.compilations import Compilation
from kernelmap.model.matching import HostMoments
from kernelmap.model.names import compile_id, is_region
from kernelmap.model.source import FunctionPlace
from kernelmap.model.trace import Bool, Int
from kernelmap.model.wall_time import PARTS, IdleCause, StepPart
from kernelmap.speed.wall.measure import Wall

_NOTABLE_NS = 10_000
"""Of shorter idleness without a host event the source line is not looked for: each look-up costs
time, and such pieces add up to little. Chosen for time."""

PlacesAt = Callable[[HostMoments], Sequence[FunctionPlace | None]]


class IdleTexts:
    """Numbers of texts and of lines for the pieces of `wall`; equal texts have equal numbers."""

    def __init__(
        self,
        wall: Wall,
        program: CompiledProgram,
        trace: Trace,
        matching: Matching,
        attribution: Attribution,
        places_at: PlacesAt,
    ) -> None:
        self._wall, self._program, self._trace = wall, program, trace
        self._matching, self._attribution = matching, attribution
        self._places_at = places_at
        self._numbers: dict[str, int] = {}
        self._host = wall.host

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts by their numbers."""
        return tuple(self._numbers)

    def of_pieces(self) -> tuple[Int, Int]:
        """Number of what the host did, and of the source line, -1 without one; both (pieces,)."""
        pieces = self._wall.pieces
        what = np.full(len(pieces.part), NONE, dtype=np.int64)
        line = what.copy()
        idle = np.equal(pieces.part, PARTS.index(StepPart.IDLE))
        by_event = idle & (pieces.event >= 0)
        is_statement = np.zeros(len(what), dtype=np.bool_)
        what[by_event], line[by_event], is_statement[by_event] = self._of_events(
            pieces.event[by_event]
        )
        # Launching and waiting are named by the call or operator that the device waited for, unless
        # a host event was named before. Their line is always that of the launch.
        waited = idle & np.isin(pieces.cause, (IdleCause.LAUNCHING, IdleCause.WAITING))
        name, of_launch = self.of_launches(pieces.launch[waited])
        what[waited] = np.where(what[waited] >= 0, what[waited], name)
        line[waited] = of_launch
        shown = self._lines_of_frames(by_event, idle & ~by_event, waited & (line < 0))
        # A frame shows a function. Where the log states the very line, that says more.
        return what, np.where((shown >= 0) & ~is_statement, shown, line)

    def _lines_of_frames(self, by_event: Bool, bare: Bool, launched: Bool) -> Int:
        """The lines that Python frames show; (pieces,).

        Of a host event that of its beginning, of a launch that of its api call, else that of the
        middle of the piece: on the launching thread, or on another one of its process.
        """
        pieces, apis, host = self._wall.pieces, self._trace.apis, self._wall.host
        api = np.append(self._trace.launches.api, NONE)[pieces.launch]
        line = np.full(len(pieces.part), NONE, dtype=np.int64)
        if not any(base_ns is not None for base_ns in self._trace.frames_ns):
            return line
        # Remarks stand behind all real events, and have no time at which a frame could be looked
        # up.
        events = by_event & (pieces.event < len(host.events.start_ns))
        # The event of each launch's api call; of -1 it is a wrong row, which nothing below uses.
        calls = len(self._trace.ranges) + api
        at = np.where(events, pieces.event, np.where(launched & (api >= 0), calls, NONE))
        line[at >= 0] = self._lines_of(at[at >= 0], host.events.start_ns[at[at >= 0]])
        # No event says what happened in these pieces. The function in the middle of a piece stands
        # for all of it.
        remarked = by_event & ~events
        open_rows = (bare & ~launched | remarked) & (api >= 0)
        open_rows &= ~np.isin(pieces.cause, (IdleCause.LAUNCHING, IdleCause.WAITING))
        rows = np.flatnonzero(open_rows & (pieces.end_ns - pieces.start_ns >= _NOTABLE_NS))
        middle = (pieces.start_ns[rows] + pieces.end_ns[rows]) // 2
        line[rows] = self._lines_of(calls[rows], middle)
        # The launching thread had no frame there. The others of its process are asked one after
        # another, each by some event of it.
        for thread in host.threads.tolist():
            left = line[rows] < 0
            left &= np.equal(apis.process[api[rows]], host.process_of(thread))
            stand_in = np.full(int(left.sum()), host.an_event_of(thread), dtype=np.int64)
            line[rows[left]] = self._lines_of(stand_in, middle[left])
        return line

    def _lines_of(self, events: Int, times: Int) -> Int:
        """The line at each time on the thread of an event, -1 without one; (events,)."""
        # Several pieces may share an event and a time: each pair is looked up once.
        distinct, at = np.unique(np.stack([events, times]), axis=1, return_inverse=True)
        ranges, apis = self._trace.ranges, self._trace.apis
        process = np.concatenate([ranges.process, apis.process])[distinct[0]]
        thread = np.concatenate([ranges.thread, apis.thread])[distinct[0]]
        places = self._places_at(HostMoments(process, thread, distinct[1]))
        return np.array([self._number_of_place(place) for place in places], dtype=np.int64)[
            at.reshape(-1)
        ]

    def _number_of_text(self, text: str | None) -> int:
        return NONE if text is None else self._numbers.setdefault(text, len(self._numbers))

    def _number_of_place(self, place: SourceLine | FunctionPlace | None) -> int:
        return NONE if place is None else self._number_of_text(place.name)

    # Launches

    def of_launches(self, rows: Int) -> tuple[Int, Int]:
        """Name and line of the call or operator of each launch; -1 for no launch."""
        distinct, at = np.unique(rows, return_inverse=True)
        # The columns of the launches asked for, with -1 behind them for the launch -1.
        launches, attribution = self._trace.launches, self._attribution
        call, op, name, line = (
            np.append(column, NONE)[distinct]
            for column in (
                self._matching.call,
                attribution.outside_op.code,
                launches.name_id,
                attribution.launch_places.code,
            )
        )
        calls, of_calls, ops, names, lines = self._tables
        # The name of the call, else of the operator outside of compiled code, else of the device.
        what = np.where(call >= 0, calls[call], np.where(op >= 0, ops[op], names[name]))
        shown = np.where(call >= 0, of_calls[call], lines[line])
        return what[at.reshape(-1)], shown[at.reshape(-1)]

    @cached_property
    def _tables(self) -> tuple[Int, ...]:
        """Numbers by call (its wrapper; its line), by operator, by device name, by launch line."""
        attribution = self._attribution
        return (
            _table_of_numbers(
                [self._number_of_text(call.wrapper) for _, call in self._program.calls]
            ),
            _table_of_numbers(
                [self._number_of_place(next(iter(lines), None)) for lines in attribution.call_lines]
            ),
            _table_of_numbers(
                [self._number_of_text(name) for name in attribution.outside_op.names]
            ),
            _table_of_numbers([self._number_of_text(name) for name in self._trace.launches.names]),
            _table_of_numbers(
                [self._number_of_place(place) for place in attribution.launch_places.places]
            ),
        )

    # Events

    def _of_events(self, events: Int) -> tuple[Int, Int, Bool]:
        """Name and line of host events without Python frames, and whether it is a statement's."""
        distinct, at = np.unique(events, return_inverse=True)
        what = [
            self._number_of_text(self._host.events.name_of(event)) for event in distinct.tolist()
        ]
        # The line of the launch in or before the event, unless the compiler's log knows better.
        line = self._line_of_last_launch(distinct)
        is_statement = np.zeros(len(distinct), dtype=np.bool_)
        if self._compiled:
            places = [self._compiler_place(event) for event in distinct.tolist()]
            logged = np.array([self._number_of_place(place) for place in places], dtype=np.int64)
            line = np.where(logged >= 0, logged, line)
            is_statement = np.array([isinstance(place, SourceLine) for place in places])
        names = np.array(what, dtype=np.int64)
        at = at.reshape(-1)
        return names[at], line[at], is_statement[at]

    @cached_property
    def _compiled(self) -> dict[str, Compilation]:
        """Compilations by their ids; without those ids that mean several functions."""
        by_id: dict[str, list[Compilation]] = {}
        for compilation in self._program.compilations:
            by_id.setdefault(compilation.compile_id, []).append(compilation)
        return {id_: same[0] for id_, same in by_id.items() if len({it.line for it in same}) == 1}

    def _compiler_place(self, event: int) -> SourceLine | FunctionPlace | None:
        """The line of a graph break; or the function whose guards ran, or that was compiled."""
        if event >= len(self._trace.ranges):
            return None
        name = self._trace.ranges.name_of(event)
        # A cache look-up or a compilation has no compile id of its own: that of the region behind
        # it is taken.
        if not is_region(name):
            if not self._host.events.is_compiling(event):
                return None
            name = self._next_region(event)
        compiled = self._compiled.get(compile_id(name) or "")
        if compiled is None:
            return None
        breaks = (
            (it.line for it in compiled.graph_breaks) if self._host.events.broken[event] else ()
        )
        stated = next((line for line in breaks if line is not None), None)
        return stated or compiled.place

    def _next_region(self, event: int) -> str:
        """The name of the compiled region that its thread enters next, empty without one."""
        regions, starts, thread = self._regions
        same = np.equal(thread, self._host.thread_of_event[event])
        at = int(np.searchsorted(starts[same], self._host.events.start_ns[event]))
        rows = regions[same]
        return self._trace.ranges.name_of(int(rows[at])) if at < len(rows) else ""

    @cached_property
    def _regions(self) -> tuple[Int, Int, Int]:
        """Compiled regions by their start: rows, starts, threads."""
        rows = np.flatnonzero(self._host.events.regions)
        rows = rows[np.argsort(self._host.events.start_ns[rows], kind="stable")]
        return rows, self._host.events.start_ns[rows], self._host.thread_of_event[rows]

    def _line_of_last_launch(self, events: Int) -> Int:
        """The line of the last launch in each event, or before it in the same operator."""
        line = np.full(len(events), NONE, dtype=np.int64)
        real = np.flatnonzero(events < len(self._host.events.start_ns))
        # Launches of GPUs that have an api call, by thread and then by the time of that call.
        rows = np.flatnonzero((self._trace.launches.api >= 0) & ~self._trace.launches.on_cpu)
        if not len(real) or not len(rows):
            return line
        apis, ranges = self._trace.apis, self._trace.ranges
        api = self._trace.launches.api[rows]
        thread = self._host.thread_of_event
        order = np.lexsort((apis.start_ns[api], thread[len(ranges) + api]))
        rows, api = rows[order], api[order]
        event = events[real]
        # The last launch that the event's thread called before the event ended, -1 where it called
        # none.
        place = np.zeros(len(event), dtype=np.int64)
        for number in distinct_values(thread[event]).tolist():
            of_thread = np.equal(thread[len(ranges) + api], number)
            first = int(of_thread.argmax())
            mine = np.equal(thread[event], number)
            starts = apis.start_ns[api[of_thread]]
            place[mine] = first + np.searchsorted(starts, self._host.events.end_ns[event[mine]]) - 1
            place[mine] = np.where(place[mine] < first, NONE, place[mine])
        last = np.append(api, NONE)[place]
        # The launch belongs to the event if it was called in it, or if both lie in one operator:
        # the copy of an `aten::item` comes before the cudaStreamSynchronize that waits for it.
        inside = np.append(apis.start_ns, 0)[last] >= self._host.events.start_ns[event]
        around = np.append(apis.range, NONE)
        of_event = around[np.where(event >= len(ranges), event - len(ranges), NONE)]
        beside = (of_event >= 0) & np.equal(around[last], of_event)
        shows = (last >= 0) & (inside | beside)
        _, of_launch = self.of_launches(np.append(rows, NONE)[place])
        line[real] = np.where(shows, of_launch, NONE)
        return line


def _table_of_numbers(numbers: Sequence[int]) -> Int:
    """Numbers by position, and -1 at last, for no position."""
    return np.array([*numbers, NONE], dtype=np.int64)
