"""A piece of a step changes no figure that is per step, whoever asks for it."""

from __future__ import annotations

import gzip
import json
import shutil
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import kernelmap
from examples import examples
from fleet_runs import answer
from fleet_runs import program as fleet_program
from kernelmap import Options
from kernelmap.attribution import attribute_time
from kernelmap.attribution.window import apis_inside, incomplete_steps
from kernelmap.capture.folder import first_manifest, write_manifest
from kernelmap.capture.plan import Plan
from kernelmap.cli import main
from kernelmap.correlation import Correlation
from kernelmap.dashboard.series import steps
from kernelmap.fleet.timeline import build_timeline
from kernelmap.history.compare.gate.findings import GateLimits
from kernelmap.history.compare.gate.verdict import judge_comparison
from kernelmap.history.compare.numbers.comparison import compare_sides
from kernelmap.history.compare.sides.side import side_of_result
from kernelmap.history.store.store import Store
from kernelmap.matching import match_launches
from kernelmap.model import RangeKind, Trace
from kernelmap.model.bundle import MANIFEST, RecordedProcess, State
from kernelmap.model.trace import Incomplete
from tiny import Timeline, graph, program
from worlds.fleet import FleetWorld, write_fleet

FORWARD = graph("0_forward", "triton_poi_fused_add_0", "aten.mm", cache_key="ffwd")
BACKWARD = graph("0_backward", "triton_poi_fused_mul_1", "aten.mm", cache_key="fbwd")
WHOLE = ("aten::randn", "forward", "aten::mse_loss", "backward", "optimizer")
FIRST = 5  # the number of the first complete step
SAMPLE = Path(__file__).resolve().parent.parent / "sample_traces" / "cuda_mlp_train"


class Steps(Timeline):
    """Steps one after the other; the host waits for the GPU at the end of each."""

    def step(self, number: int, *parts: str) -> Steps:
        at, begin = len(self.rows), self.now
        for part in parts:
            if part == "forward":
                self.invoke(FORWARD, key="ffwd")
            elif part == "backward":
                self.invoke(BACKWARD, key="fbwd")
            elif part == "optimizer":
                place, start = len(self.rows), self.now
                self.eager("aten::_foreach_add_", launches=2)
                self.range_since("Optimizer.step#SGD.step", start, RangeKind.ANNOTATION, at=place)
            else:
                self.eager(part)
        self.now = max(self.now, self.gpu) + 5
        self.range_since(f"ProfilerStep#{number}", begin, RangeKind.ANNOTATION, at=at)
        return self


def recorded(
    whole: int, last: tuple[str, ...] | None = None, first: tuple[str, ...] | None = None
) -> Trace:
    """`whole` steps, with a piece of one before or behind them."""
    line = Steps()
    if first is not None:
        line.step(FIRST - 1, *first)
    for number in range(FIRST, FIRST + whole):
        line.step(number, *WHOLE)
    if last is not None:
        line.step(FIRST + whole, *last)
    return replace(line.trace(), sources=())  # no file says more of its kernels


def correlated(trace: Trace, options: Options | None = None) -> Correlation:
    chosen = options or Options()
    result = match_launches(program(FORWARD, BACKWARD), trace)
    attribution = attribute_time(result.program, trace, result.matching, chosen)
    return Correlation(
        inputs=(),
        trace=trace,
        match=result,
        attribution=attribution,
        notices=tuple(incomplete_steps(trace, chosen)),
        options=chosen,
    )


def figures(run: Correlation) -> dict[str, object]:
    """Everything that somebody divides by the number of steps, and the number itself."""
    summary, of_run = run.summary, side_of_result(run.tables, "run")
    tables = {
        name: run.tables.frame(name).to_dict("records")
        for name in ("calls", "kernels", "ops", "modules", "lines", "nodes", "graphs", "ledger")
    }
    ranks = build_timeline(run.trace, run.match.matching, run.attribution)
    return {
        **tables,
        "summary": (summary.total_ns, summary.busy_ns, summary.launches, summary.steps),
        "steps": (summary.step_count, of_run.steps),
        "step by step": dict(of_run.by_step),
        "wall": wall_parts(run),
        "fleet": [{**row, "begin_ns": None} for row in ranks.steps],
        "api calls": int(apis_inside(run.trace, run.options).sum()),
    }


def wall_parts(run: Correlation) -> dict[tuple[object, ...], int]:
    """How long each part of each step takes on the clock.

    Not why it is idle at its end: only what is launched next tells that.
    """
    times: Counter[tuple[object, ...]] = Counter()
    for row in run.tables.rows("wall"):
        times[row["step"], row["step_ns"], row["part"]] += int(str(row["time_ns"]))
    return dict(times)


NOT_COMPILED = st.lists(
    st.sampled_from(["aten::item", "aten::copy_", "optimizer"]), max_size=4
).map(tuple)
BEGUN = st.integers(1, len(WHOLE) - 2).map(lambda size: WHOLE[:size])
UNDER_WAY = st.integers(2, len(WHOLE) - 1).map(lambda at: WHOLE[at:])


