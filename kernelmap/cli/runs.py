"""`kernelmap runs`: list the runs of a store, and the commands that keep, show and tag them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernelmap.cli.common import (
    ROW_FORMS,
    AnyPath,
    Command,
    OneOf,
    answer_form,
    emit,
    note,
    open_store,
    progress,
    remark,
    say,
    show_page,
    tag_option,
    tags_of,
    top,
    with_store,
)
from kernelmap.cli.runs_add import add_command
from kernelmap.cli.shared_options import ROWS, STORE
from kernelmap.cli.tables import (
    RowsAsked,
    ShownTable,
    has_selection,
    print_table_of_rows,
    print_tables,
    refuse_selection,
)
from kernelmap.commands import command
from kernelmap.suggestions import did_you_mean
from kernelmap.tables.schema import BY

if TYPE_CHECKING:
    from kernelmap.history.store.listing import Listed
    from kernelmap.tables.rows import Row
    from kernelmap.tables.table import Table

_TOP = 20


class _Runs(Command, click.Group):
    """The group `runs` with its commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click's signature
        """In the order of their use."""
        return list(self.commands)


@click.group(
    cls=_Runs,
    shared=(*STORE, *ROWS),
    invoke_without_command=True,
    short_help="Keep, list, show, tag and remove runs.",
)
@click.option("--branch", metavar="TEXT", help="Only runs of this branch.")
@tag_option
@click.option(
    "--top",
    type=click.IntRange(min=1),
    default=_TOP,
    show_default=True,
    metavar="N",
    help="Runs to show, the newest first; JSON and CSV have all unless this is given.",
)
@answer_form(ROW_FORMS, what="list")
@click.option(
    "--check",
    is_flag=True,
    help="Compare every file of every run with its digest instead; exit with 1 where one differs.",
)
@click.pass_context
def runs(
    ctx: click.Context,
    *,
    branch: str | None,
    tags: tuple[str, ...],
    top: int,
    form: str,
    check: bool,
) -> None:
    """List the runs of a store, newest first; its commands keep, show, tag and remove them.

    A RUN is named by its id or the beginning of it, by `latest`, by a branch (its newest run), by
    its name or by a tag `key=value`. `main~3` is the third before the newest of branch main.

    Example: kernelmap runs --branch main --tag model=small --format json
             kernelmap runs add bundle
             kernelmap runs show main~1
             kernelmap runs tag latest baseline=yes
    """
    if ctx.invoked_subcommand is not None:
        return
    # As a group it is not checked for options that it does not take; without a subcommand it is.
    if isinstance(ctx.command, Command):
        ctx.command.require_taken(ctx)
    if check:
        _check(ctx)
        return
    given = tags_of(tags)
    with progress("reading the runs"):
        from kernelmap.history.store import texts
        from kernelmap.history.store.refs import bearing

        listing = open_store().listing()
    note(listing.notices)
    tagged = bearing(listing.runs, given)
    listed = [run for run in reversed(tagged) if branch in (None, run.facts.branch)]
    if listing.runs and not listed:
        _say_none(listing.runs, given, branch)
    # JSON and CSV have all runs unless a number is given.
    limited = ctx.get_parameter_source("top") is not click.core.ParameterSource.DEFAULT
    shown = listed[:top] if limited or form in ("table", "markdown") else listed
    more = len(listed) - len(shown)
    if form == "jsonl" or has_selection():
        words = [word for pair in tags for word in ("--tag", pair)]
        words += [] if branch is None else ["--branch", branch]
        _print_rows(texts.RUNS, list(map(texts.row, listed)), form, top, "Runs", ("runs", *words))
    elif form == "json":
        emit(texts.json_text(shown, listing.notices))
    elif form == "csv":
        emit(texts.csv_text(shown))
    else:
        show_page(texts.page_of_runs(shown, more), form)


def _print_rows(
    table: Table, rows: Sequence[Row], form: str, top: int, title: str, words: tuple[str, ...]
) -> None:
    """Print what is asked of rows about runs; `words` ask for all of them."""
    again = partial(_ask_store_again, words)
    how = RowsAsked(words=(), again=again, whole=again("--format", "json"), title=title)
    print_table_of_rows(table, rows, form, top, how)


def _ask_store_again(words: tuple[str, ...], *more: str) -> str:
    return with_store(f"`{command(*words, *more)}`").strip("`")


