"""A long table in pages: which rows an address shows, and the links to those around them."""

from __future__ import annotations

from kernelmap.dashboard.address import Address
from kernelmap.dashboard.page import Cell, Link

ROWS = 100  # of one page


def paged(address: Address, count: int) -> tuple[slice, tuple[Cell, ...]]:
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
    about: list[Cell] = [f"{shown.start + 1:,} to {shown.stop:,} of {count:,}"]
    if at > 1:
        about += [" · ", Link(f"the {ROWS} before", address.but(at=at - 1 if at > 2 else None))]  # noqa: PLR2004 -- the first page needs no number
    if at < pages:
        following = min(ROWS, count - shown.stop)
        about += [" · ", Link(f"the next {following}", address.but(at=at + 1))]
    return shown, tuple(about)