@settings(max_examples=examples(60))
@given(
    whole=st.integers(2, 6),
    last=st.none() | NOT_COMPILED | BEGUN,
    first=st.none() | NOT_COMPILED | UNDER_WAY,
)
def test_a_piece_changes_nothing_per_step(
    whole: int, last: tuple[str, ...] | None, first: tuple[str, ...] | None
) -> None:
    """Tables, steps, wall time and ranks are as without what the recording's ends cut."""
    plain, cut = correlated(recorded(whole)), correlated(recorded(whole, last, first))

    assert figures(cut) == figures(plain)


@settings(max_examples=examples(30))
@given(whole=st.integers(2, 6), last=NOT_COMPILED | BEGUN, first=st.none() | NOT_COMPILED)
def test_a_run_is_no_faster_than_itself_for_a_piece(
    whole: int, last: tuple[str, ...], first: tuple[str, ...] | None
) -> None:
    """`diff` finds no change, and `gate` nothing to say."""
    plain, cut = (
        side_of_result(correlated(trace).tables, "run")
        for trace in (recorded(whole), recorded(whole, last, first))
    )
    comparison = compare_sides(plain, cut)

    assert comparison.change_ns == 0
    assert comparison.unit.before == comparison.unit.after == whole
    assert judge_comparison(comparison, GateLimits()) == judge_comparison(
        compare_sides(plain, plain), GateLimits()
    )


@given(whole=st.integers(2, 4), last=NOT_COMPILED.filter(bool) | BEGUN)
@settings(max_examples=examples(20))
def test_what_is_left_out_is_said_to_the_nanosecond(whole: int, last: tuple[str, ...]) -> None:
    """Time of the window, and that of the piece which a notice names, are the time of the trace."""
    trace = recorded(whole, last)
    run = correlated(trace)
    (notice,) = run.notices
    piece = correlated(trace, Options(steps=(FIRST + whole, FIRST + whole)))

    assert run.summary.total_ns + piece.summary.total_ns == int(trace.launches.dur_ns.sum())
    assert notice.slug == "step-incomplete"
    assert f"step {FIRST + whole} " in notice.message
    assert f"{piece.summary.launches} launch" in notice.message
    assert notice.hint == f"--steps {FIRST + whole} counts it."
    assert not notice.gap


def test_a_step_that_is_named_counts() -> None:
    """`--steps` gives a piece to whoever names it, and says that it is one."""
    run = correlated(recorded(3, ("aten::item",)), Options(steps=(FIRST, FIRST + 3)))

    assert run.summary.step_count == 4
    assert set(run.launches["step"]) == {FIRST, FIRST + 1, FIRST + 2, FIRST + 3}
    assert [notice.slug for notice in run.notices] == ["step-incomplete"]
    assert "counts because --steps names it" in run.notices[0].message


@pytest.mark.parametrize("parts", [WHOLE, ("aten::item",), ("forward",)])
def test_a_single_step_is_a_step(parts: tuple[str, ...]) -> None:
    """Nothing beside it says what a whole one would be."""
    run = correlated(Steps().step(0, *parts).trace())

    assert run.summary.step_count == 1
    assert run.notices == ()


@pytest.mark.parametrize("parts", [("aten::mm",), ("forward", "aten::item"), ("aten::randn",) * 3])
def test_steps_that_are_alike_all_count(parts: tuple[str, ...]) -> None:
    """So do those of an inference loop, and of eager code, whatever they lack beside training."""
    line = Steps()
    for number in range(4):
        line.step(number, *parts)
    run = correlated(line.trace())

    assert run.summary.step_count == 4
    assert run.notices == ()


def test_time_is_never_lost_for_want_of_a_complete_step() -> None:
    """A capture that ended inside its first step has its time, and no step to divide it by."""
    trace = recorded(1)
    cut = replace(
        trace, steps=tuple(replace(step, incomplete=Incomplete.AT_END) for step in trace.steps)
    )
    run, plain = correlated(cut), correlated(trace)

    assert run.summary.total_ns == plain.summary.total_ns > 0
    assert (run.summary.steps, run.summary.step_count) == (None, None)
    assert len(run.wall)
    assert "no other was recorded" in run.notices[0].message


def test_steps_with_gaps_are_counted_one_by_one() -> None:
    """Of steps 0, 1 and 9 there are three, for the store as for `diff`."""
    line = Steps()
    for number in (0, 1, 9):
        line.step(number, *WHOLE)
    run = correlated(line.trace())

    assert run.summary.steps == (0, 9)
    assert run.summary.step_count == side_of_result(run.tables, "run").steps == 3


