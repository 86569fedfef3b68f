"""Parts and calls → savings: what one change saves is put together, and gets its sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
from msgspec.structs import replace

from kernelmap.attribution.records import Attribution
from kernelmap.matching import Match
from kernelmap.model import NONE, CompiledProgram, Trace
from kernelmap.model.columns import distinct_values, pair_columns
from kernelmap.model.notices import format_count, format_duration, format_percent, format_place
from kernelmap.model.roofline import CallSpeed, Roofline
from kernelmap.model.savings import Lever, Saving, Savings, Spot
from kernelmap.model.trace import Bool, Int
from kernelmap.speed.advice.savings.busy import CallShare, call_shares
from kernelmap.speed.advice.savings.launching import LEVERS
from kernelmap.speed.advice.savings.parts import StepParts
from kernelmap.speed.advice.savings.remedies import Found, find_remedy
from kernelmap.speed.advice.savings.scene import Scene
from kernelmap.speed.advice.savings.sentences import SavingFacts, say_finding, shorten_name
from kernelmap.speed.wall.texts import IdleTexts

_OF_GRAPHS = (Lever.LAUNCH_BOUND, Lever.GRAPH_LAUNCHING)
"""Levers whose places are graphs: their calls are too many to be read."""
_EVIDENCE = 3
"""Places that one saving names; more are read by nobody."""


_MOVING = (Lever.EXPOSED_COMMUNICATION, Lever.EXPOSED_COPY)


class SavingMaker:
    """Makes savings of one window: of parts of its time, and of the calls in it."""

    def __init__(  # noqa: PLR0913, PLR0917 -- all that sentences speak of
        self,
        program: CompiledProgram,
        trace: Trace,
        match: Match,
        attribution: Attribution,
        frame: Savings,
        scene: Scene,
        lever: Int,
        texts: IdleTexts | None,
    ) -> None:
        self._program, self._trace, self._match = program, trace, match
        self._attribution, self._frame, self._scene = attribution, frame, scene
        self._lever, self._texts = lever, (*(texts.texts if texts else ()), None)

    # Parts

    def of_parts(self, parts: StepParts) -> Iterator[Saving]:
        """One saving for all parts that one change saves."""
        # Parts of one lever and one key are one saving: one change mends them all. What a key is
        # made of are few texts and names, so of parts that agree in these the first tells it.
        name = self._trace.launches.name_id[parts.launch]
        alike = pair_columns(parts.lever, parts.what, parts.source, name)
        first = _first_of_each(alike)
        keys = self._keys_of_parts(parts.take_parts(first))
        groups: dict[tuple[int, object], list[int]] = defaultdict(list)
        for at, key in zip(first.tolist(), keys, strict=True):
            groups[int(parts.lever[at]), key].append(int(alike[at]))
        for (number, place_of), numbers in groups.items():
            of_one = parts.take_parts(np.flatnonzero(np.isin(alike, numbers)))
            yield self._make_saving(LEVERS[number], place_of, of_one)

    def _keys_of_parts(self, parts: StepParts) -> list[object]:
        """What tells two changes of one lever apart; (parts,)."""
        breaks = self._break_places
        keys: list[object] = []
        columns = (parts.lever, parts.what, parts.source, parts.launch)
        for number, what, source, launch in zip(*(it.tolist() for it in columns), strict=True):
            lever = LEVERS[number]
            if lever is Lever.GRAPH_BREAK:
                at = self._place_of_source(source)
                # The break at this line; at any other line, the only break there is.
                only = next(iter(breaks)) if len(breaks) == 1 else None
                keys.append(at if at in breaks else only)
            elif lever is Lever.SYNCHRONIZATION:
                # A wait goes by its line, and without one by what waits.
                keys.append(self._texts[source] or self._texts[what])
            elif lever in (Lever.HOST_WORK, Lever.WAITING):
                keys.append(self._texts[what])
            elif lever is Lever.EXPOSED_COPY:
                keys.append(self._name_of_launch(launch))
            else:
                keys.append(None)
        return keys

    def _make_saving(self, lever: Lever, key: object, parts: StepParts) -> Saving:
        spots = self._spots_of_parts(lever, parts)
        launches, dur_ns = self._trace.launches, self._trace.launches.dur_ns
        # The launches of the window that this lever concerns; (launches,).
        counted = self._attribution.counted & np.equal(self._lever, LEVERS.index(lever))
        of_parts = distinct_values(parts.launch[parts.launch >= 0])
        if lever in _MOVING:
            # Copies and collectives go by their device names: all launches with these count.
            names = self._names_of_parts(parts)
            same = np.isin(launches.name_id, [launches.names.index(name) for name in names])
            counted = self._attribution.counted & same
        else:
            names = ()
        # Where functions were compiled again, this is what the compiling was.
        if lever is Lever.COMPILING and self._scene.again:
            lever = Lever.RECOMPILES
        on_cpu = self._frame.side == "cpu"
        facts = SavingFacts(
            idle_ns=int(parts.time_ns[~parts.is_busy].sum()),
            busy_ns=int(parts.time_ns[parts.is_busy].sum()),
            ran_ns=int(dur_ns[counted].sum()),
            launches=int(counted.sum()) or len(of_parts),
            spots=spots,
            names=names,
            breaks=self._breaks_at(key) if lever is Lever.GRAPH_BREAK else (),
            again=self._scene.again,
            outside=int(dur_ns[counted].sum()) / max(1, self._attribution.total_ns),
            device="CPU" if on_cpu else "GPU",
            replays=len(distinct_values(launches.api[counted])),
        )
        # Ns by call, of launches that have one.
        owned = np.flatnonzero(parts.call >= 0)
        costs = _add_up(parts.call[owned], parts.time_ns[owned])
        calls = by_cost(costs) if lever in _OF_GRAPHS else []
        scene = replace(self._scene, breaks=facts.breaks or self._scene.breaks)
        return self._finish_saving(
            lever.value,
            int(parts.time_ns.sum()),
            finding=say_finding(lever, facts),
            do=find_remedy(
                lever, Found(scene=scene, spots=spots, names=names, per_run=self._per_run(counted))
            ),
            spots=spots,
            calls=calls,
        )

    def _per_run(self, counted: Bool) -> float:
        """How many kernels one run of a graph launches, on average over these launches."""
        matching = self._match.matching
        # Launches in a known run of a graph.
        rows = np.flatnonzero(counted & (matching.invocation >= 0) & (matching.call >= 0))
        if not len(rows):
            return 0.0
        # Invocations are counted per process and graph.
        graph = np.asarray(self._program.graph_of_call)[matching.call[rows]]
        process = self._trace.launches.process[rows]
        runs = pair_columns(process, graph, matching.invocation[rows])
        return len(rows) / (int(runs.max()) + 1)

    def _finish_saving(  # noqa: PLR0913 -- the fields of the record
        self,
        slug: str,
        saves_ns: int,
        *,
        finding: str,
        do: str,
        spots: tuple[Spot, ...] = (),
        calls: Sequence[int] = (),
        evidence: Sequence[str] = (),
    ) -> Saving:
        frame = self._frame
        return Saving(
            slug=slug,
            saves_ns=saves_ns,
            step_ns=saves_ns // max(1, frame.steps * frame.devices),
            share=saves_ns / frame.total_ns if frame.total_ns else 0.0,
            finding=finding,
            do=do,
            spots=spots,
            calls=tuple(self._call_id(call) for call in calls),
            evidence=tuple(evidence),
        )

    def _spots_of_parts(self, lever: Lever, parts: StepParts) -> tuple[Spot, ...]:
        """The places of parts, the largest first."""
        # The call of each part, of graphs else the one that comes next; -1 without any; (parts,).
        call = parts.call
        if lever in _OF_GRAPHS:
            call = np.where(call >= 0, call, self._next_calls(parts.launch))
        # The name of what is launched next, where that is the place; (parts,).
        names, name = self._names_of_next(lever, parts.launch)
        # Ns by place, a name with its line or a name alone: of parts that agree in all that a place
        # is made of, the first tells it.
        sums: Counter[tuple[str | None, str | None]] = Counter()
        alike = pair_columns(parts.what, parts.source, call, name)
        first = _first_of_each(alike)
        time_ns = _add_up_at(alike, parts.time_ns)
        columns = (parts.what[first], parts.source[first], call[first], name[first], alike[first])
        for what, source, of_call, of_name, number in zip(
            *(it.tolist() for it in columns), strict=True
        ):
            if lever in _OF_GRAPHS and of_call >= 0:
                place = (self._program.calls[of_call][0].id, None)
            elif lever in _MOVING:
                place = (names[of_name], None)
            elif lever is Lever.PYTHON:
                place = (names[of_name], self._texts[source])
            else:
                place = (self._texts[what], self._texts[source])
            sums[place] += int(time_ns[number])
        return tuple(
            Spot(what=name, source=at, time_ns=time_ns)
            for (name, at), time_ns in sorted(
                sums.items(), key=lambda pair: (-pair[1], str(pair[0]))
            )
        )

    def _next_calls(self, launches: Int) -> Int:
        """The call that runs next behind launches without one, such as copies of its inputs.

        -1 where none does, and behind no launch (-1); (any,).
        """
        # Launches by process, device and start; `known` are the places in that order with a call,
        # and `place` is where each launch stands, at last that of launch -1 behind all.
        columns, call = self._trace.launches, self._match.matching.call
        order = np.lexsort((columns.start_ns, columns.device, columns.process))
        known = np.flatnonzero(call[order] >= 0)
        place = np.full(len(order) + 1, len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        # The first call at or behind the launch in that order.
        at = np.searchsorted(known, place[launches])
        return np.append(call[order[known]], NONE)[at]

    def _names_of_next(self, lever: Lever, launches: Int) -> tuple[Sequence[str], Int]:
        """What moves data, or what is launched next: names, and a position among them; (any,)."""
        columns = self._trace.launches
        if lever in _MOVING:
            return columns.names, columns.name_id[launches]
        if lever is not Lever.PYTHON:
            return (), np.full(len(launches), NONE, dtype=np.int64)
        # The call, the operator outside of compiled code and the device name of each launch: of
        # launches that agree in all three the first tells the name.
        ops = self._attribution.outside_op
        call = self._match.matching.call[launches]
        is_none = np.equal(launches, NONE).astype(np.int64)
        alike = pair_columns(is_none, call, ops.code[launches], columns.name_id[launches])
        first = np.unique(alike, return_index=True)[1]
        return [self._say_next(launch) for launch in launches[first].tolist()], alike

    def _say_next(self, launch: int) -> str:
        """`before aten.mul`."""
        if launch < 0:
            return "after the last launch"
        call = int(self._match.matching.call[launch])
        ops = self._attribution.outside_op
        op = int(ops.code[launch])
        if call >= 0:
            return f"before {self._program.calls[call][1].wrapper}"
        return f"before {ops.names[op] if op >= 0 else self._name_of_launch(launch)}"

    def _names_of_parts(self, parts: StepParts) -> tuple[str, ...]:
        """The device names of parts, the longest time first."""
        launches = self._trace.launches
        sums: Counter[str] = Counter()
        for name, time_ns in _add_up(launches.name_id[parts.launch], parts.time_ns):
            sums[launches.names[name]] += time_ns
        return tuple(name for name, _ in sums.most_common())

    def _name_of_launch(self, launch: int) -> str:
        launches = self._trace.launches
        return launches.names[int(launches.name_id[launch])]

    @cached_property
    def _break_places(self) -> frozenset[str]:
        return frozenset(text.partition(" (")[0] for text in self._scene.breaks)

    def _breaks_at(self, key: object) -> tuple[str, ...]:
        """The breaks at a place, all where it is none of theirs."""
        at = [text for text in self._scene.breaks if text.partition(" (")[0] == key]
        return tuple(at) or self._scene.breaks

    def _place_of_source(self, source: int) -> str | None:
        text = self._texts[source]
        return None if text is None else format_place(text)

    # Calls

    def of_calls(self, roofline: Roofline | None, room_ns: int) -> Iterator[Saving]:
        """What calls could save, for each reason and kernel; all of it within `room_ns`."""
        if roofline is None:
            return
        speeds = {speed.call: speed for speed in roofline.calls}
        shares = call_shares(roofline)
        whole_ns = sum(share.saves_ns for share in shares)
        groups: dict[tuple[str | None, str, str | None], list[CallShare]] = defaultdict(list)
        # What calls of one kernel at one line could save for one reason is one saving.
        for share in shares:
            groups[share.reason, *self._of_call(share.call)].append(share)
        for (reason, wrapper, at), group in groups.items():
            saves_ns = sum(share.saves_ns for share in group)
            if whole_ns > room_ns:  # on the CPU calls may run beside one another
                saves_ns = saves_ns * room_ns // whole_ns
            if not saves_ns:
                continue
            calls = sorted({share.call for share in group})
            chosen = [speeds[call] for call in calls]
            said = list(dict.fromkeys(share.evidence for share in group if share.evidence))
            about = _speed_in_words(chosen, wrapper, at)
            # The limit that keeps most of these calls.
            bound = Counter(it.bound.value for it in chosen if it.bound).most_common(1)
            slug = reason or Lever.HEADROOM.value
            more = f" ({format_count(len(calls) - 1, 'more call')} alike)" if len(calls) > 1 else ""
            yield self._finish_saving(
                slug,
                saves_ns,
                finding=f"{said[0]}{more}" if said else about,
                do=find_remedy(slug, Found(scene=self._scene), bound[0][0] if bound else None),
                spots=(Spot(what=wrapper, source=at, time_ns=saves_ns),),
                calls=by_cost((share.call, share.saves_ns) for share in group),
                evidence=said[:_EVIDENCE],
            )

    def _of_call(self, call: int) -> tuple[str, str | None]:
        """Its wrapper, and the line that it works for."""
        lines = self._attribution.call_lines[call]
        return self._program.calls[call][1].wrapper, lines[0].name if lines else None

    def _call_id(self, call: int) -> str:
        graph, stated = self._program.calls[call]
        return graph.call_id(stated)


def _first_of_each(numbers: Int) -> Int:
    """Where each of the numbers stands first, in the order in which they come up."""
    return np.sort(np.unique(numbers, return_index=True)[1])


def _add_up_at(numbers: Int, time_ns: Int) -> Int:
    """The time of each number from 0 to the largest; (numbers,)."""
    sums = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(sums, numbers, time_ns)
    return sums


def _add_up(numbers: Int, time_ns: Int) -> list[tuple[int, int]]:
    """Each of the numbers with its time, in the order in which they come up."""
    first = numbers[_first_of_each(numbers)]
    return [*zip(first.tolist(), _add_up_at(numbers, time_ns)[first].tolist(), strict=True)]


def by_cost(costs: Iterable[tuple[int, int]]) -> list[int]:
    """Each call of the pairs of a call and a time: the one with the most time first."""
    sums: Counter[int] = Counter()
    for call, time_ns in costs:
        sums[call] += time_ns
    return sorted(sums, key=lambda call: (-sums[call], call))


def _speed_in_words(speeds: Sequence[CallSpeed], wrapper: str, at: str | None) -> str:
    """`4 calls of extern_kernels.mm at model.py:12 run at 23.1 % of their limit (compute)`."""
    limit_ns = sum(speed.limit_ns or 0 for speed in speeds)
    time_ns = sum(speed.time_ns for speed in speeds)
    bounds = Counter(speed.bound.value for speed in speeds if speed.bound).most_common(1)
    one = len(speeds) == 1
    name = shorten_name(wrapper)
    of = name if one else f"{format_count(len(speeds), 'call')} of {name}"
    line = f" at {format_place(at)}" if at else ""
    bound = f" ({bounds[0][0]})" if bounds else ""
    return (
        f"{of}{line} take{'s' if one else ''} {format_duration(time_ns)} and "
        f"run{'s' if one else ''} at {format_percent(limit_ns / time_ns if time_ns else None)} of "
        f"{'its' if one else 'their'} limit"
        f"{bound}"
    )
