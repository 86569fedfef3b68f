"""A path or URL → the place that it names: a folder, or an object store.

A store in a folder needs no package of the extra `store`; fsspec reaches object stores.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from kernelmap.errors import UsageError
from kernelmap.history.store.choosing import is_url
from kernelmap.history.store.local import LocalPlace
from kernelmap.history.store.place import Place
from kernelmap.history.store.remote import open_remote


def place_at(url: str) -> Place:
    """The place that a path or URL names. Raises UsageError for a URL that cannot be used."""
    # No path may hold a null character: Python would raise ValueError for it later.
    if "\0" in (unquote(url) if is_url(url) else url):
        raise _names_none(url, "it holds a null character")
    if not is_url(url):
        return LocalPlace(Path(url))
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise _names_none(url, str(error)) from error
    # A file URL of this machine needs no fsspec.
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return LocalPlace(Path(unquote(parts.path)))
    return open_remote(url)


def _names_none(url: str, why: str) -> UsageError:
    return UsageError("wrong-store", f"{url!r} names no store: {why}", "Name a folder or a URL.")
