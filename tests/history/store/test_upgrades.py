"""Runs of older versions are read as those of today; their files stay as they are."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from history.store.made import Made
from kernelmap.errors import KernelmapError
from kernelmap.history.store import run as runs
from kernelmap.history.store.facts import RUN_TOML, VERSION, TableFile, seal, unseal
from kernelmap.history.store.store import Store
from kernelmap.tables.schema import TABLES

Arrow: TypeAlias = Any  # pyarrow has no type stubs


def rewritten(store: Store, run_id: str, name: str, table: Arrow | None, **changes: object) -> None:
    """Make a run that an older kernelmap could have written: a table of other columns, or none."""
    values: dict[str, Any] = dict(unseal(store.place.read(f"runs/{run_id}/run.toml"))) | changes
    tables = [entry for entry in values["tables"] if entry["name"] != name]
    store.place.delete(f"runs/{run_id}/{name}.parquet")
    if table is not None:
        buffer = io.BytesIO()
        pq.write_table(table, buffer)
        content = buffer.getvalue()
        digest = hashlib.sha256(content).hexdigest()
        file = TableFile(name=name, rows=len(table), bytes=len(content), sha256=digest)
        tables.append({key: getattr(file, key) for key in ("name", "rows", "bytes", "sha256")})
        store.place.write(f"runs/{run_id}/{name}.parquet", content)
    store.place.delete(f"runs/{run_id}/{RUN_TOML}")
    store.place.write(f"runs/{run_id}/{RUN_TOML}", seal(values | {"tables": tables}))


def test_a_column_that_was_added_later_is_null(tmp_path: Path) -> None:
    """A run from before the column has null there, and everything else as it was."""
    store = Store(tmp_path)
    run = store.record(Made())
    before = run.calls
    rewritten(store, run.id, "calls", run.arrow("calls").drop_columns(["handle", "ops"]))
    calls = store.open(run.id).calls

    assert calls["handle"].isna().all()
    assert calls["ops"].isna().all()
    assert calls["time_ns"].tolist() == before["time_ns"].tolist()


def test_a_column_that_may_not_be_null_needs_a_step(tmp_path: Path) -> None:
    """Without one the run cannot be believed: nothing is made up."""
    store = Store(tmp_path)
    run = store.record(Made())
    rewritten(store, run.id, "calls", run.arrow("calls").drop_columns(["time_ns"]))

    with pytest.raises(KernelmapError, match="no column 'time_ns'"):
        _ = store.open(run.id).tables


def test_an_older_version_goes_through_its_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of version 0 is read through one step per version, and stays version 0 on disk."""
    store = Store(tmp_path)
    run = store.record(Made())
    before = run.tables
    older = run.arrow("ops").rename_columns(
        ["total" if name == "time_ns" else name for name in TABLES["ops"].by_name]
    )

    def renamed(name: str, arrow: Arrow) -> Arrow:
        names = ["time_ns" if column == "total" else column for column in arrow.column_names]
        return arrow.rename_columns(names) if name == "ops" else arrow

    monkeypatch.setattr(runs, "STEPS", {VERSION - 1: renamed})
    rewritten(store, run.id, "ops", older, version=VERSION - 1)
    read = store.open("latest")

    assert read.facts.version == VERSION - 1
    assert read.ops.equals(before.frame("ops"))
    assert read.calls.equals(before.frame("calls"))


def test_a_table_that_was_added_later_is_empty_and_said(tmp_path: Path) -> None:
    """A run from before the table has no rows there, and a notice that says why."""
    store = Store(tmp_path)
    run = store.record(Made())
    before = run.modules
    rewritten(store, run.id, "modules", None)
    read = store.open(run.id)

    assert len(read.modules) == 0
    assert read.modules.dtypes.equals(before.dtypes)
    assert [notice.slug for notice in read.notices[-1:]] == ["run-older"]
    assert "modules" in read.notices[-1].message


def test_columns_that_are_not_known_yet_are_passed_over(tmp_path: Path) -> None:
    """A run of a later kernelmap of the same version is read without what it has more."""
    store = Store(tmp_path)
    run = store.record(Made())
    before = run.ops
    more = run.arrow("ops").append_column("later", pa.array(["x"] * len(before)))
    rewritten(store, run.id, "ops", more)

    assert store.open(run.id).ops.equals(before)


def test_a_table_that_nobody_asked_for_is_no_loss(tmp_path: Path) -> None:
    """A run without it reads as whole."""
    store = Store(tmp_path)
    run = store.record(Made())
    rewritten(store, run.id, "operators", None)
    run = store.open(run.id)

    assert run.tables.size("operators") == 0
    assert [notice for notice in run.notices if notice.slug == "run-older"] == []
