"""The sequences that alignment works on, each with what was found in it.

A *walk* is what one process launched without a host side, in launch order, or what one CUDA or HIP
graph launches at each replay. Replays of a graph are one walk with several copies: a graph is
solved once, from all of its nodes that any replay shows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernelmap.matching.by_elimination import host_seen
from kernelmap.matching.decode import Answers, Decoder, Seen
from kernelmap.matching.draft import Draft
from kernelmap.matching.families import RESTORED, Family, kernel_family
from kernelmap.matching.runs import Runs, runs_of
from kernelmap.matching.series import Launched, last_of_series, without_choosing, without_series
from kernelmap.matching.situation import Situation
from kernelmap.matching.spots import Spots, longest_row
from kernelmap.matching.surroundings import TELLING, Surroundings, usual_families
from kernelmap.matching.vote import voted
from kernelmap.model import NONE, Activity
from kernelmap.model.trace import Bool, Int, Launches


@dataclass(frozen=True, slots=True)
class Order:
    """Launches in launch order: `copies` has the rows of each time they ran, -1 where lost.

    Shapes: rows (launches,), copies (times, launches); `whole` where graphs begin and end with it.
    """

    rows: Int
    copies: Int
    whole: bool


@dataclass(frozen=True, slots=True)
class Walk:
    """One sequence and what was found in it.

    Columns over launches: `rows` of one time it ran, `name` ids, `family`, whether the name is
    `known` from code. `at` has the places of those; `answers` and `runs.of` are columns over them.
    """

    rows: Int
    copies: Int
    whole: bool
    name: Int
    family: Int
    known: Bool
    at: Int
    answers: Answers
    runs: Runs


def walks_of(situation: Situation, draft: Draft, spots: Spots) -> Iterator[Walk]:
    """Every sequence of open launches that has some of a known name."""
    launches = situation.trace.launches
    spots_by_name = [spots.by_name.get(name, ()) for name in launches.names]
    is_known = np.array([bool(each) for each in spots_by_name], dtype=bool)
    rows_of_name = np.array([longest_row(each, spots) for each in spots_by_name], dtype=np.int64)
    families = _families(launches)
    surroundings = Surroundings(situation.program, spots)
    decoder = Decoder(spots, spots_by_name)
    for sequence in _sequences(situation, draft):
        rows = sequence.rows
        name, activity = launches.name_id[rows], launches.activity[rows]
        family = families[name, activity]
        known = is_known[name] & (activity == Activity.KERNEL)
        at = np.flatnonzero(known)
        if not len(at):
            continue
        own = name[at]
        again = _again(own, at, family)
        fit = _fit(surroundings, spots_by_name, family, own, at)
        answers = decoder.decode(Seen(own, fit, again), surroundings.fits, whole=sequence.whole)
        seen = Launched(own, again, again & (np.diff(at, prepend=at[0]) > 1))
        answers = last_of_series(answers, seen, spots, rows_of_name)
        answers = without_series(answers, seen, spots)
        answers = without_choosing(answers, seen, spots)
        runs = runs_of(answers, spots)
        yield Walk(rows, sequence.copies, sequence.whole, name, family, known, at, answers, runs)


def agreed(walks: Sequence[Walk]) -> list[Walk]:
    """`walks`, where what many invocations hint at is clear."""
    answers = voted([walk.answers for walk in walks], [len(walk.copies) for walk in walks])
    return [replace(walk, answers=own) for walk, own in zip(walks, answers, strict=True)]


def _families(launches: Launches) -> Int:
    """The family of each name as a kernel, a memcpy, a memset; shape (names, 3)."""
    kinds = (Activity.KERNEL, Activity.MEMCPY, Activity.MEMSET)
    table = [[kernel_family(name, kind).value for kind in kinds] for name in launches.names]
    return np.array(table, dtype=np.int8).reshape(-1, len(kinds))


def _again(name: Int, at: Int, family: Int) -> Bool:
    """Whether each launch follows one of its name, but for what benchmarks restore."""
    restored = np.isin(family, [each.value for each in RESTORED])
    others = np.concatenate([[0], np.cumsum(~restored)])
    again = np.zeros(len(at), dtype=bool)
    again[1:] = (name[1:] == name[:-1]) & (others[at[1:]] == others[at[:-1] + 1])
    return again


def _fit(
    surroundings: Surroundings,
    spots_by_name: Sequence[tuple[int, ...]],
    family: Int,
    name: Int,
    at: Int,
) -> Int:
    """Per launch, what the launches since the one before say against the spots of its name."""
    telling = np.flatnonzero(np.isin(family, [each.value for each in TELLING]))
    own = np.setdiff1d(telling, at, assume_unique=True)
    stop = np.searchsorted(own, at)
    start = np.concatenate([[0], stop[:-1]])
    codes = family[own].astype(np.int8).tobytes()
    known: dict[tuple[int, int, bytes], int] = {}
    kinds = np.empty(len(at), dtype=np.int64)
    before = [-1, *name[:-1].tolist()]
    columns = (before, name.tolist(), start.tolist(), stop.tolist())
    for place, (last, each, first, end) in enumerate(zip(*columns, strict=True)):
        kinds[place] = known.setdefault((last, each, codes[first:end]), len(known))
    times = np.bincount(kinds, minlength=len(known)).tolist()
    usual = usual_families(dict(zip(known, times, strict=True)), spots_by_name)
    fits = [
        surroundings.fit(tuple(map(Family, usual[key])), spots_by_name[key[1]]) for key in known
    ]
    return np.array(fits, dtype=np.int64)[kinds]


def _sequences(situation: Situation, draft: Draft) -> Iterator[Order]:
    """Open rows in launch order, per process and device or per graph that is replayed.

    The launches of a CUDA graph are ordered by node, which is the order of their creation; the
    stream order of a replay is its own affair.
    """
    launches = situation.trace.launches
    bare = draft.open & (launches.activity != Activity.CPU)
    replayed = bare & situation.replayed
    bare &= ~situation.replayed & (situation.host_range < 0) & ~host_seen(situation)
    alike: dict[tuple[int, ...], list[Int]] = defaultdict(list)
    noded = np.flatnonzero(replayed & (launches.graph_node > 0))
    others = [np.flatnonzero(replayed & (launches.graph_node <= 0))]
    for rows in _split(noded, launches.process, _graph(launches)):
        order = _by_node(launches, rows)
        if order is None:
            others.append(rows)
        else:
            yield order
    for rows in _split(np.concatenate(others), launches.process, launches.correlation):
        if len(rows) > 1:
            ordered = rows[np.lexsort((launches.start_ns[rows], launches.graph_node[rows]))]
            alike[tuple(launches.name_id[ordered].tolist())].append(ordered)
        else:
            bare[rows] = True
    for copies in alike.values():
        yield Order(copies[0], np.stack(copies), whole=True)
    for rows in _split(np.flatnonzero(bare), launches.process, launches.device):
        ordered = rows[np.argsort(_launch_order(situation, rows), kind="stable")]
        yield Order(ordered, ordered[None, :], whole=False)


def _graph(launches: Launches) -> Int:
    """The executable graph of each node: stated, or the upper half of the node's id."""
    return np.where(launches.graph > 0, launches.graph, launches.graph_node >> 32)


def _by_node(launches: Launches, rows: Int) -> Order | None:
    """The replays of one graph by its nodes; None where a node changed what it launches."""
    replays, time = np.unique(launches.correlation[rows], return_inverse=True)
    nodes, first, place = np.unique(
        launches.graph_node[rows], return_index=True, return_inverse=True
    )
    known = rows[first]
    copies = np.full((len(replays), len(nodes)), NONE, dtype=np.int64)
    copies[time, place] = rows
    same = np.equal(launches.name_id[known][place], launches.name_id[rows]).all()
    unique = np.count_nonzero(copies >= 0) == len(rows)
    return Order(known, copies, whole=True) if same and unique else None


def _launch_order(situation: Situation, rows: Int) -> Int:
    """Correlation ids, which count launches within a process; times where some row has none."""
    correlation = situation.trace.launches.correlation[rows]
    if (correlation > 0).all() and (np.diff(np.sort(correlation)) > 0).all():
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
