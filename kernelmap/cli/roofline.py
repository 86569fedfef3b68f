"""`kernelmap roofline`: how far calls are from what their device could do."""

from __future__ import annotations

from pathlib import Path

import click

from kernelmap.cli.common import (
    Command,
    OneOf,
    debug,
    emit,
    inputs,
    note,
    progress,
    result_form,
    say,
    show_page,
    top,
)
from kernelmap.cli.run_options import run_options
from kernelmap.options import Options

BY = ("call", "op", "line", "module", "kernel")


@click.command(cls=Command, short_help="Set calls against their device's limits.")
@inputs
@click.option("--by", type=OneOf(BY), default="call", show_default=True, help="What a row is.")
@result_form("a .json, .md or .html file; .html has the roofline as a chart")
@top
@run_options("device_limits", "steps", "side", "cache_dir", "like")
@debug
def roofline(
    *,
    inputs: tuple[Path, ...],
    by: str,
    form: str | None,
    output: Path | None,
    top: int,
    options: Options,
) -> None:
    """Say how many bytes calls moved and what they computed, and how much faster they could be.

    The code says what a call reads, writes and computes, the profile how long that took. Headroom
    is the time beyond what the device needs at the limit of its memory or of its arithmetic.

    Example: kernelmap roofline output_code.py profile.json
             kernelmap roofline bundle/ --by line
             kernelmap roofline bundle/ --device-limits limits.toml -o roofline.html
    """
    if output is not None:
        from kernelmap.outputs.write import page_form, require_folder_of

        page_form(output)
        require_folder_of(output)
    with progress("correlating"):
        from kernelmap.pipeline import correlate

        correlation = correlate(*inputs, options=options)
        result = correlation.roofline()
    note((*correlation.notices, *result.notices))
    if output is not None:
        result.write(output, by=by, top=top)
        say(f"wrote {output}")
    if form == "json":
        emit(result.render(form))
    elif form is not None or output is None:
        show_page(result.page(by=by, top=top, notices=form == "markdown"), form or "table")
