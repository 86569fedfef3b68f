"""Which store is meant: its path or URL.

The store is that of --store, else KERNELMAP_STORE, else pyproject.toml, else ./.kernelmap. The
variable comes before the project's file so that a CI job can point elsewhere without editing it. In
pyproject.toml, found from the current folder upward, a path is relative to that file:

    [tool.kernelmap]
    store = "s3://bucket/kernelmap"
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from kernelmap.errors import UsageError
from kernelmap.settings import setting

VARIABLE, DEFAULT = "KERNELMAP_STORE", ".kernelmap"


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
    return stated if is_url(stated) else str(path.parent / stated)


def is_url(text: str) -> bool:
    """Whether a name of a store is a URL, and no path."""
    return "://" in text
