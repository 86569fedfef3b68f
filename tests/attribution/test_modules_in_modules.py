"""Modules in one another: what a module takes with all modules in it, and alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

import kernelmap
from attribution.random_worlds import A, worlds
from examples import examples
from kernelmap.attribution import attribute_time
from kernelmap.attribution.records import ModuleTime
from kernelmap.matching import match_launches
from kernelmap.model import CompiledProgram, Trace
from kernelmap.model.module_paths import ROOT_MODULE, modules_around
from kernelmap.options import Options
from kernelmap.pages import one_table as result
from kernelmap.pages.page import PageTable, plain_text, section_of
from tiny import Timeline, graph, program

SAMPLES = Path(__file__).resolve().parents[2] / "sample_traces"

LAYERS = ("layers.0", "layers.0.up", "layers.1.up", "head")


def rows_of(world: tuple[CompiledProgram, Trace]) -> dict[str, ModuleTime]:
    compiled, trace = world
    found = match_launches(compiled, trace)
    attribution = attribute_time(found.program, trace, found.matching, Options())
    return {row.name: row for row in attribution.modules}


def holder(name: str, rows: dict[str, ModuleTime]) -> str | None:
    """The nearest module around `name` that has a row."""
    return next((each for each in reversed(modules_around(name)[:-1]) if each in rows), None)


def check(rows: dict[str, ModuleTime]) -> None:
    """Each row is its own part and the rows in it; the outermost have all time with a module."""
    modules = {name: row for name, row in rows.items() if not name.startswith("(")}
    for name, row in modules.items():
        inside = [each for each in modules.values() if holder(each.name, modules) == name]

        assert row.total_ns == row.time_ns + sum(each.total_ns for each in inside), name
        assert row.total_backward_ns == row.backward_ns + sum(
            each.total_backward_ns for each in inside
        )
        assert row.total_exclusive_ns <= row.total_ns <= row.total_involved_ns
        assert row.total_launches >= max([row.launches, *(each.launches for each in inside)])
        assert row.total_calls >= max([row.calls, *(each.calls for each in inside)])
    outermost = [row for name, row in modules.items() if holder(name, modules) is None]

    assert sum(row.total_ns for row in outermost) == sum(row.time_ns for row in modules.values())
    for name in rows.keys() - modules.keys():
        assert rows[name].total_ns == rows[name].time_ns


@settings(max_examples=examples(60))
@given(worlds())
def test_a_module_has_the_time_of_all_in_it(world: tuple[CompiledProgram, Trace]) -> None:
    """What a module takes is its own part and what the modules in it take, to the nanosecond."""
    check(rows_of(world))


@pytest.mark.sampled
@pytest.mark.parametrize("sample", ["cuda_language_train", "cpu_block", "cuda_decode_graphs"])
def test_a_recordings_modules_roll_up(sample: str) -> None:
    """The same of models that were recorded."""
    run = kernelmap.correlate(SAMPLES / sample)

    check({row.name: row for row in run.attribution.modules})


def nested() -> tuple[CompiledProgram, Trace]:
    """A call of 100 ns in each of LAYERS."""
    plain_graph = graph("0_forward", *(f"{A}{at}" for at in range(len(LAYERS))))
    calls = tuple(
        replace(call, modules=(module,))
        for call, module in zip(plain_graph.calls, LAYERS, strict=True)
    )
    compiled = replace(plain_graph, calls=calls)
    return program(compiled), Timeline().invoke(compiled).trace()


def test_what_holds_several_modules_has_a_row() -> None:
    """`layers` runs nothing itself and has a row of its two; `layers.1` of one has none."""
    rows = rows_of(nested())

    assert {name: (row.total_ns, row.time_ns) for name, row in rows.items()} == {
        ROOT_MODULE: (400, 0),
        "layers": (300, 0),
        "layers.0": (200, 100),
        "layers.0.up": (100, 100),
        "layers.1.up": (100, 100),
        "head": (100, 100),
    }


def test_the_table_reads_from_the_outside_in() -> None:
    """The whole comes first and by name, each row says its own part, and these add up."""
    run = kernelmap.correlate(SAMPLES / "cuda_language_train")
    shown = section_of(result.page_of_result(run.tables, by="module", top=100), "modules")
    assert isinstance(shown, PageTable)
    names = [column.name for column in shown.columns]
    cells = [[plain_text(cell) for cell in row.cells] for row in shown.rows]

    assert cells[0][0] == "self (the compiled module)"
    assert cells[1][0] == "blocks"
    assert names[:5] == ["module", "time", "share", "", "own"]
    own_ns = sum(row.time_ns for row in run.attribution.modules)
    assert own_ns == run.tables.summary.total_ns


def test_what_is_left_out_adds_up_alone() -> None:
    """Rows hold one another: the last row says what the others take themselves, and no more."""
    run = kernelmap.correlate(SAMPLES / "cuda_language_train")
    shown = section_of(result.page_of_result(run.tables, by="module", top=3), "modules")
    assert isinstance(shown, PageTable)
    last = [plain_text(cell) for cell in shown.rows[-1].cells]

    assert last[1:4] == ["", "", ""]
    assert last[4]
