"""`kernelmap which`: what a name in a trace stands for."""

from __future__ import annotations

from pathlib import Path

import click

from kernelmap.cli.common import (
    Command,
    Name,
    answer_form,
    debug,
    emit,
    inputs,
    progress,
    show,
    width,
)


@click.command(cls=Command, short_help="Tell which kernels a name may stand for.")
@click.argument("name", type=Name())
@inputs
@answer_form("table", "json", "markdown")
@debug
def which(*, name: str, inputs: tuple[Path, ...], form: str) -> None:
    """Tell which kernels of the code NAME may stand for, and why.

    NAME is a device name, a wrapper, a suffix such as 0d1c, a kernel hash or an operator. With a
    profile among INPUTS the launches of that name are counted.

    Example: kernelmap which triton__0d1c output_code.py
             kernelmap which triton_poi_fused_add_0 output_code.py profile.json
    """
    with progress("reading"):
        from kernelmap.outputs import answers
        from kernelmap.pipeline import which as run

        hits = run(name, *inputs)
    if form == "json":
        emit(answers.which_json(name, hits))
    elif form == "markdown":
        emit(answers.which_markdown(name, hits))
    else:
        show(answers.which(name, hits, width()))
