"""Launches without a host side of their own: found by their order among the other launches.

Takes what stronger evidence left open: bare GPU rows, and the launches that a CUDA or HIP graph
replays. Each process' launches, in launch order, are one sequence (each replay one of its own);
decode.py finds the spots of the generated kernels in it, runs.py cuts it into invocations, and
library_calls.py divides the launches between two spots over the library calls that the code has
there.

Never exact. Inferred where one answer is clearly ahead and most of the invocation was seen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from kernelmap.matching.by_elimination import host_seen
from kernelmap.matching.climb import climb
from kernelmap.matching.decode import CLEAR, Answer, Decoder, Seen
from kernelmap.matching.draft import Draft
from kernelmap.matching.families import Family
from kernelmap.matching.gaps import Gaps
from kernelmap.matching.runs import Run, Walk, runs_of, without_choosing, without_series
from kernelmap.matching.situation import Situation
from kernelmap.matching.spots import Spots, spots_of
from kernelmap.matching.surroundings import Surroundings, families_of
from kernelmap.model import NONE, Activity, Confidence, Method, RangeKind, Reason
from kernelmap.model.marks import is_mark
from kernelmap.model.trace import Bool, Int


def by_alignment(situation: Situation, draft: Draft) -> None:
    """Decide open launches by their order."""
    spots = spots_of(situation.program)
    walks = list(_walks(situation, draft, spots)) if len(spots) else []
    if not walks:
        return
    numbers = _Numbers(situation)
    for walk in walks:
        for run in walk.runs:
            _place(situation, draft, spots, run, numbers)
        # Under a known name, but no call is left for it: a benchmark, or code that was not given.
        strays = np.array(walk.strays, dtype=np.int64)
        draft.settle(strays, Confidence.UNKNOWN, reason=Reason.COUNT_DIFFERS)
    gaps = Gaps(situation, spots, walks)
    for walk in walks:
        gaps.settle(walk, draft)


class _Numbers:
    """Counts invocations per process and graph, after those that have a host side."""

    def __init__(self, situation: Situation) -> None:
        self._process = situation.trace.launches.process
        self._next: dict[tuple[int, int], int] = defaultdict(int)
        for each in situation.invocations:
            if each.number >= 0:
                slot = (each.group.process, each.identity.graphs[0])
                self._next[slot] = max(self._next[slot], each.number + 1)

    def of(self, run: Run) -> int:
        """The number of the next invocation of the run's graph in its process."""
        slot = (int(self._process[run.rows[0]]), run.graph)
        self._next[slot] += 1
        return self._next[slot] - 1


def _walks(situation: Situation, draft: Draft, spots: Spots) -> Iterator[Walk]:
    """Every sequence with what was found in it; replays of the same names are solved once."""
    launches = situation.trace.launches
    spots_by_name = [spots.by_name.get(name, ()) for name in launches.names]
    surroundings = Surroundings(situation.program, spots)
    decoder = Decoder(spots, spots_by_name)
    solved: dict[tuple[int, ...], list[Answer]] = {}
    for rows, is_replay in _sequences(situation, draft):
        kernel = np.equal(launches.activity[rows], Activity.KERNEL)
        names = np.where(kernel, launches.name_id[rows], -1).tolist()
        at = [i for i, name in enumerate(names) if name >= 0 and spots_by_name[name]]
        known = tuple(launches.name_id[rows].tolist())
        answers = solved.get(known) if is_replay else None
        if answers is None:
            own = [names[i] for i in at]
            between = _between(situation, rows, at)
            again = _again(own, between)
            fit = [
                surroundings.fit(launched, spots_by_name[name])
                for launched, name in zip(between, own, strict=True)
            ]
            seen = Seen(
                np.array(own, dtype=np.int64),
                np.array(fit, dtype=np.int64),
                np.array(again, dtype=bool),
            )
            answers = decoder.decode(seen, surroundings.fits, whole=is_replay)
            answers = without_series(answers, own, again, spots)
            answers = without_choosing(answers, own, again, spots)
        if is_replay:
            solved[known] = answers
        if at:
            yield runs_of(rows, at, answers, spots)


def _between(situation: Situation, rows: list[int], at: list[int]) -> list[list[Family]]:
    """Per token, the families of the launches since the token before."""
    launches = situation.trace.launches
    names = [launches.names[name] for name in launches.name_id[rows].tolist()]
    families = families_of(names, launches.activity[rows].tolist())
    return [families[before + 1 : place] for before, place in zip((-1, *at), at, strict=False)]


