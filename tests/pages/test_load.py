"""kernelmap.load: a saved result is the same result, for whatever its tables hold."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from pandas.testing import assert_frame_equal

from examples import examples
from kernelmap import KernelmapError, Saved, load
from kernelmap.errors import UsageError
from kernelmap.pages.write import write_tables
from kernelmap.tables.build import Tables
from kernelmap.tables.frames import check_frame
from kernelmap.tables.schema import TABLES
from pages.hand_tables import make_tables
from pages.test_saved_results import any_tables

FORMS = ("saved.json", "saved")


def assert_same(loaded: Saved, tables: Tables) -> None:
    for name, table in TABLES.items():
        frame = getattr(loaded, name)
        check_frame(table, frame)
        assert_frame_equal(frame, tables.frame(name))

    assert (loaded.summary, loaded.notices) == (tables.summary, tables.notices)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=examples(12))  # an example writes and reads nine tables
@given(tables=any_tables())
def test_what_was_saved_is_loaded(form: str, tables: Tables) -> None:
    """Columns, types and values are those that were written, launches included."""
    with tempfile.TemporaryDirectory() as name:
        path = write_tables(tables, Path(name) / form, launches=True)

        assert_same(load(path), tables)


@pytest.mark.parametrize("form", FORMS)
def test_a_loaded_result_writes_again(form: str, tmp_path: Path) -> None:
    """A loaded result has the figures and the writers of a fresh one, and is an input of them."""
    first = load(write_tables(make_tables(), tmp_path / form, launches=True))
    second = load(first.to_json(tmp_path / "again.json", launches=True))

    assert_same(second, make_tables())
    assert first.figure("ops").data
    assert first.to_csv(tmp_path / "c.csv", by="call").read_text().startswith("call,graph,")
    with pytest.raises(UsageError) as caught:
        first.write(first.path, launches=True)
    assert caught.value.slug == "output-is-input"


def test_without_launches_there_are_none(tmp_path: Path) -> None:
    """A JSON saved without launches has every other table."""
    loaded = load(write_tables(make_tables(), tmp_path / "saved.json"))

    assert isinstance(loaded.ops, pd.DataFrame)
    with pytest.raises(UsageError, match="without its launches"):
        _ = loaded.launches
    with pytest.raises(AttributeError, match="a Saved has no 'flops'"):
        _ = loaded.flops


def mixed(folder: Path) -> Path:
    write_tables(make_tables(), folder / "saved")
    (folder / "saved" / "ops.parquet").replace(folder / "saved" / "modules.parquet")
    write_tables(make_tables(), folder / "saved" / "ops.parquet")
    return folder / "saved"


def cut(folder: Path) -> Path:
    write_tables(make_tables(), folder / "saved")
    file = folder / "saved" / "calls.parquet"
    file.write_bytes(file.read_bytes()[:-20])
    return folder / "saved"


def deep(folder: Path) -> Path:
    path = folder / "deep.json"
    path.write_text('{"format": "kernelmap.correlation", "x": ' + "[" * 9000 + "]" * 9000 + "}")
    return path


def empty(folder: Path) -> Path:
    (folder / "empty.json").touch()
    return folder / "empty.json"


@pytest.mark.parametrize("make", [mixed, cut, deep, empty], ids=lambda make: make.__name__)
def test_what_is_no_saved_result_is_one_clear_error(
    make: Callable[[Path], Path], tmp_path: Path
) -> None:
    """Mixed, cut off, nested without end or empty: the error names the path and a next step."""
    path = make(tmp_path)
    with pytest.raises(KernelmapError, match=path.name) as caught:
        load(path)

    assert (caught.value.slug, bool(caught.value.hint)) == ("not-a-correlation", True)


def test_a_missing_result_cannot_be_read(tmp_path: Path) -> None:
    """A path that is not there is said to be unreadable, not to be of a wrong format."""
    with pytest.raises(KernelmapError) as caught:
        load(tmp_path / "nothing.json")

    assert caught.value.slug == "unreadable-path"
