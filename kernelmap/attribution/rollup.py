"""Tables of ops, nodes, modules and lines: each bucket of time given to rows, to the nanosecond.

A call's time goes to source lines in equal parts for the nodes that it is charged to, else for
those that its comment lists, each to the innermost line of the user's code. A node without a line
beside others that have one is the compiler's, and computes for their lines. Where none of them has
a line, equal parts for the lines of the kernel's stack traces; where there are none either, a user
kernel's time belongs to the place where it was written. What has no call belongs to the function
that it was launched from, where the profile's Python frames say: they know no statement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Generic, TypeVar

import numpy as np
from msgspec import Struct

from kernelmap.attribution.records import LineTime, NodeTime, Origin, Share, Slow
from kernelmap.attribution.split import Split, parts
from kernelmap.attribution.time_buckets import OUTSIDE, UNKNOWN, TimeBucket, slow
from kernelmap.model import (
    Backend,
    CompiledGraph,
    CompiledProgram,
    FxNode,
    SourceLine,
    Stage,
    WrapperCall,
)
from kernelmap.model.trace import Launches

NO_NODE = "(no node known)"
NO_MODULE = "(no module known)"

K = TypeVar("K", bound=Hashable)
_Owner = tuple[str, Origin]


class _Row(Struct):
    """A row while time is added to it."""

    time_ns: int = 0
    exclusive_ns: int = 0
    involved_ns: int = 0
    backward_ns: int = 0
    launches: int = 0
    calls: set[int] = set()
    parts: list[tuple[TimeBucket, int, int]] = []

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

    def add(
        self,
        bucket: TimeBucket,
        charged: Sequence[K],
        involved: Iterable[K],
        *,
        of_eager_backward: bool = False,
    ) -> None:
        """Share a bucket equally among `charged`; note it with all `involved`.

        Its time is backward time where all its calls are of backward graphs, or where autograd ran
        it, of which only some tables keep account.
        """
        everything = tuple(dict.fromkeys((*charged, *involved)))
        backward = bool(bucket.calls) and all(self._backward[call] for call in bucket.calls)
        backward |= of_eager_backward
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


NO_LINE = "(no source line known)"
_Key = tuple[str, int | None, str | None, int | None]
"""File and line; of a row for a function `in forward` and where it was entered."""


class CallLines(Struct, frozen=True):
    """A call's lines: one for each equal part, None where none is known; and all it is part of."""

    charged: tuple[SourceLine | None, ...]
    involved: tuple[SourceLine, ...]


def call_lines(program: CompiledProgram, splits: Sequence[Split]) -> tuple[CallLines, ...]:
    """The lines of each call, parallel to `program.calls`."""
    return tuple(
        _of_call(graph, call, split)
        for (graph, call), split in zip(program.calls, splits, strict=True)
    )


def lines(
    program: CompiledProgram,
    buckets: Sequence[TimeBucket],
    of_calls: Sequence[CallLines],
    launches: Launches,
) -> tuple[LineTime, ...]:
    """Time per source line, or function; a backward's time goes to where its forward stands."""
    rollup: Rollup[_Key] = Rollup(program)
    code: dict[_Key, str | None] = {}
    for bucket in buckets:
        candidates = {of_calls[call] for call in bucket.calls}
        # Ambiguous time has a line where all candidates agree on it.
        of_call = candidates.pop() if len(candidates) == 1 else CallLines((), ())
        for line in (*of_call.charged, *of_call.involved):
            if line is not None and code.get(_key(line)) is None:
                code[_key(line)] = line.code
        rest: _Key = (bucket.unattributed or NO_LINE, None, None, None)
        charged = [rest if line is None else _key(line) for line in of_call.charged]
        if bucket.place is not None:
            charged = [(bucket.place.file, None, bucket.place.code, bucket.place.entered)]
        rollup.add(
            bucket,
            charged or [rest],
            [_key(line) for line in of_call.involved],
            of_eager_backward=bucket.is_backward,
        )
    return tuple(_line_time(key, row, code.get(key), launches) for key, row in rollup.rows.items())


def _line_time(key: _Key, row: _Row, text: str | None, launches: Launches) -> LineTime:
    """A row of the table; a rest row's time is one sum."""
    file, line, function, entered = key
    is_rest = line is None and function is None
    return LineTime(
        file=file,
        line=line,
        code=text if function is None else function,
        function_line=entered,
        time_ns=row.time_ns if is_rest else row.time_ns - row.backward_ns,
        backward_ns=0 if is_rest else row.backward_ns,
        involved_ns=row.involved_ns,
        calls=len(row.calls),
        launches=row.launches,
        slow=None if is_rest else row.slow(launches),
    )


def _of_call(graph: CompiledGraph, call: WrapperCall, split: Split) -> CallLines:
    nodes = graph.post_grad
    charged: tuple[SourceLine | None, ...] = tuple(
        line for line in map(_innermost, split.owners(graph)) if line is not None
    )
    if not charged:
        kernel = graph.kernel_of(call)
        written_at = kernel.source if kernel and call.backend is Backend.USER else None
        charged = call.lines or (written_at,)
    involved = map(_innermost, (*map(nodes.get, split.involved_nodes), *call.listed))
    everything = (line for line in (*charged, *involved, *call.lines) if line is not None)
    return CallLines(charged, tuple(dict.fromkeys(everything)))


def _innermost(node: FxNode | None) -> SourceLine | None:
    return node.lines[-1] if node and node.lines else None


def _key(line: SourceLine) -> _Key:
    return line.file, line.line, None, None
