"""A report in a real browser: what it shows, says and asks for."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kernelmap.pages.report import Content, render_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page


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
        """Visit a place of the page and wait until it stands."""
        self.page.evaluate("(hash) => { location.hash = hash; }", address)
        self.settle()

    def settle(self) -> None:
        """Wait until the active view is drawn."""
        self.page.wait_for_timeout(30)
        self.page.wait_for_selector(".view[data-ready]:not([hidden])")
        self.page.wait_for_timeout(60)

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
    size: tuple[int, int] = (1366, 768),
) -> Visit:
    """A visit to `report`, whose first view stands."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    visit = Visit(page)
    page.on("console", lambda message: visit.said.append(message.text))
    page.on("pageerror", lambda error: visit.said.append(str(error)))
    page.on("dialog", visit.hear)
    page.on("request", lambda request: visit.asked.append(request.url))
    page.goto(report.as_uri() + address)
    visit.settle()
    return visit
