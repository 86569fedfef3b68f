"""Tables of ops, nodes, modules and lines: the parts of each bucket of time added up in rows.

How a bucket is divided into parts: divide.py. What has no call belongs to the function that it was
launched from, where the profile's Python frames say: they know no statement.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict

from kernelmap.attribution.divide import DividedBucket
from kernelmap.attribution.gauges import LaunchGauges, RowGauges
from kernelmap.attribution.records import LineTime, ModuleTime, NodeTime, OpTime, Origin, Slow
from kernelmap.attribution.time_buckets import OUTSIDE, UNKNOWN, TimeBucket, find_slow
from kernelmap.model import CompiledProgram, SourceLine, Stage
from kernelmap.model.module_paths import ROOT_MODULE, module_tree
from kernelmap.model.trace import Launches

NO_NODE = "(no node known)"
NO_MODULE = "(no module known)"

K = TypeVar("K", bound=Hashable)
_Owner = tuple[str, Origin]
_Node = tuple[str | None, str]


class _RollupRow(Struct):
    """A row while time is added to it."""

    time_ns: int = 0
    exclusive_ns: int = 0
    involved_ns: int = 0
    forward_ns: int = 0
    backward_ns: int = 0
    noted_ns: int = 0
    launches: int = 0
    calls: set[int] = set()
    parts: list[tuple[TimeBucket, int, int]] = []

    def slow(self, launches: Launches | None) -> Slow | None:
        """The few slow launches that decide its time, if they do."""
        if launches is None or not self.parts:
            return None
        # All launches of the row, with the part of their time that is the row's: as much as it
        # has of the bucket, rounded down.
        rows = np.concatenate([bucket.rows for bucket, _, _ in self.parts])
        sizes = [len(bucket.rows) for bucket, _, _ in self.parts]
        share = np.repeat([weight / whole for _, weight, whole in self.parts], sizes)
        dur_ns = launches.dur_ns[rows]
        time_ns = np.where(share == 1, dur_ns, np.floor(dur_ns * share).astype(np.int64))
        # A launch is compared with those of its bucket and device name.
        owner = np.repeat(np.arange(len(self.parts)), sizes)
        return find_slow(rows, time_ns, owner * (len(launches.names) + 1) + launches.name_id[rows])

    def gauges(self, gauges: LaunchGauges | None) -> RowGauges | None:
        """What was sampled while its launches ran, None where nothing was sampled at all."""
        if gauges is None:
            return None
        return gauges.of_row((bucket.rows, weight, whole) for bucket, weight, whole in self.parts)


class Rollup(Generic[K]):
    """One table's rows by key; `add_bucket` gives the parts of a bucket to their keys."""

    def __init__(self, program: CompiledProgram) -> None:
        self.rows: defaultdict[K, _RollupRow] = defaultdict(_RollupRow)
        self._kinds = [graph.kind for graph, _ in program.calls]

    def add_bucket(
        self,
        divided: DividedBucket,
        keys: Sequence[K],
        involved: Iterable[K],
        *,
        of_eager_backward: bool = False,
        noted: Sequence[bool] = (),
    ) -> None:
        """Give each part of a bucket to its key; note the bucket with these and all `involved`.

        Its time is backward time where all its calls are of backward graphs, or where autograd ran
        it, of which only some tables keep account. `noted` says of which parts only torch's own
        tools name the key.
        """
        bucket = divided.bucket
        # The direction that all candidates have: forward, backward, or none.
        kinds = {self._kinds[call] for call in bucket.calls}
        is_forward = kinds == {"forward"}
        is_backward = kinds == {"backward"} or of_eager_backward
        # A key may own several parts of a bucket, but the bucket's launches count once for it.
        weights: dict[K, int] = {}
        by_note = noted or [False] * len(keys)
        for key, part, time_ns, is_noted in zip(
            keys, divided.parts, divided.times_ns, by_note, strict=True
        ):
            weights[key] = weights.get(key, 0) + part.weight
            row = self.rows[key]
            row.time_ns += time_ns
            if is_noted:
                row.noted_ns += time_ns
            if is_forward:
                row.forward_ns += time_ns
            if is_backward:
                row.backward_ns += time_ns
        whole = sum(weights.values())
        for key, weight in weights.items():
            row = self.rows[key]
            row.launches += bucket.launches
            row.parts.append((bucket, weight, whole))
            if len(bucket.calls) == 1:
                row.calls.update(bucket.calls)
        # A row is alone with a bucket where no other has a part of it or is involved.
        everything = dict.fromkeys((*weights, *involved))
        for key in everything:
            row = self.rows[key]
            row.involved_ns += bucket.time_ns
            if len(everything) == 1:
                row.exclusive_ns += bucket.time_ns

    def add_nested(
        self,
        divided: DividedBucket,
        keys: Sequence[Collection[K]],
        involved: Iterable[Collection[K]],
    ) -> None:
        """Give each part of a bucket to every one of its keys, which lie in one another.

        `keys` of a part are empty where it belongs to none. Slow launches are left out.
        """
        bucket = divided.bucket
        # What autograd runs eagerly has no call, and so no module but by a label.
        by_label = bucket.note is not None and bucket.note.is_backward
        is_backward = {self._kinds[call] for call in bucket.calls} == {"backward"} or by_label
        for keys_of_part, time_ns in zip(keys, divided.times_ns, strict=True):
            for key in keys_of_part:
                row = self.rows[key]
                row.time_ns += time_ns
                row.backward_ns += time_ns if is_backward else 0
        for key in {key for keys_of_part in keys for key in keys_of_part}:
            row = self.rows[key]
            row.launches += bucket.launches
            if len(bucket.calls) == 1:
                row.calls.update(bucket.calls)
        # A module is alone with a bucket where all parts and all that is involved lie in it.
        everything = [*keys, *involved]
        for key in {key for each in everything for key in each}:
            row = self.rows[key]
            row.involved_ns += bucket.time_ns
            if all(key in each for each in everything):
                row.exclusive_ns += bucket.time_ns


