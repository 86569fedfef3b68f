"""The pages that follow one thing through the code name what is there, and tell what happens."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import make_history
import pytest
from msgspec import Struct

import fleet_runs
import kernelmap
from kernelmap.history.compare.gate.findings import GateLimits
from kernelmap.history.compare.gate.verdict import judge_comparison
from kernelmap.history.compare.numbers.comparison import compare_sides
from kernelmap.history.compare.sides.side import side_of_result
from kernelmap.history.store.store import Store
from kernelmap.model.bundle import read_manifest
from kernelmap.pages.text import format_duration, format_signed

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SAMPLE = ROOT / "sample_traces" / "cuda_language_train"
PATHS = {
    "launch": DOCS / "how-it-works.md",
    **{name: DOCS / "paths" / f"{name}.md" for name in ("run", "difference", "rank")},
}
_CODE = re.compile(r"`([^`]+)`")
_NUMBER = re.compile(r"([A-Z_]+) = (.+)")


class PathStep(Struct, frozen=True, kw_only=True):
    """One row of a path: the numbers that it states, and the functions by their files."""

    name: str
    numbers: tuple[tuple[str, str], ...]
    functions: tuple[tuple[Path, str], ...]
    files: tuple[Path, ...]


def path_text(name: str) -> str:
    """The part of a page that tells the path."""
    text = PATHS[name].read_text(encoding="utf-8")
    return text.partition("## The path of a launch\n")[2].partition("\n- [Words]")[0] or text


def steps_of(name: str) -> Iterator[PathStep]:
    """The rows of a page's table; its last column names files, each with functions behind it."""
    for line in path_text(name).splitlines():
        if not re.match(r"\| \d", line):
            continue
        *before, where = line.strip("| ").split(" | ")
        files: list[Path] = []
        functions: list[tuple[Path, str]] = []
        for word in _CODE.findall(where):
            if word.endswith(".py"):
                files.append(ROOT / "kernelmap" / word)
            else:
                functions.append((files[-1], word))
        numbers = [
            (found[1], found[2])
            for word in _CODE.findall(" ".join(before))
            if (found := _NUMBER.fullmatch(word))
        ]
        yield PathStep(
            name=f"{name} {before[0]}",
            numbers=tuple(numbers),
            functions=tuple(functions),
            files=tuple(files),
        )


STEPS = [step for name in PATHS for step in steps_of(name)]


def defined_in(path: Path) -> set[str]:
    """The names that a file defines itself, those of methods with their class in front."""
    names: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            names |= {
                f"{node.name}.{it.name}" for it in node.body if isinstance(it, ast.FunctionDef)
            }
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {
                it.id for target in targets for it in ast.walk(target) if isinstance(it, ast.Name)
            }
    return names


@pytest.mark.parametrize("name", PATHS)
def test_a_path_has_steps_and_each_has_a_place(name: str) -> None:
    """Each path is a table of at least seven steps, and each step names a function."""
    steps = [step for step in STEPS if step.name.startswith(f"{name} ")]

    assert len(steps) >= 7
    assert [step.name for step in steps if not step.functions] == []


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_what_a_step_names_is_there(step: PathStep) -> None:
    """Files are there, functions are defined in the file before them, constants have the value."""
    assert [path for path in step.files if not path.is_file()] == []
    assert [name for path, name in step.functions if name not in defined_in(path)] == []
    modules = (
        [importlib.import_module(module_of(path)) for path in step.files] if step.numbers else []
    )
    for name, value in step.numbers:
        held = {getattr(module, name) for module in modules if hasattr(module, name)}
        assert (name, held) == (name, {ast.literal_eval(value)})


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def test_the_path_of_a_launch_is_that_of_the_sample() -> None:
    """The launch that the page follows has the call, the line and the places told there."""
    c = kernelmap.correlate(SAMPLE)
    launch = c.launches.set_index("launch").loc[375]
    call = c.calls.set_index("call").loc[launch["call"]]

    told(
        "launch",
        f"`{launch['name']}`, and took {launch['dur_ns'] / 1000:.2f} µs",
        f"correlation id {launch['correlation']} ",
        f"{launch['confidence']}, method `{launch['method']}`",
        f"line {call['line']} of the code, `{call['wrapper']}(…)`, is call `{launch['call']}`",
        f"`{call['ops'][0]}`, node `{call['nodes'][0]}`, `{Path(call['source'][0]).name}`",
    )