def _again(names: list[int], between: list[list[Family]]) -> list[bool]:
    """Whether each token follows one of its name, but for what benchmarks restore."""
    restored = (Family.FILL, Family.MEMSET, Family.COPY)
    return [
        place > 0 and names[place - 1] == name and all(family in restored for family in seen)
        for place, (name, seen) in enumerate(zip(names, between, strict=True))
    ]


def _sequences(situation: Situation, draft: Draft) -> Iterator[tuple[list[int], bool]]:
    """Open rows in launch order, one list per process and device or per replay.

    The launches of a CUDA graph are ordered by node, which is the order of their creation; the
    stream order of a replay is its own affair.
    """
    launches = situation.trace.launches
    # The host side of what was replayed is where it was captured, if that was recorded.
    sided = _inside(situation) | host_seen(situation)
    bare = draft.open & (launches.activity != Activity.CPU)
    # What has neither a stream nor a correlation is out of a table of sums: in no order.
    bare &= (launches.stream >= 0) | (launches.correlation >= 0)
    replayed = bare & situation.host.replayed & ~(sided & (launches.origin >= 0))
    bare &= ~situation.host.replayed & ~sided
    for rows in _split(np.flatnonzero(replayed), launches.process, launches.correlation):
        if len(rows) > 1:
            order = np.lexsort((launches.start_ns[rows], launches.graph_node[rows]))
            yield rows[order].tolist(), True
        else:
            bare[rows] = True
    for rows in _split(np.flatnonzero(bare), launches.process, launches.device):
        yield rows[np.argsort(_launch_order(situation, rows), kind="stable")].tolist(), False


def _inside(situation: Situation) -> Bool:
    """Mask of the launches whose host side lies in a range that says what ran.

    Ranges that users push (`step 3`) say nothing of it.
    """
    host, ranges = situation.host, situation.trace.ranges
    telling = np.equal(ranges.kind, RangeKind.OP) | host.has_symbol | host.benchmarks
    telling |= host.is_mark | host.compiled | situation.decisions.made
    ours = np.array([is_mark(name) for name in ranges.names], dtype=bool)
    if len(ours):
        telling |= ours[ranges.name_id]
    return np.asarray(climb(ranges.parent, telling, host.host_range) >= 0, dtype=bool)


def _launch_order(situation: Situation, rows: Int) -> Int:
    """Correlation ids, which count launches within a process; times where some row has none."""
    correlation = situation.trace.launches.correlation[rows]
    if (correlation > 0).all() and len(np.unique(correlation)) == len(rows):
        return np.asarray(correlation, dtype=np.int64)
    return np.asarray(situation.trace.launch_time_ns[rows], dtype=np.int64)


def _split(rows: Int, *keys: Int) -> Iterator[Int]:
    """`rows` in groups that agree in all keys."""
    if not len(rows):
        return
    order = np.lexsort([key[rows] for key in keys])
    rows = rows[order]
    fresh = np.zeros(len(rows), dtype=bool)
    for key in keys:
        fresh[1:] |= key[rows][1:] != key[rows][:-1]
    yield from np.split(rows, np.flatnonzero(fresh))


def _place(situation: Situation, draft: Draft, spots: Spots, run: Run, numbers: _Numbers) -> None:
    """Decide the spots of one invocation."""
    rows = np.array(run.rows, dtype=np.int64)
    draft.invocation[rows] = numbers.of(run) if run.believable else NONE
    clear = np.array([run.believable and a.margin >= CLEAR for a in run.answers], dtype=bool)
    draft.call[rows[clear]] = [
        spots.call[a.spot] for a, is_clear in zip(run.answers, clear, strict=True) if is_clear
    ]
    draft.settle(rows[clear], Confidence.INFERRED, method=Method.ALIGNMENT)
    draft.settle(rows[~clear], Confidence.UNKNOWN, reason=Reason.COUNT_DIFFERS)
    for row, answer in zip(run.rows, run.answers, strict=True):
        if len(answer.alternatives) > 1 and draft.call[row] < 0:
            _name_all(situation, draft, spots, row, answer)


def _name_all(situation: Situation, draft: Draft, spots: Spots, row: int, answer: Answer) -> None:
    """Name every call that one launch may be."""
    graphs = {spots.graph[spot] for spot in answer.alternatives}
    reason = Reason.SEVERAL_GRAPHS if len(graphs) > 1 else Reason.SAME_NAME
    if situation.host.replayed[row]:
        reason = Reason.GRAPH_REPLAY
    draft.name(row, dict.fromkeys(spots.call[spot] for spot in answer.alternatives))
    draft.settle(np.array([row]), Confidence.AMBIGUOUS, method=Method.CANDIDATES, reason=reason)
