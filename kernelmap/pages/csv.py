r"""CSV: one table, exact numbers, a header line; lists are joined with "; ", null is nothing.

The data behind a figure or table of a page are written as CSV or as JSON.

A text that a spreadsheet would run as a formula gets an apostrophe before it, and what moves a
cursor or turns letters around becomes an escape such as `\x1b` (docs/decisions/0011). Numbers never
change, and `original_text` gives the text behind a cell.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from typing import BinaryIO, TextIO

from msgspec import Struct

from kernelmap.pages import page
from kernelmap.pages.text import is_moving_character
from kernelmap.tables.build import Tables
from kernelmap.tables.rows import Cell, Row
from kernelmap.tables.schema import TABLES
from kernelmap.tables.selection import SelectedRows
from kernelmap.tables.table import Table

_ENDS = "\r\n"
_APOSTROPHE = "'"
_RUNS = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 -- spreadsheets read the wide signs alike
"""What a formula starts with in some spreadsheet."""
_KEPT = "\t\n"  # a quoted cell holds them
_ESCAPE = "x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}"
_LOOKS = re.compile(_ESCAPE)
# A run of backslashes, possibly none, and the character behind it.
_PIECES = re.compile(r"(\\*+)([^\\]?)", re.DOTALL)
# An escape with all backslashes before it: behind an even number it is text that looks like one.
_ESCAPED = re.compile(rf"(?<!\\)(\\++)({_ESCAPE})")


def write_csv(tables: Tables, handle: BinaryIO, *, table: str) -> None:
    """Write one table to `handle` as UTF-8."""
    write_rows(handle, TABLES[table], tables.rows(table))


def write_selected(selected: SelectedRows, handle: BinaryIO) -> None:
    """Write what was selected of a table to `handle` as UTF-8."""
    text = io.TextIOWrapper(handle, encoding="utf-8", newline="")
    write_cells(text, selected.columns, (row.values() for row in selected.rows()))
    text.detach()


def dump_selected(selected: SelectedRows) -> str:
    """What was selected of a table, as one text."""
    buffer = io.BytesIO()
    write_selected(selected, buffer)
    return buffer.getvalue().decode()


def write_rows(handle: BinaryIO, table: Table, records: Iterable[Row]) -> None:
    """Write the header of `table`, and rows with its columns, to `handle` as UTF-8."""
    text = io.TextIOWrapper(handle, encoding="utf-8", newline="")
    write_cells(text, table.by_name, (row.values() for row in records))
    text.detach()


def write_cells(text: TextIO, header: Iterable[str], records: Iterable[Iterable[Cell]]) -> None:
    """Write a header and rows of any table; `text` leaves newlines as they are."""
    writer = csv.writer(_Rows(text), lineterminator=_ENDS)
    writer.writerow([_csv_cell(name) for name in header])
    for row in records:
        writer.writerow([_csv_cell(value) for value in row])


class _Rows(Struct, frozen=True):
    """Ends rows with a newline. The writer ends them with both, so it quotes texts with either."""

    text: TextIO

    def write(self, row: str) -> int:
        """Take one whole row."""
        return self.text.write(row.removesuffix(_ENDS) + "\n")


def original_text(text: str) -> str:
    r"""The text behind a cell of a text column.

    >>> cells = ("'=1+1", "it's", "'quoted'", "''-x", r"a\x1bb", r"a\\x1bb")
    >>> [original_text(cell) for cell in cells]
    ['=1+1', "it's", "'quoted'", "'-x", 'a\x1bb', 'a\\x1bb']
    """
    bare = text[1:] if text.startswith(_APOSTROPHE) and _is_guarded(text) else text
    return _ESCAPED.sub(_read_escape, bare)


def _csv_cell(value: Cell) -> Cell:
    if isinstance(value, list):
        value = "; ".join(value)
    if isinstance(value, str):
        value = _escape_text(value)
        return _APOSTROPHE + value if _is_guarded(value) else value
    return value


def _escape_text(text: str) -> str:
    """The text with escapes; backslashes before one, or before what looks like one, are doubled."""
    if text.isprintable() and "\\" not in text:
        return text
    out: list[str] = []
    for piece in _PIECES.finditer(text):
        slashes, char = piece.groups()
        # The character becomes an escape, and backslashes before it are doubled.
        if char and char not in _KEPT and is_moving_character(char):
            out += (slashes * 2, _spell_escape(char))
        else:
            # Backslashes before what would be read as an escape are doubled, all others stay as
            # they are.
            looks = _LOOKS.match(text, piece.start(2)) is not None
            out += (slashes * 2 if looks else slashes, char)
    return "".join(out)


def _spell_escape(char: str) -> str:
    return f"\\x{ord(char):02x}" if char == "\r" else char.encode("unicode_escape").decode()


def _read_escape(escape: re.Match[str]) -> str:
    """The character of an escape; the escape itself behind an even number of backslashes."""
    slashes, spelled = escape.groups()
    half = slashes[: len(slashes) // 2]
    return half + (chr(int(spelled[1:], 16)) if len(slashes) % 2 else spelled)


def _is_guarded(text: str) -> bool:
    """Whether a formula starts here, perhaps behind apostrophes: those get one more."""
    return text.lstrip(_APOSTROPHE).startswith(_RUNS)


MIMETYPES: Mapping[str, str] = {"csv": "text/csv", "json": "application/json"}
"""The forms that there are, by their suffix."""


def written(section: page.Figure | page.PageTable, form: str) -> str:
    """The frame of a section in one of the forms."""
    if form == "json":
        text: str = section.data.to_json(
            orient="records", indent=1, force_ascii=False, double_precision=15
        )
        return text + "\n"
    # A missing cell has to be None, or pandas' mark for it would be written.
    columns = [
        column.to_numpy(dtype=object, na_value=None)  # type: ignore[call-overload] # no stub for None
        for _, column in section.data.items()
    ]
    buffer = io.StringIO(newline="")
    write_cells(buffer, map(str, section.data.columns), zip(*columns, strict=True))
    return buffer.getvalue()
