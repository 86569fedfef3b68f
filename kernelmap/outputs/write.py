"""Writes tables to a file or folder in the format that its name asks for.

The only place of this package that creates files. A file appears whole or not at all (it is
written under another name, then renamed), and an input is never overwritten.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from kernelmap.errors import KernelmapError, UsageError
from kernelmap.outputs import csv, html, json, markdown, parquet
from kernelmap.views.schema import BY, TABLES
from kernelmap.views.tables import Tables

Draw = Callable[[BinaryIO], None]


def write(
    tables: Tables,
    target: Path,
    *,
    by: str = "op",
    top: int = 20,
    launches: bool = False,
    inputs: Sequence[Path] = (),
) -> Path:
    """Write `tables` to `target`: .json, .csv, .parquet, .html, .md, or a folder of Parquet files.

    `by` chooses the table of files that hold one (.csv, .parquet, .md), `top` its rows in .md,
    `launches` puts the launches into .json. `inputs` are files that may not be overwritten.
    Gives `target` back. Raises UsageError for a name of no known format, a missing folder or an
    input, KernelmapError where the file cannot be written.
    """
    drawers: Mapping[str, Draw] = {
        ".json": lambda handle: json.write(tables, handle, launches=launches or by == "launch"),
        ".csv": lambda handle: csv.write(tables, handle, table=BY[by]),
        ".parquet": lambda handle: parquet.write(tables, handle, table=BY[by]),
        ".html": lambda handle: _text(handle, html.render(tables)),
        ".md": lambda handle: _text(handle, markdown.render(tables, by=by, top=top)),
    }
    suffix = target.suffix.lower()
    if target.is_dir() or not suffix:
        return _folder(tables, target, inputs)
    if suffix not in drawers:
        raise UsageError(
            "unknown-output-format",
            f"{target}: no format is known for {target.suffix!r}",
            f"Use one of {', '.join(drawers)}, or a name without a suffix for a Parquet folder.",
        )
    return _file(target, drawers[suffix], inputs)


def _folder(tables: Tables, folder: Path, inputs: Sequence[Path]) -> Path:
    names = [name for name in TABLES if name != "launches" or tables.make_launches]
    _guard(folder, inputs)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from error
    for name in names:

        def draw(handle: BinaryIO, name: str = name) -> None:
            parquet.write(tables, handle, table=name)

        _file(folder / f"{name}.parquet", draw, inputs)
    return folder


def _file(target: Path, draw: Draw, inputs: Sequence[Path]) -> Path:
    """Draw into a new file beside `target`, then give it the name."""
    _guard(target, inputs)
    half = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with half.open("xb") as handle:
            draw(handle)
        half.replace(target)
    except OSError as error:
        raise _unwritable(target, error) from error
    finally:
        half.unlink(missing_ok=True)
    return target


def _guard(target: Path, inputs: Sequence[Path]) -> None:
    if not target.parent.is_dir():
        raise UsageError(
            "no-output-folder",
            f"{target}: the folder {target.parent} does not exist",
            "Create it first, or choose another place.",
        )
    if target.exists() and any(each.exists() and target.samefile(each) for each in inputs):
        raise UsageError(
            "output-is-input",
            f"{target} is an input and would be overwritten",
            "Choose another name for the output.",
        )


def _unwritable(target: Path, error: OSError) -> KernelmapError:
    return KernelmapError(
        "unwritable-output",
        f"{target} cannot be written: {error.strerror or error}",
        "Check the space and the rights there, or choose another place.",
        exit_code=2,
    )


def _text(handle: BinaryIO, text: str) -> None:
    handle.write(text.encode())
