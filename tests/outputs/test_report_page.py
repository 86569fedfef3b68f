"""The HTML report, as text and in a real browser."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kernelmap.outputs.html import render
from outputs.hand_tables import HOSTILE, OPS, make_tables, table

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BARS = ".barlayer .point"


@dataclass
class Visit:
    """A page with all that it did."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    @property
    def column(self) -> list[str]:
        """The first cell of every row of the table."""
        return self.page.locator("#table tbody td:first-child").all_text_contents()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(make_tables()), encoding="utf-8")
    return path


def opened(browser: Browser, report: Path) -> Visit:
    page = browser.new_page(viewport={"width": 1366, "height": 860}, color_scheme="light")
    visit = Visit(page)
    page.on("console", lambda message: visit.said.append(message.text))
    page.on("pageerror", lambda error: visit.said.append(str(error)))
    page.on("dialog", lambda dialog: visit.said.append(dialog.message))
    page.on("request", lambda request: visit.asked.append(request.url))
    page.goto(report.as_uri())
    page.wait_for_selector("#kernels .plot-container", state="attached")
    return visit


@pytest.fixture
def visit(browser: Browser, report: Path) -> Iterator[Visit]:
    visit = opened(browser, report)
    yield visit
    visit.page.close()


def test_the_same_tables_give_the_same_page() -> None:
    """The report has no random id and no time of day."""
    assert render(make_tables()) == render(make_tables())


def test_many_inputs_are_named_in_part() -> None:
    """A run of a hundred graphs needs no hundred names above its time."""
    tables = make_tables()
    names = tuple(f"code_{number}.py" for number in range(100))
    page = render(replace(tables, summary=replace(tables.summary, sources=names)))

    assert "code_3.py · 96 more" in page
    assert "code_4.py" not in page


def test_the_data_stays_inside_its_script_element() -> None:
    """No name can end the element that carries the data; reading it gives the names back."""
    data = re.search(r'<script id="data"[^>]*>(.*?)</script>', render(make_tables()), re.DOTALL)

    assert data is not None
    assert not re.search("[<>&]", data[1])
    ops = next(table for table in json.loads(data[1])["tables"] if table["name"] == "ops")
    assert HOSTILE in [row[0] for row in ops["rows"]]


def test_the_policy_allows_our_scripts_by_hash_and_nothing_else() -> None:
    """Nothing may be loaded, and a script runs only if it is one of the two written here."""
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', render(make_tables()))

    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in unescape(policy[1]).split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"].count("sha256-") == 2
    assert "unsafe" not in rules["script-src"]
    assert "http" not in policy[1]


@pytest.mark.browser
def test_the_charts_are_drawn_in_silence(visit: Visit) -> None:
    """All bars stand, the console stays empty, and nothing but the file is asked for."""
    page = visit.page

    assert page.locator(f"#ops {BARS}").count() == len(OPS) + 2
    assert page.locator(f"#kernels {BARS}").count() == len(OPS)
    assert page.locator(f"#ledger {BARS}").count() == 4
    assert page.locator("#ops .errorbar").count() == len(OPS)
    assert visit.said == []
    assert [url for url in visit.asked if not url.startswith("file:")] == []


@pytest.mark.browser
def test_a_window_with_nothing_is_a_page_too(browser: Browser, tmp_path: Path) -> None:
    """Where nothing ran the report says so without an error."""
    tables = make_tables()
    summary = replace(tables.summary, total_ns=0, coverage={}, devices=(), steps=None)
    nothing = {name: table(name, []) for name in tables.frames}
    path = tmp_path / "empty.html"
    path.write_text(render(replace(tables, summary=summary, frames=nothing)), encoding="utf-8")
    visit = opened(browser, path)

    assert visit.said == []
    assert visit.page.inner_text("#count") == "0 rows"
    visit.page.close()


@pytest.mark.browser
def test_a_hostile_name_stays_text(visit: Visit) -> None:
    """A kernel named like markup is shown as it is: in table, notes, axis and hover."""
    page = visit.page
    page.hover(f"#ops {BARS}:nth-child({list(OPS).index(HOSTILE) + 1}) path", force=True)
    page.wait_for_selector("#ops .hovertext")

    assert HOSTILE in visit.column
    assert HOSTILE in page.locator(".notes").inner_text()
    assert "<img src=x" in "".join(page.locator("#ops .ytick").all_text_contents())
    assert HOSTILE in (page.locator("#ops .hovertext").text_content() or "")
    assert page.locator("img").count() == 0
    assert page.locator("body script").count() == 3
    assert visit.said == []


@pytest.mark.browser
def test_the_table_sorts_both_ways(visit: Visit) -> None:
    """A click on a heading sorts by it, another one turns it round."""
    page = visit.page
    heading = page.locator("#table th button", has_text="name")
    heading.click()
    upwards = visit.column
    heading.click()

    assert upwards == visit.column[::-1]
    assert upwards != list(OPS)
    page.locator("#table th button", has_text="time").click()
    assert visit.column[:2] == list(OPS)[:2]
    assert page.locator("#table th[aria-sort=descending]").inner_text().startswith("time")


@pytest.mark.browser
def test_what_is_missing_sorts_last(visit: Visit) -> None:
    """Rows without a value stand at the end, whichever way the others are sorted."""
    page = visit.page
    page.click("[data-table=calls]")
    heading = page.locator("#table th button", has_text="median")
    heading.click()
    down = visit.column
    heading.click()

    assert (down[-1], visit.column[-1]) == ("(ambiguous)", "(ambiguous)")
    assert down[0] == "triton_poi_fused_addmm_0"


@pytest.mark.browser
def test_the_search_keeps_rows_that_have_all_words(visit: Visit) -> None:
    """Words are found anywhere in a row, in any order and case; the count says how many."""
    page = visit.page
    page.fill("#search", "COMPILED mm")

    assert visit.column == ["aten.addmm", "aten.mm"]
    assert page.inner_text("#count") == f"2 of {len(OPS) + 2} rows"
    page.fill("#search", "")
    assert len(visit.column) == len(OPS) + 2


@pytest.mark.browser
def test_every_table_has_a_tab(visit: Visit) -> None:
    """Calls, kernels, lines, nodes, modules and graphs can be looked at too."""
    page = visit.page
    for tab in page.locator("#tabs button").all():
        tab.click()

        assert tab.get_attribute("aria-selected") == "true"
        assert visit.column
    assert visit.said == []


@pytest.mark.browser
def test_light_and_dark_follow_the_system_and_the_button(visit: Visit) -> None:
    """The page takes the system's side at once, charts included, and the button turns it."""
    page = visit.page

    def colors() -> tuple[str, str]:
        page.wait_for_timeout(50)
        return (
            page.evaluate("getComputedStyle(document.body).backgroundColor"),
            page.evaluate("document.querySelector('#ops .ytick text').style.fill"),
        )

    light = colors()
    page.click("#theme")
    dark = colors()
    page.click("#theme")
    again = colors()
    page.emulate_media(color_scheme="dark")

    assert light == again
    assert light[0] != dark[0]
    assert light[1] != dark[1]
