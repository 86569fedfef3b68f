"""The gate: what fails, what passes, and what it writes for CI."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import gate_power
import numpy as np
import pytest
from click.testing import CliRunner, Result
from histories.play import Weather, play
from histories.recorded import Deviations, Recorded
from histories.story import State, first_state, longer, one_more, slower
from msgspec.structs import replace

from kernelmap.capture.plan import Plan
from kernelmap.cli import main
from kernelmap.history.compare.gate.baselines import baseline_of, make_baseline
from kernelmap.history.compare.gate.findings import GateLimits
from kernelmap.history.compare.gate.verdict import judge_comparison
from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.history.compare.numbers.comparison import compare_sides
from kernelmap.history.compare.numbers.statistics import least_invocations
from kernelmap.history.compare.sides.opening import Opened
from kernelmap.history.compare.sides.pieces import Piece
from kernelmap.history.compare.sides.side import ComparedSide, side_of_result
from kernelmap.pages.write import write_tables
from kernelmap.tables.summary import Summary

ADDMM, GELU = "extern_kernels.addmm", "triton_poi_fused_gelu_view_1"


@pytest.fixture(scope="module")
def base(samples: Path) -> State:
    return longer(first_state(samples / "sim_mlp_train"), 20)


def recorded(state: State, seed: int, weather: Weather | None = None) -> ComparedSide:
    return side_of_result(
        play(state.program, state.cost_list(), weather or Weather(), seed), f"seed {seed}"
    )


@pytest.fixture(scope="module")
def folder(base: State, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recordings: `main0` to `main2` of one state, `slow` of one with a slower call."""
    place = tmp_path_factory.mktemp("gate")
    for seed in range(3):
        write_tables(play(base.program, base.cost_list(), Weather(), seed), place / f"main{seed}")
    state, _ = slower(base, ADDMM, 1.1)
    write_tables(play(state.program, state.cost_list(), Weather(), 9), place / "slow")
    return place


