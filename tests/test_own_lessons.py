"""A trace that shows its calls in one place and replays them in another teaches itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

import kernelmap
from kernelmap.matching import match_launches
from kernelmap.model import CompiledProgram, Confidence, Method
from kernelmap.traces.assemble import assemble_trace
from like_worlds import judged
from matching.bare import named
from read_once import compiled
from tiny import graph
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace
from worlds import World, simulate

A, B = "triton_poi_fused_a_0", "triton_red_fused_b_1"
MM = graph("0_forward", A, "aten.mm", B)
GEMM, SPLIT = "ampere_sgemm", "splitKreduce_kernel"


def captured_and_replayed() -> list[TraceRow]:
    """A capture of MM, whose product takes two kernels, and two replays of it."""
    rows: list[TraceRow] = [RangeRow("## Call CompiledFxGraph fkey ##", 5, 200)]
    rows += [ApiRow("hipStreamBeginCapture", 6, 7), ApiRow("hipStreamEndCapture", 190, 191)]
    calls = ((10, A, [A]), (40, "aten::mm", [GEMM, SPLIT]), (80, B, [B]))
    for start, name, made in calls:
        rows.append(RangeRow(name, start, start + 30))
        for at, kernel in enumerate(made):
            now = start + 10 * at + 1
            rows.append(ApiRow("hipLaunchKernel", now, now + 5, device_name=kernel))
    for replay in range(2):
        begin = 1_000 * (replay + 1)
        rows.append(ApiRow("hipGraphLaunch", begin, begin + 9, correlation=replay + 1))
        for at, kernel in enumerate([A, GEMM, SPLIT, B]):
            now = begin + 20 + 50 * at
            rows.append(LaunchRow(kernel, now, now + 40, correlation=replay + 1))
    return rows


@pytest.mark.parametrize("code", [True, False], ids=["code", "no-code"])
def test_a_capture_tells_the_replays_behind_it(code: bool) -> None:
    """The library launches of a replay have the call that launched them at capture time."""
    given = (replace(MM, cache_key="fkey"),) if code else ()
    result = match_launches(
        CompiledProgram(graphs=given), assemble_trace(raw_trace(captured_and_replayed()))
    )

    assert named(result) == ["0/0", "0/1", "0/1", "0/2"] * 2
    assert set(result.matching.method.tolist()) == {Method.TRANSFER}
    assert set(result.matching.confidence.tolist()) == {Confidence.INFERRED}
    assert not [notice for notice in result.notices if notice.slug.startswith("like")]


def test_steps_that_ran_tell_the_replays_behind_them(samples: Path, tmp_path: Path) -> None:
    """The graphs ran directly before the first replay, and that names the replayed launches."""
    program = compiled(samples / "sim_mlp_train")
    world = World(seed=4, invocations=6, cuda_graphs=True, autotune=False)
    verdict = judged(program, simulate(program, world), tmp_path)
    replayed = verdict.result.context.host.replayed
    methods = verdict.result.matching.method[replayed]

    assert verdict.right >= 0.999
    assert verdict.wrong == verdict.outside == 0
    assert set(methods.tolist()) == {Method.TRANSFER}
    assert not verdict.result.matching.with_confidence(Confidence.EXACT)[replayed].any()


def test_launches_that_lost_their_host_side_are_no_neighbors() -> None:
    """Single launches of different invocations and of eager code are not joined."""
    rows: list[TraceRow] = []
    correlation = 0

    def ran(name: str, kernel: str, *, host: bool) -> None:
        nonlocal correlation
        correlation += 1
        now = 100 * correlation
        if host:
            rows.append(RangeRow(name, now, now + 50))
            rows.append(ApiRow("cudaLaunchKernel", now + 5, now + 9, correlation=correlation))
        rows.append(LaunchRow(kernel, now + 20, now + 60, correlation=correlation))

    short = graph("0_forward", A, "aten.mm")
    for number in range(6):
        begin = 100 * (correlation + 1) - 5
        ran(A, A, host=number != 2)
        ran("aten::mm", GEMM, host=True)
        rows.append(RangeRow("## Call CompiledFxGraph fkey ##", begin, begin + 190))
        correlation += 1
        ran("aten::mm", GEMM, host=number != 3)
    program = CompiledProgram(graphs=(replace(short, cache_key="fkey"),))
    result = match_launches(program, assemble_trace(raw_trace(rows)))

    assert Method.TRANSFER not in result.matching.method


@pytest.mark.corpus
def test_a_whole_replay_is_named_by_its_capture(corpus: Path) -> None:
    """994 launches were captured and 993 replayed: each has its call, library calls included."""
    correlation = kernelmap.correlate(corpus / "kineto" / "mi300x_flux_compiled_and_graphs.json.gz")
    replayed = correlation.match.context.host.replayed
    calls = correlation.matching.call[replayed]
    triton = np.array([name.startswith("triton") for name in correlation.trace.launches.names])

    assert replayed.sum() == 993
    assert (correlation.matching.method[replayed] == Method.TRANSFER).all()
    assert (np.diff(calls) >= 0).all()
    assert triton[correlation.trace.launches.name_id[replayed]].sum() == 433
    row = int(np.flatnonzero(replayed)[7])
    evidence = "\n".join(correlation.explain(str(row)).evidence)
    assert "learnt from this profile: the graph captured at " in evidence
    assert "994 launches" in evidence
    assert "993 of its 994 launches are here" in evidence
