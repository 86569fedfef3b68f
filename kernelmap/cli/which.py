"""`kernelmap which`: what a name in a trace stands for."""

from __future__ import annotations

from collections.abc import Sequence
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
from kernelmap.cli.shared_options import PAIRING, anyway, chosen_options, wants_refused
from kernelmap.cli.standard_input import InputPath

_EACH = 3  # launches that are explained one by one


@click.command(
    cls=Command, shared=(*PAIRING, anyway), short_help="Tell which kernels a name may stand for."
)
@click.argument("arguments", nargs=-1, required=True, metavar="[NAME] INPUTS...")
@click.option("--at", metavar="TIME", help="Ask for what ran at a time of the profiler's timeline.")
@click.option("--correlation", type=int, metavar="ID", help="Ask for one correlation id.")
@answer_form()
@click.pass_context
def which(
    ctx: click.Context,
    *,
    arguments: tuple[str, ...],
    at: str | None,
    correlation: int | None,
    form: str,
) -> None:
    """Tell which kernels of the code NAME may stand for, and why.

    NAME is a device name in any spelling, a wrapper, a suffix such as 0d1c, a kernel hash or an
    operator. With a profile among INPUTS its launches are counted and divided. With --at or
    --correlation there is no NAME: the answer is about the launches there.

    Example: kernelmap which triton__0d1c output_code.py
             kernelmap which triton_poi_fused_add_0 output_code.py profile.json
             kernelmap which --at 12.345s output_code.py run.sqlite
    """
    # With a time or an id all arguments are inputs.
    if at is not None or correlation is not None:
        _rows(_paths(ctx, arguments), at, correlation, form)
        return
    name = Name().convert(arguments[0], None, ctx)
    paths = _paths(ctx, arguments[1:])
    if not paths:
        raise click.UsageError("Missing INPUTS: generated code, and perhaps a profile.", ctx)
    with progress("reading"):
        from kernelmap.pages import answers, documents
        from kernelmap.pipeline import which as run

        hits = run(name, *paths, options=chosen_options(), anyway=wants_refused())
    if form == "json":
        emit(documents.of_which(name, hits))
    else:
        show_page(answers.page_of_hits(name, hits), form)


def _paths(ctx: click.Context, arguments: Sequence[str]) -> tuple[Path, ...]:
    """The inputs among the arguments; wrong usage where one is empty."""
    return tuple(InputPath().convert(argument, None, ctx) for argument in arguments)


def _rows(
    inputs: tuple[Path, ...],
    at: str | None,
    correlation: int | None,
    form: str,
) -> None:
    """Answer for rows of the timeline."""
    with progress("correlating"):
        from kernelmap.pages import answers, documents
        from kernelmap.pipeline import correlate

        result = correlate(*inputs, options=chosen_options())
        explanations = result.at(at) if at is not None else ()
        explanations += result.correlated(correlation) if correlation is not None else ()
    note(result.notices)
    if form == "json":
        emit(documents.of_explanations(explanations))
        return
    if form == "table" and len(explanations) > _EACH:
        first = explanations[0].launch
        show_page(answers.page_of_explanations(explanations, result.again("explain", str(first))))
        return
    for number, explanation in enumerate(explanations):
        if number:
            emit("\n")
        show_page(answers.page_of_explanation(explanation), form)
