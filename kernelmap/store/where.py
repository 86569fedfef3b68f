"""Which store is meant: --store, else KERNELMAP_STORE, else pyproject.toml, else ./.kernelmap.

The variable comes before the project's file so that a CI job can point elsewhere without editing
it. In pyproject.toml, found from the current folder upward, a path is relative to that file:

    [tool.kernelmap]
    store = "s3://bucket/kernelmap"
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from kernelmap.errors import UsageError, unreadable
from kernelmap.store.local import LocalPlace
from kernelmap.store.place import Place

VARIABLE, DEFAULT = "KERNELMAP_STORE", ".kernelmap"


def chosen(
    given: str | None, *, folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> str:
    """The path or URL of the store to use.

    Raises KernelmapError where a pyproject.toml on the way is no TOML.
    """
    folder = Path.cwd() if folder is None else folder
    variable = (os.environ if environment is None else environment).get(VARIABLE)
    if given:
        return given
    if variable:
        return variable
    for above in (folder, *folder.parents):
        stated = _stated(above / "pyproject.toml")
        if stated is not None:
            return stated if _is_url(stated) else str(above / stated)
    return DEFAULT


def place(url: str) -> Place:
    """The place that a path or URL names. Raises UsageError for a URL that cannot be used."""
    if not _is_url(url):
        return LocalPlace(Path(url))
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return LocalPlace(Path(unquote(parts.path)))
    from kernelmap.store.remote import open_remote

    return open_remote(url)


def _is_url(text: str) -> bool:
    return "://" in text


def _stated(path: Path) -> str | None:
    """The store that a pyproject.toml states."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:  # TOML's and UTF-8's errors are ValueErrors
        raise unreadable(path, error, "Correct it, or name the store with --store.") from error
    tool = content.get("tool")
    ours = tool.get("kernelmap") if isinstance(tool, dict) else None
    stated = ours.get("store") if isinstance(ours, dict) else None
    if stated is None:
        return None
    if not isinstance(stated, str) or not stated:
        raise UsageError(
            "wrong-store",
            f"{path}: `store` in [tool.kernelmap] is no path or URL",
            'Write a text, such as store = ".kernelmap".',
        )
    return stated
