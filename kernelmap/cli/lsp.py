"""`kernelmap lsp`: show an editor what lines cost, by the language server protocol."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from kernelmap.cli.common import AnyPath, Command, named_store
from kernelmap.cli.report_page import folders_here
from kernelmap.cli.shared_options import FIGURES, STORE, chosen_options, wants_refused
from kernelmap.errors import UsageError
from kernelmap.installing import install_command


@click.command(
    "lsp",
    cls=Command,
    shared=(*STORE, *FIGURES),
    short_help="Show an editor the time of each line (a language server).",
)
@click.argument("inputs", nargs=-1, type=AnyPath())
@click.option("--stdio", is_flag=True, hidden=True)  # added by many clients: there is no other way
def lsp(*, inputs: tuple[Path, ...], stdio: bool) -> None:  # noqa: ARG001 -- as the option says
    """Show an editor the time of each source line, at its end: a language server.

    Editors start it and speak to it by standard input and output; it writes and runs nothing. It
    shows the newest bundle of the workspace, or the newest run of its store if that is newer, and
    notices when there is a newer one. INPUTS name one recording instead, as for correlate.

    Example: kernelmap lsp bundle
             kernelmap lsp --steps 3:5
    """
    if find_spec("pygls") is None:
        raise UsageError(
            "no-language-server",
            "pygls is not installed; the language server needs it",
            f"Install it: {install_command('lsp')}",
        )
    from kernelmap.editors.server import Sources, serve

    serve(
        Sources(
            inputs=tuple(path.absolute() for path in inputs),
            store=named_store(),
            options=chosen_options(),
            anyway=wants_refused(),
            folders=folders_here(()),
        )
    )
