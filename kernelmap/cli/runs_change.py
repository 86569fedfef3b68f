"""`kernelmap runs tag`, `remove`, `check` and `prune`: what changes or checks a store of runs."""

from __future__ import annotations

from datetime import timedelta

import click

from kernelmap.cli.common import Command, debug, note, progress, say
from kernelmap.cli.stores import open_store, store_option, tags_of
from kernelmap.model.notices import count


@click.command("tag", cls=Command, short_help="Set or take away tags of a run.")
@click.argument("run")
@click.argument("tags", nargs=-1, metavar="[K=V]...")
@click.option("--delete", "gone", multiple=True, metavar="K", help="Take a tag away.")
@store_option
@debug
def tag_command(
    *, run: str, tags: tuple[str, ...], gone: tuple[str, ...], store: str | None
) -> None:
    """Set tags of a run, which stay beside it: the run itself is never changed.

    Example: kernelmap runs tag latest baseline=yes
             kernelmap runs tag main~3 --delete baseline
    """
    given = tags_of(tags)
    if not given and not gone:
        raise click.UsageError("Give a tag as key=value, or --delete one.")
    with progress("tagging"):
        changed = open_store(store).tag(run, {**given, **dict.fromkeys(gone)})
    told = ", ".join(f"{key}={value}" for key, value in sorted(changed.tags.items()))
    say(f"{changed.id}: {told or 'no tags'}")


@click.command("remove", cls=Command, short_help="Remove runs for good.")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--yes", is_flag=True, help="Do not ask.")
@store_option
@debug
@click.pass_context
def remove_command(
    ctx: click.Context, *, runs: tuple[str, ...], yes: bool, store: str | None
) -> None:
    """Remove runs for good; asks first. A damaged run is named by its whole id.

    Example: kernelmap runs remove main~30
             kernelmap runs remove 20261121-184644-123456-3f9a1c2b --yes
    """
    place = open_store(store)
    found = list(dict.fromkeys(place.id_of(run) for run in runs))
    if not yes:
        for run_id in found:
            say(run_id)
        if not click.confirm(f"Remove {len(found)} for good?", err=True):
            ctx.exit(1)
    for run_id in found:
        place.remove(run_id)
        say(f"removed {run_id}")


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