def test_the_path_of_a_run_is_that_of_the_sample(tmp_path: Path) -> None:
    """What the page tells of the run is what its manifest, its store and a history of it say."""
    process = read_manifest(SAMPLE).processes[0]
    correlation = kernelmap.correlate(SAMPLE)
    store = Store(tmp_path)
    run = store.record(correlation, branch="main")
    row = store.follow("0_forward/2").iloc[0]
    summary = correlation.summary
    fingerprint: Any = correlation.calls.set_index("call").loc["0_forward/2", "fingerprint"]

    assert summary.step_count is not None
    told(
        "run",
        f"steps {process.first_step} to {process.last_step} of {process.steps_made}",
        f"{summary.launches} launches, {summary.calls} calls",
        f"torch {run.facts.torch} on an {run.facts.gpus[0]}",
        f"| {len(run.facts.tables)} tables |",
        f"the fingerprint `{fingerprint!s}`, and takes {row['step_ns'] / 1000:.2f} µs a step",
        f"{format_duration(summary.total_ns // summary.step_count)} a step",
    )


def test_the_path_of_a_difference_is_that_of_the_simulated_store() -> None:
    """What the page tells of a change and of the verdict is what comparison and gate say."""
    recordings = {one.commit: one for one in make_history.history(24)}
    before, after = (
        side_of_result(recordings[commit].tables, commit) for commit in ("c0012", "c0013")
    )
    comparison = compare_sides(before, after)
    change = comparison.changes[0]
    evidence = change.evidence
    verdict = judge_comparison(comparison, GateLimits())

    assert evidence is not None
    assert evidence.significant
    assert [call.id for call in change.after] == ["0_forward/1"]
    assert len(verdict.reasons) == 2
    assert verdict.fails(strict=False)
    told(
        "difference",
        f"{evidence.invocations[0]} samples on each side",
        f"{len(comparison.pairs)} pairs; this one by its {change.witness}",
        f"a {comparison.unit.word}, {comparison.unit.before} on each side; no factor",
        f"| {change.cause} |",
        f"{evidence.before_ns / 1e6:.2f} → {evidence.after_ns / 1e6:.2f} ms, q = {evidence.q:.0e},"
        f" floor {evidence.floor:.1%}".replace("%", " %"),
        f"{format_signed(change.change_ns)} of {format_signed(comparison.change_ns)} a step",
        f"the call, {evidence.ratio:.2f}x slower",
    )
    assert comparison.clock == 1
    assert "total: 1.05x slower" in verdict.reasons[1]


def test_the_path_of_a_rank_is_that_of_the_sample(tmp_path: Path) -> None:
    """What the page tells of rank 5 is what the fleet says of it."""
    fleet = fleet_runs.answer(ROOT / "sample_traces" / "sim_fleet", keep=tmp_path)
    rank = fleet.ranks.set_index("rank").loc[5]
    cause = fleet.causes.set_index("rank").loc[5]
    gathers = fleet.communication.set_index("name").loc["allgather_base"]
    without = fleet.what_if.set_index("rank").loc[5]

    assert rank["slow"] == "yes"
    assert gathers["last_rank"] == 5
    assert gathers["last_in"] == gathers["collectives"]
    assert fleet.causes["rank"].iloc[0] == 5
    told(
        "rank",
        f"| {rank['steps']} steps |",
        f"{ms(rank['step_ns'])} a step, of it idle {ms(rank['idle_ns'])}",
        f"each of the {gathers['last_in']} `allgather_base`, for which ranks wait "
        f"{ms(gathers['waiting_ns'])} a step",
        f"{ms(rank['own_ns'])} without waiting, {ms(rank['excess_ns'])} more than usual: slow. "
        f"The median rank is {fleet.reference}",
        f"{cause['cause']}, +{ms(cause['change_ns'])} a step, in `{cause['what']}`",
        f"{ms(without['saved_ns'])} a step less",
    )


def ms(time_ns: Any) -> str:  # noqa: ANN401 -- a cell of a frame
    return f"{time_ns / 1e6:.2f} ms"


def told(name: str, *words: str) -> None:
    text = path_text(name)
    assert [word for word in words if word not in text] == []
