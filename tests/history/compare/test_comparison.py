"""Comparisons: every planted cause is named, with its calls and its size; parts add up exactly."""

from __future__ import annotations

import dataclasses
import re
import shutil
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest
from histories.play import Weather, play
from histories.story import (
    Planted,
    State,
    first_state,
    fused_otherwise,
    numbered_otherwise,
    one_more,
    other_library,
    slower,
    tuned_otherwise,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from kernelmap.history.compare.numbers.causes import Cause, parts_of
from kernelmap.history.compare.numbers.change import Change
from kernelmap.history.compare.numbers.comparable import whole_parts
from kernelmap.history.compare.numbers.comparison import Comparison, compare_sides
from kernelmap.history.compare.numbers.sm_clock import ClockFactors
from kernelmap.history.compare.pairing.sides import pair_sides
from kernelmap.history.compare.sides.pieces import Piece
from kernelmap.history.compare.sides.side import ComparedSide, RestSide, side_of_result
from kernelmap.history.compare.texts.words import of_change, say_verdict, say_whole_change
from kernelmap.pipeline import correlate

GELU = "triton_poi_fused_gelu_view_1"
Event = Callable[[State], tuple[State, Planted]]

EVENTS: dict[str, Event] = {
    "fused otherwise": lambda state: fused_otherwise(state, GELU, 1.6),
    "configuration": lambda state: tuned_otherwise(state, GELU, "XBLOCK=8 num_warps=8", 1.4),
    "library": lambda state: other_library(state, "extern_kernels.addmm", "slow_gemm", 1.3),
    "one more": lambda state: one_more(state, GELU),
    "slower": lambda state: slower(state, GELU, 1.3),
}


@pytest.fixture(scope="module")
def base(samples: Path) -> State:
    return first_state(samples / "sim_mlp_train")


@pytest.fixture(scope="module")
def before(base: State) -> ComparedSide:
    return recorded(base, 1)


def recorded(state: State, seed: int, weather: Weather | None = None) -> ComparedSide:
    tables = play(state.program, state.cost_list(), weather or Weather(), seed)
    return side_of_result(tables, f"seed {seed}")


def causes_beyond_noise(comparison: Comparison) -> list[Cause]:
    """The causes of what is more than noise."""
    noise = {Cause.OUTSIDE}
    return [
        c.cause for c in comparison.changes if c.significant is not False and c.cause not in noise
    ]


def assert_adds_up(comparison: Comparison) -> None:
    assert sum(change.change_ns for change in comparison.changes) == comparison.change_ns
    for name, rows in comparison.tables.items():
        assert sum(row.change_ns for row in rows) == comparison.change_ns, name


@pytest.mark.parametrize("name", EVENTS)
def test_a_planted_cause_is_named(name: str, base: State, before: ComparedSide) -> None:
    """The cause, the calls and the size are those of the event, and nothing else is claimed."""
    state, planted = EVENTS[name](base)
    comparison = compare_sides(before, recorded(state, 2))
    (change,) = [c for c in comparison.changes if c.cause.value == planted.cause and c.significant]

    assert tuple(call.name for call in change.before) == planted.before
    assert tuple(call.name for call in change.after) == planted.after
    assert abs(change.change_ns - planted.change_ns) <= max(200, 0.1 * abs(planted.change_ns))
    assert causes_beyond_noise(comparison) == [change.cause]
    assert_adds_up(comparison)


def test_renumbering_is_no_change(base: State, before: ComparedSide) -> None:
    """All kernels, buffers and nodes numbered otherwise, the same times: nothing to report."""
    state, _ = numbered_otherwise(base, 40)
    comparison = compare_sides(before, recorded(state, 1))

    assert comparison.changes == ()
    assert comparison.differences == ()


def test_a_recording_against_itself_is_nothing(before: ComparedSide) -> None:
    """No change, no difference, a clock that did not move."""
    comparison = compare_sides(before, before)

    assert comparison.changes == ()
    assert (comparison.change_ns, comparison.clock) == (0, Fraction(1))


def test_noise_is_not_significant(base: State, before: ComparedSide) -> None:
    """The change between two recordings of one commit is listed, as noise."""
    comparison = compare_sides(before, recorded(base, 7))

    assert comparison.changes
    assert causes_beyond_noise(comparison) == []
    assert_adds_up(comparison)


def test_a_slower_clock_is_not_the_codes_doing(base: State, before: ComparedSide) -> None:
    """All of the same code 1.1x slower is one cause; a call that is slower still stands out."""
    state, _ = slower(base, GELU, 1.5)
    comparison = compare_sides(before, recorded(state, 4, Weather(clock=1.1)))
    alone = [c for c in comparison.changes if c.cause is Cause.SAME_CODE and c.significant]

    assert abs(comparison.clock - Fraction(11, 10)) < Fraction(1, 50)
    assert [change.what for change in alone] == [GELU]
    assert comparison.by_cause[Cause.CLOCK] > 0
    assert_adds_up(comparison)


def outside(comparison: Comparison, name: str) -> list[Change]:
    return [c for c in comparison.changes if c.cause is Cause.OUTSIDE and c.what == name]


def test_outside_operators_are_tested_step_by_step(base: State) -> None:
    """Operators that ran slower differ from those that varied; the interval holds the change."""
    weathers = [
        Weather(outside={"aten::_foreach_add_": 40_000, "aten::cat": cat}) for cat in (9_000, 9_900)
    ]
    comparison = compare_sides(
        *(recorded(base, seed, weather) for seed, weather in enumerate(weathers))
    )
    ((slow,), (varied,)) = (
        outside(comparison, "aten.cat"),
        outside(comparison, "aten._foreach_add_"),
    )

    assert slow.significant
    assert slow.interval_ns is not None
    assert slow.interval_ns[0] <= slow.change_ns <= slow.interval_ns[1]
    assert varied.significant is False
    assert_adds_up(comparison)


def test_a_new_outside_operator_is_tested_against_none(base: State, before: ComparedSide) -> None:
    """It counts as no time in the steps of the other side; one that ran once proves nothing."""
    weather = Weather(outside={"aten::_foreach_add_": 40_000, "aten::cat": 9_000})
    after = recorded(base, 2, weather)
    rests = tuple(
        replace(rest, time_ns=9_000, by_step={3: 9_000}) if rest.name == "aten.cat" else rest
        for rest in after.rests
    )
    (always,) = outside(compare_sides(before, after), "aten.cat")
    (once,) = outside(compare_sides(before, replace(after, rests=rests)), "aten.cat")

    assert always.significant
    assert once.significant is False


@pytest.mark.parametrize("lost", ["op", "step"])
def test_outside_time_of_unknown_steps_is_not_tested(lost: str, base: State) -> None:
    """Outside time without ops or steps is not tested, on either side.

    Never significant, even if an operator stands on one side only.
    """
    weather = Weather(outside={"aten::cat": 90_000})
    played = [
        play(base.program, base.cost_list(), conditions, seed)
        for seed, conditions in enumerate((Weather(), weather))
    ]
    kept = [tables.frame("invocations").assign(**{lost: None}) for tables in played]
    old = [
        replace(tables, make_invocations=partial(frame.astype, tables.frame("invocations").dtypes))
        for tables, frame in zip(played, kept, strict=True)
    ]
    comparison = compare_sides(*(side_of_result(tables, "old") for tables in old))
    changes = [c for c in comparison.changes if c.cause is Cause.OUTSIDE]

    assert {c.what for c in changes} == {"aten.cat", "aten._foreach_add_"}
    assert {c.significant for c in changes} == {None}
    assert all("not tested" in of_change(c, "step") for c in changes)
    assert all(c.interval_ns is None for c in changes)


def test_another_gpu_is_said(base: State, before: ComparedSide) -> None:
    """What makes two recordings hard to compare is listed beside the change."""
    comparison = compare_sides(before, recorded(base, 5, Weather(gpu="Another GPU")))

    assert [difference.what for difference in comparison.differences] == ["GPU"]


def test_another_number_of_processes_is_said(before: ComparedSide) -> None:
    """Twice the ranks take twice the time per step, which no change of the code explains."""
    comparison = compare_sides(before, replace(before, processes=2))

    assert [difference.say_difference() for difference in comparison.differences] == [
        "processes: 1, then 2"
    ]


def test_lines_of_another_checkout_are_the_same_lines(tmp_path: Path) -> None:
    """A recording of a branch that lies elsewhere: its lines stand beside those of the base."""
    sample = Path(__file__).resolve().parents[3] / "sample_traces" / "cpu_block"
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(sample, elsewhere)
    log = elsewhere / "torch_trace.log"
    text = log.read_text(encoding="utf-8")
    log.write_text(text.replace("/home/user/", "/home/user/branch/"), encoding="utf-8")
    comparison = compare_sides(
        *(side_of_result(correlate(folder).tables, folder.name) for folder in (sample, elsewhere))
    )
    files = {row.name.partition(":")[0] for row in comparison.tables["lines"]}

    assert "/home/user/branch/" in log.read_text(encoding="utf-8")
    assert any(file.startswith("/home/user/branch/") for file in files)
    assert all(row.change_ns == 0 for row in comparison.tables["lines"])
    assert comparison.changes == ()


def test_a_graph_that_went_is_one_change(base: State, before: ComparedSide) -> None:
    """A graph without a counterpart is new or gone as a whole."""
    forward = {name: text for name, text in base.texts.items() if "forward" in name}
    comparison = compare_sides(before, recorded(State(texts=forward, costs=base.costs), 6))

    assert [c.what for c in comparison.changes if c.cause is Cause.GONE_GRAPH] == ["0_backward"]
    assert_adds_up(comparison)


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "code"), [("cpu_warm", "tt"), ("cpu_nonlazy", "torch_compile_debug")]
)
def test_real_recordings_of_one_model_pair_call_by_call(name: str, code: str, corpus: Path) -> None:
    """Whether compiled elsewhere, cached or in another order, every call is paired with itself."""
    folder = corpus / "inductor"
    inputs = [("cpu_base", "torch_compile_debug"), (name, code)]
    before, after = (
        side_of_result(correlate(folder / run / kind, folder / run / "trace.json").tables, run)
        for run, kind in inputs
    )
    comparison = compare_sides(before, after)

    of_code = [change for change in comparison.changes if change.cause is not Cause.OUTSIDE]
    assert {change.cause for change in of_code} <= {Cause.SAME_CODE, Cause.CLOCK}
    assert all(change.before and change.after for change in of_code)
    assert_adds_up(comparison)


