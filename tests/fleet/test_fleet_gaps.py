"""The cause of a slow rank that a gap is: by what the wall time says the host did in it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from kernelmap.attribution import attribute_time
from kernelmap.fleet.slow import IDLE, LATE_DATA, RECOMPILED, GapKind, cause_of_gap
from kernelmap.fleet.timeline import build_timeline
from kernelmap.matching import match_launches
from kernelmap.model import CompiledProgram
from kernelmap.model.wall_time import IdleCause
from kernelmap.options import Options
from kernelmap.tables.rows import Row
from kernelmap.traces.assemble import assemble_trace
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace

_COMPILED: list[Row] = [{"first_step": 3}]


def longest_gap(name: str) -> GapKind:
    """Of a rank whose GPU waits for a millisecond, in which the host is in a range."""
    rows: list[TraceRow] = [RangeRow(name, 2_000, 999_000)]
    for number, start in ((1, 1_000), (2, 1_000_000)):
        rows.append(ApiRow("cudaLaunchKernel", start, start + 10, correlation=number))
        rows.append(LaunchRow("sgemm", start + 20, start + 120, correlation=number))
    trace = replace(assemble_trace(raw_trace(rows)), sources=())  # no file says more of its kernels
    result = match_launches(CompiledProgram(graphs=()), trace)
    attribution = attribute_time(result.program, trace, result.matching, Options())
    (row,) = (
        row
        for row in build_timeline(trace, result.matching, attribution).gaps
        if int(str(row["time_ns"])) > 900_000
    )
    return GapKind(str(row["cause"]), None if row["range"] is None else str(row["range"]))


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("_compile.compile_inner (dynamo_timed)", RECOMPILED),
        ("CachingAutotuner.benchmark_all_configs (dynamo_timed)", RECOMPILED),
        ("Torch-Compiled Region: 0/0", IDLE),
        ("my_compile_step", IDLE),
        ("compile_loop", IDLE),
        ("train_dynamo", IDLE),
        ("autotune_lr", IDLE),
        ("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", LATE_DATA),
        ("get_batch", LATE_DATA),
        ("FSDP::pre_forward_prefetch for layers.1", IDLE),
    ],
)
def test_a_range_of_the_user_is_no_compilation(name: str, cause: str) -> None:
    """A gap is a recompilation in ranges that torch writes, never by a word in a user's range."""
    gap = longest_gap(name)

    assert (cause_of_gap(gap, 3, []), gap.range) == (cause, name)


def test_a_gap_in_no_range_is_a_recompilation_where_a_graph_is_new() -> None:
    """Without a range, the first run of code that only this rank compiled explains the gap."""
    bare = GapKind(IdleCause.UNKNOWN.word, None)

    assert cause_of_gap(bare, 3, _COMPILED) == RECOMPILED
    assert cause_of_gap(bare, 4, _COMPILED) == IDLE


@pytest.mark.parametrize("cause", [it for it in IdleCause if it.word != IdleCause.UNKNOWN.word])
def test_every_other_cause_is_that_of_the_wall_time(cause: IdleCause) -> None:
    """What the wall time knows of a gap stands, whatever else happened in the step."""
    words = {IdleCause.COMPILING: RECOMPILED, IdleCause.LOADING_DATA: LATE_DATA}

    assert cause_of_gap(GapKind(cause.word, None), 3, _COMPILED) == words.get(cause, IDLE)
