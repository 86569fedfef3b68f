"""`kernelmap runs check` and `runs prune`: is all as it was recorded, and what is left over."""

from __future__ import annotations

from datetime import timedelta

import click

from kernelmap.cli.common import Command, debug, note, progress, say
from kernelmap.cli.stores import open_store, store_option
from kernelmap.model.notices import count


@click.command("check", cls=Command, short_help="Compare every file with its digest.")
@store_option
@debug
@click.pass_context
def check_command(ctx: click.Context, *, store: str | None) -> None:
    """Read every file of every run and compare it with its digest; exits with 1 where one differs.

    Example: kernelmap runs check
    """
    with progress("reading every file"):
        checked, notices = open_store(store).check()
    note(notices)
    say(f"{count(checked, 'run')} as recorded")
    if notices:
        ctx.exit(1)


@click.command("prune", cls=Command, short_help="Take away what killed recorders left behind.")
@click.option(
    "--older-than",
    "hours",
    type=click.FloatRange(min=0),
    default=24,
    show_default=True,
    metavar="HOURS",
    help="Leave what was begun later; it may still be written.",
)
@store_option
@debug
def prune_command(*, hours: float, store: str | None) -> None:
    """Take away what recorders left behind that were killed. Runs are never touched.

    Example: kernelmap runs prune
    """
    with progress("looking for leftovers"):
        gone = open_store(store).prune(older_than=timedelta(hours=hours))
    for run_id in gone:
        say(f"took away what was left of {run_id}")
    say(f"{count(len(gone), 'leftover')} taken away")
