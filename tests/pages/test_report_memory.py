"""Memory in the report: curves that add up, the limit on them, and what a person can do there."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import kernelmap
from compiler.generated import program, triton, wrapper
from kernelmap.model.memory import GraphMemory
from kernelmap.pages.report import Content
from kernelmap.pages.report import memory as view_of_memory
from kernelmap.pages.report.memory import data_of_memory, graphs_with_curves
from kernelmap.pages.report.packed import PackedTexts
from kernelmap.tables.memory import build_memory_tables
from kernelmap.tables.memory_parts import NO_LINE_ROW, REST_ROWS
from pages.browsing import Visit, opened
from pages.packed_page import Json, numbers, signed, unpacked
from pages.report_world import content, correlation, small
from tiny import Timeline

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("cuda_memory_llama", "cuda_dynamic_recompile", "cuda_cuda_graphs", "aoti_block")
LLAMA = "cuda_memory_llama"
POOL = (
    "pool1 = empty_strided_cuda((2048, ), (1, ), torch.uint8)",
    "buf0 = alloc_from_pool(pool1, 0, torch.float32, (256, ), (1, ))",
    "triton_poi_fused_add_0.run(arg0_1, buf0, 256)",
    "buf1 = alloc_from_pool(pool1, 1024, torch.float32, (128, ), (1, ))",
    "del pool1",
    "del buf0",
    "return (buf1, )",
)


@cache
def correlated(sample: Path) -> kernelmap.Correlation:
    return kernelmap.correlate(sample)


def shown(run: kernelmap.Correlation) -> tuple[Json, list[str]]:
    """What the view is handed, and the long texts of the page."""
    texts = PackedTexts()
    data = data_of_memory(Content(tables=run.tables, records=run), texts)
    return json.loads(json.dumps(data)), unpacked(texts.pack_all())


def or_none(column: Json) -> list[int | None]:
    return [value - 1 if value else None for value in numbers(column).tolist()]


def sums_by_place(graph: Json) -> list[Counter[str]]:
    """After each statement the bytes of each source line or rest, as the page adds them up."""
    buffers, count = graph["buffers"], graph["statements"]
    parts = iter(zip(numbers(buffers["place"]), numbers(buffers["part"]), strict=True))
    places = [f"{file}:{line}" if line else file for file, line, _ in buffers["places"]]
    own = [[next(parts) for _ in range(many)] for many in numbers(buffers["parts"])]
    size, pool = or_none(buffers["bytes"]), or_none(buffers["pool"])
    born, freed = numbers(buffers["born"]).tolist(), or_none(buffers["freed"])
    sums = [Counter[str]() for _ in range(count)]
    for row, split in enumerate(own):
        assert sum(int(part) for _, part in split) == (size[row] or 0)
        end = freed[row]
        for at in range(born[row], count if end is None else end):
            sums[at].update({places[place]: int(part) for place, part in split})
            within = pool[row]
            if within is not None:
                sums[at][places[own[within][0][0]]] -= size[row] or 0
    return sums


def assert_adds_up(run: kernelmap.Correlation) -> None:
    """The page's sums are those of the records, after each statement and by line at the peak."""
    memories = run.memory_of_graphs
    lines = build_memory_tables(run.program, memories, run.memory_of_step).rows["lines"]
    data, _ = shown(run)

    assert [graph["id"] for graph in data["graphs"]] == [memory.graph for memory in memories]
    for graph, memory in zip(data["graphs"], memories, strict=True):
        sums = sums_by_place(graph)
        assert [sum(each.values()) for each in sums] == memory.bytes_after.tolist()
        assert sums[graph["at"]].total() == graph["peak"] == memory.peak_bytes
        assert +sums[graph["at"]] == +Counter(
            {
                f"{row['file']}:{row['line']}" if row["line"] else str(row["file"]): row["bytes"]
                for row in lines
                if row["graph"] == memory.graph
            }
        )


@pytest.mark.parametrize("sample", NAMES)
def test_buffers_add_up_to_the_bytes_after_each_statement(samples: Path, sample: str) -> None:
    """By source line, by the parts that the table of lines at the peak has."""
    assert_adds_up(correlated(samples / sample))