def _say_none(runs: Sequence[Listed], tags: Mapping[str, str], branch: str | None) -> None:
    """Say why none of the runs is listed, with what is near the branch or the tags asked for."""
    from kernelmap.model.notices import format_count

    branches = {run.facts.branch for run in runs if run.facts.branch is not None}
    pairs = {f"{key}={value}" for run in runs for key, value in run.tags.items()}
    asked = [(f"{key}={value}", pairs, "bears") for key, value in tags.items()]
    asked += [] if branch is None else [(branch, branches, "is of")]
    for text, known, verb in asked:
        if text not in known:
            remark(f"note: none of {format_count(len(runs), 'run')} {verb} {text}")
            if hint := did_you_mean(text, known):
                say(f"hint: {hint}")


runs.add_command(add_command)


@runs.command("show", cls=Command, shared=(*STORE, *ROWS), short_help="Show one run.")
@click.argument("run")
@click.option("--by", type=OneOf(tuple(BY)), help="Show this table, as correlate does.")
@top
@answer_form(ROW_FORMS, what="facts or the table")
@click.option(
    "-o",
    "--output",
    type=AnyPath(),
    metavar="FILE|DIR",
    help="Write the run as correlate does: .json, .csv, .parquet, .html, .md, or a folder.",
)
def show_command(*, run: str, by: str | None, top: int, form: str, output: Path | None) -> None:
    """Show what is known of a run: code, versions, window, inputs; or one of its tables.

    Example: kernelmap runs show latest
             kernelmap runs show main~1 --by op
             kernelmap runs show 20261121-1846 -o report.html
    """
    from kernelmap.history.store.listing import Listed

    with progress("reading the run"):
        opened = open_store().open(run)
    refuse_selection(output)
    if output is not None:
        opened.write(output, by=by or "op", top=top)
        remark(f"wrote {output}")
        return
    if by is not None:
        note(opened.notices)
        print_tables(
            opened.tables,
            form,
            None,
            ShownTable(by=by, top=top, is_kept=True),
            speeds=False,
            bounded=True,
            again=partial(_ask_run_again, run),
        )
        return
    if form in ("csv", "markdown"):
        raise click.UsageError(f"--format {form} is for a table of the run: add --by.")
    from kernelmap.history.store import texts

    listed = Listed(facts=opened.facts, tags=opened.tags)
    emit(texts.facts_json(listed) if form == "json" else texts.facts_text(listed))


def _ask_run_again(run: str, *words: str) -> str | None:
    """The command that asks the tables of a run again; nothing else is known of it."""
    if words[0] != "correlate":
        return None
    return with_store(f"`{command('runs', 'show', run, *words[1:])}`").strip("`")


@runs.command(
    "history", cls=Command, shared=(*STORE, *ROWS), short_help="Follow one op, call, line or graph."
)
@click.argument("name")
@click.option(
    "--by",
    type=OneOf(("op", "call", "line", "graph")),
    help="What NAME is.  [default: the first of these that has it]",
)
@click.option("--branch", metavar="TEXT", help="Only runs of this branch.")
@tag_option
@click.option(
    "-n",
    "--top",
    type=click.IntRange(min=1),
    metavar="N",
    help="Runs to show, the newest.  [default: 20; JSON and CSV have all]",
)
@answer_form(ROW_FORMS, what="history")
def history_command(
    *,
    name: str,
    by: str | None,
    branch: str | None,
    tags: tuple[str, ...],
    top: int | None,
    form: str,
) -> None:
    """Show what one op, call, line or graph took per step in each run, the oldest first.

    NAME is that of an op; the id, wrapper or fingerprint of a call; a line such as model.py:42; the
    id, function or fingerprint of a graph. It is looked up in the newest run that has it, and
    followed from there by fingerprint, lines by their text, so that it is found under other names,
    too. `ratio` compares with the run before in the same series: of the same branch and device, and
    of the same tags named by `series` in [tool.kernelmap] of pyproject.toml. `kernelmap diff` says
    why.

    Example: kernelmap runs history aten.addmm --branch main
             kernelmap runs history 0_forward/3 --top 50 --tag model=small
             kernelmap runs history model.py:42 --format csv
    """
    given = tags_of(tags)
    with progress("reading the runs"):
        from kernelmap.history.store import texts
        from kernelmap.history.store.following import FOLLOWED
        from kernelmap.history.store.refs import said, series_tags
        from kernelmap.tables.frames import rows_of_frame

        chosen = series_tags()
        kept = open_store()
        frame = kept.follow(name, by=by, branch=branch, tags=given, series=chosen)
    note(frame.attrs["notices"])
    if form == "jsonl" or has_selection():
        rows = list(rows_of_frame(FOLLOWED, frame))[::-1]
        words = [word for pair in tags for word in ("--tag", pair)]
        words += [] if branch is None else ["--branch", branch]
        words += [] if by is None else ["--by", by]
        _print_rows(FOLLOWED, rows, form, top or _TOP, name, ("runs", "history", name, *words))
        return
    # The newest runs stand at the end.
    most = top or (_TOP if form in ("table", "markdown") else len(frame))
    shown = frame.iloc[-most:]
    if form == "json":
        emit(texts.followed_json(shown))
    elif form == "csv":
        emit(texts.followed_csv(shown))
    else:
        show_page(texts.followed_page(shown, len(frame) - len(shown)), form)
        remark(f"a ratio is that to the run before of its series: {said(chosen)}")


