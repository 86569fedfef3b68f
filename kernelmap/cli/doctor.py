"""`kernelmap doctor`: what is missing for a better answer."""

from __future__ import annotations

from pathlib import Path

import click

from kernelmap.cli.common import (
    Command,
    answer_form,
    cache_dir,
    debug,
    emit,
    inputs,
    progress,
    show,
    steps,
    width,
)


@click.command(cls=Command, short_help="Tell what is missing for a better answer.")
@inputs
@answer_form("table", "json", "markdown")
@steps
@cache_dir
@debug
def doctor(
    *,
    inputs: tuple[Path, ...],
    form: str,
    steps: tuple[int, int] | None,
    cache_dir: Path | None,
) -> None:
    """Tell what is missing for a better answer, how much time it concerns, and what brings it.

    INPUTS are generated code, profiles and bundles, in any order and any mix; code alone or a
    profile alone will do. The worst comes first. Every launch counts for its first reason only, so
    the times of the findings add up.

    Example: kernelmap doctor output_code.py profile.json
             kernelmap doctor bundle
             kernelmap doctor torch_trace/ --format json
    """
    with progress("examining"):
        from kernelmap.options import Options
        from kernelmap.outputs import advice
        from kernelmap.pipeline import doctor as run

        found = run(*inputs, options=Options(steps=steps, cache_dir=cache_dir))
    if form == "json":
        emit(advice.dumps(found))
    elif form == "markdown":
        emit(advice.markdown(found))
    else:
        show(advice.render(found, width()))
