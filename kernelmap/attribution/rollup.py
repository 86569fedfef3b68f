"""Ops, nodes and modules: pots poured into rows, to the nanosecond."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from kernelmap.attribution.pots import OUTSIDE, UNKNOWN, Pot
from kernelmap.attribution.records import NodeTime, Origin, Share
from kernelmap.attribution.split import Split, parts
from kernelmap.model import CompiledProgram, FxNode, Stage

NO_NODE = "(no node known)"
NO_MODULE = "(no module known)"

K = TypeVar("K", bound=Hashable)
_Owner = tuple[str, Origin]


@dataclass(slots=True)
class _Row:
    """A row while time is poured into it."""

    time_ns: int = 0
    exclusive_ns: int = 0
    involved_ns: int = 0
    backward_ns: int = 0
    launches: int = 0
    calls: set[int] = field(default_factory=set)


class Rollup(Generic[K]):
    """One table's rows by key; `pour` adds a pot's time to the keys that own it."""

    def __init__(self, program: CompiledProgram) -> None:
        self.rows: dict[K, _Row] = {}
        self._backward = [graph.kind == "backward" for graph, _ in program.calls]

    def pour(self, pot: Pot, charged: Sequence[K], involved: Iterable[K]) -> None:
        """Share a pot equally among `charged`; note it with all `involved`."""
        everything = tuple(dict.fromkeys((*charged, *involved)))
        backward = bool(pot.calls) and all(self._backward[call] for call in pot.calls)
        for key, part in zip(charged, parts(pot.time_ns, len(charged)), strict=True):
            row = self.rows.setdefault(key, _Row())
            row.time_ns += part
            row.backward_ns += part if backward else 0
        for key in dict.fromkeys(charged):
            row = self.rows[key]
            row.launches += pot.launches
            if len(pot.calls) == 1:
                row.calls.update(pot.calls)
        for key in everything:
            row = self.rows.setdefault(key, _Row())
            row.involved_ns += pot.time_ns
            if len(everything) == 1:
                row.exclusive_ns += pot.time_ns


def ops(
    program: CompiledProgram, pots: Sequence[Pot], splits: Sequence[Split]
) -> tuple[Share, ...]:
    """Time per original op, compiled and outside."""
    rollup: Rollup[_Owner] = Rollup(program)
    for pot in pots:
        split = common(pot, splits)
        if split is not None:
            rollup.pour(
                pot,
                [(op, Origin.COMPILED) for op in split.charged],
                [(op, Origin.COMPILED) for op in split.involved],
            )
        elif pot.rest == OUTSIDE:
            rollup.pour(pot, [(pot.op or OUTSIDE, Origin.OUTSIDE)], [])
        else:
            rollup.pour(pot, [(pot.rest or UNKNOWN, Origin.NONE)], [])
    return _shares(rollup)


def modules(
    program: CompiledProgram, pots: Sequence[Pot], splits: Sequence[Split]
) -> tuple[Share, ...]:
    """Time per nn.Module path, through the nodes that name one, or the call where it has none."""
    rollup: Rollup[_Owner] = Rollup(program)
    for pot, owners in _through_nodes(program, pots, splits):
        keys = [(node.module if node and node.module else NO_MODULE) for node in owners]
        if not owners and len(pot.calls) == 1:
            keys = [name or NO_MODULE for name in program.calls[pot.calls[0]][1].modules]
        if pot.rest is None:
            rollup.pour(pot, [(key, Origin.COMPILED) for key in keys or [NO_MODULE]], [])
        else:
            origin = Origin.OUTSIDE if pot.rest == OUTSIDE else Origin.NONE
            rollup.pour(pot, [(pot.rest, origin)], [])
    return _shares(rollup)


def nodes(
    program: CompiledProgram, pots: Sequence[Pot], splits: Sequence[Split]
) -> tuple[NodeTime, ...]:
    """Time per post-grad node."""
    known = {graph.id: graph.post_grad for graph in program.graphs}
    rollup: Rollup[tuple[str | None, str]] = Rollup(program)
    for pot in pots:
        if len(pot.calls) == 1 and splits[pot.calls[0]].charged_nodes:
            graph, split = program.calls[pot.calls[0]][0].id, splits[pot.calls[0]]
            rollup.pour(
                pot,
                [(graph, name) for name in split.charged_nodes],
                [(graph, name) for name in split.involved_nodes],
            )
        else:
            rollup.pour(pot, [(None, pot.rest or NO_NODE)], [])
    found = []
    for (graph_id, name), row in rollup.rows.items():
        node = known[graph_id].get(name) if graph_id is not None else None
        found.append(
            NodeTime(
                graph=graph_id,
                name=name,
                target=node.target if node else None,
                stage=None if graph_id is None else str(Stage.POST_GRAD),
                time_ns=row.time_ns,
                involved_ns=row.involved_ns,
                calls=len(row.calls),
            )
        )
    return tuple(found)


def _through_nodes(
    program: CompiledProgram, pots: Sequence[Pot], splits: Sequence[Split]
) -> Iterator[tuple[Pot, list[FxNode | None]]]:
    """Each pot with the nodes that its sole call is charged to."""
    for pot in pots:
        if len(pot.calls) == 1:
            known = program.calls[pot.calls[0]][0].post_grad
            yield pot, [known.get(name) for name in splits[pot.calls[0]].charged_nodes]
        else:
            yield pot, []


def common(pot: Pot, splits: Sequence[Split]) -> Split | None:
    """The split that all of a pot's calls have, None where they differ or there is none."""
    if not pot.calls:
        return None
    different = {(splits[call].charged, splits[call].involved) for call in pot.calls}
    return splits[pot.calls[0]] if len(different) == 1 else None


def _shares(rollup: Rollup[_Owner]) -> tuple[Share, ...]:
    return tuple(
        Share(
            name=name,
            origin=origin,
            time_ns=row.time_ns,
            exclusive_ns=row.exclusive_ns,
            involved_ns=row.involved_ns,
            backward_ns=row.backward_ns,
            launches=row.launches,
            calls=len(row.calls),
        )
        for (name, origin), row in rollup.rows.items()
    )
