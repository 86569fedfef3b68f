"""What a user names as one side of a comparison → its tables.

A saved result (JSON, or a folder of Parquet files) is read back; a bundle, a folder with code and
profile, or several inputs joined with `+` are correlated first. Errors are those of reading.
"""

from __future__ import annotations

from pathlib import Path

from kernelmap.compare.side import Side, side
from kernelmap.model import Notice
from kernelmap.model.paths import is_regular
from kernelmap.options import Options
from kernelmap.outputs.saved import load
from kernelmap.pipeline import correlate

_JOIN = "+"
_SAVED = b'"kernelmap.correlation"'
_HEAD = 256  # bytes in which a saved document names its format


def open_side(name: str, options: Options | None = None) -> tuple[Side, tuple[Notice, ...]]:
    """One side of a comparison, and what could not be used of it."""
    path = Path(name)
    if not path.exists() and _JOIN in name:
        paths = [Path(part) for part in name.split(_JOIN)]
    else:
        paths = [path]
    if len(paths) == 1 and is_saved(path):
        saved = load(path)
        return side(saved.tables, name), saved.notices
    found = correlate(*paths, options=options)
    return side(found.tables, name), found.notices


def is_saved(path: Path) -> bool:
    """Whether a path is a result that kernelmap saved, by its content."""
    if path.is_dir():
        return (path / "ledger.parquet").is_file() and (path / "calls.parquet").is_file()
    if not is_regular(path):
        return False
    with path.open("rb") as handle:
        return _SAVED in handle.read(_HEAD)
