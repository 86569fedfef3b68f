"""`kernelmap report`: everything on one page, for a browser."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path

import click
from click.core import ParameterSource

from kernelmap.cli.common import (
    AnyPath,
    Command,
    debug,
    inputs,
    note,
    progress,
    say,
)
from kernelmap.cli.run_options import run_options
from kernelmap.errors import UsageError, unwritable
from kernelmap.options import Options

_MARK = b'<meta name="generator" content="kernelmap'
_HEAD = 4096  # bytes in which the mark stands


@click.command(cls=Command, short_help="Write one offline page: time, timeline, code, provenance.")
@inputs
@click.option(
    "-o",
    "--output",
    type=AnyPath(),
    default="report.html",
    show_default=True,
    metavar="FILE",
    help="The page to write.",
)
@click.option("--open", "opens", is_flag=True, help="Show the page in the browser.")
@click.option(
    "--path-map",
    multiple=True,
    metavar="FROM=TO",
    help="Where a folder of the recording lies here, for links to an editor; may be repeated."
    "  [default: path_map in [tool.kernelmap] of pyproject.toml]",
)
@run_options("steps", "side", "cache_dir", "like", "device_limits")
@debug
@click.pass_context
def report(
    ctx: click.Context,
    *,
    inputs: tuple[Path, ...],
    output: Path,
    opens: bool,
    path_map: tuple[str, ...],
    options: Options,
) -> None:
    """Write what a profile and its code tell as one HTML file that needs no network.

    Its views: overview with advice, original ops, timeline, kernels with their code, graphs,
    source, graph and generated code side by side, and a roofline with what could be won of each
    call. Every place in it has an address to pass on.

    Example: kernelmap report output_code.py profile.json
             kernelmap report torch_trace/ profile.json.gz -o report.html
             kernelmap report bundle/ --steps 3:5 -o steps.html
             kernelmap report bundle/ --open --path-map /home/user/model=src
    """
    from kernelmap.outputs.write import check_place

    if output.suffix.lower() != ".html":
        raise click.UsageError(f"{output}: the report is one page; give a name that ends in .html.")
    check_place(output)
    if ctx.get_parameter_source("output") is ParameterSource.DEFAULT:
        _require_own(output)
    folders = _folders(path_map)
    with progress("correlating"):
        from kernelmap.pipeline import correlate

        result = correlate(*inputs, options=options)
    gc.freeze()  # what was read stays to the end: looks for garbage need not go through it
    note(result.notices)
    with progress(f"writing {output}"):
        result.to_html(output, path_map=folders)
    say(f"wrote {output}")
    if opens:
        _open(output)


def _open(output: Path) -> None:
    import webbrowser

    if not webbrowser.open(output.resolve().as_uri()):
        say(f"no browser was found to show {output}")


def _folders(stated: Sequence[str]) -> dict[str, str]:
    """Where folders of the recording lie here: as stated, else as pyproject.toml says."""
    from kernelmap.settings import setting

    path, kept = (None, None) if stated else setting("path_map", Path.cwd())
    if kept is None:
        pairs = [text.partition("=") for text in stated]
        if not all(start and equals and end for start, equals, end in pairs):
            raise click.UsageError("--path-map is FROM=TO: a folder of the recording, one here.")
        return {start: end for start, _, end in pairs}
    if not isinstance(kept, dict) or not all(isinstance(to, str) and to for to in kept.values()):
        raise UsageError(
            "wrong-path-map",
            f"{path}: `path_map` in [tool.kernelmap] is no table of folders",
            'Write folders of the recording and here, such as path_map = {"/home/user" = "src"}.',
        )
    return {start: str((path.parent if path else Path()) / to) for start, to in kept.items()}


def _require_own(path: Path) -> None:
    """Raise UsageError for a file that nobody named and that is no report."""
    if not path.is_file():
        return
    try:
        with path.open("rb") as file:
            is_report = _MARK in file.read(_HEAD)
    except OSError as error:
        raise unwritable(path, error) from error
    if not is_report:
        raise UsageError(
            "output-exists",
            f"{path} is there already and is no report of kernelmap",
            f"Choose a name with -o; -o {path} writes over it.",
        )
