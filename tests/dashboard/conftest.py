"""A small history with planted causes, and what needs the extra."""

from __future__ import annotations

from pathlib import Path

import pytest
from make_history import Simulated, history

from kernelmap.dashboard.archive import Archive
from kernelmap.store import Store

RUNS = 32


@pytest.fixture(scope="session")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store of simulated runs on two branches; to be read only."""
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    pytest.importorskip("ruptures", reason="ruptures is not installed")
    store = Store(tmp_path_factory.mktemp("dashboard") / "planted")
    for each in history(RUNS):
        store.record(
            Simulated(content=each.tables),
            branch=each.branch,
            commit=each.commit,
            forked=each.forked,
        )
    return store


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
