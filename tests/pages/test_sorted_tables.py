"""A table of a page sorts by the column whose heading is clicked, by values and not by texts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from accessible import grave
from kernelmap.pages.page import Bar, CellKind, Cells, Page, PageColumn, PageRow, PageTable
from kernelmap.pages.render import html

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Opened

HOSTILE = "<img src=x onerror=alert(1)>"
COLUMNS = (
    PageColumn(name="call", kind=CellKind.NAME),
    PageColumn(name="time", kind=CellKind.NUMBER),
    PageColumn(name="", kind=CellKind.BAR),
    PageColumn(name="change", kind=CellKind.NUMBER),
)
CELLS: tuple[tuple[str, str, str], ...] = (
    ("graph/10", "190 ms", "+4.4 %"),
    ("graph/9", "9.50 µs", ""),
    (HOSTILE, "1,200 ns", "-0.9 %"),
    ("graph/2", "1.00 s", "<0.1 %"),
    ("", "800.7 µs a step", "12.5x"),
)
REST = PageRow(cells=("… 3 more", "2.00 s", Bar(0, 1), "+9.9 %"), ours=True)


def table(*rows: tuple[str, str, str], ordered: bool = False, rest: bool = True) -> PageTable:
    made = [PageRow(cells=(name, time, Bar(0, 0.5), change)) for name, time, change in rows]
    return PageTable(
        title="Calls",
        columns=COLUMNS,
        rows=(*made, *([REST] if rest else [])),
        ordered=ordered,
    )


def page(*sections: PageTable) -> Page:
    return Page(title="Sorted", sections=sections)


@pytest.fixture(scope="module")
def window(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """A page with that table, from disk; nothing on it may be said on the console."""
    path = tmp_path_factory.mktemp("sorted") / "page.html"
    path.write_text(html.render_document(page(table(*CELLS)), title="Sorted"), encoding="utf-8")
    made = browser.new_page()
    made.on("console", lambda message: pytest.fail(message.text))
    made.on("pageerror", lambda error: pytest.fail(str(error)))
    made.goto(path.as_uri())
    yield made
    made.close()


@pytest.fixture
def opened(window: Opened) -> Opened:
    """That page as it comes."""
    window.reload()
    return window


def column(opened: Opened, number: int) -> list[str]:
    return opened.locator(f"tbody td:nth-child({number})").all_text_contents()


def states(opened: Opened) -> list[str | None]:
    headings = opened.locator("thead th").all()
    return [heading.get_attribute("aria-sort") for heading in headings]


@pytest.mark.browser
def test_figures_sort_by_what_they_mean(opened: Opened) -> None:
    """A second is more than 190 ms, and more than 1,200 ns; the rest of the rows stays last."""
    opened.get_by_role("button", name="time").click()

    times = ["1.00 s", "190 ms", "800.7 µs a step", "9.50 µs", "1,200 ns", "2.00 s"]
    assert column(opened, 2) == times
    assert states(opened) == [None, "descending", None, None]


@pytest.mark.browser
def test_again_turns_it_round_and_a_third_time_brings_the_order_back(opened: Opened) -> None:
    """Three states, which `aria-sort` tells; rows without a value are last in both."""
    heading = opened.get_by_role("button", name="change")
    heading.click()
    assert column(opened, 4) == ["12.5x", "+4.4 %", "<0.1 %", "-0.9 %", "", "+9.9 %"]
    heading.click()
    assert column(opened, 4) == ["-0.9 %", "<0.1 %", "+4.4 %", "12.5x", "", "+9.9 %"]
    assert states(opened) == [None, None, None, "ascending"]
    heading.click()
    assert column(opened, 4) == [*(change for *_, change in CELLS), "+9.9 %"]
    assert states(opened) == [None, None, None, None]


@pytest.mark.browser
def test_names_sort_from_a_with_the_keyboard_alone(opened: Opened) -> None:
    """Tab and Enter are enough; numbers in names count as numbers, and no name is markup."""
    opened.get_by_role("button", name="call").focus()
    opened.keyboard.press("Enter")

    assert column(opened, 1) == [HOSTILE, "graph/2", "graph/9", "graph/10", "", "… 3 more"]
    assert states(opened)[0] == "ascending"
    assert opened.locator("img").count() == 0


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_a_sorted_table_is_accessible(opened: Opened, theme: str, width: int) -> None:
    """Headings are buttons that are seen, on a phone as well, and axe finds nothing grave."""
    opened.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    opened.set_viewport_size({"width": width, "height": 800})
    opened.get_by_role("button", name="time").click()

    assert opened.get_by_role("button", name="call").is_visible()
    assert column(opened, 2)[0] == "1.00 s"
    assert grave(opened) == []
    assert opened.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.browser
def test_on_a_phone_a_long_heading_stands_beside_its_text(browser: Browser, tmp_path: Path) -> None:
    """The heading of a cell wraps in its own column and covers nothing."""
    columns = (PageColumn(name="call"), PageColumn(name="what was said when it was recorded"))
    shown = PageTable(title="Calls", columns=columns, rows=(PageRow(cells=("mm", "a text " * 9)),))
    path = tmp_path / "phone.html"
    path.write_text(html.render_document(page(shown), title="Phone"), encoding="utf-8")
    opened = browser.new_page(viewport={"width": 390, "height": 844})
    opened.goto(path.as_uri())
    cell = opened.locator("td", has_text="a text")
    heading_width, left, height = cell.evaluate(
        """(cell) => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          const [box, text] = [cell.getBoundingClientRect(), range.getBoundingClientRect()];
          const heading = getComputedStyle(cell, "::before");
          return [parseFloat(heading.width), text.left - box.left, parseFloat(heading.height)];
        }"""
    )

    assert left > heading_width
    assert cell.evaluate("(cell) => cell.clientHeight") >= height


def buttons(shown: PageTable) -> int:
    return html.render_document(page(shown), title="t").count("<button>")


def test_every_heading_with_a_name_is_a_button() -> None:
    """A bar has no heading, and no way to sort by it."""
    assert buttons(table(*CELLS)) == 3


def test_rows_that_follow_from_one_another_stay_as_they_are() -> None:
    """A waterfall is no waterfall in another order; two rows are seen at a glance."""
    assert buttons(table(*CELLS, ordered=True)) == 0
    assert buttons(table(*CELLS[:2], rest=False)) == 0


def test_where_no_script_runs_nothing_looks_as_if_it_sorted() -> None:
    """In a notebook headings are texts."""
    assert "<button" not in html.render_fragment(page(table(*CELLS)))


def test_a_page_that_sorts_nothing_has_no_script() -> None:
    """Its policy allows none, as before."""
    cells: tuple[Cells, ...] = ("name", "1.00 s", Bar(0, 1), "")
    alone = PageTable(title="One", columns=COLUMNS, rows=(PageRow(cells=cells),))

    assert "script" not in html.render_document(page(alone), title="t")
