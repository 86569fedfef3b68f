"""A file that may be packed with gzip → its bytes, unpacked as they are read.

Logs are long and are often kept as `.log.gz`. A file is known to be packed by its first bytes. What
a packed file may become has the limit of paths.py. Left out: profiles, whose readers unpack them
faster and go on behind damage (traces/blocks.py).
"""

from __future__ import annotations

import gzip
import io
import zlib
from io import BufferedIOBase, BufferedReader
from pathlib import Path

from kernelmap.errors import TooLargeError
from kernelmap.model.paths import UNPACKED, first_bytes, open_file, unpacked_too_far

_PACKED = b"\x1f\x8b"
_BLOCK = 1 << 20  # bytes that are compared at once


def is_packed(head: bytes) -> bool:
    """Whether a file that begins so is packed with gzip."""
    return head.startswith(_PACKED)


def open_unpacked(path: Path) -> BufferedReader:
    """The unpacked bytes of the file at `path`; a file that is not packed as it is.

    Raises OSError, when opened or read. EOFError is raised where a packed file ends too early or is
    damaged, behind what could be read of it.
    """
    if not is_packed(first_bytes(path, len(_PACKED))):
        return open_file(path)
    return BufferedReader(_Unpacking(open_file(path)))


def first_unpacked(path: Path, count: int) -> bytes:
    """How the unpacked file at `path` begins, as far as it can be read."""
    head = b""
    try:
        with open_unpacked(path) as file:
            while len(head) < count and (more := file.read1(count - len(head))):
                head += more
    except (OSError, EOFError):
        pass  # what came before the damage is the beginning
    return head


def have_same_content(path: Path, other: Path) -> bool:
    """Whether two files are equal once they are unpacked. Raises OSError and EOFError."""
    with open_unpacked(path) as one, open_unpacked(other) as two:
        while block := one.read(_BLOCK):
            if block != two.read(_BLOCK):
                return False
        return not two.read(1)


class _Unpacking(io.RawIOBase):
    """What gzip makes of a file, with an end where it becomes too much."""

    def __init__(self, packed: BufferedIOBase) -> None:
        super().__init__()
        self._packed = packed
        self._stream = gzip.GzipFile(fileobj=packed)
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # typeshed has a wider buffer
        try:
            # No more than is there: what stands before damage is given before that is met.
            data = self._stream.read1(len(buffer))
        except (zlib.error, gzip.BadGzipFile) as error:
            raise EOFError(str(error)) from error
        self._given += len(data)
        if unpacked_too_far(self._packed.tell(), self._given):
            raise TooLargeError(UNPACKED.reason)
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        self._packed.close()
        super().close()
