"""What a gate says to programs: the comparison with the verdict and every time."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from histories.play import Weather, play
from histories.story import first_state, longer, slower

from kernelmap.cli import main
from kernelmap.history.compare.gate.tracked_times import TrackedTime, list_tracked_times
from kernelmap.history.compare.numbers.comparison import Comparison, compare_sides
from kernelmap.history.compare.sides.side import side_of_result
from kernelmap.history.compare.texts.in_json import comparison_in_json
from kernelmap.pages.write import write_tables
from kernelmap.tables.json import indent_json


@pytest.fixture(scope="module")
def comparison(samples: Path) -> Comparison:
    """A recording beside itself, with operators outside compiled code."""
    state = longer(first_state(samples / "sim_mlp_train"), 20)
    weather = Weather(outside={"aten::_foreach_add_": 60_000})
    recorded = side_of_result(play(state.program, state.cost_list(), weather, 1), "one")
    return compare_sides(recorded, recorded)


@pytest.fixture(scope="module")
def times(comparison: Comparison) -> Sequence[TrackedTime]:
    return list(list_tracked_times(comparison))


def test_ops_and_calls_add_up_to_the_whole(times: Sequence[TrackedTime]) -> None:
    """The times of one kind are parts of the whole, each under a name of its own."""
    (whole,) = [time.mean_ns for time in times if time.kind == "total"]
    sums = {
        kind: sum(time.mean_ns for time in times if time.kind == kind) for kind in ("op", "call")
    }
    names = [time.name for time in times]

    assert abs(sums["op"] - whole) <= len(times)
    assert 0.9 * whole < sums["call"] <= whole
    assert len(names) == len(set(names))


def test_samples_are_steps_and_invocations(
    comparison: Comparison, times: Sequence[TrackedTime]
) -> None:
    """The whole has the time of each step, a call that of each invocation, an op none."""
    by_step = comparison.sides[1].by_step
    calls = [call for graph in comparison.sides[1].graphs for call in graph.calls]

    assert sorted(times[0].samples_ns) == sorted(by_step.values())
    assert [len(time.samples_ns) for time in times if time.kind == "call"] == [
        len(call.samples) for call in calls if call.time_ns
    ]
    assert {time.samples_ns for time in times if time.kind == "op"} == {()}


@pytest.fixture(scope="module")
def folder(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recordings `main` and `slow`, with times that are simulated."""
    made = tmp_path_factory.mktemp("gate_json")
    base = longer(first_state(samples / "sim_mlp_train"), 20)
    slow, _ = slower(base, "extern_kernels.addmm", 1.1)
    for seed, (name, state) in enumerate({"main": base, "slow": slow}.items()):
        write_tables(play(state.program, state.cost_list(), Weather(), seed), made / name)
    return made


@pytest.mark.parametrize("new", ["main", "slow"])
def test_what_is_printed_and_written_is_one_document(
    new: str, folder: Path, tmp_path: Path
) -> None:
    """--format json prints what -o writes; the words go to stderr, and the exit code is as ever."""
    one, other, place = str(folder / "main"), str(folder / new), tmp_path / "gate.json"
    plain = CliRunner().invoke(main, ["gate", "--baseline", one, other, "-o", str(place)])
    printed = CliRunner().invoke(main, ["gate", "--baseline", one, other, "--format", "json"])
    document = json.loads(printed.stdout)

    assert printed.exit_code == plain.exit_code == int(new == "slow")
    assert printed.stdout == place.read_text("utf-8")
    assert set(plain.stdout.splitlines()) <= set(printed.stderr.splitlines())
    assert document["gate"]["failed"] == (new == "slow")
    assert plain.stdout.endswith(f"gate: {document['gate']['verdict']}\n")
    assert len(document["gate"]["reasons"]) == int(new == "slow")


def keys_of_the_page() -> list[str]:
    """The keys that docs/ci.md says a gate adds, and those of a time."""
    page = (Path(__file__).resolve().parents[3] / "docs" / "ci.md").read_text(encoding="utf-8")
    added = page.partition("A gate adds to the document:")[2]
    return re.findall(r"^\| (?!key |-)(\w+) \|", added, re.MULTILINE)


def test_the_rest_of_it_is_what_diff_writes(comparison: Comparison, folder: Path) -> None:
    """A program that reads a comparison reads that of a gate."""
    one, other = str(folder / "main"), str(folder / "slow")
    gate = json.loads(
        CliRunner().invoke(main, ["gate", "--baseline", one, other, "--format", "json"]).stdout
    )
    diff = json.loads(CliRunner().invoke(main, ["diff", one, other, "--format", "json"]).stdout)

    assert {key: gate[key] for key in diff} == diff
    assert set(gate) - set(diff) == {"gate", "times"}
    assert set(json.loads(indent_json(comparison_in_json(comparison)))) == set(diff)
    assert keys_of_the_page() == [
        *(key for key in gate if key not in diff),
        *gate["times"][0],
    ]


def test_the_summary_is_added_to(folder: Path, tmp_path: Path) -> None:
    """What a job wrote before stays, and the verdict and the causes follow."""
    place = tmp_path / "comment.md"
    place.write_text("before\n", encoding="utf-8")
    one = str(folder / "main")
    words = ["gate", "--baseline", one, one, "--summary", str(place)]
    done = CliRunner().invoke(main, words, env={"GITHUB_STEP_SUMMARY": ""})

    assert done.exit_code == 0, done.output
    assert place.read_text("utf-8").startswith("before\n## kernelmap gate passed: `")
