"""How the dashboard carries 10,000 runs of 300 calls: seconds to the first page, and memory.

Makes the store as bench_store.py does (random times, nothing was measured), serves it in a process
of its own and drives a real chromium: how long the server takes to be ready, the first page of a
fresh browser once it is, every other page, eight browsers at once, and how long after `record` a
new run shows. The memory is the server's largest. Goals: the first page within 2 s, 1 GB.

    python scripts/bench_dashboard.py                      # makes the store in a temporary folder
    python scripts/bench_dashboard.py --runs 1000
    python scripts/bench_dashboard.py --store FOLDER       # uses the store there, or makes it
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import usage
from bench_store import make
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, sync_playwright

from kernelmap.history.store.facts import RUN_TOML, new_id, write_facts
from kernelmap.history.store.store import Store

PROJECT = Path(__file__).resolve().parents[1]
BROWSERS = 8
GOAL_S, GOAL_MB = 2.0, 1000.0
_PATIENCE = 120_000  # ms
_PAGES = ("/", "/runs", "/items?kind=op", "/coverage", "/compare")
_READY = "#page .card:not(.waiting)"
_SERVER = "from kernelmap.cli import main; main()"


def main() -> None:
    """Print the table."""
    options = _options()
    with tempfile.TemporaryDirectory() as temporary:
        store = Path(options.store or temporary) / "store"
        if not (store / "runs").is_dir():
            make(store, options.runs)
        begin = time.perf_counter()
        with served(store) as (url, pid), sync_playwright() as play:
            _line("server ready", time.perf_counter() - begin)
            browser = play.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            first = _opened(browser, url)
            _line("first page, first browser", first)
            warm = min(_opened(browser, url) for _ in range(3))
            _line(f"first page, warm (goal {GOAL_S:.0f} s)", warm)
            _line("all causes of its changes", _settled(browser, url))
            for path in _PAGES[1:]:
                where = url + path[1:]
                _line(f"{path}, then complete", _opened(browser, where), _settled(browser, where))
            _line(f"{BROWSERS} browsers at once, the slowest", _together(browser, url))
            _line("a new run shows after", _new_run(browser, url, store))
            browser.close()
            print(f"{'memory of the server':<44}{_peak(pid):>8.0f} MB, goal {GOAL_MB:.0f}")


@contextmanager
def served(store: Path) -> Iterator[tuple[str, int]]:
    """A dashboard in a process of its own, on a free port: its URL and its process."""
    command = [sys.executable, "-c", _SERVER, "dashboard", "--store", str(store), "--port", "0"]
    command.append("--no-token")
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as server:  # noqa: S603 -- this project
        try:
            printed = server.stderr.readline() if server.stderr else ""
            address = re.search(r"http\S+", printed)
            if address is None:
                sys.exit(f"the server did not start: {printed}")
            yield address[0], server.pid
        finally:
            server.terminate()


def _opened(browser: Browser, url: str) -> float:
    """Seconds from nothing to a page with its first card, in a browser without a cache."""
    begin = time.perf_counter()
    page = _page(browser, url)
    page.wait_for_selector(_READY, timeout=_PATIENCE)
    took = time.perf_counter() - begin
    page.context.close()
    return took


def _settled(browser: Browser, url: str) -> float:
    """Seconds until nothing on the page waits any more."""
    begin = time.perf_counter()
    page = _page(browser, url)
    page.wait_for_selector(_READY, timeout=_PATIENCE)
    page.wait_for_selector(".waiting", state="detached", timeout=_PATIENCE)
    took = time.perf_counter() - begin
    page.context.close()
    return took


def _together(browser: Browser, url: str) -> float:
    """The same for several browsers that ask at the same time."""
    begin = time.perf_counter()
    pages = [_page(browser, url) for _ in range(BROWSERS)]
    for page in pages:
        page.wait_for_selector(_READY, timeout=_PATIENCE)
    took = time.perf_counter() - begin
    for page in pages:
        page.context.close()
    return took


def _new_run(browser: Browser, url: str, store: Path) -> float:
    """Seconds until a run that was copied in under a new id shows in the list of runs."""
    page = _page(browser, f"{url}runs")
    page.wait_for_selector(_READY, timeout=_PATIENCE)
    newest = Store(store).runs()[-1]

    run_id = new_id(datetime.now(UTC))
    draft = store / "partial" / run_id
    shutil.copytree(store / "runs" / newest.id, draft)
    facts = replace(newest.facts, id=run_id, created=datetime.now(UTC).isoformat())
    (draft / RUN_TOML).write_bytes(write_facts(facts))
    begin = time.perf_counter()
    draft.rename(store / "runs" / run_id)
    page.get_by_text(run_id).first.wait_for(timeout=_PATIENCE)
    took = time.perf_counter() - begin
    shutil.rmtree(store / "runs" / run_id)
    return took


def _page(browser: Browser, url: str) -> Page:
    page = browser.new_context().new_page()
    page.goto(url, wait_until="commit")
    return page


def _peak(pid: int) -> float:
    """The largest memory of a process so far, in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    peak = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(peak[1]) / 1000 if peak else 0.0


def _line(label: str, *seconds: float) -> None:
    print(f"{label:<44}" + "".join(f"{duration:>8.2f} s" for duration in seconds), flush=True)


def _options() -> argparse.Namespace:
    parser = usage.parser(__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--store", help="a folder for the store, which is kept")
    return parser.parse_args()


if __name__ == "__main__":
    main()
