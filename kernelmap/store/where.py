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
from kernelmap.model.paths import read_bytes
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
    path, stated = setting("store", folder)
    if stated is None or path is None:
        return DEFAULT
    if not isinstance(stated, str) or not stated:
        raise UsageError(
            "wrong-store",
            f"{path}: `store` in [tool.kernelmap] is no path or URL",
            'Write a text, such as store = ".kernelmap".',
        )
    return stated if _is_url(stated) else str(path.parent / stated)


def setting(name: str, folder: Path) -> tuple[Path | None, object]:
    """What the nearest pyproject.toml from `folder` upward states, and which one that is.

    None where none does. Raises KernelmapError where one on the way is no TOML.
    """
    for above in (folder, *folder.parents):
        path = above / "pyproject.toml"
        stated = _tool(path).get(name)
        if stated is not None:
            return path, stated
    return None, None


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


def _tool(path: Path) -> Mapping[str, object]:
    """The table [tool.kernelmap] of a pyproject.toml; empty where it is not there."""
    try:
        content = tomllib.loads(read_bytes(path).decode())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError) as error:  # TOML's and UTF-8's are ValueErrors
        raise unreadable(path, error, "Correct it, or name the store with --store.") from error
    tool = content.get("tool")
    ours = tool.get("kernelmap") if isinstance(tool, dict) else None
    return ours if isinstance(ours, dict) else {}
