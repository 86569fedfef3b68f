"""A run that knows its calls teaches a run that says little: worlds of one program, with truth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from msgspec import structs

from kernelmap.attribution import attribute_time
from kernelmap.model import Confidence, Method
from kernelmap.options import Options
from kernelmap.traces import load_trace
from like_worlds import NO_CODE, judged, learnt
from read_once import compiled
from worlds import Names, SimulatedTrace, World, simulate
from worlds.situations import legacy

MACHINE = 5
BUNDLE = World(seed=1, machine=MACHINE, invocations=4)
"""A few annotated steps, with what the autotuner does in the first."""
PRODUCTION = World(
    seed=2, machine=MACHINE, invocations=6, host=False, autotune=False, eager=0.4, drop=0.01
)
"""Other durations, more eager work, lost events, no host side."""
CASES = ("triton_mlp", "triton_attnflash", "triton_names_nounique", "triton_partition")
SEEDS = (2, 3, 4)


def on_two_streams(simulated: SimulatedTrace) -> SimulatedTrace:
    """Every other launch of a replay runs on another stream, before its turn."""
    rows = tuple(
        structs.replace(row, tid=20, start_ns=row.start_ns - 30_000, args=row.args | {"stream": 20})
        if "graph node id" in row.args and (row.node or 0) % 2
        else row
        for row in simulated.rows
    )
    return replace(simulated, rows=rows)


def without_captures(simulated: SimulatedTrace) -> SimulatedTrace:
    """The same, as if the recording had begun behind the captures."""
    rows = tuple(row for row in simulated.rows if row.category != "graph_node")
    return replace(simulated, rows=rows)


@pytest.mark.sampled
@pytest.mark.corpus
@pytest.mark.parametrize("names", get_args(Names))
@pytest.mark.parametrize("form", ["stream", "replay", "two-streams", "nsys", "nsys-replay"])
@pytest.mark.parametrize("case", CASES)
def test_a_lesson_tells_more_and_nothing_wrong(
    case: str, form: str, names: Names, corpus: Path, tmp_path: Path
) -> None:
    """With a like-run more time has its call, what is inferred is right, and nothing is exact."""
    program = compiled(corpus / "inductor" / case)
    program = legacy(program) if names == "legacy" else program
    lesson = learnt(program, replace(BUNDLE, names=names), tmp_path)
    before = after = 0.0
    for seed in SEEDS:
        nsys = form.startswith("nsys")
        graphs = form not in ("stream", "nsys")
        world = replace(PRODUCTION, seed=seed, names=names, host=nsys, cuda_graphs=graphs)
        simulated = without_captures(simulate(program, world))
        simulated = on_two_streams(simulated) if form == "two-streams" else simulated
        alone = judged(program, simulated, tmp_path, nsys=nsys)
        taught = judged(program, simulated, tmp_path, [lesson], nsys=nsys)
        before, after = before + alone.right, after + taught.right

        assert taught.wrong <= max(0.005, alone.wrong)
        assert taught.outside <= max(0.001, alone.outside)
        assert not taught.exact
    assert after >= before - 0.01
    assert after / len(SEEDS) >= 0.95


@pytest.mark.corpus
@pytest.mark.parametrize("graphs", [False, True], ids=["stream", "replay"])
def test_common_names_lose_nothing(graphs: bool, corpus: Path, tmp_path: Path) -> None:
    """Where all kernels have one name, a lesson loses nothing that order alone finds."""
    program = compiled(corpus / "inductor" / "triton_names_nounique")
    lesson = learnt(program, BUNDLE, tmp_path)
    world = replace(PRODUCTION, cuda_graphs=graphs, invocations=3)
    simulated = simulate(program, world)

    alone = judged(program, simulated, tmp_path).right
    taught = judged(program, simulated, tmp_path, [lesson]).right
    assert taught >= max(alone, 0.95)


def test_the_code_of_the_like_run_serves(samples: Path, tmp_path: Path) -> None:
    """A profile without code gets the calls that it would get with the code."""
    program = compiled(samples / "sim_mlp_train")
    lesson = learnt(program, BUNDLE, tmp_path)
    simulated = simulate(program, PRODUCTION)
    given = judged(program, simulated, tmp_path, [lesson])
    lent = judged(NO_CODE, simulated, tmp_path, [lesson])

    assert lent.right == pytest.approx(given.right)
    assert lent.right >= 0.9
    assert all(graph.borrowed for graph in lent.result.program.graphs)


@pytest.mark.corpus
@pytest.mark.parametrize("code", [True, False], ids=["code", "no-code"])
def test_another_program_changes_nothing(
    code: bool, corpus: Path, samples: Path, tmp_path: Path
) -> None:
    """A like-run of other code decides no launch, and a notice says that it is of no use."""
    given = compiled(corpus / "inductor" / "triton_attnflash")
    lesson = learnt(compiled(samples / "sim_mlp_train"), BUNDLE, tmp_path)
    program = given if code else NO_CODE
    simulated = simulate(given, PRODUCTION)
    alone = judged(program, simulated, tmp_path).result
    taught = judged(program, simulated, tmp_path, [lesson]).result

    for column in ("call", "confidence", "method", "reason", "invocation"):
        assert np.array_equal(getattr(alone.matching, column), getattr(taught.matching, column))
    said = {notice.slug for notice in taught.notices} - {notice.slug for notice in alone.notices}
    assert said == {"like-code-differs"} if code else {"like-unused"}


@pytest.mark.parametrize("share", [0.05, 0.3, 0.55, 0.8])
def test_a_window_may_cut_anywhere(share: float, samples: Path, tmp_path: Path) -> None:
    """An invocation that the window cut is not placed; the others are, and nothing is wrong."""
    program = compiled(samples / "sim_mlp_train")
    lesson = learnt(program, BUNDLE, tmp_path)
    simulated = simulate(program, replace(PRODUCTION, host=True, drop=0.0))
    starts = [row.start_ns for row in simulated.rows]
    cut_ns = round((max(starts) - min(starts)) * share)
    alone = judged(program, simulated, tmp_path, nsys=True, cut_ns=cut_ns)
    taught = judged(program, simulated, tmp_path, [lesson], nsys=True, cut_ns=cut_ns)

    assert taught.wrong == taught.outside == 0
    assert taught.right >= alone.right
    assert Method.TRANSFER in taught.result.matching.method


def test_the_order_of_lessons_changes_nothing(samples: Path, tmp_path: Path) -> None:
    """Two like-runs in either order give the same result."""
    program = compiled(samples / "sim_mlp_train")
    runs = [
        learnt(program, replace(BUNDLE, seed=seed, machine=machine), tmp_path, f"run{seed}")
        for seed, machine in ((1, MACHINE), (9, 6))
    ]
    simulated = simulate(program, PRODUCTION)
    one = judged(program, simulated, tmp_path, runs).result.matching
    other = judged(program, simulated, tmp_path, runs[::-1]).result.matching

    assert np.array_equal(one.call, other.call)
    assert np.array_equal(one.invocation, other.invocation)


def test_another_machine_is_reported(samples: Path, tmp_path: Path) -> None:
    """Other library kernels: nothing is taken from the like-run, and it says where they differ."""
    program = compiled(samples / "sim_mlp_train")
    lesson = learnt(program, replace(BUNDLE, machine=6), tmp_path)
    simulated = simulate(program, PRODUCTION)
    taught = judged(program, simulated, tmp_path, [lesson]).result

    assert Method.TRANSFER not in taught.matching.method
    differing = [notice for notice in taught.notices if notice.slug == "like-differs"]
    assert len(differing) == 2  # the forward and the backward
    assert all(" ran, not " in notice.message and notice.gap for notice in differing)


def test_every_invocation_has_a_number_of_its_own(samples: Path, tmp_path: Path) -> None:
    """No two executions share a number, whether a lesson or the order gave it."""
    program = compiled(samples / "sim_mlp_train")
    lesson = learnt(program, BUNDLE, tmp_path)
    simulated = simulate(program, replace(PRODUCTION, drop=0.06))
    result = judged(program, simulated, tmp_path, [lesson]).result
    matching = result.matching
    rows = np.flatnonzero((matching.call >= 0) & (matching.invocation >= 0))
    methods = {Method(method) for method in matching.method[rows].tolist()}
    graphs = [result.program.graphs.index(result.program.calls[c][0]) for c in matching.call[rows]]
    seen = set(zip(graphs, matching.invocation[rows].tolist(), strict=True))

    assert methods == {Method.TRANSFER, Method.ALIGNMENT}
    assert len(seen) == 2 * PRODUCTION.invocations


def test_the_ledger_keeps_every_nanosecond(samples: Path, tmp_path: Path) -> None:
    """A lesson moves time between rows of the ledger; their sum is still the window."""
    program = compiled(samples / "sim_mlp_train")
    lesson = learnt(program, BUNDLE, tmp_path)
    simulated = simulate(program, PRODUCTION)
    result = judged(program, simulated, tmp_path, [lesson]).result
    trace = load_trace(tmp_path / "production.json")
    ledger = attribute_time(result.program, trace, result.matching, Options()).ledger

    assert sum(row.time_ns for row in ledger) == sum(true.dur_ns for true in simulated.truth)
    assert any(row.bucket == Confidence.INFERRED.name.lower() for row in ledger)
