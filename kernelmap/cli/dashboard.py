"""`kernelmap dashboard`: look at the runs of a store in a browser."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernelmap.cli.common import AnyPath, Command, counting, open_store, remark, say
from kernelmap.cli.gone_options import gone_options
from kernelmap.cli.shared_options import STORE

if TYPE_CHECKING:
    from kernelmap.dashboard.project import Project
    from kernelmap.history.store.store import Store


_TOKEN = "KERNELMAP_DASHBOARD_TOKEN"  # noqa: S105 -- the name of a variable


@click.command(
    "dashboard",
    cls=Command,
    shared=STORE,
    short_help="Look at the runs of a store in a browser.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to bind.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="The port to bind; 0 takes a free one.",
)
@click.option(
    "--token",
    metavar="TEXT",
    help="Asked of every browser, once. Made where it is not given.",
    envvar=_TOKEN,
)
@click.option(
    "--no-token",
    is_flag=True,
    help="Let everybody on this machine look; only with a --host that is this machine alone.",
)
@click.option(
    "--export",
    type=AnyPath(),
    metavar="DIR",
    help="Write the newest and marked of it as pages that open from disk, and do not serve.",
)
@click.option("--all", "whole", is_flag=True, help="Write every page, with --export.")
@gone_options("dashboard")
def dashboard(
    *,
    host: str,
    port: int,
    token: str | None,
    no_token: bool,
    export: Path | None,
    whole: bool,
) -> None:
    """Look at the runs of a store in a browser: history, changes and their causes, any two runs.

    Nothing is ever changed in the store, and new runs appear by themselves. A series is one branch
    and device; tags named by `series` in [tool.kernelmap] of pyproject.toml tell more apart, and
    `commit_url` and `author_url` there say where commits and authors are shown.

    Example: kernelmap dashboard --store kept/runs
             kernelmap dashboard --port 0
             kernelmap dashboard --export pages
             kernelmap dashboard --export pages --all
    """
    from kernelmap.dashboard.project import read_project
    from kernelmap.history.store.refs import series_tags

    series, ours = series_tags(), read_project()
    if export is not None:
        _export(open_store(), export, series, ours, whole=whole)
        return
    if whole:
        raise click.UsageError("--all is for --export: the live dashboard has every page.")
    from kernelmap.dashboard.serve import serving

    if token is None and not no_token:
        token = os.environ.get(_TOKEN)  # click takes an empty one for none
    if token is not None and no_token:
        raise click.UsageError("--token and --no-token exclude one another")
    stored = open_store()
    server = serving(
        stored,
        host=host,
        port=port,
        token=token,
        no_token=no_token,
        series=series,
        project=ours,
    )
    if not stored.place.exists():
        remark(
            f"note: {stored.place.shown} is no store yet: nothing is shown until a run is recorded"
        )
    say(f"{server.url}  (Ctrl+C ends it)")
    try:
        server.forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()


def _export(
    store: Store, target: Path, series: tuple[str, ...], project: Project, *, whole: bool
) -> None:
    from kernelmap.dashboard.export import export_pages

    with counting("writing pages") as count:
        exported = export_pages(
            store, target, whole=whole, series=series, project=project, report=count
        )
    remark(f"wrote {target / 'index.html'}: {exported.pages} pages of {exported.runs} runs")
    if exported.summary is not None:
        remark(f"note: {exported.summary}")
