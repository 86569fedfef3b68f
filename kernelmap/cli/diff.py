"""`kernelmap diff`: what changed between two recordings, and why."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernelmap.cli.common import (
    ROW_FORMS,
    Command,
    OneOf,
    emit,
    named_store,
    note_of_runs,
    progress,
    remark,
    result_form,
    say,
    show_page,
    top,
    with_store,
)
from kernelmap.cli.shared_options import FIGURES, ROWS, STORE, chosen_options, require_bearing
from kernelmap.cli.tables import (
    Again,
    RowsAsked,
    has_selection,
    print_table_of_rows,
    prints_rows,
    refuse_selection,
    with_anyway,
)
from kernelmap.commands import command

if TYPE_CHECKING:
    from kernelmap.history.compare.numbers.comparison import Comparison

_BY = ("op", "line", "call", "graph")
_BELOW = "Show the single calls below the sums as well."
_EQUAL = (
    "Take out of compute-bound calls what the sampled SM clocks explain; others do not follow them."
)


@click.command(
    cls=Command,
    shared=(*STORE, *FIGURES, *ROWS),
    short_help="Say what changed between two recordings, and why.",
)
@click.argument("before")
@click.argument("after")
@click.option("--by", type=OneOf(_BY), help="Show the change per op, line, …, instead.")
@click.option("--calls", is_flag=True, help=_BELOW)
@click.option("--at-equal-clocks", is_flag=True, help=_EQUAL)
@result_form("a .json, .md or .html file", forms=ROW_FORMS)
@top
@click.option("--strict", is_flag=True, help="Exit with 1 where the two are hard to compare.")
@click.pass_context
def diff(  # noqa: PLR0913 -- one parameter per option
    ctx: click.Context,
    *,
    before: str,
    after: str,
    by: str | None,
    calls: bool,
    at_equal_clocks: bool,
    form: str | None,
    output: Path | None,
    top: int,
    strict: bool,
) -> None:
    """Split the change of time between two recordings over its causes, without a remainder.

    BEFORE and AFTER are each a bundle, a folder with code and profile, a saved result (.json or a
    folder of Parquet files), several inputs joined with +, or a run of the store, such as main~3.
    Calls are paired by what they compute, so it does not matter how the compiler numbered them.
    The changes are summed by cause and kernel or operator; --calls lists the single calls as well.
    Statistics need the times of every invocation: a result saved as JSON has them with --launches
    only. Where the code says what memory it takes, it also says why the peak of a graph changed;
    of two sides that are code without a profile that is all.

    Example: kernelmap diff before/ after/
             kernelmap diff main.json branch.json --by line
             kernelmap diff main~1 main
             kernelmap diff old.py+old.json.gz new.py+new.json.gz -o diff.html
             kernelmap diff old/output_code.py new/output_code.py
    """
    refuse_selection(output)
    if output is not None:
        from kernelmap.pages.write import page_form, require_folder_of

        page_form(output)
        require_folder_of(output)
    if _show_codes(before, after, form, output, top):
        return
    with progress("comparing"):
        from kernelmap.history.compare.numbers.comparison import compare_sides
        from kernelmap.history.compare.sides.opening import open_side
        from kernelmap.history.compare.texts.shown import render_comparison

        options, store = chosen_options(), named_store()
        one, other = (open_side(name, store=store, options=options) for name in (before, after))
    for opened in (one, other):
        require_bearing(opened.notices, form)
    with progress("comparing"):
        comparison = compare_sides(one.side, other.side, at_equal_clocks=at_equal_clocks)
    note_of_runs([(opened.side.title, opened.notices) for opened in (one, other)])
    if output is not None:
        from kernelmap.pages.write import write_text

        text = render_comparison(comparison, page_form(output), top)
        write_text(output, text, one.files + other.files)
        remark(f"wrote {output}")
    if form is None and output is not None:
        pass
    elif prints_rows(form or "table", "by", "top"):
        again = with_anyway(partial(_ask_again, before, after))
        _print_rows(comparison, by, form or "table", top, again)
    elif form in ("json", "markdown"):
        emit(render_comparison(comparison, form, top))
    else:
        from kernelmap.history.compare.texts.show import short_page

        show_page(short_page(comparison, by=by, top=top, calls=calls))
    if strict and comparison.differences:
        from kernelmap.model.notices import format_count

        say(f"strict: {format_count(len(comparison.differences), 'difference')} beside the code")
        ctx.exit(1)


def _ask_again(before: str, after: str, *words: str) -> str:
    return with_store(f"`{command('diff', before, after, *words)}`").strip("`")


def _print_rows(comparison: Comparison, by: str | None, form: str, top: int, again: Again) -> None:
    """Print what is asked of the sums of changes, or of the changes by `by`."""
    from msgspec.structs import asdict

    from kernelmap.history.compare.numbers.rolled import ROLLED
    from kernelmap.history.compare.texts.in_json import SUMS, about_comparison, rows_of_sums
    from kernelmap.history.compare.texts.show import title_of
    from kernelmap.pages.questions import questions_of
    from kernelmap.tables.rows import rows_of

    words = () if by is None else ("--by", by)
    how = RowsAsked(
        words=words,
        again=again,
        whole=again("--format", "json"),
        title=title_of(comparison),
        about=about_comparison(comparison),
        next=questions_of(
            [
                (f"the change by {other}", ("--by", other, "--format", "json", "--top", "10"))
                for other in ("line", "op")
                if other != by
            ],
            again,
        ),
    )
    if by is None:
        print_table_of_rows(SUMS, rows_of_sums(comparison), form, top, how)
        return
    changed = [row for row in comparison.tables[f"{by}s"] if row.change_ns]
    print_table_of_rows(ROLLED, rows_of(ROLLED, [*map(asdict, changed)]), form, top, how)


def _show_codes(before: str, after: str, form: str | None, output: Path | None, top: int) -> bool:
    """Print or write how memory changed, where both sides are code alone; else False."""
    with progress("comparing"):
        from kernelmap.history.compare.memory.codes import compare_codes_named

        compared = compare_codes_named(before, after)
    if compared is None:
        return False
    if form in ("csv", "jsonl") or has_selection():
        raise click.UsageError(
            "Of code without a profile no times are known, so there are no rows: --format json."
        )
    note_of_runs([(side.title, side.notices) for side in compared.sides])
    if output is not None:
        from kernelmap.pages.write import page_form, write_text

        files = tuple(path for side in compared.sides for path in side.files)
        write_text(output, compared.render(page_form(output), top), files)
        remark(f"wrote {output}")
    if form in ("json", "markdown"):
        emit(compared.render(form, top))
    elif form == "table" or output is None:
        show_page(compared.page(top))
    return True
