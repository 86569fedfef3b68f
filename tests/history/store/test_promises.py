"""What docs/store.md promises, by file system; each test that its table names is there."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from history.store.made import Made
from kernelmap.errors import KernelmapError
from kernelmap.history.store.facts import RUN_TOML
from kernelmap.history.store.place import PARTIAL, RUNS, TAGS
from kernelmap.history.store.store import Store

ROOT = Path(__file__).resolve().parents[3]


def test_every_promise_has_its_test() -> None:
    """The table of docs/store.md names tests; all of them are in this folder, or beside it."""
    text = (ROOT / "docs" / "store.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", text))
    tests = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py")]
    there = {name for text in tests for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)}

    assert named
    assert named <= there


class Disk:
    """Hears what is forced onto the disk, and what gets its name before that."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.forced: dict[int, int] = {}
        self.too_early: list[str] = []
        fsync, rename, replace = os.fsync, Path.rename, Path.replace

        def hear(handle: int) -> None:
            status = os.fstat(handle)
            self.forced[status.st_ino] = status.st_mtime_ns
            fsync(handle)

        def move(path: Path, target: Path) -> Path:
            for moved in (path, *path.rglob("*")):
                self._require(moved)
            return rename(path, target)

        def put(path: Path, target: Path) -> Path:
            self._require(path)
            return replace(path, target)

        monkeypatch.setattr(os, "fsync", hear)
        monkeypatch.setattr(Path, "rename", move)
        monkeypatch.setattr(Path, "replace", put)

    def _require(self, path: Path) -> None:
        if not self.is_lasting(path):
            self.too_early.append(str(path))

    def is_lasting(self, path: Path) -> bool:
        """Whether all that a file or folder holds now was forced onto the disk."""
        status = path.stat()
        return self.forced.get(status.st_ino) == status.st_mtime_ns


def test_what_is_acknowledged_survives_a_power_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before a name is given its bytes are on the disk, and before an answer the names are."""
    disk = Disk(monkeypatch)
    root = tmp_path / "new" / "store"
    store = Store(root)
    run = store.record(Made())
    store.tag(run.id, {"a": "b"})
    kept = [root / RUNS / run.id, *(root / RUNS / run.id).iterdir(), *(root / TAGS).iterdir()]

    assert disk.too_early == []
    assert all(map(disk.is_lasting, kept))
    for folder in (root / RUNS, root / TAGS, root.parent, tmp_path):
        assert disk.is_lasting(folder), folder


def _refuse_folders(handle: int) -> None:
    if Path(f"/proc/self/fd/{handle}").is_dir():
        raise OSError(errno.EINVAL, "Invalid argument")


def test_a_network_folder_keeps_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that cannot force a folder onto its disk."""
    monkeypatch.setattr(os, "fsync", _refuse_folders)
    store = Store(tmp_path)
    run = store.record(Made())
    store.tag(run.id, {"a": "b"})

    assert store.check() == (1, ())
    assert dict(store.open(run.id).tags) == {"a": "b"}
    assert not [path for path in tmp_path.rglob(".*") if path.is_file()]


