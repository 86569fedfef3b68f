"""A file's bytes in blocks; gzip is told by its first bytes and inflated on the way; and packing.

Taken: a path. Given: non-empty blocks of uncompressed bytes, in order. A gzip stream that ends too
early or is damaged gives what came before, and `cut` says why it ended. Errors: unreadable paths.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from isal import igzip, isal_zlib
from isal.igzip_lib import IsalError

from kernelmap.errors import unreadable

BLOCK = 1 << 20
_COMPRESSED = 128 << 10
_GZIP = b"\x1f\x8b"
_LEVEL = 1


def is_packed(path: Path) -> bool:
    """Whether the file at `path` is gzip. Raises KernelmapError where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(2) == _GZIP
    except OSError as error:
        raise unreadable(path, error) from error


def packed(handle: BinaryIO) -> igzip.IGzipFile:
    """Packs what is written to it; the same bytes give the same file, without a name or a time."""
    return igzip.IGzipFile(  # type: ignore[no-untyped-call]  # isal's stubs leave it untyped
        filename="", mode="wb", compresslevel=_LEVEL, fileobj=handle, mtime=0
    )


class Blocks:
    """Iterate over it once; `cut` is None unless the compressed stream was found broken."""

    def __init__(self, path: Path, size: int = BLOCK) -> None:
        self.path = path
        self.size = size
        self.cut: str | None = None

    def __iter__(self) -> Iterator[bytes]:
        try:
            with self.path.open("rb") as file:
                packed = file.read(2) == _GZIP
                file.seek(0)
                yield from self._inflated(file) if packed else self._plain(file)
        except OSError as error:
            raise unreadable(self.path, error) from error

    def _plain(self, file: BinaryIO) -> Iterator[bytes]:
        while block := file.read(self.size):
            yield block

    def _inflated(self, file: BinaryIO) -> Iterator[bytes]:
        """Members of a gzip file one after the other; zero bytes between them are padding."""
        member = isal_zlib.decompressobj(wbits=31)
        packed, fresh = file.read(_COMPRESSED), True
        while packed or not fresh:
            try:
                block = member.decompress(packed, self.size)
            except IsalError as error:  # type: ignore[misc]  # isal's stubs call it an instance
                self.cut = f"the gzip stream is damaged ({error})"
                return
            if block:
                yield block
            if member.eof:
                packed = (member.unused_data or file.read(_COMPRESSED)).lstrip(b"\0")
                member, fresh = isal_zlib.decompressobj(wbits=31), True
                continue
            fresh = False
            packed = member.unconsumed_tail or file.read(_COMPRESSED)
            if not packed and not block:
                self.cut = "the gzip stream ends too early"
                return
