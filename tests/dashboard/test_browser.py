"""The live dashboard in a real browser: pages, links, keys, and a store that changes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from histories.story import Planted
from make_history import Simulated, history

from dashboard.asking import commanded, served
from kernelmap.dashboard.pages import PAGES
from kernelmap.history.store import Store
from kernelmap.pages.address import Address
from made_once import made_once

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

LONG = 130
"""Runs of a history whose events lie far enough apart to be levels of their own."""
PLANTED = "planted.json"
HOSTILE = "<img src=x onerror=alert(1)>"
CARD, WAITING = "#page .card:not(.waiting)", ".waiting"
ALL_DRAWN = """() => [...document.querySelectorAll("#page .chart")]
    .every((chart) => chart.querySelector(".main-svg"))"""
"""True once every chart of the page stands there."""
QUIET = """async () => {
    const wait = (ms) => new Promise((done) => setTimeout(done, ms));
    for (let last = null; last !== document.body.innerHTML; await wait(50))
        last = document.body.innerHTML;
}"""
"""Comes back when nothing of the page has changed for a moment."""
PATIENCE_MS = 120_000
"""How long a step in the browser may take on a machine that is busy with other tests."""

pytestmark = pytest.mark.browser


@dataclass
class Visit:
    """One browser at one dashboard, and all that it said or asked of others."""

    page: Page
    root: str
    said: list[str] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)

    def go(self, href: str = "/") -> None:
        """Open a view and wait until all of it is there."""
        self.page.goto(self.root + href.removeprefix("/"))
        self.settle()

    def settle(self) -> None:
        """Wait until nothing is being worked out any more."""
        self.page.wait_for_selector(CARD)
        self.page.wait_for_selector(WAITING, state="detached")
        self.page.wait_for_function(ALL_DRAWN)
        self.page.evaluate(QUIET)

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements that the selector names."""
        return self.page.locator(selector).all_inner_texts()

    def at(self) -> tuple[str, dict[str, list[str]]]:
        """Path and parameters of the view."""
        parts = urlsplit(self.page.url)
        return parts.path, parse_qs(parts.query)

    def hear(self, dialog: Dialog) -> None:
        """Note a dialog, which no page of ours opens."""
        self.said.append(dialog.message)
        dialog.dismiss()


@contextmanager
def visiting(
    browser: Browser, url: str, *, theme: str = "light", size: tuple[int, int] = (1280, 900)
) -> Iterator[Visit]:
    """A fresh browser at a URL, which must have nothing to complain of in the end."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if theme == "dark" else "light",
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    visit = Visit(page=page, root=url)
    page.on("console", lambda message: visit.said.append(message.text))
    page.on("pageerror", lambda error: visit.said.append(str(error)))
    page.on("dialog", visit.hear)
    page.on(
        "request",
        lambda asked: (
            visit.strange.append(asked.url)
            if not asked.url.startswith((url, "data:", "blob:"))
            else None
        ),
    )
    try:
        yield visit
    finally:
        context.close()


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the store of a longer history, and what was planted in it by commit."""
    return made_once(tmp_path_factory, "long", _record)


def _record(folder: Path) -> None:
    store, planted = Store(folder / "store"), {}
    for recording in history(LONG):
        store.record(
            Simulated(content=recording.tables), branch=recording.branch, commit=recording.commit
        )
        if recording.planted:
            planted[recording.commit] = recording.planted
    (folder / PLANTED).write_bytes(msgspec.json.encode(planted))


@pytest.fixture(scope="module")
def url(planted: Store) -> Iterator[str]:
    """A dashboard over the small history."""
    with served(planted) as served_url:
        yield served_url


@pytest.fixture
def copied(planted: Store, tmp_path: Path) -> Path:
    """A copy of the small history, to be changed."""
    shutil.copytree(Path(planted.place.address("")), tmp_path / "store")
    return tmp_path / "store"


@pytest.mark.sampled
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_of_the_bar_opens_in_silence(browser: Browser, url: str, theme: str) -> None:
    """Every page shows something, says nothing, asks nobody else, and is light or dark."""
    with visiting(browser, url, theme=theme) as visit:
        for name, (title, *_) in PAGES.items():
            visit.go(Address(page=name).href)
            background = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")

            assert visit.texts(CARD), name
            assert visit.texts("#bar a.now") == [title]
            assert (sum(map(int, background[4:-1].split(","))) < 300) == (theme == "dark"), name
            assert (visit.said, visit.strange) == ([], []), name


