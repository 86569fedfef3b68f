"""Recordings at once: the one that is measured has the GPU to itself."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from gpu_cases.turns import VARIABLE, turn


def test_who_is_alone_waits_for_those_who_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others go on compiling until they end, or are alone themselves."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "lock"))
    seen: list[str] = []
    waits, done = threading.Event(), threading.Event()

    def measure() -> None:
        with turn() as mine:
            waits.set()
            mine.alone()
            seen.append("measured")
            done.set()

    with turn():
        thread = threading.Thread(target=measure)
        thread.start()
        assert waits.wait(60)
        assert not done.wait(0.2)
        seen.append("compiled")
    thread.join(60)

    assert seen == ["compiled", "measured"]


def test_two_that_share_do_not_wait_for_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each gives up its share before it asks to be alone."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "lock"))
    both = threading.Barrier(2, timeout=60)
    measured: list[int] = []

    def measure(number: int) -> None:
        with turn() as mine:
            both.wait()
            mine.alone()
            measured.append(number)

    threads = [threading.Thread(target=measure, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert sorted(measured) == [0, 1]


def test_without_the_variable_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A case that is recorded by itself needs no lock."""
    monkeypatch.delenv(VARIABLE, raising=False)
    with turn() as one, turn() as other:
        one.alone()
        other.alone()