COUNTS = st.tuples(st.integers(0, 40), st.integers(0, 10**6))
CALLS = st.lists(st.tuples(st.sampled_from(["a", "ab", "b", "c", "bc"]), COUNTS), max_size=6)


def made(
    base: ComparedSide, graphs: list[list[tuple[str, tuple[int, int]]]], rests: list[int]
) -> ComparedSide:
    """A side of graphs of calls (work, (launches, ns)), and of time without a call."""
    call = base.graphs[0].calls[0]
    built = []
    for number, calls in enumerate(graphs):
        pieces = [
            Piece(
                fingerprint=f"f-{work}", name=work, parts=tuple(f"aten.{op} f32[8]" for op in work)
            )
            for work, _ in calls
        ]
        calls_of_graph = [
            replace(call, id=f"{number}/{at}", piece=piece, launches=launches, time_ns=ns)
            for at, (piece, (_, (launches, ns))) in enumerate(zip(pieces, calls, strict=True))
        ]
        built.append(replace(base.graphs[0], id=str(number), calls=tuple(calls_of_graph)))
    outside = [
        RestSide(name=str(at), outside=at % 2 == 0, launches=1, time_ns=ns)
        for at, ns in enumerate(rests)
    ]
    return replace(base, graphs=tuple(built), rests=tuple(outside))


