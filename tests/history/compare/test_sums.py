"""Changes summed by cause and kernel or operator: one row for what one reader has to know."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from histories.play import Weather, play
from histories.story import State, first_state, fused_otherwise, slower
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from kernelmap.dashboard.causes import causes_of_item, causes_of_run
from kernelmap.history.compare.gate.findings import GateLimits
from kernelmap.history.compare.gate.verdict import judge_comparison
from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.history.compare.numbers.comparison import Comparison, compare_sides
from kernelmap.history.compare.numbers.sums import ChangeSum
from kernelmap.history.compare.sides.pieces import Piece
from kernelmap.history.compare.sides.side import CallSide, ComparedSide, RestSide, side_of_result
from kernelmap.history.compare.texts import show
from kernelmap.history.compare.texts.first_line import find_first_line
from kernelmap.history.compare.texts.words import call_lines, lines_of_changes, say_verdict
from kernelmap.pages.render import html, markdown, terminal

RUNS = 20
MM, ADD = "extern_kernels.mm", "triton_poi_fused_add"


@pytest.fixture(scope="module")
def base(samples: Path) -> State:
    return first_state(samples / "sim_mlp_train")


@pytest.fixture(scope="module")
def frame(base: State) -> ComparedSide:
    """A side whose calls the tests replace."""
    return side_of_result(play(base.program, base.cost_list(), Weather(), 1), "frame")


def call(name: str, at: int, times: list[int], lines_: tuple[str, ...] = ()) -> CallSide:
    """One call with a time per run of its graph."""
    return CallSide(
        id=f"0_forward/{at}",
        name=name,
        piece=Piece(fingerprint=f"f{at}~1", name=name.removesuffix(f"_{at}")),
        backend="extern" if name == MM else "triton",
        launches=len(times),
        time_ns=sum(times),
        ops=("aten.mm",) if name == MM else ("aten.add",),
        source=lines_,
        samples={("1", None, run): time for run, time in enumerate(times)},
        sampled=len(times),
    )


def model(  # noqa: PLR0913 -- one parameter per thing that a test plants
    frame: ComparedSide,
    seed: int,
    *,
    mm: int = 60,
    add: int = 60,
    noise: float = 0.02,
    slow: float = 1.0,
    only: int | None = None,
    runs: int = RUNS,
) -> ComparedSide:
    """A model of products and additions, of 5 µs each; all products are `slow`, or `only` one."""
    rng = np.random.default_rng(seed)

    def times(factor: float) -> list[int]:
        return [round(5_000 * factor * spread) for spread in rng.lognormal(0, noise, runs)]

    calls = [
        call(MM, at, times(slow if only in (None, at) else 1.0), (f"net.py:{at % 3 + 10}",))
        for at in range(mm)
    ]
    calls += [call(f"{ADD}_{mm + at}", mm + at, times(1.0)) for at in range(add)]
    graph = replace(frame.graphs[0], id="0_forward", invocations=runs, calls=tuple(calls))
    total = sum(each.time_ns for each in calls)
    window = replace(frame.summary, total_ns=total, launches=len(calls) * runs)
    return replace(
        frame, graphs=(graph,), rests=(), steps=runs, by_step={}, summary=window, title=f"{seed}"
    )


def sum_of(comparison: Comparison, cause: Cause, what: str) -> ChangeSum:
    (found,) = [each for each in comparison.sums if (each.cause, each.what) == (cause, what)]
    return found


def test_an_operator_that_became_slower_is_one_row(frame: ComparedSide) -> None:
    """Sixty calls of one kernel are one row in every medium, and the first line says it."""
    comparison = compare_sides(model(frame, 1), model(frame, 2, slow=1.1))
    shown = [line for line in lines_of_changes(comparison) if not line.dim]
    mm = sum_of(comparison, Cause.SAME_CODE, MM)
    first = find_first_line(comparison)

    assert [(line.what, line.where) for line in shown] == [(MM, "60 calls")]
    assert len(mm.changes) == mm.calls == 60
    assert mm.ratio == pytest.approx(1.1, abs=0.01)
    assert first.startswith(f"{MM} is 1.10x slower in 60 calls, same code: +")
    assert "net.py:1" in first
    assert "and 2 more lines" in first
    assert terminal.render_text(show.short_page(comparison), 200).plain.splitlines()[0] == first
    assert markdown.render_markdown(show.short_page(comparison)).splitlines()[0] == f"### `{first}`"
    assert f"<h1>{first}</h1>" in html.render_document(show.whole_page(comparison), title="x")
    assert causes_of_run(comparison).startswith("same code +")
    assert causes_of_run(comparison).endswith(f": {MM}, 60 calls")
    assert causes_of_item(comparison, "op", "aten.mm").endswith(f": {MM}, 60 calls")


def test_chance_is_asked_of_the_sum(frame: ComparedSide) -> None:
    """3 % beyond the noise of no single call is significant in the sum; without it nothing is."""
    before, noise = model(frame, 1, noise=0.05), 0.05
    same = compare_sides(before, model(frame, 3, noise=noise))
    later = compare_sides(before, model(frame, 2, noise=noise, slow=1.03))
    mm = sum_of(later, Cause.SAME_CODE, MM)

    assert not any(change.significant for change in mm.changes)
    assert mm.evidence is not None
    assert mm.significant
    assert mm.interval_ns is not None
    assert mm.interval_ns[0] < 60 * 150 < mm.interval_ns[1]
    assert not any(each.significant for each in same.sums)
    assert find_first_line(same) == "nothing stands out from noise"


def test_a_sum_and_its_interval_are_of_a_step(frame: ComparedSide) -> None:
    """Where a step runs its graph twice, the change of a step is twice that of an invocation."""
    sides = model(frame, 1, noise=0.05), model(frame, 2, noise=0.05, slow=1.03)
    once = sum_of(compare_sides(*sides), Cause.SAME_CODE, MM)
    twice = sum_of(
        compare_sides(*(replace(side, steps=RUNS // 2) for side in sides)), Cause.SAME_CODE, MM
    )

    assert once.interval_ns is not None
    assert twice.interval_ns is not None
    assert list(twice.interval_ns) == pytest.approx([2 * end for end in once.interval_ns], abs=2)
    assert twice.change_ns == pytest.approx(2 * once.change_ns, abs=2 * 60)


def test_one_slow_call_is_not_hidden_in_its_sum(frame: ComparedSide) -> None:
    """Where one call of sixty is beyond noise, the row stands alone and names that call."""
    slow_one = compare_sides(model(frame, 1), model(frame, 2, slow=1.5, only=7))
    (line,) = [line for line in lines_of_changes(slow_one) if not line.dim]

    assert line.what == MM
    assert "mostly 0_forward/7" in line.words
    assert "0_forward/7" in {single.where for single in call_lines(slow_one)}


def test_single_calls_stand_below_the_sums(frame: ComparedSide) -> None:
    """In HTML and Markdown they are folded; in a terminal they are shown where asked for."""
    comparison = compare_sides(model(frame, 1), model(frame, 2, slow=1.5))
    short, long = (show.short_page(comparison, calls=calls) for calls in (False, True))
    text = markdown.render_markdown(long)
    page = html.render_document(show.whole_page(comparison), title="x")

    assert "0_forward/7 " not in terminal.render_text(short, 200).plain
    assert (
        "0_forward/7 "
        in terminal.render_text(show.short_page(comparison, top=60, calls=True), 200).plain
    )
    assert text.count("<details>") == text.count("</details>") == 1
    assert text.index("60 calls") < text.index(
        "<details>\n<summary>The same, call by call</summary>"
    )
    assert page.index("60 calls") < page.index("<summary>The same, call by call</summary>")
    assert page.count("<details>") == page.count("</details>") == 1


def test_what_was_fused_otherwise_is_one_row(base: State) -> None:
    """However many parts there are: how many, and how many calls became how many."""
    state = base
    names = dict.fromkeys(each.wrapper for _, each in base.program.calls)
    for name in (name for name in names if name.startswith("triton_")):
        with suppress(ValueError, StopIteration):  # it has no two nodes to take apart
            state, _ = fused_otherwise(state, name, 1.6)
    one, other = (
        side_of_result(play(each.program, each.cost_list(), Weather(), seed), "x")
        for seed, each in enumerate((base, state))
    )
    comparison = compare_sides(one, other)
    (fused,) = [each for each in comparison.sums if each.cause is Cause.REFUSED]
    before, after = len(fused.before), len(fused.after)

    assert len(fused.changes) > 1
    assert fused.what == f"{len(fused.changes)} parts: {before} calls became {after}"
    assert find_first_line(comparison).startswith(
        f"{len(fused.changes)} parts are fused otherwise: {before} calls became {after}: +"
    )


def test_the_first_line_says_that_there_is_nothing(base: State) -> None:
    """No change, and changes that are no more than noise, are said to be that."""
    one, other = (
        side_of_result(play(base.program, base.cost_list(), Weather(), seed), "x")
        for seed in (1, 2)
    )

    assert find_first_line(compare_sides(one, one)) == "no change"
    assert find_first_line(compare_sides(one, other)) == "nothing stands out from noise"


def test_too_few_runs_are_said(frame: ComparedSide) -> None:
    """Three runs a side tell nothing from noise: the largest sum is named, and that is said."""
    few = compare_sides(model(frame, 1, runs=3), model(frame, 2, runs=3, slow=1.1))

    assert find_first_line(few).startswith(
        f"no change can be told from noise: 3 and 3 steps are too few (largest: {MM}, +"
    )


TIMES = st.lists(
    st.tuples(
        st.sampled_from([MM, "triton_a_1", "triton_a_2", "triton_b_3"]), st.integers(0, 9000)
    ),
    max_size=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sides=st.tuples(TIMES, TIMES), units=st.tuples(st.integers(1, 9), st.integers(1, 9)))
def test_sums_add_up_to_the_change(
    frame: ComparedSide, sides: tuple[list[tuple[str, int]], ...], units: tuple[int, int]
) -> None:
    """Whatever came, went and changed: each change is in one sum, and they add up to the ns."""
    made = []
    for times, runs in zip(sides, units, strict=True):
        calls = tuple(call(name, at, [ns] * runs) for at, (name, ns) in enumerate(times))
        graph = replace(frame.graphs[0], id="0_forward", invocations=runs, calls=calls)
        window = replace(frame.summary, total_ns=sum(each.time_ns for each in calls))
        made.append(
            replace(frame, graphs=(graph,), rests=(), steps=runs, by_step={}, summary=window)
        )
    comparison = compare_sides(*made)
    held = [change for each in comparison.sums for change in each.changes]

    assert sorted(map(id, held)) == sorted(map(id, comparison.changes))
    assert sum(each.change_ns for each in comparison.sums) == comparison.change_ns
    for top in (0, 1, 50):
        for listed in (lines_of_changes, call_lines):
            assert sum(line.change_ns for line in listed(comparison, top)) == comparison.change_ns
    assert all(each.ratio is None or Fraction(each.ratio) >= 0 for each in comparison.sums)


def test_a_sum_says_how_much_of_its_limit_it_reaches(base: State) -> None:
    """A sum of one call has what the call has."""
    state, planted = slower(base, "triton_poi_fused_gelu_view_1", 1.5)
    one, other = (
        side_of_result(play(each.program, each.cost_list(), Weather(), seed), "x")
        for seed, each in enumerate((base, state))
    )
    found = sum_of(compare_sides(one, other), Cause.SAME_CODE, planted.before[0])

    assert found.changes[0].evidence == found.evidence
    assert found.changes[0].interval_ns == found.interval_ns
    assert found.shares_of_limit == found.changes[0].shares_of_limit


def fused_otherwise_in(
    frame: ComparedSide, parts: int, before: int, after: int, slow: float
) -> Comparison:
    """`parts` groups of calls that share nodes: `before` of them each became `after`."""

    def made(number: int, factor: float) -> ComparedSide:
        calls = []
        for part in range(parts):
            for at in range(number):
                nodes = tuple(f"aten.op{part}_{node} f32[8]" for node in range(at, 40, number))
                ns = round(40_000 * factor / number)
                one = call(f"triton_poi_fused_{part}", 100 * part + at, [ns] * RUNS)
                piece = Piece(fingerprint=f"f{number}-{part}-{at}", name=one.name, parts=nodes)
                calls.append(replace(one, piece=piece, ops=()))
        graph = replace(frame.graphs[0], id="0_forward", invocations=RUNS, calls=tuple(calls))
        window = replace(frame.summary, total_ns=sum(each.time_ns for each in calls))
        steps = dict.fromkeys(range(RUNS), window.total_ns // RUNS)
        return replace(frame, graphs=(graph,), rests=(), steps=RUNS, by_step=steps, summary=window)

    return compare_sides(made(before, 1.0), made(after, slow))


@pytest.mark.parametrize(("parts", "before", "after"), [(1, 3, 32), (45, 2, 7)])
def test_a_reason_is_a_sentence_that_fits(
    frame: ComparedSide, parts: int, before: int, after: int
) -> None:
    """However many calls are concerned: they are counted, and no list of ids makes a line long."""
    comparison = fused_otherwise_in(frame, parts, before, after, 1.5)
    reasons = judge_comparison(comparison, GateLimits(levels=("call",))).reasons

    assert len(reasons) == 1
    assert max(map(len, reasons)) < 160
    assert "0_forward/" not in reasons[0]
    if parts > 1:
        assert reasons[0].startswith(
            f"{parts} parts are fused otherwise: {parts * before} calls became {parts * after}, +"
        )
    else:
        assert f"[{after} calls]: fused otherwise ({before} calls → {after} calls" in reasons[0]
    assert (
        max(
            map(
                len,
                terminal.render_text(show.short_page(comparison, by="call"), 140).plain.split("\n"),
            )
        )
        <= 140
    )


def test_calls_that_fail_together_are_one_reason(frame: ComparedSide) -> None:
    """Eight calls of one kernel that fail by one cause are told once, a single one by its id."""
    limits = GateLimits(time_ns=1_000, levels=("call",))
    before = model(frame, 1, mm=8, add=112)
    every = judge_comparison(
        compare_sides(before, model(frame, 2, mm=8, add=112, slow=1.3)), limits
    ).reasons
    one = judge_comparison(
        compare_sides(before, model(frame, 2, mm=8, add=112, slow=1.3, only=7)), limits
    ).reasons

    assert len(every) == len(one) == 1
    assert every[0].startswith(f"{MM} is 1.30x slower in 8 calls, same code, +")
    assert one[0].startswith(f"call {MM} [0_forward/7]: same code, 1.")


def test_a_gate_that_fails_says_why_first(frame: ComparedSide) -> None:
    """What became slower is the finding of a gate that fails, also beside a larger gain."""
    faster = compare_sides(model(frame, 1, add=9), model(frame, 2, add=9, slow=0.5, only=3))
    both = replace(
        faster, sums=(*faster.sums, *compare_sides(model(frame, 1), model(frame, 2, slow=1.1)).sums)
    )

    assert "faster" in find_first_line(faster)
    assert "faster" in find_first_line(faster, slower=True)
    assert "slower" in find_first_line(both, slower=True)


def test_a_setting_that_changed_is_named_first(frame: ComparedSide) -> None:
    """A setting of the compiler, or a version: in the first line and among the differences.

    A setting that one side does not know is no difference; many are counted.
    """
    before, after = model(frame, 1), model(frame, 2, slow=1.1)
    fewer = replace(after, settings={"max_fusion_size": "2", "new_in_this_version": "1"})
    known = compare_sides(replace(before, settings={"max_fusion_size": "64"}), fewer)
    many = {f"option_{at}": "1" for at in range(40)}
    every = compare_sides(
        replace(before, settings=many), replace(after, settings=dict.fromkeys(many, "2"))
    )
    versions = compare_sides(
        replace(before, versions={"torch": "2.11"}), replace(after, versions={"torch": "2.13"})
    )

    assert find_first_line(known).startswith(f"max_fusion_size 64 → 2; {MM} is 1.10x slower")
    assert say_verdict(known) == ["differs beside the code: setting max_fusion_size: 64, then 2"]
    assert find_first_line(every).startswith(
        "option_0 1 → 2, option_1 1 → 2, option_10 1 → 2 and 37 more; "
    )
    assert len(say_verdict(every)) == 6
    assert say_verdict(every)[-1] == "differs beside the code: 35 more settings"
    assert find_first_line(versions).startswith("torch 2.11 → 2.13; ")
    assert find_first_line(compare_sides(before, fewer)).startswith(MM)


def broken_up(frame: ComparedSide) -> tuple[ComparedSide, ComparedSide]:
    """A graph, and the same with a graph break: two graphs, and an operator between them."""

    def at(name: str, number: int, op: str, line: int, key: str) -> CallSide:
        one = call(name, number, [10_000] * RUNS, (f"net.py:{line}",))
        piece = Piece(fingerprint=key, name=name, ops=(op,), parts=(f"{op} f32[8]",))
        return replace(one, ops=(op,), piece=piece)

    def made(graphs: list[list[CallSide]], outside: dict[str, int]) -> ComparedSide:
        built = tuple(
            replace(
                frame.graphs[0],
                id=f"{number}_forward",
                invocations=RUNS,
                calls=tuple(
                    replace(each, id=f"{number}_forward/{at}") for at, each in enumerate(calls)
                ),
            )
            for number, calls in enumerate(graphs)
        )
        rests = tuple(
            RestSide(name=name, outside=True, launches=RUNS, time_ns=ns * RUNS)
            for name, ns in outside.items()
        )
        total = sum(each.time_ns for graph in graphs for each in graph)
        window = replace(
            frame.summary, total_ns=total + sum(rest.time_ns for rest in rests), launches=1
        )
        return replace(frame, graphs=built, rests=rests, steps=RUNS, by_step={}, summary=window)

    norm = at("triton_norm_0", 0, "aten.layer_norm", 1, "norm")
    scale = at("triton_scale_1", 1, "aten.mul", 2, "scale")
    kept = [at(f"triton_kept_{number}", 5, "aten.add", 9, f"k{number}") for number in range(3)]
    fused = at("triton_tanh_gelu_2", 2, "aten.gelu", 3, "tanh_gelu")
    fused = replace(fused, ops=("aten.tanh", "aten.gelu"))
    gelu = at("triton_gelu_0", 0, "aten.gelu", 3, "gelu")
    before = made([[*kept, norm, scale, fused]], {"aten._foreach_add_": 500})
    after = made([[*kept, norm], [scale, gelu]], {"aten._foreach_add_": 500, "aten.tanh": 7_000})
    return before, after


def test_new_and_gone_calls_that_replace_each_other_are_one_row(frame: ComparedSide) -> None:
    """The calls that a graph break moves into another graph, or out of any, are one row.

    In both directions; a new call for other operators, or of another line, is a row of its own.
    """
    before, after = broken_up(frame)
    split, joined = compare_sides(before, after), compare_sides(after, before)
    first = find_first_line(split)
    (moved,) = split.sums

    assert (moved.cause, moved.what) == (Cause.REPLACED, "2 calls became 2")
    assert {change.cause for change in moved.changes} == {
        Cause.GONE,
        Cause.NEW_GRAPH,
        Cause.OUTSIDE,
    }
    assert moved.change_ns == split.change_ns == 7_000
    assert split.by_cause == {Cause.REPLACED: 7_000}
    assert first.startswith("2 calls became 2 in 2 graphs (1 do the same work as before): +7.00 µs")
    assert first.endswith("net.py:2 and 1 more line, not tested")
    assert [(each.cause, each.what) for each in joined.sums] == [
        (Cause.REPLACED, "2 calls became 2")
    ]
    assert [line.cause for line in lines_of_changes(split)] == ["replaced"]


def test_what_is_only_new_replaces_nothing(frame: ComparedSide) -> None:
    """A new graph for operators that nothing else lost stays a new graph."""
    before, after = broken_up(frame)
    more = replace(after.graphs[1], id="7_forward")
    calls = tuple(replace(each, ops=("aten.cumsum",), source=("net.py:77",)) for each in more.calls)
    added = (*before.graphs, replace(more, calls=calls))
    total = before.summary.total_ns + sum(each.time_ns for each in calls)
    window = replace(before.summary, total_ns=total)
    grown = compare_sides(before, replace(before, graphs=added, summary=window))

    assert Cause.REPLACED not in {each.cause for each in grown.sums}
    assert Cause.NEW_GRAPH in {each.cause for each in grown.sums}


def test_single_slow_runs_are_said_where_they_bear_the_change(frame: ComparedSide) -> None:
    """Where medians are equal and the mean is not, the first line says so."""
    before = model(frame, 1, noise=0.0)
    graph = before.graphs[0]
    slow = [
        replace(
            each, samples={**each.samples, ("1", None, 3): 90_000}, time_ns=RUNS * 5_000 + 85_000
        )
        if each.name == MM
        else each
        for each in graph.calls
    ]
    total = sum(each.time_ns for each in slow)
    after = replace(
        before,
        graphs=(replace(graph, calls=tuple(slow)),),
        summary=replace(before.summary, total_ns=total),
    )

    assert find_first_line(compare_sides(before, after)).startswith(
        "nothing stands out from noise; single runs far from the median: +"
    )
