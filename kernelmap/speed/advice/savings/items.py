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
from kernelmap.model.columns import distinct_values, pair_columns, row_groups
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
        # Parts of one lever and one key are one saving: one change mends them all.
        # There may be a million parts, so a key is made once for all that show the same.
        alike = pair_columns(parts.lever, parts.what, parts.source, self._ids_of_names(parts))
        first, _ = _add_up_alike(alike, parts.time_ns)
        chosen = parts.take_parts(first)
        numbers: dict[tuple[int, object], int] = {}
        keys = zip(chosen.lever.tolist(), self._keys_of_parts(chosen), strict=True)
        # The saving of each number of `alike`, then of each part; both in the order of the first.
        saving = np.zeros(len(first), dtype=np.int64)
        saving[alike[first]] = [numbers.setdefault(key, len(numbers)) for key in keys]
        for (number, key), rows in zip(numbers, row_groups(saving[alike]), strict=True):
            yield self._make_saving(LEVERS[number], key, parts.take_parts(rows))

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
        first, time_ns = _add_up_alike(parts.call, parts.time_ns)
        costs = zip(parts.call[first].tolist(), time_ns.tolist(), strict=True)
        calls = by_cost(it for it in costs if it[0] >= 0) if lever in _OF_GRAPHS else []
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
        # Ns by place: a name with its line, or a name alone.
        sums: Counter[tuple[str | None, str | None]] = Counter()
        none = np.full(len(parts.launch), NONE, dtype=np.int64)
        # In the place of a name: what is launched next, or the graph whose call comes next.
        call, named_by = none, none
        if lever in _OF_GRAPHS:
            call = np.where(parts.call >= 0, parts.call, self._next_calls(parts.launch))
            named_by = np.append(self._program.graph_of_call, NONE)[call]
        elif lever is Lever.PYTHON:
            of_call = np.append(self._match.matching.call, NONE)[parts.launch]
            of_op = np.append(self._attribution.outside_op.code, NONE)[parts.launch]
            named_by = pair_columns(of_call, of_op, self._ids_of_names(parts))
        elif lever in _MOVING:
            named_by = self._ids_of_names(parts)
        # Parts with one place and one name are added up first: there are few such.
        first, alike_ns = _add_up_alike(
            pair_columns(parts.what, parts.source, named_by), parts.time_ns
        )
        next_ = self._next_names(parts.launch[first]) if lever is Lever.PYTHON else {}
        columns = (parts.what[first], parts.source[first], call[first], parts.launch[first])
        rows = zip(*(it.tolist() for it in (*columns, alike_ns)), strict=True)
        for what, source, graph_call, launch, time_ns in rows:
            if graph_call >= 0:
                name, at = self._program.calls[graph_call][0].id, None
            elif lever in _MOVING:
                name, at = self._name_of_launch(launch), None
            elif lever is Lever.PYTHON:
                name, at = next_.get(launch, "after the last launch"), self._texts[source]
            else:
                name, at = self._texts[what], self._texts[source]
            sums[name, at] += time_ns
        return tuple(
            Spot(what=name, source=at, time_ns=time_ns)
            for (name, at), time_ns in sorted(
                sums.items(), key=lambda pair: (-pair[1], str(pair[0]))
            )
        )

    def _next_calls(self, launches: Int) -> Int:
        """The call that runs next behind launches without one, such as copies of its inputs.

        -1 where none does; (launches,).
        """
        # Launches by process, device and start; `known` are the places in that order with a call,
        # and `place` is where each launch stands.
        columns, call = self._trace.launches, self._match.matching.call
        order = np.lexsort((columns.start_ns, columns.device, columns.process))
        known = np.flatnonzero(call[order] >= 0)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        # The first call at or behind each launch in that order; what is no launch is behind all.
        at = np.searchsorted(known, np.append(place, len(order))[launches])
        return np.asarray(np.append(call[order[known]], NONE)[at], dtype=np.int64)

    def _next_names(self, launches: Int) -> dict[int, str]:
        """What is launched next, by launch: `before aten.mul`."""
        rows = distinct_values(launches[launches >= 0])
        # An op's number per launch, and the names of ops.
        code = self._attribution.outside_op.code
        ops = self._attribution.outside_op.names
        names = {}
        for row in rows.tolist():
            call = int(self._match.matching.call[row])
            op = int(code[row])
            if call >= 0:
                name = self._program.calls[call][1].wrapper
            else:
                name = ops[op] if op >= 0 else self._name_of_launch(row)
            names[row] = f"before {name}"
        return names

    def _names_of_parts(self, parts: StepParts) -> tuple[str, ...]:
        """The device names of parts, the longest time first."""
        sums: Counter[str] = Counter()
        first, alike_ns = _add_up_alike(self._ids_of_names(parts), parts.time_ns)
        for launch, time_ns in zip(parts.launch[first].tolist(), alike_ns.tolist(), strict=True):
            sums[self._name_of_launch(launch)] += time_ns
        return tuple(name for name, _ in sums.most_common())

    def _ids_of_names(self, parts: StepParts) -> Int:
        """The name of each part's launch, as a number; -1 without a launch; (parts,)."""
        return np.append(self._trace.launches.name_id, NONE)[parts.launch]

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


def _add_up_alike(key: Int, time_ns: Int) -> tuple[Int, Int]:
    """Where each key comes first, in that order, and the time of all that have it; both (keys,)."""
    _, first, of_key = np.unique(key, return_index=True, return_inverse=True)
    sums = np.zeros(len(first), dtype=np.int64)
    np.add.at(sums, of_key, time_ns)
    order = np.argsort(first)
    return first[order], sums[order]


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
