"""Recorders that are killed, and recorders that run at the same time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from history.store.made import kill_recorders, record_at_once
from kernelmap.history.store.store import Store

KILLS, RECORDERS = 12, 8


def assert_whole(url: str, finished: frozenset[str]) -> None:
    """Every finished run is in the store, and every run in the store is complete."""
    store = Store(url)
    listing = store.listing()

    assert listing.notices == ()
    assert finished <= {run.id for run in listing.runs}
    assert store.check() == (len(listing.runs), ())


def test_killed_recorders_lose_nothing(tmp_path: Path) -> None:
    """At whatever moment a recorder is killed: no partial run is seen, no finished run is lost."""
    killed = kill_recorders(str(tmp_path), KILLS, seed=1, longest=0.3)

    assert killed.finished
    assert_whole(str(tmp_path), killed.finished)


@pytest.mark.thorough
@pytest.mark.s3
def test_killed_recorders_lose_nothing_in_an_object_store(
    s3: str, s3_server: Mapping[str, str]
) -> None:
    """The same where nothing can be renamed."""
    killed = kill_recorders(s3, KILLS, seed=2, longest=0.6, environment=s3_server)

    assert killed.finished
    assert_whole(s3, killed.finished)


def test_recorders_at_once_do_not_collide(tmp_path: Path) -> None:
    """Eight recorders make eight runs."""
    recorded = record_at_once(str(tmp_path), RECORDERS)

    assert len(recorded) == RECORDERS
    assert {run.id for run in Store(tmp_path).runs()} == recorded


@pytest.mark.thorough
@pytest.mark.s3
def test_recorders_at_once_do_not_collide_in_an_object_store(
    s3: str, s3_server: Mapping[str, str]
) -> None:
    """Eight recorders make eight runs there, too."""
    recorded = record_at_once(s3, RECORDERS, environment=s3_server)

    assert len(recorded) == RECORDERS
    assert {run.id for run in Store(s3).runs()} == recorded
