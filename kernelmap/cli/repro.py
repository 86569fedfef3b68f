"""`kernelmap repro`: a Python script that runs one call of compiled code by itself."""

from __future__ import annotations

from pathlib import Path

import click

from kernelmap.cli.common import AnyPath, Command, Name, emit, note, progress, remark
from kernelmap.cli.memory import symbol_sizes
from kernelmap.cli.shared_options import CORRELATION, chosen_options
from kernelmap.cli.standard_input import inputs


@click.command(
    cls=Command, shared=CORRELATION, short_help="Write a script that runs one call by itself."
)
@click.argument("call", metavar="CALL", type=Name())
@inputs
@click.option(
    "--with",
    "following",
    metavar="NEXT",
    help="A second call of the same graph, which reads what the first one writes.",
)
@click.option(
    "--try",
    "try_others",
    is_flag=True,
    help="Measure what roofline's reasons propose as well: other blocks, warps, layouts, types.",
)
@symbol_sizes
@click.option(
    "-o", "--output", type=AnyPath(), metavar="FILE", help="Write the script to a new file."
)
def repro(
    *,
    call: str,
    inputs: tuple[Path, ...],
    following: str | None,
    try_others: bool,
    sizes: tuple[tuple[str, int], ...],
    output: Path | None,
) -> None:
    """Print a Python script that runs one call of compiled code alone, checks and times it.

    CALL is graph/index, or the name of a kernel or an operator that one call runs. The script has
    the kernel's source, inputs of the recorded shapes, strides and dtypes with random data, the
    recorded configuration, what eager PyTorch computes in its place, and the recorded time, where
    a profile is among INPUTS. It needs torch, and a GPU where the call ran on one; kernelmap it
    does not need.

    Example: kernelmap repro 0_forward/3 output_code.py profile.json -o case.py
             kernelmap repro triton_red_fused_sum_2 bundle/ --try
             kernelmap repro 0_backward/14 bundle/ --with 0_backward/15
    """
    if output is not None:
        from kernelmap.repro.answer import require_new

        require_new(output)
    with progress("reading"):
        from kernelmap.repro import make_repro

        made = make_repro(
            call,
            *inputs,
            following=following,
            try_others=try_others,
            sizes=dict(sizes),
            options=chosen_options(),
        )
    note(made.notices)
    for name, reason in made.unchecked:
        remark(f"{name} is not checked: it {reason}")
    if output is None:
        emit(made.text)
    else:
        from kernelmap.repro.answer import write_new

        write_new(output, made.text)
        remark(f"wrote {output}")
