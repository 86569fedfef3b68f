"""Ask the dashboard as an office would, with clients among it that stall: memory and latencies.

Serves a simulated store of 200 runs in a process of its own. First 20 clients ask for 5,000 things
(pages, their data, the scripts) alone, then as often again while 200 connections stall:
silent ones, half requests, answers that nobody reads. What is printed is the time of an answer,
which clients had to ask again because of an error, and the server's memory in the course of it.

    python scripts/crowd_dashboard.py
    python scripts/crowd_dashboard.py --requests 500 --runs 20
"""

from __future__ import annotations

import argparse
import http.client
import re
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT)]

from make_history import Simulated, history  # noqa: E402 -- after the line above
from served_dashboard import served  # noqa: E402 -- after the line above

from kernelmap.store.store import Store  # noqa: E402 -- after the line above

CLIENTS, STALLED = 20, 200
_PATIENCE = 60  # seconds that a client waits for an answer
_PAGES = ("/", "/runs", "/coverage", "/items", "/history", "/compare")
_FILES = ("/static/page.css", "/data/times.csv/", "/static/page.js")
_HALVES = (
    b"",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n{",
    b"GET /static/page.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 40,
)


@dataclass(slots=True)
class Answers:
    """Seconds of all answers, and how many were errors; the clients share it."""

    seconds: list[float] = field(default_factory=list)
    errors: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, seconds: float, status: int) -> None:
        """One more; 503 says that it is being worked out."""
        with self.lock:
            self.seconds.append(seconds)
            self.errors += status not in (200, 503)


def main() -> int:
    """Print the table; 1 where an answer was an error."""
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "store")
        for recording in history(options.runs):
            played = Simulated(content=recording.tables)
            store.record(played, branch=recording.branch, commit=recording.commit)
        with served(Path(folder) / "store") as (url, pid):
            _ask(url, options.requests // 5)  # until all questions have their answers
            print(f"{'':<28}{'median':>9}{'p95':>9}{'largest':>9}{'errors':>8}{'memory':>10}")
            alone = _line("20 clients", url, pid, options.requests)
            with ExitStack() as stack:
                for at in range(STALLED):
                    stack.enter_context(_stalled(url, _HALVES[at % len(_HALVES)]))
                crowd = _line(f"and {STALLED} stalled ones", url, pid, options.requests)
            after = _line("20 clients again", url, pid, options.requests)
    return 1 if alone.errors + crowd.errors + after.errors else 0


def _line(label: str, url: str, pid: int, requests: int) -> Answers:
    answers = _ask(url, requests)
    median, ninety = (
        statistics.median(answers.seconds),
        statistics.quantiles(answers.seconds, n=20)[-1],
    )
    times = "".join(
        f"{1000 * seconds:>6.0f} ms" for seconds in (median, ninety, max(answers.seconds))
    )
    print(f"{label:<28}{times}{answers.errors:>8}{_memory(pid):>7.0f} MB", flush=True)
    return answers


def _ask(url: str, requests: int) -> Answers:
    """The answers to so many requests of all clients together."""
    answers = Answers()
    clients = [
        threading.Thread(target=_client, args=(url, requests // CLIENTS, at, answers))
        for at in range(CLIENTS)
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return answers


def _client(url: str, requests: int, first: int, answers: Answers) -> None:
    """Ask one after the other over one connection, as a browser does."""
    parts = urlsplit(url)
    way = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=_PATIENCE)
    for at in range(first, first + requests):
        begin = time.perf_counter()
        try:
            status = _asked(way, at)
        except OSError:
            way.close()
            status = 0
        except http.client.HTTPException:
            way.close()
            status = 0
        answers.add(time.perf_counter() - begin, status)
    way.close()


def _asked(way: http.client.HTTPConnection, at: int) -> int:
    """Ask for a page, or for a file; the status of the answer."""
    asked = _PAGES if at % 2 else _FILES
    way.request("GET", asked[at // 2 % len(asked)])
    answer = way.getresponse()
    answer.read()
    return answer.status


@contextmanager
def _stalled(url: str, half: bytes) -> Iterator[None]:
    """A client that sends half a request, or takes no answer."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 80)) as way:
        with suppress(OSError):
            way.sendall(half)
        yield


def _memory(pid: int) -> float:
    """What a process holds now, in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    held = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(held[1]) / 1000 if held else 0.0


def _options() -> argparse.Namespace:
    parser = usage.parser(__doc__)
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=200)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
