"""The packages of the extra `store`, loaded when they are needed, with one error where they lack.

A store in a folder needs none of them to record, to list and to open runs: DuckDB answers questions
over many runs, fsspec reaches object stores.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from kernelmap.errors import UsageError

if TYPE_CHECKING:
    import duckdb

_WHY = {"duckdb": "questions over many runs", "fsspec": "stores that are no folder"}


def fsspec() -> ModuleType:
    """The package fsspec, with its module `core`. Raises UsageError where it is missing."""
    _load("fsspec.core")
    return _load("fsspec")


def connect() -> duckdb.DuckDBPyConnection:
    """A new DuckDB in memory. Raises UsageError where the package is missing."""
    _load("duckdb")
    import duckdb

    return duckdb.connect(config={"memory_limit": "512MB", "temp_directory": ""})


def _load(name: str) -> ModuleType:
    package = name.partition(".")[0]
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise UsageError(
            "no-store-extra",
            f"{package} is not installed; {_WHY[package]} need it",
            "Install it: python -m pip install 'kernelmap[store]'.",
        ) from error
