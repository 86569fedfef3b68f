"""What `kernelmap inspect` answers of AOTInductor's debug printer: its variables, its output."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from kernelmap.cli.common import emit, note, progress, show, show_page, width


def answer_printer_settings(
    inputs: tuple[Path, ...], kernels: tuple[str, ...], top: int | None, level: int, form: str
) -> None:
    """Answer with the variables that make the printer speak."""
    with progress("reading"):
        from kernelmap.debug_printer import documents, settings_for_calls, shown

        variables = settings_for_calls(*inputs, kernels=kernels, top=top, level=level)
    note(variables.notices)
    if form == "json":
        emit(documents.of_settings(variables))
    elif form == "markdown":
        show_page(shown.settings_page(variables, inputs), form)
    else:
        show(shown.script_of_settings(variables, width(), inputs))


def answer_printed(
    inputs: tuple[Path, ...],
    printed: Sequence[Path],
    kernels: tuple[str, ...],
    form: str,
    *,
    load: bool,
) -> None:
    """Answer with what a program's output and a folder of saved tensors say."""
    from kernelmap.model.paths import is_folder

    folders = [path for path in printed if is_folder(path)]
    logs = [path for path in printed if not is_folder(path)]
    if len(folders) > 1 or len(logs) > 1:
        raise click.UsageError("--printed takes one output of a program and one folder at most.")
    if load and not folders:
        raise click.UsageError("--load opens saved tensors; name their folder: --printed DIR.")
    with progress("reading"):
        from kernelmap.debug_printer import documents, read_left_over, shown

        left = read_left_over(
            *inputs,
            saved=next(iter(folders), None),
            log=next(iter(logs), None),
            kernels=kernels,
            load=load,
        )
    note(left.notices)
    if form == "json":
        emit(documents.of_left_over(left))
    else:
        show_page(shown.page_of_left_over(left), form)