def with_stub(folder: Path) -> Path:
    """The sample's bundle in `folder`, its trace ending with a step that only copies something."""
    place = folder / "stub"
    place.mkdir()
    shutil.copytree(SAMPLE / "rank_0" / "torch_trace", place / "torch_trace")
    trace = json.loads(gzip.decompress((SAMPLE / "rank_0" / "trace.json.gz").read_bytes()))
    events: list[dict[str, Any]] = trace["traceEvents"]
    steps_there = [event for event in events if event.get("name") == "ProfilerStep#6"]
    (step,) = (event for event in steps_there if event["cat"] == "user_annotation")
    end = float(step["ts"]) + float(step["dur"])
    number = max(int(event["args"].get("correlation", 0)) for event in events if "args" in event)
    gpu = next(event for event in events if event.get("cat") == "kernel")
    events += [
        {**step, "name": "ProfilerStep#7", "ts": end + 1, "dur": 1400.0},
        {**step, "name": "aten::item", "cat": "cpu_op", "ts": end + 10, "dur": 500.0},
        {
            **step,
            "name": "cudaMemcpyAsync",
            "cat": "cuda_runtime",
            "ts": end + 20,
            "dur": 300.0,
            "args": {"correlation": number + 1},
        },
        {
            **gpu,
            "name": "Memcpy DtoH (Device -> Pageable)",
            "cat": "gpu_memcpy",
            "ts": end + 40_000,
            "dur": 2.0,
            "args": {**gpu["args"], "correlation": number + 1},
        },
    ]
    (place / "profile.json.gz").write_bytes(gzip.compress(json.dumps(trace).encode()))
    return place


@pytest.fixture(scope="module")
def stub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_stub(tmp_path_factory.mktemp("incomplete"))


def test_every_command_counts_the_same_steps(stub: Path, tmp_path: Path) -> None:
    """A recording of a GPU against itself, but with an end of 1.4 ms: no difference anywhere."""

    def run(*arguments: str | Path) -> str:
        result = CliRunner().invoke(main, list(map(str, arguments)))
        assert result.exit_code == 0, result.output
        return result.stdout

    plain, cut = kernelmap.correlate(SAMPLE), kernelmap.correlate(stub)
    store = Store(str(tmp_path / "store"))
    stored = [store.record(one, name=name).facts for one, name in ((plain, "a"), (cut, "b"))]

    assert "steps 4 to 6" in run("correlate", stub)
    assert wall_parts(plain) == wall_parts(cut)
    assert "as fast as before: " in (compared := run("diff", SAMPLE, stub))
    assert "(3 and 3 steps)" in compared
    assert "No change." in compared
    run("gate", "--baseline", SAMPLE, stub)
    assert len({Fraction(facts.window.total_ns, steps(facts)) for facts in stored}) == 1
    assert [notice.slug for notice in cut.notices] == ["step-incomplete"]


def test_ranks_have_the_steps_that_all_of_them_completed(tmp_path: Path) -> None:
    """One rank's trace that ends with a piece makes it no slower, and no other rank."""
    paths = write_fleet(tmp_path, fleet_program(), FleetWorld(ranks=4, steps=3))
    before = answer(tmp_path, keep=tmp_path / "kept")
    trace = json.loads(gzip.decompress(paths[2].read_bytes()))
    last = max(
        (event for event in trace["traceEvents"] if event["name"].startswith("ProfilerStep#")),
        key=lambda event: float(event["ts"]),
    )
    begin = float(last["ts"]) + float(last["dur"])
    gpu = next(event for event in trace["traceEvents"] if event.get("cat") == "kernel")
    trace["traceEvents"] += [
        {**last, "name": "ProfilerStep#3", "ts": begin + 1, "dur": 900.0},
        {
            **last,
            "name": "cudaMemcpyAsync",
            "cat": "cuda_runtime",
            "ts": begin + 5,
            "dur": 800.0,
            "args": {"correlation": 10**7},
        },
        {**gpu, "ts": begin + 99_000, "dur": 5.0, "args": {**gpu["args"], "correlation": 10**7}},
    ]
    paths[2].write_bytes(gzip.compress(json.dumps(trace).encode()))
    after = answer(tmp_path, keep=tmp_path / "kept")

    assert [row["steps"] for row in after.rows["ranks"]] == [3, 3, 3, 3]
    for table in ("ranks", "rank_steps", "divergence", "causes"):
        if table in before.rows:
            assert after.rows[table] == before.rows[table]


def test_a_rank_has_the_steps_that_its_manifest_says(tmp_path: Path) -> None:
    """A fleet reads the files of bundles one by one, and knows where their programs ended."""
    write_fleet(tmp_path, fleet_program(), FleetWorld(ranks=3, steps=4))
    processes = tuple(
        RecordedProcess(
            name=f"rank_{rank}", state=State.PARTIAL, rank=rank, first_step=0, last_step=last
        )
        for rank, last in ((0, 3), (1, 2))
    )
    manifest = replace(first_manifest(Plan(), None, {}), processes=processes)
    for keeps in (True, False):
        if keeps:
            write_manifest(tmp_path, manifest)
        else:
            (tmp_path / MANIFEST).unlink()
        fleet = answer(tmp_path, keep=tmp_path / "kept")

        assert [row["steps"] for row in fleet.rows["ranks"]] == [4, 3 if keeps else 4, 4]
