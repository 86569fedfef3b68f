"""One call, op, line or graph: where it changed, its time over the runs, where it is now.

A call is followed by its fingerprint. Where a fusion changed, the call ends and others begin: the
comparison of the two runs says which ones, and links lead on through them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from kernelmap.dashboard import causes, figures
from kernelmap.dashboard.archive import Archive, NotYetError, attempt, still
from kernelmap.dashboard.causes import changes
from kernelmap.dashboard.filters import axis, chosen, menus, newest, runs_of
from kernelmap.dashboard.items import (
    OFTEN,
    item_series,
    rows_of,
    structures_of_call,
    structures_of_changes,
)
from kernelmap.dashboard.pages.item_now import now
from kernelmap.dashboard.series import Series, data_of
from kernelmap.errors import KernelmapError
from kernelmap.pages.address import Address
from kernelmap.pages.page import Figure, Link, Note, Page, PageCell, Section, Tone, WaitingNote
from kernelmap.pages.text import format_percent, make_visible

_NAMELESS = ("An item has a kind (call, op, line or graph) and a key. ",)
_LOOKED_INTO = 12  # changes of code; each is a comparison of two runs


def item_page(address: Address, archive: Archive) -> Page:
    """The page of an address such as `/item?kind=op&key=aten.mm&branch=main&last=200`."""
    address = address.with_changes(graph=None)
    kind, key, gone = address.kind, address.key, lost(address, archive)
    note = Note(lines=(gone,) if gone else (), tone=Tone.WARNING)
    if kind is None or key is None or rows_of(kind, key) is None:
        return Page(title="No such item", sections=(note,))
    sections = (
        (note,)
        if gone
        else (
            *attempt(lambda: _over_runs(address, archive, kind, key)),
            *attempt(lambda: now(address, archive, kind, key)),
        )
    )
    shown = make_visible(key.replace("\t", ": "))
    return Page(title=f"{kind} {shown}", sections=sections, menus=menus(address, archive))


def lost(address: Address, archive: Archive) -> tuple[PageCell, ...] | None:
    """What an address says of an item that no run of the store has; None while it is not known."""
    query = rows_of(address.kind, address.key)
    if query is None or address.kind is None or address.key is None:
        return (*_NAMELESS, _all(address, "op"))
    try:
        rows = archive.history(*query)
    except (NotYetError, KernelmapError):
        return None  # the page says what keeps it
    if len(rows):
        return None
    words = f"No run has the {address.kind} {make_visible(address.key)!r}. "
    return (words, _all(address, address.kind))


def _over_runs(address: Address, archive: Archive, kind: str, key: str) -> Sequence[Section]:
    table, where = rows_of(kind, key) or ("", {})
    rows = archive.history(table, where)
    runs = runs_of(address, archive)
    if set(rows["run"]).isdisjoint(runs["run"]):
        words = (f"No run of this choice has this {kind}. ", _all(address, kind))
        return [Note(lines=(words,))]
    structures, looked = _structures(address, archive, rows)
    asked = (
        kind,
        key,
        *address.choice,
        # While comparisons are awaited fewer changes of code are known, and the series may look
        # otherwise.
        hash(tuple(sorted(structures.items()))),
    )
    series = archive.ask(
        ("item", archive.snapshot.generation, *asked),
        "looking for changes",
        lambda _: item_series(runs, rows, kind, structures),
    )
    return [*changes(series, address, archive), *looked, *_charts(series, address, kind, key, rows)]


def _structures(
    address: Address, archive: Archive, rows: pd.DataFrame
) -> tuple[Mapping[str, int], list[Section]]:
    """A number per run that identifies the item's code, and sections about what is not known yet.

    The rows of a call have that number. For other items, the comparisons around changes of any code
    give it.
    """
    if address.kind == "call":
        return structures_of_call(rows), []
    try:
        structures, whole = archive.structures(), chosen(address, archive)
    except NotYetError as waiting:
        return {}, [still(waiting)]
    # Marks of all time at which some code changed: the comparison says whether it was the item's.
    candidates = [
        (series, mark)
        for series in whole
        for mark in series.marks
        if mark.at and _differ(structures, series.frame["run"].iloc[mark.at - 1], mark.run)
    ]
    candidates.sort(key=lambda pair: pair[1].run, reverse=True)
    changed, waits = [], 0
    for _, mark in candidates[:_LOOKED_INTO]:
        try:
            compared = archive.comparison(mark.before, mark.after)
        except NotYetError:
            waits += 1
        except KernelmapError:
            continue
        else:
            if causes.touches(compared, address.kind or "", address.key or ""):
                changed.append(mark.run)
    notes: list[Section] = []
    # Comparisons on their way are asked for again with the next drawing of the page.
    if waits:
        of = min(len(candidates), _LOOKED_INTO)
        notes.append(WaitingNote(what="looking into changes of code", done=of - waits, of=of))
    elif len(candidates) > _LOOKED_INTO:
        more = len(candidates) - _LOOKED_INTO
        words = f"{more} older changes of code were not looked into: they may concern it, too."
        notes.append(Note(lines=((words,),)))
    return structures_of_changes(runs_of(address, archive), changed), notes


def _differ(structures: Mapping[str, int], one: str, other: str) -> bool:
    return (
        None not in (structures.get(one), structures.get(other))
        and structures[one] != structures[other]
    )


def _charts(
    series: Sequence[Series], address: Address, kind: str, key: str, rows: pd.DataFrame
) -> list[Section]:
    last, per, by = newest(address), series[0].unit, axis(address)
    data = data_of(series)
    spread = bool(data["low_ns"].notna().any())
    band = "Band: from the median to the 95th percentile of its invocations. " if spread else ""
    marks = "Triangles: a new level. Diamonds: other code. Circles: it appears, or is gone."
    has_limit = bool(data["of_limit"].notna().any())
    often = OFTEN[kind][1] + ("" if kind == "line" else f" per {per}")
    return [
        Figure(
            id="times",
            title=f"Time per {per}: {kind} {_called(kind, key, rows)}",
            plot=figures.over_runs(series, last=last, axis=by, spread=spread),
            data=data,
            about=(band + marks,),
        ),
        Figure(
            id="often",
            title=often,
            plot=figures.beside(series, "often", lambda value: f"{value:,.4g}", last=last, axis=by),
            data=data[["branch", "run", "often"]],
        ),
        Figure(
            id="share",
            title=f"Share of the time of a {per}",
            plot=figures.beside(
                series, "share", format_percent, last=last, axis=by, ticks=figures.SHARE
            ),
            data=data[["branch", "run", "share"]],
        ),
        *([_limit(series, data, last, by)] if has_limit else []),
    ]


def _limit(series: Sequence[Series], data: pd.DataFrame, last: int | None, by: str) -> Figure:
    return Figure(
        id="of_limit",
        title="Share of the device's limit",
        plot=figures.beside(
            series, "of_limit", format_percent, last=last, axis=by, ticks=figures.SHARE
        ),
        data=data[["branch", "run", "of_limit"]],
        about=("The least time that the device needs for its work, over the time it took.",),
    )


def _called(kind: str, key: str, rows: pd.DataFrame) -> str:
    """What the item is called now; a call by the name that it has in the newest run."""
    if kind != "call":
        return make_visible(key.replace("\t", ": "))
    return make_visible(f"{rows['wrapper'].iloc[-1]} ({key})")


def _all(address: Address, kind: str) -> Link:
    return Link(f"All {kind}s of the newest run.", address.on_page("items", kind=kind))
