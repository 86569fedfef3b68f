"""Writes tables to a file or folder in the format that its name asks for.

The only place of this package that creates files. A format is imported where it is asked for:
reports and Parquet bring pandas. A file appears whole or not at all, and so do
all tables of a folder; see whole_files.py. Nothing that was read is overwritten, under whatever
name. Errors: names of no known format, places that are missing or full, inputs.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from kernelmap.errors import UsageError, unwritable
from kernelmap.pages import csv, report
from kernelmap.pages import one_table as result
from kernelmap.pages.render import markdown
from kernelmap.pages.report import Records
from kernelmap.suggestions import one_of, path_hint
from kernelmap.tables import json
from kernelmap.tables.build import Tables
from kernelmap.tables.rows import Row
from kernelmap.tables.schema import BY
from kernelmap.tables.selection import Selection, select_of_tables
from kernelmap.tables.table import Table
from kernelmap.whole_files import Draw, write_whole, write_whole_folder

SUFFIXES = (".json", ".csv", ".parquet", ".html", ".md")
PAGE_FORMS: Mapping[str, str] = {".json": "json", ".md": "markdown", ".html": "html"}
Identities = set[tuple[int, int]]


def write_tables(  # noqa: PLR0913 -- what the formats can show, and what must stay
    tables: Tables,
    target: Path,
    *,
    by: str = "op",
    top: int = 20,
    sort: str = "time",
    selection: Selection | None = None,
    speeds: bool = False,
    launches: bool = False,
    inputs: Sequence[Path] = (),
    records: Records | None = None,
    name: str | None = None,
    path_map: Mapping[str, str] | None = None,
) -> Path:
    """Write `tables` to `target`: .json, .csv, .parquet, .html, .md, or a folder of Parquet files.

    `by` chooses the table of files that hold one (.csv, .parquet, .md), `sort` its order, `top` its
    rows in .md, `speeds` shows rates and headroom there, `launches` puts the launches into .json.
    `selection` is what is asked of the rows in .csv and .md, in place of `top`.
    `inputs` are files that may not be overwritten. `records` are what the tables were made from;
    the report shows code and launches with them, `name` as its title, links to an editor through
    `path_map` (folder of the recording to folder here). Gives `target` back. Raises UsageError for
    a name of no known format, a missing folder or an input, KernelmapError where the file cannot be
    written.
    """
    if by not in BY:
        hint = one_of(by, BY, "Use one of")
        raise UsageError("unknown-table", f"there is no table by {by!r}", hint)

    def draw_json(handle: BinaryIO) -> None:
        json.write_json(tables, handle, launches=launches or by == "launch")

    def draw_csv(handle: BinaryIO) -> None:
        ordered = tables.sorted_by(sort, BY[by])
        if selection is None:
            csv.write_csv(ordered, handle, table=BY[by])
        else:
            csv.write_selected(select_of_tables(ordered, BY[by], selection), handle)

    def draw_markdown(handle: BinaryIO) -> None:
        chosen = selection or Selection(top=top)
        page = result.page_of_result(
            tables, by=by, selection=chosen, sort=sort, speeds=speeds, notices=True
        )
        _write_text(handle, markdown.render_markdown(page))

    def draw_report(handle: BinaryIO) -> None:
        content = report.Content(tables=tables, records=records, name=name, path_map=path_map or {})
        _write_text(handle, report.render_report(content))

    drawers: Mapping[str, Draw] = {
        ".json": draw_json,
        ".csv": draw_csv,
        ".parquet": _draw_parquet(tables, BY[by], sort),
        ".html": draw_report,
        ".md": draw_markdown,
    }
    check_place(target)
    try:
        if is_folder(target):
            _write_folder(tables, target, _identities_of_inputs(inputs))
        else:
            _guard_inputs(target, _identities_of_inputs(inputs))
            write_whole({target: drawers[target.suffix.lower()]})
    except OSError as error:
        raise unwritable(target, error) from error
    return target


def check_place(target: Path) -> None:
    """Raise UsageError where nothing can be written to `target`, as far as its name shows.

    Whoever has much to do before writing asks this first.
    """
    require_folder_of(target)
    try:
        if is_folder(target):
            _check_folder(target)
        elif target.suffix.lower() not in SUFFIXES:
            known = one_of(target.suffix, SUFFIXES, "Use one of").removesuffix(".")
            raise UsageError(
                "unknown-output-format",
                f"{target}: no format is known for {target.suffix!r}",
                f"{known}, or a name without a suffix: a Parquet folder.",
            )
    except OSError as error:
        raise unwritable(target, error) from error


def check_page_or_folder(target: Path) -> None:
    """Raise UsageError where `target` is no page to write and no place for a folder of tables.

    Whoever has much to do before writing asks this first.
    """
    require_folder_of(target)
    if target.suffix:
        page_form(target)
    else:
        _check_folder(target, PAGE_FORMS)


def page_form(target: Path) -> str:
    """The form of a page that a name asks for: `json`, `markdown` or `html`; else UsageError."""
    form = PAGE_FORMS.get(target.suffix.lower())
    if form is None:
        raise UsageError(
            "unknown-output-format",
            f"{target}: no format is known for {target.suffix!r}",
            one_of(target.suffix, PAGE_FORMS, "Use one of"),
        )
    return form


def require_folder_of(target: Path) -> None:
    """Raise UsageError where the folder that `target` is to lie in does not exist."""
    try:
        if not target.parent.is_dir():
            meant = path_hint(target.parent) or ""
            raise UsageError(
                "no-output-folder",
                f"{target}: the folder {target.parent} does not exist",
                f"{meant} Create it first, or choose another place.".strip(),
            )
    except OSError as error:
        raise unwritable(target, error) from error


def write_files(draws: Mapping[Path, Draw], inputs: Sequence[Path]) -> None:
    """Draw all files or none; all places are looked at before the first is drawn.

    `inputs` are files that may not be overwritten. Raises UsageError for one of them, and where a
    file cannot be written.
    """
    read = _identities_of_inputs(inputs)
    for target in draws:
        _guard_inputs(target, read)
    try:
        write_whole(draws)
    except OSError as error:
        raise unwritable(next(iter(draws)), error) from error


def write_folder(folder: Path, draws: Mapping[str, Draw], inputs: Sequence[Path]) -> None:
    """Draw files into `folder` by name, all of them or none, as `write_files` does.

    The folder is made where it is missing, and not left there where that fails.
    """
    try:
        _fill_folder(folder, draws, _identities_of_inputs(inputs))
    except OSError as error:
        raise unwritable(folder, error) from error


def write_text(target: Path, text: str, inputs: Sequence[Path]) -> None:
    """Write one text as `write_files` does; what UTF-8 cannot hold becomes escapes."""
    write_files({target: lambda handle: _write_text(handle, text)}, inputs)


def draw_rows(table: Table, rows: Sequence[Row]) -> Draw:
    """What writes rows of a table as Parquet, each column with its type, unit and help."""

    def draw(handle: BinaryIO) -> None:
        import pyarrow.parquet as pq

        from kernelmap.tables.frames import arrow_of_rows

        pq.write_table(arrow_of_rows(table, rows), handle, compression="zstd")

    return draw


def append_text(target: Path, text: str, inputs: Sequence[Path]) -> None:
    """Add a text to a file that others write, too. Raises UsageError as `write_files` does."""
    _guard_inputs(target, _identities_of_inputs(inputs))
    try:
        with target.open("ab") as handle:
            _write_text(handle, text)
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        reason = error if isinstance(error, OSError) else OSError(str(error))
        raise unwritable(target, reason) from error


def is_folder(target: Path) -> bool:
    """Whether a name stands for a folder of Parquet files."""
    return target.is_dir() or not target.suffix


def _check_folder(folder: Path, suffixes: Iterable[str] = SUFFIXES) -> None:
    if folder.exists() and not folder.is_dir():
        raise UsageError(
            "unwritable-output",
            f"{folder} is a file, and a name without a suffix stands for a folder",
            f"Choose a name that ends in one of {', '.join(suffixes)}, or another folder.",
        )


def _write_folder(tables: Tables, folder: Path, inputs: Identities) -> None:
    """Write one file per table."""
    _fill_folder(
        folder, {f"{name}.parquet": _draw_parquet(tables, name) for name in tables.held}, inputs
    )


def _draw_parquet(tables: Tables, name: str, sort: str = "time") -> Draw:
    """What writes one table as Parquet."""

    def draw(handle: BinaryIO) -> None:
        from kernelmap.tables import parquet

        parquet.write_parquet(tables.sorted_by(sort, name), handle, table=name)

    return draw


def _fill_folder(folder: Path, draws: Mapping[str, Draw], inputs: Identities) -> None:
    """Draw files into a folder; all places are looked at before the first is drawn."""
    for place in (folder, *(folder / name for name in draws)):
        _guard_inputs(place, inputs)
    write_whole_folder(folder, draws)


def _identities_of_inputs(inputs: Sequence[Path]) -> Identities:
    """Device and inode of each input that is there: links of any kind share them."""
    return {
        (status.st_dev, status.st_ino)
        for source in inputs
        if (status := _stat_or_none(source)) is not None
    }


def _stat_or_none(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _guard_inputs(target: Path, inputs: Identities) -> None:
    status = _stat_or_none(target)
    if status is None:
        return
    # What was read is known by device and inode, so it is found under another name and behind a
    # link as well.
    if (status.st_dev, status.st_ino) in inputs:
        raise UsageError(
            "output-is-input",
            f"{target} was read and would be overwritten",
            "Choose another name for the output.",
        )
    # A file appears by a rename, which would put it in the place of a pipe or a device.
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        raise UsageError(
            "unwritable-output",
            f"{target} is neither a file nor a folder",
            "Give a file, or leave out -o: results go to standard output.",
        )


def _write_text(handle: BinaryIO, text: str) -> None:
    handle.write(text.encode("utf-8", "backslashreplace"))
