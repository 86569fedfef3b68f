"""`kernelmap annotate`: the trace for Perfetto, or the code with its time."""

from __future__ import annotations

from pathlib import Path

import click

from kernelmap.cli.common import (
    AnyPath,
    Command,
    debug,
    emit,
    inputs,
    note,
    progress,
    say,
)
from kernelmap.cli.run_options import run_options
from kernelmap.options import Options


@click.command(cls=Command, short_help="Write what was found into the trace, or beside the code.")
@inputs
@click.option(
    "-o",
    "--output",
    type=AnyPath(),
    metavar="FILE|DIR",
    help="The trace to write, .json or .json.gz; a folder for several; with --code a text file.",
)
@click.option("--code", is_flag=True, help="Write the generated code with time in its margin.")
@run_options("cache_dir", "like", "device_limits")
@debug
def annotate(
    *,
    inputs: tuple[Path, ...],
    output: Path | None,
    code: bool,
    options: Options,
) -> None:
    """Write the trace once more for Perfetto, with the call of every launch in it.

    All that stood in the trace stays as it is; a profile of Nsight Systems becomes such a trace.
    Each launch gets an argument `kernelmap` with its call, wrapper, ops, nodes, source lines and
    confidence, and with its GB/s, TFLOP/s and share of the device's limit; above the GPUs' streams
    stands a track per graph with its calls by name.

    With --code: the generated code, with time, share, launches and confidence beside each call.

    Example: kernelmap annotate output_code.py profile.json -o annotated.json.gz
             kernelmap annotate torch_trace/ rank0.json.gz rank1.json.gz -o annotated/
             kernelmap annotate output_code.py run.sqlite -o annotated.json.gz
             kernelmap annotate output_code.py profile.json --code
    """
    if output is None and not code:
        raise click.UsageError("Say where to write the trace: -o FILE. Or ask for the --code.")
    with progress("correlating"):
        from kernelmap.annotating import check_target
        from kernelmap.outputs.write import require_folder_of, write_text
        from kernelmap.pipeline import correlate

        if output is not None:
            (require_folder_of if code else check_target)(output)
        result = correlate(*inputs, options=options)
    note(result.notices)
    if not code and output is not None:
        with progress(f"writing {output}"):
            done = result.annotate(output)
        note(done.notices)
        for path in done.paths:
            say(f"wrote {path}")
        return
    listing = result.annotated_code()
    if output is None:
        emit(listing)
        return
    write_text(output, listing, result.files)
    say(f"wrote {output}")
