"""`kernelmap runs history`: one op, call, line or graph, run after run."""

from __future__ import annotations

import click

from kernelmap.cli.common import Command, answer_form, debug, emit, note, progress, show, width
from kernelmap.cli.stores import open_store, store_option

_TOP = 20


@click.command("history", cls=Command, short_help="Follow one op, call, line or graph.")
@click.argument("name")
@store_option
@click.option(
    "--by",
    type=click.Choice(("op", "call", "line", "graph")),
    help="What NAME is.  [default: the first of these that has it]",
)
@click.option("--branch", metavar="TEXT", help="Only runs of this branch.")
@click.option(
    "-n",
    "--top",
    type=click.IntRange(min=1),
    metavar="N",
    help="Runs to show, the newest.  [default: 20; JSON and CSV have all]",
)
@answer_form("table", "json", "csv", what="history")
@debug
def history_command(
    *, name: str, store: str | None, by: str | None, branch: str | None, top: int | None, form: str
) -> None:
    """Show what one op, call, line or graph took per step in each run, the oldest first.

    NAME is that of an op; the id, wrapper or fingerprint of a call; a line such as model.py:42; the
    id, function or fingerprint of a graph. It is looked up in the newest run that has it, and
    followed from there by fingerprint, lines by their text, so that it is found under other names,
    too. `ratio` compares with the run before on the same branch; `kernelmap diff` says why.

    Example: kernelmap runs history aten.addmm --branch main
             kernelmap runs history 0_forward/3 -n 50
             kernelmap runs history model.py:42 --format csv
    """
    with progress("reading the runs"):
        from kernelmap.store import followed_texts

        frame = open_store(store).follow(name, by=by, branch=branch)
    note(frame.attrs["notices"])
    most = top or (_TOP if form == "table" else len(frame))
    shown = frame.iloc[-most:]
    if form == "json":
        emit(followed_texts.json_text(shown))
    elif form == "csv":
        emit(followed_texts.csv_text(shown))
    else:
        show(followed_texts.table(shown, len(frame) - len(shown), width()))
