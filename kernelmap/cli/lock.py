"""`kernelmap lock`: the fusion structure of compiled code as a text to review."""

from __future__ import annotations

from pathlib import Path

import click

from kernelmap.cli.common import AnyPath, Command, debug, emit, inputs, note, progress, say


@click.command(cls=Command, short_help="Write down what the compiler fused, to review its changes.")
@inputs
@click.option(
    "-o", "--output", type=AnyPath(), metavar="FILE", help="Write it there, such as kernels.lock."
)
@debug
def lock(*, inputs: tuple[Path, ...], output: Path | None) -> None:
    """Write down the graphs and calls of generated code: what each one computes, and how.

    INPUTS are generated code files, folders or logs; no GPU and no profile is needed. With a
    profile among them the configurations that ran are written too. The text stays the same when
    kernels are only numbered otherwise; `kernelmap gate --lock` fails on any other change.

    Example: kernelmap lock torch_compile_debug/ -o kernels.lock
             kernelmap gate --lock kernels.lock torch_compile_debug/
    """
    with progress("reading"):
        from kernelmap.compare.lock import dumps, lock_of
        from kernelmap.outputs.write import require_folder_of, write_files

        if output is not None:
            require_folder_of(output)
        graphs, notices, files = lock_of(inputs)
    note(notices)
    text = dumps(graphs)
    if output is None:
        emit(text)
        return
    write_files({output: lambda handle: handle.writelines([text.encode()])}, files)
    say(f"wrote {output}")
