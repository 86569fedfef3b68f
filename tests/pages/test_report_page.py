"""The page in a browser: tabs, addresses, keys, search, light and dark; and names that harm."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from kernelmap.pages.report import Content
from kernelmap.pages.report.page import VIEWS as TABS
from pages.browsing import Visit, visiting, write
from pages.hand_tables import make_tables, table
from pages.report_world import ADD, HOSTILE, MUL

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

VIEWS = tuple(tab.name for tab in TABS)
EARLY = (("timeline", "w"), ("kernels", "j"), ("provenance", "b"))
"""Views with keys of their own."""


@pytest.fixture(scope="module")
def shared(browser: Browser, small_report: Path) -> Iterator[Visit]:
    with visiting(browser, small_report) as visit:
        yield visit


@pytest.fixture
def visit(shared: Visit) -> Iterator[Visit]:
    """The report that all tests of this module look at, from its beginning."""
    shared.begin_again()
    yield shared
    assert shared.silent


@pytest.fixture
def fresh(browser: Browser, small_report: Path) -> Iterator[Visit]:
    """The same in a window of its own, of which nothing was seen yet."""
    with visiting(browser, small_report) as visit:
        yield visit


@pytest.fixture(scope="module")
def harmed(browser: Browser, harmful_report: Path) -> Iterator[Visit]:
    with visiting(browser, harmful_report) as visit:
        yield visit


def test_every_tab_shows_its_view_and_nothing_else(visit: Visit) -> None:
    """A click on a tab draws one view, marks the tab and names it in the address."""
    for name in VIEWS:
        visit.page.click(f"#tab-{name}")
        visit.settle()

        assert visit.page.locator(".view:not([hidden])").get_attribute("id") == f"{name}-view"
        assert visit.active.lower() == name
        assert visit.page.evaluate("location.hash") == f"#{name}"
        assert len(visit.page.inner_text(f"#{name}-view")) > 40


def test_views_are_drawn_when_they_are_first_seen(fresh: Visit) -> None:
    """Opening the page costs the first view; a key that comes before its view does nothing."""
    page = fresh.page

    assert page.locator(".view[data-ready]").count() == 1
    for drawn, (view, key) in enumerate(EARLY, 2):
        page.evaluate(
            """([view, key]) => {
                history.replaceState(null, "", `#${view}`);
                dispatchEvent(new Event("hashchange"));
                document.dispatchEvent(new KeyboardEvent("keydown", { key }));
            }""",
            [view, key],
        )
        fresh.settle()

        assert fresh.active.lower() == view
        assert page.locator(".view[data-ready]").count() == drawn


def test_a_page_says_that_it_is_busy_until_all_is_unpacked(visit: Visit) -> None:
    """Whoever waits for it, a screen reader or a test, knows when its view stands."""
    states = visit.page.evaluate(
        """async () => {
            const { app } = kernelmap;
            const [one, other] = [app.json(app.data.views.lines), app.json(app.data.views.ops)];
            const states = [document.body.ariaBusy];
            await Promise.all([one, other]);
            return [...states, document.body.ariaBusy];
        }"""
    )

    assert states == ["true", None]


@pytest.mark.parametrize(
    ("address", "tab", "shows"),
    [
        ("#ops", "Ops", "aten.add"),
        ("#op=aten.mm", "Ops", "aten.mm: "),
        ("#launch=2", "Timeline", "kernelmap explain 2"),
        (f"#kernel={MUL}", "Kernels", f"def {MUL}"),
        ("#id=0_forward", "Graphs", "in 2 runs"),
        ("#call=0_forward%2F1", "Provenance", "aten.mm"),
        ("#provenance&line=model.py:2", "Provenance", "model.py"),
        ("#nonsense", "Overview", "What to do next"),
        ("#call=%", "Provenance", ""),
    ],
)
def test_an_address_opens_its_place(visit: Visit, address: str, tab: str, shows: str) -> None:
    """What one person passes on, another sees; what names nothing leads somewhere harmless."""
    visit.go(address)

    assert visit.active == tab
    assert shows in visit.page.inner_text(".view:not([hidden])")


@pytest.mark.parametrize(
    ("address", "tab"), [(f"#kernel={MUL}", "Kernels"), ("#call=%", "Provenance")]
)
def test_a_report_opens_at_its_address(
    browser: Browser, small_report: Path, address: str, tab: str
) -> None:
    """The first view of a new window is that of the address, and no other one is drawn."""
    with visiting(browser, small_report, address) as visit:
        assert visit.active == tab
        assert visit.page.locator(".view[data-ready]").count() == 1


def test_back_leads_back(visit: Visit) -> None:
    """The browser's own button goes to the view before."""
    visit.go("#kernels")
    visit.go("#graphs")
    visit.page.go_back()
    visit.settle()

    assert visit.active == "Kernels"


def test_keys_lead_everywhere(visit: Visit) -> None:
    """Digits choose the first nine views, `/` searches, `?` tells the keys, `t` turns the light."""
    page = visit.page
    for number, name in enumerate(VIEWS[:9], 1):
        page.keyboard.press(str(number))
        visit.settle()
        assert visit.active.lower() == name
    page.keyboard.press("5")
    visit.settle()
    page.keyboard.press("?")
    help_text = page.inner_text("#keys")
    page.keyboard.press("Escape")
    page.wait_for_selector("#keys", state="hidden")
    page.keyboard.press("1")
    visit.settle()
    page.keyboard.press("/")

    assert "closer" in help_text
    assert "light or dark" in help_text
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.type("2t")
    assert visit.active == "Overview"
    assert page.evaluate("document.documentElement.dataset.theme") is None


