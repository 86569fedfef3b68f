"""The first page: how long a step took, run after run, where that changed, and why.

One chart over the branches of a GPU (of all their time, or of one graph's), and a table of its
marks, newest first, each with the causes that the comparison of the runs around it finds.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from kernelmap.compare.causes import Cause
from kernelmap.compare.comparison import Comparison
from kernelmap.compare.words import lines, signed
from kernelmap.dashboard import figures
from kernelmap.dashboard.address import Address
from kernelmap.dashboard.archive import Archive, NotYetError
from kernelmap.dashboard.filters import chosen, menus, newest
from kernelmap.dashboard.page import (
    Chart,
    Column,
    Link,
    Page,
    Row,
    Section,
    Table,
    Waiting,
    attempt,
    still,
)
from kernelmap.dashboard.series import Marked, Series
from kernelmap.errors import KernelmapError
from kernelmap.outputs.text import visible

_TOLD = 12  # marks with their causes; each is a comparison of two runs
_CAUSES = 3
_BEARS = 0.05  # of the largest cause; what is less is on the page of the comparison


def page(address: Address, archive: Archive) -> Page:
    """The page of an address such as `/?branch=main&gpu=…&graph=0_forward&last=200`."""

    def sections() -> Sequence[Section]:
        found, waits = _series(address, archive)
        whole = "all GPU time" if address.graph is None else f"graph {visible(address.graph)}"
        per = found[0].unit if found else "step"
        chart = Chart(
            id="times",
            title=f"Time per {per}: {whole}",
            figure=figures.over_runs(found, last=newest(address)),
            data=_data(found),
            about=("Triangles: a new level. Diamonds: other code, same time. Click to see why.",),
        )
        return [chart, waits] if waits else [chart, *_changes(found, archive)]

    return Page(
        title="History", sections=attempt(sections), menus=menus(address, archive, graphs=True)
    )


def _series(address: Address, archive: Archive) -> tuple[tuple[Series, ...], Waiting | None]:
    """The series, at first without the marks that need the calls of all runs."""
    try:
        return chosen(address, archive), None
    except NotYetError as waiting:
        told = still(waiting)
        return chosen(address, archive, marked=False), told


def _data(found: Sequence[Series]) -> pd.DataFrame:
    frames = []
    for each in found:
        marked = {mark.at: mark.mark.value for mark in each.marks}
        own = pd.Series([marked.get(at) for at in range(len(each.frame))], dtype="object")
        frames.append(each.frame.assign(mark=own))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def _changes(found: Sequence[Series], archive: Archive) -> list[Section]:
    marked = sorted(
        ((each, mark) for each in found for mark in each.marks),
        key=lambda pair: pair[1].run,
        reverse=True,
    )
    rows, data, open_questions = [], [], 0
    for each, mark in marked[:_TOLD]:
        causes, waits = _causes(mark, archive)
        open_questions += waits
        run = each.frame.iloc[mark.at]
        why = Address(page="compare", before=mark.before, after=mark.after)
        ratio = "" if mark.ratio is None else f"{mark.ratio - 1:+.1%}"
        commit = run["commit"] if isinstance(run["commit"], str) else mark.run
        rows.append(
            Row(
                cells=(
                    Link(mark.mark.value, why, title="what changed"),
                    ratio,
                    visible(each.branch),
                    Link(visible(commit), Address(page="run", run=mark.run)),
                    str(run["created"])[:16].replace("T", " "),
                    causes,
                )
            )
        )
        data.append(
            {
                "mark": mark.mark.value,
                "ratio": mark.ratio,
                "branch": each.branch,
                "run": mark.run,
                "commit": run["commit"],
                "created": run["created"],
                "before": mark.before,
                "after": mark.after,
                "causes": causes,
            }
        )
    more = len(marked) - len(rows)
    table = Table(
        id="changes",
        title="What changed, newest first",
        columns=(
            Column(name="change", whole=True),
            Column(name="time", number=True),
            Column(name="branch"),
            Column(name="run"),
            Column(name="recorded (UTC)", whole=True),
            Column(name="causes"),
        ),
        rows=tuple(rows),
        data=pd.DataFrame(data),
        about=(f"{more} older ones are on the chart.",) if more > 0 else (),
        empty="Nothing changed its level.",
    )
    if not open_questions:
        return [table]
    done = len(rows) - open_questions
    return [table, Waiting(what="explaining changes", done=done, of=len(rows))]


def _causes(mark: Marked, archive: Archive) -> tuple[str, bool]:
    """What the comparison says of a mark, and whether it is still being made."""
    try:
        found = archive.comparison(mark.before, mark.after)
    except NotYetError:
        return "…", True
    except KernelmapError as error:
        return error.message, False
    return told(found), False


def told(found: Comparison) -> str:
    """The causes of a comparison that bear most of the change, in one line."""
    clock = Cause.CLOCK.value
    known = [line for line in lines(found) if line.cause == clock or not line.dim]
    largest = max((abs(line.change_ns) for line in known), default=0)
    main = [line for line in known if abs(line.change_ns) >= _BEARS * largest]
    texts = [f"{line.cause} {signed(line.change_ns)}: {line.what}" for line in main[:_CAUSES]]
    more = len(main) - len(texts)
    return "; ".join(texts) + (f"; {more} more" if more > 0 else "") if texts else "no change"
