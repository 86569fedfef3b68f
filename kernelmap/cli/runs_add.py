"""`kernelmap runs add`: correlate, and keep the result as a run in a store."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from kernelmap.cli.common import (
    Command,
    emit,
    note,
    open_store,
    progress,
    remark,
    say,
    tags_of,
)
from kernelmap.cli.shared_options import (
    FIGURES,
    STORE,
    chosen_options,
    require_bearing,
    wants_refused,
)
from kernelmap.cli.standard_input import inputs
from kernelmap.history.store.checkout import Checkout, find_checkout

ABOUT = (
    click.Option(["--name"], metavar="TEXT", help="A name to find the run by."),
    click.Option(["--branch"], metavar="TEXT", help="Branch of the code that ran."),
    click.Option(["--commit"], metavar="TEXT", help="Commit of the code that ran."),
    click.Option(["--tag", "tags"], multiple=True, metavar="K=V", help="A tag; may be repeated."),
    click.Option(["--forked"], envvar="KERNELMAP_FORKED", hidden=True),
)
"""What is said of a run that is kept, which `about_run` takes; `fleet --record` has the same."""


def about_run(
    *,
    name: str | None,
    branch: str | None,
    commit: str | None,
    forked: str | None,
    tags: tuple[str, ...],
) -> Mapping[str, Any]:
    """What a run is recorded with; where neither branch nor commit is given, of the checkout."""
    # Of a branch or a commit that is named, the checkout here may know nothing.
    here = None if branch is not None or commit is not None else _checkout()
    return {
        "name": name,
        "branch": here.branch if here else branch,
        "commit": here.commit if here else commit,
        "changed": here.changed if here else None,
        "forked": here.forked if here and forked is None else forked,
        "tags": tags_of(tags),
    }


@click.command(
    "add",
    cls=Command,
    params=[*ABOUT],
    shared=(*STORE, *FIGURES),
    short_help="Correlate, and keep the result as a run.",
)
@inputs
@click.option("--launches", is_flag=True, help="Keep the table of launches as well.")
def add_command(
    *, inputs: tuple[Path, ...], tags: tuple[str, ...], launches: bool, **about: str | None
) -> None:
    """Pair a profile with its code as `correlate` does, and keep the result as a run in a store.

    INPUTS are as for `correlate`. The id of the run is printed. Where neither --branch nor --commit
    is given and the current folder is a git checkout, they are those of the checkout. The variable
    KERNELMAP_FORKED may say at which commit the branch left the main one, where git does not.

    What bears no figures is refused, as by `correlate`; a run that was kept with --anyway is listed
    and shown, but stands in no history, no chart and no baseline of --last.

    Example: kernelmap runs add bundle
             kernelmap runs add bundle --branch main --tag model=small
             kernelmap runs add torch_trace/ profile.json.gz --store "$BUCKET/runs" --name nightly
    """
    tags_of(tags)  # what is wrong with them is said before the work
    kept = open_store()
    with progress("correlating"):
        from kernelmap.pipeline import correlate

        result = correlate(*inputs, options=chosen_options())
    require_bearing(result.notices, None)
    note(result.notices)
    described = about_run(**about, tags=tags)
    with progress(f"recording into {kept.place.shown}"):
        run = kept.record(result, **described, launches=launches, anyway=wants_refused())
    emit(f"{run.id}\n")
    say(f"recorded into {kept.place.shown}")


def _checkout() -> Checkout | None:
    """What git says of the current folder; it is said, because another code may have run."""
    here = find_checkout(Path.cwd())
    if here is not None:
        branch = "no branch" if here.branch is None else f"branch {here.branch}"
        changed = ", with changes that the commit lacks" if here.changed else ""
        remark(f"note: {branch}, commit {here.commit}, from the checkout here{changed}")
        say("hint: Name them with --branch and --commit where another code ran.")
    return here