@runs.command("tag", cls=Command, shared=STORE, short_help="Set or take away tags of a run.")
@click.argument("run")
@click.argument("tags", nargs=-1, metavar="[K=V]...")
@click.option("--delete", "gone", multiple=True, metavar="K", help="Take a tag away.")
def tag_command(*, run: str, tags: tuple[str, ...], gone: tuple[str, ...]) -> None:
    """Set tags of a run, which stay beside it: the run itself is never changed.

    The tag `acknowledged` says that somebody has looked at the change that a run brought. The
    dashboard shows its text beside the change, which then stands back, and `kernelmap gate --last`
    takes no older run for its baseline.

    Example: kernelmap runs tag latest baseline=yes
             kernelmap runs tag main~3 "acknowledged=the new attention mask"
             kernelmap runs tag main~3 --delete baseline
    """
    given = tags_of(tags)
    if not given and not gone:
        raise click.UsageError("Give a tag as key=value, or --delete one.")
    with progress("tagging"):
        from kernelmap.history.store.refs import resolve

        kept = open_store()
        before = resolve(run, kept.runs()).tags
        # A tag with the value None is taken away.
        changed = kept.tag(run, {**given, **dict.fromkeys(gone)})
    for key in gone:
        if key not in before:
            remark(f"note: the run had no tag {key}")
    words = ", ".join(f"{key}={value}" for key, value in sorted(changed.tags.items()))
    say(f"{changed.id}: {words or 'no tags'}")


@runs.command("remove", cls=Command, shared=STORE, short_help="Remove runs for good.")
@click.argument("runs", nargs=-1, metavar="RUN...")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option(
    "--leftovers",
    "hours",
    type=click.FloatRange(min=0),
    metavar="HOURS",
    help="Take away what killed recorders left behind, but what was begun in the last HOURS, which"
    " may still be written.",
)
@click.pass_context
def remove_command(
    ctx: click.Context, *, runs: tuple[str, ...], yes: bool, hours: float | None
) -> None:
    """Remove runs for good; asks first. A damaged run is named by its whole id.

    Example: kernelmap runs remove main~30
             kernelmap runs remove 20261121-184644-123456-3f9a1c2b --yes
             kernelmap runs remove --leftovers 24
    """
    if not runs and hours is None:
        raise click.UsageError("Name a run, or take away what was left behind: --leftovers HOURS.")
    place = open_store()
    run_ids = list(dict.fromkeys(place.id_of(run) for run in runs))
    if run_ids and not yes:
        for run_id in run_ids:
            say(run_id)
        if not click.confirm(f"Remove {len(run_ids)} for good?", err=True):
            ctx.exit(1)
    for run_id in run_ids:
        place.remove(run_id)
        say(f"removed {run_id}")
    if hours is not None:
        _remove_leftovers(timedelta(hours=hours))


def _remove_leftovers(older_than: timedelta) -> None:
    """Take away what recorders left behind that were killed. Runs are never touched."""
    from kernelmap.model.notices import format_count

    with progress("looking for leftovers"):
        gone = open_store().prune(older_than=older_than)
    for run_id in gone:
        say(f"took away what was left of {run_id}")
    say(f"{format_count(len(gone), 'leftover')} taken away")


def _check(ctx: click.Context) -> None:
    """Read every file of every run and compare it with its digest."""
    from kernelmap.model.notices import format_count

    with progress("reading every file"):
        checked, notices = open_store().check()
    note(notices)
    say(f"{format_count(checked, 'run')} as recorded")
    if notices:
        ctx.exit(1)
