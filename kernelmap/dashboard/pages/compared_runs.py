"""Which two runs are compared, and which may be: who they are, and the way to their neighbors."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from kernelmap.dashboard.address import Address
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.listed import (
    against,
    branch,
    commit,
    exact,
    kin,
    neighbors,
    run_link,
    runs,
    time,
)
from kernelmap.dashboard.page import Cells, Column, Link, Row, Section, Table, filled
from kernelmap.dashboard.series import gpu, recorded
from kernelmap.outputs.text import visible
from kernelmap.store.listing import Listed

_OFFERED = 50  # pairs


def offers(archive: Archive) -> Sequence[Section]:
    """The newest run of every branch and GPU against the one before it."""
    newest: dict[object, list[Listed]] = {}
    for run in runs(archive):
        newest[kin(run)] = [*newest.get(kin(run), [])[-1:], run]
    pairs = [pair for pair in newest.values() if len(pair) > 1]
    pairs.sort(key=lambda pair: pair[1].id, reverse=True)
    rows, data = [], []
    for before, after in pairs:
        row = (
            against(before, after, "compare"),
            branch(after.facts),
            visible(gpu(after.facts)),
            run_link(before),
            time(before.facts),
            run_link(after),
            time(after.facts),
        )
        rows.append(Row(cells=row))
        who = {"branch": after.facts.branch, "gpu": gpu(after.facts)}
        data.append({**who, "before": before.id, "after": after.id})
    table = Table(
        id="newest",
        title="The newest run of each branch, against the one before it",
        columns=(
            Column(name=""),
            Column(name="branch"),
            Column(name="GPU"),
            Column(name="before"),
            Column(name="took", number=True),
            Column(name="after"),
            Column(name="took", number=True),
        ),
        rows=tuple(rows[:_OFFERED]),
        data=pd.DataFrame(data, columns=["branch", "gpu", "before", "after"]),
        empty="No branch has two runs on one GPU.",
    )
    return [table]


def two(now: Address, before: Listed, after: Listed, archive: Archive) -> Table:
    """What the two runs are, and the way to their neighbors."""
    rows, data = [], []
    for side, run in (("before", before), ("after", after)):
        facts = run.facts
        row = (
            side,
            run_link(run),
            recorded(facts.created),
            branch(facts),
            commit(facts),
            visible(facts.name or ""),
            visible(gpu(facts)),
            exact(facts),
        )
        rows.append(Row(cells=(*row, _steps(now, side, run, archive))))
        data.append(
            {
                "side": side,
                "run": run.id,
                "created": facts.created,
                "branch": facts.branch,
                "commit": facts.commit,
                "name": facts.name,
                "gpu": gpu(facts),
                "exact": facts.window.coverage.get("exact"),
            }
        )
    columns, shown = filled(_RUN_COLUMNS, rows)
    return Table(
        id="runs",
        title="The two runs",
        columns=columns,
        rows=shown,
        data=pd.DataFrame(data),
        about=(Link("swap the two", now.but(before=now.after, after=now.before)),),
    )


_RUN_COLUMNS = (
    Column(name=""),
    Column(name="run", whole=True),
    Column(name="recorded (UTC)", whole=True),
    Column(name="branch"),
    Column(name="commit"),
    Column(name="name"),
    Column(name="GPU"),
    Column(name="exact", number=True),
    Column(name="instead of it", whole=True),
)


def _steps(now: Address, side: str, run: Listed, archive: Archive) -> Cells:
    around = neighbors(run, archive)
    links = [
        Link(text, now.but(**{side: other.id}), title=other.id)
        for text, other in (("the run before", around.older), ("the run after", around.newer))
        if other is not None
    ]
    return (links[0], " · ", links[1]) if len(links) > 1 else tuple(links)
