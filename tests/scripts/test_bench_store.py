"""The store that the benchmark makes is one like any other."""

from __future__ import annotations

from pathlib import Path

import bench_store

from kernelmap.history.store.store import Store

RUNS = 3


def test_the_made_store_is_whole(tmp_path: Path) -> None:
    """Every run is as its digests say, has all its calls, and calls add up to the window."""
    bench_store.make(tmp_path, RUNS)
    store = Store(tmp_path)
    run = store.open("latest")

    assert store.check() == (RUNS, ())
    assert len(run.calls) == bench_store.CALLS
    assert int(run.calls["time_ns"].sum()) == run.summary.total_ns
    assert int(run.tables.frame("invocations")["time_ns"].sum()) == run.summary.total_ns


def test_the_questions_have_their_answers(tmp_path: Path) -> None:
    """The op and the call that are asked for are in every run."""
    bench_store.make(tmp_path, RUNS)
    store = Store(tmp_path)

    assert len(store.history("ops", {"name": bench_store.OP})) == RUNS
    assert len(store.history("calls", {"call": bench_store.CALL})) == RUNS
