"""Results that were saved earlier, as JSON or as a folder of Parquet files → their tables."""

from __future__ import annotations

from pathlib import Path

from kernelmap.model.paths import Source, first_bytes, is_folder, is_regular, require_readable
from kernelmap.tables.build import Tables
from kernelmap.tables.json import read_json

_MARK = b'"kernelmap.correlation"'
_HEAD = 256  # bytes in which a saved document names its format
_LEDGER = "ledger.parquet"  # which every saved folder has


def is_saved(path: Path) -> bool:
    """Whether a result was saved at `path`, by its beginning."""
    if is_folder(path):
        return is_regular(path / _LEDGER)
    return is_regular(path) and _MARK in first_bytes(path, _HEAD)


def read_saved_tables(path: Source) -> Tables:
    """The tables of the result that was saved at `path`.

    Raises KernelmapError where `path` cannot be read or holds no such result.
    """
    place = Path(path)
    require_readable(place)
    if not place.is_dir():
        return read_json(place)
    from kernelmap.tables.parquet import read_parquet  # brings pyarrow

    return read_parquet(place)


def files_of_saved(path: Path) -> tuple[Path, ...]:
    """The saved file, or the files of the saved folder."""
    return tuple(sorted(path.iterdir())) if path.is_dir() else (path,)
