"""Tables of ops, nodes and modules: each bucket of time given to its rows, to the nanosecond."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from kernelmap.attribution.records import NodeTime, Origin, Share
from kernelmap.attribution.slow import Slow, slow
from kernelmap.attribution.split import Split, parts
from kernelmap.attribution.time_buckets import OUTSIDE, UNKNOWN, TimeBucket
from kernelmap.model import CompiledProgram, Stage
from kernelmap.model.trace import Launches

NO_NODE = "(no node known)"
NO_MODULE = "(no module known)"

K = TypeVar("K", bound=Hashable)
_Owner = tuple[str, Origin]


@dataclass(slots=True)
class _Row:
    """A row while time is added to it."""

    time_ns: int = 0
    exclusive_ns: int = 0
    involved_ns: int = 0
    backward_ns: int = 0
    launches: int = 0
    calls: set[int] = field(default_factory=set)
    parts: list[tuple[TimeBucket, int, int]] = field(default_factory=list)

    def slow(self, launches: Launches | None) -> Slow | None:
        """The few slow launches that decide its time, if they do."""
        if launches is None or not self.parts:
            return None
        rows = np.concatenate([bucket.rows for bucket, _, _ in self.parts])
        time_ns = np.concatenate(
            [launches.dur_ns[bucket.rows] * part // whole for bucket, part, whole in self.parts]
        )
        owner = np.repeat(
            np.arange(len(self.parts)), [len(bucket.rows) for bucket, _, _ in self.parts]
        )
        return slow(rows, time_ns, owner * (len(launches.names) + 1) + launches.name_id[rows])


class Rollup(Generic[K]):
    """One table's rows by key; `add` gives a bucket's time to the keys that own it."""

    def __init__(self, program: CompiledProgram) -> None:
        self.rows: dict[K, _Row] = {}
        self._backward = [graph.kind == "backward" for graph, _ in program.calls]

    def add(self, bucket: TimeBucket, charged: Sequence[K], involved: Iterable[K]) -> None:
        """Share a bucket equally among `charged`; note it with all `involved`."""
        everything = tuple(dict.fromkeys((*charged, *involved)))
        backward = bool(bucket.calls) and all(self._backward[call] for call in bucket.calls)
        for key, part in zip(charged, parts(bucket.time_ns, len(charged)), strict=True):
            row = self.rows.setdefault(key, _Row())
            row.time_ns += part
            row.backward_ns += part if backward else 0
        for key, number in Counter(charged).items():
            row = self.rows[key]
            row.launches += bucket.launches
            row.parts.append((bucket, number, len(charged)))
            if len(bucket.calls) == 1:
                row.calls.update(bucket.calls)
        for key in everything:
            row = self.rows.setdefault(key, _Row())
            row.involved_ns += bucket.time_ns
            if len(everything) == 1:
                row.exclusive_ns += bucket.time_ns


def ops(
    program: CompiledProgram,
    buckets: Sequence[TimeBucket],
    splits: Sequence[Split],
    launches: Launches | None = None,
) -> tuple[Share, ...]:
    """Time per original op, compiled and outside."""
    rollup: Rollup[_Owner] = Rollup(program)
    for bucket in buckets:
        split = common(bucket, splits)
        if split is not None:
            rollup.add(
                bucket,
                [(op, Origin.COMPILED) for op in split.charged],
                [(op, Origin.COMPILED) for op in split.involved],
            )
        elif bucket.unattributed == OUTSIDE:
            rollup.add(bucket, [(bucket.op or OUTSIDE, Origin.OUTSIDE)], [])
        else:
            rollup.add(bucket, [(bucket.op or bucket.unattributed or UNKNOWN, Origin.NONE)], [])
    return _shares(rollup, launches)


def modules(
    program: CompiledProgram,
    buckets: Sequence[TimeBucket],
    splits: Sequence[Split],
    launches: Launches | None = None,
) -> tuple[Share, ...]:
    """Time per nn.Module path, through the nodes that name one, or the call where it has none."""
    rollup: Rollup[_Owner] = Rollup(program)
    for bucket in buckets:
        if bucket.unattributed is None:
            keys = call_modules(program, bucket.calls[0], splits)
            rollup.add(bucket, [(key, Origin.COMPILED) for key in keys], [])
        else:
            origin = Origin.OUTSIDE if bucket.unattributed == OUTSIDE else Origin.NONE
            rollup.add(bucket, [(bucket.unattributed, origin)], [])
    return _shares(rollup, launches)


def nodes(
    program: CompiledProgram, buckets: Sequence[TimeBucket], splits: Sequence[Split]
) -> tuple[NodeTime, ...]:
    """Time per post-grad node."""
    post_grad = {graph.id: graph.post_grad for graph in program.graphs}
    rollup: Rollup[tuple[str | None, str]] = Rollup(program)
    for bucket in buckets:
        if len(bucket.calls) == 1 and splits[bucket.calls[0]].charged_nodes:
            graph, split = program.calls[bucket.calls[0]][0].id, splits[bucket.calls[0]]
            rollup.add(
                bucket,
                [(graph, name) for name in split.charged_nodes],
                [(graph, name) for name in split.involved_nodes],
            )
        else:
            rollup.add(bucket, [(None, bucket.unattributed or NO_NODE)], [])
    times = []
    for (graph_id, name), row in rollup.rows.items():
        node = post_grad[graph_id].get(name) if graph_id is not None else None
        times.append(
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
    return tuple(times)


def call_modules(program: CompiledProgram, call: int, splits: Sequence[Split]) -> tuple[str, ...]:
    """The modules that share a call's time in equal parts: through its nodes, or its own."""
    graph, wrapper_call = program.calls[call]
    owners = splits[call].owners(graph)
    modules = [node.module if node else None for node in owners] or wrapper_call.modules
    return tuple(name or NO_MODULE for name in modules) or (NO_MODULE,)


def common(bucket: TimeBucket, splits: Sequence[Split]) -> Split | None:
    """The split that all of a bucket's calls have, None where they differ or there is none."""
    if not bucket.calls:
        return None
    different = {(splits[call].charged, splits[call].involved) for call in bucket.calls}
    return splits[bucket.calls[0]] if len(different) == 1 else None


def _shares(rollup: Rollup[_Owner], launches: Launches | None) -> tuple[Share, ...]:
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
            slow=None if name.startswith("(") else row.slow(launches),
        )
        for (name, origin), row in rollup.rows.items()
    )