def test_every_rest_has_a_color_of_its_own() -> None:
    """A rest that the page does not know would be drawn among the other lines."""
    script = (files("kernelmap.pages.report") / "static" / "memory_curve.js").read_text("utf-8")
    rests = next(line for line in script.splitlines() if "const RESTS = " in line)

    assert all(f'"{title}": ' in rests for title in (*REST_ROWS.values(), NO_LINE_ROW))
    assert len(set(re.findall(r'"(--[\w-]+)"', rests))) == len(REST_ROWS) + 1


def test_a_pool_has_what_its_buffers_leave(tmp_path: Path) -> None:
    """Memory that the compiler planned counts once in the page, too."""
    text = wrapper(triton("triton_poi_fused_add_0"), body="\n".join(POOL), aot="0_inference")
    run = correlation(Timeline().eager("aten::relu").trace(), *program(tmp_path, text).graphs)

    assert_adds_up(run)
    assert "pool" in {buffer.kind for buffer in run.memory_of_graphs[0].buffers}


@pytest.mark.parametrize("sample", NAMES)
def test_statements_are_read_in_the_code_of_the_page(samples: Path, sample: str) -> None:
    """Only those that read otherwise there, as C++ does, are in the page a second time."""
    run = correlated(samples / sample)
    data, texts = shown(run)

    for graph, memory in zip(data["graphs"], run.memory_of_graphs, strict=True):
        code, lines = texts[graph["text"]].split("\n"), or_none(graph["steps"]["line"])
        for at, step in enumerate(memory.steps):
            own = graph["steps"]["code"].get(str(at))
            line = lines[at]
            assert line == step.line
            if own is None:
                assert line is not None
                assert code[line - 1].strip().startswith(step.code)
            else:
                assert own == step.code


def test_a_step_has_its_runs_in_order(samples: Path) -> None:
    """As Python has them; where no backward runs there is none."""
    run = correlated(samples / LLAMA)
    data, _ = shown(run)
    runs, step = run.memory().runs, data["step"]

    assert [data["graphs"][at]["id"] for at in numbers(step["graph"])] == runs["graph"].tolist()
    for name in ("before", "peak", "after"):
        assert signed(step[name]).tolist() == runs[f"{name}_bytes"].tolist()
    assert step["recorded"]
    assert shown(correlated(samples / "aoti_block"))[0]["step"] is None


def test_what_a_forward_saved_adds_up(samples: Path) -> None:
    """The list beside the table is that of Python."""
    run = correlated(samples / LLAMA)
    saved = {graph["id"]: graph["saved"] for graph in shown(run)[0]["graphs"]}

    assert saved["0_forward"] == []
    assert sum(row["bytes"] for row in saved["0_backward"]) == run.memory().saved["bytes"].sum() > 0


