"""A small history with planted causes, and what needs the extra."""

from __future__ import annotations

from pathlib import Path

import pytest
from make_history import Simulated, history

from kernelmap.dashboard.archive import Archive
from kernelmap.history.store import Store
from made_once import made_once

RUNS = 32


@pytest.fixture(scope="session")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store of simulated runs on two branches; to be read only."""
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    pytest.importorskip("ruptures", reason="ruptures is not installed")
    return Store(made_once(tmp_path_factory, "planted", _record) / "store")


def _record(folder: Path) -> None:
    store = Store(folder / "store")
    for recording in history(RUNS):
        store.record(
            Simulated(content=recording.tables),
            branch=recording.branch,
            commit=recording.commit,
            forked=recording.forked,
        )


@pytest.fixture(scope="session")
def archive(planted: Store) -> Archive:
    """An archive that waits for its answers, and has looked."""
    made = Archive(planted, patience=None)
    made.look()
    return made


@pytest.fixture
def empty(tmp_path: Path) -> Store:
    """A store that nothing was recorded to yet."""
    return Store(tmp_path / "empty")
