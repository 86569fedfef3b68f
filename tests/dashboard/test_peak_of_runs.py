"""The memory of whole runs: kept with the run, compared from there, and drawn over the runs."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from kernelmap.correlation import Correlation
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.pages.history import history_page
from kernelmap.history.compare.numbers.comparison import compare_sides
from kernelmap.history.compare.sides.opening import side_of, side_of_run
from kernelmap.history.store.store import Store
from kernelmap.options import Options
from kernelmap.pages.address import Address
from kernelmap.pages.page import Figure
from kernelmap.pages.result import load
from kernelmap.pipeline import correlate

pytestmark = [
    pytest.mark.skipif(not find_spec(name), reason=f"{name} is not installed")
    for name in ("duckdb", "ruptures")
]


@pytest.fixture(scope="module")
def result(samples: Path) -> Correlation:
    return correlate(samples / "sim_mlp_train", options=Options(work=False, wall=False))


@pytest.fixture(scope="module")
def larger(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Correlation:
    """The same recording, but an allocation of the code takes twice the memory."""
    folder = tmp_path_factory.mktemp("larger") / "sim_mlp_train"
    shutil.copytree(samples / "sim_mlp_train", folder)
    (code,) = folder.glob("*forward*/output_code.py")
    text = code.read_text()
    first = text.index("buf0 = empty_strided_cuda((") + len("buf0 = empty_strided_cuda((")
    rows, _, rest = text[first:].partition(",")
    code.write_text(f"{text[:first]}{2 * int(rows)},{rest}")
    return correlate(folder, options=Options(work=False, wall=False))


def drawn(store: Store, address: Address) -> Figure | None:
    archive = Archive(store, patience=None)
    archive.look()
    sections = history_page(address, archive).sections
    figures = [section for section in sections if isinstance(section, Figure)]
    return next((figure for figure in figures if figure.id == "peak_bytes"), None)


def test_a_run_keeps_its_peak_and_what_is_alive_there(result: Correlation, tmp_path: Path) -> None:
    """The same rows come back, and their bytes at the peak are the run's."""
    store = Store(tmp_path / "store")
    run = store.open(store.record(result, branch="main").facts.id)
    rows = list(run.tables.rows("lifetimes"))
    peaks = {memory["graph"]: 0 for memory in rows}
    for row in rows:
        peaks[row["graph"]] += int(str(row["peak_bytes"]))

    assert rows == list(result.tables.rows("lifetimes"))
    assert run.facts.peak_bytes == max(peaks.values())
    measured = {row["graph"]: row["peak_bytes"] for row in result.memory().tables.rows["graphs"]}
    assert measured == peaks


def test_runs_of_a_store_and_saved_results_tell_which_buffer_grew(
    result: Correlation, larger: Correlation, tmp_path: Path
) -> None:
    """As fresh results do, and whatever the tables went through."""
    store = Store(tmp_path / "store")
    runs = [store.record(one, branch="main").facts.id for one in (result, larger)]
    saved = [one.write(tmp_path / f"{name}.json") for one, name in ((result, "a"), (larger, "b"))]
    pairs = (
        [side_of(one, "fresh") for one in (result, larger)],
        [side_of_run(store.open(run), "kept") for run in runs],
        [side_of(load(path), "saved") for path in saved],
    )
    told = [
        [
            (change.buffer.name, change.reason, change.change_bytes)
            for peak in compare_sides(*pair).memory.changed
            for change in peak.changes
        ]
        for pair in pairs
    ]

    assert told[0]
    assert "buf0" in {name for name, _, _ in told[0]}
    assert told[0] == told[1] == told[2]


def test_the_dashboard_draws_the_peak_over_the_runs(
    result: Correlation, larger: Correlation, tmp_path: Path
) -> None:
    """Over all graphs of a run; a run without code has none."""
    store = Store(tmp_path / "store")
    first, second = (store.record(one, branch="main") for one in (result, larger))
    figure = drawn(store, Address())

    assert figure is not None
    assert figure.data["peak_bytes"].tolist() == [
        first.facts.peak_bytes,
        second.facts.peak_bytes,
    ]
    assert drawn(store, Address(graph="0_forward")) is None
