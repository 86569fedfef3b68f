"""`kernelmap annotate`: the trace for Perfetto, or the code with its time."""

from __future__ import annotations

from pathlib import Path

import click

from kernelmap.cli.common import (
    AnyPath,
    Command,
    emit,
    note,
    progress,
    remark,
)
from kernelmap.cli.shared_options import FIGURES, chosen_options, require_bearing
from kernelmap.cli.standard_input import inputs


@click.command(
    cls=Command,
    shared=FIGURES,
    short_help="Write what was found into the trace, or beside the code.",
)
@inputs
@click.option(
    "-o",
    "--output",
    type=AnyPath(),
    metavar="FILE|DIR",
    help="The trace to write, .json or .json.gz; a folder for several; with --listing a text file.",
)
@click.option("--listing", is_flag=True, help="Write the generated code with time in its margin.")
def annotate(
    *,
    inputs: tuple[Path, ...],
    output: Path | None,
    listing: bool,
) -> None:
    """Write the trace once more for Perfetto, with the call of every launch in it.

    All that stood in the trace stays as it is; a profile of Nsight Systems becomes such a trace.
    Each launch gets an argument `kernelmap` with its call, wrapper, ops, nodes, source lines and
    confidence, and with its GB/s, TFLOP/s and share of the device's limit; above the GPUs' streams
    stands a track per graph with its calls by name.

    With --listing: the generated code, with time, share, launches and confidence beside each call.

    Example: kernelmap annotate output_code.py profile.json -o annotated.json.gz
             kernelmap annotate torch_trace/ rank0.json.gz rank1.json.gz -o annotated/
             kernelmap annotate output_code.py run.sqlite -o annotated.json.gz
             kernelmap annotate output_code.py profile.json --listing
    """
    if output is None and not listing:
        raise click.UsageError(
            "Say where to write the trace: -o FILE. Or ask for the code: --listing."
        )
    with progress("correlating"):
        from kernelmap.annotating import check_target
        from kernelmap.pages.write import require_folder_of, write_text
        from kernelmap.pipeline import correlate

        if output is not None:
            (require_folder_of if listing else check_target)(output)
        result = correlate(*inputs, options=chosen_options())
    # Times beside the code are figures; a trace keeps its own times and gets names.
    if listing:
        require_bearing(result.notices, None)
    note(result.notices)
    if not listing and output is not None:
        with progress(f"writing {output}"):
            done = result.annotate(output)
        note(done.notices)
        for path in done.paths:
            remark(f"wrote {path}")
        return
    text = result.annotated_code()
    if output is None:
        emit(text)
        return
    write_text(output, text, result.files)
    remark(f"wrote {output}")
