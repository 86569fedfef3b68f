"""The share of the device's limit of whole runs: kept with the run, and drawn over the runs."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from kernelmap.correlation import Correlation
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.pages.history import history_page
from kernelmap.history.store.store import Store
from kernelmap.options import Options
from kernelmap.pages.address import Address
from kernelmap.pages.page import Figure
from kernelmap.pipeline import correlate

pytestmark = [
    pytest.mark.skipif(not find_spec(name), reason=f"{name} is not installed")
    for name in ("duckdb", "ruptures")
]
LIMITS = Path(__file__).parents[1] / "speed" / "limits" / "any_device.toml"


def made(samples: Path, limits: Path | None) -> Correlation:
    return correlate(samples / "sim_mlp_train", options=Options(device_limits=limits))


def drawn(store: Store, address: Address) -> Figure | None:
    archive = Archive(store, patience=None)
    archive.look()
    figures = [
        section
        for section in history_page(address, archive).sections
        if isinstance(section, Figure)
    ]
    return next((figure for figure in figures if figure.id == "of_limit"), None)


def test_a_run_says_how_much_of_the_limit_it_reached(samples: Path, tmp_path: Path) -> None:
    """A run's share is the limits of all calls over their time; the history draws those known."""
    store = Store(tmp_path / "store")
    limited = made(samples, LIMITS)
    first = store.record(limited, branch="main")
    store.record(made(samples, None), branch="main")
    speeds = limited.speeds
    assert speeds is not None
    limited_calls = [call for call in speeds.calls if call.limit_ns is not None]
    expected = sum(call.limit_ns or 0 for call in limited_calls) / sum(
        call.time_ns for call in limited_calls
    )

    assert store.open(first.facts.id).facts.of_limit == pytest.approx(expected)
    figure = drawn(store, Address())
    assert figure is not None
    assert figure.data["of_limit"].tolist() == pytest.approx([expected, float("nan")], nan_ok=True)


def test_runs_without_limits_have_no_such_chart(samples: Path, tmp_path: Path) -> None:
    """Neither where no run knows a limit, nor for one graph, of which no run keeps it."""
    store = Store(tmp_path / "store")
    run = store.record(made(samples, None), branch="main")

    assert run.facts.of_limit is None
    assert drawn(store, Address()) is None
    store.record(made(samples, LIMITS), branch="main")
    assert drawn(store, Address(graph="0_forward")) is None