def run(*arguments: str | Path, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(main, ["gate", *map(str, arguments)], env=env)


def test_a_slower_call_fails_with_its_reason(folder: Path) -> None:
    """Exit 1; the reason names the call, where it stands, and by how much."""
    result = run("--baseline", folder / "main0", folder / "slow")

    assert result.exit_code == 1
    assert f"- call {ADDMM} [0_forward/1]: same code, 1." in result.stdout
    assert result.stdout.endswith("gate: failed for 1 reason\n")


def test_repeats_are_a_baseline(folder: Path) -> None:
    """Three recordings together: noise passes, a regression does not."""
    repeats = [part for seed in range(3) for part in ("--baseline", folder / f"main{seed}")]

    assert run(*repeats, folder / "main1").exit_code == 0
    assert run(*repeats, folder / "slow").exit_code == 1


def test_thresholds_are_the_users(folder: Path) -> None:
    """A regression below the threshold passes, and so does one of a call that is too short."""
    given = ("--baseline", folder / "main0", folder / "slow")

    assert run("--max-regression", "20%", *given).exit_code == 0
    assert run("--min-time", "10ms", "--by", "call", *given).exit_code == 0
    assert run("--min-coverage", "0.5", "--max-regression", "0.2", *given).exit_code == 0
    assert run("--by", "op", "--min-time", "1us", *given).exit_code == 1
    assert run("--max-regression", "lots", *given).exit_code == 2
    assert run("--min-time", "20", *given).exit_code == 2
    assert run(folder / "slow").exit_code == 2


def test_time_without_a_pair_can_fail(base: State) -> None:
    """--min-coverage is the least share of time that is paired or known to be outside."""
    comparison = compare_sides(recorded(base, 1), recorded(base, 1))

    assert judge_comparison(comparison, GateLimits(coverage=0.98)).passed
    assert not judge_comparison(comparison, GateLimits(coverage=1.01)).passed


def test_a_slower_clock_passes_with_a_note(base: State) -> None:
    """A change that all of the same code shares is no regression of a single call."""
    comparison = compare_sides(recorded(base, 1), recorded(base, 2, Weather(clock=1.2)))
    verdict = judge_comparison(comparison, GateLimits(time_ns=0, levels=("call", "total")))

    assert verdict.passed
    assert "1.20x slower" in verdict.notes[0]


def test_a_new_call_is_held_against_the_whole(base: State) -> None:
    """It has no time of its own to be compared with: its part of the whole step decides."""
    large = slower(base, GELU, 5.0)[0]
    state, planted = one_more(large, GELU)
    comparison = compare_sides(recorded(large, 1), recorded(state, 2))
    share = planted.change_ns / comparison.before_ns
    alone = GateLimits(regression=0.02, levels=("call",))
    (reason,) = judge_comparison(comparison, alone).reasons

    assert share > 0.02
    assert reason.startswith(f"call {GELU} [0_forward/3]: new call, ")
    assert f"{share:.0%}"[:-1] in reason.replace(".", "")
    assert len(judge_comparison(comparison, replace(alone, levels=("call", "total"))).reasons) == 2
    assert judge_comparison(comparison, replace(alone, regression=share + 0.01)).passed
    assert judge_comparison(comparison, replace(alone, time_ns=2 * planted.change_ns)).passed


def test_a_call_in_the_place_of_another_is_no_regression(base: State) -> None:
    """New calls and graphs count only for the time that they take beyond what is gone."""
    before = recorded(base, 1)
    renamed = [
        replace(
            graph,
            calls=tuple(
                replace(call, name="new", piece=Piece(fingerprint="new", name="new", ops=("new",)))
                if call.name == ADDMM
                else call
                for call in graph.calls
            ),
        )
        for graph in before.graphs
    ]
    comparison = compare_sides(before, replace(before, graphs=tuple(renamed)))
    limits = GateLimits(regression=0.02, time_ns=0, levels=("call", "op", "total"))

    assert {change.cause for change in comparison.changes} == {Cause.NEW, Cause.GONE}
    assert judge_comparison(comparison, limits).passed


def test_a_new_graph_is_held_against_the_whole(base: State) -> None:
    """A whole graph that came on top fails as one reason."""
    forward = {name: text for name, text in base.texts.items() if "forward" in name}
    comparison = compare_sides(
        recorded(State(texts=forward, costs=base.costs), 1), recorded(base, 2)
    )
    (reason,) = judge_comparison(comparison, GateLimits(levels=("call",))).reasons

    assert re.match(r"graph 0_backward: new graph \(\d+ calls\), \S+ % on top of the whole", reason)


def test_a_call_that_is_launched_more_often_fails(base: State) -> None:
    """Twice a step instead of once is no chance; once more in all of a recording may be."""
    key, cost = base.call_of(ADDMM)
    twice = State(
        texts=base.texts, costs={**base.costs, key: dataclasses.replace(cost, launches=2)}
    )
    before = recorded(base, 1)
    (reason,) = judge_comparison(
        compare_sides(before, recorded(twice, 2)), GateLimits(levels=("call",))
    ).reasons
    first = before.graphs[1].calls[0]
    cut_off = replace(first, launches=19, time_ns=first.time_ns * 19 // 20)
    graph = replace(before.graphs[1], calls=(cut_off, *before.graphs[1].calls[1:]))
    shorter = compare_sides(replace(before, graphs=(before.graphs[0], graph)), before)

    assert f"call {ADDMM} [0_forward/1]: launch count changed (1 → 2 launches), 2.0" in reason
    assert Cause.LAUNCHES in shorter.by_cause
    assert judge_comparison(
        shorter, GateLimits(regression=0.02, time_ns=0, levels=("call",))
    ).passed


def test_what_the_clock_did_not_slow_is_not_said_to_be_slower(base: State) -> None:
    """A faster clock and copies that take as long as before: no regression of the whole."""
    weathers = [
        Weather(clock=clock, outside={"aten::copy_": round(3_000_000 / clock)})
        for clock in (1.0, 0.9)
    ]
    comparison = compare_sides(
        *(recorded(base, seed, weather) for seed, weather in enumerate(weathers))
    )

    assert abs(float(comparison.clock) - 0.9) < 0.01
    assert judge_comparison(
        comparison, GateLimits(time_ns=0, levels=("call", "op", "total"))
    ).passed


def test_operators_outside_are_judged_as_well(base: State) -> None:
    """An eager operator that takes longer in every step fails by its median, noise does not."""
    weather = Weather(outside={"aten::_foreach_add_": 60_000})
    before = recorded(base, 1)
    limits = GateLimits(levels=("op",))
    (reason,) = judge_comparison(compare_sides(before, recorded(base, 2, weather)), limits).reasons

    assert re.match(r"op aten\._foreach_add_: 1\.(49|5\d)x slower, \+", reason)
    assert judge_comparison(compare_sides(before, recorded(base, 2)), limits).passed


def test_too_few_invocations_fail_nothing(base: State) -> None:
    """Three steps are too few: the gate passes and says so."""
    short = Weather(steps=3)
    state, _ = slower(base, ADDMM, 1.5)
    verdict = judge_comparison(
        compare_sides(recorded(base, 1, short), recorded(state, 2, short)), GateLimits()
    )

    assert verdict.passed
    assert "too few invocations" in verdict.notes[0]


def test_ci_gets_a_summary(folder: Path, tmp_path: Path) -> None:
    """The step summary is added to, never replaced."""
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    run("--baseline", folder / "main0", folder / "slow", env={"GITHUB_STEP_SUMMARY": str(summary)})
    text = summary.read_text(encoding="utf-8")

    first = f"before\n## kernelmap gate failed for 1 reason: `{ADDMM} is 1.10x slower, same code: +"
    assert text.startswith(first)
    assert "| a step | interval | cause |" in text


def test_the_floor_comes_from_repeats(base: State) -> None:
    """A baseline of runs that drift apart asks for more than one of runs that agree."""
    calm = make_baseline([recorded(base, seed, Weather(drift=0.0)) for seed in range(4)])
    wild = make_baseline([recorded(base, seed, Weather(drift=0.05)) for seed in range(4)])
    alone = make_baseline([recorded(base, 1)])

    assert alone.floor is None
    assert calm.floor is not None
    assert wild.floor is not None
    assert wild.floor > 2 * calm.floor
    assert len(next(iter(calm.side.graphs)).calls[0].samples) == 80


def test_repeats_give_their_steps_outside_as_well(base: State) -> None:
    """An operator that some repeats have is not new, and its steps are those of all runs."""
    eager = Weather(outside={"aten::_foreach_add_": 40_000, "aten::cat": 30_000})
    sides = [recorded(base, seed, eager if seed % 2 else None) for seed in range(5)]
    reference = make_baseline(sides)
    change = next(
        change
        for change in compare_sides(reference.side, sides[1], floor=reference.floor).changes
        if change.what == "aten.cat"
    )

    assert all(len(rest.by_step or {}) in (40, 100) for rest in reference.side.rests)
    assert change.evidence is not None
    assert change.evidence.invocations == (100, 20)


def test_the_order_of_repeats_does_not_matter(base: State) -> None:
    """The same baseline, and the same verdict to the last digit of its intervals."""
    sides = [recorded(base, seed) for seed in range(3)]
    after = recorded(base, 9)
    changes = [
        compare_sides(reference.side, after, floor=reference.floor).changes
        for reference in (make_baseline(sides), make_baseline(sides[::-1]))
    ]

    assert changes[0] == changes[1]


def test_the_gate_has_the_power_it_promises() -> None:
    """A few trials of scripts/gate_power.py: all regressions caught, no false alarm."""
    rates = gate_power.power(3)

    assert (rates.caught, rates.alarms) == (3, 0)
    assert rates.good


def test_a_large_change_that_may_be_noise_is_inconclusive(base: State) -> None:
    """A change above the limit that may be noise has its interval and the steps that are needed."""
    wild = Weather(steps=6, noise=0.08)
    state, _ = slower(base, ADDMM, 1.1)
    limits = GateLimits(levels=("call",))
    verdict = judge_comparison(
        compare_sides(recorded(base, 1, wild), recorded(state, 2, wild)), limits
    )
    (doubt,) = [text for text in verdict.doubts if ADDMM in text and "[0_forward/1]" in text]
    match = re.search(r"\(\S+ \S+\): may be noise, about (\d+) steps a side would tell$", doubt)

    assert verdict.passed
    assert not verdict.conclusive
    assert match is not None
    enough = dataclasses.replace(wild, steps=int(match[1]))
    trials = [
        judge_comparison(
            compare_sides(recorded(base, seed, enough), recorded(state, seed + 50, enough)), limits
        )
        for seed in range(0, 50, 5)
    ]
    caught = [
        any(f"call {ADDMM} [0_forward/1]" in text for text in trial.reasons) for trial in trials
    ]
    assert sum(caught) >= 7


def test_strict_fails_on_what_is_inconclusive(base: State, tmp_path: Path) -> None:
    """The same verdict, exit 0 without --strict and 1 with it; nothing judged is no pass."""
    short = Weather(steps=3, noise=0.0)
    for name, state in (("one", base), ("other", slower(base, ADDMM, 1.5)[0])):
        write_tables(play(state.program, state.cost_list(), short, len(name)), tmp_path / name)
    given = ("--baseline", tmp_path / "one", tmp_path / "other")
    plain, strict = run(*given), run("--strict", *given)

    assert (plain.exit_code, strict.exit_code) == (0, 1)
    assert plain.stdout == strict.stdout
    assert "- inconclusive: call" in plain.stdout
    assert re.search(r"gate: inconclusive for \d+ reasons\n$", plain.stdout)
    same = run("--strict", "--baseline", tmp_path / "one", tmp_path / "one")
    assert (same.exit_code, same.stdout.splitlines()[-1]) == (0, "gate: passed")


def test_what_was_not_judged_is_said(base: State) -> None:
    """Notes count the calls below --min-time, those of few runs, and the time outside."""
    comparison = compare_sides(recorded(base, 1), recorded(base, 2))
    few = compare_sides(recorded(base, 1, Weather(steps=3)), recorded(base, 2, Weather(steps=3)))
    longest = max(change.after_ns for change in comparison.changes if change.before)
    notes = judge_comparison(comparison, GateLimits(time_ns=longest)).notes
    below = [text for text in notes if "below --min-time" in text]

    assert re.fullmatch(
        r"not judged alone: \d+ calls below --min-time, also with others of their op or kernel, "
        r"\S+ % of the time",
        below[0],
    )
    assert any("time outside compiled code" in text for text in notes)
    assert any(
        "the whole was not judged: 3 and 3 steps" in text
        for text in judge_comparison(few, GateLimits()).notes
    )
    assert any(
        "calls with fewer than 5 runs on a side" in text
        for text in judge_comparison(few, GateLimits()).notes
    )


def test_without_steps_the_whole_is_judged_by_runs(base: State) -> None:
    """A recording without profiler steps fails as a whole by the runs of its graphs."""
    limits = GateLimits(levels=("total",))
    sides = [
        replace(recorded(state, seed), steps=None, by_step={}, summary=without_steps(state, seed))
        for seed, state in enumerate((base, base, slower(base, ADDMM, 1.5)[0]))
    ]
    good, bad = (judge_comparison(compare_sides(sides[0], after), limits) for after in sides[1:])

    assert good.passed
    assert any("the whole is judged by runs of 0_" in text for text in good.notes)
    (reason,) = bad.reasons
    assert re.match(r"total: 1\.\d\dx slower in the median, .* a run of 0_", reason)


def without_steps(state: State, seed: int) -> Summary:
    return replace(recorded(state, seed).summary, steps=None)


def test_a_capture_records_enough_for_a_verdict(base: State) -> None:
    """With the steps that a capture takes by default one slower call among many fails."""
    weather = Weather(steps=Plan().steps)
    state, _ = slower(base, ADDMM, 1.1)
    comparison = compare_sides(recorded(base, 1, weather), recorded(state, 2, weather))
    (reason,) = judge_comparison(comparison, GateLimits(levels=("call",))).reasons

    assert ADDMM in reason
    assert least_invocations(500) <= Plan().steps


def test_single_slow_steps_are_said(base: State) -> None:
    """A mean above the limit whose median is not: it passes, and says so."""
    before = recorded(base, 1)
    odd = recorded(base, 2)
    step = max(odd.by_step)
    later = replace(odd, by_step={**odd.by_step, step: odd.by_step[step] * 5})
    summary = replace(odd.summary, total_ns=sum(later.by_step.values()))
    verdict = judge_comparison(
        compare_sides(before, replace(later, summary=summary)), GateLimits(levels=("total",))
    )

    assert verdict.passed
    assert any(
        "the mean is larger than the limit and the median is not" in t for t in verdict.notes
    )


@pytest.fixture(scope="module")
def language(samples: Path) -> tuple[Recorded, Deviations]:
    """A recording with 185 calls, all of them below --min-time, and the noise of its GPU."""
    recordings, processes = gate_power.recorded([samples / "cuda_language_train"])
    return recordings[0], processes


def test_an_op_of_small_calls_that_is_slower_fails_by_default(
    language: tuple[Recorded, Deviations],
) -> None:
    """All calls of one op 10 % slower, each below --min-time: one reason names the op.

    Without families it passes, whatever the calls take together.
    """
    recording, processes = language
    calls = gate_power.ops_of_small_calls(recording)["aten.mm"]
    rng = np.random.default_rng(3)
    sides = [
        recording.again(20, processes, rng, slower) for slower in ({}, dict.fromkeys(calls, 1.1))
    ]
    comparison = compare_sides(*sides)
    (reason,) = [
        text for text in judge_comparison(comparison, GateLimits()).reasons if "total" not in text
    ]

    assert re.match(rf"op aten\.mm: 1\.(0[89]|1\d)x slower in {len(calls)} calls, \+", reason)
    assert judge_comparison(comparison, GateLimits(levels=("call",))).passed


def test_a_process_is_no_regression_of_the_next_one(
    language: tuple[Recorded, Deviations],
) -> None:
    """Calls whose buffers lie elsewhere in every step of a recording: no clean pair fails."""
    recording, processes = language

    assert gate_power.clean_pairs([recording], processes, 2) == {
        "by call and total": 0,
        "by default": 0,
    }


def test_calls_that_are_judged_with_their_op_are_not_called_unjudged(
    language: tuple[Recorded, Deviations],
) -> None:
    """What is below --min-time alone is said only where its op and kernel are below it as well."""
    recording, processes = language
    rng = np.random.default_rng(5)
    comparison = compare_sides(*(recording.again(20, processes, rng) for _ in range(2)))
    shares = [
        [text for text in judge_comparison(comparison, limits).notes if "below --min-time" in text]
        for limits in (GateLimits(levels=("call", "total")), GateLimits())
    ]
    before, after = (float(re.search(r", (\S+) % of the time", text)[1]) for (text,) in shares)  # type: ignore[index]

    assert before > 60
    assert after < before / 3


def test_one_slower_call_is_the_reason_and_not_its_op(base: State) -> None:
    """A call that is slower alone explains the ops and the kernel that it is part of."""
    state, _ = slower(base, ADDMM, 1.5)
    verdict = judge_comparison(compare_sides(recorded(base, 1), recorded(state, 2)), GateLimits())

    assert [text.partition(" ")[0] for text in verdict.reasons] == ["call", "total:"]


def test_one_job_has_one_baseline_and_names_it(base: State, tmp_path: Path) -> None:
    """Two recordings of the base that lie 42 % apart: verdict, comment and page speak of one.

    Each is named, with its time and by how much they differ.
    """
    for name, clock, seed in (("main1", 1.0, 1), ("new", 1.37, 2), ("main2", 1.42, 3)):
        weather = Weather(clock=clock, drift=0.0)
        write_tables(play(base.program, base.cost_list(), weather, seed), tmp_path / name)
    one, new, two = (tmp_path / name for name in ("main1", "new", "main2"))
    page, comment = tmp_path / "diff.md", tmp_path / "comment.md"
    result = run("--baseline", one, "--baseline", two, new, "-o", page, "--summary", comment)
    (headline,) = re.findall(r"^(1\.\d\dx \S+):", result.stdout, re.MULTILINE)
    words = re.findall(r"^note: (.* baseline is .*)$", result.stdout, re.MULTILINE)

    assert headline.endswith(" faster")
    assert re.match(rf"the baseline is {two}, \S+ ms a step, the slower one of 2", words[0])
    assert re.match(
        rf"another of the baseline is {one}, \S+ ms a step: (29|30)\S* % less", words[1]
    )
    for text in (page.read_text("utf-8"), comment.read_text("utf-8")):
        assert f"GPU time: {headline}" in text
        assert "2 recordings pooled" in text


def test_the_baseline_does_not_depend_on_how_recordings_are_ordered(base: State) -> None:
    """Whoever names them first, the same one stands for all, and is called so."""
    opened = [
        Opened(side=recorded(base, seed, Weather(drift=0.1)), notices=(), files=())
        for seed in range(4)
    ]

    assert baseline_of(opened).words == baseline_of(opened[::-1]).words
    assert baseline_of(opened).words[0].startswith("the baseline is seed ")
    assert len(baseline_of(opened).words) == 4
    assert len(baseline_of(opened[:1]).words) == 1


def test_a_family_that_is_slower_stands_for_its_calls(
    language: tuple[Recorded, Deviations],
) -> None:
    """Where calls fail alone and their op without them as well, there is one reason for all.

    One that is far slower than its op is a reason beside it.
    """
    recording, processes = language
    calls = gate_power.ops_of_small_calls(recording)["aten.mm"]
    planted = {**dict.fromkeys(calls, 1.2), calls[0]: 2.5}
    sides = [
        recording.again(20, processes, np.random.default_rng(at), slower)
        for at, slower in enumerate(({}, planted))
    ]
    verdict = judge_comparison(
        compare_sides(*sides), GateLimits(time_ns=3_000, levels=("call", "op"))
    )

    assert len([text for text in verdict.reasons if text.startswith("op aten.mm: ")]) == 1
    assert [text for text in verdict.reasons if text.startswith("call ")] == [
        text for text in verdict.reasons if f"[{calls[0]}]" in text
    ]
    (alone,) = judge_comparison(
        compare_sides(*sides), GateLimits(time_ns=3_000, levels=("call",))
    ).reasons
    assert re.search(r"slower in \d\d calls, same code", alone)


def test_an_operator_outside_that_came_on_top_fails(base: State) -> None:
    """It is no call and has no ratio: its part of the whole step decides, also by default."""
    more = Weather(outside={"aten::_foreach_add_": 40_000, "aten::cat": 400_000})
    added, gone = (
        judge_comparison(
            compare_sides(recorded(base, 1, one), recorded(base, 2, other)), GateLimits()
        )
        for one, other in ((None, more), (more, None))
    )

    assert any(re.match(r"op aten\.cat: \S+ % on top of the whole, \+", t) for t in added.reasons)
    assert gone.passed
