"""Files that appear whole or not at all, whoever else writes to the same places.

A file has no name, or a hidden one where the system knows no files without names, until it is on
the disk. The old file, or none, stands there until then, whatever ends the writer: a signal, a full
disk, an error. Only what this writer began is taken away: names are random, so two writers with one
process id never meet. Manifests are written as TOML, where a missing key says that something is not
known.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import BinaryIO

Draw = Callable[[BinaryIO], None]
HIDDEN = ".kernelmap-"
"""How the names of files and folders begin that are no result yet, or no more."""
_TO_END = ("SIGINT", "SIGTERM", "SIGHUP")


def beside(target: Path, end: str = ".tmp") -> Path:
    """A new hidden name in the folder of `target`, which nobody else chooses."""
    return target.with_name(f"{HIDDEN}{os.urandom(8).hex()}{end}")


def write_whole(draws: Mapping[Path, Draw]) -> None:
    """Draw every file; when all are on the disk, give them their names: all of them or none.

    A target that is a link is replaced by the file. Raises OSError, and whatever a draw raises.
    """
    for target in draws:
        if target.is_dir() and not target.is_symlink():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    drawn: dict[Path, Path] = {}
    try:
        for target, draw in draws.items():
            _draw(target, draw, drawn)
        if len(drawn) == 1:
            ((target, half),) = drawn.items()
            half.replace(target)
        elif drawn:
            with _alone_in(next(iter(drawn)).parent), uninterrupted():
                _rename_all(drawn)
    except BaseException:
        for half in drawn.values():
            half.unlink(missing_ok=True)
        raise


def write_whole_folder(folder: Path, draws: Mapping[str, Draw]) -> None:
    """Draw files into `folder`, by name: a new one appears whole, one that is there keeps the rest.

    Raises OSError, and whatever a draw raises.
    """
    if os.path.lexists(folder):
        write_whole({folder / name: draw for name, draw in draws.items()})
        return
    half = beside(folder)
    try:
        half.mkdir()
        write_whole({half / name: draw for name, draw in draws.items()})
        try:
            half.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
            with _alone_in(folder), uninterrupted():  # another writer made it in the meantime
                _rename_all({folder / name: half / name for name in draws})
    finally:
        shutil.rmtree(half, ignore_errors=True)


def write_whole_text(target: Path, text: str) -> None:
    """Write one text; what UTF-8 cannot hold becomes escapes. Raises OSError."""
    write_whole({target: lambda handle: _put(handle, text)})


def toml_text(values: Mapping[str, object]) -> str:
    """`values` as TOML; None is left out, halves of surrogate pairs become question marks."""
    import tomli_w  # only manifests need it

    return tomli_w.dumps(
        {key: _storable(value) for key, value in values.items() if value is not None}
    )


def _storable(value: object) -> object:
    if isinstance(value, Mapping):
        return {_storable(key): _storable(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_storable(item) for item in value]
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _put(handle: BinaryIO, text: str) -> None:
    handle.write(text.encode("utf-8", "backslashreplace"))


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Do a few renames to the end before SIGINT, SIGTERM or SIGHUP end us; no time for more."""
    if threading.current_thread() is not threading.main_thread():
        yield  # handlers run in the main thread alone
        return
    came: list[int] = []

    def remember(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    before = {
        number: handler
        for number in signal.Signals
        if number.name in _TO_END
        and (handler := signal.getsignal(number)) not in (signal.SIG_IGN, None)  # None: C's own
    }
    for number in before:
        signal.signal(number, remember)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for first in came[:1]:
            signal.raise_signal(first)


def _draw(target: Path, draw: Draw, drawn: dict[Path, Path]) -> None:
    """Draw a file beside `target`, force it onto the disk, and put its name into `drawn`.

    A name is given and written down in one step, so that whoever ends us takes it away.
    """
    half = beside(target)
    handle = _nameless(target.parent)
    if handle is None:
        with _new(target, half, drawn) as named:
            draw(named)
            _sync(named)
        return
    with handle:
        draw(handle)
        _sync(handle)
        number = handle.fileno()
        with suppress(OSError), uninterrupted():
            # The folder plays no part beside a whole path, but without one Python before 3.15
            # calls link(), which gives a name to the link in /proc itself, and that is refused.
            os.link(f"/proc/self/fd/{number}", half, src_dir_fd=number, follow_symlinks=True)
            drawn[target] = half
            return
        # It cannot be given a name: where /proc is missing, say, or the name is somebody else's.
        with _new(target, half, drawn) as copy, os.fdopen(os.dup(handle.fileno()), "rb") as source:
            source.seek(0)
            shutil.copyfileobj(source, copy)
            _sync(copy)


def _nameless(folder: Path) -> BinaryIO | None:
    """A new file in `folder` that is gone when its writer is killed; None where there are none."""
    if not hasattr(os, "O_TMPFILE"):
        return None
    try:
        return os.fdopen(os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666), "wb")
    except OSError:  # systems without such files say so in many ways; other reasons show below
        return None


def _new(target: Path, half: Path, drawn: dict[Path, Path]) -> BinaryIO:
    with uninterrupted():
        handle = half.open("xb")
        drawn[target] = half
    return handle


def _sync(handle: BinaryIO) -> None:
    handle.flush()
    os.fsync(handle.fileno())  # a name must never outlive its bytes


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Have other writers of several files wait, so that those of a folder are of one of them."""
    handle = None
    try:
        with suppress(ImportError, OSError):  # not on Windows, and not in every network folder
            import fcntl

            handle = os.open(folder, os.O_RDONLY)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _rename_all(drawn: Mapping[Path, Path]) -> None:
    """Give the files their names; where one cannot have it, all places are as they were."""
    kept: dict[Path, Path] = {}
    new: list[Path] = []
    try:
        for target, half in drawn.items():
            if os.path.lexists(target):
                kept[target] = beside(target, ".old")
                _keep(target, kept[target])
            half.replace(target)
            new.append(target)
    except BaseException:
        for target in new:
            if target not in kept:
                target.unlink(missing_ok=True)
        for target, old in kept.items():
            if os.path.lexists(old):
                old.replace(target)
        raise
    finally:
        for old in kept.values():
            old.unlink(missing_ok=True)


def _keep(target: Path, old: Path) -> None:
    """Give what stands at `target` a second name, or where there are none, another one."""
    try:
        os.link(target, old, follow_symlinks=False)
    except OSError:
        target.rename(old)