@pytest.mark.thorough
def test_planted_causes_are_three_clicks_away(browser: Browser, long: Path) -> None:
    """From the first page a click leads to the comparison, one more to the call that changed."""
    all_planted = msgspec.json.decode((long / PLANTED).read_bytes(), type=dict[str, Planted])
    planted = {commit: event for commit, event in all_planted.items() if event.cause}
    with served(Store(long / "store")) as url, visiting(browser, url) as visit:
        for commit, event in planted.items():
            visit.go("/")
            row = visit.page.locator("#page tr", has=visit.page.get_by_text(commit)).first
            row_text = row.inner_text()

            assert str(event.cause) in row_text

            row.get_by_role("link").first.click()
            visit.page.wait_for_url("**/compare?**")
            visit.settle()
            changes = visit.page.locator("#page section", has_text="What changed, largest first")
            largest = changes.locator("tbody tr", has_text=str(event.cause)).first

            assert any(name in largest.inner_text() for name in event.after or ("call",))

            if event.after:
                largest.get_by_role("link").first.click()
                visit.page.wait_for_url("**/item?**")
                visit.settle()

                assert event.after[0] in visit.page.locator("#page").inner_text()
        assert len(planted) > 4
        assert (visit.said, visit.strange) == ([], [])


def test_a_mark_of_the_chart_leads_to_its_comparison(browser: Browser, url: str) -> None:
    """A click on a triangle opens the comparison that explains it, and leads on to the call.

    The way back leads back.
    """
    with visiting(browser, url) as visit:
        visit.go("/")
        visit.page.wait_for_selector(".scatterlayer .trace")
        last = visit.page.locator(".scatterlayer .trace").nth(1).locator(".point").last
        box = last.bounding_box()
        assert box is not None
        visit.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        visit.page.wait_for_url("**/compare?**")
        visit.settle()

        assert {"before", "after"} <= visit.at()[1].keys()

        changes = visit.page.locator("#page section", has_text="What changed, largest first")
        changes.locator("tbody tr").first.get_by_role("link").first.click()
        visit.page.wait_for_url("**/item?**")
        visit.page.go_back()
        visit.page.go_back()
        visit.settle()

        assert visit.at() == ("/", {})


@pytest.mark.thorough
def test_choices_are_addresses(browser: Browser, url: str) -> None:
    """A chosen branch stands in the URL, which opens the same view by itself."""
    with visiting(browser, url) as visit:
        visit.go("/")
        visit.page.locator(".menu summary", has_text="branch").click()
        visit.page.locator(".menu a", has_text="feature").click()
        visit.page.wait_for_url("**branch=feature**")
        visit.settle()
        shown, address = visit.texts("#page tbody tr"), visit.page.url
        visit.go("/")
        visit.page.goto(address)
        visit.settle()

        assert visit.texts("#page tbody tr") == shown != []
        assert all("feature" in row for row in shown)


def test_keys_do_what_the_help_says(browser: Browser, url: str) -> None:
    """A number opens a page, t changes light and dark and stays, ? names the keys."""
    with visiting(browser, url) as visit:
        visit.go("/")
        visit.page.keyboard.press("t")
        visit.page.keyboard.press("2")
        visit.page.wait_for_url(lambda address: urlsplit(address).path != "/")
        visit.settle()
        visit.page.reload()
        visit.settle()
        visit.page.keyboard.press("?")

        assert visit.page.evaluate("document.documentElement.dataset.theme") == "dark"
        assert visit.texts("dialog kbd")
        assert visit.said == []


def test_a_table_sorts_and_is_made_anew_when_the_store_changes(
    browser: Browser, copied: Path
) -> None:
    """A click on a heading sorts; a new run comes first again, and each row is there once."""
    with served(Store(copied)) as address, visiting(browser, address) as visit:
        visit.go("/runs")
        newest_first = visit.texts("tbody td:first-child")
        visit.page.get_by_role("button", name="run", exact=True).click()

        assert visit.texts("tbody td:first-child") == newest_first[::-1]
        assert visit.page.locator("th[aria-sort=ascending]").count() == 1

        (recording,) = history(1)
        added = Store(copied).record(Simulated(content=recording.tables), branch="main")
        visit.page.get_by_text(added.id).first.wait_for()

        assert visit.texts("tbody td:first-child") == [added.id, *newest_first]
        assert visit.page.locator("th[aria-sort]").count() == 0
        assert visit.said == []


