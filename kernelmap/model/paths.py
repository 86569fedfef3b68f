"""Opens input files, and nothing else does: regular files only, up to the limits on their size.

Opening a pipe or a device may wait for ever, and reading one may never end, so only regular files
and folders are inputs; they may be links.

What one input may ask of memory has a limit, and every limit stands here with what it holds back:
a small file can ask for much, as packed text of one letter or a table that claims millions of rows.
A limit makes that an error before the memory is taken. Honest input stays far below; where it does
not, the environment variable KERNELMAP_LIMITS lifts all limits: a number multiplies them (4; 0.5
lowers them), `off` takes them away. Left out: what a file that is as large as it looks takes, which
grows with its size.
"""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BufferedReader
from os import PathLike
from pathlib import Path

from msgspec import Struct

from kernelmap.errors import KernelmapError, TooLargeError, UsageError, unreadable

Source = str | PathLike[str]
"""A path as a user names it."""

VARIABLE = "KERNELMAP_LIMITS"
_OFF = "off"
_MIB = 1 << 20
_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class Limit(Struct, frozen=True, kw_only=True):
    """At most `most` of `unit`; `of` says of what, to follow a number and the unit."""

    name: str
    most: int
    unit: str
    of: str

    def current(self) -> int | None:
        """The limit as the environment sets it, None for no limit. Raises UsageError."""
        times = _limit_factor(os.environ)
        return None if math.isinf(times) else int(self.most * times)

    def is_exceeded(self, amount: int) -> bool:
        """Whether `amount` is more than may be."""
        most = self.current()
        return most is not None and amount > most

    def make_error(self, path: PathLike[str] | str) -> KernelmapError:
        """What to say of the input at `path`, which goes beyond."""
        return TooLargeError(self.reason).of(path)

    def check_amount(self, amount: int, path: PathLike[str] | str) -> None:
        """Raise KernelmapError where `amount` is more than may be."""
        if self.is_exceeded(amount):
            raise self.make_error(path)

    @property
    def reason(self) -> str:
        """The limit in words, as an error says it."""
        return f"it goes beyond {self.current():,} {self.unit} {self.of}"


FILE = Limit(
    name="file",
    most=128 * _MIB,
    unit="bytes",
    of="of a file that is read as a whole (code, C++, JSON beside code, locks, settings)",
)
RESULT = Limit(
    name="result",
    most=1024 * _MIB,
    unit="bytes",
    of="of a saved result",
)
ROWS = Limit(
    name="rows",
    most=2_000_000,
    unit="rows",
    of="that a table of sums becomes; of more launches a row stands for several",
)
UNPACKED = Limit(
    name="unpacked",
    most=256 * _MIB,
    unit="bytes",
    of="unpacked, with more than 200 bytes for each packed one",
)
SIGNS = Limit(
    name="signs",
    most=1_000_000,
    unit="signs",
    of="(brackets, commas, operators, lines) of one text of Python, outside of long texts in it",
)
TOKENS = Limit(
    name="tokens",
    most=3_000_000,
    unit="tokens",
    of="(names, numbers, signs) of one text of C++",
)
MEMBERS = Limit(
    name="members",
    most=100_000,
    unit="members",
    of="of a package",
)
MEMBER = Limit(
    name="member",
    most=64 * _MIB,
    unit="bytes",
    of="of one member of a package; more is left out, with a notice",
)
PACKAGE = Limit(
    name="package",
    most=512 * _MIB,
    unit="bytes",
    of="of all members of a package that are read; more is left out, with a notice",
)
SNAPSHOT = Limit(
    name="snapshot",
    most=1024 * _MIB,
    unit="bytes",
    of="of a memory snapshot, unpacked",
)
VALUES = Limit(
    name="values",
    most=30_000_000,
    unit="values",
    of="(numbers, texts, dicts, lists) of a memory snapshot",
)
LIMITS = (
    *(FILE, RESULT, SIGNS, TOKENS, ROWS, UNPACKED),
    *(MEMBERS, MEMBER, PACKAGE, SNAPSHOT, VALUES),
)
"""All limits, as docs/limits.md lists them."""

