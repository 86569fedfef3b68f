"""`kernelmap explain`: the evidence behind one pairing."""

from __future__ import annotations

from pathlib import Path

import click

from kernelmap.cli.common import (
    Command,
    Name,
    answer_form,
    cache_dir,
    debug,
    emit,
    inputs,
    like,
    note,
    progress,
    show_page,
)


@click.command(cls=Command, short_help="Show the evidence behind a launch or a call.")
@click.argument("target", metavar="LAUNCH|CALL", type=Name())
@inputs
@answer_form("table", "json", "markdown")
@cache_dir
@like
@debug
def explain(
    *,
    target: str,
    inputs: tuple[Path, ...],
    form: str,
    cache_dir: Path | None,
    like: tuple[Path, ...],
) -> None:
    """Show why a launch belongs to its call, or which launches a call has, with the evidence.

    A launch is named by its number in the table of launches, a call as graph/index.

    Example: kernelmap explain 17 output_code.py profile.json
             kernelmap explain 0_forward/3 output_code.py profile.json
    """
    with progress("correlating"):
        from kernelmap.options import Options
        from kernelmap.outputs import documents
        from kernelmap.pipeline import correlate
        from kernelmap.present import answers

        result = correlate(*inputs, options=Options(cache_dir=cache_dir, like=like))
        explanation = result.explain(target)
    note(result.notices)
    if form == "json":
        emit(documents.of_explanation(explanation))
    else:
        show_page(answers.explain(explanation), form)
