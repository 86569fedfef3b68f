"""Launches whose calls are known by their own evidence → the sequences that tell them elsewhere.

Learnt from: whole invocations that the host ran, and CUDA graphs whose nodes are known. What was
captured and never ran in this trace has a file of its own (learning_captures.py). An invocation in
which anything is unsure, or that another one interrupts, teaches nothing; nor does a way to run a
graph that few of its invocations took: an event may have been lost there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.host_side.columns import stretches
from kernelmap.matching.lessons.learning_captures import of_captures
from kernelmap.matching.lessons.ran import Ran, Told, ran_in
from kernelmap.model import NONE, Activity, CompiledProgram
from kernelmap.model.learnt import LearntLaunch, LearntSequence
from kernelmap.model.trace import Int

_RARE = 0.2
"""A way to run a graph that fewer than this share of the most frequent way took is no lesson."""


def lessons(context: MatchContext, told: Told) -> tuple[LearntSequence, ...]:
    """What a trace teaches, as far as `told`, its matching, is by evidence of its own."""
    whole = {
        (each.span.process, each.assignment.graphs[0], each.number)
        for each in context.invocations
        if each.number >= 0 and each.complete
    }
    ran = ran_in(context, told)
    return (*lessons_of(ran, context.program, whole), *of_captures(context))


def lessons_of(
    ran: Ran, program: CompiledProgram, whole: set[tuple[int, int, int]] | None = None
) -> tuple[LearntSequence, ...]:
    """What launches teach; `whole` are the invocations (process, graph, number) to learn from."""
    return (*_of_invocations(ran, program, whole), *_of_replays(ran, program))


def _of_invocations(
    ran: Ran, program: CompiledProgram, whole: set[tuple[int, int, int]] | None
) -> Iterator[LearntSequence]:
    graph = program.graph_of_call[ran.call]
    order = np.flatnonzero(ran.lane >= 0)
    order = order[np.lexsort((order, ran.when[order], ran.lane[order]))]
    own = np.flatnonzero(ran.sure[order])
    rows = order[own]
    ways: dict[int, Counter[bytes]] = defaultdict(Counter)
    first: dict[bytes, Int] = {}
    looks = np.stack([ran.name_id, ran.activity, ran.call, *ran.shape.T], axis=1)
    keys = (ran.invocation[rows], graph[rows], ran.process[rows])
    for of in stretches(*keys):
        one = int(rows[of[0]])
        number = int(graph[one])
        if (
            whole is not None
            and (int(ran.process[one]), number, int(ran.invocation[one])) not in whole
        ):
            continue
        stretch = order[own[of[0]] : own[of[-1]] + 1]
        if _is_clean(ran, stretch, len(of)):
            look = looks[stretch].tobytes()
            ways[number][look] += 1
            first.setdefault(look, stretch)
    for number, counts in ways.items():
        most = max(counts.values())
        for look, times in counts.items():
            if times > _RARE * most:
                at = first[look]
                label = f"invocation {int(ran.invocation[at[0]])} of {program.graphs[number].id}"
                launches = launches_of(ran, at, [0] * len(at))
                yield LearntSequence(launches=launches, whole=False, times=times, label=label)


def _is_clean(ran: Ran, stretch: Int, own: int) -> bool:
    """Whether a stretch of one lane is one invocation of which `own` launches are sure."""
    beside = int(ran.beside[stretch].sum())
    one = np.equal(ran.lane[stretch], ran.lane[stretch[0]])
    one &= np.equal(ran.device[stretch], ran.device[stretch[0]])
    return own + beside == len(stretch) and bool(one.all())


def _of_replays(ran: Ran, program: CompiledProgram) -> Iterator[LearntSequence]:
    graph = program.graph_of_call[ran.call]
    rows = np.flatnonzero(ran.node >= 0)
    for of in stretches(ran.graph[rows], ran.process[rows]):
        own = rows[of]
        nodes = _one_per_node(ran, own)
        if nodes is None or not ran.sure[nodes].any():
            continue
        runs = _runs(graph[nodes].tolist(), ran.call[nodes].tolist(), ran.sure[nodes].tolist())
        yield LearntSequence(
            launches=launches_of(ran, nodes, runs),
            whole=True,
            times=len(np.unique(ran.replay[own])),
            label=f"CUDA graph {int(ran.graph[own[0]])}",
        )


def _one_per_node(ran: Ran, rows: Int) -> Int | None:
    """A row for each node, ascending, a sure one if there is; None where nodes changed."""
    rows = rows[np.lexsort((~ran.sure[rows], ran.node[rows]))]
    _, first, place = np.unique(ran.node[rows], return_index=True, return_inverse=True)
    chosen = rows[first]
    name, call = ran.name_id[chosen][place], ran.call[chosen][place]
    sure = ran.sure[rows]
    same = np.array_equal(name, ran.name_id[rows])
    return chosen if same and np.array_equal(call[sure], ran.call[rows][sure]) else None


def _runs(graphs: Sequence[int], calls: Sequence[int], sure: Sequence[bool]) -> list[int]:
    """The execution that each launch is part of: a call before the last one begins another."""
    last: dict[int, tuple[int, int]] = {}
    runs: list[int] = []
    for graph, call, known in zip(graphs, calls, sure, strict=True):
        if not known:
            runs.append(NONE)
            continue
        before, run = last.get(graph, (call, len(last)))
        if call < before:
            run = max(each for _, each in last.values()) + 1
        last[graph] = call, run
        runs.append(run)
    return runs


def launches_of(ran: Ran, rows: Int, runs: Sequence[int]) -> tuple[LearntLaunch, ...]:
    """The launches at `rows`, in that order."""
    return tuple(
        LearntLaunch(
            name=ran.names[int(ran.name_id[row])],
            activity=Activity(int(ran.activity[row])),
            shape=ran.shape_of(row),
            calls=(int(ran.call[row]),) if ran.sure[row] else (),
            run=run if ran.sure[row] else NONE,
        )
        for row, run in zip(rows.tolist(), runs, strict=True)
    )
