"""A fleet as one side of a comparison: the median rank, with times of all ranks as its samples.

One rank stands for all, as one of several recordings of one state does: calls, graphs and the whole
are those of the median rank. A call has one time per rank, the mean of an invocation there. Time
outside compiled code has one per rank and step. So a change with evidence is that of medians over
ranks, and chance is what ranks differ by.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.history.compare.sides.side import CallSide, ComparedSide, FleetSide, Key, RestSide
from kernelmap.history.store.ranks import ArrowTable, answer_rows, rank_parts, rows_where
from kernelmap.history.store.run import Run
from kernelmap.model.notices import join_some
from kernelmap.tables.fleet import OUTSIDE
from kernelmap.tables.rows import Row, whole_number

_SHOWN = 6  # slow ranks that are named


class _OfCall(Struct, frozen=True):
    """One call on one rank: what it is called there, its ns and launches in an invocation."""

    name: str
    time_ns: int
    launches: int


_Calls = dict[str, dict[int, list[_OfCall]]]
"""By what a call is on every rank, and by rank: several where one rank has equal calls."""
_Ops = dict[str, dict[int, int]]
"""Ns a step by op and rank."""


def over_ranks(side: ComparedSide, run: Run) -> ComparedSide:
    """`side`, made of the run's tables, with the times of all ranks; unchanged without ranks.

    Raises KernelmapError `run-damaged`.
    """
    facts = run.facts.fleet
    if facts is None:
        return side
    ranks = answer_rows(run, "ranks")
    # Steps by rank; ranks without marked steps count as one step below.
    steps = {whole_number(row, "rank"): whole_number(row, "steps") for row in ranks if row["steps"]}
    calls: _Calls = defaultdict(lambda: defaultdict(list))
    ops: _Ops = defaultdict(lambda: defaultdict(int))
    for part in rank_parts(run):  # a file at a time: there may be thousands of ranks
        _add_calls(calls, part)
        _add_ops(ops, part, steps)
    # By rank, the time of all ops in a step. It takes the place of the time by step: where a
    # recording has steps, a fleet has ranks.
    total: dict[int, int] = defaultdict(int)
    for by_rank in ops.values():
        for rank, time_ns in by_rank.items():
            total[rank] += time_ns
    graphs = tuple(
        replace(
            graph,
            calls=tuple(_with_ranks(call, calls) for call in graph.calls),
            runs=graph.invocations,
        )
        for graph in side.graphs
    )
    return replace(
        side,
        graphs=graphs,
        rests=tuple(_rest_over_ranks(rest, ops) for rest in side.rests),
        by_step=total,
        fleet=FleetSide(
            read=facts.read,
            expected=facts.expected,
            reference=facts.reference,
            slow=_say_slow_ranks(ranks, answer_rows(run, "causes")),
        ),
    )


def _add_calls(calls: _Calls, part: ArrowTable) -> None:
    # How often each graph ran on each rank.
    runs = {
        (row["rank"], row["name"]): whole_number(row, "launches")
        for row in rows_where([part], by="graph")
    }
    for row in rows_where([part], by="call"):
        often = runs.get((row["rank"], row["graph"]), 0)
        # Without runs of its graph nothing tells the mean of an invocation.
        if often:
            times = [round(whole_number(row, column) / often) for column in ("time_ns", "launches")]
            calls[str(row["key"])][whole_number(row, "rank")].append(
                _OfCall(str(row["name"]), *times)
            )


def _add_ops(ops: _Ops, part: ArrowTable, steps: Mapping[int, int]) -> None:
    for row in rows_where([part], by="op"):
        rank = whole_number(row, "rank")
        ops[str(row["key"])][rank] += round(whole_number(row, "time_ns") / steps.get(rank, 1))


def _with_ranks(call: CallSide, calls: _Calls) -> CallSide:
    """A call with a sample per rank; where a rank has several equal ones, by its name there."""
    samples: dict[Key, int] = {}
    launches = 0
    # Equal calls have one key; on a rank with several of them the name there tells which one it is.
    for rank, calls_of_rank in calls.get(call.piece.fingerprint or call.id, {}).items():
        alike = (
            calls_of_rank
            if len(calls_of_rank) == 1
            else [candidate for candidate in calls_of_rank if candidate.name == call.id]
        )
        if alike:
            # One sample per rank, of no process and with invocation number 0.
            samples[None, rank, 0] = alike[0].time_ns
            launches += alike[0].launches
    return replace(call, samples=samples, sampled=launches)


def _rest_over_ranks(rest: RestSide, ops: _Ops) -> RestSide:
    by_rank = ops.get(f"{rest.name}{OUTSIDE}") if rest.outside else None
    return replace(rest, by_step=by_rank)


def _say_slow_ranks(ranks: Sequence[Row], causes: Sequence[Row]) -> str:
    """`2 (late data), 7 (recompiled)`, the slowest first."""
    slow = [row for row in ranks if row["slow"] == "yes"]
    slow.sort(key=lambda row: -whole_number(row, "excess_ns"))
    # Backwards, so that the first cause of each rank stays.
    first = {row["rank"]: str(row["cause"]) for row in reversed(causes)}
    return join_some(
        [f"{row['rank']} ({first.get(row['rank'], 'not known')})" for row in slow], _SHOWN
    )
