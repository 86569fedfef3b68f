"""How sure the times are, run after run, and the runs where less is certain than usual.

A chart per branch of the share of time by confidence, and a table of the runs whose unmatched time
is above the limit or jumped, with what was said when they were recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from kernelmap.dashboard import figures
from kernelmap.dashboard.address import Address
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.doubts import JUMP, LIMIT, jumps, to_be_told, unmatched
from kernelmap.dashboard.filters import menus, newest, runs_of
from kernelmap.dashboard.listed import row_link
from kernelmap.dashboard.page import (
    Chart,
    Column,
    Page,
    Row,
    Section,
    Table,
    Words,
    attempt,
)
from kernelmap.dashboard.series import BUCKETS, recorded
from kernelmap.model import Notice
from kernelmap.outputs.text import percent, visible

_CHARTS = 6  # branches, those with the newest runs
_ROWS = 50
_NOTICES = 2  # of a run


def page(address: Address, archive: Archive) -> Page:
    """The page of an address such as `/coverage?branch=main&gpu=…&last=200`."""
    address = address.but(graph=None)
    return Page(
        title="Coverage",
        sections=attempt(lambda: _sections(address, archive)),
        menus=menus(address, archive),
    )


def _sections(address: Address, archive: Archive) -> Sequence[Section]:
    frame, last = runs_of(address, archive), newest(address)
    own = [
        rows.sort_values("run").reset_index(drop=True)
        for _, rows in frame.groupby(["branch", "unit"], sort=False)
    ]
    own = [_judged(rows) for rows in own]
    own = [rows if last is None else rows.tail(last) for rows in own]
    own.sort(key=lambda rows: str(rows["run"].iloc[-1]), reverse=True)
    drawn = own[:_CHARTS]
    sections: list[Section] = [_table(own, archive), *map(_chart, drawn, range(len(drawn)))]
    if len(own) > _CHARTS:
        words = f"{len(own) - _CHARTS} more branches: choose one above to draw it."
        sections.append(Words(lines=((words,),)))
    return sections


def _judged(rows: pd.DataFrame) -> pd.DataFrame:
    shares = unmatched(rows)
    return rows.assign(unmatched=shares, jump=jumps(shares), told=to_be_told(shares))


def _chart(rows: pd.DataFrame, at: int) -> Chart:
    branch = visible(str(rows["branch"].iloc[0]))
    columns = ["run", "created", "commit", "branch", *BUCKETS, "unmatched"]
    return Chart(
        id=f"coverage-{at + 1}",
        title=f"Share of time by confidence: {branch}",
        figure=figures.coverage(rows),
        data=rows[columns],
        about=("Unmatched is what is ambiguous or unknown: no call, op or line has that time.",),
    )


def _table(own: Sequence[pd.DataFrame], archive: Archive) -> Table:
    told = pd.concat([rows[rows["told"]] for rows in own], ignore_index=True) if own else None
    columns = (
        Column(name="unmatched", number=True),
        Column(name="over those before", number=True),
        Column(name="run", whole=True),
        Column(name="branch", whole=True),
        Column(name="recorded (UTC)", whole=True),
        Column(name="what was said when it was recorded"),
    )
    runs = sum(map(len, own))
    if told is None or told.empty:
        empty = f"None of the {runs:,} runs shown: at most {percent(LIMIT)} of each is unmatched."
        return Table(
            id="doubts", title=_TITLE, columns=columns, rows=(), data=pd.DataFrame(), empty=empty
        )
    told = told.sort_values(["unmatched", "run"], ascending=False, ignore_index=True)
    notices = _notices(archive, set(told["run"]))
    texts = [_said(notices.get(run, ())) for run in told["run"]]
    shown = told.head(_ROWS).to_dict("records")
    rows = tuple(
        Row(
            cells=(
                percent(row["unmatched"]),
                "" if pd.isna(row["jump"]) else f"{100 * row['jump']:+.1f} points",
                row_link(row),
                visible(str(row["branch"])),
                recorded(row["created"]),
                text,
            )
        )
        for row, text in zip(shown, texts[:_ROWS], strict=True)
    )
    more = len(told) - len(rows)
    about = (
        f"{len(told):,} of {runs:,} runs: above {percent(LIMIT)}, or {100 * JUMP:.0f} point above "
        f"the runs before.{f' The {len(rows)} worst are listed.' if more > 0 else ''}"
    )
    data = told.drop(columns=["told", "steps"]).assign(notices=texts)
    return Table(id="doubts", title=_TITLE, columns=columns, rows=rows, data=data, about=(about,))


_TITLE = "Runs of which much is unmatched"


def _notices(archive: Archive, wanted: set[str]) -> Mapping[str, tuple[Notice, ...]]:
    listing = archive.known.listing
    runs = listing.runs if listing else ()
    return {each.id: each.facts.notices for each in runs if each.id in wanted}


def _said(notices: Sequence[Notice]) -> str:
    """The notices of a run, those of what was lost first."""
    texts = [each.message for each in sorted(notices, key=lambda each: not each.gap)]
    more = len(texts) - _NOTICES
    end = f" {more} more." if more > 0 else ""
    return visible(" ".join(texts[:_NOTICES]) + end)
