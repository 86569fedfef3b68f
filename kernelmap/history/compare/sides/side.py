"""A result → one side of a comparison: what ran, how often, how long, and what identifies it.

Takes tables (fresh or read back), gives records. Samples are nanoseconds per invocation, summed
over the launches of the call; a result that was saved without its invocations has none, and so no
statistics. Time without a call is identified by its kind and op; older results have no ops there.
Left out: everything that does not bear on a comparison.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import PurePath

from msgspec import Struct

from kernelmap.attribution.time_buckets import OUTSIDE
from kernelmap.errors import UsageError
from kernelmap.history.compare.sides.held import HeldGraph, held_graphs
from kernelmap.history.compare.sides.pieces import Piece
from kernelmap.tables.build import Tables
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.rows import Cell, Row, whole_number
from kernelmap.tables.schema import LIFETIMES, TABLES
from kernelmap.tables.summary import Summary

Key = tuple[str | None, int | None, int]
"""One invocation: process, rank, number."""


class CallSide(Struct, frozen=True, kw_only=True):
    """One call; `samples` is ns by invocation, of `sampled` launches; `source` has `file:line`.

    `share_of_limit` and `bound` are None where the result does not know them, `sm_mhz` where no
    sample of the clock fell into its launches.
    """

    id: str
    name: str
    piece: Piece
    backend: str | None
    launches: int
    time_ns: int
    body: str | None = None
    config: str | None = None
    device_names: tuple[str, ...] = ()
    ops: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    samples: Mapping[Key, int] = {}
    sampled: int = 0
    share_of_limit: float | None = None
    bound: str | None = None
    sm_mhz: float | None = None
    clock_samples: int = 0

    @property
    def per_invocation(self) -> Fraction:
        """Launches in one invocation, 1 where nothing says."""
        return Fraction(self.sampled or 1, len(self.samples) or self.sampled or 1)


def share_of_limit(calls: Sequence[CallSide]) -> float | None:
    """The share of the device's limit that calls reach together; None where it is not known."""
    time_ns = sum(call.time_ns for call in calls)
    shares = [call.share_of_limit for call in calls if call.share_of_limit is not None]
    if not time_ns or len(shares) < len(calls):
        return None
    weighted = (share * call.time_ns for share, call in zip(shares, calls, strict=True))
    return sum(weighted) / time_ns


class GraphSide(Struct, frozen=True, kw_only=True):
    """One graph, its calls in program order; `again`: its function was compiled before.

    `runs` is how many runs the samples of its calls stand for; None: each stands for one.
    """

    id: str
    kind: str | None
    function: str | None
    again: bool
    invocations: int
    calls: tuple[CallSide, ...]
    runs: int | None = None


class FleetSide(Struct, frozen=True, kw_only=True):
    """Of how many ranks one stands here, and which of them are slow, in words."""

    read: int
    expected: int
    reference: int
    slow: str


class RestSide(Struct, frozen=True, kw_only=True):
    """Time without a call: of one op outside compiled code, or of one kind of doubt.

    `by_step` is ns by step; None where the result does not say of all of it when it ran.
    """

    name: str
    outside: bool
    launches: int
    time_ns: int
    by_step: Mapping[int, int] | None = None


class ComparedSide(Struct, frozen=True, kw_only=True):
    """One side. `steps` is how many profiler steps its launches lie in, None without steps.

    `settings` are the compiler's by name, empty where nothing states them; `changed` and
    `environment` are as in a Configuration. `processes` is how many
    ran compiled code, 0 where the result does not say. `by_step` is ns by step; `tables` are those
    that it was made of. Of a `fleet` they are those of the median rank, and samples are times of
    ranks: ranks.py. `clock_ns` is what each step takes on the clock, empty where nothing says;
    `replayed` is how many launches CUDA graphs made, and `replaying_ns` what their api calls took
    on the host; None of what was saved: no table says. `memory` is that of the graphs as their code
    states it, empty where nothing is known of it.
    """

    title: str
    summary: Summary
    graphs: tuple[GraphSide, ...]
    rests: tuple[RestSide, ...]
    steps: int | None
    by_step: Mapping[int, int]
    tables: Tables
    versions: Mapping[str, str]
    settings: Mapping[str, str] = {}
    changed: Mapping[str, tuple[str, ...]] | None = None
    environment: Mapping[str, str] | None = None
    processes: int = 0
    fleet: FleetSide | None = None
    clock_ns: tuple[int, ...] = ()
    replayed: int | None = None
    replaying_ns: int | None = None
    memory: tuple[HeldGraph, ...] = ()

    @property
    def total_ns(self) -> int:
        """All time of the window."""
        return self.summary.total_ns