def shares_of_ops(
    program: CompiledProgram,
    buckets: Sequence[DividedBucket],
    launches: Launches | None = None,
    gauges: LaunchGauges | None = None,
) -> tuple[OpTime, ...]:
    """Time per original op, compiled and outside."""
    rollup: Rollup[_Owner] = Rollup(program)
    for divided in buckets:
        bucket = divided.bucket
        origin = Origin.OUTSIDE if bucket.unattributed == OUTSIDE else Origin.NONE
        # What has no op of a call goes to the operator outside of compiled code, else to a row in
        # parentheses.
        rest = (bucket.op or bucket.unattributed or UNKNOWN, origin)
        of_calls = [part.op if bucket.calls else None for part in divided.parts]
        keys = [rest if op is None else (op, Origin.COMPILED) for op in of_calls]
        rollup.add_bucket(divided, keys, [(op, Origin.COMPILED) for op in divided.involved_ops])
    return _make_shares(rollup, launches, gauges)


def times_of_modules(
    program: CompiledProgram,
    buckets: Sequence[DividedBucket],
    launches: Launches | None = None,
) -> tuple[ModuleTime, ...]:
    """Time per nn.Module path, through the nodes that name one, or the call where it has none.

    A module that holds several others has a row even where nothing ran in it alone.
    """
    rollup: Rollup[_Owner] = Rollup(program)
    origins = _origins_of_modules(buckets)
    for divided in buckets:
        bucket = divided.bucket
        rest = (bucket.unattributed or NO_MODULE, _origin_of(bucket))
        of_parts = [part.module for part in divided.parts]
        keys = [rest if name is None else (name, origins[name]) for name in of_parts]
        rollup.add_bucket(
            divided,
            keys,
            [(name, origins[name]) for name in divided.involved_modules],
            # What autograd runs eagerly has no module but by a label, which says it as well.
            of_eager_backward=bucket.note is not None and bucket.note.is_backward,
            noted=[part.noted_module for part in divided.parts],
        )
    return _with_modules_inside(program, buckets, _make_shares(rollup, launches), origins)


