"""`kernelmap runs show` and `runs history`: one run, or one op, call, line or graph in all runs."""

from __future__ import annotations

from pathlib import Path

import click

from kernelmap.cli.common import (
    AnyPath,
    Command,
    answer_form,
    debug,
    emit,
    note,
    progress,
    say,
    show,
    top,
    width,
)
from kernelmap.cli.stores import open_store, store_option, tag_option, tags_of
from kernelmap.views.schema import BY

_TOP = 20


@click.command("show", cls=Command, short_help="Show one run.")
@click.argument("run")
@store_option
@click.option("--by", type=click.Choice(tuple(BY)), help="Show this table, as correlate does.")
@top
@answer_form("table", "json", what="facts")
@click.option(
    "-o",
    "--output",
    type=AnyPath(),
    metavar="FILE|DIR",
    help="Write the run as correlate does: .json, .csv, .parquet, .html, .md, or a folder.",
)
@debug
def show_command(
    *, run: str, store: str | None, by: str | None, top: int, form: str, output: Path | None
) -> None:
    """Show what is known of a run: code, versions, window, inputs; or one of its tables.

    Example: kernelmap runs show latest
             kernelmap runs show main~1 --by op
             kernelmap runs show 20261121-1846 -o report.html
    """
    from kernelmap.store.listing import Listed

    with progress("reading the run"):
        found = open_store(store).open(run)
    if output is not None:
        found.write(output, by=by or "op", top=top)
        say(f"wrote {output}")
        return
    if by is not None:
        from kernelmap.outputs import terminal
        from kernelmap.present import result

        note(found.notices)
        show(terminal.render(result.page(found.tables, by=by, top=top), width()))
        return
    from kernelmap.store import texts

    listed = Listed(facts=found.facts, tags=found.tags)
    emit(texts.facts_json(listed) if form == "json" else texts.facts_text(listed))


@click.command("history", cls=Command, short_help="Follow one op, call, line or graph.")
@click.argument("name")
@store_option
@click.option(
    "--by",
    type=click.Choice(("op", "call", "line", "graph")),
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
@answer_form("table", "json", "csv", what="history")
@debug
def history_command(  # noqa: PLR0913 -- one parameter per option
    *,
    name: str,
    store: str | None,
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
             kernelmap runs history 0_forward/3 -n 50 --tag model=small
             kernelmap runs history model.py:42 --format csv
    """
    given = tags_of(tags)
    with progress("reading the runs"):
        from kernelmap.store import followed_texts
        from kernelmap.store.kin import said, series_tags

        chosen = series_tags()
        kept = open_store(store)
        frame = kept.follow(name, by=by, branch=branch, tags=given, series=chosen)
    note(frame.attrs["notices"])
    most = top or (_TOP if form == "table" else len(frame))
    shown = frame.iloc[-most:]
    if form == "json":
        emit(followed_texts.json_text(shown))
    elif form == "csv":
        emit(followed_texts.csv_text(shown))
    else:
        show(followed_texts.table(shown, len(frame) - len(shown), width()))
        say(f"a ratio is that to the run before of its series: {said(chosen)}")
