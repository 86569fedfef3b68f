"""(CompiledProgram, Trace) → MatchContext: which graph ran where, which calls a range stands for.

Groups of ranges are found and cut into invocations, each is identified, and graphs that only the
trace knows are added to the program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from kernelmap.matching.context.invocations import invocations_of
from kernelmap.matching.context.learnt_code import free_name
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.graphs.by_region import told_by_region
from kernelmap.matching.graphs.candidates import Candidate, candidates
from kernelmap.matching.graphs.doubts import held_together
from kernelmap.matching.graphs.identify import identify
from kernelmap.matching.graphs.observed import observe
from kernelmap.matching.graphs.order import cut
from kernelmap.matching.graphs.parts import parted
from kernelmap.matching.graphs.tuning import in_row
from kernelmap.matching.host_side.groups import Group
from kernelmap.matching.host_side.host import Host
from kernelmap.matching.host_side.marks import marked_graphs
from kernelmap.matching.host_side.regions import compile_ids
from kernelmap.matching.host_side.window import Window
from kernelmap.model import CompiledGraph, CompiledProgram, Reason, Trace


def survey(program: CompiledProgram, trace: Trace) -> MatchContext:
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
    outside = {
        reason: np.flatnonzero(host.beside == reason).tolist()
        for reason in (Reason.INPUTS, Reason.AUTOTUNE, Reason.GLUE)
    }
    outside[Reason.AUTOTUNE] += strays
    invocations, decisions = invocations_of(
        known,
        extended,
        tuple(zip(groups, identities, strict=True)),
        len(trace.ranges),
        outside,
    )
    return MatchContext(
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
        name = free_name(graph.id, taken)
        taken.add(name)
        renamed.append(replace(graph, id=name))
    return tuple(renamed)
