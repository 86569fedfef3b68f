"""A plugin that measures where the processor time of tests goes: `--cpu-times FILE` writes it.

Counted are seconds of user and system time, in the process that runs the test and in those that it
started, whether they have ended or, like a browser, live on until others use them. Each worker of
xdist hands its figures to the process that started it. scripts/spent_times.py makes tables of them.
"""

from __future__ import annotations

import json
import os
import resource
from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, TypedDict

import pytest

TICKS = os.sysconf("SC_CLK_TCK")
Seconds = defaultdict[str, float]


class Spent(TypedDict):
    """What one process, or all of them together, spent: seconds."""

    tests: dict[str, dict[str, float]]
    """By test: in its process by part, and in `children`."""
    marks: dict[str, list[str]]
    fixtures: dict[str, float]
    """What making it took, with the processes that have ended by then; it is in the tests, too."""
    apart: dict[str, float]
    """Outside all tests: `collection` (with the start), `between` tests, and `controller`."""


class CpuTimes:
    """Measures one process; that of the controller adds up what the workers measured."""

    def __init__(self, config: pytest.Config, file: Path) -> None:
        self._config = config
        self._file = file
        self._tests = defaultdict[str, Seconds](_no_seconds)
        self._marks: dict[str, list[str]] = {}
        self._fixtures = _no_seconds()
        self._apart = _no_seconds()
        self._collected = 0.0

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self) -> None:
        """What was spent until now is the start and the collection."""
        self._collected = own_seconds() + seconds_of_children()
        self._apart["collection"] += self._collected

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measure all processes that the test starts or uses."""
        before = seconds_of_children()
        self._marks[item.nodeid] = sorted({mark.name for mark in item.iter_markers()})
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            self._marks[item.nodeid].append("hypothesis")
        try:
            return (yield)
        finally:
            # one of our processes may have ended unseen: none gives time back
            spent = max(0.0, seconds_of_children() - before)
            self._tests[item.nodeid]["children"] += spent

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measure this process while fixtures are made."""
        with Measured(self._tests[item.nodeid], "setup"):
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measure this process while the test runs."""
        with Measured(self._tests[item.nodeid], "call"):
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measure this process while fixtures are put away."""
        with Measured(self._tests[item.nodeid], "teardown"):
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        """Measure one fixture, with the processes that it started and that have ended."""
        name = f"{fixturedef.baseid or 'plugins'}::{fixturedef.argname}"
        before = own_seconds() + ended_seconds()
        try:
            return (yield)
        finally:
            self._fixtures[name] += own_seconds() + ended_seconds() - before

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:  # noqa: ANN401 -- xdist's, which may be missing
        """Add what a worker measured; one that crashed has said nothing."""
        spent: Spent | None = getattr(node, "workeroutput", {}).get("cpu_times")
        if spent is not None:
            for test, parts in spent["tests"].items():
                _add(self._tests[test], parts)
            self._marks.update(spent["marks"])
            _add(self._fixtures, spent["fixtures"])
            _add(self._apart, spent["apart"])

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Hand over what was measured, as a worker, or write it."""
        output = getattr(self._config, "workeroutput", None)
        is_controller = output is None and not self._collected
        if is_controller:
            self._apart["controller"] += own_seconds()
        else:
            in_tests = sum(sum(parts.values()) for parts in self._tests.values())
            all_of_it = own_seconds() + seconds_of_children()
            self._apart["between"] += max(0.0, all_of_it - self._collected - in_tests)
        spent = Spent(
            tests={test: dict(parts) for test, parts in self._tests.items()},
            marks=self._marks,
            fixtures=dict(self._fixtures),
            apart=dict(self._apart),
        )
        if output is not None:
            output["cpu_times"] = spent
        else:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(json.dumps(spent, indent=1), encoding="utf-8")


class Measured:
    """While it is entered, what this process spends is added to one part of a test's figures."""

    def __init__(self, parts: Seconds, part: str) -> None:
        self._parts, self._part, self._before = parts, part, 0.0

    def __enter__(self) -> None:
        self._before = own_seconds()

    def __exit__(self, *_: object) -> None:
        self._parts[self._part] += own_seconds() - self._before


def _no_seconds() -> Seconds:
    return defaultdict(float)


def _add(sums: Seconds, more: Mapping[str, float]) -> None:
    for name, seconds in more.items():
        sums[name] += seconds


def own_seconds() -> float:
    """What this process has spent so far, user and system."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def ended_seconds() -> float:
    """What processes that we started, and theirs, have spent: those that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds_of_children() -> float:
    """What all processes below this one have spent, with those that are still running."""
    return ended_seconds() + (sum(_living()) if _has_living() else 0.0)


def _has_living() -> bool:
    """Whether we have a child at all: the look at all processes of the machine is dear."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _living() -> Iterator[float]:
    """The seconds of each process below this one, with what its ended children spent (Linux)."""
    spent: dict[int, float] = {}
    below = defaultdict[int, list[int]](list)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # a command's name, in brackets, may contain blanks and brackets
            fields = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended meanwhile
        number = int(folder.name)
        below[int(fields[1])].append(number)
        spent[number] = sum(map(int, fields[11:15])) / TICKS
    waiting = below[os.getpid()]
    while waiting:
        number = waiting.pop()
        yield spent[number]
        waiting.extend(below[number])