def side_of_result(
    tables: Tables,
    title: str,
) -> ComparedSide:
    """One side of a comparison."""
    configured = tables.configuration
    # Ns by invocation and by step, read in one pass for all calls.
    sums = samples_of(tables)
    texts = _line_texts(tables)
    # By graph, its calls with their place in the program.
    calls: dict[str, list[tuple[int, CallSide]]] = defaultdict(list)
    rests: list[RestSide] = []
    for row in _rows_of_table(tables, "calls"):
        # A row without a call holds time outside compiled code, or time of launches in doubt.
        if row["call"] is None:
            rests.append(_rest_of_row(row, str(row["wrapper"]), sums.rests))
        else:
            call = _call_of_row(row, sums, texts)
            calls[str(row["graph"])].append((whole_number(row, "index"), call))
    # Graphs of which the table has no call are left out.
    graphs = tuple(
        _graph_of_row(
            row, [call for _, call in sorted(calls[str(row["graph"])], key=lambda c: c[0])]
        )
        for row in _rows_of_table(tables, "graphs")
        if str(row["graph"]) in calls
    )
    return ComparedSide(
        title=title,
        summary=tables.summary,
        graphs=tuple(sorted(graphs, key=lambda graph: graph.id)),
        rests=_by_op(tables, rests, sums.ops),
        steps=_count_steps(tables.summary, sums.steps),
        by_step=sums.steps,
        tables=tables,
        versions=configured.versions,
        settings=configured.settings,
        changed=configured.changed,
        environment=configured.environment,
        # A process is known by its pid and rank, and only where samples say them.
        processes=len({key[:2] for by_invocation in sums.calls.values() for key in by_invocation}),
        memory=held_graphs(tables.rows(LIFETIMES.name)),
    )


def _count_steps(summary: Summary, by_step: Mapping[int, int]) -> int | None:
    return len(by_step) if by_step else summary.step_count


def _line_texts(tables: Tables) -> dict[str, str]:
    """`file:line` to what stays when lines move and checkouts differ: the file's name, the text."""
    # Only a line whose text is known can be found again after lines moved.
    return {
        f"{row['file']}:{row['line']}": f"{PurePath(str(row['file'])).name}: {row['code']}"
        for row in _rows_of_table(tables, "lines")
        if row["code"] is not None and row["line"] is not None
    }


def _call_of_row(row: Row, sums: Samples, texts: Mapping[str, str]) -> CallSide:
    name = str(row["wrapper"])
    ops, source = _texts_of_cell(row["ops"]), _texts_of_cell(row["source"])
    return CallSide(
        id=str(row["call"]),
        name=name,
        piece=Piece(
            fingerprint=_text_or_none(row["fingerprint"]),
            # Without the compiler's number, which the next compilation may count otherwise.
            name=_drop_number(name),
            parts=_texts_of_cell(row["parts"]),
            ops=ops,
            lines=tuple(sorted({texts[place] for place in source if place in texts})),
        ),
        backend=_text_or_none(row["backend"]),
        launches=whole_number(row, "launches"),
        time_ns=whole_number(row, "time_ns"),
        body=_text_or_none(row["body"]),
        config=_text_or_none(row["config"]),
        device_names=_texts_of_cell(row["device_names"]),
        ops=ops,
        source=source,
        samples=sums.calls.get(str(row["call"]), {}),
        sampled=sums.launches.get(str(row["call"]), 0),
        share_of_limit=share if isinstance(share := row["share_of_limit"], float) else None,
        bound=_text_or_none(row["bound"]),
        sm_mhz=mhz if isinstance(mhz := row["sm_mhz"], float) else None,
        clock_samples=whole_number(row, "clock_samples"),
    )


