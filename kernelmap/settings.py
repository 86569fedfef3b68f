"""What a project's pyproject.toml states in [tool.kernelmap], found from a folder upward.

Every command asks, so nothing heavy is loaded here. docs/settings.md says what each setting is.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from kernelmap.errors import UsageError, unreadable
from kernelmap.suggestions import one_of

SETTINGS = (
    *("store", "series", "commit_url", "author_url", "path_map", "cache_dir", "device_limits"),
    "time_limit",
    *("steps", "by", "top", "max_regression", "min_time", "min_coverage", "on_change"),
)


def setting(name: str, folder: Path) -> tuple[Path | None, object]:
    """What the nearest pyproject.toml from `folder` upward states, and which one that is.

    None where none does. Raises KernelmapError where one on the way is no TOML, and UsageError
    where one states what is none of SETTINGS.
    """
    for path, stated in tables(folder):
        if stated.get(name) is not None:
            return path, stated[name]
    return None, None


def tables(folder: Path) -> list[tuple[Path, Mapping[str, object]]]:
    """Every pyproject.toml from `folder` upward with its table, the nearest first.

    Raises as `setting` does.
    """
    paths = [above / "pyproject.toml" for above in (folder, *folder.parents)]
    return [(path, _table(path)) for path in paths if path.is_file()]


def _table(path: Path) -> Mapping[str, object]:
    """The table [tool.kernelmap] of a pyproject.toml; empty where it is not there."""
    try:
        content = tomllib.loads(path.read_bytes().decode())
    except (OSError, ValueError, RecursionError) as error:  # TOML's and UTF-8's are ValueErrors
        raise unreadable(path, error, "Correct it, or name the store with --store.") from error
    tool = content.get("tool")
    # The file may have no such table, or something else under its name.
    ours = tool.get("kernelmap") if isinstance(tool, dict) else None
    if not isinstance(ours, dict):
        return {}
    for name in ours:
        if name not in SETTINGS:
            raise UsageError(
                "unknown-setting",
                f"{path}: [tool.kernelmap] has no setting {name!r}",
                one_of(name, SETTINGS),
            )
    return ours
