"""One row over all runs, and the index that makes it fast and must never matter otherwise."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from history.store.made import Made, with_op
from kernelmap.errors import UsageError
from kernelmap.history.store import index
from kernelmap.history.store.place import Place
from kernelmap.history.store.store import Store
from pages.hand_tables import make_tables

pytestmark = pytest.mark.sampled


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is written from three runs on, by readers; rows are held in small parts."""
    monkeypatch.setattr("kernelmap.history.store.store.is_one_in", lambda *_: False)
    monkeypatch.setattr(index, "WORTH_IT", 3)
    monkeypatch.setattr(index, "_ROWS", 2)


def times(store: Store, name: str = "aten.mm") -> list[int]:
    return [int(time_ns) for time_ns in store.history("ops", {"name": name})["time_ns"]]


def index_files(store: Store, table: str = "ops") -> list[str]:
    return [name for name in store.place.files("index") if name.startswith(f"{table}-")]


def files_read(monkeypatch: pytest.MonkeyPatch, store: Store) -> list[str]:
    """The paths that are read from now on, but for those of the index."""
    paths: list[str] = []
    read = type(store.place).read

    def listen(place: Place, path: str) -> bytes:
        if not path.startswith("index/"):
            paths.append(path)
        return read(place, path)

    monkeypatch.setattr(type(store.place), "read", listen)
    return paths


def recorded(store: Store, *numbers: int) -> None:
    for number in numbers:
        branch = "main" if number % 2 else "topic"
        store.record(with_op("aten.mm", number), branch=branch, name=f"run {number}")


def test_an_op_is_followed_through_all_runs(url: str) -> None:
    """One row per run that has it, oldest first, whether the index has the run or not."""
    store = Store(url)
    recorded(store, 1, 2)
    assert (times(store), index_files(store)) == ([1, 2], [])

    recorded(store, 3, 4)
    assert times(store) == [1, 2, 3, 4]
    assert len(index_files(store)) == 1

    recorded(store, 5)
    assert times(store) == [1, 2, 3, 4, 5]
    assert times(store, "aten.relu") == []


def test_a_history_says_whose_it_is(url: str) -> None:
    """Columns of the run stand in front; those that the table has as well are told apart."""
    store = Store(url)
    recorded(store, 1, 2)
    frame = store.history("ops", {"name": "aten.mm"}, branch="main")

    assert frame[["run_name", "branch", "name", "time_ns"]].to_numpy().tolist() == [
        ["run 1", "main", "aten.mm", 1]
    ]
    assert str(frame["time_ns"].dtype) == "int64"


