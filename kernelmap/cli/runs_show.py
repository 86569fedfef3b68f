"""`kernelmap runs show`: one run, its facts or one of its tables."""

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
from kernelmap.cli.stores import open_store, store_option
from kernelmap.views.schema import BY


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

        note(found.notices)
        show(terminal.render(found.tables, by=by, top=top, width=width()))
        return
    from kernelmap.store import texts

    listed = Listed(facts=found.facts, tags=found.tags)
    emit(texts.facts_json(listed) if form == "json" else texts.facts_text(listed))
