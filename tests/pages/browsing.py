"""A report in a real browser: what it shows, says and asks for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kernelmap.pages.report import Content, render_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

PATIENCE_MS = 120_000
"""How long a step in the browser may take on a machine that is busy with other tests."""
LAPTOP = (1366, 768)

_SETTLED = """async () => {
    const wait = (ms) => new Promise((done) => setTimeout(done, ms));
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    while (!document.querySelector(".view[data-ready]:not([hidden])")) await wait(5);
    let last = performance.now();
    const changes = new MutationObserver(() => { last = performance.now(); });
    const all = { subtree: true, childList: true, attributes: true, characterData: true };
    changes.observe(document.body, all);
    // What waits for the next frame is drawn then, however long a busy machine takes to it.
    do await frame().then(frame).then(() => wait(10));
    while (document.body.ariaBusy || performance.now() - last < 50);
    changes.disconnect();
}"""
"""Comes back when a view stands, and nothing is awaited or has changed for a moment."""
_GO = """(hash) => new Promise((done) => {
    const before = location.hash;
    addEventListener("hashchange", done, { once: true });
    location.hash = hash;
    if (location.hash === before) done();
})"""
_BEGIN = """() => {
    document.getElementById("keys").close();
    document.getElementById("search").value = "";
    document.activeElement.blur();
    delete document.documentElement.dataset.theme;
}"""


@dataclass
class Visit:
    """One page with all that it said, in words or errors, and all that it asked for."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    @property
    def silent(self) -> bool:
        """No message, no error, no dialog, and nothing but the file itself was asked for."""
        return not self.said and all(url.startswith("file:") for url in self.asked)

    @property
    def active(self) -> str:
        """The tab that is shown."""
        return self.page.locator("#tabs [aria-selected=true]").inner_text()

    def hear(self, dialog: Dialog) -> None:
        """Note a dialog and let the page go on."""
        self.said.append(dialog.message)
        dialog.dismiss()

    def go(self, address: str) -> None:
        """Visit a place of the page, as if it were typed there, and wait until it stands."""
        self.page.evaluate(_GO, address)
        self.settle()

    def settle(self) -> None:
        """Wait until the active view is drawn."""
        self.page.evaluate(_SETTLED)

    def begin_again(self, address: str = "#overview") -> None:
        """Nothing typed, no theme chosen, at that place: for tests that share an open report.

        What no address says (how a table is sorted, a pane that is folded) stays as it was; who
        changes such things opens a page of their own.
        """
        self.page.evaluate(_BEGIN)
        self.page.mouse.move(0, 0)
        self.go(address)

    def column(self, view: str, number: int = 1) -> list[str]:
        """The cells of one column of a view's table, as far as they are drawn."""
        cells = self.page.locator(f"#{view}-view tbody tr:not(.space) td:nth-child({number})")
        return cells.all_text_contents()


def write(content: Content, path: Path) -> Path:
    """The report as a file."""
    path.write_text(render_report(content), encoding="utf-8")
    return path


def opened(
    browser: Browser,
    report: Path,
    address: str = "",
    *,
    scheme: str = "light",
    size: tuple[int, int] = LAPTOP,
) -> Visit:
    """A visit to `report`, whose first view stands."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.set_default_timeout(PATIENCE_MS)
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    visit = Visit(page)
    page.on("console", lambda message: visit.said.append(message.text))
    page.on("pageerror", lambda error: visit.said.append(str(error)))
    page.on("dialog", visit.hear)
    page.on("request", lambda request: visit.asked.append(request.url))
    page.goto(report.as_uri() + address)
    visit.settle()
    return visit


@contextmanager
def visiting(
    browser: Browser, report: Path, address: str = "", *, size: tuple[int, int] = LAPTOP
) -> Iterator[Visit]:
    """A page of one's own, which must have said nothing in the end, nor asked anybody else."""
    visit = opened(browser, report, address, size=size)
    try:
        yield visit
        assert visit.silent, (visit.said, visit.asked)
    finally:
        visit.page.close()
