"""Run the tests as `make test` does, and say where their processor time goes, in Markdown.

    python scripts/spent_times.py                      # all, kept in build/spent_times.json
    python scripts/spent_times.py --from FILE          # the tables of an earlier run
    python scripts/spent_times.py -- tests/cli -n 0    # what is said after -- goes to pytest

Seconds are user and system time of the process and of all that it started: two cores spend 120 in a
minute. The kinds of time:

    fixtures    setup and teardown, in the process of the test
    browser     tests that are marked so: chromium, its driver and what the test does itself
    torch       tests that are marked so: processes that import torch, and the test's own torch
    processes   what other tests start: kernelmap as a command, servers, git, wheels
    hypothesis  tests that draw examples
    the rest    plain tests

What is made once, for a file, a worker or all workers, is counted where it was first needed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import usage

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("fixtures", "browser", "torch", "processes", "hypothesis", "the rest")
AS_IN_MAKE = ("-n", "auto", "--dist", "worksteal", "-q")
FIXTURES_SHOWN = 10
Seconds = dict[str, float]
Times = dict[str, Any]
"""What tests/cpu_times.py wrote."""


def main() -> int:
    """Run the tests, or read what an earlier run wrote, and print the tables."""
    parser = usage.parser(__doc__)
    parser.add_argument("--from", dest="kept", type=Path, metavar="FILE", help="run nothing")
    parser.add_argument("--top", type=int, default=30, metavar="N", help="dearest tests to show")
    parser.add_argument("--files", type=int, default=0, metavar="N", help="dearest files to show")
    parser.add_argument("arguments", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    file, code = options.kept, 0
    if file is None:
        file = ROOT / "build" / "spent_times.json"
        code = run_tests(file, options.arguments or AS_IN_MAKE)
    times = json.loads(file.read_text(encoding="utf-8"))
    print(report(times, options.top, options.files))
    return code


def run_tests(file: Path, arguments: Iterable[str]) -> int:
    """Run pytest with its words on stderr, so that stdout has nothing but the tables."""
    command = [sys.executable, "-m", "pytest", *arguments, "--cpu-times", str(file)]
    return subprocess.run(command, cwd=ROOT, check=False, stdout=sys.stderr).returncode  # noqa: S603 -- our tests


def report(times: Times, top: int, files: int) -> str:
    """The tables: by folder and kind, the dearest tests, files and fixtures."""
    kinds = {test: seconds_by_kind(test, times) for test in times["tests"]}
    totals = {test: sum(seconds.values()) for test, seconds in kinds.items()}
    by_file = Counter[str]()
    for test, seconds in totals.items():
        by_file[test.partition("::")[0]] += seconds
    seconds = sum(totals.values()) + sum(times["apart"].values())
    machine = f"{platform.system()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    blocks = [
        f"{machine}: {len(kinds):,} tests, {seconds:,.0f} seconds of processor time.",
        table_by_folder(kinds, times["apart"]),
        table(f"the {top} dearest tests", totals, top),
        *([table(f"the {files} dearest files", by_file, files)] if files else []),
        table("the dearest fixtures, all workers together", times["fixtures"], FIXTURES_SHOWN),
    ]
    return "\n\n".join(blocks)


def seconds_by_kind(test: str, times: Times) -> Counter[str]:
    """The seconds of one test, each in one of the kinds."""
    spent, marks = times["tests"][test], times["marks"][test]
    fixtures = spent.get("setup", 0.0) + spent.get("teardown", 0.0)
    call, children = spent.get("call", 0.0), spent["children"]
    for dear in ("browser", "torch"):
        if dear in marks:
            return Counter({"fixtures": fixtures, dear: call + children})
    plain = "hypothesis" if "hypothesis" in marks else "the rest"
    return Counter({"fixtures": fixtures, "processes": children, plain: call})


def table_by_folder(kinds: Mapping[str, Mapping[str, float]], apart: Mapping[str, float]) -> str:
    """A row per folder, the dearest first, then what is spent outside tests."""
    folders = defaultdict[str, Counter[str]](Counter)
    number = Counter[str]()
    for test, seconds in kinds.items():
        folders[folder_of(test)].update(seconds)
        number[folder_of(test)] += 1
    rows = [
        (f"`{folder}`", number[folder], *(seconds[kind] for kind in KINDS), seconds.total())
        for folder, seconds in sorted(folders.items(), key=lambda item: -item[1].total())
    ]
    together = sum(folders.values(), Counter[str]())
    rows.append(
        ("all tests", number.total(), *(together[kind] for kind in KINDS), together.total())
    )
    head = ("folder", "tests", *KINDS, "together")
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    lines += [
        f"| {name} | {tests} | " + " | ".join(f"{seconds:.0f}" for seconds in columns) + " |"
        for name, tests, *columns in rows
    ]
    words = {
        "collection": "start of the workers and collection",
        "between": "pytest between tests",
        "controller": "the process that hands out tests",
    }
    empty = " |" * (len(head) - 2)
    lines += [f"| {words[name]} |{empty} {spent:.0f} |" for name, spent in apart.items()]
    return "\n".join(lines)


def folder_of(test: str) -> str:
    """The folder of a test; the package's docstrings are one."""
    top, *below, _ = test.partition("::")[0].split("/")
    if top != "tests":
        return "docstrings"
    return f"{top}/{below[0]}" if below else "tests/*.py"


def table(what: str, seconds: Mapping[str, float], top: int) -> str:
    """The names with most seconds, the most first."""
    dearest = sorted(seconds.items(), key=lambda item: -item[1])[:top]
    lines = [f"| seconds | {what} |", "|---:|---|"]
    lines += [f"| {spent:.1f} | `{name.replace('|', '/')}` |" for name, spent in dearest]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
