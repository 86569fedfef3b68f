"""Where a store lies: which one is meant, and what a folder or an object store must be able to do.

The store is that of --store, else KERNELMAP_STORE, else pyproject.toml, else ./.kernelmap. The
variable comes before the project's file so that a CI job can point elsewhere without editing it. In
pyproject.toml, found from the current folder upward, a path is relative to that file:

    [tool.kernelmap]
    store = "s3://bucket/kernelmap"

Paths in a store are relative, with `/`. A store has four rooms:

    runs/<id>/     run.toml and a Parquet file per table; without run.toml there is no run
    tags/          a file per tag that was set after recording; see listing.py
    index/         a cache, a file per table, that may be deleted at any time; see index.py
    partial/       folders only: runs that are being written

A store in a folder needs no package of the extra `store`; fsspec reaches object stores.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Protocol
from urllib.parse import unquote, urlsplit

from kernelmap.errors import UsageError
from kernelmap.installing import install_command
from kernelmap.settings import setting

RUNS, TAGS, INDEX, PARTIAL = "runs", "tags", "index", "partial"

Sizes = Mapping[str, int]
"""File names with their sizes in bytes."""
Runs = Mapping[str, Sizes | OSError]
"""By the run's id; the error of a run whose folder cannot be read while those of others can."""

VARIABLE, DEFAULT = "KERNELMAP_STORE", ".kernelmap"


class Draft(Protocol):
    """A run that is being written; nobody sees it before `finish`."""

    def add(self, name: str, content: bytes) -> None:
        """Write one file of the run. OSError where that fails."""

    def finish(self, name: str, content: bytes) -> None:
        """Write the manifest, the last file; when this ends the run is there, whole and lasting."""

    def abandon(self) -> None:
        """Take away what was written; never raises."""


class Place(Protocol):
    """A folder or an object store. Methods raise OSError, as files do, for what fails."""

    @property
    def shown(self) -> str:
        """Its name for people, without credentials."""

    def exists(self) -> bool:
        """Whether anything was ever kept here."""

    def runs(self) -> Runs:
        """The files of every finished run, by its id."""

    def run(self, run_id: str) -> Sizes | None:
        """The files of one run; None where there is no finished run of this id."""

    def begin(self, run_id: str) -> Draft:
        """Begin to write a run."""

    def remove(self, run_id: str) -> None:
        """Remove a run; it is gone at once, its files thereafter."""

    def leftovers(self) -> Iterable[str]:
        """The ids of runs whose writing began and never ended, or whose removal did not end."""

    def sweep(self, run_id: str) -> None:
        """Take away what is left of such a run."""

    def files(self, folder: str) -> Sizes:
        """The files directly in a folder; empty where there is none."""

    def read(self, path: str) -> bytes:
        """The whole content of a file."""

    def is_writable(self) -> bool:
        """Whether it makes sense to try to write."""

    def write(self, path: str, content: bytes) -> None:
        """Write a file, which then has its old or its new content whole."""

    def delete(self, path: str) -> None:
        """Delete a file; one that is not there is no error."""

    def address(self, path: str) -> str:
        """A file's path on this machine, or its URL."""


def chosen_store(
    given: str | None, *, folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> str:
    """The path or URL of the store to use; `.kernelmap` where none is named.

    Raises KernelmapError where a pyproject.toml on the way is no TOML.
    """
    return named_store(given, folder=folder, environment=environment) or DEFAULT


def named_store(
    given: str | None, *, folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> str | None:
    """The path or URL of the store that somebody has named, None where nobody has.

    Raises as `chosen_store` does.
    """
    folder = Path.cwd() if folder is None else folder
    # Whoever is nearer to the command decides: the option, the variable, the project's file.
    variable = (os.environ if environment is None else environment).get(VARIABLE)
    if given:
        return given
    if variable:
        return variable
    path, stated = setting("store", folder)
    if stated is None or path is None:
        return None
    if not isinstance(stated, str) or not stated:
        raise UsageError(
            "wrong-store",
            f"{path}: `store` in [tool.kernelmap] is no path or URL",
            'Write a text, such as store = ".kernelmap".',
        )
    # A path is meant from the folder of its pyproject.toml.
    return stated if _is_url(stated) else str(path.parent / stated)


def place_at(url: str) -> Place:
    """The place that a path or URL names. Raises UsageError for a URL that cannot be used."""
    from kernelmap.history.store.local import LocalPlace

    # No path may hold a null character: Python would raise ValueError for it later.
    if "\0" in (unquote(url) if _is_url(url) else url):
        raise _names_none(url, "it holds a null character")
    if not _is_url(url):
        return LocalPlace(Path(url))
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise _names_none(url, str(error)) from error
    # A file URL of this machine needs no fsspec.
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return LocalPlace(Path(unquote(parts.path)))
    from kernelmap.history.store.remote import open_remote

    return open_remote(url)


def _names_none(url: str, why: str) -> UsageError:
    return UsageError("wrong-store", f"{url!r} names no store: {why}", "Name a folder or a URL.")


def _is_url(text: str) -> bool:
    return "://" in text


def load_fsspec() -> ModuleType:
    """The package fsspec, with its module `core`. Raises UsageError where it is missing."""
    try:
        import_module("fsspec.core")
        return import_module("fsspec")
    except ModuleNotFoundError as error:
        raise UsageError(
            "no-store-extra",
            "fsspec is not installed; stores that are no folder need it",
            f"Install it: {install_command('store')}",
        ) from error
