"""`kernelmap correlate`: pair a profile with the code, split its time, show or write tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernelmap.cli.common import (
    ROW_FORMS,
    Command,
    OneOf,
    debug,
    emit,
    inputs,
    note,
    progress,
    result_form,
    say,
    show_page,
    top,
)
from kernelmap.cli.run_options import run_options
from kernelmap.options import Options
from kernelmap.views.schema import BY, SORTS

if TYPE_CHECKING:
    from kernelmap.correlation import Correlation
    from kernelmap.present.page import Note
    from kernelmap.views.tables import Tables


@click.command(
    cls=Command, short_help="Pair a profile's kernels with the code and split their time."
)
@inputs
@click.option("--by", type=OneOf(tuple(BY)), default="op", show_default=True, help="What a row is.")
@click.option(
    "--sort",
    type=OneOf(tuple(SORTS)),
    default="time",
    show_default=True,
    help="What comes first in the one table shown or written. headroom: what could be won of the"
    " time, as `kernelmap roofline` says.",
)
@result_form(
    "a .json, .csv, .parquet, .html or .md file, or a folder of Parquet files",
    place="FILE|DIR",
    forms=ROW_FORMS,
)
@click.option("--launches", is_flag=True, help="Put every launch and invocation into the JSON.")
@top
@click.option("--strict", is_flag=True, help="Exit with 1 where input was lost or not paired.")
@run_options("steps", "side", "cache_dir", "like", "device_limits")
@debug
@click.pass_context
def correlate(  # noqa: PLR0913 -- one parameter per option
    ctx: click.Context,
    *,
    inputs: tuple[Path, ...],
    by: str,
    sort: str,
    form: str | None,
    output: Path | None,
    launches: bool,
    top: int,
    strict: bool,
    options: Options,
) -> None:
    """Pair the kernels in a profile with the calls in generated code, and split their time.

    INPUTS are generated code and profiles: files and folders in any order. A profile alone works:
    the calls are then those that it names itself.

    Example: kernelmap correlate output_code.py profile.json
             kernelmap correlate torch_compile_debug/ profile.json.gz --by call --top 50
             kernelmap correlate torch_trace/ profile.json.gz --by line
             kernelmap correlate output_code.py profile.json --by line --sort headroom
             kernelmap correlate output_code.py profile.json --steps 3:5 --format json
             kernelmap correlate production.json --like bundle
             kernelmap correlate output_code.py profile.json -o report.html
             kernelmap correlate output_code.py profile.json -o tables/
    """
    from kernelmap.views.tables import order_column

    order_column(sort, BY[by])
    is_report = output is not None and output.suffix.lower() == ".html"
    keeps_all = False
    if output is not None:
        from kernelmap.outputs.write import check_place, is_folder

        check_place(output)
        keeps_all = is_report or is_folder(output)
    with progress("correlating"):
        from kernelmap.pipeline import correlate as run

        # A report needs speeds as well, and the table printed beside it is the same without it.
        speeds = sort != "time" or options.device_limits is not None
        has_work = speeds or keeps_all
        has_wall = by == "wall" or keeps_all
        result = run(*inputs, options=replace(options, work=has_work, wall=has_wall))
        tables = result.tables
    measured = None if is_report else result.speeds  # a report has the roofline's notes itself
    note((*result.notices, *measured.notices) if measured else tables.notices)
    if output is not None:
        with progress(f"writing {output}"):
            result.write(output, by=by, top=top, sort=sort, speeds=speeds, launches=launches)
        say(f"wrote {output}")
    if form is not None or output is None:
        _print(
            tables,
            form or "table",
            _closing(result, form or "table", by),
            by=by,
            top=top,
            sort=sort,
            speeds=speeds,
            launches=launches,
        )
    gaps = sum(notice.gap for notice in tables.notices)
    if strict and gaps:
        say(f"strict: {gaps} of the notes above are gaps")
        ctx.exit(1)


def _closing(result: Correlation, form: str, by: str) -> Note | None:
    """What a reader of the terminal's table is told below it: the finding, and the first advice."""
    if form not in ("table", "markdown") or by == "wall":
        return None
    from kernelmap.present.savings import closing

    with progress("looking at the steps"):
        return closing(result.first_savings)


def _print(  # noqa: PLR0913 -- one parameter per option
    tables: Tables,
    form: str,
    closing: Note | None,
    *,
    by: str,
    top: int,
    sort: str,
    speeds: bool,
    launches: bool,
) -> None:
    if form == "json":
        from kernelmap.outputs import json

        emit(json.dumps(tables, launches=launches or by == "launch"))
    elif form == "csv":
        from kernelmap.outputs import csv

        emit(csv.dumps(tables.sorted_by(sort, BY[by]), table=BY[by]))
    else:
        from kernelmap.present import result

        shown = result.page(
            tables,
            by=by,
            top=top,
            sort=sort,
            speeds=speeds,
            notices=form == "markdown",
            closing=closing,
        )
        show_page(shown, form)
