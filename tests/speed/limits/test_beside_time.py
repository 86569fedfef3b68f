"""Work and headroom in the tables of a result: where they are asked for, and only there."""

from __future__ import annotations

import ast
import csv
import json
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import kernelmap
from kernelmap import pipeline
from kernelmap.cli import main
from kernelmap.cli.common import ROW_FORMS
from kernelmap.compiler.python import source
from kernelmap.compiler.python.source import parse_python
from kernelmap.model import Backend, CompiledGraph
from kernelmap.options import Options
from kernelmap.speed import work as workload
from kernelmap.speed.work import generated_code, triton
from kernelmap.speed.work.generated_code import GeneratedCode
from kernelmap.speed.work.physical_ops import KernelStep, steps_of_kernel
from kernelmap.speed.work.triton_source import KernelBody, body_of
from kernelmap.tables.roofline import ROOFLINE
from kernelmap.tables.schema import BY, SPEED
from kernelmap.tables.speeds import WITH_SPEED

ANY_DEVICE = Path(__file__).parent / "any_device.toml"
NAMES = [column.name for column in SPEED]


@pytest.fixture
def sample(samples: Path) -> str:
    return str(samples / "sim_mlp_train")


def new_copy(sample: Path, folder: Path) -> str:
    """A copy whose code this process has not read, so does not remember: with one more comment."""
    copy = shutil.copytree(sample, folder / "copy")
    for path in copy.rglob("output_code.py"):
        path.write_text(f"{path.read_text()}# {path}\n")
    return str(copy)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["correlate", *map(str, arguments)], env={"COLUMNS": "150"})


@pytest.mark.sampled
@pytest.mark.parametrize("by", ROOFLINE)
def test_rows_sorted_by_headroom_are_those_of_the_roofline(by: str, sample: str) -> None:
    """Most headroom first; all of it, in the table that is shown as in `correlate --roofline`."""
    options = (sample, "--by", by, "--sort", "headroom", "--device-limits", ANY_DEVICE)
    printed = run(*options, "--format", "csv")
    shown = run(*options, "--top", 3)
    rows = list(csv.DictReader(printed.stdout.splitlines()))
    headrooms = [int(row["headroom_ns"]) for row in rows if row["headroom_ns"]]
    roofline = kernelmap.correlate(sample).roofline(ANY_DEVICE)

    assert printed.exit_code == shown.exit_code == 0
    assert headrooms == sorted(headrooms, reverse=True)
    assert [bool(row["headroom_ns"]) for row in rows[: len(headrooms)]] == [True] * len(headrooms)
    assert sum(headrooms) == getattr(roofline, f"{by}s")["headroom_ns"].sum() > 0
    header = shown.stdout.splitlines()[2].split("  ")
    assert {"headroom", "of limit", "GB/s"} <= {name.strip() for name in header}


def test_where_no_headroom_is_known_bars_are_of_time(sample: str) -> None:
    """Without limits of the device rows are in the order of time, and so are their bars."""
    lines = run(sample, "--by", "op", "--sort", "headroom", "--top", 5).stdout.splitlines()

    assert "headroom" not in lines[2]
    bars = [line.count("█") for line in lines[3:8]]
    assert bars[0] > 0
    assert bars == sorted(bars, reverse=True)


