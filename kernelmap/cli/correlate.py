"""`kernelmap correlate`: pair a profile with the code, split its time, show or write tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from kernelmap.cli.common import (
    ROW_FORMS,
    Command,
    OneOf,
    note,
    progress,
    remark,
    result_form,
    say,
    top,
)
from kernelmap.cli.memory import answer_memory
from kernelmap.cli.report_page import default_report, folders_here, show_in_browser
from kernelmap.cli.roofline import answer_roofline
from kernelmap.cli.shared_options import FIGURES, ROWS, chosen_options, require_bearing
from kernelmap.cli.standard_input import inputs
from kernelmap.cli.tables import (
    ShownTable,
    is_bounded,
    print_tables,
    selection_of_file,
    with_anyway,
)
from kernelmap.options import Options
from kernelmap.tables.schema import BY, SORTS

if TYPE_CHECKING:
    from kernelmap.correlation import Correlation
    from kernelmap.model import Notice
    from kernelmap.pages.page import Note


@click.command(
    cls=Command,
    shared=(*FIGURES, *ROWS),
    short_help="Pair a profile's kernels with the code and split their time.",
)
@inputs
@click.option(
    "--by",
    type=OneOf((*BY, "memory")),
    default="op",
    show_default=True,
    help="What a row is. memory: who holds the bytes, as `kernelmap memory` says.",
)
@click.option(
    "--sort",
    type=OneOf(tuple(SORTS)),
    default="time",
    show_default=True,
    help="What comes first in the one table shown or written. headroom: what could be won of the"
    " time, as --roofline says.",
)
@click.option(
    "--roofline",
    is_flag=True,
    help="Set calls against their device's limits instead: bytes, operations, headroom and why,"
    " by call, op, line, module or kernel.  [default: by call]",
)
@result_form(
    "a .json, .csv, .parquet, .html or .md file, or a folder of Parquet files",
    place="FILE|DIR",
    forms=ROW_FORMS,
)
@click.option(
    "--open",
    "opens",
    is_flag=True,
    help="Show the .html file in the browser; report.html, where -o names none.",
)
@click.option("--path-map", "path_map", multiple=True, hidden=True)
@click.option("--launches", is_flag=True, help="Put every launch and invocation into the JSON.")
@top
@click.option("--strict", is_flag=True, help="Exit with 1 where input was lost or not paired.")
@click.pass_context
def correlate(  # noqa: PLR0913 -- one parameter per option
    ctx: click.Context,
    *,
    inputs: tuple[Path, ...],
    by: str,
    sort: str,
    roofline: bool,
    form: str | None,
    output: Path | None,
    opens: bool,
    path_map: tuple[str, ...],
    launches: bool,
    top: int,
    strict: bool,
) -> None:
    """Pair the kernels in a profile with the calls in generated code, and split their time.

    INPUTS are generated code and profiles: files and folders in any order. A profile alone works:
    the calls are then those that it names itself.

    With -o FILE.html everything is one page that needs no network: overview with advice, original
    ops, timeline, kernels with their code, graphs, source, graph and generated code side by side,
    and a roofline. Every place in it has an address to pass on.

    Example: kernelmap correlate output_code.py profile.json
             kernelmap correlate torch_compile_debug/ profile.json.gz --by call --top 50
             kernelmap correlate torch_trace/ profile.json.gz --by line
             kernelmap correlate output_code.py profile.json --by line --sort headroom
             kernelmap correlate output_code.py profile.json --roofline
             kernelmap correlate output_code.py profile.json --steps 3:5 --format json
             kernelmap correlate production.json --like bundle
             kernelmap correlate output_code.py profile.json -o report.html
             kernelmap correlate bundle --open
             kernelmap correlate output_code.py profile.json -o tables/
    """
    if opens and output is None:
        output = default_report()
    is_report = output is not None and output.suffix.lower() == ".html"
    if opens and not is_report:
        raise click.UsageError(f"{output}: --open shows a page; give a name that ends in .html.")
    options = chosen_options()
    if roofline:
        # Without --by on the command line a roofline is by call, also where a setting says
        # otherwise.
        is_typed = ctx.get_parameter_source("by") is ParameterSource.COMMANDLINE
        notices = answer_roofline(
            inputs, options, by=by if is_typed else "call", form=form, output=output, top=top
        )
    elif by == "memory":
        notices = answer_memory(inputs, form=form, output=output, top=top).notices
    else:
        if output is not None:
            from kernelmap.pages.write import check_place

            check_place(output)
        from kernelmap.model.collection import without_collection

        if launches and form == "json" and is_bounded("by", "top"):
            raise click.UsageError(
                "--launches is of the whole JSON; rows of launches are: --by launch."
            )
        shown = ShownTable(by=by, top=top, sort=sort, launches=launches)
        folders = folders_here(path_map) if is_report else None
        # What is read and made of it stays to the end of the program.
        with without_collection():
            notices = _answer_tables(inputs, options, shown, form, output, folders)
    if opens and output is not None:
        show_in_browser(output)
    gaps = sum(notice.gap for notice in notices)
    if strict and gaps:
        say(f"strict: {gaps} of the notes above are gaps")
        ctx.exit(1)


def _answer_tables(
    inputs: Sequence[Path],
    options: Options,
    shown: ShownTable,
    form: str | None,
    output: Path | None,
    folders: Mapping[str, str] | None,
) -> Sequence[Notice]:
    """Print or write the tables; gives what could not be used. With `folders` it is a report."""
    from kernelmap.bearing import Question, question_of_table
    from kernelmap.pages.write import is_folder
    from kernelmap.tables.build import order_column

    by, sort = shown.by, shown.sort
    # An order that the table does not have is wrong usage, said before the inputs are read.
    order_column(sort, BY[by])
    selection = None if output is None else selection_of_file(output, shown.top)
    is_report = folders is not None
    # A report and a folder hold all tables, whichever one is printed.
    keeps_all = is_report or (output is not None and is_folder(output))
    with progress("correlating"):
        from kernelmap.pipeline import correlate as run

        # A report needs speeds as well, and the table printed beside it is the same without it.
        speeds = sort != "time" or options.device_limits is not None
        has_work = speeds or keeps_all
        # How an engine's steps passed on the device is a part of their wall time.
        has_wall = by in ("wall", "step-kind") or keeps_all
        asked = replace(
            options,
            work=has_work,
            wall=has_wall,
            operators=by == "operator",
            # What is kept can be compared by its memory; what is printed says nothing of it.
            memory=output is not None,
        )
        result = run(*inputs, options=asked)
    require_bearing(result.notices, form, Question.CODE if keeps_all else question_of_table(by))
    with progress("correlating"):
        tables = result.tables
    measured = None if is_report else result.speeds  # a report has the roofline's notes itself
    note((*result.notices, *measured.notices) if measured else tables.notices)
    if output is not None:
        with progress(f"writing {output}"):
            if folders is not None:
                result.to_html(output, path_map=folders)
            else:
                result.write(
                    output,
                    by=by,
                    top=shown.top,
                    sort=sort,
                    selection=selection,
                    speeds=speeds,
                    launches=shown.launches,
                )
        remark(f"wrote {output}")
    if form is not None or output is None:
        closing = _closing(result, form or "table", by)
        print_tables(
            tables,
            form or "table",
            closing,
            shown,
            speeds=speeds,
            bounded=is_bounded("by", "top"),
            again=with_anyway(partial(_ask_again, result)),
        )
    return tables.notices


def _ask_again(result: Correlation, *words: str) -> str:
    return result.again(*words)


def _closing(result: Correlation, form: str, by: str) -> Note | None:
    """What a reader of the terminal's table is told below it: the finding, and the first advice."""
    if form not in ("table", "markdown") or by == "wall":
        return None
    from kernelmap.pages.savings import closing_note

    with progress("looking at the steps"):
        return closing_note(result.first_savings)
