"""Exports that are damaged, odd or of a schema we don't know: named, and never touched."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from kernelmap.errors import KernelmapError
from kernelmap.traces import is_trace, load_trace
from kernelmap.traces.nsys.sqlite import opened
from kernelmap.traces.sqlite_tables import SqliteTables
from traces.small_nsys import (
    KERNEL,
    NVTX,
    RUNTIME,
    Record,
    Tables,
    api,
    gid,
    kernel,
    launched,
    push_pop,
    strings,
    write_export,
)


def error_of(path: Path) -> KernelmapError:
    with pytest.raises(KernelmapError) as caught:
        load_trace(path)
    assert str(path) in caught.value.message
    assert caught.value.hint
    return caught.value


def state(path: Path) -> tuple[object, ...]:
    """All that must not change: content, times, and what lies beside it."""
    status = path.stat()
    return path.read_bytes(), status.st_mtime_ns, sorted(path.parent.iterdir())


@pytest.fixture
def export(tmp_path: Path) -> Path:
    return write_export(tmp_path / "x.sqlite", launched(kernel(10, 20)))


def test_reading_leaves_everything_as_it_was(export: Path) -> None:
    """No byte, no time and no neighbor of the user's file changes."""
    before = state(export)
    trace = load_trace(export)

    assert len(trace.launches) == 1
    assert state(export) == before


@pytest.mark.parametrize("name", ["a b.sqlite", "100%#1?x=2&é.sqlite", "no-suffix", "日本.db"])
def test_any_file_name_will_do(name: str, tmp_path: Path) -> None:
    """What stands in a path means nothing to SQLite's addresses."""
    path = write_export(tmp_path / name, launched(kernel(10, 20)))

    assert is_trace(path)
    assert load_trace(path).launches.names == ("sgemm",)


def test_another_database_is_named_with_its_tables(tmp_path: Path) -> None:
    """A SQLite file without a table of an export is none, and the message says what it holds."""
    path = write_export(tmp_path / "x.db", {"users": [{"id": 1}]})
    error = error_of(path)

    assert error.slug == "no-nsys-export"
    assert "users" in error.message
    assert not is_trace(path)


@pytest.mark.parametrize("kept", [0.3, 0.9])
def test_a_cut_off_export_is_damaged(kept: float, export: Path) -> None:
    """A file that is shorter than it says is not half read."""
    data = export.read_bytes()
    export.write_bytes(data[: int(len(data) * kept)])

    assert error_of(export).slug == "nsys-damaged"


def test_a_broken_page_is_damage_too(tmp_path: Path) -> None:
    """What SQLite cannot make sense of is named, not raised."""
    path = write_export(tmp_path / "x.sqlite", launched(*[kernel(at, at + 1) for at in range(999)]))
    data = bytearray(path.read_bytes())
    data[4096 : 3 * 4096] = b"\xff" * (2 * 4096)
    path.write_bytes(data)

    assert error_of(path).slug == "nsys-damaged"


def test_an_export_that_is_being_written_is_left_alone(export: Path) -> None:
    """While a journal lies beside the file its content may change: no answer, a next step."""
    with closing(sqlite3.connect(export, isolation_level=None)) as writer:
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("BEGIN")
        writer.execute(f"DELETE FROM {KERNEL}")  # noqa: S608 -- our own table
        before = state(export)
        error = error_of(export)

        assert error.slug == "nsys-being-written"
        assert state(export) == before


