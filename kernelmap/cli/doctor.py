"""`kernelmap doctor`: what is missing for a better answer."""

from __future__ import annotations

from pathlib import Path

import click

from kernelmap.cli.common import (
    Command,
    answer_form,
    debug,
    emit,
    inputs,
    progress,
    show_page,
)
from kernelmap.cli.run_options import run_options
from kernelmap.options import Options


@click.command(cls=Command, short_help="Tell what is missing for a better answer.")
@inputs
@answer_form()
@run_options("steps", "cache_dir", "like", "device_limits")
@debug
def doctor(
    *,
    inputs: tuple[Path, ...],
    form: str,
    options: Options,
) -> None:
    """Tell what is missing for a better answer, how much time it concerns, and what brings it.

    INPUTS are generated code, profiles and bundles, in any order and any mix; code alone or a
    profile alone will do. The worst comes first. Every launch counts for its first reason only, so
    the times of the findings add up.

    Below them stand the calls with the most time to win, and why, where the limits of the device
    are known; `kernelmap roofline` has all.

    Example: kernelmap doctor output_code.py profile.json
             kernelmap doctor bundle
             kernelmap doctor torch_trace/ --format json
    """
    with progress("examining"):
        from kernelmap.outputs import documents
        from kernelmap.pipeline import doctor as run
        from kernelmap.present import advice

        diagnosis = run(*inputs, options=options)
    if form == "json":
        emit(documents.of_advice(diagnosis))
    else:
        show_page(advice.page(diagnosis), form)
