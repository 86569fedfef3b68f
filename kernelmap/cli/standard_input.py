"""The input `-`: what comes by a pipe, kept in a file of its own until the command has ended.

Readers look at a file more than once, and SQLite needs one, so a pipe is copied first. What it
holds shows in its content, as of every input. zstd is unpacked on the way (`zstd -c`, and how
object stores keep traces); gzip is left to the readers, who know it.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, BinaryIO

import click

from kernelmap.cli.common import AnyPath, is_terminal
from kernelmap.commands import spell_input
from kernelmap.errors import KernelmapError, TooLargeError

_KEPT = "kernelmap.standard_input"
_ZSTD = b"\x28\xb5\x2f\xfd"
_BLOCK = 1 << 20  # bytes that are copied at once


class InputPath(AnyPath):
    """An input: a path, or `-` for what comes by a pipe."""

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401 -- click's signature
        """The path; of `-` that of the copy. Wrong usage where nothing can come by a pipe."""
        if os.fspath(value) != "-" or ctx is None or ctx.resilient_parsing:
            return super().convert(value, param, ctx)
        root = ctx.find_root()
        if _KEPT in root.meta:
            self.fail("`-` stands for one input: what comes by the pipe", param, ctx)
        if sys.stdin is None or is_terminal(sys.stdin):
            self.fail("nothing comes by a pipe: `kernelmap correlate - < trace.json`", param, ctx)
        folder = Path(mkdtemp(prefix="kernelmap-"))
        root.meta[_KEPT] = folder
        root.call_on_close(lambda: shutil.rmtree(folder, ignore_errors=True))
        path = folder / "standard input"
        _copy_pipe(sys.stdin.buffer, path)
        # Commands that are printed for this input read a pipe again.
        spell_input(path, "-")
        return path


def _copy_pipe(pipe: BinaryIO, path: Path) -> None:
    """Copy all that comes; raises KernelmapError where it cannot be unpacked."""
    head = pipe.read(len(_ZSTD))
    with path.open("wb") as file:
        if head == _ZSTD:
            _unpack_zstd(_Rest(head, pipe), file)
            return
        file.write(head)
        shutil.copyfileobj(pipe, file, _BLOCK)


def _unpack_zstd(packed: _Rest, file: BinaryIO) -> None:
    import pyarrow as pa

    from kernelmap.model.paths import UNPACKED, unpacked_too_far

    try:
        with pa.CompressedInputStream(pa.PythonFile(packed, mode="r"), "zstd") as unpacked:
            while block := unpacked.read(_BLOCK):
                file.write(block)
                if unpacked_too_far(packed.given, file.tell()):
                    raise TooLargeError(UNPACKED.reason).of("-")
    except OSError as error:
        raise KernelmapError(
            "unreadable-path",
            f"- cannot be unpacked: {str(error)[:100]}",
            "Unpack it before the pipe: zstd -dc trace.json.zst | kernelmap correlate -",
        ) from error


inputs = click.argument("inputs", nargs=-1, required=True, type=InputPath())
"""Any mix of files and folders, and `-` for a pipe; what each one is shows in its content."""


class _Rest:
    """A pipe of which the first bytes were read already; counts what it gives."""

    closed = False

    def __init__(self, head: bytes, pipe: BinaryIO) -> None:
        self._head = head
        self._pipe = pipe
        self.given = 0

    def read(self, count: int = -1) -> bytes:
        """The next bytes."""
        if self._head:
            block, self._head = self._head, b""
        else:
            block = self._pipe.read(count)
        self.given += len(block)
        return block

    def close(self) -> None:
        """Do nothing: the pipe is not ours."""
