"""Runs of a listing → the names, links and neighbors that pages show of them.

Neighbors are runs of one branch, device, unit of time and chosen tags: what one series of the
history holds.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from msgspec import Struct

from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.series import NO_BRANCH, steps, unit
from kernelmap.history.store.facts import RunFacts
from kernelmap.history.store.forks import MainRuns
from kernelmap.history.store.listing import Listed
from kernelmap.history.store.refs import Kin as Series
from kernelmap.history.store.refs import kin as kin_of
from kernelmap.history.store.refs import resolve
from kernelmap.pages.address import Address
from kernelmap.pages.page import Link, PageCell
from kernelmap.pages.text import format_duration, format_percent, make_visible, signed_percent

_COMMIT = 10  # characters that tell one from another
Kin = tuple[Series, str]


class Neighbors(Struct, frozen=True, kw_only=True):
    """The runs before and after one; None at the ends."""

    older: Listed | None
    newer: Listed | None


def runs(archive: Archive) -> tuple[Listed, ...]:
    """All runs as they were last seen, oldest first."""
    listing = archive.snapshot.listing
    return listing.runs if listing else ()


def named(ref: str, archive: Archive) -> Listed:
    """The run of a name as the command line knows it; UsageError as history/store/refs.py says."""
    return resolve(ref, runs(archive))


def kin(run: Listed, archive: Archive) -> Kin:
    """Its series and unit: equal for runs whose times may stand in one line of a chart."""
    return kin_of(run, archive.series), unit(run.facts)


def neighbors(run: Listed, archive: Archive) -> Neighbors:
    """The runs of its kin on both sides of it."""
    # Ids are ordered by time.
    series = kin(run, archive)
    others = [run for run in runs(archive) if kin(run, archive) == series]
    older = [other for other in others if other.id < run.id]
    newer = [other for other in others if other.id > run.id]
    return Neighbors(older=older[-1] if older else None, newer=newer[0] if newer else None)


def fork(run: Listed, archive: Archive) -> Listed | None:
    """The run of main that a branch's run is held against; None for a run of main itself."""
    base = MainRuns.of(runs(archive), archive.series).base(run)
    return None if base is None else base.run


def run_link(run: Listed, text: str | None = None) -> Link:
    """The link to a run's page; its id where no text is given."""
    return Link(make_visible(text or run.id), Address(page="run", run=run.id))


def against(before: Listed, after: Listed, text: str) -> Link:
    """The link to the comparison of two runs."""
    return Link(text, Address(page="compare", before=before.id, after=after.id))


def branch(facts: RunFacts) -> str:
    """Its branch, or that there is none."""
    return make_visible(facts.branch or NO_BRANCH)


def commit(facts: RunFacts) -> str:
    """Its commit, short, with `+` where the checkout had changes that it lacks."""
    text = make_visible(facts.commit or "")[:_COMMIT]
    return f"{text}+" if text and facts.changed else text


def commit_link(facts: RunFacts, archive: Archive) -> PageCell:
    """Its commit, which leads to where the project shows it."""
    return archive.project.commit(commit(facts), facts.commit)


def tag_cells(run: Listed, archive: Archive) -> tuple[PageCell, ...]:
    """Its tags of now; that of its author leads to where the project shows authors."""
    cells = [archive.project.tag(key, value) for key, value in sorted(run.tags.items())]
    return tuple(part for cell in cells for part in (cell, ", "))[:-1]


def row_link(row: Mapping[Hashable, object]) -> Link:
    """The link to the run of a runs_frame's row; its commit, short, or its id where it has none."""
    text = row["commit"][:_COMMIT] if isinstance(row["commit"], str) else str(row["run"])
    return Link(make_visible(text), Address(page="run", run=str(row["run"])))


def time(facts: RunFacts) -> str:
    """What a step took, or the whole recording: `5.20 ms a step`."""
    return f"{format_duration(facts.window.total_ns / steps(facts))} a {unit(facts)}"


def change_of_time(before: Listed, after: Listed) -> str:
    """How much longer a unit of work takes, `+4.5 %`; empty where one of them took no time."""
    was, now = (run.facts.window.total_ns / steps(run.facts) for run in (before, after))
    return signed_percent(now / was - 1) if was and now else ""


def exact(facts: RunFacts) -> str:
    """The share of its time that is exact; empty where the window has none."""
    return format_percent(facts.window.coverage.get("exact"))


def tags(run: Listed) -> str:
    """Its tags of now, as they are."""
    return ", ".join(f"{key}={value}" for key, value in sorted(run.tags.items()))


ROWS = 100  # of one page


def paged(address: Address, count: int) -> tuple[slice, tuple[PageCell, ...]]:
    """The rows of page `at`, counted from 1, and what to say above them; of few rows nothing.

    A page that lies behind the last one is the last one.

    >>> paged(Address(page="runs", at=2), 250)[0]
    slice(100, 200, None)
    """
    pages = max(1, -(-count // ROWS))
    at = min(address.at or 1, pages)
    shown = slice((at - 1) * ROWS, min(at * ROWS, count))
    if pages == 1:
        return shown, ()
    about: list[PageCell] = [f"{shown.start + 1:,} to {shown.stop:,} of {count:,}"]
    if at > 1:
        # The first page needs no number in its address.
        before = address.with_changes(at=at - 1 if at > 2 else None)  # noqa: PLR2004 -- as above
        about += [" · ", Link(f"the {ROWS} before", before)]
    if at < pages:
        following = min(ROWS, count - shown.stop)
        about += [" · ", Link(f"the next {following}", address.with_changes(at=at + 1))]
    return shown, tuple(about)
