"""Files appear whole or not at all: whatever ends a writer, whoever else writes."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

from kernelmap.whole_files import Draw, uninterrupted, write_whole, write_whole_folder

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("a", "b", "c")
FAILURES = (OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt(), SystemExit(143))
Write = Callable[[Path, dict[str, Draw]], None]


@pytest.fixture(autouse=True, params=["nameless", "named", "unlinked"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Systems with files without names, without them, and without second names for a file."""
    if request.param != "nameless":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    if request.param == "unlinked":
        monkeypatch.setattr(os, "link", refuse)
    return str(request.param)


def refuse(*_: object, **__: object) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")


def text(content: str) -> Draw:
    return lambda handle: put(handle, content)


def put(handle: BinaryIO, content: str) -> None:
    handle.write(content.encode())


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


def old(folder: Path) -> None:
    """Some of what will be written is there already, and something else."""
    into_files(folder, {"a": text("old a"), "b": text("old b"), "mine": text("mine")})
    into_folder(folder, {"b": text("old b"), "mine": text("mine")})


@pytest.mark.parametrize("write", [into_files, into_folder])
@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.parametrize("failure", FAILURES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("at", range(len(NAMES)))
def test_a_draw_that_fails_changes_nothing(
    write: Write, is_new: bool, failure: BaseException, at: int, tmp_path: Path
) -> None:
    """However many files were drawn by then, and whatever stood there."""
    if not is_new:
        old(tmp_path)
    before = held(tmp_path)

    def fail(handle: BinaryIO) -> None:
        put(handle, "half")
        raise failure

    with pytest.raises(type(failure)):
        write(tmp_path, {name: fail if n == at else text("new") for n, name in enumerate(NAMES)})
    assert held(tmp_path) == before


@pytest.mark.parametrize("write", [into_files, into_folder])
@pytest.mark.parametrize("at", range(len(NAMES)))
def test_a_name_that_cannot_be_given_changes_nothing(
    write: Write, at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files before it are as they were again."""
    old(tmp_path)
    before = held(tmp_path)
    replace, left = Path.replace, [at]

    def fail(path: Path, target: Path) -> Path:
        if path.suffix == ".tmp":
            left[0] -= 1
            if left[0] == -1:
                raise OSError(errno.ENOSPC, "No space left")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        write(tmp_path, {name: text("new") for name in NAMES})
    assert held(tmp_path) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_between_two_names_waits_for_the_rest(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder never holds some tables of one result and some of another."""
    old(tmp_path)
    replace = Path.replace

    def interrupted(path: Path, target: Path) -> Path:
        signal.raise_signal(number)
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    with raising(number), pytest.raises(KeyboardInterrupt):
        into_files(tmp_path, {name: text("new") for name in NAMES})
    assert {name: (tmp_path / name).read_text() for name in NAMES} == dict.fromkeys(NAMES, "new")
    assert not list(tmp_path.rglob(".*"))


@contextmanager
def raising(number: int) -> Iterator[None]:
    """Have a signal raise KeyboardInterrupt, also where we were started to ignore it."""
    before = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(number, before)


def test_what_is_ignored_stays_ignored() -> None:
    """A signal that does nothing outside does nothing inside."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with uninterrupted():
            signal.raise_signal(signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_name_that_another_one_has_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what was made here is deleted, even where chance gives the same name twice."""
    monkeypatch.setattr(os, "urandom", bytes)  # nothing but zeros
    other = tmp_path / f".kernelmap-{'0' * 16}.tmp"
    other.write_text("somebody else's")

    with pytest.raises(FileExistsError):
        write_whole({tmp_path / "a": text("new")})
    assert held(tmp_path) == {other.name: b"somebody else's"}


def test_a_folder_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    """Nor are the files beside it, then."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "thesis").write_text("years of work")
    before = held(tmp_path)

    with pytest.raises(IsADirectoryError):
        into_files(tmp_path, {name: text("new") for name in NAMES})
    assert held(tmp_path) == before


def test_a_file_without_a_name_is_given_one(
    tmp_path: Path, system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the system can do that, nothing is written a second time."""
    if system != "nameless" or not Path("/proc/self/fd").exists():
        pytest.skip("this system knows no files without names, or gives them none")
    copied: list[object] = []
    monkeypatch.setattr(shutil, "copyfileobj", lambda *given: copied.append(given))
    write_whole({tmp_path / "a": text("new")})

    assert copied == []
    assert (tmp_path / "a").read_text() == "new"


def test_nothing_to_write_writes_nothing(tmp_path: Path) -> None:
    """A result without files is no error."""
    into_files(tmp_path, {})

    assert held(tmp_path) == {}


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
        put(handle, "slow")

    into_folder(tmp_path, {"a": slow, "b": text("slow")})

    assert held(tmp_path / "tables") == {"a": b"slow", "b": b"slow", "c": b"fast"}
    assert list(tmp_path.iterdir()) == [tmp_path / "tables"]


PROGRAM = """
import os, sys
from pathlib import Path
from kernelmap.whole_files import write_whole

def refuse(*_, **__): raise OSError(1, "Operation not permitted")

os.getpid = lambda: 7
name, system = sys.argv[1:]
if system != "nameless": vars(os).pop("O_TMPFILE", None)
if system == "unlinked": os.link = refuse
for _ in range(40):
    write_whole({Path(path): lambda handle: handle.writelines([name.encode()] * 5000)
                 for path in ("both", name)})
"""


def test_two_writers_with_one_process_id_never_meet(tmp_path: Path, system: str) -> None:
    """Each file is complete and of one writer, also the one that both write."""
    writers = [
        subprocess.Popen(  # noqa: S603 -- our own code
            [sys.executable, "-c", PROGRAM, name, system],
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
