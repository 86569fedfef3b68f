"""`kernelmap runs`: list the runs of a store; its commands stand in files of their own."""

from __future__ import annotations

from importlib import import_module

import click

from kernelmap.cli.common import Command, answer_form, debug, emit, note, progress, show, width
from kernelmap.cli.stores import open_store, remember_store, store_option, tag_option, tags_of

_HOMES = {
    "show": "runs_show",
    "history": "runs_show",
    "tag": "runs_change",
    "remove": "runs_change",
    "check": "runs_change",
    "prune": "runs_change",
}
"""The commands below `runs`, with the file of this folder that holds each."""


class _Runs(Command, click.Group):
    """Loads a command's file when it is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click's signature
        """In the order of their use."""
        return list(_HOMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 -- click's signature
        """The function of that name in its file."""
        if cmd_name not in _HOMES:
            return None
        module = import_module(f"kernelmap.cli.{_HOMES[cmd_name]}")
        command = getattr(module, f"{cmd_name}_command")
        return command if isinstance(command, click.Command) else None


@click.group(
    cls=_Runs, invoke_without_command=True, short_help="List, show, tag and remove kept runs."
)
@store_option
@click.option("--branch", metavar="TEXT", help="Only runs of this branch.")
@tag_option
@click.option(
    "--top",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="Runs to show, the newest first; JSON and CSV have all unless this is given.",
)
@answer_form("table", "json", "csv", "markdown", what="list")
@debug
@click.pass_context
def runs(
    ctx: click.Context,
    *,
    store: str | None,
    branch: str | None,
    tags: tuple[str, ...],
    top: int,
    form: str,
) -> None:
    """List the runs of a store, newest first; its commands show, tag and remove them.

    A RUN is named by its id or the beginning of it, by `latest`, by a branch (its newest run), by
    its name or by a tag `key=value`. `main~3` is the third before the newest of branch main.

    Example: kernelmap runs --branch main --tag model=small --format json
             kernelmap runs show main~1
             kernelmap runs tag latest baseline=yes
    """
    if ctx.invoked_subcommand is not None:
        remember_store(ctx, store)
        return
    given = tags_of(tags)
    with progress("reading the runs"):
        from kernelmap.store import texts
        from kernelmap.store.kin import bearing

        found = open_store(store).listing()
    note(found.notices)
    own = bearing(found.runs, given)
    listed = [run for run in reversed(own) if branch in (None, run.facts.branch)]
    limited = ctx.get_parameter_source("top") is not click.core.ParameterSource.DEFAULT
    shown = listed[:top] if limited or form in ("table", "markdown") else listed
    more = len(listed) - len(shown)
    if form == "json":
        emit(texts.json_text(shown, found.notices))
    elif form == "csv":
        emit(texts.csv_text(shown))
    elif form == "markdown":
        emit(texts.markdown(shown, more))
    else:
        show(texts.table(shown, more, width()))