def exact_total(side: ComparedSide, units: int) -> Fraction:
    calls = sum(call.time_ns for graph in side.graphs for call in graph.calls)
    return Fraction(calls + sum(rest.time_ns for rest in side.rests), units)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    graphs=st.tuples(st.lists(CALLS, max_size=3), st.lists(CALLS, max_size=3)),
    rests=st.tuples(*(st.lists(st.integers(0, 10**6), max_size=3) for _ in range(2))),
    units=st.tuples(st.integers(1, 30), st.integers(1, 30)),
    clock=st.fractions(Fraction(1, 2), 2, max_denominator=50),
)
def test_parts_are_the_whole_change_exactly(
    before: ComparedSide,
    graphs: tuple[list[list[tuple[str, tuple[int, int]]]], ...],
    rests: tuple[list[int], ...],
    units: tuple[int, int],
    clock: Fraction,
) -> None:
    """Whatever was added, removed or moved, the parts add up exactly, in both directions."""
    one, other = (made(before, *content) for content in zip(graphs, rests, strict=True))
    change = exact_total(other, units[1]) - exact_total(one, units[0])
    clocks, inverse = ClockFactors(common=clock), ClockFactors(common=1 / clock)
    parts = parts_of(pair_sides(one, other), (one, other), units, clocks)
    back = parts_of(pair_sides(other, one), (other, one), units[::-1], inverse)

    assert sum((part.exact for part in parts), Fraction(0)) == change
    assert sum((part.exact for part in back), Fraction(0)) == -change


