"""`kernelmap mcp`: answer the questions of coding agents about recordings."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import click

from kernelmap.cli.common import AnyPath, Command, say

_TOKEN = "KERNELMAP_MCP_TOKEN"  # noqa: S105 -- the name of a variable
_BYTES = 24  # of a token that is made


@click.command("mcp", cls=Command, short_help="Answer a coding agent's questions, by MCP.")
@click.argument("folders", nargs=-1, required=True, type=AnyPath(), metavar="FOLDER...")
@click.option(
    "--http",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Serve on 127.0.0.1 instead of standard input and output; 0 takes a free port. Clients"
    f" send the token that {_TOKEN} holds, or the one that is made and printed.",
)
def mcp(*, folders: tuple[Path, ...], http: int | None) -> None:
    """Serve the recordings below FOLDER to a coding agent: open, top, explain, which, diff, ...

    The server only reads, and only below these folders: nothing is run, written or fetched. Each
    answer is one JSON document of at most 2,000 tokens, unless more is asked for. A recording stays
    open between questions. `kernelmap skill` prints what to tell an agent.

    Example: kernelmap mcp traces/
             kernelmap mcp traces/ --http 8766
    """
    from kernelmap.model.paths import is_folder

    for folder in folders:
        if not is_folder(folder):
            raise click.BadParameter(f"{folder} is no folder")
    from kernelmap.agents.server import serve_http, serve_stdio

    if http is None:
        serve_stdio(folders)
        return
    token = os.environ.get(_TOKEN) or secrets.token_urlsafe(_BYTES)
    sent = f"Authorization: Bearer {token}"
    serve_http(folders, http, token, lambda url: say(f"{url}  {sent}  (Ctrl+C ends it)"))
