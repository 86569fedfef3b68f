"""`kernelmap memory`: who holds the bytes at the peak of each graph, by its code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernelmap.cli.common import (
    ROW_FORMS,
    Command,
    emit,
    note,
    progress,
    remark,
    result_form,
    show_page,
    top,
)
from kernelmap.cli.shared_options import CORRELATION, ROWS, chosen_options
from kernelmap.cli.standard_input import inputs
from kernelmap.cli.tables import (
    Again,
    RowsAsked,
    print_table_of_rows,
    prints_rows,
    refuse_selection,
)
from kernelmap.commands import ask_again
from kernelmap.options import Options

if TYPE_CHECKING:
    from kernelmap.pages.memory_result import MemoryResult


class SymbolSize(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """`s0=128`: a symbol of the code and its number."""

    name = "size"

    def convert(
        self,
        value: Any,  # noqa: ANN401 -- click's signature
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[str, int]:
        """Both; wrong usage where the one is no name, or the other no whole number."""
        if isinstance(value, tuple):
            return value
        name, _, number = str(value).partition("=")
        if not name.isidentifier() or not number.isdecimal() or len(number) > _DIGITS:
            self.fail(f"{value!r} is not of the form s0=128", param, ctx)
        return name, int(number)


_DIGITS = 15  # of the largest size

symbol_sizes = click.option(
    "--size",
    "sizes",
    type=SymbolSize(),
    multiple=True,
    metavar="SYMBOL=N",
    help="A number for a symbol of dynamic shapes: --size s0=128.",
)


@click.command(
    cls=Command,
    shared=(*CORRELATION, *ROWS),
    short_help="Tell who holds the bytes at the peak of each graph.",
)
@inputs
@click.option(
    "--graph",
    "graphs",
    multiple=True,
    metavar="ID",
    help="Show this graph only, such as 0_forward; may be given again.",
)
@symbol_sizes
@click.option(
    "--as-allocated",
    is_flag=True,
    help="Round sizes up to 512 bytes, as torch's caching allocator does.",
)
@result_form(
    "a .json, .html or .md file, or a folder of Parquet files", place="FILE|DIR", forms=ROW_FORMS
)
@top
def memory(  # noqa: PLR0913 -- one parameter per option
    *,
    inputs: tuple[Path, ...],
    graphs: tuple[str, ...],
    sizes: tuple[tuple[str, int], ...],
    as_allocated: bool,
    form: str | None,
    output: Path | None,
    top: int,
) -> None:
    """Tell who holds the bytes at the peak of each graph: buffer, source line, since which call.

    INPUTS are generated code, logs, packages and bundles, in any order; no GPU and no profile is
    needed. Where code has dynamic shapes, a profile among INPUTS tells the sizes that ran, and
    --size says others.

    A profile that was recorded with profile_memory=True says what was measured, and so does a
    memory snapshot of torch: peaks of steps and graphs, and who held the bytes.

    Counted is what the code states: what it is handed, allocates, reuses, frees and returns.
    Memory that a library takes while it works, and what programs allocate outside of compiled
    code, is not in it.

    Example: kernelmap memory output_code.py
             kernelmap memory torch_compile_debug/ --graph 0_backward --top 50
             kernelmap memory torch_trace/ --size s0=128 --format json
             kernelmap memory model.pt2 --as-allocated -o tables/
    """
    answer_memory(
        inputs,
        graphs=graphs,
        sizes=dict(sizes),
        as_allocated=as_allocated,
        form=form,
        output=output,
        top=top,
    )


def answer_memory(  # noqa: PLR0913 -- what is asked, and how it is shown
    inputs: Sequence[Path],
    *,
    graphs: Sequence[str] = (),
    sizes: Mapping[str, int] | None = None,
    as_allocated: bool = False,
    form: str | None,
    output: Path | None,
    top: int,
) -> MemoryResult:
    """Print or write the memory of graphs; gives what was found."""
    refuse_selection(output)
    if output is not None:
        from kernelmap.pages.write import check_page_or_folder

        check_page_or_folder(output)
    with progress("reading"):
        from kernelmap.pipeline import memory_of

        options = chosen_options()
        result = memory_of(*inputs, sizes=sizes, as_allocated=as_allocated, options=options)
    note(result.notices)
    chosen = result.of_graphs(graphs) if graphs else result
    if output is not None:
        chosen.write(output, top=top)
        remark(f"wrote {output}")
    if form is None and output is not None:
        return result
    form = form or "table"
    if prints_rows(form, "by", "top"):
        options_of_graphs = [word for graph in graphs for word in ("--graph", graph)]
        sized = [
            word for name, size in (sizes or {}).items() for word in ("--size", f"{name}={size}")
        ]
        rounded = ["--as-allocated"] if as_allocated else []
        words = ("memory", *options_of_graphs, *sized, *rounded)
        _print_buffers(chosen, form, top, words, partial(_ask_again, inputs, options))
    elif form == "json":
        emit(chosen.render(form))
    else:
        show_page(chosen.page(top=top), form)
    return result


def _ask_again(inputs: Sequence[Path], options: Options, *words: str) -> str:
    return ask_again(words, inputs, options)


def _print_buffers(
    result: MemoryResult, form: str, top: int, words: tuple[str, ...], again: Again
) -> None:
    """Print what is asked of the table of buffers."""
    from kernelmap.pages.questions import questions_of
    from kernelmap.tables.memory import MEMORY_TABLES
    from kernelmap.tables.rows import whole_number

    how = RowsAsked(
        words=words,
        again=again,
        whole=again(*words, "--format", "json"),
        title="Memory by buffer",
        order="peak_bytes, most first",
        next=questions_of([("what could be saved", ("doctor", "--format", "json"))], again),
        about={"peak_bytes": {memory.graph: memory.peak_bytes for memory in result.memories}},
        notices=result.notices,
    )
    # The first rows are the largest of all graphs; the whole has them graph by graph.
    rows = result.tables.rows["buffers"]
    if form != "csv":
        rows = sorted(rows, key=lambda row: -whole_number(row, "peak_bytes"))
    print_table_of_rows(MEMORY_TABLES["buffers"], rows, form, top, how)
