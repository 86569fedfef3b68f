"""The kinds of compile-side input, each with a look that tells it apart by content.

A new kind is a new file and a line in READERS.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from kernelmap.compiler.facts import Reading
from kernelmap.compiler.files.code_file import GeneratedCode
from kernelmap.compiler.files.code_page import CodePage
from kernelmap.compiler.files.cpp_file import CppWrapper
from kernelmap.compiler.files.fx_entry import FxEntry
from kernelmap.compiler.files.packages import Package
from kernelmap.compiler.logs.torch_trace import TorchTrace
from kernelmap.compiler.pasted.log import TextLog
from kernelmap.model.paths import is_regular


class Reader(Protocol):
    """A kind of compile-side file."""

    @property
    def label(self) -> str:
        """What the kind is called in messages."""

    def sniff(self, path: Path) -> bool:
        """Whether the content of `path` is of this kind; False where it cannot be read."""

    def read(self, path: Path) -> Reading:
        """The generated code in `path`. Raises KernelmapError where it cannot be read."""


READERS: tuple[Reader, ...] = (
    GeneratedCode(),
    TorchTrace(),
    CppWrapper(),
    Package(),
    TextLog(),
    CodePage(),
    FxEntry(),
)


def reader_of(path: Path) -> Reader | None:
    """The reader that takes `path`, None where none does; only regular files are opened."""
    if not is_regular(path):
        return None
    return next((reader for reader in READERS if reader.sniff(path)), None)