RATIO = 200
"""Bytes that one packed byte of honest input becomes at most: traces have 10 to 60 of them."""


def unpacked_too_far(packed: int, unpacked: int) -> bool:
    """Whether so many packed bytes gave more than any honest input has in them."""
    return unpacked > RATIO * packed and UNPACKED.is_exceeded(unpacked)


def _limit_factor(environment: Mapping[str, str]) -> float:
    """What all limits are multiplied with."""
    text = environment.get(VARIABLE, "").strip()
    if not text:
        return 1.0
    if text == _OFF:
        return math.inf
    try:
        times = float(text)
    except ValueError:
        times = 0.0
    if not 0 < times < math.inf:
        raise UsageError(
            "wrong-limits",
            f"{VARIABLE} is {text!r}, which is no positive number and not {_OFF!r}",
            f"Set it to 4 to allow four times as much, or to {_OFF} for input that you trust.",
        )
    return times


_only_inside: list[tuple[Path, ...]] = []
"""Folders that inputs have to lie in, while there are any; those asked for last count.

One list for all threads: a reader may read in threads of its own.
"""


@contextmanager
def reading_only(folders: Sequence[Path]) -> Iterator[None]:
    """Open nothing outside of `folders`, whatever an input names and wherever links lead.

    No other program is started to read an input either.
    """
    _only_inside.append(tuple(folder.resolve() for folder in folders))
    try:
        yield
    finally:
        _only_inside.pop()


def is_confined() -> bool:
    """Whether only some folders may be read, and no program started."""
    return bool(_only_inside)


def require_inside(path: Path) -> None:
    """Raise OSError where only some folders may be read, and `path` leads out of them."""
    if not _only_inside:
        return
    real = path.resolve()
    if not any(real.is_relative_to(folder) for folder in _only_inside[-1]):
        raise OSError("it lies outside of the folders that may be read")


def require_readable(path: Path) -> None:
    """Raise KernelmapError unless `path` is a folder or a regular file that may be opened."""
    try:
        require_inside(path)
        mode = path.stat().st_mode
        # Opening shows whether permissions allow it. Content is not read yet.
        if stat.S_ISDIR(mode):
            os.scandir(path).close()
            return
        if stat.S_ISREG(mode):
            path.open("rb").close()
            return
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        raise unreadable(path, error) from error
    raise unreadable(
        path, f"it is {_kind_of_file(mode)}", "Write its content to a file and give that."
    )


def open_file(path: Path) -> BufferedReader:
    """The file at `path`. Raises OSError, also for what is no regular file: it is never opened."""
    require_inside(path)
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # the system has its words for folders
        raise OSError(f"it is {_kind_of_file(mode)}")
    return path.open("rb")


def read_bytes(path: Path, limit: Limit = FILE) -> bytes:
    """All of the file at `path`. Raises OSError, TooLargeError where it goes beyond `limit`."""
    most = limit.current()
    with open_file(path) as file:
        if most is None:
            return file.read()
        # One byte more than the file states is asked for: it shows a file that grows or states no
        # size, and one that goes beyond the limit, without reading all of it.
        size = os.fstat(file.fileno()).st_size
        data = file.read(min(size, most) + 1)
        if size < len(data) <= most:  # it grows, or states no size
            data += file.read(most - len(data) + 1)
        if len(data) > most:
            raise TooLargeError(limit.reason)
        return data


def is_regular(path: Path) -> bool:
    """Whether `path` leads to a regular file; False where that is unknown."""
    return stat.S_ISREG(_mode_of_file(path))


def is_there(path: Path) -> bool:
    """Whether anything is at `path`; False where that is unknown, as for too long a name."""
    return _mode_of_file(path) != 0


def is_folder(path: Path) -> bool:
    """Whether `path` leads to a folder; False where that is unknown."""
    return stat.S_ISDIR(_mode_of_file(path))


def first_bytes(path: Path, count: int) -> bytes:
    """How the file at `path` begins; nothing where it cannot be read."""
    try:
        with open_file(path) as file:
            return file.read(count)
    except OSError:
        return b""


def _kind_of_file(mode: int) -> str:
    return next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")


def _mode_of_file(path: Path) -> int:
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0