@pytest.mark.parametrize("form", ROW_FORMS)
@pytest.mark.parametrize("by", sorted(set(BY) - set(ROOFLINE)))
def test_tables_without_headroom_are_not_sorted_by_it(
    by: str, form: str, sample: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is wrong usage in every format, said before anything is read; a hint names others."""
    monkeypatch.setattr(pipeline, "correlate", None)
    result = run(sample, "--by", by, "--sort", "headroom", "--format", form)

    assert result.exit_code == 2
    assert f"the table '{BY[by]}' has no headroom" in result.stderr
    assert "hint:" in result.stderr


def test_plain_correlate_reads_no_work(sample: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The columns are there and null; the code is not read a second time for them."""

    def refuse(_: object) -> None:
        raise AssertionError("the work of calls was asked for")

    monkeypatch.setattr(workload, "read_code", refuse)
    answer = json.loads(run(sample, "--format", "json").stdout)

    for table in WITH_SPEED:
        assert {row[name] for row in answer[table] for name in NAMES} == {None}


def test_the_code_is_read_once_for_work_and_evidence(
    sample: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One graph, one reading: for tables, for the roofline, and for its reasons."""
    read: list[str] = []

    def noted(graph: CompiledGraph) -> GeneratedCode | None:
        read.append(graph.id)
        return generated_code.read_code(graph)

    monkeypatch.setattr(workload, "read_code", noted)
    result = kernelmap.correlate(sample, options=Options(device_limits=ANY_DEVICE))
    _ = result.calls, result.roofline().reasons, result.roofline(ANY_DEVICE)

    assert sorted(read) == sorted(graph.id for graph in result.program.graphs)


def test_a_kernel_is_read_once_for_all_launches_like_it(
    sample: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One reading for each source and its sizes, whatever is asked of how many launches."""
    read: list[tuple[ast.FunctionDef, object]] = []

    def noted(
        function: ast.FunctionDef, pointers: Iterable[str], sizes: Mapping[str, int]
    ) -> KernelBody:
        read.append((function, tuple(sizes.items())))
        return body_of(function, pointers, sizes)

    monkeypatch.setattr(triton, "body_of", noted)
    program = kernelmap.correlate(sample).program
    works, evidence = workload.work_and_evidence(program)

    assert evidence().intermediates
    assert len(works) == len(program.calls)
    assert 0 < len(read) == len(set(read))


def test_each_question_about_a_kernel_is_asked_once(
    sample: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The steps of a kernel are read for its first launch, and named anew for the others."""
    read: list[ast.FunctionDef] = []

    def noted(function: ast.FunctionDef) -> tuple[KernelStep, ...]:
        read.append(function)
        return steps_of_kernel(function)

    module = sys.modules["kernelmap.speed.work.repeated"]  # its function has the same name
    monkeypatch.setattr(module, "steps_of_kernel", noted)
    program = kernelmap.correlate(str(Path(sample).parent / "cuda_language_train")).program
    _, evidence = workload.work_and_evidence(program)
    evidence()
    launches = sum(call.backend is Backend.TRITON for _, call in program.calls)

    assert 0 < len(read) == len(set(read)) < launches


def test_a_report_parses_code_once(
    sample: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A text of generated code has one syntax tree: for its calls, its work and its reasons."""
    parsed: list[str] = []

    def noted(text: str) -> ast.Module | None:
        parsed.append(text)
        return parse_python(text)

    monkeypatch.setattr(source, "parse_python", noted)
    result = kernelmap.correlate(new_copy(Path(sample), tmp_path))
    result.to_html(tmp_path / "report.html")

    assert 0 < len(parsed) == len(set(parsed))
    assert not result.trees


def test_what_puts_sizes_into_code_gets_a_tree_of_its_own(samples: Path, tmp_path: Path) -> None:
    """Code of dynamic shapes, read for its calls and then with the sizes of a run, stays as it was.

    A second answer about the same correlation's program says what the first one did.
    """
    result = kernelmap.correlate(new_copy(samples / "cuda_dynamic_recompile", tmp_path))
    trees = dict(result.trees)
    before = {text: ast.dump(tree) for text, tree in trees.items()}
    _ = result.calls

    assert before
    assert {text: ast.dump(tree) for text, tree in trees.items()} == before


def test_work_survives_saving(sample: str, tmp_path: Path) -> None:
    """What Python holds is what a JSON and a folder of Parquet files give back."""
    result = kernelmap.correlate(sample, options=Options(device_limits=ANY_DEVICE))
    document = kernelmap.load(result.to_json(tmp_path / "result.json"))
    folder = kernelmap.load(result.to_parquet(tmp_path / "tables"))

    assert result.lines["headroom_ns"].sum() > 0
    for table in WITH_SPEED:
        held = list(result.tables.rows(table))
        assert list(document.tables.rows(table)) == list(folder.tables.rows(table)) == held


def test_a_result_of_an_older_kernelmap_has_no_work(sample: str, tmp_path: Path) -> None:
    """Its rows lack the columns, which are null then."""
    path = kernelmap.correlate(sample).to_json(tmp_path / "result.json")
    document = json.loads(path.read_text())
    for table in WITH_SPEED:
        document[table] = [
            {name: cell for name, cell in row.items() if name not in NAMES}
            for row in document[table]
        ]
    path.write_text(json.dumps(document))

    assert kernelmap.load(path).calls["headroom_ns"].isna().all()


def test_the_file_of_limits_is_not_written_over(sample: str, tmp_path: Path) -> None:
    """It was read, like the code and the profile."""
    limits = tmp_path / "limits.md"
    limits.write_text(ANY_DEVICE.read_text())
    result = run(sample, "--device-limits", limits, "-o", limits)

    assert result.exit_code == 2
    assert limits.read_text() == ANY_DEVICE.read_text()
