"""What `kernelmap correlate --roofline` answers: how far calls are from their device's limits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernelmap.cli.common import emit, note, progress, say, show_page
from kernelmap.cli.shared_options import require_bearing
from kernelmap.options import Options
from kernelmap.suggestions import one_of

if TYPE_CHECKING:
    from kernelmap.model import Notice

BY = ("call", "op", "line", "module", "kernel")


def answer_roofline(
    inputs: Sequence[Path],
    options: Options,
    *,
    by: str,
    form: str | None,
    output: Path | None,
    top: int,
) -> Sequence[Notice]:
    """Print or write the table of headroom by `by`, with why; gives what could not be used."""
    if by not in BY:
        raise click.UsageError(f"There is no roofline by {by!r}. {one_of(by, BY)}")
    if form == "csv":
        raise click.UsageError("A roofline is no single table: --format json has all of them.")
    if output is not None:
        from kernelmap.pages.write import page_form, require_folder_of

        page_form(output)
        require_folder_of(output)
    with progress("correlating"):
        from kernelmap.pipeline import correlate

        correlation = correlate(*inputs, options=options)
    require_bearing(correlation.notices, form)
    with progress("holding against limits"):
        result = correlation.roofline()
    notices = (*correlation.notices, *result.notices)
    note(notices)
    if output is not None:
        result.write(output, by=by, top=top)
        say(f"wrote {output}")
    if form == "json":
        emit(result.render(form))
    elif form is not None or output is None:
        show_page(result.page(by=by, top=top, notices=form == "markdown"), form or "table")
    return notices
