"""Names that have no room: they stay different, and whole for whoever asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pages.browsing import Visit, opened, visiting, write
from pages.report_world import content, correlation
from tiny import Timeline, graph

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

FIT = """([names, room]) => {
    const how = kernelmap.app.fit(names, room, (text) => [...text].length);
    return [...new Set(names)].map((name) => {
        const own = how.get(name);
        const letters = [...name];
        const parts = own?.ranges.map(([from, to]) => letters.slice(from, to).join(''));
        return [name, own ? parts.join('…') + (own.mark ?? '') : name];
    });
}"""
SEEN = """(cell) => {
    const text = (node) => {
        if (node.nodeType === Node.TEXT_NODE) return node.textContent;
        if (node.classList.contains('gap')) return '';
        const before = getComputedStyle(node, '::before').content;
        const own = before === 'none' ? '' : JSON.parse(before);
        return own + [...node.childNodes].map(text).join('');
    };
    return text(cell);
}"""
MIDDLES = (
    "f32f32_f32f32_nn_n",
    "f32f32_f32f32_tn_n",
    "bf16_bf16_tn_t",
)
ENDS = ("kernel__5x_cublas", "split_k_kernel__5x_cublas")
ALIKE = [
    f"sm80_xmma_gemm_{middle}_tilesize{size}x64x8_stage3_warpsize1x1x1_ffma_aligna4_execute_{end}"
    for middle in MIDDLES
    for size in (32, 64, 128)
    for end in ENDS
]
"""Names that differ in two or three places, none of them at their ends, as cuBLAS gives them."""


@pytest.fixture(scope="module")
def page(browser: Browser, small_report: Path) -> Iterator[Visit]:
    with visiting(browser, small_report) as visit:
        yield visit


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    names=st.lists(
        st.lists(
            st.sampled_from(["ab", "c_", "::", "<int>", "x", "kernel", "é", "\U0001f600"]),
            max_size=14,
        ).map("".join),
        max_size=30,
    ),
    room=st.integers(9, 30),
)
def test_names_of_one_table_never_look_alike(page: Visit, names: list[str], room: int) -> None:
    """Different names are shown as different texts, none wider than the room that there is."""
    shown = page.page.evaluate(FIT, [names, room])

    assert len({text for _, text in shown}) == len({name for name, _ in shown})
    for name, text in shown:
        assert len(text) <= max(room, 9 + len(str(len(names))))
        if len(name) <= room:
            assert text == name


@pytest.mark.parametrize("room", [22, 30, 40, 60])
def test_what_differs_is_what_is_shown(page: Visit, room: int) -> None:
    """Names that differ in their middle are told apart by their letters, not by a number."""
    shown = dict(page.page.evaluate(FIT, [ALIKE, room]))

    assert len(set(shown.values())) == len(ALIKE)
    if room >= 40:
        assert not [text for text in shown.values() if " ·" in text]
    for name, text in shown.items():
        first, *_, last = text.split(" ·")[0].split("…")
        assert name.startswith(first)
        assert name.endswith(last)


@pytest.fixture(scope="module")
def alike(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of kernels that differ in the middle of long names, in compiled code and outside."""
    compiled = graph("0_forward", *(f"triton_{name}" for name in ALIKE))
    line = Timeline().invoke(compiled)
    for name in ALIKE:
        line = line.launch(f"void at::native::{name}<float>(int, int)", api=None)
    run = correlation(line.trace(), compiled)
    return write(content(run), tmp_path_factory.mktemp("alike") / "report.html")


@pytest.fixture(scope="module", params=[(1440, 3000), (390, 3000)], ids=["desk", "phone"])
def crowded(request: pytest.FixtureRequest, browser: Browser, alike: Path) -> Iterator[Visit]:
    with visiting(browser, alike, "#kernels", size=request.param) as visit:
        yield visit


@pytest.mark.parametrize("view", ["kernels", "calls"])
def test_rows_of_a_table_look_different(crowded: Visit, view: str) -> None:
    """No two names of a column look the same, and each says and copies the whole of itself."""
    visit = crowded
    visit.go(f"#{view}")
    cells = visit.page.locator(f"#{view}-view tbody td:first-child .cut")
    whole = cells.all_text_contents()
    seen = cells.evaluate_all(f"(all) => all.map({SEEN})")
    over = cells.evaluate_all("(all) => all.map((each) => each.scrollWidth - each.clientWidth)")
    titles = cells.evaluate_all("(all) => all.map((each) => each.title)")

    assert len(set(whole)) > 15
    assert len(set(zip(whole, seen, strict=True))) == len(set(seen))
    assert max(over) <= 1
    assert titles == whole
    copied = cells.first.evaluate(
        "(cell) => { getSelection().selectAllChildren(cell); return String(getSelection()); }"
    )
    assert copied == whole[0]
    assert visit.silent


HEADINGS = """(all) => all.filter((each) => each.scrollWidth > each.clientWidth)
    .map((each) => each.textContent)"""


@pytest.mark.parametrize(
    "sample",
    [
        "sim_mlp_train",
        pytest.param("cuda_language_train", marks=pytest.mark.thorough),
        pytest.param("cpu_graph_breaks", marks=pytest.mark.thorough),
    ],
)
def test_no_heading_and_no_figure_is_cut_on_a_desk(
    browser: Browser, report_of: Callable[[str], Path], sample: str
) -> None:
    """At 1440 pixels the headings of all tables and all their figures are whole."""
    visit = opened(browser, report_of(sample), size=(1440, 900))
    for view in ("lines", "ops", "calls", "kernels", "graphs", "roofline"):
        visit.go(f"#{view}")
        for part in ("th button", "td.time", "td.number", "td.share"):
            assert visit.page.locator(f"#{view}-view {part}").evaluate_all(HEADINGS) == [], view
    visit.page.close()


def test_what_is_said_of_a_call_is_whole_on_a_desk(
    browser: Browser, report_of: Callable[[str], Path]
) -> None:
    """Above the panes stand confidence and links of a call, and no part of them is cut."""
    visit = opened(
        browser, report_of("cuda_language_train"), "#call=0_backward/98", size=(1440, 900)
    )
    parts = visit.page.locator("#provenance-view .chosen > div > *")
    ends = parts.evaluate_all("(all) => all.map((each) => each.getBoundingClientRect().right)")
    texts = parts.all_text_contents()

    assert "exact" in texts
    assert "in the timeline" in texts
    assert "open in VS Code" in texts
    assert max(ends) <= 1440
    visit.page.close()