def test_the_index_grows_with_the_store(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stays one file, and of runs that it covers neither tables nor manifests are opened."""
    store = Store(url)
    for start in range(0, 12, 3):
        recorded(store, *range(start, start + 3))
        assert times(store) == list(range(start + 3))
    paths = files_read(monkeypatch, store)

    assert (times(store), paths) == (list(range(12)), [])
    assert len(index_files(store)) == 1


def test_of_two_who_write_the_index_at_once_no_run_is_lost_or_counted_twice(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of the later one stands, which may know of fewer runs."""
    store = Store(url)
    recorded(store, 1, 2, 3)
    write = type(store.place).write
    others = [4, 5, 6]

    def meet(place: Place, path: str, content: bytes) -> None:
        if path.startswith("index/ops") and others:
            recorded(Store(url), *(others.pop(0) for _ in range(3)))
            assert times(Store(url)) == [1, 2, 3, 4, 5, 6]
        write(place, path, content)

    monkeypatch.setattr(type(store.place), "write", meet)

    assert times(store) == [1, 2, 3]
    assert not others
    assert times(store) == [1, 2, 3, 4, 5, 6]
    assert times(store) == [1, 2, 3, 4, 5, 6]


def test_the_index_is_only_a_cache(url: str) -> None:
    """Without it answers are the same, and what older versions wrote there is in nobody's way."""
    store = Store(url)
    recorded(store, 1, 2, 3, 4)
    assert times(store) == [1, 2, 3, 4]
    assert [run.facts.name for run in store.runs()] == [f"run {n}" for n in (1, 2, 3, 4)]
    for name in store.place.files("index"):
        store.place.delete(f"index/{name}")
    store.place.write("index/ops/616c28ea-20261127-135926-663835-74da0428-5ad9.parquet", b"PAR1")

    assert times(store) == [1, 2, 3, 4]
    assert len(store.runs()) == 4


def test_a_damaged_index_is_not_believed(tmp_path: Path) -> None:
    """One flipped bit anywhere, or a part that is missing, and the runs are read again."""
    store = Store(tmp_path)
    recorded(store, 1, 2, 3)
    assert times(store) == [1, 2, 3]
    (name,) = index_files(store)
    file = tmp_path / "index" / name
    whole = file.read_bytes()
    for place in range(0, len(whole), len(whole) // 30):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert times(store) == [1, 2, 3]
        file.write_bytes(whole[:place])
        assert times(store) == [1, 2, 3]
    file.write_bytes(sha256(b"no Parquet").digest() + b"no Parquet")
    assert times(store) == [1, 2, 3]


def test_removed_runs_leave_the_history(url: str) -> None:
    """The index's rows of a run that is gone are passed over, also when it is made anew."""
    store = Store(url)
    recorded(store, 1, 2, 3)
    assert times(store) == [1, 2, 3]
    store.remove("latest~1")
    assert times(store) == [1, 3]

    recorded(store, 4, 5, 6)
    assert times(store) == [1, 3, 4, 5, 6]


def test_a_damaged_run_is_left_out_and_the_others_stay(url: str) -> None:
    """What was verified is in the history, what cannot be is not."""
    store = Store(url)
    recorded(store, 1, 2, 3)
    hurt = store.runs()[1].id
    content = bytearray(store.place.read(f"runs/{hurt}/ops.parquet"))
    content[100] ^= 1
    store.place.write(f"runs/{hurt}/ops.parquet", bytes(content))

    assert times(store) == [1, 3]
    assert store.history("ops", {}).attrs["left_out"] == (hurt,)


def test_recorders_keep_the_index(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One recorder in so many writes the index, so the first question finds it there."""
    store = Store(url)
    recorded(store, 1, 2)
    monkeypatch.setattr("kernelmap.history.store.store.is_one_in", lambda *_: True)
    recorded(store, 3)
    folders = ("facts", "ops", "calls", "lines", "graphs")
    written = {folder: index_files(store, folder) for folder in folders}

    assert all(len(names) == 1 for names in written.values()), written
    assert times(store) == [1, 2, 3]
    assert {folder: index_files(store, folder) for folder in folders} == written


def test_a_recorder_that_cannot_write_the_index_has_recorded(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index is a cache: the run is there, and nothing is said of the rest."""
    store = Store(url)
    recorded(store, 1, 2)
    monkeypatch.setattr("kernelmap.history.store.store.is_one_in", lambda *_: True)

    write = type(store.place).write

    def refuse(place: Place, path: str, content: bytes) -> None:
        if path.startswith("index/"):
            raise OSError(28, "No space left on device")
        write(place, path, content)

    monkeypatch.setattr(type(store.place), "write", refuse)
    recorded(store, 3)

    assert len(store.runs()) == 3


def test_the_question_of_a_branch_leaves_the_others_in_the_index(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one branch is asked is indexed for all: no run is read for the next question."""
    store = Store(url)
    recorded(store, 1, 2, 3, 4)
    assert times(store) == [1, 2, 3, 4]
    recorded(store, 5, 6, 7)
    assert len(store.history("ops", {"name": "aten.mm"}, branch="main")) == 4
    paths = files_read(monkeypatch, store)

    assert (times(store), paths) == ([1, 2, 3, 4, 5, 6, 7], [])


def test_a_store_that_may_only_be_read_answers(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no index can be written, runs are read each time and nothing is said of it."""
    store = Store(url)
    recorded(store, 1, 2, 3, 4)

    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(type(store.place), "write", refuse)
    assert (times(store), len(store.runs())) == ([1, 2, 3, 4], 4)

    monkeypatch.setattr(type(store.place), "is_writable", lambda _: False)
    assert (times(store), len(store.runs())) == ([1, 2, 3, 4], 4)
    assert store.place.files("index") == {}


def test_runs_of_the_same_code_are_of_one_structure(url: str) -> None:
    """Whether the index has them or not, and in whatever order their calls stand."""
    store = Store(url)
    tables = make_tables()
    calls = tables.frames["calls"]
    other = calls.assign(config=calls["wrapper"])
    for frame in (calls, other, calls[::-1].reset_index(drop=True), calls):
        store.record(Made(content=replace(tables, frames={**tables.frames, "calls": frame})))
    of_index = list(store.structures().values())
    assert len(index_files(store, "calls")) == 1
    for name in store.place.files("index"):
        store.place.delete(f"index/{name}")
    store.remove("latest~1")
    store.remove("latest~1")
    of_runs = list(store.structures().values())

    assert [number == of_index[0] for number in of_index] == [True, False, True, True]
    assert of_runs == [of_index[0], of_index[0]]
    assert index_files(store, "calls") == []


def test_null_is_looked_for_as_none(url: str) -> None:
    """The rest row of the calls, whose `call` is null, has a history as well."""
    store = Store(url)
    recorded(store, 1)

    assert store.history("calls", {"call": None})["wrapper"].tolist() == ["(ambiguous)"]


@pytest.mark.parametrize("table", ["launches", "runs", ""])
def test_tables_without_a_history_are_said(table: str, tmp_path: Path) -> None:
    """What grows with the trace is not kept in the index."""
    recorded(Store(tmp_path), 1)

    with pytest.raises(UsageError, match="no history"):
        Store(tmp_path).history(table, {})


@pytest.mark.parametrize("column", ["ops", 'name" OR 1=1 --', ""])
def test_columns_to_look_for_are_those_of_the_table(column: str, tmp_path: Path) -> None:
    """Lists and whatever is no column are refused before any query is written."""
    recorded(Store(tmp_path), 1)

    with pytest.raises(UsageError) as caught:
        Store(tmp_path).history("calls", {column: "x"})
    assert caught.value.slug == "unknown-column"


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        *(("time_ns", 2, 1), ("time_ns", "2", 1), ("time_ns", "many", 0), ("time_ns", 1 << 70, 0)),
        *(("name", 7, 0), ("name", "\udcff", 0)),
    ],
)
def test_a_value_of_another_type_is_what_it_says(
    column: str, value: str | int, expected: int, tmp_path: Path
) -> None:
    """A number as a text is the number; what cannot stand in a column is in no row."""
    store = Store(tmp_path)
    recorded(store, 1, 2)

    assert len(store.history("ops", {column: value})) == expected