def _origin_of(bucket: TimeBucket) -> Origin:
    if bucket.unattributed is None:
        return Origin.COMPILED
    return Origin.OUTSIDE if bucket.unattributed == OUTSIDE else Origin.NONE


def _origins_of_modules(buckets: Sequence[DividedBucket]) -> dict[str, Origin]:
    """Whether each module ran as compiled code: one of which any part did counts as such."""
    origins: dict[str, Origin] = {}
    for divided in buckets:
        compiled = bool(divided.bucket.calls)
        origin = Origin.COMPILED if compiled else _origin_of(divided.bucket)
        for name in (*(part.module for part in divided.parts), *divided.involved_modules):
            if name is not None and (compiled or name not in origins):
                origins[name] = origin
    return origins


def _with_modules_inside(
    program: CompiledProgram,
    buckets: Sequence[DividedBucket],
    rows: Sequence[OpTime],
    origins: Mapping[str, Origin],
) -> tuple[ModuleTime, ...]:
    """The rows of modules, each with the time of all modules in it, and rows of what holds them."""
    # By module: itself and all modules that it lies in.
    around = {
        origin: module_tree(
            row.name for row in rows if row.origin is origin and not row.name.startswith("(")
        )
        for origin in Origin
    }
    totals: Rollup[_Owner] = Rollup(program)
    for divided in buckets:
        of_parts, involved = (
            [
                [
                    (name, origins[module])
                    for name in around[origins[module]].get(module, ())
                    # Eager modules lie in no compiled one.
                    if origins[module] is Origin.COMPILED or name != ROOT_MODULE
                ]
                if module is not None
                else []
                for module in modules
            ]
            for modules in ((part.module for part in divided.parts), divided.involved_modules)
        )
        totals.add_nested(divided, of_parts, involved)
    own = {(row.name, row.origin) for row in rows}
    holders = [_row_of_holder(*key) for key in totals.rows if key not in own]
    return tuple(
        _module_time(row, totals.rows.get((row.name, row.origin))) for row in (*rows, *holders)
    )


def _row_of_holder(name: str, origin: Origin) -> OpTime:
    """The row of a module of which nothing ran that is not of a module in it."""
    return OpTime(
        name=name,
        origin=origin,
        time_ns=0,
        exclusive_ns=0,
        involved_ns=0,
        backward_ns=0,
        launches=0,
        calls=0,
    )


def _module_time(own: OpTime, total: _RollupRow | None) -> ModuleTime:
    """A row with both times; of a rest row they are the same."""
    counted = own if total is None else total
    calls = counted.calls
    return ModuleTime(
        **asdict(own),
        total_ns=counted.time_ns,
        total_exclusive_ns=counted.exclusive_ns,
        total_involved_ns=counted.involved_ns,
        total_backward_ns=counted.backward_ns,
        total_launches=counted.launches,
        total_calls=calls if isinstance(calls, int) else len(calls),
    )


