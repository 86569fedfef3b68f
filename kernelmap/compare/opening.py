"""What a user names as one side of a comparison → its tables.

A saved result (JSON, or a folder of Parquet files) is read back; a bundle, a folder with code and
profile, or several inputs joined with `+` are correlated first. What is no path is a run of the
store, such as `main~3`. Errors are those of reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from kernelmap.compare.side import Side, side
from kernelmap.errors import UsageError
from kernelmap.model import Notice
from kernelmap.model.paths import is_regular
from kernelmap.options import Options
from kernelmap.outputs.saved import load
from kernelmap.pipeline import correlate
from kernelmap.store.listing import Listed
from kernelmap.store.origin import versions_of
from kernelmap.store.refs import resolve
from kernelmap.store.store import Store
from kernelmap.store.where import chosen

_JOIN = "+"
_SAVED = b'"kernelmap.correlation"'
_HEAD = 256  # bytes in which a saved document names its format


def open_side(
    name: str, options: Options | None = None, *, store: str | None = None
) -> tuple[Side, tuple[Notice, ...]]:
    """One side of a comparison, and what could not be used of it; `store` as --store names it."""
    path = Path(name)
    if not path.exists() and _JOIN in name:
        paths = [Path(part) for part in name.split(_JOIN)]
    else:
        paths = [path]
    if len(paths) == 1 and is_saved(path):
        saved = load(path)
        return side(saved.tables, name), saved.notices
    kept = Store(chosen(store).url)
    if len(paths) == 1 and not path.exists() and kept.place.exists():
        run = kept.open(name)
        stated = {"torch": run.facts.torch, "triton": run.facts.triton}
        versions = {key: value for key, value in stated.items() if value is not None}
        return side(run.tables, name, versions), run.notices
    found = correlate(*paths, options=options)
    return side(found.tables, name, versions_of(found)), found.notices


def newest(ref: str, count: int, *, store: str | None = None) -> list[str]:
    """The ids of the newest `count` runs of a branch, a name or a tag, or as many as there are.

    Raises UsageError where there is none.
    """
    runs = Store(chosen(store).url).runs()
    return [resolve(f"{ref}~0", runs).id, *_before(ref, count, runs)]


def _before(ref: str, count: int, runs: Sequence[Listed]) -> Iterator[str]:
    for back in range(1, count):
        try:
            yield resolve(f"{ref}~{back}", runs).id
        except UsageError:  # there are fewer
            return


def is_saved(path: Path) -> bool:
    """Whether a path is a result that kernelmap saved, by its content."""
    if path.is_dir():
        return (path / "ledger.parquet").is_file() and (path / "calls.parquet").is_file()
    if not is_regular(path):
        return False
    with path.open("rb") as handle:
        return _SAVED in handle.read(_HEAD)
