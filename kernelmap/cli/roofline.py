"""What `kernelmap correlate --roofline` answers: how far calls are from their device's limits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernelmap.cli.common import emit, note, progress, remark, show_page
from kernelmap.cli.shared_options import require_bearing
from kernelmap.cli.tables import (
    RowsAsked,
    print_table_of_rows,
    prints_rows,
    refuse_selection,
    with_anyway,
)
from kernelmap.options import Options
from kernelmap.suggestions import one_of

if TYPE_CHECKING:
    from kernelmap.correlation import Correlation
    from kernelmap.model import Notice
    from kernelmap.pages.roofline_result import RooflineResult

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
    refuse_selection(output)
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
        remark(f"wrote {output}")
    if form is None and output is not None:
        return notices
    form = form or "table"
    if prints_rows(form, "by", "top"):
        _print_rows(correlation, result, by, form, top)
    elif form == "json":
        emit(result.render(form))
    else:
        show_page(result.page(by=by, top=top, notices=form == "markdown"), form)
    return notices


def _print_rows(
    correlation: Correlation, result: RooflineResult, by: str, form: str, top: int
) -> None:
    """Print what is asked of the table of headroom by `by`."""
    from kernelmap.pages.questions import questions_of
    from kernelmap.pages.roofline_result import about_roofline
    from kernelmap.tables.frames import rows_of_frame
    from kernelmap.tables.roofline import ROOFLINE

    words, again = ("correlate", "--roofline"), with_anyway(correlation.again)
    how = RowsAsked(
        words=(*words, "--by", by),
        again=again,
        whole=again(*words, "--format", "json"),
        title=f"Headroom by {by}",
        notices=result.notices,
        about=about_roofline(result.tables),
        next=questions_of(
            (
                ("where the wall time goes", ("correlate", "--by", "wall", "--format", "json")),
                ("what could be saved at most", ("doctor", "--format", "json")),
            ),
            again,
        ),
    )
    rows = list(rows_of_frame(ROOFLINE[by], result.tables.frames[by]))
    print_table_of_rows(ROOFLINE[by], rows, form, top, how)
