"""One file per page: a function of (Address, Archive) that gives a Page."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.pages import (
    compare,
    coverage,
    fleet,
    history,
    item,
    items,
    run,
    runs,
)
from kernelmap.dashboard.pages.coverage import doubts
from kernelmap.dashboard.series import NO_BRANCH
from kernelmap.errors import UsageError
from kernelmap.history.store.listing import say_left_out
from kernelmap.history.store.refs import device, resolve
from kernelmap.pages.address import Address
from kernelmap.pages.page import Link, Note, Page, PageCell, Section, Tone, WaitingNote
from kernelmap.pages.text import make_visible

MakePage = Callable[[Address, Archive], Page]

PAGES: Mapping[str, tuple[str, MakePage]] = {
    "history": ("History", history.history_page),
    "compare": ("Compare", compare.compare_page),
    "items": ("Ops and calls", items.items_page),
    "runs": ("Runs", runs.runs_page),
    "fleet": ("Fleet", fleet.fleet_page),
    "coverage": ("Coverage", coverage.coverage_page),
}
"""The pages that the bar at the top names, in its order, by the word in their address."""

_OTHERS: Mapping[str, MakePage] = {"item": item.item_page, "run": run.run_page}
_NAMED = 5  # runs that were passed over


def page_at(address: Address, archive: Archive) -> Page:
    """The page of an address; what is wrong with the store is said above it."""
    make = PAGES[address.page][1] if address.page in PAGES else _OTHERS.get(address.page)
    trouble = _trouble(archive)
    lost = missing(address, archive)
    above = [Note(title="Not found", lines=(lost,), tone=Tone.WARNING)] if lost else []
    # Without its branch or device such a page would be empty.
    if make is None or (lost and address.page in _OVER_RUNS):
        return Page(title="Not found", sections=(*trouble, *above))
    if address.page not in _LISTS:
        above = []  # these pages say so themselves, with a way on
    listing = archive.snapshot.listing
    if listing is None:
        return Page(title="No runs", sections=trouble or (WaitingNote(what="reading the store"),))
    if not listing.runs:
        return Page(title="No runs", sections=(*trouble, _EMPTY))
    with archive.one_page():
        shown = make(address, archive)
        sections = (*trouble, *above, *doubts(address, archive), *shown.sections)
        return replace(shown, sections=sections)


_OVER_RUNS = ("history", "coverage")  # pages that are nothing without runs
_LISTS = ("runs", "items")  # those that have a form and menus to choose otherwise
_OFFERED = 12  # branches or devices that a page names where there is none of that name


def missing(address: Address, archive: Archive) -> tuple[PageCell, ...] | None:
    """What an address asks for and the store lacks, with what there is; None where nothing is."""
    if address.page not in PAGES and address.page not in _OTHERS:
        return (
            f"There is no page {make_visible(address.page)!r}. ",
            Link("The history", Address()),
            " is one.",
        )
    listing = archive.snapshot.listing
    if listing is None or not listing.runs:
        return None
    runs = listing.runs
    for name, asked, values in (
        ("branch", address.branch, [listed.facts.branch or NO_BRANCH for listed in runs]),
        ("gpu", address.gpu, [device(listed.facts) for listed in runs]),
    ):
        if asked is not None and asked not in values:
            noun = "device" if name == "gpu" else name
            # The values of the newest runs are offered first, each once.
            offered = list(dict.fromkeys(reversed(values)))[:_OFFERED]
            ways = [
                # The last comma is cut off below.
                part
                for value in offered
                for part in (Link(make_visible(value), address.with_changes(**{name: value})), ", ")
            ]
            return (f"No run has the {noun} {make_visible(asked)!r}. There are: ", *ways[:-1])
    for ref in address.named_runs:
        try:
            resolve(ref, runs)
        except UsageError as error:
            if error.slug == "no-such-run":
                return (make_visible(f"{error.message}. {error.hint}"),)
    return item.lost(address, archive) if address.page == "item" else None


_EMPTY = Note(
    title="The store is empty",
    lines=(("Record a run with `kernelmap runs add`; it appears here by itself.",),),
)


def _trouble(archive: Archive) -> tuple[Section, ...]:
    """What keeps the store, or some of its runs, from being shown."""
    lines: list[tuple[str]] = []
    snapshot = archive.snapshot
    if snapshot.trouble is not None:
        seen = " What was known before is shown; it is tried again." if snapshot.listing else ""
        lines.append((make_visible(f"{snapshot.trouble.message}. {snapshot.trouble.hint}{seen}"),))
    listing = snapshot.listing
    passed_over = (*listing.notices, *say_left_out(listing.runs)) if listing else ()
    lines += [(make_visible(notice.text),) for notice in passed_over[:_NAMED]]
    if len(passed_over) > _NAMED:
        lines.append((f"{len(passed_over) - _NAMED} more: `kernelmap runs --check` names them.",))
    return (Note(lines=tuple(lines), tone=Tone.WARNING),) if lines else ()
