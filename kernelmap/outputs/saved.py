"""A saved result → the same tables again: the JSON, or the folder of Parquet files.

Left out: the evidence. Which launch belongs to which call stands in the tables; why does not, so
there is no `explain` and no `which`. Errors: what is no saved result, or was changed since.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kernelmap.model import Notice
from kernelmap.model.paths import first_bytes, is_folder, is_regular, require_readable
from kernelmap.outputs.result import Result, Source
from kernelmap.views.summary import Summary
from kernelmap.views.tables import Tables

_MARK = b'"kernelmap.correlation"'
_HEAD = 256  # bytes in which a saved document names its format
_LEDGER = "ledger.parquet"  # which every saved folder has


@dataclass(frozen=True, kw_only=True)
class Saved(Result):
    """A result that was read back; its frames have the columns and types that it was saved with."""

    path: Path
    content: Tables

    @property
    def tables(self) -> Tables:
        """All tables; `launches` only where they were saved."""
        return self.content

    @property
    def files(self) -> tuple[Path, ...]:
        """The saved file, or the files of the saved folder."""
        return tuple(sorted(self.path.iterdir())) if self.path.is_dir() else (self.path,)

    @property
    def summary(self) -> Summary:
        """The window in numbers."""
        return self.content.summary

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What could not be used when the result was made."""
        return self.content.notices


def load(path: Source) -> Saved:
    """Read what `correlate … -o result.json`, `-o FOLDER` or a Correlation's writers wrote.

    Raises KernelmapError where `path` cannot be read or holds no such result. A JSON that was saved
    without its launches has no table `launches`: asking for it is a UsageError.
    """
    from kernelmap.outputs import json, parquet

    found = Path(path)
    require_readable(found)
    read = parquet.read if found.is_dir() else json.read
    return Saved(path=found, content=read(found))


def is_saved(path: Path) -> bool:
    """Whether a result was saved at `path`, by its beginning."""
    if is_folder(path):
        return is_regular(path / _LEDGER)
    return is_regular(path) and _MARK in first_bytes(path, _HEAD)
