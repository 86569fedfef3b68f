"""The kinds of compile-side input, each with a look that tells it apart by content.

`sniff` reads the start of a file only. Inductor's caches hold one Python file per kernel beside the
graphs; those define no wrapper and are not taken. A new kind is a new class and a line in READERS.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from kernelmap.compiler.graph import Reading, read_graph

_FIRST_BYTES = 2 * 1024
_HEAD_BYTES = 256 * 1024
_COMPILER_MADE = "async_compile = AsyncCompile("
_DEFINES = " = async_compile."
_CALL = ("def call(args)", "def call(self, args)")
_WRAPPER_WORDS = (
    "extern_kernels.",
    "empty_strided",
    "assert_size_stride(",
    "reinterpret_tensor(",
    "# Source Nodes: [",
    "Sorted Source Nodes: [",
    "[Provenance debug handles]",
)
_ONE_KERNEL = "def benchmark_all_configs("


class Reader(Protocol):
    """A kind of compile-side file."""

    @property
    def label(self) -> str:
        """What the kind is called in messages."""

    def sniff(self, path: Path) -> bool:
        """Whether the content of `path` is of this kind; False where it cannot be read."""

    def read(self, path: Path) -> Reading:
        """The graphs in `path`. Raises KernelmapError where it cannot be read."""


class GeneratedCode:
    """`output_code.py`: the Python wrapper that Inductor generates."""

    label = "generated code (output_code.py)"

    def sniff(self, path: Path) -> bool:
        """Whether `path` starts as a wrapper does, or holds a part of one."""
        return is_generated_code(_head(path))

    def read(self, path: Path) -> Reading:
        """The one graph of the file."""
        return read_graph(path)


READERS: tuple[Reader, ...] = (GeneratedCode(),)


def reader_of(path: Path) -> Reader | None:
    """The reader that takes the file `path`, None where none does."""
    return next((reader for reader in READERS if reader.sniff(path)), None)


def is_generated_code(head: str) -> bool:
    r"""Whether the start of a file is that of a wrapper.

    >>> is_generated_code("import torch\nasync_compile = AsyncCompile()\n")
    True
    >>> is_generated_code("@triton.jit\ndef triton_poi_fused_add_0(in_ptr0): pass\n")
    False
    """
    lines = head.split("\n")
    if any(_DEFINES in line and line[:1].isidentifier() for line in lines):
        return True
    if any(line.startswith(_COMPILER_MADE) for line in lines):
        return True
    # Logs quote code behind a tab; those are other readers' files.
    whole_call = any(line.lstrip(" ").startswith(_CALL) for line in lines)
    return whole_call and _ONE_KERNEL not in head and any(word in head for word in _WRAPPER_WORDS)


def _head(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_FIRST_BYTES)
            # Databases, archives and JSON are told by their first bytes and not read further.
            if b"\0" in data or data.lstrip()[:1] in (b"{", b"[", b"<"):
                return ""
            data += file.read(_HEAD_BYTES)
    except OSError:
        return ""
    return data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
