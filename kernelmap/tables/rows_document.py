"""Some rows of one table as a document that says what it leaves out, and how to ask on.

Takes SelectedRows, gives `{"format": "kernelmap.rows", …}`: one JSON object, or as `jsonl` a head
and a row per line. What the whole JSON of a command holds is documented in json.py and where each
command makes it; this is what --top, --columns and --where make of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.model import Notice
from kernelmap.tables.json import encode_json, escape_in_json
from kernelmap.tables.rows import Cell, Row, escape_unsound
from kernelmap.tables.selection import SelectedRows
from kernelmap.tables.summary import Summary

_NOTICES = 5  # shown: more are rarely read, and a log of warnings would be most of the answer


class LeftOut(Struct, frozen=True, kw_only=True):
    """What a document does not have, and the commands that give it.

    `rows` is the number of rows, of them `unmatched` those that the condition does not mean;
    `time_ns` is what these rows hold together, of a comparison `change_ns`; null where no time of
    the table adds up.
    `columns` are those that are not shown, `notices` how many notices are not. `rows_by` is the
    command for all rows of this table, null where none is left out; `whole` that for everything.
    """

    rows: int
    unmatched: int
    time_ns: int | None
    change_ns: int | None
    columns: tuple[str, ...]
    notices: int
    rows_by: str | None
    whole: str | None


class Question(Struct, frozen=True, kw_only=True):
    """What is worth asking next, and the command that answers it."""

    ask: str
    command: str


class RowsHead(Struct, frozen=True, kw_only=True):
    """All of a document but its rows; the first line of `jsonl`.

    `row` says what a row is, `order` how rows are sorted, `units` what their numbers count: `ns`,
    or `1` for a part of 1. `summary` is that of the whole result, and `about` what else is said of
    the whole before any row: the change of a comparison, the ranks of a fleet; null where there is
    none.
    """

    format: Literal["kernelmap.rows"] = "kernelmap.rows"
    version: Literal[1] = 1
    table: str
    row: str
    order: str
    units: Mapping[str, str]
    summary: Summary | None
    about: Mapping[str, object] | None
    left_out: LeftOut
    next: tuple[Question, ...]
    notices: tuple[Notice, ...]


class RowsDocument(RowsHead, frozen=True, kw_only=True):
    """The whole document: its head, and the rows with the table's own names of columns."""

    rows: Sequence[Mapping[str, Cell]]


class Asked(Struct, frozen=True, kw_only=True):
    """What a document says beside its rows: of which window, what was noticed, how to ask on.

    `order` is how rows are sorted where that is not the table's own order. `rows_by` and `whole`
    are commands, as LeftOut has them.
    """

    summary: Summary | None = None
    about: Mapping[str, object] | None = None
    notices: Sequence[Notice] = ()
    order: str | None = None
    rows_by: str | None = None
    whole: str | None = None
    next: Sequence[Question] = ()


def dump_rows(selected: SelectedRows, asked: Asked) -> str:
    """The rows as one JSON document, a row per line.

    Columns in which no row says anything are left out, unless they were chosen.
    """
    whole = list(selected.rows())
    told = selected.columns
    if whole and not selected.has_chosen_columns:
        told = tuple(name for name in told if any(row[name] not in (None, []) for row in whole))
    head = msgspec.to_builtins(_head_of(replace(selected, columns=told), asked))
    parts = [encode_json(key) + b": " + encode_json(value) for key, value in head.items()]
    rows = b",\n".join(encode_json({name: row[name] for name in told}) for row in whole)
    text = b"{\n%b,\n" % b",\n".join(parts) + b'"rows": [' + (b"\n%b\n" % rows if rows else b"")
    return escape_in_json(text + b"]\n}\n").decode()


def iter_lines(selected: SelectedRows, asked: Asked) -> Iterator[str]:
    """The head, then every row: one JSON object per line."""
    yield _line_of(_head_of(selected, asked))
    yield from map(_line_of, selected.rows())


def _line_of(value: RowsHead | Row) -> str:
    return escape_in_json(encode_json(value)).decode() + "\n"


def _head_of(selected: SelectedRows, asked: Asked) -> RowsHead:
    table = selected.table
    is_change = "change_ns" in table.by_name
    shown = set(selected.columns)
    notices = tuple(asked.notices)
    missing = selected.total - selected.shown
    return RowsHead(
        table=table.name,
        row=table.row,
        order=asked.order or table.order,
        units={name: str(unit) for name in selected.columns if (unit := table.by_name[name].unit)},
        summary=asked.summary,
        about=asked.about,
        left_out=LeftOut(
            rows=missing,
            unmatched=selected.total - selected.matching,
            time_ns=None if is_change else selected.left_out_ns,
            change_ns=selected.left_out_ns if is_change else None,
            columns=tuple(name for name in table.by_name if name not in shown),
            notices=max(0, len(notices) - _NOTICES),
            rows_by=asked.rows_by if missing else None,
            whole=asked.whole,
        ),
        next=tuple(asked.next),
        notices=tuple(
            replace(notice, message=escape_unsound(notice.message)) for notice in notices[:_NOTICES]
        ),
    )
