"""`kernelmap gate`: whether a change may pass."""

from __future__ import annotations

from pathlib import Path

import click

from kernelmap.cli.common import AnyPath, Command, debug, emit, inputs, note, progress


@click.command(cls=Command, short_help="Fail where the compiled code changed unreviewed.")
@inputs
@click.option(
    "--lock",
    "locked",
    type=AnyPath(),
    metavar="FILE",
    required=True,
    help="Fail where the code is not what this lock says.",
)
@debug
@click.pass_context
def gate(ctx: click.Context, *, inputs: tuple[Path, ...], locked: Path) -> None:
    """Compare generated code with its lock; exit with 1 and the changes where they differ.

    INPUTS are what `kernelmap lock` was given.

    Example: kernelmap gate --lock kernels.lock torch_compile_debug/
    """
    with progress("comparing"):
        from kernelmap.compare.lock_changes import lock_changes
        from kernelmap.compare.locking import lock_of, read_lock

        expected = read_lock(locked)
        found, notices = lock_of(inputs)
        changes = lock_changes(expected, found)
    note(notices)
    for change in changes:
        emit(change.text())
    if changes:
        number = (
            "1 unreviewed change" if len(changes) == 1 else f"{len(changes)} unreviewed changes"
        )
        emit(f"gate: {number}; once reviewed, `kernelmap lock` writes the new lock\n")
        ctx.exit(1)
    emit("gate: the code is what the lock says\n")
