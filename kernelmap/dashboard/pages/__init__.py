"""One file per page: a function of (Address, Archive) that gives a Page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.pages import compare, coverage, fleet, history, item, items, run, runs
from kernelmap.dashboard.pages.coverage import doubts
from kernelmap.present.address import Address
from kernelmap.present.page import Link, Note, Page, Section, Tone, Waiting
from kernelmap.present.text import visible

MakePage = Callable[[Address, Archive], Page]

PAGES: Mapping[str, tuple[str, MakePage]] = {
    "history": ("History", history.page),
    "compare": ("Compare", compare.page),
    "items": ("Ops and calls", items.page),
    "runs": ("Runs", runs.page),
    "fleet": ("Fleet", fleet.page),
    "coverage": ("Coverage", coverage.page),
}
"""The pages that the bar at the top names, in its order, by the word in their address."""

_OTHERS: Mapping[str, MakePage] = {"item": item.page, "run": run.page}
_NAMED = 5  # runs that were passed over


def page(address: Address, archive: Archive) -> Page:
    """The page of an address; what is wrong with the store is said above it."""
    make = PAGES[address.page][1] if address.page in PAGES else _OTHERS.get(address.page)
    if make is None:
        home = Link("The history", Address())
        words = Note(lines=((f"There is no page {address.page!r}. ", home, " is one."),))
        return Page(title="No such page", sections=(words,))
    trouble = _trouble(archive)
    listing = archive.known.listing
    if listing is None:
        return Page(title="No runs", sections=trouble or (Waiting(what="reading the store"),))
    if not listing.runs:
        return Page(title="No runs", sections=(*trouble, _EMPTY))
    with archive.one_page():
        shown = make(address, archive)
        return replace(shown, sections=(*trouble, *doubts(address, archive), *shown.sections))


_EMPTY = Note(
    title="The store is empty",
    lines=(("Record a run with `kernelmap record`; it appears here by itself.",),),
)


def _trouble(archive: Archive) -> tuple[Section, ...]:
    """What keeps the store, or some of its runs, from being shown."""
    lines: list[tuple[str]] = []
    known = archive.known
    if known.trouble is not None:
        seen = " What was known before is shown; it is tried again." if known.listing else ""
        lines.append((visible(f"{known.trouble.message}. {known.trouble.hint}{seen}"),))
    passed_over = known.listing.notices if known.listing else ()
    lines += [
        (visible(f"{notice.message} {notice.hint or ''}"),) for notice in passed_over[:_NAMED]
    ]
    if len(passed_over) > _NAMED:
        lines.append((f"{len(passed_over) - _NAMED} more: `kernelmap runs check` names them.",))
    return (Note(lines=tuple(lines), tone=Tone.WARNING),) if lines else ()
