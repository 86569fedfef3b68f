"""Alerts of the dashboard: each new level once, slower or faster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from kernelmap.cli import main
from kernelmap.dashboard.levels import Levels
from kernelmap.dashboard.serve import serving
from kernelmap.store import Store
from outputs.hand_tables import make_tables
from store.made import Made

pytest.importorskip("ruptures", reason="ruptures is not installed")

QUIET = (100, 101, 99, 100, 101, 100, 99, 100)


def record(store: Store, times: Sequence[int]) -> None:
    """A run per time, in µs; nothing ran."""
    tables = make_tables()
    for time in times:
        summary = replace(tables.summary, total_ns=time * 1000)
        store.record(Made(content=replace(tables, summary=summary)), branch="main")


def new_after(store: Store, levels: Levels, times: Sequence[int]) -> list[Mapping[str, object]]:
    """What is new after each of further runs."""
    news = []
    for time in times:
        record(store, [time])
        news += levels.new(store.listing())
    return news


def test_each_new_level_is_reported_once_in_both_directions(tmp_path: Path) -> None:
    """The first level is not reported; each later one is, whether slower or faster."""
    store = Store(tmp_path / "runs")
    record(store, [*QUIET, *(time + 50 for time in QUIET)])
    levels = Levels()
    assert levels.new(store.listing()) == []

    faster = new_after(store, levels, QUIET)
    slower = new_after(store, levels, [time + 30 for time in QUIET])

    assert [level["verdict"] for level in faster] == ["faster from here"]
    assert [level["verdict"] for level in slower] == ["slower from here"]
    assert [level["branch"] for level in (*faster, *slower)] == ["main", "main"]


def test_a_quiet_series_tells_nothing(tmp_path: Path) -> None:
    """Noise and a single odd run are no level."""
    store = Store(tmp_path / "runs")
    record(store, QUIET)
    levels = Levels()
    levels.new(store.listing())

    assert new_after(store, levels, [*QUIET, 140, *QUIET]) == []


def test_a_serving_dashboard_tells_what_is_recorded(tmp_path: Path) -> None:
    """A level that begins while it serves reaches whoever is to hear of it."""
    pytest.importorskip("waitress", reason="waitress is not installed")
    store = Store(tmp_path / "runs")
    record(store, QUIET)
    heard: list[Mapping[str, object]] = []
    arrived = Event()

    def hear(level: Mapping[str, object]) -> None:
        heard.append(level)
        arrived.set()

    server = serving(store, host="127.0.0.1", port=0, no_token=True, on_level=hear)
    try:
        arrived.wait(2)  # the first listing
        record(store, [time + 50 for time in QUIET])
        assert arrived.wait(30)
    finally:
        server.close()

    assert [level["verdict"] for level in heard] == ["slower from here"]


def test_pages_on_disk_tell_nobody(tmp_path: Path) -> None:
    """--export ends at once, so an alert beside it would never come."""
    words = ["dashboard", "--store", str(tmp_path), "--export", str(tmp_path / "pages")]
    done = CliRunner().invoke(main, [*words, "--on-change", "true"])

    assert done.exit_code == 2
    assert "takes no alerts" in done.stderr