def _graph_of_row(row: Row, calls: Sequence[CallSide]) -> GraphSide:
    again = row["compilation"]
    return GraphSide(
        id=str(row["graph"]),
        kind=_text_or_none(row["kind"]),
        function=_text_or_none(row["function"]),
        again=isinstance(again, int) and again > 1,
        invocations=whole_number(row, "invocations"),
        calls=tuple(calls),
    )


def _rest_of_row(row: Row, name: str, steps_by_name: Mapping[str, Mapping[int, int]]) -> RestSide:
    time_ns, by_step = whole_number(row, "time_ns"), steps_by_name.get(name, {})
    return RestSide(
        name=name,
        # A row of ops states where it ran; a row of calls is known by its name.
        outside=row.get("origin") == "outside" or name == OUTSIDE,
        launches=whole_number(row, "launches"),
        time_ns=time_ns,
        # Where some of the time lies in no step, its samples per step would be too small.
        by_step=by_step if sum(by_step.values()) == time_ns else None,
    )


def _by_op(
    tables: Tables, rests: Sequence[RestSide], steps_by_op: Mapping[str, Mapping[int, int]]
) -> tuple[RestSide, ...]:
    """The rests; what ran outside is split by op where the ops add up to it."""
    ops = tuple(
        _rest_of_row(row, str(row["name"]), steps_by_op)
        for row in _rows_of_table(tables, "ops")
        if row["origin"] == "outside"
    )
    outside = [rest for rest in rests if rest.outside]
    # Results of older versions have no outside ops, so the sums differ: the rows stay as they are.
    if sum(op.time_ns for op in ops) != sum(rest.time_ns for rest in outside):
        return tuple(rests)
    return (*ops, *(rest for rest in rests if not rest.outside))


def _drop_number(name: str) -> str:
    """The name without the number that the compiler counted."""
    front, _, number = name.rpartition("_")
    return front if front and number.isdecimal() else name


def _rows_of_table(tables: Tables, name: str) -> list[Row]:
    return list(rows_of_frame(TABLES[name], tables.frame(name)))


def _text_or_none(cell: Cell) -> str | None:
    return None if cell is None else str(cell)


def _texts_of_cell(cell: Cell) -> tuple[str, ...]:
    # A cell without a list is null: nothing is known.
    return tuple(cell) if isinstance(cell, list) else ()


class Samples(Struct, frozen=True, kw_only=True):
    """Ns by call and invocation, by step, and of time without a call by step.

    `launches` are those of each call in its invocations. `rests` goes by the row's name in the
    table of calls, `ops` by the op of outside time.
    """

    calls: Mapping[str, Mapping[Key, int]]
    launches: Mapping[str, int]
    steps: Mapping[int, int]
    rests: Mapping[str, Mapping[int, int]]
    ops: Mapping[str, Mapping[int, int]]


def samples_of(tables: Tables) -> Samples:
    """All sums of one result."""
    calls: dict[str, dict[Key, int]] = defaultdict(lambda: defaultdict(int))
    launches: dict[str, int] = defaultdict(int)
    steps: dict[int, int] = defaultdict(int)
    rests: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    ops: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    # A result that was saved without its invocations has no samples, so it cannot be tested.
    try:
        frame = tables.frame("invocations")
    except UsageError:  # saved without them
        return Samples(calls=calls, launches=launches, steps=steps, rests=rests, ops=ops)
    for row in rows_of_frame(TABLES["invocations"], frame):
        time_ns = whole_number(row, "time_ns")
        # What ran before the first step or between two counts for its call, and for no step.
        step = None if row["step"] is None else whole_number(row, "step")
        if step is not None:
            steps[step] += time_ns
        # Launches of a call whose invocation is not known are no sample of it.
        if row["call"] is not None and row["invocation"] is not None:
            rank = None if row["rank"] is None else whole_number(row, "rank")
            pid = None if row["pid"] is None else str(row["pid"])
            calls[str(row["call"])][pid, rank, whole_number(row, "invocation")] += time_ns
            launches[str(row["call"])] += whole_number(row, "launches")
        # Time without a call has no invocations; its samples are steps.
        if row["call"] is None and step is not None:
            rests[str(row["wrapper"])][step] += time_ns
            if row["op"] is not None:
                ops[str(row["op"])][step] += time_ns
    return Samples(calls=calls, launches=launches, steps=steps, rests=rests, ops=ops)
