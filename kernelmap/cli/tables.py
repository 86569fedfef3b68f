"""How commands print rows of tables: all, or what --top, --columns and --where leave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from kernelmap.cli.common import GIVEN, emit, show_page
from kernelmap.tables.schema import BY, LATER, LONG, SORTS

if TYPE_CHECKING:
    from kernelmap.model import Notice
    from kernelmap.pages.page import Note
    from kernelmap.tables.build import Tables
    from kernelmap.tables.rows import Row
    from kernelmap.tables.rows_document import Asked, Question
    from kernelmap.tables.selection import SelectedRows, Selection
    from kernelmap.tables.table import Table

Again = Callable[..., str | None]
"""The command line that asks some words of the same inputs; None where those cannot be asked it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTable:
    """Which table is shown or written, and how much of it; `launches` puts them into JSON.

    `is_kept`: of a run in a store.
    """

    by: str
    top: int
    sort: str = "time"
    launches: bool = False
    is_kept: bool = False


def with_anyway(again: Again) -> Again:
    """The same, whose commands for figures have --anyway where this one does: else they refuse."""
    given = click.get_current_context().meta.get(GIVEN, {}).get("anyway")

    def ask(*words: str) -> str | None:
        has_figures = given and words[0] not in ("doctor", "explain", "which")
        return again(*words, *(("--anyway",) if has_figures else ()))

    return ask


def is_typed(name: str) -> bool:
    """Whether an option of the command stands on the command line, and not in a setting."""
    source = click.get_current_context().get_parameter_source(name)
    return source is ParameterSource.COMMANDLINE


def chosen_columns() -> tuple[str, ...]:
    """The names of --columns, in their order."""
    named = click.get_current_context().meta.get(GIVEN, {}).get("columns")
    if named is None:
        return ()
    names = tuple(dict.fromkeys(name.strip() for name in named.split(",")))
    if "" in names:
        raise click.UsageError(f"--columns {named!r}: a name is empty; write a,b,c.")
    return names


def chosen_condition() -> str | None:
    """The text of --where."""
    text = click.get_current_context().meta.get(GIVEN, {}).get("where")
    return text if isinstance(text, str) else None


def is_bounded(*options: str) -> bool:
    """Whether JSON has rows of one table: --columns, --where, or one of `options` was typed."""
    return has_selection() or any(map(is_typed, options))


def chosen_selection(form: str, top: int) -> Selection:
    """What is asked of the rows; CSV and lines have all that match unless --top was typed."""
    from kernelmap.tables.selection import Selection
    from kernelmap.tables.where import parse_where

    text = chosen_condition()
    is_limited = form not in ("csv", "jsonl") or is_typed("top")
    return Selection(
        top=top if is_limited else None,
        columns=chosen_columns(),
        where=None if text is None else parse_where(text),
    )


_OF_ONE_TABLE = {".csv": "csv", ".md": "markdown"}


def selection_of_file(output: Path, top: int) -> Selection:
    """What is asked of the rows in a file; UsageError where it holds more than one table."""
    form = _OF_ONE_TABLE.get(output.suffix.lower())
    if form is None and has_selection():
        raise click.UsageError(
            f"{output} holds whole tables: --columns and --where are for .csv and .md, and for"
            " --format without -o."
        )
    return chosen_selection(form or "table", top)


def print_tables(  # noqa: PLR0913 -- the tables, how much of them is shown, and what is said beside
    tables: Tables,
    form: str,
    closing: Note | None,
    shown: ShownTable,
    *,
    speeds: bool,
    bounded: bool,
    again: Again,
) -> None:
    """Print one table for people, as CSV or as lines, or all of them as JSON.

    `bounded` makes JSON of one table as well. `again` gives the command that asks some words of the
    same inputs.
    """
    name = BY[shown.by]
    if form == "json" and not bounded:
        from kernelmap.tables import json

        emit(json.dump_json(tables, launches=shown.launches or shown.by == "launch"))
        return
    selection = chosen_selection(form, shown.top)
    if form in ("json", "jsonl", "csv"):
        from kernelmap.tables.selection import select_of_tables

        selected = select_of_tables(tables.sorted_by(shown.sort, name), name, selection)
        print_rows(selected, form, lambda: _asked_of(tables, selected, shown, again))
        return
    from kernelmap.pages import one_table

    page = one_table.page_of_result(
        tables,
        by=shown.by,
        selection=selection,
        sort=shown.sort,
        speeds=speeds,
        notices=form == "markdown",
        closing=closing,
    )
    show_page(page, form)


