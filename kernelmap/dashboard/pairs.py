"""Pairs of runs that somebody may want compared: each series' newest two, each branch against main.

Takes the listing of an archive, gives tables of which each row leads to a comparison.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from msgspec.structs import replace

from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.axes import main_branch
from kernelmap.dashboard.listed import against, branch, kin, run_link, runs, time
from kernelmap.dashboard.series import steps
from kernelmap.present.page import Column, Kind, Row, Section, Table
from kernelmap.present.text import signed_percent, visible
from kernelmap.store.listing import Listed
from kernelmap.store.refs import device

_OFFERED = 50  # pairs


def offers(archive: Archive) -> Sequence[Section]:
    """The newest run of every series against the one before it."""
    newest: dict[object, list[Listed]] = {}
    for run in runs(archive):
        series = kin(run, archive)
        newest[series] = [*newest.get(series, [])[-1:], run]
    pairs = [pair for pair in newest.values() if len(pair) > 1]
    table = _pairs(pairs, "newest", "The newest run of each series, against the one before it")
    return [replace(table, empty="No series has two runs.")]


def against_main(archive: Archive) -> Sequence[Section]:
    """The newest run of every branch against that of the main one, same device, unit and tags."""
    newest: dict[tuple[object, ...], dict[str, Listed]] = {}
    for run in runs(archive):
        series, unit = kin(run, archive)
        newest.setdefault((series.device, series.tags, unit), {})[branch(run.facts)] = run
    main = main_branch([branch(run.facts) for run in runs(archive)])
    pairs = [
        [by_branch[main], run]
        for by_branch in newest.values()
        if main in by_branch
        for name, run in by_branch.items()
        if name != main
    ]
    if not pairs:
        return []
    return [_pairs(pairs, "branches", f"The newest run of each branch, against {main}")]


def _pairs(pairs: list[list[Listed]], name: str, title: str) -> Table:
    """A row per pair of runs, those with the newest ones first."""
    pairs.sort(key=lambda pair: pair[1].id, reverse=True)
    rows, data = [], []
    for before, after in pairs:
        row = (
            against(before, after, "compare"),
            branch(after.facts),
            visible(device(after.facts)),
            run_link(before),
            time(before.facts),
            run_link(after),
            time(after.facts),
            _ratio(before, after),
        )
        rows.append(Row(cells=row))
        who = {"branch": after.facts.branch, "gpu": device(after.facts)}
        data.append({**who, "before": before.id, "after": after.id})
    return Table(
        id=name,
        title=title,
        columns=(
            Column(name=""),
            Column(name="branch"),
            Column(name="device"),
            Column(name="before"),
            Column(name="took", kind=Kind.NUMBER),
            Column(name="after"),
            Column(name="took", kind=Kind.NUMBER),
            Column(name="change", kind=Kind.NUMBER),
        ),
        rows=tuple(rows[:_OFFERED]),
        frame=pd.DataFrame(data, columns=["branch", "gpu", "before", "after"]),
    )


def _ratio(before: Listed, after: Listed) -> str:
    """How much longer a unit of work takes, `+4.5 %`; empty where one of them took no time."""
    was, now = (run.facts.window.total_ns / steps(run.facts) for run in (before, after))
    return signed_percent(now / was - 1) if was and now else ""
