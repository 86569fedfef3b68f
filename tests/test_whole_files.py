"""Files appear whole or not at all: whatever ends a writer, whoever else writes."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from kernelmap.whole_files import Draw, put_in_place, write_whole, write_whole_folder

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("a", "b", "c")
FAILURES = (OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt(), SystemExit(143))
Write = Callable[[Path, dict[str, Draw]], None]


def text(content: str) -> Draw:
    return lambda handle: handle.writelines([content.encode()])


def held(folder: Path) -> dict[str, bytes | None]:
    """All that lies in a folder, with what it holds."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def into_folder(folder: Path, draws: dict[str, Draw]) -> None:
    write_whole_folder(folder / "tables", draws)


def into_files(folder: Path, draws: dict[str, Draw]) -> None:
    write_whole({folder / name: draw for name, draw in draws.items()})


@pytest.mark.parametrize("write", [into_files, into_folder])
@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.parametrize("failure", FAILURES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("at", range(len(NAMES)))
def test_a_draw_that_fails_changes_nothing(
    write: Write, is_new: bool, failure: BaseException, at: int, tmp_path: Path
) -> None:
    """However many files were drawn by then, and whatever stood there."""
    if not is_new:
        write(tmp_path, {"a": text("old a"), "b": text("old b"), "mine": text("mine")})
    before = held(tmp_path)

    def fail(handle: BinaryIO) -> None:
        handle.write(b"half")
        raise failure

    with pytest.raises(type(failure)):
        write(tmp_path, {name: fail if n == at else text("new") for n, name in enumerate(NAMES)})
    assert held(tmp_path) == before


def test_what_is_written_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    """Files of other names stay; a link is replaced, and what it led to stays as it is."""
    (tmp_path / "elsewhere").write_text("years of work")
    (tmp_path / "b").symlink_to(tmp_path / "elsewhere")
    into_files(tmp_path, {"a": text("old"), "mine": text("mine")})
    into_files(tmp_path, {name: text(f"new {name}") for name in NAMES})

    assert held(tmp_path) == {
        **{name: f"new {name}".encode() for name in NAMES},
        "mine": b"mine",
        "elsewhere": b"years of work",
    }
    assert not (tmp_path / "b").is_symlink()


def test_a_name_is_given_when_the_bytes_are_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power failure after that leaves no empty file under the name."""
    forced: list[int] = []
    fsync, replace = os.fsync, Path.replace

    def hear(handle: int) -> None:
        forced.append(os.fstat(handle).st_ino)
        fsync(handle)

    def give(path: Path, target: Path) -> Path:
        assert path.stat().st_ino in forced
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", hear)
    monkeypatch.setattr(Path, "replace", give)
    into_files(tmp_path, {name: text("new") for name in NAMES})

    assert len(forced) == len(NAMES)


def test_a_folder_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    """Nor are the files beside it, then."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "thesis").write_text("years of work")
    before = held(tmp_path)

    with pytest.raises(IsADirectoryError):
        into_files(tmp_path, {name: text("new") for name in NAMES})
    assert held(tmp_path) == before


def test_files_get_the_rights_that_new_files_get(tmp_path: Path) -> None:
    """As many as the user's mask leaves."""
    before = os.umask(0o027)
    try:
        write_whole({tmp_path / "a": text("new")})
    finally:
        os.umask(before)

    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_a_folder_that_another_writer_made_meanwhile_is_filled(tmp_path: Path) -> None:
    """Both writers' files are whole; what only one wrote stays."""

    def slow(handle: BinaryIO) -> None:
        into_folder(tmp_path, {"a": text("fast"), "c": text("fast")})
        handle.write(b"slow")

    into_folder(tmp_path, {"a": slow, "b": text("slow")})

    assert held(tmp_path / "tables") == {"a": b"slow", "b": b"slow", "c": b"fast"}
    assert list(tmp_path.iterdir()) == [tmp_path / "tables"]


def test_a_folder_that_cannot_be_put_in_place_leaves_the_old_one(tmp_path: Path) -> None:
    """It has its name again, with all that is in it."""
    folder = tmp_path / "folder"
    into_files(tmp_path, {"thesis": text("years of work")})
    folder.mkdir()
    (tmp_path / "thesis").rename(folder / "thesis")
    before = held(tmp_path)

    with pytest.raises(FileNotFoundError):
        put_in_place(tmp_path / "nothing", folder, tmp_path / "old")
    assert held(tmp_path) == before


PROGRAM = """
import os, sys
from pathlib import Path
from kernelmap.whole_files import write_whole

os.getpid = lambda: 7
for _ in range(40):
    write_whole({Path(path): lambda handle: handle.writelines([sys.argv[1].encode()] * 5000)
                 for path in ("both", sys.argv[1])})
"""


def test_two_writers_with_one_process_id_never_meet(tmp_path: Path) -> None:
    """Each file is complete and of one writer, also the one that both write."""
    writers = [
        subprocess.Popen(  # noqa: S603 -- our own code
            [sys.executable, "-c", PROGRAM, name],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for name in ("x", "y")
    ]

    assert [writer.wait() for writer in writers] == [0, 0]
    contents = held(tmp_path)
    assert contents.keys() == {"both", "x", "y"}
    assert contents["x"] == b"x" * 5000
    assert contents["y"] == b"y" * 5000
    assert contents["both"] in (b"x" * 5000, b"y" * 5000)