def test_a_rename_whose_answer_was_lost_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that is asked twice says the second time that there is nothing to rename."""
    rename: Callable[[Path, Path], Path] = Path.rename

    def ask_twice(path: Path, target: Path) -> Path:
        rename(path, target)
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", ask_twice)
    run = Store(tmp_path).record(Made())

    assert [stored.id for stored in Store(tmp_path).runs()] == [run.id]
    assert Store(tmp_path).check() == (1, ())


def test_a_store_that_may_only_be_read_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Questions write nothing; a writer gets an error, and what is there stays as it is."""
    store = Store(tmp_path)
    runs = [store.record(Made()).id for _ in range(3)]
    before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    for name in ("mkdir", "rename", "unlink", "replace"):
        monkeypatch.setattr(Path, name, refuse)
    monkeypatch.setattr("kernelmap.history.store.local.write_whole", refuse)
    monkeypatch.setattr(os, "access", lambda *_: False)
    for change in (
        lambda: store.record(Made()),
        lambda: store.tag(runs[0], {"a": "b"}),
        lambda: store.remove(runs[0]),
    ):
        with pytest.raises(KernelmapError, match="Read-only") as raised:
            change()
        assert raised.value.slug == "unwritable-output"

    assert [run.id for run in store.runs()] == sorted(runs)
    assert len(store.open(runs[1]).calls) > 0
    monkeypatch.undo()
    assert {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize("part", ["", RUN_TOML])
def test_a_run_that_cannot_be_read_is_named_and_passed_over(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If its folder or run.toml cannot be read, the others are listed; no hint is to remove it."""
    store = Store(tmp_path)
    first, second = (store.record(Made()).id for _ in range(2))
    closed = str(tmp_path / RUNS / first / part).rstrip("/")
    scandir, read_bytes = os.scandir, Path.read_bytes

    def scan(path: str) -> object:
        if path == closed:
            raise PermissionError(errno.EACCES, "Permission denied")
        return scandir(path)

    def read(path: Path) -> bytes:
        if str(path) == closed:
            raise PermissionError(errno.EACCES, "Permission denied")
        return read_bytes(path)

    monkeypatch.setattr(os, "scandir", scan)
    monkeypatch.setattr(Path, "read_bytes", read)
    listing = store.listing()
    (notice,) = listing.notices

    assert [run.id for run in listing.runs] == [second]
    assert first in notice.message
    assert "Permission denied" in notice.message
    assert "emove" not in str(notice.hint)
    assert store.open("latest").id == second
    assert store.check()[0] == 1


@pytest.mark.parametrize("damage", [b"", b"not toml", b"flip", b"other"])
def test_a_damaged_run_toml_is_no_reason_to_remove_a_run(damage: bytes, tmp_path: Path) -> None:
    """Its tables are whole: the hint says how to have the run back."""
    store = Store(tmp_path)
    first, second = (store.record(Made()).id for _ in range(2))
    path = tmp_path / RUNS / first / RUN_TOML
    whole = path.read_bytes()
    other = (tmp_path / RUNS / second / RUN_TOML).read_bytes()
    path.write_bytes(
        {b"flip": whole.replace(b"version", b"wersion"), b"other": other}.get(damage, damage)
    )
    (notice,) = store.listing().notices
    with pytest.raises(KernelmapError) as raised:
        store.open(first)

    for hint in (notice.hint, raised.value.hint):
        assert hint is not None
        assert "emove" not in hint
        assert "copy" in hint
    path.write_bytes(whole)
    assert store.check() == (2, ())


@pytest.mark.parametrize("kind", ["link", "broken", "file", "links inside"])
def test_prune_takes_a_link_and_not_what_it_leads_to(kind: str, tmp_path: Path) -> None:
    """A link or file under a run's id in partial/ goes alone; other leftovers go with content."""
    store = Store(tmp_path / "store")
    run = store.record(Made()).id
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "thesis").write_text("years of work")
    partial = tmp_path / "store" / PARTIAL
    left = partial / "20200101-000000-000000-00000001"
    if kind == "link":
        left.symlink_to(elsewhere)
    elif kind == "broken":
        left.symlink_to(tmp_path / "nowhere")
    elif kind == "file":
        left.write_text("?")
    else:
        left.mkdir()
        (left / "link").symlink_to(elsewhere)
    (partial / "20200101-000000-000000-00000002").mkdir()

    assert len(store.prune(older_than=timedelta(hours=1))) == 2
    assert list(partial.iterdir()) == []
    assert (elsewhere / "thesis").read_text() == "years of work"
    assert [stored.id for stored in store.runs()] == [run]


def test_a_run_that_is_a_link_is_removed_as_one(tmp_path: Path) -> None:
    """Somebody moved a run to another disk: the link goes, what it led to stays."""
    store = Store(tmp_path / "store")
    run = store.record(Made()).id
    place = tmp_path / "store" / RUNS / run
    place.rename(tmp_path / "moved")
    place.symlink_to(tmp_path / "moved")

    assert [stored.id for stored in store.runs()] == [run]
    store.remove(run)
    assert store.runs() == ()
    assert (tmp_path / "moved" / RUN_TOML).is_file()
