"""(program, trace, matching) → Attribution: the window's time, split.

Calls, kernels, graphs and the ledger are added up here, by what launches were paired with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from kernelmap.attribution import rollup
from kernelmap.attribution.divide import CallDivision, divide_bucket, divide_calls
from kernelmap.attribution.gauges import LaunchGauges, RowGauges, gauge_launches
from kernelmap.attribution.records import (
    Attribution,
    CallTime,
    GraphTime,
    KernelTime,
    LedgerRow,
    Slow,
)
from kernelmap.attribution.time_buckets import (
    AMBIGUOUS,
    OUTSIDE,
    UNKNOWN,
    TimeBucket,
    fill_time_buckets,
    find_slow,
    outside_ops,
)
from kernelmap.attribution.torch_notes import compare_with_torch
from kernelmap.attribution.window import Window, choose_window, step_time
from kernelmap.model import NONE, Activity, CompiledProgram, Confidence, Matching, Trace
from kernelmap.model.busy_time import BusyTime
from kernelmap.model.columns import distinct_values, pair_columns
from kernelmap.model.matching import LaunchPlaces
from kernelmap.model.trace import Bool, Int, Launches
from kernelmap.options import Options

REST = {
    Confidence.AMBIGUOUS: AMBIGUOUS,
    Confidence.OUTSIDE: OUTSIDE,
    Confidence.UNKNOWN: UNKNOWN,
}
"""The rest row that takes the time of a launch without an owner."""


def attribute_time(
    program: CompiledProgram,
    trace: Trace,
    matching: Matching,
    options: Options,
    places_of: LaunchPlaces | None = None,
) -> Attribution:
    """Split the time of the window that `options` choose over calls, ops, nodes and lines.

    `places_of` are the functions that launches without a call came from, where they are known.
    UsageError where the trace has no such steps.
    """
    chosen = choose_window(trace, options)
    counted = chosen.counted
    outside = outside_ops(trace, matching)
    launch_places = places_of or LaunchPlaces.empty(len(trace.launches))
    buckets = fill_time_buckets(matching, trace.launches, counted, outside, launch_places)
    divisions = divide_calls(program)
    divided = [divide_bucket(bucket, divisions) for bucket in buckets]
    busy = BusyTime(trace)
    gauges = gauge_launches(trace)
    return Attribution(
        side=chosen.side,
        counted=counted,
        step=chosen.step,
        step_time=step_time(trace, matching, chosen, busy),
        total_ns=sum(bucket.time_ns for bucket in buckets),
        busy_ns=busy.of_ns(counted),
        calls=times_of_calls(program, trace, matching, counted, buckets, busy, gauges=gauges),
        kernels=times_of_kernels(program, trace, matching, counted, divisions),
        ops=rollup.shares_of_ops(program, divided, trace.launches, gauges),
        modules=rollup.times_of_modules(program, divided, trace.launches),
        nodes=rollup.times_of_nodes(program, divided),
        lines=rollup.times_of_lines(program, divided, trace.launches, gauges),
        graphs=times_of_graphs(program, trace, matching, counted, busy),
        ledger=rows_of_ledger(trace, matching, chosen),
        call_ops=tuple(division.involved_ops for division in divisions),
        call_nodes=tuple(division.involved_nodes for division in divisions),
        call_lines=tuple(division.involved_lines for division in divisions),
        outside_op=outside,
        launch_places=launch_places,
        torchs_word=compare_with_torch(program, trace.launches, matching, counted, divisions),
    )


def times_of_calls(  # noqa: PLR0913 -- what a call's row is made of
    program: CompiledProgram,
    trace: Trace,
    matching: Matching,
    counted: Bool,
    buckets: Sequence[TimeBucket],
    busy: BusyTime,
    *,
    gauges: LaunchGauges | None = None,
) -> tuple[CallTime, ...]:
    """Every call of the program in order, launched or not, then the rest rows."""
    count = len(program.calls)
    launches, owned = trace.launches, counted & (matching.call >= 0)
    # Per call, the time in which at least one launch of it ran; (calls,).
    busy_of_calls = busy.of_groups_ns(np.where(owned, matching.call, NONE), count)
    rows = np.flatnonzero(owned)
    samples = _per_invocation(
        matching.call[rows],
        launches.process[rows],
        matching.invocation[rows],
        launches.dur_ns[rows],
    )
    # Buckets with a sure call; ambiguous ones with an only candidate are none.
    by_call = {bucket.calls[0]: bucket for bucket in buckets if bucket.unattributed is None}
    nothing = np.zeros(0, dtype=np.int64)
    times = []
    for position in range(count):
        bucket = by_call.get(position)
        times.append(
            CallTime(
                call=position,
                launches=bucket.launches if bucket else 0,
                time_ns=bucket.time_ns if bucket else 0,
                busy_ns=int(busy_of_calls[position]),
                per_invocation_ns=samples.get(position, nothing),
                slow=_slow_of_call(bucket, launches) if bucket else None,
                gauges=_gauges_of_rows(gauges, bucket.rows if bucket else nothing),
            )
        )
    rests = _iter_rests(launches, matching, counted & (matching.call < 0), busy)
    for rest, rows_of_rest, time_ns, busy_rest in rests:
        times.append(
            CallTime(
                call=None,
                rest=rest,
                launches=launches.count_launches(rows_of_rest),
                time_ns=time_ns,
                busy_ns=busy_rest,
                per_invocation_ns=nothing,
                gauges=_gauges_of_rows(gauges, rows_of_rest),
            )
        )
    return tuple(times)


def _gauges_of_rows(gauges: LaunchGauges | None, rows: Int) -> RowGauges | None:
    """What was sampled while these launches ran; None where nothing was sampled at all."""
    return None if gauges is None else gauges.of_row([(rows, 1, 1)])


def _slow_of_call(bucket: TimeBucket, launches: Launches) -> Slow | None:
    """The few slow launches that decide a call's time, if they do."""
    return find_slow(bucket.rows, launches.dur_ns[bucket.rows], launches.name_id[bucket.rows])


