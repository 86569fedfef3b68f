"""Reads a file in blocks of bytes, inflating gzip on the way; and compresses.

Taken: a path. Given: non-empty blocks of uncompressed bytes, in order. A gzip stream that ends too
early or is damaged gives what came before, and `cut` says why it ended; one with another checksum
gives all. Behind damage it goes on with the next member, where a file has several: within a member
what follows refers to what is lost. Errors: unreadable
paths, and packed text that unpacks to far more than any trace does.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

from isal import igzip, isal_zlib
from isal.igzip_lib import IsalError

from kernelmap.errors import unreadable
from kernelmap.model.paths import UNPACKED, open_file, unpacked_too_far

BLOCK = 4 << 20
_COMPRESSED = 128 << 10
_GZIP = b"\x1f\x8b"
_MEMBER = b"\x1f\x8b\x08"
_LOOKS = 1000  # at most, for members behind damage
_LEFT_OUT = "a part of the gzip stream is damaged and left out"
_LEVEL = 1
_NAMED = 8  # the flag of a member that states the name of its file
_PIECE = 16 << 10  # at most 16 MiB unpacked


Watcher = Callable[[Path, int, int], None]
"""Is shown a file, how many of its bytes, packed or not, are read, and how many it has."""
_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher of reading", default=None)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Show `watcher` how far files are read that are read as a whole, block by block."""
    before = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(before)


def is_packed(path: Path) -> bool:
    """Whether the file at `path` is gzip. Raises KernelmapError where it cannot be read."""
    try:
        with open_file(path) as file:
            return file.read(2) == _GZIP
    except OSError as error:
        raise unreadable(path, error) from error


def packed(handle: BinaryIO) -> igzip.IGzipFile:
    """Packs what is written to it; the same bytes give the same file, without a name or a time."""
    return igzip.IGzipFile(  # type: ignore[no-untyped-call]  # isal's stubs leave it untyped
        filename="", mode="wb", compresslevel=_LEVEL, fileobj=handle, mtime=0
    )