@given(st.lists(st.fractions(-1000, 1000, max_denominator=60), min_size=1, max_size=20))
def test_whole_parts_add_up(parts: list[Fraction]) -> None:
    """Each part is within a nanosecond of its exact value, and what is 0 stays 0."""
    total = round(sum(parts, Fraction(0)))
    whole = whole_parts(parts, total)

    assert sum(whole) == total
    assert all(abs(one - part) <= 1 for one, part in zip(whole, parts, strict=True))
    assert all(one == 0 for one, part in zip(whole, parts, strict=True) if part == 0) or not any(
        parts
    )


def test_whole_parts_take_no_longer_for_a_large_rest() -> None:
    """A total that the parts do not add up to, as damage may leave it, is shared out at once."""
    assert whole_parts([Fraction(1, 2), Fraction(0), Fraction(1, 3)], 2**63) == [2**62, 0, 2**62]


def rewritten(base: State, pairs: dict[str, str]) -> State:
    """The state with words of its code replaced; calls that are new cost what they did."""
    texts = dict(base.texts)
    for old, new in pairs.items():
        texts = {name: re.sub(old, new, text) for name, text in texts.items()}
    later = State(texts=texts, costs=base.costs)
    costs = dict(zip(later.keys, base.cost_list(), strict=True))
    return State(texts=texts, costs=costs)


def of_code(comparison: Comparison) -> dict[str, Change]:
    return {c.what: c for c in comparison.changes if c.cause in (Cause.OPS, Cause.SHAPES)}


def test_a_cause_names_the_operator_that_became_another(base: State, before: ComparedSide) -> None:
    """A fused kernel's cause is `gelu became relu`; the library call behind it is the same code."""
    state = rewritten(base, {"gelu": "relu", r"aten\.erf\.default": "aten.tanh.default"})
    comparison = compare_sides(before, recorded(state, 2))
    (changed,) = [
        c for c in comparison.changes if c.cause is Cause.OPS and "forward" in str(c.graph)
    ]
    same = [c.what for c in comparison.changes if c.cause is Cause.SAME_CODE]

    assert changed.detail is not None
    assert changed.detail.startswith("gelu became relu")
    assert not [c for c in comparison.changes if c.cause in (Cause.SHAPES, Cause.NEW, Cause.GONE)]
    assert {what for what in same if what.startswith("extern_kernels")}


def test_a_cause_names_the_dtype_that_became_another(base: State) -> None:
    """`bf16 became fp32`, of the same operators on the same shapes."""
    half = rewritten(base, {r"\bf32\[": "bf16[", r"torch\.float32": "torch.bfloat16"})
    comparison = compare_sides(recorded(half, 1), recorded(base, 2))
    changed = [c for c in comparison.changes if c.cause is Cause.SHAPES]

    assert changed
    typed = [c for c in changed if any(" " in part for part in c.before[0].piece.parts)]
    assert len(typed) > 10
    assert {c.detail for c in typed} == {"bf16 became fp32"}


def test_equal_shapes_are_never_other_shapes(base: State, before: ComparedSide) -> None:
    """The same operators on the same shapes with another constant are described as just that."""
    state = rewritten(base, {r"(aten\.mul\.Tensor\]\(args = \(%\w+, )0\.5\)": r"\g<1>0.25)"})
    comparison = compare_sides(before, recorded(state, 2))
    changed = [
        c
        for c in comparison.changes
        if c.cause not in (Cause.SAME_CODE, Cause.SPREAD, Cause.OUTSIDE)
    ]

    assert changed
    assert {c.cause for c in changed} == {Cause.OPS}
    assert {c.detail for c in changed} == {"the same operators on other values or strides"}
    assert comparison.differences == ()


