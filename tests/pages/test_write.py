"""Writing: the name picks the format, a file is whole or not there, inputs are safe."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

import pytest

from kernelmap.errors import KernelmapError, UsageError
from kernelmap.pages.write import write_tables
from kernelmap.tables import json, parquet
from kernelmap.tables.build import Tables
from kernelmap.tables.schema import TABLES
from kernelmap.whole_files import HIDDEN
from pages.hand_tables import make_tables

STARTS = {
    ".json": b'{\n"format": "kernelmap.correlation"',
    ".csv": b"name,origin,time_ns",
    ".parquet": b"PAR1",
    ".html": b"<!doctype html>",
    ".md": b"### GPU time by original op",
}


@pytest.mark.parametrize("suffix", STARTS)
def test_the_suffix_picks_the_format(suffix: str, tmp_path: Path) -> None:
    """Each known suffix gives its format, in capitals too, and nothing else is left behind."""
    path = tmp_path / f"result{suffix.upper()}"

    assert write_tables(make_tables(), path) == path
    assert path.read_bytes().startswith(STARTS[suffix])
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["tables", "tables.json"])
def test_a_folder_gets_one_file_per_table(name: str, tmp_path: Path) -> None:
    """A name without a suffix makes a folder; an existing folder is filled, whatever its name."""
    folder = tmp_path / name
    if folder.suffix:
        folder.mkdir()
    write_tables(make_tables(), folder)

    assert sorted(path.name for path in folder.iterdir()) == sorted(
        f"{table}.parquet" for table in TABLES
    )


def test_an_unknown_suffix_lists_the_known_ones(tmp_path: Path) -> None:
    """The error says what could have been asked for; nothing is written."""
    with pytest.raises(UsageError) as caught:
        write_tables(make_tables(), tmp_path / "result.xlsx")

    assert caught.value.slug == "unknown-output-format"
    assert all(suffix in caught.value.hint for suffix in STARTS)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    """Folders above the output are never made by guessing."""
    with pytest.raises(UsageError, match="nowhere") as caught:
        write_tables(make_tables(), tmp_path / "nowhere" / "result.json")
    assert caught.value.slug == "no-output-folder"


@pytest.mark.parametrize("name", ["profile.json", "link.json"])
def test_an_input_is_never_overwritten(name: str, tmp_path: Path) -> None:
    """Neither under its own name nor through a link does an input become an output."""
    source = tmp_path / "profile.json"
    source.write_text("{}")
    (tmp_path / "link.json").symlink_to(source)

    with pytest.raises(UsageError) as caught:
        write_tables(make_tables(), tmp_path / name, inputs=[source])
    assert caught.value.slug == "output-is-input"
    assert source.read_text() == "{}"


def test_a_failure_leaves_the_old_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a result never stands under the result's name."""
    path = tmp_path / "result.json"
    path.write_text("old")

    def fail(_: Tables, handle: BinaryIO, *, launches: bool) -> None:
        handle.write(b"half")
        raise OSError(28, f"No space left on device (launches={launches})")

    monkeypatch.setattr(json, "write_json", fail)
    with pytest.raises(KernelmapError, match="No space left") as caught:
        write_tables(make_tables(), path)

    assert caught.value.slug == "unwritable-output"
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("is_new", [True, False])
def test_a_failure_leaves_all_tables_of_a_folder_as_they_were(
    is_new: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder never holds some tables of one result and some of another."""
    folder = tmp_path / "tables"
    if not is_new:
        write_tables(make_tables(), folder)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")}
    drawn: list[str] = []

    def fail(_: Tables, handle: BinaryIO, *, table: str) -> None:
        handle.write(b"half")
        drawn.append(table)
        if len(drawn) == 3:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(parquet, "write_parquet", fail)
    with pytest.raises(KernelmapError, match="No space left"):
        write_tables(make_tables(), folder)

    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert folder.exists() is not is_new


def test_writers_of_one_process_number_do_not_meet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two containers on one folder may have one pid: what each writes stays its own."""
    started, written = threading.Event(), threading.Event()

    def slow(_: Tables, handle: BinaryIO, *, launches: bool) -> None:
        handle.write(b"slow")
        started.set()
        assert written.wait(10), launches

    def fast(_: Tables, handle: BinaryIO, *, launches: bool) -> None:
        handle.write(b"fast, without launches" if not launches else b"")

    monkeypatch.setattr(json, "write_json", slow)
    with ThreadPoolExecutor() as pool:
        first = pool.submit(write_tables, make_tables(), tmp_path / "slow.json")
        assert started.wait(10)
        monkeypatch.setattr(json, "write_json", fast)
        write_tables(make_tables(), tmp_path / "fast.json")
        written.set()
        first.result(10)

    assert (tmp_path / "slow.json").read_bytes() == b"slow"
    assert (tmp_path / "fast.json").read_bytes() == b"fast, without launches"


@pytest.mark.parametrize("signal", ["SIGTERM", "SIGINT", "SIGKILL"])
def test_a_writer_that_is_stopped_leaves_the_old_file(signal: str, tmp_path: Path) -> None:
    """Whenever a process is ended, the result's name stands for the old bytes or the new ones."""
    path = tmp_path / "result.json"
    path.write_text("old")
    program = f"""
import os, signal
from pathlib import Path
from kernelmap.pages.write import write_files

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored below nohup

def draw(handle):
    handle.write(b"half")
    handle.flush()
    os.kill(os.getpid(), signal.{signal})
    raise AssertionError("still alive")

write_files({{Path({str(path)!r}): draw}}, ())
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True)  # noqa: S603 -- ours

    assert done.returncode != 0
    assert path.read_text() == "old"
    assert all(other == path or other.name.startswith(HIDDEN) for other in tmp_path.iterdir())


def test_by_picks_the_table_of_a_file_that_holds_one(tmp_path: Path) -> None:
    """A CSV of calls is the table calls."""
    write_tables(make_tables(), tmp_path / "calls.csv", by="call")

    assert (tmp_path / "calls.csv").read_text().startswith("call,graph,index,")


def test_launches_come_into_the_json_on_request(tmp_path: Path) -> None:
    """With launches=True the saved result can be asked for them."""
    write_tables(make_tables(), tmp_path / "all.json", launches=True)

    assert len(json.read_json(tmp_path / "all.json").frame("launches")) == 4
