"""A step on the clock beside the work in it, and what makes two recordings hard to compare."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

import kernelmap
from kernelmap.cli import main
from kernelmap.history.compare.gate.baselines import make_baseline
from kernelmap.history.compare.gate.findings import GateLimits
from kernelmap.history.compare.gate.verdict import judge_comparison
from kernelmap.history.compare.numbers.comparison import compare_sides
from kernelmap.history.compare.numbers.on_the_clock import ClockChange, clock_change
from kernelmap.history.compare.sides.opening import open_side
from kernelmap.history.compare.sides.side import ComparedSide
from kernelmap.history.compare.texts.first_line import find_first_line
from kernelmap.history.compare.texts.in_json import dumps
from kernelmap.history.compare.texts.show import short_page
from kernelmap.history.compare.texts.words import clock_line, lines_of_changes
from kernelmap.options import Options
from kernelmap.pages.render import terminal
from kernelmap.pages.write import write_tables
from kernelmap.pipeline import correlate


@pytest.fixture(scope="module")
def plain(samples: Path) -> ComparedSide:
    return open_side(str(samples / "cuda_mlp_train")).side


@pytest.fixture(scope="module")
def with_graphs(samples: Path) -> ComparedSide:
    return open_side(str(samples / "cuda_cuda_graphs")).side


def test_steps_that_do_not_overlap_are_apart() -> None:
    """All of one side beyond all of the other, three a side, and by more than 5 %."""
    assert clock_change((100, 102, 104), (200, 202, 204)) == ClockChange(
        before_ns=102, after_ns=202, beyond_noise=True
    )
    for before, after in (
        ((100, 102, 204), (200, 202, 206)),  # they overlap
        ((100, 102), (200, 202)),  # too few
        ((100, 101, 102), (103, 104, 105)),  # too near
    ):
        change = clock_change(before, after)
        assert change is not None
        assert not change.beyond_noise
    assert clock_change((), (200, 202, 204)) is None


def test_the_clock_contradicts_the_work() -> None:
    """The other way, or several times as much; steps that shrink as their work does agree."""
    faster = ClockChange(before_ns=500, after_ns=250, beyond_noise=True)

    assert faster.contradicts(1.05)
    assert faster.contradicts(1.0)
    assert faster.contradicts(0.9)
    assert not faster.contradicts(0.5)
    assert not replace(faster, beyond_noise=False).contradicts(1.05)


def test_cuda_graphs_make_steps_shorter_and_not_their_work(
    plain: ComparedSide, with_graphs: ComparedSide
) -> None:
    """The first line says what the clock says; the differences say what was changed."""
    comparison = compare_sides(plain, with_graphs)
    text = terminal.render_text(short_page(comparison), 200).plain.split("\n")
    said = json.loads(dumps(comparison))["on_the_clock"]

    assert find_first_line(comparison).startswith(
        "CUDA graphs not used → 120 of 156 launches; "
        "a step is 2.58x faster on the clock (5.43 ms → 2.10 ms), while the GPU works 1.05x longer;"
    )
    assert text[1].startswith("GPU time: 1.05x slower")
    assert text[2] == "A step: 2.58x faster on the clock: 5.43 ms → 2.10 ms"
    assert said["beyond_noise"] is True
    assert said["before_ns"] == round(sum(plain.clock_ns) / 3)
    assert [each.say_difference() for each in comparison.differences] == [
        "CUDA graphs: not used, then 120 of 156 launches"
    ]
    # Why a gate fails is no step that became shorter.
    assert "on the clock" not in find_first_line(comparison, slower=True)


def test_what_does_not_know_its_steps_says_nothing_of_them(
    plain: ComparedSide, with_graphs: ComparedSide
) -> None:
    """A side without them: no line, null in JSON, and nothing in the first line."""
    comparison = compare_sides(replace(plain, clock_ns=(), replayed=None), with_graphs)

    assert clock_line(comparison) is None
    assert json.loads(dumps(comparison))["on_the_clock"] is None
    assert "clock" not in find_first_line(comparison)
    assert comparison.differences == ()


@pytest.mark.parametrize("name", ["cuda_cuda_graphs", "cuda_mlp_train", "cuda_decode_graphs"])
def test_a_saved_result_knows_what_it_was_saved_with(
    samples: Path, tmp_path: Path, name: str
) -> None:
    """With its wall time a folder says the same as the recording, else nothing."""
    fresh = open_side(str(samples / name)).side
    for wall in (True, False):
        result = correlate(samples / name, options=Options(wall=wall))
        write_tables(result.tables, tmp_path / f"{wall}")
    saved, without = (open_side(str(tmp_path / f"{wall}")).side for wall in (True, False))

    assert fresh.clock_ns
    assert sorted(saved.clock_ns) == sorted(fresh.clock_ns)
    assert without.clock_ns == ()
    assert saved.replayed is None  # no table has it, so nothing is claimed


def test_a_pooled_baseline_has_the_steps_of_all(plain: ComparedSide) -> None:
    """Processes differ on the clock, so the noise is that of all; one that lacks them hides it."""
    slow = replace(plain, clock_ns=tuple(2 * time_ns for time_ns in plain.clock_ns))

    assert set(make_baseline([plain, slow]).side.clock_ns) == {*plain.clock_ns, *slow.clock_ns}
    assert make_baseline([plain, replace(plain, clock_ns=())]).side.clock_ns == ()


def test_other_code_is_said_before_all_else(samples: Path, with_graphs: ComparedSide) -> None:
    """Two models: their first line begins with how little they have in common."""
    language, llama, breaks = (
        open_side(str(samples / name)).side
        for name in ("cuda_language_train", "cuda_llama_train", "cuda_graph_breaks")
    )
    models, nothing = compare_sides(language, llama), compare_sides(with_graphs, breaks)

    assert find_first_line(models).startswith(
        "only 26.5 % of the time before is of code that both have: "
        "these may be different programs; "
    )
    assert "only 25.8 % of the time after" in find_first_line(compare_sides(llama, language))
    assert find_first_line(nothing).startswith(
        "no graph in common: these may be different programs; "
        "CUDA graphs 120 of 156 launches → not used; the graph 0_backward is gone (23 calls): "
    )
    assert "the graph 0_backward is new (23 calls)" in find_first_line(
        compare_sides(breaks, with_graphs)
    )
    text = terminal.render_text(short_page(nothing), 200).plain
    assert "\nhardly comparable: no graph in common: " in text
    assert "differs beside the code: code" not in text
    assert any(
        note.startswith("hardly comparable: no graph in common")
        for note in judge_comparison(nothing, GateLimits()).notes
    )


def test_a_side_that_was_not_compiled_is_said(plain: ComparedSide) -> None:
    """No graph on one side is no other program."""
    (difference,) = compare_sides(replace(plain, graphs=()), plain).differences

    assert difference.say_difference() == "code: not compiled, then compiled"


def test_three_steps_are_too_few_to_find_anything(samples: Path, plain: ComparedSide) -> None:
    """Two recordings of one program: the first line names no finding, only what is largest."""
    again = open_side(str(samples / "cuda_provenance_off")).side
    comparison = compare_sides(plain, again)

    assert find_first_line(comparison) == (
        "no change can be told from noise: 3 and 3 steps are too few "
        "(largest: aten._foreach_add_, +725 ns a step)"
    )
    # What may be noise did not move anywhere: that it cannot be told says more.
    assert not any("moved from" in line.words for line in lines_of_changes(comparison))
    assert any(
        line.words.startswith("too few runs to tell") for line in lines_of_changes(comparison)
    )


def test_a_side_without_invocations_is_why_nothing_is_tested(samples: Path, tmp_path: Path) -> None:
    """Not the number of its steps."""
    write_tables(kernelmap.correlate(samples / "cuda_mlp_train").tables, tmp_path / "short.json")
    names = (str(tmp_path / "short.json"), str(samples / "cuda_provenance_off"))
    result = CliRunner().invoke(main, ["diff", *names])

    assert "noise: a side was saved without its invocations (largest: " in result.stdout
