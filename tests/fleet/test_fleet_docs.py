"""The queries of docs/fleet.md over Parquet run as they stand, and give what the fleet says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fleet_runs import ROOT, answer, program
from kernelmap.fleet.fleet_result import Fleet
from worlds.fleet import FleetWorld, write_fleet

_PAGE = (ROOT / "docs" / "fleet.md").read_text(encoding="utf-8")


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fleet:
    """A fleet with its folder of Parquet files, and what is kept of its ranks, in this folder."""
    monkeypatch.chdir(tmp_path)
    write_fleet(tmp_path, program(), FleetWorld(ranks=3, steps=2))
    made = answer(tmp_path, keep="kept")
    made.write("folder")
    return made


def block(language: str, word: str) -> str:
    """The one block of the page in this language that has the word."""
    blocks = re.findall(rf"```{language}\n(.*?)```", _PAGE, re.DOTALL)
    (text,) = (text for text in blocks if word in text)
    return str(text)


def test_the_query_in_duckdb_runs(fleet: Fleet) -> None:
    """It gives the calls in which ranks differ most."""
    duckdb = pytest.importorskip("duckdb")

    rows = duckdb.sql(block("sql", "spread.parquet")).fetchall()

    calls = [row for row in fleet.rows["spread"] if row["by"] == "call"]
    assert {name for name, _, _ in rows} <= {row["name"] for row in calls}
    assert len(rows) == 10
    assert rows == sorted(rows, key=lambda row: -row[2])


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:The inplace keyword")  # within Dask
@pytest.mark.usefixtures("fleet")
def test_the_query_in_dask_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """It reads what is kept of all ranks."""
    pytest.importorskip("dask.dataframe")

    exec(block("python", "dd.read_parquet"), {})  # noqa: S102 -- of our own page

    assert "0_backward/" in capsys.readouterr().out
