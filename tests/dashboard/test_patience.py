"""How long a page waits for its answers, all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from kernelmap.dashboard import archive as module
from kernelmap.dashboard.archive import Archive, NotYetError, Report
from kernelmap.history.store import Store


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that each question was waited for, on a clock that only waiting moves."""
    waited: list[float] = []

    def wait(_: Sequence[Future[object]], seconds: float) -> SimpleNamespace:
        waited.append(seconds)
        return SimpleNamespace(done=set())

    monkeypatch.setattr(module, "wait", wait)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: sum(waited)))
    return waited


def answer(_: Report) -> str:
    return "answer"


def asked(archive: Archive, count: int) -> None:
    for at in range(count):
        with pytest.raises(NotYetError):
            archive.ask(at, "what", answer)


def test_a_page_of_many_questions_waits_for_some_of_them(empty: Store, waits: list[float]) -> None:
    """What it waits in all is bounded, and the next page has its own time."""
    archive = Archive(empty, patience=1.0)
    for _ in range(2):
        waits.clear()
        with archive.one_page():
            asked(archive, 6)
        assert waits == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]

    waits.clear()
    asked(archive, 5)

    assert waits == [1.0] * 5


def test_what_is_known_is_given_without_waiting(empty: Store) -> None:
    """A page whose time is over still shows every answer that is there."""
    archive = Archive(empty, patience=None)
    assert archive.ask("key", "what", answer) == "answer"
    archive.patience = 0.0

    with archive.one_page():
        assert archive.ask("key", "what", answer) == "answer"


def test_who_waits_for_all_answers_waits_for_all_of_a_page(empty: Store) -> None:
    """Without a limit for one question there is none for many."""
    archive = Archive(empty, patience=None)

    with archive.one_page():
        assert [archive.ask(at, "what", answer) for at in range(9)] == ["answer"] * 9