def test_one_slow_run_contradicts_no_row(base: State, before: ComparedSide) -> None:
    """A row's change, ratio and interval are of medians; single runs are a line of their own."""
    after = recorded(base, 2)
    graph = after.graphs[1]
    call = graph.calls[2]
    slow = max(call.samples)
    samples = {**call.samples, slow: call.samples[slow] + 50 * call.time_ns}
    odd = replace(call, samples=samples, time_ns=51 * call.time_ns)
    calls = tuple(odd if other is call else other for other in graph.calls)
    graphs = (after.graphs[0], replace(graph, calls=calls))
    total = after.summary.total_ns + odd.time_ns - call.time_ns
    summary = replace(after.summary, total_ns=total)
    comparison = compare_sides(before, replace(after, graphs=graphs, summary=summary))
    rows = {
        c.cause: c for c in comparison.changes if c.what == call.name and c.before[0].id == call.id
    }

    assert rows[Cause.SPREAD].change_ns > 40 * abs(rows[Cause.SAME_CODE].change_ns)
    for change in comparison.changes:
        if change.interval_ns is None or change.evidence is None:
            continue
        low, high = change.interval_ns
        assert low <= change.change_ns <= high
        rose = change.evidence.after_ns - change.evidence.before_ns
        assert change.change_ns * rose >= 0
        assert ("slower" in of_change(change, "step")) <= (rose > 0)


def test_what_is_launched_twice_is_not_also_slower(base: State, before: ComparedSide) -> None:
    """The launches that came are one cause; one launch takes as long as before."""
    key, cost = base.call_of(GELU)
    twice = State(
        texts=base.texts, costs={**base.costs, key: dataclasses.replace(cost, launches=2)}
    )
    comparison = compare_sides(before, recorded(twice, 2))
    rows = {c.cause: c for c in comparison.changes if c.what == GELU}

    assert rows[Cause.LAUNCHES].change_ns > 0.9 * cost.ns
    assert rows[Cause.SAME_CODE].significant is False


def windowed(side: ComparedSide, launches: dict[str, int], ns: int) -> ComparedSide:
    """A window without steps and graphs, in which operators of `ns` were launched so often."""
    rests = tuple(
        RestSide(name=name, outside=True, launches=number, time_ns=number * ns)
        for name, number in launches.items()
    )
    total = sum(rest.time_ns for rest in rests)
    summary = replace(
        side.summary, total_ns=total, launches=sum(launches.values()), steps=None, invocations=0
    )
    return replace(side, graphs=(), rests=rests, steps=None, by_step={}, summary=summary)


def test_windows_without_steps_are_no_faster_for_being_emptier(before: ComparedSide) -> None:
    """5,299 and 4,733 launches of equal length are as fast per launch, and hard to compare."""
    one = windowed(before, {"aten.mm": 3000, "aten.add": 2299}, 1000)
    other = windowed(before, {"aten.mm": 2680, "aten.add": 2053}, 1000)
    comparison = compare_sides(one, other)
    same = compare_sides(one, replace(one, title="again"))

    assert (comparison.unit.word, comparison.unit.before, comparison.unit.after) == (
        "launch",
        5299,
        4733,
    )
    assert say_whole_change(comparison).startswith("as fast as before: 1.00 µs → 1.00 µs")
    assert [difference.what for difference in comparison.differences] == ["window"]
    assert "5,299 launches" in say_verdict(comparison)[0]
    assert {c.cause for c in comparison.changes} <= {Cause.LAUNCHES, Cause.OUTSIDE}
    assert sum(c.change_ns for c in comparison.changes) == comparison.change_ns
    assert same.differences == ()


def test_runs_of_graphs_with_other_work_beside_them_are_hard_to_compare(
    before: ComparedSide,
) -> None:
    """Without steps, nothing explains twice the launches outside the runs: a difference says so."""
    bare = replace(before, steps=None, by_step={}, summary=replace(before.summary, steps=None))
    more = tuple(replace(rest, launches=2 * rest.launches) for rest in bare.rests)
    comparison, same = compare_sides(bare, replace(bare, rests=more)), compare_sides(bare, bare)

    assert same.differences == ()
    assert [difference.what for difference in comparison.differences] == ["window"]
    assert comparison.unit.noun == "run"