@pytest.mark.thorough
def test_what_a_reader_opened_stays_when_a_run_is_recorded(browser: Browser, copied: Path) -> None:
    """The chart gets its new point; its zoom and an open menu are as they were."""
    with served(Store(copied)) as address, visiting(browser, address) as visit:
        visit.go("/")
        chart = visit.page.locator("#page .chart").first
        points = "(chart) => chart.data[0].x.length"
        before = chart.evaluate(points)
        chart.evaluate("(chart) => Plotly.relayout(chart, {'xaxis.range': [3, 9]})")
        visit.page.locator(".menu summary", has_text="axis").click()

        (recording,) = history(1)
        Store(copied).record(Simulated(content=recording.tables), branch="main", commit="new")
        visit.page.wait_for_function(
            "(before) => document.querySelector('#page .chart').data[0].x.length > before",
            arg=before,
        )

        assert chart.evaluate("(chart) => chart.layout.xaxis.range") == [3, 9]
        assert visit.page.locator(".menu[open]").count() == 1
        assert visit.said == []


@pytest.mark.thorough
def test_without_scripts_there_is_all_but_the_charts(browser: Browser, url: str) -> None:
    """A page is complete as it comes: its menus open, its links lead on, its forms can be sent."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(url)
    while page.locator(".waiting").count():
        page.reload()
    page.locator(".menu summary", has_text="branch").click()
    page.locator(".menu a", has_text="feature").click()
    page.wait_for_url("**branch=feature**")
    page.locator("#bar a", has_text="Runs").click()
    page.locator(".form input[name=find]").fill("c0026")
    page.locator(".form button").click()
    page.wait_for_url("**find=c0026**")

    assert parse_qs(urlsplit(page.url).query) == {"branch": ["feature"], "find": ["c0026"]}
    assert "c0026" in page.locator("tbody").inner_text()
    context.close()


@pytest.mark.thorough
def test_a_hostile_branch_is_only_text(browser: Browser, copied: Path) -> None:
    """A branch named like markup is read as it is, in menus, tables and the chart's legend."""
    store = Store(copied)
    for recording in list(history(2)):
        store.record(Simulated(content=recording.tables), branch=HOSTILE, commit=HOSTILE)
    with served(store) as url, visiting(browser, url) as visit:
        for name in PAGES:
            visit.go(Address(page=name).href)
        visit.go("/")

        assert HOSTILE in visit.page.locator(".legendtext").all_text_contents()
        assert HOSTILE in visit.page.locator(".menu").first.text_content()  # type: ignore[operator] # there is one
        assert visit.page.locator("#page img").count() == 0
        assert (visit.said, visit.strange) == ([], [])


def test_an_empty_store_says_how_to_begin(browser: Browser, tmp_path: Path) -> None:
    """Before the first run the page names the command, and fills when a run is recorded."""
    (recording,) = history(1)
    store = Store(tmp_path / "new")
    with served(store) as url, visiting(browser, url) as visit:
        visit.page.goto(url)
        visit.page.wait_for_selector(CARD)

        assert "The command `runs add` makes it" in visit.page.locator("#page").inner_text()

        store.record(Simulated(content=recording.tables), branch="main")
        visit.page.wait_for_selector(".js-plotly-plot")

        assert visit.said == []


def test_only_the_token_opens(browser: Browser, tmp_path: Path) -> None:
    """The printed address works in a browser and leaves the token out of the URL after that."""
    store = Store(tmp_path / "store")
    (recording,) = history(1)
    store.record(Simulated(content=recording.tables), branch="main")
    with commanded(store) as command:
        here = command.url
        root = here.partition("?")[0]
        with visiting(browser, root) as visit:
            refused = visit.page.goto(root)
            visit.page.goto(here)
            visit.settle()

            assert refused is not None
            assert refused.status == 401
            assert "token" not in visit.page.url
            # the browser notes the refusal, and nothing else
            assert [text for text in visit.said if "401" not in text] == []
