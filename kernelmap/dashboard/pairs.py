"""Pairs of runs to compare: each series' newest two, each branch against main at its fork.

Takes the listing of an archive, gives tables of which each row leads to a comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

import pandas as pd
from msgspec.structs import replace

from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.listed import (
    against,
    branch,
    change_of_time,
    kin,
    run_link,
    runs,
    time,
)
from kernelmap.dashboard.series import NO_BRANCH, steps
from kernelmap.history.store.forks import MainRuns
from kernelmap.history.store.listing import Listed
from kernelmap.history.store.refs import device
from kernelmap.pages.page import CellKind, PageColumn, PageRow, PageTable, Section
from kernelmap.pages.text import make_visible

_OFFERED = 50  # pairs


def offers(archive: Archive) -> Sequence[Section]:
    """The newest run of every series against the one before it."""
    newest: dict[object, list[Listed]] = {}
    for run in runs(archive):
        series = kin(run, archive)
        # Runs come oldest first, so the newest two of each series are left.
        newest[series] = [*newest.get(series, [])[-1:], run]
    pairs = [pair for pair in newest.values() if len(pair) > 1]
    table = _pairs(pairs, "newest", "The newest run of each series, against the one before it")
    return [replace(table, empty="No series has two runs.")]


def against_main(archive: Archive) -> Sequence[Section]:
    """The newest run of every branch against main where it left that, what changed most first."""
    every = runs(archive)
    # The last run of a series that is put in is its newest.
    newest = {kin(run, archive): run for run in every}
    main = MainRuns.of(every, archive.series)
    pairs, which = [], {}
    for run in newest.values():
        base = main.base(run)
        if base is not None:
            pairs.append([base.run, run])
            which[run.id] = base.why.value
    if not pairs:
        return []
    name = make_visible(main.branch or NO_BRANCH)
    title = f"The newest run of each branch, against {name} where the branch left it"
    return [_pairs(pairs, "branches", title, which)]


def _pairs(
    pairs: list[list[Listed]], name: str, title: str, which: Mapping[str, str] | None = None
) -> PageTable:
    """A row per pair of runs, the largest change first; of equal ones that with the newest run.

    `which` says by the id of the later run which run the earlier one is.
    """
    # The second sort keeps the order of the first among equal changes.
    pairs.sort(key=lambda pair: pair[1].id, reverse=True)
    pairs.sort(key=lambda pair: _change(*pair), reverse=True)
    rows, data = [], []
    for before, after in pairs:
        row = (
            against(before, after, "compare"),
            branch(after.facts),
            make_visible(device(after.facts)),
            run_link(before),
            time(before.facts),
            run_link(after),
            time(after.facts),
            change_of_time(before, after),
        )
        said = () if which is None else (which[after.id],)
        rows.append(PageRow(cells=(*row, *said)))
        who = {"branch": after.facts.branch, "gpu": device(after.facts)}
        who |= {"before": before.id, "after": after.id}
        data.append(who if which is None else {**who, "which": which[after.id]})
    return PageTable(
        id=name,
        title=title,
        columns=(
            PageColumn(name=""),
            PageColumn(name="branch"),
            PageColumn(name="device"),
            PageColumn(name="before"),
            PageColumn(name="took", kind=CellKind.NUMBER),
            PageColumn(name="after"),
            PageColumn(name="took", kind=CellKind.NUMBER),
            PageColumn(name="change", kind=CellKind.NUMBER),
            *(() if which is None else (PageColumn(name="the run before is"),)),
        ),
        rows=tuple(rows[:_OFFERED]),
        frame=pd.DataFrame(
            data,
            columns=["branch", "gpu", "before", "after", *(() if which is None else ("which",))],
        ),
    )


def _change(before: Listed, after: Listed) -> float:
    """How far apart the two times are, slower or faster; 0 where one of them took no time."""
    was, now = (run.facts.window.total_ns / steps(run.facts) for run in (before, after))
    return abs(log(now / was)) if was and now else 0.0