def test_a_link_to_an_export_that_is_being_written_is_none_to_read(
    export: Path, tmp_path: Path
) -> None:
    """What a writer leaves beside the file is looked for there, wherever a link to it lies."""
    with closing(sqlite3.connect(export, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute(f"DELETE FROM {KERNEL}")  # noqa: S608 -- our own table
        (tmp_path / "links").mkdir()
        link = tmp_path / "links" / "link.sqlite"
        link.symlink_to(export)

        assert error_of(link).slug == "nsys-being-written"


def test_a_lock_alone_does_not_hinder_reading(export: Path) -> None:
    """A program that holds the file without having written anything changes nothing."""
    with closing(sqlite3.connect(export, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")

        assert len(load_trace(export).launches) == 1


def test_an_unknown_layout_names_table_column_and_version(tmp_path: Path) -> None:
    """Where a column is missing that nothing can replace, the error says which, and what to do."""
    meta = [{"name": "EXPORT_SCHEMA_VERSION", "value": "9.1.0"}]
    row = {"begin": 1, "end": 2, "deviceId": 0, "streamId": 0}
    path = write_export(tmp_path / "x.sqlite", {KERNEL: [row], "META_DATA_EXPORT": meta})
    error = error_of(path)

    assert error.slug == "nsys-schema"
    assert all(word in error.message for word in (KERNEL, "start", "9.1.0"))


WRONG: dict[str, Tables] = {
    "a float id": {KERNEL: [kernel(10, 20, correlationId=9007199254740993.0)]},
    "a text": {KERNEL: [kernel(10, 20, deviceId="zero")]},
    "two numbers": {KERNEL: [kernel(10, 20, deviceId="1,2")]},
    "a blob": {KERNEL: [kernel(10, 20, streamId=b"\x00\x01")]},
    "beyond 64 bits": {KERNEL: [kernel(10, 20, streamId="99999999999999999999")]},
}


@pytest.mark.parametrize("case", WRONG)
def test_values_that_are_no_whole_numbers_are_refused(case: str, tmp_path: Path) -> None:
    """No id is rounded and none is guessed."""
    path = write_export(tmp_path / "x.sqlite", WRONG[case])
    error = error_of(path)

    assert error.slug == "nsys-damaged"
    assert KERNEL in error.message


def test_every_bit_of_an_id_is_kept(tmp_path: Path) -> None:
    """Ids above 2**53, and negative ones, come through exactly."""
    numbers = [2**63 - 1, -(2**63), 2**53 + 1, -144115188075855873, 0, None]
    path = write_export(tmp_path / "x.sqlite", {"t": [{"n": number} for number in numbers]})
    with opened(path) as tables:
        columns = tables.integers("t", ["n", "missing"])

    assert columns["n"].tolist() == [*numbers[:-1], -1]
    assert columns["missing"].tolist() == [-1] * len(numbers)


def test_rows_far_apart_are_all_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deleted rows, and row ids with large gaps, neither lose nor repeat a row."""
    monkeypatch.setattr("kernelmap.traces.sqlite_tables._STRETCH", 3)
    path = tmp_path / "x.sqlite"
    ids = [-(2**62), -5, -4, -3, 0, 1, 2, 3, 4, 10, 2**40, 2**62]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE t (n INTEGER, name TEXT)")
        connection.executemany(
            "INSERT INTO t (rowid, n, name) VALUES (?, ?, ?)", [(i, i, str(i)) for i in ids]
        )
        connection.execute("CREATE INDEX backwards ON t (n DESC, name)")
    with opened(path) as tables:
        assert tables.integers("t", ["n"])["n"].tolist() == ids
        assert tables.texts("t", "name") == [str(i).encode() for i in ids]


def test_what_users_add_to_an_export_is_passed_over(tmp_path: Path) -> None:
    """Columns, tables and indexes of their own make no difference."""
    plain = write_export(tmp_path / "plain.sqlite", launched(kernel(10, 20)))
    added = write_export(
        tmp_path / "added.sqlite",
        launched(kernel(10, 20, name="sgemm", note=None), mine=[{"a": 1}]),
    )
    with closing(sqlite3.connect(added)) as connection, connection:
        connection.execute(f"CREATE INDEX mine_too ON {KERNEL} (correlationId, start)")

    assert load_trace(plain).launches.names == load_trace(added).launches.names


def without(table: str) -> Tables:
    return {name: rows for name, rows in launched(kernel(10, 20)).items() if name != table}


def test_missing_tables_cost_only_what_they_hold(tmp_path: Path) -> None:
    """Without api rows a kernel has no host side, without names no name; both are still there."""
    bare = load_trace(write_export(tmp_path / "bare.sqlite", without(RUNTIME)))
    nameless = load_trace(write_export(tmp_path / "nameless.sqlite", without("StringIds")))

    assert bare.launches.api.tolist() == [-1]
    assert nameless.launches.names == ("(no name)",)
    assert [notice.slug for notice in nameless.notices] == ["nsys-without-names"]


def test_rows_without_a_process_form_one_of_their_own(tmp_path: Path) -> None:
    """Hand-made and very old files name no process: their ids still link."""
    tables = launched(kernel(10, 20, globalPid=None))
    tables = {**tables, RUNTIME: [api(1, 3, globalTid=None)]}
    trace = load_trace(write_export(tmp_path / "x.sqlite", tables))

    assert [process.pid for process in trace.processes] == [None]
    assert trace.launches.api.tolist() == [0]


def test_a_row_that_ends_before_it_starts_is_left_out_and_counted(tmp_path: Path) -> None:
    """A negative duration would take time from others."""
    path = write_export(tmp_path / "x.sqlite", launched(kernel(10, 20), kernel(30, 25)))
    trace = load_trace(path)

    assert trace.launches.dur_ns.tolist() == [10]
    assert [notice.slug for notice in trace.notices] == ["events-without-duration"]


def test_an_export_without_gpu_activity_gets_a_clear_answer(tmp_path: Path) -> None:
    """What recorded only the host says so, and how to record the GPU."""
    path = write_export(
        tmp_path / "x.sqlite", {NVTX: [push_pop(1, 3, "step")], "StringIds": strings("a", "b")}
    )
    error = error_of(path)

    assert error.slug == "no-gpu-activity"
    assert "nsys profile --trace=cuda" in error.hint


def test_of_repeated_api_rows_the_one_of_cuda_stays(tmp_path: Path) -> None:
    """With backtraces on, each call is there twice; where only the repetition is, it counts."""
    again: Record = {"eventClass": 67, "nameId": 1}
    rows: list[Record] = [api(0, 9, **again), api(1, 3), api(4, 6, **again, correlationId=2)]
    trace = load_trace(
        write_export(tmp_path / "x.sqlite", {**launched(kernel(10, 20)), RUNTIME: rows})
    )

    assert [trace.apis.names[name] for name in trace.apis.name_id] == ["cudaLaunchKernel", "sgemm"]
    assert trace.apis.start_ns[trace.launches.api].tolist() == [1]


def test_text_that_is_no_utf_8_is_readable_all_the_same(tmp_path: Path) -> None:
    """A broken byte costs a replacement character, not the file."""
    path = write_export(tmp_path / "x.sqlite", launched(kernel(10, 20)))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE StringIds SET value = CAST(x'73ff67' AS TEXT) WHERE id = 1")

    assert load_trace(path).launches.names == ("s�g",)


def test_global_ids_name_processes(tmp_path: Path) -> None:
    """Process ids are read out of global ids, whatever machine they are from."""
    far = (0xFE << 56) - (1 << 64) | 9 << 24
    kernels = [kernel(10, 20), kernel(30, 40, globalPid=far), kernel(50, 60, globalPid=gid(9))]
    trace = load_trace(write_export(tmp_path / "x.sqlite", launched(*kernels)))

    assert sorted(str(process.pid) for process in trace.processes) == ["7", "9", "9"]
    assert len(set(trace.launches.process.tolist())) == 3


def test_tables_are_closed_with_the_file(export: Path) -> None:
    """Nothing is left open behind a reader."""
    with opened(export) as tables:
        assert isinstance(tables, SqliteTables)
    with pytest.raises(sqlite3.ProgrammingError):
        tables.texts("StringIds", "value")
