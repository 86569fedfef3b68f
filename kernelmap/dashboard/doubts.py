"""How much of a run's time is paired with nothing for certain, and which runs that concerns.

Unmatched time is that of the buckets `ambiguous` and `unknown`: no number of a call, op or line has
it. Takes the runs, gives shares and jumps of them, and the warning above every page that draws a
run of which more than LIMIT is unmatched.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from kernelmap.dashboard.address import Address
from kernelmap.dashboard.archive import Archive, NotYetError
from kernelmap.dashboard.filters import newest, runs_of
from kernelmap.dashboard.page import Link, Section, Tone, Words
from kernelmap.dashboard.series import runs_frame
from kernelmap.errors import KernelmapError
from kernelmap.model.notices import count
from kernelmap.outputs.text import percent
from kernelmap.store.listing import Listed
from kernelmap.store.refs import resolve

LIMIT = 0.05
"""A share of the time; where more is unmatched, what is shown is not to be trusted blindly."""

JUMP = 0.01
"""A share of the time by which it grows over the runs before, from where on that is told."""

_BEFORE = 5  # runs whose median is what is usual
_OVER_RUNS = ("history", "items", "item")


def unmatched(frame: pd.DataFrame) -> pd.Series[float]:
    """The share of unmatched time (0 to 1) of every run of a runs_frame; NaN without any time."""
    return frame["ambiguous"].astype(float) + frame["unknown"].astype(float)


def jumps(shares: pd.Series[float]) -> pd.Series[float]:
    """By how much each share lies above the median of those before; NaN for the first."""
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
        f"{len(above):,} of the {count(len(shares), 'run')} shown"
        if len(shares) > 1
        else "This run"
    )
    verb = "rest" if len(above) > 1 else "rests"
    most = percent(float(above.max()))
    told = f"{of} {verb} on more than {100 * LIMIT:.0f} % unmatched time (up to {most})"
    words = (
        f"{told}: calls, ops and lines lack that part. ",
        Link("Coverage over time", address.on("coverage").but(graph=None)),
    )
    return (Words(lines=(words,), tone=Tone.WARNING),)


def _shown(address: Address, archive: Archive) -> pd.DataFrame:
    """The runs that a page shows: those that it names, or the newest of each branch."""
    listing = archive.known.listing
    runs = listing.runs if listing else ()
    if address.page in _OVER_RUNS:
        frame = runs_of(address, archive)
        if address.page == "items":
            return frame.tail(1)
        last = newest(address)
        return frame if last is None else frame.groupby(["branch", "unit"]).tail(last)
    named = (address.before, address.after, address.run)
    found = [_resolved(ref, runs) for ref in named if ref is not None]
    return runs_frame([each for each in found if each is not None])


def _resolved(ref: str, runs: tuple[Listed, ...]) -> Listed | None:
    try:
        return resolve(ref, runs)
    except KernelmapError:  # the page itself says so
        return None


def to_be_told(shares: pd.Series[float]) -> pd.Series[bool]:
    """Which runs a reader should know of: above the limit, or well above those before."""
    return pd.Series(np.asarray((shares > LIMIT) | (jumps(shares) >= JUMP)), index=shares.index)