def test_of_very_many_statements_the_highest_peaks_have_curves(
    samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are told with their peak; the page says the command that has them all."""
    run = correlated(samples / "cuda_dynamic_recompile")
    by_peak = sorted(run.memory_of_graphs, key=lambda memory: -memory.peak_bytes)
    monkeypatch.setattr(view_of_memory, "MOST_STATEMENTS", sum(map(_length, by_peak[:2])))
    data, _ = shown(run)
    drawn = {graph["id"] for graph in data["graphs"] if "buffers" in graph}

    assert drawn == {memory.graph for memory in by_peak[:2]}
    assert len(data["graphs"]) == len(by_peak) > len(drawn)
    assert all(graph["peak"] for graph in data["graphs"])
    assert data["command"].startswith("kernelmap memory ")
    monkeypatch.setattr(view_of_memory, "MOST_STATEMENTS", 1)
    assert len(graphs_with_curves(run.memory_of_graphs)) == 1
    assert graphs_with_curves(()) == frozenset()


def test_of_a_very_large_program_the_graphs_with_most_time_are_followed(
    samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the whole program; the page names the others, and leaves out the step they are in."""
    run = correlated(samples / "cuda_dynamic_recompile")
    calls = {graph.id: len(graph.calls) for graph in run.program.graphs}
    by_time = [str(row["graph"]) for row in run.tables.rows("graphs") if row["graph"] in calls]
    monkeypatch.setattr(view_of_memory, "MOST_CALLS", calls[by_time[0]] + calls[by_time[1]])
    data, _ = shown(run)
    whole = {memory.graph: memory.peak_bytes for memory in run.memory_of_graphs}

    assert {graph["id"]: graph["peak"] for graph in data["graphs"]} == {
        graph: whole[graph] for graph in by_time[:2]
    }
    assert data["left_count"] == len(calls) - 2
    assert set(data["left"]) == calls.keys() - {*by_time[:2]}
    assert data["step"] is None
    assert data["unfollowed_count"] == 0


def _length(memory: GraphMemory) -> int:
    return len(memory.steps)


def test_graphs_without_code_are_named() -> None:
    """The page says of which graphs it knows nothing; a saved result has no view at all."""
    given = content(small())

    data = data_of_memory(given, PackedTexts())
    assert isinstance(data, dict)
    assert (data["graphs"], data["unfollowed"]) == ([], ["0_forward"])
    assert data_of_memory(Content(tables=given.tables), PackedTexts()) is None


def test_records_are_followed_once(samples: Path) -> None:
    """The report and `memory()` share them; with sizes of one's own they are others."""
    run = correlated(samples / "cuda_dynamic_recompile")

    assert run.memory().memories is run.memory_of_graphs
    assert run.memory({"s27": 4096}).memories != run.memory_of_graphs


@pytest.fixture(scope="module", params=[(1440, 900), (390, 844)])
def visit(
    request: pytest.FixtureRequest, browser: Browser, report_of: Callable[[str], Path]
) -> Iterator[Visit]:
    visit = opened(browser, report_of(LLAMA), "#memory", size=request.param)
    yield visit
    assert visit.silent, (visit.said, visit.asked)
    visit.page.close()


@pytest.mark.browser
def test_a_statement_is_chosen_by_address_key_and_click(visit: Visit, samples: Path) -> None:
    """What stands below is what is alive after it; the arrows go on, `p` goes to the peak."""
    (backward,) = (
        memory
        for memory in correlated(samples / LLAMA).memory_of_graphs
        if memory.graph == "0_backward"
    )
    page, address = visit.page, "location.hash"
    visit.go("#memory&graph=0_backward&at=12")

    assert "Statement 12 of" in page.inner_text("#memory-view .chosen h2")
    assert page.inner_text("#memory-view .chosen pre") == backward.steps[12].code
    alive = {buffer.name for buffer, own in backward.alive_after(12) if own}
    assert set(visit.column("memory")) == alive
    page.keyboard.press("ArrowRight")
    visit.settle()
    assert page.evaluate(address) == "#memory&graph=0_backward&at=13"
    page.keyboard.press("p")
    visit.settle()
    assert page.evaluate(address) == f"#memory&graph=0_backward&at={backward.peak_step}"
    assert "the peak" in page.inner_text("#memory-view .chosen h2")

    box = page.locator("#memory-view .area canvas").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] - 14, box["y"] + box["height"] / 2)
    visit.settle()
    assert page.evaluate(address) == f"#memory&graph=0_backward&at={len(backward.steps) - 1}"
    page.mouse.click(box["x"] + 100, box["y"] + 100)
    page.keyboard.press("ArrowLeft")
    visit.settle()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.browser
def test_the_page_adds_up_what_the_records_say(visit: Visit, samples: Path) -> None:
    """Bands over the statements, in the browser: they are the bytes of each statement."""
    for graph, memory in enumerate(correlated(samples / LLAMA).memory_of_graphs):
        total = visit.page.evaluate(
            """async (graph) => {
                const { app } = kernelmap;
                const data = await app.json(app.data.views.memory);
                const { unpackedMemory, stackedBands } = app.memory;
                const texts = await app.texts();
                const memory = await unpackedMemory(data.graphs[graph], data.kinds, texts);
                return [...stackedBands(memory).total];
            }""",
            graph,
        )

        assert np.array_equal(total, memory.bytes_after)


@pytest.mark.browser
def test_a_buffer_leads_to_its_call_and_its_line(visit: Visit) -> None:
    """And a run of the step to its graph."""
    page = visit.page
    visit.go("#memory&graph=0_backward&at=12")
    links = page.locator("#memory-view tbody a").evaluate_all(
        "(all) => all.map((each) => each.getAttribute('href'))"
    )

    assert any(link.startswith("#call=0_forward%2F") for link in links)
    assert any(link.startswith("#lines&line=") for link in links)
    page.locator("#memory-view tbody a[href^='#lines']").first.click()
    visit.settle()
    assert visit.page.evaluate("document.body.dataset.view") == "lines"
    visit.go("#memory&graph=0_backward")
    box = page.locator("#memory-view .runs canvas").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2)
    visit.settle()
    assert page.evaluate("location.hash") == "#memory&graph=0_forward"