def times_of_nodes(
    program: CompiledProgram, buckets: Sequence[DividedBucket]
) -> tuple[NodeTime, ...]:
    """Time per post-grad node."""
    post_grad = {graph.id: graph.post_grad for graph in program.graphs}
    rollup: Rollup[_Node] = Rollup(program)
    ops_of_node: dict[_Node, dict[str | None, None]] = defaultdict(dict)
    for divided in buckets:
        bucket = divided.bucket
        graph = program.calls[bucket.calls[0]][0].id if bucket.calls else None
        rest: _Node = (None, bucket.unattributed or NO_NODE)
        keys = [rest if part.node is None else (graph, part.node) for part in divided.parts]
        rollup.add_bucket(divided, keys, [(graph, name) for name in divided.involved_nodes])
        for key, part in zip(keys, divided.parts, strict=True):
            ops_of_node[key][part.op] = None
    times = []
    for (graph_id, name), row in rollup.rows.items():
        node = post_grad[graph_id].get(name) if graph_id is not None else None
        ops = () if graph_id is None else ops_of_node[graph_id, name]
        times.append(
            NodeTime(
                graph=graph_id,
                name=name,
                target=node.target if node else None,
                stage=None if graph_id is None else str(Stage.POST_GRAD),
                ops=tuple(op for op in ops if op is not None),
                time_ns=row.time_ns,
                involved_ns=row.involved_ns,
                calls=len(row.calls),
            )
        )
    return tuple(times)


def _make_shares(
    rollup: Rollup[_Owner], launches: Launches | None, gauges: LaunchGauges | None = None
) -> tuple[OpTime, ...]:
    return tuple(
        OpTime(
            name=name,
            origin=origin,
            time_ns=row.time_ns,
            exclusive_ns=row.exclusive_ns,
            involved_ns=row.involved_ns,
            backward_ns=row.backward_ns,
            launches=row.launches,
            calls=len(row.calls),
            slow=None if name.startswith("(") else row.slow(launches),
            noted_ns=row.noted_ns or None,
            gauges=row.gauges(gauges),
        )
        for (name, origin), row in rollup.rows.items()
    )


NO_LINE = "(no source line known)"
_Key = tuple[str, int | None, str | None, int | None]
"""File and line; of a row for a function `in forward` and where it was entered."""


def times_of_lines(
    program: CompiledProgram,
    buckets: Sequence[DividedBucket],
    launches: Launches,
    gauges: LaunchGauges | None = None,
) -> tuple[LineTime, ...]:
    """Time per source line, or function; a backward's time goes to where its forward stands."""
    rollup: Rollup[_Key] = Rollup(program)
    code: dict[_Key, str | None] = {}
    for divided in buckets:
        bucket = divided.bucket
        # The text of a line, from whichever call states it.
        for line in (*(part.line for part in divided.parts), *divided.involved_lines):
            if line is not None and code.get(_key_of_line(line)) is None:
                code[_key_of_line(line)] = line.code
        rest: _Key = (bucket.unattributed or NO_LINE, None, None, None)
        # Without a call at best the function is known that launched it; then that is the row.
        if bucket.place is not None:
            rest = (bucket.place.file, None, bucket.place.code, bucket.place.entered)
        keys = [rest if part.line is None else _key_of_line(part.line) for part in divided.parts]
        rollup.add_bucket(
            divided,
            keys,
            [_key_of_line(line) for line in divided.involved_lines],
            of_eager_backward=bucket.is_backward,
            noted=[part.noted_line for part in divided.parts],
        )
    return tuple(
        _line_time(key, row, code.get(key), launches, gauges) for key, row in rollup.rows.items()
    )


def _line_time(
    key: _Key,
    row: _RollupRow,
    text: str | None,
    launches: Launches,
    gauges: LaunchGauges | None,
) -> LineTime:
    """A row of the table; a rest row's time is one sum."""
    file, line, function, entered = key
    is_rest = line is None and function is None
    return LineTime(
        file=file,
        line=line,
        code=text if function is None else function,
        function_line=entered,
        time_ns=row.time_ns if is_rest else row.time_ns - row.backward_ns,
        forward_ns=None if is_rest else row.forward_ns,
        backward_ns=0 if is_rest else row.backward_ns,
        involved_ns=row.involved_ns,
        calls=len(row.calls),
        launches=row.launches,
        slow=None if is_rest else row.slow(launches),
        noted_ns=row.noted_ns or None,
        gauges=row.gauges(gauges),
    )


def _key_of_line(line: SourceLine) -> _Key:
    return line.file, line.line, None, None
