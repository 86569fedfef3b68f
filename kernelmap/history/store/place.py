"""What a folder or an object store must be able to do, to hold a store; and the rooms of a store.

Paths in a store are relative, with `/`. A store has four rooms:

    runs/<id>/     run.toml and a Parquet file per table; without run.toml there is no run
    tags/          a file per tag that was set after recording; see listing.py
    index/         a cache, a file per table, that may be deleted at any time; see index.py
    partial/       folders only: runs that are being written

local.py is a folder, remote.py an object store; opening.py tells which of them a name means.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

RUNS, TAGS, INDEX, PARTIAL = "runs", "tags", "index", "partial"

Sizes = Mapping[str, int]
"""File names with their sizes in bytes."""
Runs = Mapping[str, Sizes | OSError]
"""By the run's id; the error of a run whose folder cannot be read while those of others can."""


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
