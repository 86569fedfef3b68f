"""When Python's collector of cycles looks through what was read: not at all, unless it is asked."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

import kernelmap.__main__ as entry
from kernelmap.model.collection import without_collection


class _Node:
    """Something that can be in a cycle."""

    def __init__(self) -> None:
        self.other: _Node | None = None


@pytest.fixture
def looks() -> Iterator[list[int]]:
    """The generations that the collector has looked through since the test began."""
    seen: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            seen.append(info["generation"])

    gc.callbacks.append(note)
    yield seen
    gc.callbacks.remove(note)


def test_what_was_read_is_not_looked_through_afterwards(looks: list[int]) -> None:
    """A collector that is let in again finds nothing young: it waits as after a look of its own."""
    with without_collection():
        read: list[object] = [[] for _ in range(10 * gc.get_threshold()[0])]
        looks.clear()
    read.append([])

    assert looks == []


def test_cycles_that_were_made_meanwhile_are_found() -> None:
    """A look through everything finds them, as it finds all others."""
    with without_collection():
        one, other = _Node(), _Node()
        one.other, other.other = other, one
        left = weakref.ref(one)
        del one, other
    gc.collect()

    assert left() is None


def test_a_program_ends_without_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a command leaves goes with its process: Python looks once more, and sees none of it."""
    monkeypatch.setattr(entry, "main", lambda: None)
    gc.unfreeze()
    try:
        entry.program()

        assert gc.get_freeze_count() > len(gc.get_objects())
    finally:
        gc.unfreeze()
