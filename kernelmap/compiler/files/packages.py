"""A package of AOTInductor (`.pt2`, a zip file) → the C++ wrappers in it.

Read inside of the archive: nothing is ever written, and a member's path only names it. Members lie
in `…/data/aotinductor/MODEL/`, several models in one package. What a member may hold is limited,
whatever its header states; what is larger, encrypted or damaged is left out with a notice. Left
out: weights, binaries, and members that are no text of these kinds.
"""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from msgspec import Struct

from kernelmap.compiler.facts import CodeText, Reading
from kernelmap.compiler.files.cpp_file import is_beside, model_name, with_model_files
from kernelmap.compiler.python.source import decode_text, is_cpp_wrapper
from kernelmap.errors import KernelmapError, TooLargeError
from kernelmap.model import Notice
from kernelmap.model.notices import format_count
from kernelmap.model.paths import MEMBER, MEMBERS, PACKAGE, first_bytes, open_file

_MAGIC = b"PK\x03\x04"
_STRENGTH = 8  # A file that can be opened by itself is a better place for code, a log a worse one.
_LISTED = 256  # bytes that the list of members has for one of them, with a long name
_COMMENT = 1 << 17  # more than what may stand behind the list
_CPP = ".cpp"
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,  # a compression that this Python lacks
    RuntimeError,  # an encrypted member
    struct.error,
    ValueError,
    OSError,
)


def has_cpp(path: Path) -> bool:
    """Whether `path` is a zip file with C++ in it."""
    try:
        with _open_archive(path) as archive:
            return any(name.endswith(_CPP) for name in archive.namelist())
    except _DAMAGE:
        return False


def read_package(path: Path) -> Reading:
    """Every wrapper of what `torch._inductor.aoti_compile_and_package` writes.

    Raises KernelmapError where it cannot be read.
    """
    try:
        with _open_archive(path) as archive:
            package = _Package(path, archive, PACKAGE.current())
            texts = tuple(package.iter_texts())
    except _DAMAGE as error:
        raise _unreadable_member(path, error) from error
    return Reading(texts, tuple(package.all_notices()))


# The list of members is read in one piece, and its length is what the file claims.
class _MemberFile(io.BufferedReader):
    """A file of which no more than `most` bytes are read at once; None for any number."""

    most: int | None = None

    def read(self, size: int | None = -1, /) -> bytes:
        """As every file; raises TooLargeError."""
        if self.most is not None and size is not None and size > self.most:
            raise TooLargeError(MEMBERS.reason)
        return super().read(size)


@contextmanager
def _open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive at `path`, with a list of members that is not too long. Raises one of _DAMAGE."""
    members = MEMBERS.current()
    with open_file(path) as opened, _MemberFile(opened.raw) as file:
        # Room for the longest list that is allowed, and for the comment behind it.
        file.most = None if members is None else max(_LISTED * members, _COMMENT)
        with zipfile.ZipFile(file) as archive:  # reads the list of members at once
            file.most = None
            if MEMBERS.is_exceeded(len(archive.filelist)):
                raise TooLargeError(MEMBERS.reason)
            yield archive


def find_damage(path: Path) -> KernelmapError | None:
    """The error for a file that begins as a zip file and cannot be opened; None for any other."""
    try:
        if first_bytes(path, len(_MAGIC)) != _MAGIC:
            return None
        with _open_archive(path):
            pass
    except _DAMAGE as error:
        return _unreadable_member(path, error)
    return None


def _unreadable_member(path: Path, error: Exception) -> KernelmapError:
    if isinstance(error, TooLargeError):
        return error.of(path)
    return KernelmapError(
        "unreadable-package",
        f"{path} cannot be read as a package: {error}",
        "Copy or write it again; an unpacked folder is read as well.",
    )


class _Package(Struct):
    """One open package: how many bytes may yet be read (None: all), and what was left out."""

    path: Path
    archive: zipfile.ZipFile
    left: int | None
    skipped: list[str] = []
    notices: list[Notice] = []
    wrappers: int = 0

    def iter_texts(self) -> Iterator[CodeText]:
        """The wrappers, each with what lies in its folder."""
        # Members by folder: each folder is one model.
        folders: dict[str, list[str]] = defaultdict(list)
        for name in dict.fromkeys(self.archive.namelist()):
            folders[name.rpartition("/")[0]].append(name)
        for names in folders.values():
            beside = [name for name in names if is_beside(name.rpartition("/")[2])]
            for name in names:
                if name.endswith(_CPP) and name not in beside:
                    yield from self._iter_wrapper(name, beside)

    def _iter_wrapper(self, name: str, beside: list[str]) -> Iterator[CodeText]:
        data = self._read_member(name)
        text = decode_text(data) if data is not None else ""
        if not is_cpp_wrapper(text):
            return
        self.wrappers += 1
        parts = PurePosixPath(name).parts
        wrapper = CodeText(
            text=text,
            code=f"{self.path}/{name}",
            place=(*self.path.resolve().parts, *parts),
            strength=_STRENGTH,
            stated=model_name(parts),
        )
        joined, notices = with_model_files(wrapper, beside, self._read_member)
        self.notices += notices
        yield joined

    def _read_member(self, name: str) -> bytes | None:
        """A member's bytes; None where it is damaged, or larger than any such text."""
        # One byte more than the limit shows that a member is too large, whatever its header states.
        limit = min(
            (most for most in (MEMBER.current(), self.left) if most is not None), default=None
        )
        try:
            with self.archive.open(name) as member:
                data = member.read(-1 if limit is None else limit + 1)
        except _DAMAGE as error:
            self.skipped.append(f"{name} ({error})")
            return None
        if limit is None or self.left is None:
            return data
        # All members together have a limit as well.
        self.left -= min(len(data), limit)
        if len(data) > limit:
            self.skipped.append(f"{name} (more than {limit:,} bytes)")
            return None
        return data

    def all_notices(self) -> Iterator[Notice]:
        """The notices about members that could not be used."""
        yield from self.notices
        if self.skipped:
            yield Notice(
                slug="package-member-skipped",
                message=f"{self.path}: {format_count(len(self.skipped), 'member')} not read, "
                f"first {self.skipped[0]}.",
                hint="What they say of the models is missing; write the package again.",
                gap=True,
            )
        if not self.wrappers:
            yield Notice(
                slug="package-without-code",
                message=f"{self.path} holds no C++ wrapper.",
                hint="Give a package that AOTInductor wrote, with its sources in it.",
                gap=True,
            )
