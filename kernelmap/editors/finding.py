"""Folders of a workspace → the recording that an editor shows: the newest bundle or kept run.

Looks at names, times and manifests, and reads no recording: cheap enough for each time that an
editor asks. Only stores in folders are looked into, for one behind a URL would be asked as often.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from kernelmap.errors import KernelmapError
from kernelmap.history.store.choosing import chosen_store, is_url
from kernelmap.history.store.facts import RUN_TOML, created, read_facts
from kernelmap.history.store.opening import place_at
from kernelmap.history.store.place import RUNS, Place
from kernelmap.model.bundle import MANIFEST, Manifest, State, is_bundle, read_manifest

_DEEPEST = 4  # folders below a workspace's own: deeper ones hold packages, not recordings (chosen)
_MOST = 5_000  # folders that are looked into: some 0.2 s (chosen)
_PASSED_OVER = {"node_modules", "site-packages", "__pycache__", "build", "dist"}


class FoundRecording(Struct, frozen=True, kw_only=True):
    """Inputs of a correlation, or a run of a store.

    `made` is when it was recorded, in seconds since 1970. `stamp` is another one as soon as what
    is there is another recording.
    """

    name: str
    inputs: tuple[str, ...] = ()
    store: str | None = None
    run: str | None = None
    made: float
    stamp: tuple[tuple[str, int], ...]


def find_named(inputs: Sequence[Path]) -> FoundRecording | None:
    """The recording that somebody named; None while a part of it is not there."""
    stamp = []
    for path in inputs:
        manifest = path / MANIFEST
        try:
            # A bundle has its manifest written last. Of any other folder its files count.
            inside = [manifest] if is_bundle(path) else [path]
            inside += [] if is_bundle(path) or not path.is_dir() else sorted(path.iterdir())
            stamp += [(str(file), file.stat().st_mtime_ns) for file in inside]
        except OSError:
            return None
    bundles = [_read_finished(path) for path in inputs if is_bundle(path)]
    times = [
        _time_of(path, bundle) for path, bundle in zip(inputs, bundles, strict=False) if bundle
    ]
    return FoundRecording(
        name=" · ".join(path.resolve().name for path in inputs),
        inputs=tuple(map(str, inputs)),
        made=max(times, default=max(mtime_ns for _, mtime_ns in stamp) / 10**9),
        stamp=tuple(stamp),
    )


def find_newest(folders: Sequence[Path], store: str | None = None) -> FoundRecording | None:
    """The newest recording in the folders and their stores, or in `store` alone of all stores.

    A run that was kept from a bundle which is still there is that bundle: it says more. Raises
    KernelmapError where a setting names no store.
    """
    bundles = [
        (_time_of(path, manifest), path, manifest)
        for folder in folders
        for path in _find_bundles(folder)
        if (manifest := _read_finished(path)) is not None
    ]
    runs = [run for name in _stores_of(folders, store) for run in _newest_run(name)]
    newest = max(bundles, key=lambda bundle: bundle[:2], default=None)
    made, place, run = max(runs, key=lambda run: (run[0], run[2]), default=(0.0, None, ""))
    if place is not None and (newest is None or made > newest[0]):
        of_bundle = _digests_of_run(place, run)
        same = [each for each in bundles if of_bundle & {it.sha256 for it in each[2].files}]
        if not same:
            name, stamp = f"run {run}", ((run, 0),)
            return FoundRecording(name=name, store=place.shown, run=run, made=made, stamp=stamp)
        newest = max(same, key=lambda bundle: bundle[:2])
    if newest is None:
        return None
    path = newest[1]
    stamp = ((str(path), (path / MANIFEST).stat().st_mtime_ns),)
    name = path.resolve().name
    return FoundRecording(name=name, inputs=(str(path),), made=newest[0], stamp=stamp)


def _find_bundles(root: Path) -> Iterator[Path]:
    """The bundles in a folder and below it, or the folder itself."""
    for looked, (text, inside, files) in enumerate(os.walk(root)):
        folder = Path(text)
        if MANIFEST in files and is_bundle(folder):
            inside.clear()
            yield folder
        depth = len(folder.relative_to(root).parts)
        if looked > _MOST or depth >= _DEEPEST or "pyvenv.cfg" in files:
            inside.clear()
        inside[:] = [it for it in inside if not it.startswith(".") and it not in _PASSED_OVER]


def _read_finished(bundle: Path) -> Manifest | None:
    """The manifest of a bundle whose recording has ended; None of any other."""
    try:
        manifest = read_manifest(bundle)
    except KernelmapError:
        return None
    return None if manifest.state is State.RECORDING else manifest


def _time_of(bundle: Path, manifest: Manifest) -> float:
    """When a bundle was recorded: a copy of its files, or a checkout, has other times."""
    try:
        started = datetime.fromisoformat(manifest.started or "")
    except ValueError:
        return (bundle / MANIFEST).stat().st_mtime
    return (started if started.tzinfo else started.replace(tzinfo=UTC)).timestamp()


def _stores_of(folders: Iterable[Path], store: str | None) -> Iterator[str]:
    """The stores in folders that belong to the workspace, each once."""
    # A path that a setting states is from its file's folder, `.kernelmap` is in the workspace's.
    names = [store] if store else [str(it / chosen_store(None, folder=it)) for it in folders]
    yield from dict.fromkeys(name for name in names if not is_url(name))


def _newest_run(store: str) -> Iterator[tuple[float, Place, str]]:
    place = place_at(store)
    try:
        runs = [name for name, sizes in place.runs().items() if not isinstance(sizes, OSError)]
    except OSError:
        return
    made = [(when, name) for name in runs if (when := created(name)) is not None]
    if made:
        when, name = max(made)
        yield when.timestamp(), place, name


def _digests_of_run(place: Place, run: str) -> set[str]:
    """The digests of the files that a run was made from; none of a run that cannot be read."""
    try:
        return {file.sha256 for file in read_facts(place.read(f"{RUNS}/{run}/{RUN_TOML}")).inputs}
    except (OSError, ValueError):
        return set()