def has_selection() -> bool:
    """Whether --columns or --where is given."""
    return bool(chosen_columns()) or chosen_condition() is not None


def refuse_selection(output: Path | None) -> None:
    """UsageError where --columns or --where is given for a file that holds several tables."""
    if output is not None and has_selection():
        raise click.UsageError(
            f"{output} holds several tables: --columns and --where are for --format without -o."
        )


def prints_rows(form: str, *bounding: str) -> bool:
    """Whether the answer is rows of one table; else it is a page, or a document of everything."""
    is_of_rows = form in ("csv", "jsonl") or has_selection()
    return is_of_rows or (form == "json" and is_bounded(*bounding))


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsAsked:
    """How a command asks for the rows of one of its tables, and for everything.

    `words` are the command and the options that choose the table, `again` makes a command line of
    words with the same inputs, `whole` is the command for everything. `about` is what is said of
    the whole before any row.
    """

    words: tuple[str, ...]
    again: Again
    whole: str | None
    title: str
    notices: Sequence[Notice] = ()
    about: Mapping[str, object] | None = None
    order: str | None = None
    next: Sequence[Question] = ()


def print_table_of_rows(
    table: Table, rows: Sequence[Row], form: str, top: int, how: RowsAsked
) -> None:
    """Print what is asked of the rows of any table, in any form."""
    from kernelmap.tables.selection import select_rows

    selection = chosen_selection(form, top)
    selected = select_rows(table, rows, selection)
    if form in ("json", "jsonl", "csv"):
        print_rows(selected, form, lambda: _asked_of_rows(selected, how))
        return
    from kernelmap.pages.chosen_columns import page_of_chosen

    show_page(page_of_chosen(selected, selection, how.title), form)


def print_rows(selected: SelectedRows, form: str, asked: Callable[[], Asked]) -> None:
    """Print rows of any table as `json`, `jsonl` or `csv`; `asked` is what stands beside them."""
    if form == "csv":
        from kernelmap.pages import csv

        emit(csv.dump_selected(selected))
        return
    from kernelmap.tables.rows_document import dump_rows, iter_lines

    if form == "json":
        emit(dump_rows(selected, asked()))
    else:
        for line in iter_lines(selected, asked()):
            emit(line)


def _asked_of_rows(selected: SelectedRows, how: RowsAsked) -> Asked:
    from kernelmap.tables.rows_document import Asked

    return Asked(
        notices=how.notices,
        about=how.about,
        order=how.order,
        rows_by=_all_rows_by(how.words, selected, how.again),
        whole=how.whole,
        next=how.next,
    )


def _all_rows_by(words: tuple[str, ...], selected: SelectedRows, again: Again) -> str | None:
    return again(*words, "--format", "json", "--top", str(max(1, selected.total)))


def _asked_of(tables: Tables, selected: SelectedRows, shown: ShownTable, again: Again) -> Asked:
    from kernelmap.pages.questions import next_questions
    from kernelmap.tables.rows_document import Asked

    sort = () if shown.sort == "time" else ("--sort", shown.sort)
    # On stdout the whole JSON has these tables never, and a kept run prints only single ones.
    in_file = shown.is_kept or BY[shown.by] in (*LATER, *LONG)
    words = ("--by", shown.by, "-o", "result.json") if in_file else ("--format", "json")
    whole = again("correlate", *words)
    return Asked(
        summary=tables.summary,
        notices=tables.notices,
        order=f"{SORTS[shown.sort]}, most first" if sort else None,
        rows_by=_all_rows_by(("correlate", "--by", shown.by, *sort), selected, again),
        whole=whole,
        next=next_questions(shown.by, selected.make_rows(), again),
    )
