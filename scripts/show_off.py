"""Draw docs/images/*.png: the report of a sample, as chromium shows it.

Needs playwright (extra `test`) and a chromium on PATH. The pictures depend on the browser and its
fonts, so they are drawn anew on purpose, when the report has changed, and not compared by a test.

    python scripts/show_off.py
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

import kernelmap  # noqa: E402 -- after the line above

SAMPLE = PROJECT / "sample_traces" / "cpu_block"
IMAGES = PROJECT / "docs" / "images"
PICTURES: Mapping[str, str] = {
    "report.png": "#overview",
    "provenance.png": "#call=0_forward%2F9",
}
"""Pictures, and the places of the report that they show."""
WIDTH, HEIGHT = 1366, 768
MOST_BYTES = 350_000


def main() -> None:
    """Write the report into a temporary folder, and its pictures into the docs."""
    with tempfile.TemporaryDirectory() as folder:
        report = kernelmap.correlate(SAMPLE, SAMPLE / "profile.json.gz").to_html(
            Path(folder) / "report.html"
        )
        IMAGES.mkdir(parents=True, exist_ok=True)
        _draw(report)
    for name in PICTURES:
        size = (IMAGES / name).stat().st_size
        print(f"{name}: {WIDTH} x {HEIGHT}, {size:,} bytes")
        if size > MOST_BYTES:
            sys.exit(f"too large: at most {MOST_BYTES:,} bytes")


def _draw(report: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        for name, address in PICTURES.items():
            page.goto(report.as_uri() + address)
            page.wait_for_selector(".view[data-ready]:not([hidden])")
            page.wait_for_timeout(300)
            page.screenshot(path=IMAGES / name, animations="disabled")
        browser.close()


if __name__ == "__main__":
    main()
