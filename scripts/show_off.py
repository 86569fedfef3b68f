"""Draw docs/images/report.png: the report of a sample, as chromium shows it.

Needs playwright (extra `test`) and a chromium on PATH. The picture depends on the browser and its
fonts, so it is drawn anew on purpose, when the report has changed, and not compared by a test.

    python scripts/show_off.py
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

import kernelmap  # noqa: E402 -- after the line above

SAMPLE = PROJECT / "sample_traces" / "sim_mlp_train"
PICTURE = PROJECT / "docs" / "images" / "report.png"
WIDTH, HEIGHT = 1400, 900
MOST_BYTES = 300_000


def main() -> None:
    """Write the report into a temporary folder, and its picture into the docs."""
    with tempfile.TemporaryDirectory() as folder:
        report = kernelmap.correlate(SAMPLE, SAMPLE / "profile.json.gz").to_html(
            Path(folder) / "report.html"
        )
        PICTURE.parent.mkdir(parents=True, exist_ok=True)
        _draw(report)
    size = PICTURE.stat().st_size
    print(f"{PICTURE.relative_to(PROJECT)}: {WIDTH} x {HEIGHT}, {size:,} bytes")
    if size > MOST_BYTES:
        sys.exit(f"too large: at most {MOST_BYTES:,} bytes")


def _draw(report: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(report.as_uri())
        page.wait_for_selector("#kernels .plot-container", state="attached")
        page.screenshot(path=PICTURE, animations="disabled")
        browser.close()


if __name__ == "__main__":
    main()
