"""`kernelmap inspect`: what generated code says it will run, as a table, a lock or a printer."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from kernelmap.cli.common import (
    ROW_FORMS,
    AnyPath,
    Command,
    answer_form,
    emit,
    note,
    progress,
    remark,
    show_page,
)
from kernelmap.cli.debug_printer import answer_printed, answer_printer_settings
from kernelmap.cli.shared_options import ROWS
from kernelmap.cli.standard_input import inputs
from kernelmap.cli.tables import RowsAsked, has_selection, print_table_of_rows, prints_rows
from kernelmap.commands import command, input_word

_TOP = 20


@click.command(
    cls=Command, shared=ROWS, short_help="List the graphs, kernels and calls of generated code."
)
@inputs
@answer_form((*ROW_FORMS, "lock"))
@click.option(
    "--lock",
    type=AnyPath(),
    metavar="FILE",
    help="Write down what the compiler fused, to review its changes: `gate --lock FILE` fails on"
    " any. --format lock prints it.",
)
@click.option(
    "--debug-printer",
    "level",
    type=click.IntRange(1, 3),
    metavar="LEVEL",
    help="Say which variables make AOTInductor's debug printer speak: 1 saves tensors, 2 prints"
    " their values, 3 prints the kernels' names.",
)
@click.option(
    "--printed",
    type=AnyPath(),
    multiple=True,
    metavar="PATH",
    help="Read what that printer left: a program's output, or the folder of the saved tensors.",
)
@click.option(
    "--kernel",
    "kernels",
    metavar="NAME",
    multiple=True,
    help="Of the printer: a wrapper, a call's id, a device name or an operator; may be given"
    " again.",
)
@click.option(
    "--top",
    type=click.IntRange(min=1),
    metavar="N",
    help="Calls to show, of all graphs; of the printer: the profile's hottest kernels.",
)
@click.option(
    "--load", is_flag=True, help="Open the saved tensors and count NaN and Inf; needs torch."
)
@click.pass_context
def inspect(  # noqa: PLR0913 -- one parameter per option
    ctx: click.Context,
    *,
    inputs: tuple[Path, ...],
    form: str,
    lock: Path | None,
    level: int | None,
    printed: tuple[Path, ...],
    kernels: tuple[str, ...],
    top: int | None,
    load: bool,
) -> None:
    """List the graphs of generated code with their calls, and what was found beside them.

    INPUTS are generated code files, logs, packages (.pt2), or folders that are searched for them.

    A lock says what each call computes, and how. It stays the same when kernels are only numbered
    otherwise; `kernelmap gate --lock` fails on any other change. No GPU and no profile is needed;
    with a profile among INPUTS the configurations that ran are written too.

    With --debug-printer the answer is a script for a shell: its variables count while the model is
    compiled, and only level 2 can be filtered. With --printed: which call, argument and moment each
    saved tensor and each value belongs to, which call first turned NaN or Inf, and in which call a
    program died.

    Example: kernelmap inspect output_code.py
             kernelmap inspect torch_trace/ torch_compile_debug/ --format json
             kernelmap inspect torch_compile_debug/ --lock kernels.lock
             kernelmap inspect model.pt2 --debug-printer 2 --kernel aten.addmm
             kernelmap inspect model.pt2 profile.json --debug-printer 2 --top 3
             kernelmap inspect model.pt2 --printed run.log
             kernelmap inspect model.pt2 --printed tmp --load
    """
    is_of_printer = level is not None or printed
    if is_of_printer and (lock is not None or form == "lock"):
        raise click.UsageError("A lock is one answer, the debug printer another; ask for one.")
    if is_of_printer and (form in ("csv", "jsonl") or has_selection()):
        raise click.UsageError("What the printer says is no table; --format json has all of it.")
    if not is_of_printer and (kernels or load):
        raise click.UsageError("Of the printer: add --debug-printer LEVEL, or --printed PATH.")
    if printed:
        if top is not None:
            raise click.UsageError("--top chooses what to print; to read, choose with --kernel.")
        answer_printed(inputs, printed, kernels, form, load=load)
    elif level is not None:
        answer_printer_settings(inputs, kernels, top, level, form)
    else:
        if lock is not None or form == "lock":
            _lock(inputs, lock, prints=form == "lock")
        # A lock in a file leaves nothing to print, unless a form is asked for.
        is_typed = ctx.get_parameter_source("form") is click.core.ParameterSource.COMMANDLINE
        if form != "lock" and (lock is None or is_typed):
            _list(inputs, form, top)


def _list(inputs: tuple[Path, ...], form: str, top: int | None) -> None:
    """Print the graphs and their calls, or what is asked of the calls."""
    with progress("reading"):
        from kernelmap.compiler import load_compiled
        from kernelmap.pages import documents, program
        from kernelmap.pages.questions import questions_of

        code = load_compiled(*inputs)
    note(code.notices)
    if top is not None or prints_rows(form):
        again = partial(_ask_again, inputs)
        how = RowsAsked(
            words=("inspect",),
            again=again,
            whole=again("inspect", "--format", "json"),
            title=f"{len(code.graphs):,} graphs by call",
            notices=code.notices,
            about={"graphs": {graph.id: len(graph.calls) for graph in code.graphs}},
            next=questions_of(
                [
                    (
                        "who holds the bytes at the peak",
                        ("memory", "--format", "json", "--top", "10"),
                    )
                ],
                again,
            ),
        )
        print_table_of_rows(program.CODE_CALLS, program.rows_of_code(code), form, top or _TOP, how)
    elif form == "json":
        emit(documents.of_program(code))
    else:
        show_page(program.page_of_program(code), form)


def _ask_again(inputs: tuple[Path, ...], *words: str) -> str:
    return command(*words, *map(input_word, inputs))


def _lock(inputs: tuple[Path, ...], place: Path | None, *, prints: bool) -> None:
    """Write the lock to `place`, and print it where that is asked for."""
    with progress("reading"):
        from kernelmap.history.compare.lock.records import dump_lock, lock_of
        from kernelmap.pages.write import require_folder_of, write_files

        if place is not None:
            require_folder_of(place)
        graphs, notices, files = lock_of(inputs)
    note(notices)
    text = dump_lock(graphs)
    if place is not None:
        write_files({place: lambda handle: handle.writelines([text.encode()])}, files)
        remark(f"wrote {place}")
    if prints:
        emit(text)
