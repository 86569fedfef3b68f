"""What `correlate` does with a report beside writing it: its name, its links, the browser."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from kernelmap.cli.common import say
from kernelmap.errors import UsageError, unwritable
from kernelmap.settings import setting

_NAME = "report.html"
_MARK = b'<meta name="generator" content="kernelmap'
_HEAD = 4096  # bytes in which the mark stands
_FOLDERS = "KERNELMAP_PATH_MAP"


def default_report() -> Path:
    """The page that is written where nobody names one.

    Raises UsageError for a file of that name that is no report of ours.
    """
    path = Path(_NAME)
    if not path.is_file():
        return path
    try:
        with path.open("rb") as file:
            is_report = _MARK in file.read(_HEAD)
    except OSError as error:
        raise unwritable(path, error) from error
    if not is_report:
        raise UsageError(
            "output-exists",
            f"{path} is there already and is no report of kernelmap",
            f"Choose a name with -o; -o {path} writes over it.",
        )
    return path


def folders_here(stated: Sequence[str]) -> Mapping[str, str]:
    """Where folders of the recording lie here: as stated, else as a variable or a setting says.

    Raises UsageError for a setting that is no table of folders.
    """
    # What is typed goes before the variable, and both before the setting.
    said = stated or [each for each in os.environ.get(_FOLDERS, "").split(os.pathsep) if each]
    path, kept = (None, None) if said else setting("path_map", Path.cwd())
    if kept is None:
        pairs = [text.partition("=") for text in said]
        if not all(start and equals and end for start, equals, end in pairs):
            raise click.UsageError("A path map is FROM=TO: a folder of the recording, one here.")
        return {start: end for start, _, end in pairs}
    if not isinstance(kept, dict) or not all(isinstance(to, str) and to for to in kept.values()):
        raise UsageError(
            "wrong-path-map",
            f"{path}: `path_map` in [tool.kernelmap] is no table of folders",
            'Write folders of the recording and here, such as path_map = {"/home/user" = "src"}.',
        )
    # Folders of the setting count from where its pyproject.toml lies.
    return {start: str((path.parent if path else Path()) / to) for start, to in kept.items()}


def show_in_browser(page: Path) -> None:
    """Hand the page to the browser; it is said where there is none."""
    if not webbrowser.open(page.resolve().as_uri()):
        say(f"no browser was found to show {page}")
