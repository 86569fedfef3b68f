"""(CompiledProgram, Trace) → Match: read the host side, then let the strategies decide in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from kernelmap.matching.benchmarks import benchmarks
from kernelmap.matching.beside_marks import beside_calls, outside_marks
from kernelmap.matching.by_alignment import by_alignment
from kernelmap.matching.by_elimination import by_elimination
from kernelmap.matching.by_mark import by_mark
from kernelmap.matching.by_name import by_name
from kernelmap.matching.by_neighbors import by_neighbors
from kernelmap.matching.by_node_neighbors import by_node_neighbors
from kernelmap.matching.by_place import by_place
from kernelmap.matching.by_range import by_range
from kernelmap.matching.by_recorded_node import by_recorded_node, recorded_notices
from kernelmap.matching.by_region import told_by_region
from kernelmap.matching.by_transfer import by_transfer
from kernelmap.matching.by_tuning import by_tuning
from kernelmap.matching.candidates import Candidate, candidates
from kernelmap.matching.doubts import held_together
from kernelmap.matching.draft import Draft
from kernelmap.matching.groups import Group
from kernelmap.matching.host import Host
from kernelmap.matching.identify import identify
from kernelmap.matching.invocations import invocations_of
from kernelmap.matching.learnt_code import Lesson, lessons_for
from kernelmap.matching.marks import marked_graphs
from kernelmap.matching.notices import of_graphs
from kernelmap.matching.observed import observe
from kernelmap.matching.order import cut
from kernelmap.matching.parts import parted
from kernelmap.matching.regions import compile_ids
from kernelmap.matching.replays import by_capture
from kernelmap.matching.situation import Decisions, Situation
from kernelmap.matching.transfer_notices import transfer_notices
from kernelmap.matching.transfers import Transfers
from kernelmap.matching.tuning import in_row
from kernelmap.matching.window import Window
from kernelmap.model import (
    CompiledGraph,
    CompiledProgram,
    Matching,
    Notice,
    Reason,
    Trace,
)
from kernelmap.model.learnt import Learnt

Strategy = Callable[[Situation, Draft], None]

STRATEGIES: tuple[Strategy, ...] = (
    by_mark,
    by_recorded_node,
    by_capture,
    by_tuning,
    by_place,
    by_range,
    benchmarks,
    outside_marks,
    by_neighbors,
    by_node_neighbors,
    by_transfer,
    by_alignment,
    by_name,
    beside_calls,
    by_elimination,
)
"""From strongest to weakest; a later one never sees what an earlier one decided."""


@dataclass(frozen=True, kw_only=True)
class Match:
    """The matching, and what it stands on.

    `program` is the given one plus the graphs that only the trace knows; `matching` counts calls in
    it. `situation` answers why (matching/explain.py).
    """

    program: CompiledProgram
    matching: Matching
    situation: Situation
    notices: tuple[Notice, ...]


def match(
    program: CompiledProgram,
    trace: Trace,
    strategies: Sequence[Strategy] = STRATEGIES,
    *,
    learnt: Sequence[Learnt] = (),
) -> Match:
    """Pair the launches of `trace` with the calls of `program`; `learnt` is what other runs taught.

    Neither the order of `learnt` nor what it tells of other code matters.
    """
    situation = replace(survey(program, trace), transfers=_taught(learnt, program))
    draft = Draft(len(trace.launches))
    for strategy in strategies:
        strategy(situation, draft)
    return Match(
        program=situation.program,
        matching=draft.finish(),
        situation=situation,
        notices=(
            *of_graphs(program, situation),
            *recorded_notices(situation),
            *transfer_notices(situation.transfers),
        ),
    )


def _taught(learnt: Sequence[Learnt], program: CompiledProgram) -> Transfers:
    lessons: list[Lesson] = []
    missing = []
    for each in sorted(learnt, key=lambda one: one.source):
        own, without = lessons_for(each, program)
        lessons.extend(own)
        missing.extend([(each.source, without)] if without else [])
    return Transfers(
        lessons=tuple(lessons),
        sources=tuple(sorted(each.source for each in learnt)),
        missing=tuple(missing),
    )


def survey(program: CompiledProgram, trace: Trace) -> Situation:
    """Work out the host side: invocations, their graphs, and the calls of their ranges."""
    host = Host(trace, _kernel_names(program))
    known = candidates(program.graphs, host)
    groups, strays = _groups(host, known)
    regions = compile_ids(host, groups)
    identities = told_by_region(known, groups, identify(known, host, groups), regions)
    identities = held_together(known, host, groups, identities, regions)
    new, identities = observe(
        host, groups, identities, regions, first=len(known), kernels=program.kernels
    )
    extended = replace(program, graphs=(*program.graphs, *_distinct(program, new)))
    known = candidates(extended.graphs, host)
    extended = replace(
        extended, graphs=(*extended.graphs, *marked_graphs(extended, trace.ranges.names))
    )
    decisions = Decisions(len(trace.ranges))
    decisions.outside(strays, Reason.AUTOTUNE)
    invocations = invocations_of(known, extended, groups, identities, decisions)
    return Situation(
        program=extended,
        trace=trace,
        host=host,
        invocations=invocations,
        decisions=decisions,
    )


def _kernel_names(program: CompiledProgram) -> set[str]:
    return {
        name
        for graph in program.graphs
        if graph.calls  # A kernel without a call says nothing about what ran it.
        for kernel in graph.kernels
        for name in (kernel.name, *kernel.members)
    }


def _groups(host: Host, known: Sequence[Candidate]) -> tuple[list[Group], list[int]]:
    """Groups that are one invocation each, and ranges of kernels that were only benchmarked."""
    marked = {group.process for group in host.groups if group.mark >= 0}
    window = Window.of(host)
    groups: list[Group] = []
    strays: list[int] = []
    for group in host.groups:
        if group.mark >= 0:
            groups.append(group)
            continue
        compiled = group.container >= 0 and bool(host.compiled[group.container])
        parts, rest = parted(group, known, host, window)
        groups.extend(parts)
        if not rest.rows:
            continue
        lost = compiled and not host.holds_mark[group.container]
        beside = group.process in marked and not lost
        pieces, left = cut(rest, known, marked=beside, compiled=compiled)
        # Where others have a mark, one without has lost it.
        groups.extend(
            replace(piece, sure=False) if group.process in marked else piece for piece in pieces
        )
        if beside:
            strays.extend(_benchmarked(host, rest, left, (known, window)))
        elif unknown := [row for row in left if host.symbol(row) not in host.known]:
            groups.append(_rest(host, rest, unknown))
    return sorted(groups, key=lambda g: (g.start_ns, g.process, g.thread)), strays


def _benchmarked(
    host: Host,
    group: Group,
    left: Sequence[int],
    about: tuple[Sequence[Candidate], Window],
) -> Iterator[int]:
    """Kernels that come at least twice in a row: one alone may be a call whose mark was lost.

    At the ends of a thread the last ones may be calls of an invocation that was cut off, where
    there are signs that something was.
    """
    known, window = about
    span = window.compiled.get((group.process, group.thread))
    whole = span is None or group.container >= 0 or group.process not in window.broken_off
    for symbol, same in groupby(left, key=host.symbol):
        rows = list(same)
        start = int(host.ranges.start_ns[rows[-1]])
        if len(rows) == 1:
            continue
        if whole or span is None or span[0] <= start < span[1]:
            yield from rows
        else:
            yield from rows[
                : -max((in_row(each.steps).get(symbol, 1) for each in known), default=1)
            ]


def _rest(host: Host, group: Group, left: Sequence[int]) -> Group:
    """Kernels in host order that fit no given graph."""
    return replace(group, rows=tuple(left), symbols=tuple(host.symbol(row) for row in left))


def _distinct(program: CompiledProgram, new: Sequence[CompiledGraph]) -> tuple[CompiledGraph, ...]:
    """The new graphs, renamed where a given one has the id."""
    taken = {graph.id for graph in program.graphs}
    renamed = []
    for graph in new:
        name, number = graph.id, 2
        while name in taken:
            name, number = f"{graph.id}~{number}", number + 1
        taken.add(name)
        renamed.append(replace(graph, id=name))
    return tuple(renamed)
