"""`kernelmap fleet`: which rank of many is slow, and why."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernelmap.cli.common import (
    ROW_FORMS,
    Command,
    OneOf,
    emit,
    is_quiet,
    is_terminal,
    named_store,
    note,
    open_store,
    progress,
    remark,
    result_form,
    say,
    show_page,
    tags_of,
    top,
    with_store,
)
from kernelmap.cli.runs_add import ABOUT, about_run
from kernelmap.cli.shared_options import (
    ROWS,
    STORE,
    anyway,
    chosen_options,
    device_limits,
    side,
    steps,
    wants_refused,
)
from kernelmap.cli.tables import (
    RowsAsked,
    is_typed,
    print_table_of_rows,
    prints_rows,
    refuse_selection,
)
from kernelmap.commands import command

if TYPE_CHECKING:
    from kernelmap.fleet.engine import Cluster
    from kernelmap.fleet.fleet_result import Fleet

_FIRST_ROWS = ("--format", "json", "--top", "10")
_BY = ("call", "op", "line", "graph")


@click.command(
    cls=Command,
    shared=(steps, side, device_limits, anyway, *STORE, *ROWS, *ABOUT),
    short_help="Say which rank of many is slow, and why.",
)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUTS...")
@click.option("--by", type=OneOf(_BY), default="call", show_default=True, help="What a row is.")
@result_form(
    "a .json, .md or .html file, or a folder of Parquet files", place="FILE|DIR", forms=ROW_FORMS
)
@click.option(
    "--code",
    multiple=True,
    metavar="PATH|URL",
    help="Generated code or a log that all ranks ran; may be given several times.",
)
@click.option(
    "--rank-pattern",
    metavar="REGEX",
    help="Where the rank stands in a path, in parentheses: 'worker(\\d+)'. What a trace states goes"
    " first, the names rank_3 and the like last.",
)
@click.option(
    "--workers",
    metavar="N|ADDRESS|FILE",
    help="Processes of a cluster for this command, 0 needs no Dask; or the address or the file of"
    " the scheduler of a Dask cluster that is there.  [default: one process per core]",
)
@click.option(
    "--keep",
    metavar="PATH|URL",
    help="Where tables of ranks are kept, for all workers.  [default: the folder fleet of a store"
    " that is named, else of the user's cache folder]",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    envvar="KERNELMAP_TIME_LIMIT",
    default=900.0,  # a store that stalls is noticed, and no rank of the recordings took a minute
    hidden=True,
)
@click.option(
    "--reports",
    is_flag=True,
    help="Write the reports of the slowest ranks and of the median rank into a folder beside"
    " -o FILE.html, which leads to them.",
)
@click.option(
    "--record",
    is_flag=True,
    help="Keep the answer as a run in the store, described as by `kernelmap runs add`.",
)
@click.option("--again", is_flag=True, help="Read ranks anew, also those that are kept.")
@top
@click.option("--strict", is_flag=True, help="Exit with 1 where a rank or a file was not read.")
@click.pass_context
def fleet(  # noqa: PLR0913 -- one parameter per option
    ctx: click.Context,
    /,
    *,
    inputs: tuple[str, ...],
    by: str,
    form: str | None,
    output: Path | None,
    code: tuple[str, ...],
    rank_pattern: str | None,
    workers: str | None,
    keep: str | None,
    time_limit: float,
    reports: bool,
    record: bool,
    tags: tuple[str, ...],
    again: bool,
    top: int,
    strict: bool,
    **about: str | None,
) -> None:
    r"""Read the profiles of all ranks of a run, and say which rank is slow and why.

    INPUTS are folders, globs and URLs that fsspec knows, with traces, logs and bundles. Ranks are
    read side by side on a Dask cluster, each by the same pipeline as `correlate`; what was read is
    kept, and a second run reads only what is new.

    Example: kernelmap fleet traces/
             kernelmap fleet bundle/ -o fleet.html --reports
             kernelmap fleet 'run/worker*' --rank-pattern 'worker(\d+)' --workers 4
             kernelmap fleet traces/ --keep kept --workers scheduler.json
             kernelmap fleet traces/ --record --branch main --tag model=small
    """
    if not record and (tags or any(about[name] for name in ("name", "branch", "commit"))):
        raise click.UsageError("--name, --branch, --commit and --tag describe a run: --record.")
    tags_of(tags)  # what is wrong with them is said before the work
    if reports and (output is None or output.suffix.lower() != ".html"):
        raise click.UsageError("--reports are written beside a page: -o FILE.html.")
    refuse_selection(output)
    # A store or a place that cannot be used is said before ranks are read, which takes long.
    place = open_store()
    if output is not None:
        from kernelmap.pages.write import check_page_or_folder

        check_page_or_folder(output)
    from kernelmap.fleet.kept import place_to_keep
    from kernelmap.fleet.run import FleetOptions, run_fleet

    options = FleetOptions(
        pattern=rank_pattern,
        code=code,
        options=chosen_options(),
        cluster=_cluster(workers, time_limit),
        kept=keep or place_to_keep(named_store()),
        again=again,
        gather=record,
        reports=reports,
        anyway=wants_refused(),
    )
    with _counted("reading ranks") as tell:
        result = run_fleet(inputs, options, tell)
    note(result.notices)
    if record:
        described = about_run(**about, tags=tags)
        with progress(f"recording into {place.place.shown}"):
            run_id = result.record(place, anyway=wants_refused(), **described).id
        remark(f"recorded run {run_id} into {place.place.shown}")
    if output is not None:
        result.write(output, by=by, top=top)
        remark(f"wrote {output}")
    if form is not None or output is None:
        _print_fleet(result, inputs, by, form or "table", top)
    gaps = [notice for notice in result.notices if notice.gap]
    if strict and gaps:
        say("strict: " + " ".join(notice.message for notice in gaps))
        ctx.exit(1)


def _print_fleet(result: Fleet, inputs: Sequence[str], by: str, form: str, top: int) -> None:
    """Print the answer as a page or a document, or what is asked of rows: of ranks, or by `by`."""
    if not prints_rows(form, "by", "top"):
        from kernelmap.fleet.show import page_of_fleet

        if form == "json":
            emit(result.render("json"))
        else:
            show_page(page_of_fleet(result, by=by, top=top, notices=form == "markdown"), form)
        return
    from kernelmap.fleet.show import about_fleet
    from kernelmap.pages.questions import questions_of
    from kernelmap.tables.fleet import FLEET
    from kernelmap.tables.rows import whole_number

    again = partial(_ask_again, inputs)
    words = ("--by", by) if is_typed("by") else ()
    how = RowsAsked(
        words=words,
        again=again,
        whole=again("--format", "json"),
        title="Ranks",
        notices=result.notices,
        about=about_fleet(result, top),
        order=None if words else "excess_ns, most first",
        next=questions_of(
            [
                (f"where ranks differ most, by {other}", ("--by", other, *_FIRST_ROWS))
                for other in ("call", "line")
                if (other, words) != (by, ("--by", by))
            ],
            again,
        ),
    )
    if words:
        rows = [row for row in result.rows["spread"] if row["by"] == by]
        print_table_of_rows(FLEET["spread"], rows, form, top, how)
        return
    ranks = sorted(result.rows["ranks"], key=lambda row: -whole_number(row, "excess_ns"))
    print_table_of_rows(FLEET["ranks"], ranks, form, top, how)


def _ask_again(inputs: Sequence[str], *words: str) -> str:
    return with_store(f"`{command('fleet', *inputs, *words)}`").strip("`")


def _cluster(workers: str | None, limit_s: float) -> Cluster:
    """The cluster that is meant: a number of processes here, or a scheduler that is there."""
    from kernelmap.fleet.engine import Cluster

    if workers is not None and workers.startswith("-"):
        raise click.BadParameter(f"{workers!r} is neither a number of processes nor a scheduler")
    # A number is a number of processes; anything else is an address or a file of a scheduler.
    if workers is None or workers.isdecimal():
        return Cluster(workers=None if workers is None else int(workers), limit_s=limit_s)
    return Cluster(scheduler=workers, limit_s=limit_s)


@contextmanager
def _counted(text: str) -> Iterator[Callable[[int, int], None]]:
    """What says how many of how many are done, on stderr; only on a terminal."""
    if not is_terminal(sys.stderr) or is_quiet():
        yield lambda _done, _of: None
        return
    from rich.console import Console

    with Console(stderr=True).status(text) as status:
        yield lambda done, of: status.update(f"{text}: {done:,} of {of:,}")
