"""A store in an object store, or in whatever else fsspec reaches by a URL.

Nothing can be renamed there, so the manifest is written last: objects without a run.toml beside
them are no run. A run is removed in the other order. Objects themselves appear whole or not at all.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias

from msgspec import Struct

from kernelmap.errors import UsageError
from kernelmap.history.store.facts import RUN_TOML, is_id
from kernelmap.history.store.place import RUNS, Runs, Sizes
from kernelmap.installing import install_command

FileSystem: TypeAlias = Any  # fsspec has no type stubs

_CREDENTIALS = re.compile(r"(?<=://)[^/@]*@")
_BUCKETS = {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "oci"}


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


def open_remote(url: str) -> RemotePlace:
    """The place behind a URL. Raises UsageError without fsspec, or for a URL that it cannot use."""
    fsspec = load_fsspec()
    shown = _CREDENTIALS.sub("***@", url)
    try:
        with _as_os_errors():
            system, root = fsspec.core.url_to_fs(url, use_listings_cache=False)
    except (ImportError, ValueError, OSError) as error:
        raise UsageError(
            "no-such-store",
            f"{shown} cannot be reached: {error}",
            "Check the URL; its protocol may need a package of its own, such as s3fs.",
        ) from error
    return RemotePlace(system, root.rstrip("/"), shown)


class RemoteDraft(Struct, frozen=True):
    """Objects below a prefix; the manifest makes them a run."""

    place: RemotePlace
    run_id: str

    def add(self, name: str, content: bytes) -> None:
        """Write one object."""
        self.place.write(f"{RUNS}/{self.run_id}/{name}", content)

    def finish(self, name: str, content: bytes) -> None:
        """Write the manifest."""
        self.add(name, content)

    def abandon(self) -> None:
        """Delete what was written; what cannot be deleted is no run, either."""
        with suppress(OSError):
            self.place.sweep(self.run_id)


class RemotePlace(Struct, frozen=True):
    """A prefix of an object store; `system` is the fsspec file system, `root` the path in it."""

    system: FileSystem
    root: str
    shown: str

    def exists(self) -> bool:
        """Whether anything lies there; one request, however many runs there are."""
        # Others write there, too: what fsspec remembers of the place has to go.
        self.system.invalidate_cache()
        with _as_os_errors():
            try:
                return bool(self.system.ls(self.root, detail=False))
            except FileNotFoundError:
                return False

    def runs(self) -> Runs:
        """One listing of all objects; those without a manifest are none."""
        return {run_id: sizes for run_id, sizes in self._all_runs().items() if RUN_TOML in sizes}

    def run(self, run_id: str) -> Sizes | None:
        """The objects of one run."""
        sizes = self.files(f"{RUNS}/{run_id}") if is_id(run_id) else {}
        return sizes if RUN_TOML in sizes else None

    def begin(self, run_id: str) -> RemoteDraft:
        """Nothing is to be made before the first object."""
        return RemoteDraft(self, run_id)

    def remove(self, run_id: str) -> None:
        """Delete the manifest, which ends the run, then the rest."""
        self.delete(f"{RUNS}/{run_id}/{RUN_TOML}")
        self.sweep(run_id)

    def leftovers(self) -> Iterator[str]:
        """Prefixes without a manifest."""
        for run_id, sizes in self._all_runs().items():
            if RUN_TOML not in sizes:
                yield run_id

    def sweep(self, run_id: str) -> None:
        """Delete all objects of a run."""
        for name in self.files(f"{RUNS}/{run_id}"):
            self.delete(f"{RUNS}/{run_id}/{name}")

    def files(self, folder: str) -> Sizes:
        """Sizes by name."""
        sizes = self._files_below(folder)
        return {name: size for name, size in sizes.items() if "/" not in name}

    def read(self, path: str) -> bytes:
        """The whole content."""
        with _as_os_errors():
            return bytes(self.system.cat_file(self._path(path)))

    def is_writable(self) -> bool:
        """Unknown before it is tried."""
        return True

    def write(self, path: str, content: bytes) -> None:
        """One object at once."""
        target = self._path(path)
        with _as_os_errors():
            try:
                self.system.pipe_file(target, content)
            except FileNotFoundError:
                if _has_buckets(self.system):  # a bucket is not made by accident
                    raise
                self.system.makedirs(target.rpartition("/")[0], exist_ok=True)
                self.system.pipe_file(target, content)

    def delete(self, path: str) -> None:
        """Delete an object; one that is not there is no error."""
        with _as_os_errors(), suppress(FileNotFoundError):
            self.system.rm_file(self._path(path))

    def address(self, path: str) -> str:
        """A URL."""
        return str(self.system.unstrip_protocol(self._path(path)))

    def _path(self, path: str) -> str:
        return f"{self.root}/{path}"

    def _files_below(self, folder: str) -> Sizes:
        """Everything below a folder, by its path relative to it."""
        prefix = self._path(folder) + "/"
        self.system.invalidate_cache()
        with _as_os_errors():
            try:
                entries = self.system.find(prefix, detail=True)
            except FileNotFoundError:
                return {}
        # Names as seen from the folder, whatever the file system puts in front.
        return {
            name[name.index(prefix) + len(prefix) :]: int(info["size"])
            for name, info in entries.items()
            if info["type"] == "file"
        }

    def _all_runs(self) -> Mapping[str, dict[str, int]]:
        # One listing of all objects, sorted by run.
        sizes_by_run: dict[str, dict[str, int]] = {}
        for path, size in self._files_below(RUNS).items():
            run_id, _, name = path.partition("/")
            if is_id(run_id) and name:
                sizes_by_run.setdefault(run_id, {})[name] = size
        return sizes_by_run


def _has_buckets(system: FileSystem) -> bool:
    protocols = [system.protocol] if isinstance(system.protocol, str) else system.protocol
    return not _BUCKETS.isdisjoint(protocols)


@contextmanager
def _as_os_errors() -> Iterator[None]:
    """Make what an S3 client raises for networks and credentials the OSError that it stands for."""
    # botocore is there only where S3 is used, and its errors are no OSError.
    client = sys.modules.get("botocore.exceptions")
    kinds = () if client is None else (client.BotoCoreError, client.ClientError)
    try:
        yield
    except kinds as error:
        raise OSError(str(error)) from error
