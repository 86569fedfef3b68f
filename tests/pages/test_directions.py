"""The column `forward` holds time of forward graphs, however a table of lines is shown."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

import kernelmap
from kernelmap.cli import main
from kernelmap.pages.columns import VIEWS
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.schema import LINES

EAGER = "(outside compiled code)"


def printed(sample: Path, form: str) -> str:
    words = ["correlate", str(sample), "--by", "line", "--format", form]
    return CliRunner().invoke(main, words, env={"COLUMNS": "300"}).stdout


def forward_cells(sample: Path) -> Mapping[str, str]:
    """What the cells below `forward` say, by the title of the row."""
    view = VIEWS["lines"]
    (forward,) = (extra for extra in view.extras if extra.header == "forward")
    result = kernelmap.correlate(sample)
    return {
        view.title(row): forward.cell(row)
        for row in rows_of_frame(LINES, result.tables.frame("lines"))
    }


@pytest.mark.sampled
def test_eager_time_is_not_forward(samples: Path) -> None:
    """The optimizer's 563 µs are in no graph, so they leave both directions empty."""
    sample = samples / "cuda_language_train"
    lines = printed(sample, "markdown").splitlines()
    header = [cell.strip() for cell in next(row for row in lines if "forward" in row).split("|")]
    eager = [cell.strip() for cell in next(row for row in lines if EAGER in row).split("|")]
    row = dict(zip(header, eager, strict=True))
    (cells,) = (
        row for row in csv.DictReader(printed(sample, "csv").splitlines()) if row["file"] == EAGER
    )
    (record,) = (row for row in json.loads(printed(sample, "json"))["rows"] if row["file"] == EAGER)

    assert (row["time"], row["forward"], row["backward"]) == ("562.7 µs", "", "")
    assert (cells["time_ns"], cells["forward_ns"], cells["backward_ns"]) == ("562691", "", "0")
    assert (record["time_ns"], record["forward_ns"]) == (562691, None)
    assert forward_cells(sample)[EAGER] == ""


@pytest.mark.sampled
@pytest.mark.parametrize("sample", ["cuda_decode_graphs", "cuda_foreach_optimizer"])
def test_what_has_no_backward_has_no_forward(sample: str, samples: Path) -> None:
    """Inference graphs and a compiled optimizer have time and no direction: no such column."""
    assert set(forward_cells(samples / sample).values()) == {""}
    assert " forward " not in printed(samples / sample, "table")
