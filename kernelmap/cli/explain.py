"""`kernelmap explain`: the evidence behind one pairing."""

from __future__ import annotations

from pathlib import Path

import click

from kernelmap.cli.common import (
    Command,
    Name,
    answer_form,
    emit,
    note,
    progress,
    show_page,
)
from kernelmap.cli.shared_options import PAIRING, chosen_options
from kernelmap.cli.standard_input import inputs


@click.command(
    cls=Command, shared=PAIRING, short_help="Show the evidence behind a launch or a call."
)
@click.argument("target", metavar="LAUNCH|CALL", type=Name())
@inputs
@answer_form()
def explain(
    *,
    target: str,
    inputs: tuple[Path, ...],
    form: str,
) -> None:
    """Show why a launch belongs to its call, or which launches a call has, with the evidence.

    A launch is named by its number in the table of launches, a call as graph/index.

    Example: kernelmap explain 17 output_code.py profile.json
             kernelmap explain 0_forward/3 output_code.py profile.json
    """
    with progress("correlating"):
        from kernelmap.pages import answers, documents
        from kernelmap.pipeline import correlate

        result = correlate(*inputs, options=chosen_options())
        explanation = result.explain(target)
    note(result.notices)
    if form == "json":
        emit(documents.of_explanation(explanation))
    else:
        show_page(answers.page_of_explanation(explanation), form)
