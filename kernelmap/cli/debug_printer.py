"""`kernelmap debug-printer`: make AOTInductor's debug printer speak, and read what it said."""

from __future__ import annotations

from pathlib import Path

import click

from kernelmap.cli.common import (
    AnyPath,
    Command,
    answer_form,
    debug,
    emit,
    inputs,
    note,
    progress,
    show,
    show_page,
    width,
)


@click.command(
    "debug-printer", cls=Command, short_help="Set up AOTInductor's debug printer, and read it."
)
@inputs
@click.option(
    "--kernel",
    "kernels",
    metavar="NAME",
    multiple=True,
    help="A wrapper, a call's id, a device name or an operator; may be given again.",
)
@click.option(
    "--top", type=click.IntRange(min=1), metavar="N", help="The profile's hottest kernels."
)
@click.option(
    "--level",
    type=click.IntRange(1, 3),
    metavar="N",
    default=2,
    show_default=True,
    help="1 saves tensors, 2 prints their values, 3 prints the kernels' names.",
)
@click.option("--saved", type=AnyPath(), metavar="DIR", help="Read the tensors saved there.")
@click.option("--log", type=AnyPath(), metavar="FILE", help="Read what a run printed.")
@click.option(
    "--load", is_flag=True, help="Open the saved tensors and count NaN and Inf; needs torch."
)
@answer_form()
@debug
def debug_printer(  # noqa: PLR0913 -- one parameter per option
    *,
    inputs: tuple[Path, ...],
    kernels: tuple[str, ...],
    top: int | None,
    level: int,
    saved: Path | None,
    log: Path | None,
    load: bool,
    form: str,
) -> None:
    """Say which variables make AOTInductor's debug printer speak of a kernel, or read what it said.

    INPUTS are the generated code, a package (.pt2) for example, and perhaps a profile for --top.
    Without --saved and --log the answer is a script for a shell. The variables count while the
    model is compiled; only level 2 can be filtered.

    With --saved or --log: which call, argument and moment each saved tensor and each value belongs
    to, which call first turned NaN or Inf, and in which call a program died.

    Example: kernelmap debug-printer model.pt2 --kernel aten.addmm
             kernelmap debug-printer model.pt2 profile.json --top 3
             kernelmap debug-printer model.pt2 --saved tmp --load
             kernelmap debug-printer model.pt2 --log run.log
    """
    if load and saved is None:
        raise click.UsageError("--load opens saved tensors; name their folder: --saved DIR.")
    if saved is None and log is None:
        _settings(inputs, kernels, top, level, form)
        return
    if top is not None:
        raise click.UsageError("--top chooses what to print; to read, choose with --kernel.")
    with progress("reading"):
        from kernelmap.printing import documents, left_over, shown

        printed = left_over(*inputs, saved=saved, log=log, kernels=kernels, load=load)
    note(printed.notices)
    if form == "json":
        emit(documents.of_left_over(printed))
    else:
        show_page(shown.page(printed), form)


def _settings(
    inputs: tuple[Path, ...], kernels: tuple[str, ...], top: int | None, level: int, form: str
) -> None:
    """Answer with the variables."""
    with progress("reading"):
        from kernelmap.printing import documents, settings, shown

        variables = settings(*inputs, kernels=kernels, top=top, level=level)
    note(variables.notices)
    if form == "json":
        emit(documents.of_settings(variables))
    elif form == "markdown":
        show_page(shown.settings_page(variables, inputs), form)
    else:
        show(shown.script(variables, width(), inputs))
