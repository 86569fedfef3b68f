"""`kernelmap capture`: run a program and record what correlation needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernelmap.capture.plan import STEPS, Plan, Profiler
from kernelmap.cli.common import AnyPath, Command, OneOf, let_go, remark, say
from kernelmap.commands import command, input_word

if TYPE_CHECKING:
    from kernelmap.model.bundle import Manifest


@click.command(
    cls=Command,
    short_help="Run a program and record what correlation needs.",
    context_settings={"allow_interspersed_args": False},
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "-o",
    "--output",
    type=AnyPath(),
    default=Path("kernelmap-bundle"),
    show_default=True,
    metavar="BUNDLE",
    help="The new folder to record into.",
)
@click.option(
    "--profiler",
    type=OneOf(("kineto", "nsys")),
    default="kineto",
    show_default=True,
    help="Who records: torch.profiler, or Nsight Systems.",
)
@click.option(
    "--warmup",
    type=click.IntRange(min=0),
    default=2,
    show_default=True,
    metavar="N",
    help="Record after N steps in a row without compilation; 0 records from the start.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    default=STEPS,
    show_default=True,
    metavar="N",
    help="Record N steps, or as many as the program makes; the default is enough for a verdict of"
    " `gate`.",
)
@click.option(
    "--no-record-shapes",
    "record_shapes",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Smaller traces, but without the hashes that prove a Triton kernel's code.",
)
@click.option(
    "--no-provenance",
    "provenance",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Keep the program's own cache of compiled code; fewer calls then have source lines and"
    " modules.",
)
@click.option(
    "--why",
    is_flag=True,
    help="Compile anew, and keep why the compiler did not fuse what it did not.",
)
@click.option("--stacks", is_flag=True, help="Record Python stacks: slow, and large traces.")
@click.option(
    "--keep-values",
    is_flag=True,
    help="Keep the values of the program's arguments in the manifest, without what is called a"
    " secret; else only the names of its options are kept.",
)
@click.option("--force", is_flag=True, help="Replace an older bundle; never another folder.")
@click.pass_context
def capture(  # noqa: PLR0913 -- one parameter per option
    ctx: click.Context,
    *,
    command: tuple[str, ...],
    output: Path,
    profiler: str,
    warmup: int,
    steps: int,
    record_shapes: bool,
    stacks: bool,
    provenance: bool,
    why: bool,
    keep_values: bool,
    force: bool,
) -> None:
    """Run COMMAND and record some of its steps into a bundle, which every command takes as input.

    The program needs no change. A step is a step of an optimizer; in a program that makes no
    optimizer it is an outermost call of a compiled function. Input, output, signals and the exit
    code are the program's own.

    `python script.py`, `python -m module` and `python -c code` are run as they are; of any other
    command, such as torchrun, the Python processes that it starts are recorded, each into a folder
    of its own in the bundle.

    Example: kernelmap capture -o bundle -- python train.py --lr 0.1
             kernelmap capture --warmup 5 --steps 3 -- torchrun --nproc_per_node 2 train.py
             kernelmap capture --profiler nsys -- python -m package.train
             kernelmap correlate bundle
    """
    from kernelmap.capture.command import capture_command

    plan = Plan(
        profiler=Profiler(profiler),
        warmup=warmup,
        steps=steps,
        record_shapes=record_shapes,
        stacks=stacks,
        provenance=provenance,
        why=why,
    )
    captured = capture_command(
        command,
        output,
        plan,
        force=force,
        keep_values=keep_values,
        say=lambda line: remark(f"note: {line}"),
    )
    try:
        if captured.manifest is None:
            remark(
                f"note: {output} could not be finished: {captured.why}; what it holds can be read"
            )
        else:
            _report(captured.manifest, output, why=why)
    except (OSError, KeyboardInterrupt):  # nobody listens; the exit code is the program's own
        let_go()
    ctx.exit(captured.exit_code)


def _report(manifest: Manifest, bundle: Path, *, why: bool) -> None:
    """What was recorded, on stderr: stdout is the program's."""
    from kernelmap.model.bundle import FileKind
    from kernelmap.model.notices import format_count

    for process in manifest.processes:
        if process.first_step is not None and process.last_step is not None:
            steps = f"steps {process.first_step} to {process.last_step}"
            fewer = manifest.steps is not None and process.recorded_steps < manifest.steps
            end = f"; the program made no more of the {manifest.steps} asked for" if fewer else ""
            say(f"{process.name}: {steps} recorded, by {process.stepped_by}{end}")
        if process.compiled_inside:
            inside = format_count(process.compiled_inside, "compilation")
            remark(f"note: {process.name}: {inside} inside them")
        if process.graphs == 0:
            remark(f"note: {process.name}: no compiled function ran")
    if why and all(file.kind is not FileKind.SCHEDULER for file in manifest.files):
        remark("note: the scheduler decided nothing: no graph was compiled, or a cache had it")
    if manifest.why is None:
        remark(f"wrote {bundle}; next: {command('correlate', input_word(bundle))}")
    else:
        remark(f"note: {bundle} is {manifest.state}: {manifest.why}")
