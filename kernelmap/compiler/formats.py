"""The kinds of files in which generated code is found: how each begins, and what reads it.

The content of a file decides its format, never its name. The start of a file is read once for all
formats. A new format is a function that recognizes it, a reader, and a line in FORMATS.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from kernelmap.compiler.facts import Reading
from kernelmap.compiler.files.code_file import (
    is_generated_code,
    is_pasted,
    page_text,
    read_code,
    read_page,
)
from kernelmap.compiler.files.cpp_file import read_wrapper
from kernelmap.compiler.files.fx_entry import read_entry
from kernelmap.compiler.files.packages import has_cpp, read_package
from kernelmap.compiler.logs.events import starts_with_event
from kernelmap.compiler.logs.torch_trace import read_log
from kernelmap.compiler.pasted.log import read_text_log
from kernelmap.compiler.pasted.messages import MARKING, is_marked, split_messages
from kernelmap.compiler.python.source import (
    UTF_16,
    decode_text,
    encoding_of,
    is_cpp_wrapper,
    read_text,
    starts_as_cpp,
)
from kernelmap.errors import KernelmapError
from kernelmap.model.paths import first_bytes, is_regular
from kernelmap.model.unpacked import first_unpacked, is_packed

# How much of a file each kind is recognized by, in bytes.
_FIRST_BYTES = 2 * 1024
_CODE_BYTES = 256 * 1024
_PAGE_BYTES = 512 * 1024  # Colors make a page several times as long as its code.
_TEXT_BYTES = 4 * 1024 * 1024
_ENTRY_BYTES = 512
_LOG_BYTES = 64 * 1024
_PACKAGE = b"PK\x03\x04"
_PICKLE, _ENTRY = b"\x80", b"CompiledFxGraph"
_EVENT = b"] {"  # between the place of a log call and the JSON of its event
_ARTIFACTS = tuple(f"__{artifact}" for artifact in MARKING)
_PASTED = 256 * 1024  # characters in which pasted code begins


class Beginning:
    """The start of a file, read as far as it was asked for; empty where it cannot be read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._data = b""
        self._asked = 0

    def bytes(self, count: int) -> bytes:
        """The first `count` bytes."""
        if count > self._asked:
            self._data, self._asked = first_bytes(self.path, count), count
        return self._data[:count]

    @cached_property
    def text(self) -> str:
        """The start of a text file that may be code; nothing of any other file."""
        data = self.bytes(_FIRST_BYTES)
        # Databases, archives and JSON are recognized by their first bytes and not read further.
        if b"\0" in data or data.lstrip()[:1] in (b"{", b"[", b"<"):
            return ""
        return decode_text(self.bytes(_FIRST_BYTES + _CODE_BYTES))


class Format(Struct, frozen=True):
    """A kind of file: what messages call it, whether a file is of it, and its reader.

    `read` raises KernelmapError where the file cannot be read.
    """

    label: str
    fits: Callable[[Beginning], bool]
    read: Callable[[Path], Reading]


def is_python(start: Beginning) -> bool:
    """Whether a file is a Python wrapper, and not a text that quotes one."""
    return (
        is_generated_code(start.text) and not _is_marked(start.text) and not is_pasted(start.text)
    )


def is_fx_entry(start: Beginning) -> bool:
    """Whether a file starts as the pickle of a compiled graph does."""
    head = start.bytes(_ENTRY_BYTES)
    return head.startswith(_PICKLE) and _ENTRY in head


def _unpack_start(start: Beginning, count: int) -> bytes:
    """The first `count` bytes of a text, unpacked where it is packed; nothing of JSON then."""
    if not is_packed(start.bytes(_FIRST_BYTES)):
        return start.bytes(count)
    # A packed profile has hundreds of megabytes: its first bytes say that it is no text.
    head = first_unpacked(start.path, _FIRST_BYTES)
    return b"" if head.lstrip()[:1] in (b"{", b"[") else first_unpacked(start.path, count)


def _is_torch_trace(start: Beginning) -> bool:
    head = _unpack_start(start, _LOG_BYTES)
    return _EVENT in head and starts_with_event(head)


def _is_cpp(start: Beginning) -> bool:
    """Whether a file is C++ by Inductor that makes calls."""
    if not starts_as_cpp(start.text):
        return False
    try:
        # The entry of a long wrapper may lie beyond the start that was read.
        return is_cpp_wrapper(start.text) or is_cpp_wrapper(read_text(start.path))
    except KernelmapError:
        return False


def _is_package(start: Beginning) -> bool:
    return start.bytes(len(_PACKAGE)) == _PACKAGE and has_cpp(start.path)


def _is_text(start: Beginning) -> bool:
    """Whether a text has marked lines, or generated code inside of other text."""
    data = _unpack_start(start, _TEXT_BYTES)
    encoding = encoding_of(data)
    # UTF-16, as some shells write it, has zero bytes; any other text with one is a binary file.
    if b"\0" in data and encoding != UTF_16:
        return False
    text = data.decode(encoding, errors="replace")
    # Marked lines, `[__output_code]`. A TORCH_TRACE log may quote such lines and is another format.
    if _is_marked(text):
        return not _is_torch_trace(start)
    # No marks: then code must stand in fences or indented, so that other texts are not taken.
    head = text[:_PASTED].replace("\r\n", "\n")
    if not is_pasted(head):
        return False
    return any(
        is_generated_code(message.body_text()) for message in split_messages(head.split("\n"))
    )


def _is_marked(text: str) -> bool:
    return any(artifact in text for artifact in _ARTIFACTS) and is_marked(text)


def _is_page(start: Beginning) -> bool:
    """Whether a file is a page of nothing but code."""
    if not start.bytes(_FIRST_BYTES).lstrip()[:5].lower().startswith(b"<pre"):
        return False
    head = start.bytes(_PAGE_BYTES).decode("utf-8", errors="replace")
    return is_generated_code(page_text(head))


PYTHON = Format("generated code (output_code.py)", is_python, read_code)
LOG = Format("a TORCH_TRACE log", _is_torch_trace, read_log)
TEXT_LOG = Format("TORCH_LOGS text", _is_text, read_text_log)
FORMATS = (
    PYTHON,
    LOG,
    Format("a C++ wrapper of AOTInductor (*.wrapper.cpp)", _is_cpp, read_wrapper),
    Format("a package of AOTInductor (.pt2)", _is_package, read_package),
    TEXT_LOG,
    Format("output code as a page of tlparse", _is_page, read_page),
    Format("an entry of Inductor's FX graph cache", is_fx_entry, read_entry),
)
"""In the order in which they are tried; a file is of the first that fits."""


def format_of(path: Path) -> Format | None:
    """The format of the file at `path`, None where it has none; only regular files are opened."""
    if not is_regular(path):
        return None
    start = Beginning(path)
    return next((kind for kind in FORMATS if kind.fits(start)), None)