def test_the_box_finds_every_kind_of_thing(visit: Visit) -> None:
    """Words in any order and case; the arrow and Enter choose; the choice opens its place."""
    page = visit.page
    page.fill("#search", "a")
    kinds = page.locator("#hits .kind").all_text_contents()
    page.fill("#search", "MUL fused")
    page.keyboard.press("ArrowDown")
    chosen = page.locator("#hits [aria-selected=true]").inner_text()
    page.keyboard.press("Enter")
    visit.settle()

    assert {"op", "line", "kernel", "graph", "call"} <= set(kinds)
    assert MUL in chosen
    assert visit.active in ("Lines", "Kernels", "Provenance")
    page.fill("#search", "nothing such")
    assert page.inner_text("#hits") == "Nothing has all of these words."


def test_light_and_dark_follow_the_system_and_the_button(visit: Visit) -> None:
    """The page takes the system's side at once, and the button and the key turn it."""
    page = visit.page

    def ground() -> str:
        visit.settle()
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    light = ground()
    page.click("#theme")
    dark = ground()
    page.keyboard.press("t")
    again = ground()
    page.evaluate("delete document.documentElement.dataset.theme")
    page.emulate_media(color_scheme="dark")

    assert light == again != dark
    assert ground() == dark
    page.emulate_media(color_scheme="light")


def test_nothing_sticks_out_on_a_laptop(visit: Visit) -> None:
    """At 1366 by 768 no view has to be moved sideways."""
    for name in VIEWS:
        visit.go(f"#{name}")

        assert visit.page.evaluate("document.documentElement.scrollWidth") <= 1366


def test_the_overview_has_time_ledger_tops_and_advice(visit: Visit) -> None:
    """The first view says how much, how sure, where, and what to do."""
    text = visit.page.inner_text("#overview-view")

    assert "1.10 µs GPU time" in text
    assert (
        "by how surely its call is known" in visit.page.inner_text("#overview-view .over").lower()
    )
    assert "every nanosecond of GPU time" in text
    assert "exact 72.7 %" in text
    assert "model.py:2" in text
    assert ADD in text
    assert "What to do next" in text
    assert visit.page.locator("#ledger i").count() == 2


@pytest.mark.parametrize("view", VIEWS)
def test_a_hostile_name_stays_text(harmed: Visit, view: str) -> None:
    """Names like markup, links, code or turned writing are shown as they are, and do nothing."""
    page, markup = harmed.page, "<img src=x onerror=alert(1)>"
    harmed.go(f"#{view}")
    page.wait_for_function(
        "([view, text]) => document.getElementById(`${view}-view`).innerText.includes(text)",
        arg=[view, markup],
    )
    text = page.inner_text(f"#{view}-view")

    assert markup in text
    assert "\u202e" not in text
    assert page.locator("img, iframe, object, [onerror], [onmouseover], script[src]").count() == 0
    assert page.locator("body script").count() == 3
    links = page.locator("a").evaluate_all("(all) => all.map((each) => each.getAttribute('href'))")
    assert all(link.startswith("#") for link in links)
    assert harmed.silent


def test_hostile_names_have_addresses_too(harmed: Visit) -> None:
    """A kernel of any name can be passed on, found and pointed at."""
    page = harmed.page
    for name in HOSTILE.values():
        page.evaluate("(name) => kernelmap.app.go(kernelmap.app.hash(null, {kernel: name}))", name)
        harmed.settle()

        assert page.evaluate("document.querySelector('.panel h2').textContent") == (
            page.evaluate("(name) => kernelmap.app.visible(name)", name)
        )
    page.fill("#search", "onerror")
    assert "<img src=x" in page.inner_text("#hits")
    assert harmed.silent


def test_a_saved_result_is_a_page_too(browser: Browser, saved_report: Path) -> None:
    """It has its tables; in place of timeline and panes stands a sentence."""
    with visiting(browser, saved_report) as visit:
        for name in VIEWS:
            visit.go(f"#{name}")

            assert visit.page.inner_text(f"#{name}-view").strip()
        assert "saved result" in (visit.page.text_content("#timeline-view") or "")
        assert "saved result" in (visit.page.text_content("#provenance-view") or "")


def test_a_window_with_nothing_is_a_page_too(browser: Browser, tmp_path: Path) -> None:
    """Where nothing ran, every view says so without an error."""
    tables = make_tables()
    summary = replace(tables.summary, total_ns=0, coverage={}, devices=(), steps=None)
    nothing = {name: table(name, []) for name in tables.frames}
    empty = Content(tables=replace(tables, summary=summary, frames=nothing))
    with visiting(browser, write(empty, tmp_path / "empty.html")) as visit:
        for name in VIEWS:
            visit.go(f"#{name}")


def test_an_old_browser_is_shown_why(browser: Browser, small_report: Path) -> None:
    """Where the page cannot be unpacked it says so."""
    page = browser.new_page()
    page.add_init_script("delete window.DecompressionStream")
    page.goto(small_report.as_uri())

    assert "This browser is too old" in page.inner_text("main")
    page.close()
