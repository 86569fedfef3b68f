"""How long devices were idle and why has one answer: of the wall time, a roofline and a fleet."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import many_runs
from attribution.random_worlds import worlds
from examples import examples
from kernelmap.attribution import attribute_time
from kernelmap.correlation import Correlation
from kernelmap.fleet.timeline import build_timeline
from kernelmap.matching import match_launches
from kernelmap.model import CompiledProgram, Trace
from kernelmap.model.notices import format_duration
from kernelmap.model.roofline import Slug
from kernelmap.model.wall_time import IdleCause, IdleTable
from kernelmap.options import Options
from kernelmap.pipeline import correlate
from kernelmap.speed.wall.measure import wall_time
from kernelmap.tables.roofline import RooflineTables
from kernelmap.tables.rows import Row
from kernelmap.traces.assemble import assemble_trace
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace

run = many_runs.run

ROOT = Path(__file__).resolve().parents[3]
FLEET = ROOT / "sample_traces" / "sim_fleet"
SAMPLES = sorted(path for path in FLEET.parent.iterdir() if path.is_dir() and path != FLEET)

Times = Counter[tuple[int, int, str]]
"""Ns by device, step and cause."""


def times_of(rows: list[Row]) -> Times:
    times: Times = Counter()
    for row in rows:
        device, step = (
            -1 if row[name] is None else int(str(row[name])) for name in ("device", "step")
        )
        times[device, step, str(row["cause"])] += int(str(row["time_ns"]))
    return times


def of_steps(times: Times) -> Counter[tuple[int, int]]:
    """The same without the causes."""
    sums: Counter[tuple[int, int]] = Counter()
    for (device, step, _), time_ns in times.items():
        sums[device, step] += time_ns
    return sums


def agree(correlation: Correlation) -> None:
    """Wall time, fleet and roofline of one profile say the same of its idleness."""
    lines = build_timeline(correlation.trace, correlation.matching, correlation.attribution)
    gaps = times_of(lines.gaps)
    for row in lines.steps:
        step = (int(str(row["device"])), int(str(row["step"])))
        idle_ns = int(str(row["idle_ns"])) + int(str(row["around_ns"]))
        assert idle_ns == of_steps(gaps)[step]

    idle = [row for row in correlation.tables.rows("wall") if row["part"] == "idle"]
    if correlation.attribution.side == "gpu":
        assert gaps == times_of(idle)
        roofline_is_within(correlation.roofline().tables, gaps)


def roofline_is_within(tables: RooflineTables, gaps: Times) -> None:
    """It has the same total; no reason has more of it than its cause, nor all of them together."""
    by_cause: Counter[str] = Counter()
    for (_, _, cause), time_ns in gaps.items():
        by_cause[cause] += time_ns
    waited: Counter[Slug] = Counter()
    for reason in tables.roofline.reasons:
        waited[reason.slug] += reason.idle_ns
    assert tables.idle_ns == gaps.total()
    assert waited[Slug.LAUNCH_BOUND] <= by_cause[IdleCause.LAUNCHING.word]
    assert waited[Slug.RECOMPILES] in (0, by_cause[IdleCause.COMPILING.word])
    assert waited.total() <= gaps.total()


@pytest.mark.sampled
def test_real_profiles_and_worlds_have_one_idle_time(run: Correlation) -> None:
    """By device, step and cause the gaps of a fleet are the idle rows of the wall time."""
    agree(run)


@pytest.mark.sampled
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_samples_have_one_idle_time(sample: Path) -> None:
    """So they are in every sample, of a CPU as far as there is such a table."""
    profiles = sorted(sample.glob("profile.json*"))
    agree(correlate(sample, *(profiles if len(list(sample.glob("profile*"))) > 1 else ())))


@pytest.mark.parametrize("rank", [0, 2, 5])
def test_ranks_have_one_idle_time(rank: int) -> None:
    """So they are of each rank of a fleet."""
    agree(correlate(FLEET / f"rank_{rank}.json.gz"))


def test_a_roofline_says_how_long_devices_were_idle() -> None:
    """The page and the JSON have the total of the wall time; reasons explain no more than that."""
    result = correlate(FLEET.parent / "cuda_llama_train")
    idle_ns = sum(
        int(str(row["time_ns"])) for row in result.tables.rows("wall") if row["part"] == "idle"
    )
    explained_ns = int(result.roofline().reasons["idle_ns"].sum())
    page = " ".join(result.roofline().render("markdown").split())

    assert json.loads(result.roofline().render("json"))["idle_ns"] == idle_ns
    assert explained_ns <= idle_ns
    assert f"Devices were idle for {format_duration(idle_ns)}" in page


def without_file(trace: Trace) -> Trace:
    """A trace of which no file says more, as a fleet looks for what is said of collectives."""
    return replace(trace, sources=())


def do_not_overlap(idle: IdleTable) -> bool:
    """Whether no two rows of a device share a moment."""
    order = np.lexsort((idle.start_ns, idle.device))
    device, start_ns, end_ns = (it[order] for it in (idle.device, idle.start_ns, idle.end_ns))
    same = device[1:] == device[:-1]
    return bool((start_ns[1:] >= end_ns[:-1])[same].all() and (end_ns > start_ns).all())


@settings(max_examples=examples(60))
@given(worlds())
def test_each_idle_nanosecond_has_one_cause(world: tuple[CompiledProgram, Trace]) -> None:
    """No two rows of the table share a moment, and each has a cause that tables spell."""
    trace = without_file(world[1])
    result = match_launches(world[0], trace)
    attribution = attribute_time(result.program, trace, result.matching, Options())
    wall = wall_time(
        trace, attribution.counted, attribution.step, result.matching.reason, with_cpu=True
    )

    assert do_not_overlap(wall.idle)
    assert not np.isin(wall.idle.cause, (IdleCause.NOTHING, IdleCause.HOST_WORK)).any()
    lines = build_timeline(trace, result.matching, attribution)
    assert sum(int(str(row["time_ns"])) for row in lines.gaps) == wall.idle.total_ns


LAUNCHES = st.lists(
    st.tuples(st.integers(0, 400), st.integers(1, 60), st.integers(0, 2)), min_size=1, max_size=12
)


@settings(max_examples=examples(60))
@given(launches=LAUNCHES, bounds=st.lists(st.integers(0, 450), max_size=4))
def test_gaps_of_every_device_are_told(
    launches: list[tuple[int, int, int]], bounds: list[int]
) -> None:
    """A rank of several devices has the gaps of each; its steps are those of the busiest one."""
    rows: list[TraceRow] = []
    for number, (start, dur, device) in enumerate(launches, 1):
        rows.append(ApiRow("cudaLaunchKernel", start, start + 1, correlation=number))
        rows.append(LaunchRow("sgemm", start, start + dur, correlation=number, device=device))
    for number, (begin, end) in enumerate(pairwise(sorted({*bounds}))):
        rows.append(RangeRow(f"ProfilerStep#{number}", begin, end))
    trace = without_file(assemble_trace(raw_trace(rows)))
    result = match_launches(CompiledProgram(graphs=()), trace)
    attribution = attribute_time(result.program, trace, result.matching, Options())
    wall = wall_time(trace, attribution.counted, attribution.step)
    lines = build_timeline(trace, result.matching, attribution)

    idle: Counter[tuple[int, int]] = Counter()
    for at, time_ns in zip(wall.idle.step.tolist(), wall.idle.time_ns.tolist(), strict=True):
        step = wall.steps[at]
        idle[step.id, -1 if step.step is None else step.step] += time_ns
    assert of_steps(times_of(lines.gaps)) == idle
    busy = {
        device: sum(
            wall_step.end_ns - wall_step.start_ns - idle[device, number]
            for wall_step in wall.steps
            for number in [-1 if wall_step.step is None else wall_step.step]
            if wall_step.id == device
        )
        for device in {step.id for step in wall.steps}
    }
    of_rank = {int(str(row["device"])) for row in lines.steps}
    assert not busy or {busy[device] for device in of_rank} == {max(busy.values())}


def test_a_recording_that_began_early_makes_no_step_longer() -> None:
    """Without marks of steps a step is from the first work to the last; what lies around is told.

    Nsight Systems records the start of a process, and how long that took says nothing of its ranks.
    """
    rows: list[TraceRow] = [
        RangeRow("import torch", 0, 900_000),
        RangeRow("atexit", 1_000_500, 2_000_000),
    ]
    for number, start in ((1, 999_000), (2, 1_000_000)):
        rows.append(ApiRow("cudaLaunchKernel", start, start + 10, correlation=number))
        rows.append(LaunchRow("sgemm", start + 20, start + 120, correlation=number))
    trace = without_file(assemble_trace(raw_trace(rows)))
    result = match_launches(CompiledProgram(graphs=()), trace)
    attribution = attribute_time(result.program, trace, result.matching, Options())
    lines = build_timeline(trace, result.matching, attribution)
    (step,) = lines.steps

    assert step["wall_ns"] == 1_000_120 - 999_020
    assert (step["idle_ns"], step["around_ns"]) == (900, 999_020 + 999_880)
    around = [int(str(row["time_ns"])) for row in lines.gaps if row["around"]]
    assert sum(around) == step["around_ns"]
    assert {"import torch", "atexit"} <= {row["range"] for row in lines.gaps if row["around"]}


def test_on_the_cpu_a_collective_of_a_backend_is_no_idle_time() -> None:
    """Its range lies on a thread of its own; what its process computes beside it hides it.

    Of 1,000 ns kernel and operator take 300, collectives 400, of which 50 lie beside an operator.
    """
    rows: list[TraceRow] = [
        RangeRow("ProfilerStep#0", 0, 1_000),
        RangeRow("## Call CompiledFxGraph fabc ##", 100, 300),
        RangeRow("graph_0_cpp_fused_add_0", 100, 300),
        RangeRow("aten::add", 800, 900),
        RangeRow("gloo:all_reduce", 400, 700, thread=2),
        RangeRow("gloo:all_reduce", 850, 950, thread=2),
    ]
    trace = without_file(assemble_trace(raw_trace(rows)))
    result = match_launches(CompiledProgram(graphs=()), trace)
    attribution = attribute_time(result.program, trace, result.matching, Options())
    lines = build_timeline(trace, result.matching, attribution)
    (step,) = lines.steps

    assert (step["step"], step["device"], step["wall_ns"]) == (0, -1, 1_000)
    assert (step["compute_ns"], step["exposed_ns"], step["idle_ns"]) == (300, 350, 350)
    assert [row["exposed_ns"] for row in lines.collectives] == [300, 50]
    assert sum(int(str(row["time_ns"])) for row in lines.gaps) == 350
