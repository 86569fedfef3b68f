"""`kernelmap inspect`: what generated code says it will run."""

from __future__ import annotations

from pathlib import Path

import click

from kernelmap.cli.common import (
    Command,
    answer_form,
    debug,
    emit,
    inputs,
    note,
    progress,
    show_page,
)


@click.command(cls=Command, short_help="List the graphs, kernels and calls of generated code.")
@inputs
@answer_form()
@debug
def inspect(*, inputs: tuple[Path, ...], form: str) -> None:
    """List the graphs of generated code with their calls, and what was found beside them.

    INPUTS are generated code files, or folders that are searched for them.

    Example: kernelmap inspect output_code.py
             kernelmap inspect torch_trace/ torch_compile_debug/ --format json
    """
    with progress("reading"):
        from kernelmap.compiler import load_compiled
        from kernelmap.outputs import documents
        from kernelmap.present import program

        code = load_compiled(*inputs)
    note(code.notices)
    if form == "json":
        emit(documents.of_program(code))
    else:
        show_page(program.page(code), form)
