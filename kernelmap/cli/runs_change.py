"""`kernelmap runs tag` and `runs remove`: what may be changed of a run that was recorded."""

from __future__ import annotations

import click

from kernelmap.cli.common import Command, debug, progress, say
from kernelmap.cli.stores import open_store, store_option, tags_of


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