def _iter_rests(
    launches: Launches, matching: Matching, ownerless: Bool, busy: BusyTime
) -> Iterator[tuple[str, Int, int, int]]:
    """Name, rows, time and busy time of the launches without an owner, by confidence."""
    for confidence, rest in REST.items():
        mask = ownerless & matching.with_confidence(confidence)
        if mask.any():
            yield rest, np.flatnonzero(mask), int(launches.dur_ns[mask].sum()), busy.of_ns(mask)


def _owners_of_launches(matching: Matching, counted: Bool, code_of_call: Int) -> Int:
    """The code of each launch's call, or the one its candidates share, else -1; (launches,)."""
    code = np.full(len(counted), NONE, dtype=np.int64)
    matched = counted & (matching.call >= 0)
    code[matched] = code_of_call[matching.call[matched]]
    ambiguous = counted & matching.with_confidence(Confidence.AMBIGUOUS)
    for row in np.flatnonzero(ambiguous).tolist():
        # An ambiguous launch has an owner where all its candidates have the same.
        shared = {int(code_of_call[call]) for call in matching.candidates_of(row)}
        code[row] = shared.pop() if len(shared) == 1 else NONE
    return code


def _per_invocation(call: Int, process: Int, invocation: Int, dur_ns: Int) -> dict[int, Int]:
    """Each call's time in each invocation that launched it."""
    # Launches without an invocation have time, but are no sample of one.
    counted = invocation >= 0
    # Call, process and invocation of each launch; (3, launches). Sorted, each combination is one
    # stretch, and `sums` is the time of each.
    keys = np.stack([call[counted], process[counted], invocation[counted]])
    if keys.shape[1] == 0:
        return {}
    order = np.lexsort(keys[::-1])
    keys = keys[:, order]
    fresh = np.ones(keys.shape[1], dtype=bool)
    fresh[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
    starts = np.flatnonzero(fresh)
    sums = np.add.reduceat(dur_ns[counted][order], starts)
    # Stretches come by call: the samples of a call are cut out of `sums` where it begins.
    owners, first = np.unique(keys[0, starts], return_index=True)
    return dict(zip(owners.tolist(), np.split(sums, first[1:]), strict=True))


def times_of_kernels(
    program: CompiledProgram,
    trace: Trace,
    matching: Matching,
    counted: Bool,
    divisions: Sequence[CallDivision],
) -> tuple[KernelTime, ...]:
    """Time per wrapper and device name; ambiguous launches count where all candidates agree.

    A row's calls and ops are of the calls that ran under its device name, or may have: a library
    call picks a device kernel by its shapes, so few of a wrapper's calls run any one of them.
    """
    wrappers: dict[tuple[str, str], int] = {}
    # Per call a number for its graph and wrapper: calls of one wrapper are one kernel; (calls,).
    code_of_call = np.array(
        [wrappers.setdefault((g.id, c.wrapper), len(wrappers)) for g, c in program.calls],
        dtype=np.int64,
    )
    code = _owners_of_launches(matching, counted, code_of_call)
    rows = np.flatnonzero(counted)
    names = len(trace.launches.names) or 1
    # One number per kernel of the code (0: none of it) and device name. `which` is the table row
    # of each counted launch; (counted launches,).
    keys, which = np.unique(
        (code[rows] + 1) * names + trace.launches.name_id[rows], return_inverse=True
    )
    time_ns = np.zeros(len(keys), dtype=np.int64)
    np.add.at(time_ns, which, trace.launches.dur_ns[rows])
    number = _count_by_row(trace.launches, rows, which, len(keys))
    # By table row, the calls whose launches are in it; none for rows outside of code.
    ran = _calls_under(matching, rows, np.where(code[rows] >= 0, which, NONE))
    spelled = list(wrappers)
    times = []
    sums = zip(keys.tolist(), number.tolist(), time_ns.tolist(), strict=True)
    for position, (key, launches, total) in enumerate(sums):
        owner, name_id = key // names - 1, key % names
        positions = sorted(ran[position])
        graph, call = program.calls[positions[0]] if positions else (None, None)
        kernel = graph.kernel_of(call) if graph and call else None
        times.append(
            KernelTime(
                wrapper=spelled[owner][1] if owner >= 0 else None,
                device_name=trace.launches.names[name_id],
                graph=graph.id if graph else None,
                path=kernel.path if kernel else None,
                ops=tuple(dict.fromkeys(op for p in positions for op in divisions[p].ops)),
                calls=len(positions),
                launches=launches,
                time_ns=total,
            )
        )
    return tuple(times)


def _calls_under(matching: Matching, rows: Int, group: Int) -> Mapping[int, set[int]]:
    """The calls of the launches in `rows`, or their candidates, by group (-1: none)."""
    calls: dict[int, set[int]] = defaultdict(set)
    call = matching.call[rows]
    called = (group >= 0) & (call >= 0)
    # Group and call in one number, so that each pair is added once.
    stride = int(call.max(initial=0)) + 1
    for pair in distinct_values(group[called] * stride + call[called]).tolist():
        calls[pair // stride].add(pair % stride)
    for at in np.flatnonzero((group >= 0) & (call < 0)).tolist():
        calls[int(group[at])].update(matching.candidates_of(int(rows[at])))
    return calls


def times_of_graphs(
    program: CompiledProgram, trace: Trace, matching: Matching, counted: Bool, busy: BusyTime
) -> tuple[GraphTime, ...]:
    """Every graph of the program in order, then the rest rows."""
    count = len(program.graphs)
    graph_of_call = np.repeat(np.arange(count), [len(graph.calls) for graph in program.graphs])
    # The graph of each launch, -1 where it has none or may be of several; (launches,).
    owner = _owners_of_launches(matching, counted, graph_of_call.astype(np.int64))
    busy_of_graphs = busy.of_groups_ns(owner, count)
    rows = np.flatnonzero(owner >= 0)
    launches, graph = trace.launches, owner[rows]
    times = np.zeros(count, dtype=np.int64)
    np.add.at(times, graph, launches.dur_ns[rows])
    ran = matching.invocation[rows] >= 0
    # One number per graph, process and invocation, and the graph of each; the latter is
    # (invocations,).
    of_run = pair_columns(graph[ran], launches.process[rows[ran]], matching.invocation[rows[ran]])
    graph_of_run = np.zeros(int(of_run.max(initial=-1)) + 1, dtype=np.int64)
    graph_of_run[of_run] = graph[ran]
    invocations = np.bincount(graph_of_run, minlength=count)
    graph_times = [
        GraphTime(
            graph=position,
            invocations=int(invocations[position]),
            time_ns=int(times[position]),
            busy_ns=int(busy_of_graphs[position]),
        )
        for position in range(count)
    ]
    graph_times += [
        GraphTime(graph=None, rest=rest, invocations=0, time_ns=time_ns, busy_ns=busy_rest)
        for rest, _, time_ns, busy_rest in _iter_rests(
            launches, matching, counted & (owner < 0), busy
        )
    ]
    return tuple(graph_times)


def _count_by_row(launches: Launches, rows: Int, which: Int, size: int) -> Int:
    """How many launches `rows` are, by the table row `which` that each is counted in."""
    if launches.stands_for is None:
        return np.bincount(which, minlength=size)
    number = np.zeros(size, dtype=np.int64)
    np.add.at(number, which, launches.stands_for[rows])
    return number


def rows_of_ledger(trace: Trace, matching: Matching, window: Window) -> tuple[LedgerRow, ...]:
    """Launches of the window per side, confidence and activity: each launch in one row."""
    entries = []
    words: dict[str, list[Activity]] = defaultdict(list)
    for activity in Activity:
        words[activity.word].append(activity)
    for confidence in Confidence:
        for word, activities in words.items():
            mask = (
                window.inside
                & matching.with_confidence(confidence)
                & np.isin(trace.launches.activity, activities)
            )
            if mask.any():
                entries.append(
                    LedgerRow(
                        bucket=confidence.name.lower(),
                        activity=word,
                        side="cpu" if Activity.CPU in activities else "gpu",
                        launches=trace.launches.count_launches(mask),
                        time_ns=int(trace.launches.dur_ns[mask].sum()),
                    )
                )
    return tuple(entries)
