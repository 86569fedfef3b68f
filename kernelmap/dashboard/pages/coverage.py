"""How sure the times are, run after run, and the runs where less is certain than usual.

A chart per branch of the share of time by confidence, and a table of the runs whose unmatched time
is above LIMIT or jumped, with the notices of their recording. Unmatched time is that of the buckets
`ambiguous` and `unknown`: no number of a call, op or line has it. Every page that draws a run above
LIMIT begins with a warning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from kernelmap.dashboard import figures
from kernelmap.dashboard.archive import Archive, NotYetError, attempt
from kernelmap.dashboard.filters import menus, newest, runs_of
from kernelmap.dashboard.listed import row_link
from kernelmap.dashboard.series import BUCKETS, recorded, runs_frame
from kernelmap.errors import KernelmapError
from kernelmap.history.store.listing import Listed
from kernelmap.history.store.refs import resolve
from kernelmap.model import Notice
from kernelmap.model.notices import format_count
from kernelmap.pages.address import Address
from kernelmap.pages.page import (
    CellKind,
    Figure,
    Link,
    Note,
    Page,
    PageColumn,
    PageRow,
    PageTable,
    Section,
    Tone,
)
from kernelmap.pages.text import format_percent, make_visible, signed_percent

LIMIT = 0.05
"""A share of the time; where more is unmatched, what is shown is not to be trusted blindly.
Recordings with a host side have next to none (docs/accuracy.md). Chosen."""

JUMP = 0.01
"""A share of the time by which it grows over the runs before, from which on a run is shown: less
comes and goes with lost events. Chosen."""

_BEFORE = 5  # runs whose median is what is usual
_OVER_RUNS = ("history", "items", "item")


def unmatched(frame: pd.DataFrame) -> pd.Series[float]:
    """The share of unmatched time (0 to 1) of every run of a runs_frame; NaN without any time."""
    return frame["ambiguous"].astype(float) + frame["unknown"].astype(float)


def jumps(shares: pd.Series[float]) -> pd.Series[float]:
    """By how much each share lies above the median of those before; NaN for the first."""
    # The usual share is that of the runs before, without the run itself.
    usual = shares.shift(1).rolling(_BEFORE, min_periods=1).median()
    return shares - usual


def doubts(address: Address, archive: Archive) -> tuple[Section, ...]:
    """The warning of a page that shows runs with too much unmatched time; none without such."""
    try:
        shares = unmatched(_shown(address, archive))
    except (NotYetError, KernelmapError):  # the page itself says so
        return ()
    above = shares[shares > LIMIT]
    if above.empty:
        return ()
    of = (
        f"{len(above):,} of the {format_count(len(shares), 'run')} shown"
        if len(shares) > 1
        else "This run"
    )
    verb = "rest" if len(above) > 1 else "rests"
    most = format_percent(float(above.max()))
    claim = f"{of} {verb} on more than {100 * LIMIT:.0f} % unmatched time (up to {most})"
    words = (
        f"{claim}: calls, ops and lines lack that part. ",
        Link("Coverage over time", address.on_page("coverage").with_changes(graph=None)),
    )
    return (Note(lines=(words,), tone=Tone.WARNING),)


def _shown(address: Address, archive: Archive) -> pd.DataFrame:
    """The runs that a page shows: those that it names, or the newest of each branch."""
    listing = archive.snapshot.listing
    runs = listing.runs if listing else ()
    if address.page in _OVER_RUNS:
        frame = runs_of(address, archive)
        # This page shows the newest run alone.
        if address.page == "items":
            return frame.tail(1)
        last = newest(address)
        return frame if last is None else frame.groupby(["branch", "series", "unit"]).tail(last)
    named = (address.before, address.after, address.run)
    named_runs = [_resolved(ref, runs) for ref in named if ref is not None]
    return runs_frame([named_run for named_run in named_runs if named_run is not None])


def _resolved(ref: str, runs: tuple[Listed, ...]) -> Listed | None:
    try:
        return resolve(ref, runs)
    except KernelmapError:  # the page itself says so
        return None


def stands_out(shares: pd.Series[float]) -> pd.Series[bool]:
    """Which runs a reader should know of: above the limit, or well above those before."""
    # A run without any time, or without one before, has NaN, which is neither above nor a jump.
    return pd.Series(np.asarray((shares > LIMIT) | (jumps(shares) >= JUMP)), index=shares.index)


_CHARTS = 6  # branches, those with the newest runs
_ROWS = 50
_NOTICES = 2  # of a run


def coverage_page(address: Address, archive: Archive) -> Page:
    """The page of an address such as `/coverage?branch=main&gpu=…&last=200`."""
    address = address.with_changes(graph=None)
    return Page(
        title="Coverage",
        sections=attempt(lambda: _sections(address, archive)),
        menus=menus(address, archive, axes=False),
    )


def _sections(address: Address, archive: Archive) -> Sequence[Section]:
    frame, last = runs_of(address, archive), newest(address)
    frames = [
        rows.sort_values("run").reset_index(drop=True)
        for _, rows in frame.groupby(["branch", "series", "unit"], sort=False)
    ]
    # Judged before the cut, so that the first runs shown are held against those before them.
    frames = [_judged(rows) for rows in frames]
    frames = [rows if last is None else rows.tail(last) for rows in frames]
    # The series with the newest runs come first.
    frames.sort(key=lambda rows: str(rows["run"].iloc[-1]), reverse=True)
    drawn = frames[:_CHARTS]
    sections: list[Section] = [
        _table(frames, archive),
        *map(_chart, drawn, range(len(drawn))),
    ]
    if len(frames) > _CHARTS:
        words = f"{len(frames) - _CHARTS} more series: choose one above to draw it."
        sections.append(Note(lines=((words,),)))
    return sections


def _judged(rows: pd.DataFrame) -> pd.DataFrame:
    shares = unmatched(rows)
    return rows.assign(unmatched=shares, jump=jumps(shares), stands_out=stands_out(shares))


def _chart(rows: pd.DataFrame, at: int) -> Figure:
    branch = make_visible(", ".join(filter(None, map(str, rows[["branch", "series"]].iloc[0]))))
    columns = ["run", "created", "commit", "branch", "series", *BUCKETS, "unmatched"]
    return Figure(
        id=f"coverage-{at + 1}",
        title=f"Share of time by confidence: {branch}",
        plot=figures.coverage(rows),
        data=rows[columns],
        about=("Unmatched is what is ambiguous or unknown: no call, op or line has that time.",),
    )


def _table(frames: Sequence[pd.DataFrame], archive: Archive) -> PageTable:
    doubtful = (
        pd.concat([rows[rows["stands_out"]] for rows in frames], ignore_index=True)
        if frames
        else None
    )
    columns = (
        PageColumn(name="unmatched", kind=CellKind.NUMBER),
        PageColumn(name="over those before", kind=CellKind.NUMBER),
        PageColumn(name="run", whole=True),
        PageColumn(name="branch", whole=True),
        PageColumn(name="recorded (UTC)", whole=True),
        PageColumn(name="what was said when it was recorded"),
    )
    runs = sum(map(len, frames))
    if doubtful is None or doubtful.empty:
        which = "Not the one run" if runs == 1 else f"None of the {runs:,} runs"
        empty = f"{which} shown: at most {format_percent(LIMIT)} of its time is unmatched."
        return PageTable(
            id="doubts", title=_TITLE, columns=columns, rows=(), frame=pd.DataFrame(), empty=empty
        )
    doubtful = doubtful.sort_values(["unmatched", "run"], ascending=False, ignore_index=True)
    notices = _notices(archive, set(doubtful["run"]))
    texts = [_said(notices.get(run, ())) for run in doubtful["run"]]
    shown = doubtful.head(_ROWS).to_dict("records")
    rows = tuple(
        PageRow(
            cells=(
                format_percent(row["unmatched"]),
                # Both are shares of the time, so what lies between them is percentage points.
                "" if pd.isna(row["jump"]) else signed_percent(row["jump"]).replace("%", "points"),
                row_link(row),
                make_visible(str(row["branch"])),
                recorded(row["created"]),
                text,
            )
        )
        for row, text in zip(shown, texts[:_ROWS], strict=True)
    )
    more = len(doubtful) - len(rows)
    about = (
        f"{len(doubtful):,} of {runs:,} runs: above {format_percent(LIMIT)}, or {100 * JUMP:.0f} "
        f"point above the runs before.{f' The {len(rows)} worst are listed.' if more > 0 else ''}"
    )
    data = doubtful.drop(columns=["stands_out", "steps"]).assign(notices=texts)
    return PageTable(
        id="doubts", title=_TITLE, columns=columns, rows=rows, frame=data, about=(about,)
    )


_TITLE = "Runs of which much is unmatched"


def _notices(archive: Archive, wanted: set[str]) -> Mapping[str, tuple[Notice, ...]]:
    listing = archive.snapshot.listing
    runs = listing.runs if listing else ()
    return {run.id: run.facts.notices for run in runs if run.id in wanted}


def _said(notices: Sequence[Notice]) -> str:
    """The notices of a run, those of what was lost first."""
    texts = [notice.message for notice in sorted(notices, key=lambda notice: not notice.gap)]
    more = len(texts) - _NOTICES
    end = f" {more} more." if more > 0 else ""
    return make_visible(" ".join(texts[:_NOTICES]) + end)
