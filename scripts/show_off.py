"""Draw docs/images/*.png: the report of a sample, and the dashboard, as chromium shows them.

Needs playwright (extra `test`), the extra `dashboard` and a chromium on PATH. The pictures depend
on the browser and its fonts, so they are drawn anew on purpose, when what they show has changed,
and not compared by a test. The dashboard's runs are simulated, as its picture says.

    python scripts/show_off.py
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from bench_dashboard import served  # noqa: E402 -- after the line above
from make_history import Simulated, history  # noqa: E402 -- as above
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402 -- as above

import kernelmap  # noqa: E402 -- as above
from kernelmap.history.store import Store  # noqa: E402 -- as above

SAMPLE = PROJECT / "sample_traces" / "sim_gpt_train"
IMAGES = PROJECT / "docs" / "images"
PICTURES: Mapping[str, str] = {
    "report.png": "#overview",
    "provenance.png": "#call=0_forward%2F16",
}
"""Pictures, and the places of the report that they show."""
DASHBOARD, RUNS = "dashboard.png", 200
WIDTH, HEIGHT = 1366, 768
MOST_BYTES = 350_000


def main() -> None:
    """Draw all pictures into the docs."""
    usage.parser(__doc__).parse_args()

    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        _draw_report(browser, Path(folder))
        _draw_dashboard(browser, Path(folder))
        browser.close()
    for name in (*PICTURES, DASHBOARD):
        size = (IMAGES / name).stat().st_size
        print(f"{name}: {size:,} bytes")
        if size > MOST_BYTES:
            sys.exit(f"too large: at most {MOST_BYTES:,} bytes")


def _draw_report(browser: Browser, folder: Path) -> None:
    result = kernelmap.correlate(SAMPLE)
    report = result.to_html(folder / "report.html")
    page = _page(browser)
    for name, address in PICTURES.items():
        page.goto(report.as_uri() + address)
        page.wait_for_selector(".view[data-ready]:not([hidden])")
        _shoot(page, name)


def _draw_dashboard(browser: Browser, folder: Path) -> None:
    store = Store(folder / "runs")
    for recording in history(RUNS):
        store.record(
            Simulated(content=recording.tables), branch=recording.branch, commit=recording.commit
        )
    with served(folder / "runs") as (url, _pid):
        page = _page(browser)
        page.goto(url)
        page.wait_for_selector(".js-plotly-plot .scatterlayer")
        page.wait_for_selector(".waiting", state="detached")
        _shoot(page, DASHBOARD)
        page.close()


def _page(browser: Browser) -> Page:
    return browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")


def _shoot(page: Page, name: str) -> None:
    page.wait_for_timeout(300)
    page.screenshot(path=IMAGES / name, animations="disabled")


if __name__ == "__main__":
    main()