class FileBlocks:
    """Iterate over it once.

    Then `cut` tells why a compressed stream ends early, and `damage` why what it gave may differ
    from what was packed; None where it is whole.
    """

    def __init__(self, path: Path, size: int = BLOCK) -> None:
        self.path = path
        self.size = size
        self.cut: str | None = None
        self.damage: str | None = None
        self._looks = _LOOKS
        self._read, self._of = 0, 0
        self._again = 0

    def __iter__(self) -> Iterator[bytes]:
        """The blocks. Raises KernelmapError where few packed bytes become very many."""
        try:
            with open_file(self.path) as file:
                self._of = os.fstat(file.fileno()).st_size
                packed = file.read(2) == _GZIP
                file.seek(0)
                for block in self._inflated(file) if packed else self._plain(file):
                    # Watchers are told the largest position that was reached, so
                    # that progress never goes back.
                    self._read = max(self._read, file.tell())  # behind damage it looks back
                    yield block
        except OSError as error:
            raise unreadable(self.path, error) from error

    def in_turn(self) -> Iterator[bytes]:
        """The blocks, each read when it is asked for; then some of it may be given again."""
        for block in self:
            self._tell()
            yield block

    def give_again(self, size: int) -> None:
        """Begin the next block with the last bytes of the last one, where something follows them.

        Only of a file that is not packed, whose blocks are read in turn.
        """
        self._again = size

    def ahead(self) -> Iterator[bytes]:
        """The blocks, of which one is read or unpacked in a thread while the last is at work."""
        with ThreadPoolExecutor(max_workers=1) as pool:
            blocks = iter(self)
            coming = pool.submit(next, blocks, b"")
            # Blocks are never empty, so the empty default means the end.
            while block := coming.result():
                self._tell()
                coming = pool.submit(next, blocks, b"")
                yield block

    def _tell(self) -> None:
        """Show whoever watches how far the file is read."""
        if (watcher := _WATCHER.get()) is not None:
            watcher(self.path, self._read, max(self._read, self._of))

    def _plain(self, file: BinaryIO) -> Iterator[bytes]:
        while True:
            # Bytes are read twice rather than a whole block copied.
            again, self._again = self._again, 0
            if again:
                file.seek(-again, os.SEEK_CUR)
            block = file.read(self.size + again)
            if len(block) <= again:
                return
            yield block

    def _inflated(self, file: BinaryIO) -> Iterator[bytes]:
        unpacked = 0
        # A few packed bytes may unpack to more than any memory holds, so the ratio is watched.
        for block in self._members(file):
            unpacked += len(block)
            if unpacked_too_far(file.tell(), unpacked):
                raise UNPACKED.make_error(self.path)
            if block:
                yield block

    def _members(self, file: BinaryIO) -> Iterator[bytes]:
        """Members of a gzip file one after the other; zero bytes between them are padding."""
        end: int | None = 0
        while end is not None and (start := _behind_padding(file, end)) is not None:
            end = yield from self._member(file, start)
            # A damaged member hides no later one: `cut` is taken back where another member follows.
            if end is None and (following := self._member_behind(file, start)) is not None:
                self.damage = _LEFT_OUT if self.cut else self.damage
                self.cut, end = None, following

    def _member_behind(self, file: BinaryIO, start: int) -> int | None:
        """Where the next member behind the one at `start` begins; None where there is none.

        The bytes that a member begins with may stand anywhere in packed data: one that inflates
        for a while is taken for a member.
        """
        # The end of each block is kept, because the three bytes may lie across two blocks.
        at, tail = start + 1, b""
        while block := _read_at(file, at, _COMPRESSED):
            position = (tail + block).find(_MEMBER)
            while position >= 0:
                # Those bytes may stand very often in packed data, so that
                # only so many places are tried.
                if not self._looks:
                    self.cut = "the gzip stream is damaged in too many places"
                    return None
                self._looks -= 1
                begin = at - len(tail) + position
                # Only data that inflates is a member; the three bytes alone occur by chance.
                head = _read_at(file, begin, _COMPRESSED)
                deflated = next(_deflated(head))
                if _inflates(head[deflated : deflated + _PIECE]):
                    return begin
                position = (tail + block).find(_MEMBER, position + 1)
            at, tail = at + len(block), (tail + block)[1 - len(_MEMBER) :]
        return None

    def _member(self, file: BinaryIO, start: int) -> Generator[bytes, None, int | None]:
        """The member at `start`; returns where it ends, None where that is unknown."""
        member = isal_zlib.decompressobj(wbits=31)
        file.seek(start)
        packed, given = file.read(_COMPRESSED), 0
        while True:
            try:
                block = member.decompress(packed, self.size)
            except IsalError:  # type: ignore[misc]  # isal's stubs call it an instance
                yield from self._damaged(file, start, given)
                return None
            given += len(block)
            yield block
            if member.eof:
                return file.tell() - len(member.unused_data)
            packed = member.unconsumed_tail or file.read(_COMPRESSED)
            # Nothing is left to unpack, and the member has not ended.
            if not packed and not block:
                self.cut = "the gzip stream ends too early"
                return None

    def _damaged(self, file: BinaryIO, start: int, given: int) -> Iterator[bytes]:
        """As `_member`, for one that isal refuses, without its first `given` bytes.

        zlib gives all that stands before the damage, and does not ask for the checksum.
        """
        file.seek(start)
        head = file.read(_COMPRESSED)
        # The header may be the damaged part, so the data is looked for at the
        # places where it usually begins.
        begin = next((at for at in _deflated(head) if _inflates(head[at : at + _PIECE])), None)
        if begin is None:
            self.cut = "the gzip stream is damaged at its beginning"
            return
        file.seek(start + begin)
        stream = zlib.decompressobj(-zlib.MAX_WBITS)
        while not stream.eof and (packed := file.read(_PIECE)):
            for block in _up_to_damage(stream, packed):
                if block is None:
                    self.cut = "the gzip stream is damaged"
                    return
                # What was given before the damage was met is not given again.
                yield block[given:]
                given = max(0, given - len(block))
        if stream.eof:
            self.damage = "the checksum of the gzip stream is another one"
        else:
            self.cut = "the gzip stream ends too early"


def _read_at(file: BinaryIO, at: int, size: int) -> bytes:
    file.seek(at)
    return file.read(size)


def _behind_padding(file: BinaryIO, at: int) -> int | None:
    """Where the zero bytes at `at` end, None where nothing follows them."""
    file.seek(at)
    while block := file.read(_COMPRESSED):
        if rest := block.lstrip(b"\0"):
            return file.tell() - len(rest)
    return None


def _deflated(head: bytes) -> Iterator[int]:
    """Where the deflated data of a member may begin: where its flags say, or where most do."""
    at = 10
    if head[3:4] and head[3] & _NAMED:
        at = head.find(b"\0", at) + 1
    yield from dict.fromkeys((at, 10, head.find(b"\0", 10) + 1))


def _inflates(piece: bytes) -> bool:
    try:
        return bool(zlib.decompressobj(-zlib.MAX_WBITS).decompress(piece, 1))
    except zlib.error:
        return False


def _up_to_damage(stream: zlib._Decompress, packed: bytes) -> Iterator[bytes | None]:
    """What `packed` inflates to; where it is damaged what stands before that, and None."""
    before = stream.copy()
    try:
        yield stream.decompress(packed)
    except zlib.error:
        # The block failed as a whole; byte by byte all that stands before the damage comes out.
        for byte in packed:
            try:
                yield before.decompress(bytes((byte,)))
            except zlib.error:
                break
        yield None
