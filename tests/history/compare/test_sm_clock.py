"""At which SM clock two recordings ran is said before anything of the code.

The pair of recordings is simulated (tests/simulated_clock.py): a real profile, and the same with a
planted clock that is 7 % lower.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import kernelmap
from kernelmap.cli import main
from kernelmap.history.compare.gate.findings import GateLimits
from kernelmap.history.compare.gate.verdict import judge_comparison, speak_verdict
from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.history.compare.numbers.comparison import Comparison, compare_sides
from kernelmap.history.compare.numbers.sm_clock import clock_factors, measure_sm_clock
from kernelmap.history.compare.sides.pieces import Piece
from kernelmap.history.compare.sides.side import CallSide, ComparedSide
from kernelmap.history.compare.texts.first_line import find_first_line
from kernelmap.history.compare.texts.sm_clock_words import say_sm_clock, sm_clock_line
from simulated_clock import simulated_clock

HIGH, LOW = 1980.0, 1841.4  # 7 % lower
SENTENCE = "the SM clock was 7.0 % lower (1,980 → 1,841 MHz)"


@pytest.fixture(scope="module")
def pair(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """One recording at two simulated clocks; its products are as much slower at the lower one."""
    folder = tmp_path_factory.mktemp("clocks")
    recorded = samples / "cuda_mlp_train"
    return (
        simulated_clock(recorded, folder / "simulated_high", clock=HIGH),
        simulated_clock(recorded, folder / "simulated_low", clock=LOW, slower=HIGH / LOW),
    )


@pytest.fixture(scope="module")
def sides(pair: tuple[Path, Path]) -> tuple[ComparedSide, ComparedSide]:
    """Both as sides of a comparison."""
    compared = kernelmap.diff(*map(str, pair))
    return compared.sides


@pytest.fixture(scope="module")
def plain(sides: tuple[ComparedSide, ComparedSide]) -> Comparison:
    return compare_sides(*sides)


@pytest.fixture(scope="module")
def equal(sides: tuple[ComparedSide, ComparedSide]) -> Comparison:
    return compare_sides(*sides, at_equal_clocks=True)


def test_the_clock_is_the_first_thing_said(plain: Comparison) -> None:
    """Before any call is said to be slower; and the line below says of how many samples."""
    assert find_first_line(plain).startswith(f"{SENTENCE}; ")
    line = sm_clock_line(plain)
    assert line is not None
    assert line.startswith("SM clock: 7.0 % lower, 1,980 → 1,841 MHz: ")
    assert "samples in calls with" in line
    assert plain.sm_clock is not None
    assert min(plain.sm_clock.samples) > 50
    assert Cause.SM_CLOCK not in plain.by_cause


def test_clocks_are_weighed_by_the_same_times() -> None:
    """What runs more often on one side does not move its mean."""

    def call(at: int, mhz: float | None, time_ns: int) -> CallSide:
        piece = Piece(fingerprint=f"f{at}", name=f"k{at}")
        return CallSide(
            id=f"0/{at}",
            name=f"k{at}",
            piece=piece,
            backend="triton",
            launches=1,
            time_ns=time_ns,
            sm_mhz=mhz,
            clock_samples=0 if mhz is None else 2,
        )

    clock = measure_sm_clock(
        [
            (call(0, 1000, 300), call(0, 1000, 900)),
            (call(1, 2000, 100), call(1, 2000, 100)),
            (call(2, 2000, 600), call(2, None, 600)),
        ],
        1000,
    )

    assert clock is not None
    assert clock.before_mhz == clock.after_mhz == 1250
    assert clock.share == 0.4
    assert clock.samples == (4, 4)
    assert not clock.has_moved
    assert measure_sm_clock([(call(0, None, 5), call(0, 1000, 5))], 5) is None


def test_equal_clocks_move_what_is_compute_bound_alone(
    plain: Comparison, equal: Comparison
) -> None:
    """Their change by the clock is a cause of its own; all parts add up to the same change."""
    followed = [change for change in equal.changes if change.cause is Cause.SM_CLOCK]

    assert equal.change_ns == plain.change_ns
    assert sum(equal.by_cause.values()) == equal.change_ns
    assert followed
    assert all(call.bound == "compute" for change in followed for call in change.before)
    by_product = sum(
        change.change_ns
        for change in plain.changes
        if "gemm" in "".join(name for call in change.after for name in call.device_names)
    )
    # A product of two kernels (split-k) has one that the simulation left alone.
    assert equal.by_clock_ns == pytest.approx(by_product, rel=0.1)
    left = equal.change_ns - equal.by_clock_ns
    assert abs(left) < 0.1 * equal.change_ns


def test_what_is_held_is_said(equal: Comparison) -> None:
    """How many calls, and that memory and launches do not follow the SM clock."""
    line = sm_clock_line(equal)

    assert line is not None
    assert f"{equal.held_calls} compute-bound calls held at equal clocks" in line
    assert "memory and launches do not follow" in line
    assert "held at equal clocks" in find_first_line(equal)


def test_without_a_roofline_nothing_is_held(sides: tuple[ComparedSide, ComparedSide]) -> None:
    """Nobody knows what is compute bound: the words say so, and no time is moved."""
    unknown = [
        replace(
            side,
            graphs=tuple(
                replace(graph, calls=tuple(replace(call, bound=None) for call in graph.calls))
                for graph in side.graphs
            ),
        )
        for side in sides
    ]
    comparison = compare_sides(*unknown, at_equal_clocks=True)

    assert comparison.by_clock_ns == 0
    assert "no call is known to be compute bound" in str(sm_clock_line(comparison))


def without_clocks(side: ComparedSide) -> ComparedSide:
    """The side as if nothing had been sampled."""
    return replace(
        side,
        graphs=tuple(
            replace(
                graph,
                calls=tuple(replace(call, sm_mhz=None, clock_samples=0) for call in graph.calls),
            )
            for graph in side.graphs
        ),
    )


def test_a_side_without_samples_has_no_clock(sides: tuple[ComparedSide, ComparedSide]) -> None:
    """Nothing is said of the clock; who asks for equal ones is told that nothing is held."""
    before, after = sides
    silent = compare_sides(without_clocks(before), after)
    asked = compare_sides(before, without_clocks(after), at_equal_clocks=True)

    assert (silent.sm_clock, sm_clock_line(silent), say_sm_clock(silent)) == (None, None, None)
    assert str(sm_clock_line(asked)).startswith("At equal clocks: nothing is held")
    assert asked.by_clock_ns == 0
    assert find_first_line(silent) == find_first_line(
        compare_sides(without_clocks(before), without_clocks(after))
    )


def test_a_gate_says_the_clock_before_its_reasons(plain: Comparison) -> None:
    """The same sentence, above whatever fails."""
    verdict = judge_comparison(plain, GateLimits())

    assert speak_verdict(plain, verdict).splitlines()[0] == f"note: {SENTENCE}"


def test_the_command_says_it_in_every_form(pair: tuple[Path, Path]) -> None:
    """On the terminal and in JSON; the option is off unless it is asked for."""
    names = [*map(str, pair)]
    runs = [
        CliRunner().invoke(main, ["diff", *names, *more], env={"COLUMNS": "120"})
        for more in ((), ("--format", "json", "--at-equal-clocks"))
    ]
    document = json.loads(runs[1].stdout)

    assert [run.exit_code for run in runs] == [0, 0]
    assert all("7.0 % lower" in run.stdout for run in runs)
    assert "equal clocks" not in runs[0].stdout
    assert document["at_equal_clocks"] is True
    assert document["sm_clock"]["before_mhz"] == HIGH
    assert document["causes"]["SM clock"] > 0
    assert document["finding"].startswith(SENTENCE)


@given(
    st.fractions(Fraction(1, 2), 2, max_denominator=100),
    st.floats(500, 2500),
    st.floats(500, 2500),
    st.sampled_from([("compute", "compute"), ("compute", "memory"), (None, None)]),
)
def test_a_factor_is_that_of_the_clocks_where_it_is_followed(
    common: Fraction, before: float, after: float, bounds: tuple[str | None, str | None]
) -> None:
    """Calls that are compute bound on both sides take as much longer as the clock is lower."""
    calls: Sequence[CallSide] = [
        CallSide(
            id="0/0",
            name="k",
            piece=Piece(fingerprint="f", name="k"),
            backend="extern",
            launches=1,
            time_ns=10,
            sm_mhz=mhz,
            clock_samples=1,
            bound=bound,
        )
        for mhz, bound in zip((before, after), bounds, strict=True)
    ]
    clock = measure_sm_clock([(calls[0], calls[1])], 10)
    held = clock_factors(common, clock, at_equal_clocks=True)
    off = clock_factors(common, clock, at_equal_clocks=False)
    follows = bounds == ("compute", "compute")

    assert off.of_calls(calls[:1], calls[1:]) == common
    assert held.is_measured(calls[:1], calls[1:]) == follows
    expected = before / after if follows else float(common)
    assert float(held.of_calls(calls[:1], calls[1:])) == pytest.approx(expected, rel=1e-5)
