"""Every row of the report leads somewhere: to what ran, where it stands in source, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import kernelmap
from examples import is_quick
from kernelmap.pages.report import Content, render_report
from pages.browsing import Visit, opened, visiting
from pages.packed_page import data_of
from traces import kineto_text

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

TALL = (1440, 9000)
"""So high that tables draw all of their rows."""
BROKEN = ("This report has no", "No kernel of this name", "No time of this window", "undefined")
ROWS = "#{}-view tbody tr:not(.space)"
TABLES = ("lines", "ops", "modules", "calls", "kernels", "graphs", "roofline")

CLICK = """async ([view, at]) => {
    const wait = (ms) => new Promise((done) => setTimeout(done, ms));
    const shown = () => document.querySelector('.view[data-ready]:not([hidden])');
    const tab = view === 'modules' ? 'ops' : view;
    kernelmap.app.go(`#${tab}`);
    while (shown()?.id !== `${tab}-view`) await wait(5);
    await wait(5);
    const choices = [...document.querySelectorAll('.choice')];
    choices.find((each) => each.textContent.toLowerCase() === view)?.click();
    const row = document.querySelectorAll(`#${tab}-view tbody tr:not(.space)`)[at];
    const name = row.querySelector('td').textContent;
    row.click();
    for (let tries = 0; tries < 400 && !shown(); tries++) await wait(5);
    for (let last = null; last !== shown().innerText; await wait(15)) last = shown().innerText;
    const links = [...shown().querySelectorAll('a')].filter((each) => each.checkVisibility());
    const inTimeline = links.find((each) => each.hash.startsWith('#timeline&'));
    return {
        name, hash: location.hash, text: shown().innerText, view: shown().id,
        timeline: inTimeline?.hash ?? null,
        listed: shown().querySelectorAll('.ran li, .users li, .users a').length,
    };
}"""
TIMELINE = """async (hash) => {
    const wait = (ms) => new Promise((done) => setTimeout(done, ms));
    kernelmap.app.go(hash);
    const sight = () => document.querySelector('#timeline-view .sight');
    const text = () => sight()?.innerText ?? null;
    for (let last = null; last === null || last !== text(); await wait(170)) last = text();
    return sight().querySelectorAll('li').length;
}"""


def eager(folder: Path) -> Path:
    """A profile of eager code with Python frames: two functions, one of them known by its file."""
    events = [
        kineto_text.frame("model.py(3): forward", 90, 40),
        *kineto_text.pair(1, "void at::native::gemm<float>(int)"),
        kineto_text.frame("model.py(9): loss", 190, 40),
        *kineto_text.pair(2, "void at::native::gemm<double>(int)"),
        *kineto_text.pair(3, "outside_of_any_function"),
    ]
    return kineto_text.write(folder / "eager.json", kineto_text.text(events))


THOROUGH = pytest.mark.thorough


@pytest.fixture(
    scope="module",
    params=[
        "small",
        "eager",
        pytest.param("cuda_language_train", marks=THOROUGH),
        pytest.param("cuda_graph_breaks", marks=THOROUGH),
        pytest.param("cpu_graph_breaks", marks=THOROUGH),
        pytest.param("nsys", marks=THOROUGH),
        pytest.param("corpus", marks=[THOROUGH, pytest.mark.corpus]),
    ],
)
def report(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    samples: Path,
    small_report: Path,
    report_of: Callable[[str], Path],
) -> Path:
    """Made by hand; of a GPU, of a CPU, of eager code with Python frames, and of Nsight Systems."""
    folder = tmp_path_factory.mktemp("rows")
    if request.param == "small":
        return small_report
    if request.param == "corpus":
        inputs = request.getfixturevalue("corpus") / "kineto" / "h100_bert_small_eager.json.gz"
    elif request.param == "eager":
        inputs = eager(folder)
    elif request.param == "nsys":
        inputs = samples / "cuda_user_triton" / "nsys.sqlite"
    else:
        return report_of(request.param)
    return kernelmap.correlate(inputs).to_html(folder / "report.html")


@pytest.fixture(scope="module")
def shared(browser: Browser, report: Path) -> Iterator[Visit]:
    with visiting(browser, report, size=TALL) as visit:
        yield visit


@pytest.fixture
def visit(shared: Visit) -> Iterator[Visit]:
    shared.begin_again()
    yield shared
    assert shared.silent


@pytest.fixture
def language(browser: Browser, report_of: Callable[[str], Path]) -> Iterator[Visit]:
    with visiting(browser, report_of("cuda_language_train")) as visit:
        yield visit


def rows_of(visit: Visit, view: str) -> int:
    """How many rows the table of a view has."""
    tab = "ops" if view == "modules" else view
    visit.go(f"#{tab}")
    choice = visit.page.locator(f".choice:text-is('{view.title()}')")
    if tab == "ops" and not choice.count():
        return 0 if view == "modules" else visit.page.locator(ROWS.format(tab)).count()
    if tab == "ops":
        choice.click()
    return visit.page.locator(ROWS.format(tab)).count()


def spread(count: int, most: int = 9) -> Sequence[int]:
    """All of so many rows, or the first, the last and some between; in `quick` one between."""
    if is_quick():
        return sorted({0, count // 2, count - 1}) if count else ()
    return (
        range(count)
        if count <= most
        else sorted({*range(5), *range(5, count, count // 3), count - 1})
    )


def test_every_row_leads_somewhere(visit: Visit) -> None:
    """A row opens what ran for it: a call, an op or a kernel with its time, and its launches."""
    led = 0
    for view in TABLES:
        for at in spread(rows_of(visit, view)):
            place = visit.page.evaluate(CLICK, [view, at])
            where = f"{view} row {at} ({place['name']}) at {place['hash']}"

            assert place["hash"] not in ("", f"#{view}"), where
            assert not [word for word in BROKEN if word in place["text"]], where
            assert len(place["text"]) > 60, where
            if view not in ("graphs", "roofline"):
                assert place["listed"], where
            assert place["timeline"], where
            assert visit.page.evaluate(TIMELINE, place["timeline"]), where
            led += 1
    assert led > 5


SUMS = """async () => {
    const { app } = kernelmap;
    const found = [];
    const { lines, ops } = app.data.views;
    const tables = await app.json(ops);
    const { calls } = app.data;
    const check = async (place, ns) =>
        found.push([JSON.stringify(place), (await app.ran(place)).ns, ns]);
    for (const row of await app.json(lines))
        await check({ line: row.name }, row.time_ns + row.backward_ns);
    for (const { name, origin, time_ns } of tables.ops) await check({ op: name, origin }, time_ns);
    for (const { name, time_ns, total_ns } of tables.modules)
        await check({ op: name, by: "module" }, total_ns ?? time_ns);
    for (const row of calls.call.keys()) {
        const call = calls.call[row];
        await check(call === null ? { rest: calls.wrapper[row] } : { call }, calls.time_ns[row]);
    }
    return found;
}"""


def test_what_ran_for_a_row_adds_up_to_it(visit: Visit) -> None:
    """The parts below a line, an op, a module or a call have its time, to the nanosecond."""
    found = visit.page.evaluate(SUMS)

    assert len(found) > 5
    assert [row for row in found if row[1] != row[2]] == []


def test_every_bar_of_the_overview_leads_somewhere(visit: Visit) -> None:
    """Heads of tables, parts of steps and causes of idleness are links to places that exist."""
    page = visit.page
    rows = page.locator("#overview-view .bars .row, #wall li > :first-child")
    links = rows.evaluate_all("(all) => all.map((each) => each.getAttribute('href'))")

    assert links
    assert all(links)
    assert all("&mark=" in link for link in links if "&from=" in link)
    for link in dict.fromkeys(links):
        visit.go(link)
        text = page.inner_text(".view:not([hidden])")
        assert not [word for word in BROKEN if word in text], link
        assert len(text) > 60, link


def test_no_list_ends_in_silence(visit: Visit) -> None:
    """What a list of the overview leaves out it counts, and leads to a table that has all of it."""
    page = visit.page
    data = data_of(page.content())
    counts = {
        "lines": len(data["views"]["lines"]),
        "ops": len(data["views"]["ops"]["ops"]),
        "calls": len(data["calls"]["call"]),
    }
    titles = {"lines": "Source lines", "ops": "Original ops", "calls": "Calls"}
    if not any(data["calls"]["call"]):
        del counts["calls"]
    for view, count in counts.items():
        visit.go("#overview")
        card = page.locator(
            "#overview-view .card", has=page.locator(f"h2:text-is('{titles[view]}')")
        )
        shown = card.locator(".bars .row").count()
        assert shown == min(count, 8)
        if count > shown:
            link = card.locator(".left a")
            assert f" {count - shown} more " in str(link.text_content())
            link.click()
            visit.settle()
            assert page.evaluate("location.hash") == f"#{view}"
            # A busy browser may measure the table's height after it has shown the view.
            rows = f"#{view}-view tbody tr:not(.space)"
            page.wait_for_function(f"document.querySelectorAll('{rows}').length === {count}")
    causes = page.locator("#overview-view .wide > div .bars")
    if causes.count():
        visit.go("#overview")
        before = causes.locator(".row").count()
        more = page.locator("#overview-view .wide > div > .more")
        if more.count():
            left = int(str(more.text_content()).split()[1].replace(",", ""))
            more.click()
            assert causes.locator(".row").count() == before + left


def test_lists_that_open_say_how_many_more(language: Visit) -> None:
    """What is in sight of the timeline and what ran of a line open for all of their rows."""
    page = language.page
    for address, rows in (("#timeline", ".sight li"), ("#lines", ".lists section:first-child li")):
        language.go(address)
        page.wait_for_selector(f".view:not([hidden]) {rows}")
        more = page.locator(".view:not([hidden]) .more").first
        before = page.locator(f".view:not([hidden]) {rows}").count()
        left = int(str(more.text_content()).split()[1])
        more.click()
        language.settle()
        after = page.locator(f".view:not([hidden]) {rows}").count()
        assert after == (before if rows == ".sight li" else before - 1) + left


def test_a_search_says_how_many_more(language: Visit) -> None:
    """The list of hits ends with their number, and opens for all."""
    page = language.page
    page.fill("#search", "mm")
    shown = page.locator("#hits .name").count()
    more = page.locator("#hits .leads")
    left = int(str(more.text_content()).split()[1])
    more.dispatch_event("mousedown")

    assert page.locator("#hits .name").count() == shown + left
    assert more.count() == 0
    page.keyboard.press("ArrowUp")
    assert page.locator("#hits [aria-selected=true] .name").count() == 1


@pytest.mark.thorough
def test_small_boxes_are_drawn_larger(language: Visit) -> None:
    """A box of the treemap that stands for parts too small to be drawn leads to them."""
    page = language.page
    page.set_viewport_size({"width": 1920, "height": 1200})
    language.go("#ops")
    total = int(str(page.get_attribute("#ops-view .map", "data-total")))
    inner = page.evaluate(
        """() => {
            const [{ labels, parents }] = document.querySelector('#ops-view .map').data;
            return labels.filter((label, at) => label.endsWith(' more') && parents[at] !== '0');
        }"""
    )
    page.locator("#ops-view .map g.slice", has_text=inner[0]).first.click(force=True)
    language.settle()

    assert 0 < int(str(page.get_attribute("#ops-view .map", "data-total"))) < total
    page.click("text=Show all")
    language.settle()
    assert int(str(page.get_attribute("#ops-view .map", "data-total"))) == total


def test_a_line_is_found_once(browser: Browser, report_of: Callable[[str], Path]) -> None:
    """The search has each line one time, also when the panes were drawn; it opens its row."""
    visit = opened(browser, report_of("cuda_graph_breaks"), "#provenance")
    page = visit.page
    page.fill("#search", "models.py:109")
    lines = page.locator("#hits li", has=page.locator(".kind:text-is('line')"))

    assert lines.count() == 1
    page.keyboard.press("Enter")
    visit.settle()
    assert page.evaluate("decodeURIComponent(location.hash)") == "#line=/home/user/models.py:109"
    assert "softmax" in page.inner_text("#lines-view .detail pre")
    page.close()


def test_a_line_without_compiled_code_is_no_error_in_the_panes(
    browser: Browser, tmp_path: Path
) -> None:
    """An address of the panes that names a function of eager code leads to its row of the lines."""
    path = kernelmap.correlate(eager(tmp_path)).to_html(tmp_path / "report.html")
    visit = opened(browser, path, "#lines")
    names = [row["name"] for row in data_of(path.read_text())["views"]["lines"]]
    (function,) = (name for name in names if name.startswith("in forward"))
    visit.go(f"#line={function}")
    text = visit.page.inner_text("#lines-view .detail")

    assert "Eager code" in text
    assert "gemm<float>" in (visit.page.text_content("#lines-view .detail") or "")
    assert "aten.mm" in text
    assert visit.silent
    visit.page.close()


@pytest.mark.thorough
def test_a_saved_result_leads_somewhere_too(browser: Browser, saved_report: Path) -> None:
    """Without launches a row still has its facts, and says why there is no more."""
    visit = opened(browser, saved_report, size=TALL)
    for view in ("lines", "calls", "kernels", "graphs", "ops"):
        for at in range(rows_of(visit, view)):
            place = visit.page.evaluate(CLICK, [view, at])
            assert place["hash"] not in ("", f"#{view}")
            assert not [word for word in BROKEN if word in place["text"]]
    assert visit.silent
    visit.page.close()


def test_kinds_of_launches_have_all_launches(samples: Path) -> None:
    """Launches and time of all kinds are those of the window; places are rows of the lines."""
    run = kernelmap.correlate(samples / "cuda_language_train")
    keys = data_of(render_report(Content(tables=run.tables, records=run)))["views"]["timeline"][
        "keys"
    ]

    assert sum(keys["time_ns"]) == run.tables.summary.total_ns
    assert sum(keys["launches"]) == run.attribution.counted.sum()
    assert set(map(type, keys["place"])) == {int}
