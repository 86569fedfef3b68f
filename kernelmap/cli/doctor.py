"""`kernelmap doctor`: what to change first, and what is missing for a better answer."""

from __future__ import annotations

from pathlib import Path

import click

from kernelmap.cli.common import (
    Command,
    answer_form,
    emit,
    progress,
    show_page,
)
from kernelmap.cli.shared_options import FIGURES, chosen_options, wants_refused
from kernelmap.cli.standard_input import inputs


@click.command(
    cls=Command,
    shared=FIGURES,
    short_help="Tell what to change first, and what the recording lacks.",
)
@inputs
@answer_form()
def doctor(
    *,
    inputs: tuple[Path, ...],
    form: str,
) -> None:
    """Tell what the steps could save, then what is missing for a better answer.

    INPUTS are generated code, profiles and bundles, in any order and any mix; code alone or a
    profile alone will do. First stands what to change in the program, by the time of the steps that
    it could save at most, the largest first; no time is in two of them.

    Below it stands what the recording lacks, how much time that concerns, and what brings it. Every
    launch counts for its first reason only, so the times of the findings add up.

    Example: kernelmap doctor output_code.py profile.json
             kernelmap doctor bundle
             kernelmap doctor torch_trace/ --format json
    """
    with progress("examining"):
        from kernelmap.pages import advice, documents
        from kernelmap.pipeline import doctor as run

        diagnosis = run(*inputs, options=chosen_options(), anyway=wants_refused())
    if form == "json":
        emit(documents.of_advice(diagnosis))
    else:
        show_page(advice.page_of_advice(diagnosis), form)
