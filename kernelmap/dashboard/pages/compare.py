"""Two runs held against each other: the change, its causes, and its part in ops, lines and calls.

`/compare?before=main~5&after=latest&by=line`; runs are named as the command line knows them. Of
one run alone, its neighbor is the other one. Of none, the newest run of every branch is offered
against the one before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kernelmap.compare.show import BY, changes, rolled, waterfall
from kernelmap.compare.words import headline, verdict
from kernelmap.dashboard.archive import Archive, attempt, sorry
from kernelmap.dashboard.listed import (
    named,
    neighbors,
)
from kernelmap.dashboard.pages.compared import concerned, naming, offers, subject, two
from kernelmap.errors import UsageError
from kernelmap.present.address import Address
from kernelmap.present.page import Field, Form, Link, Menu, Note, Page, Section, Tone
from kernelmap.store.listing import Listed

_SHOWN = 60  # rows; what more there is stands in one line, and in the data


def page(address: Address, archive: Archive) -> Page:
    """The page of an address such as `/compare?before=…&after=…&by=op`."""
    title = "Compare"
    if address.before is None and address.after is None:
        return Page(title=title, sections=(_form(address), *attempt(lambda: offers(archive))))
    try:
        before, after = _pair(address, archive)
    except UsageError as error:
        return Page(title=title, sections=(_form(address), sorry(error)))
    now = address.but(before=before.id, after=after.id)
    compared = attempt(lambda: _compared(now, archive))
    return Page(
        title=title,
        sections=(_form(address), two(now, before, after, archive), *compared),
        menus=(_menu(now),),
    )


def _form(address: Address) -> Form:
    return Form(
        to=Address(page="compare", by=address.by),
        fields=(
            Field(name="before", label="Before", value=address.before or ""),
            Field(name="after", label="After", value=address.after or ""),
        ),
        button="Compare",
    )


def _menu(address: Address) -> Menu:
    options = tuple(Link(word, address.but(by=word)) for word in BY)
    return Menu(label="by", chosen=_by(address), options=options)


def _by(address: Address) -> str:
    return address.by if address.by is not None and address.by in BY else next(iter(BY))


def _pair(address: Address, archive: Archive) -> tuple[Listed, Listed]:
    """The two runs that are meant. Raises UsageError where there are no such two."""
    before = None if address.before is None else named(address.before, archive)
    after = None if address.after is None else named(address.after, archive)
    if before is None and after is not None:
        before = neighbors(after, archive).older
    elif after is None and before is not None:
        after = neighbors(before, archive).newer
    if before is None or after is None:
        raise UsageError(
            "no-such-run",
            "there is no other run of its series on that side",
            "Name both runs: ids, names, branches and tags, as `kernelmap runs` lists them.",
        )
    return before, after


def _compared(now: Address, archive: Archive) -> Sequence[Section]:
    comparison = archive.comparison(now.before or "", now.after or "")
    by = _by(now)
    doubts = [(text,) for text in verdict(comparison)]
    said = Note(title=headline(comparison), lines=() if comparison.differences else tuple(doubts))
    differs = Note(lines=tuple(doubts), tone=Tone.WARNING)
    every = rolled(comparison, by, _SHOWN, name=naming(comparison, by))
    alike = sum(not row.change_ns for row in comparison.tables[BY[by]])
    about = (f"{alike:,} more did not change; the data has all.",) if alike else ()
    return [
        said,
        *([differs] if comparison.differences else []),
        waterfall(comparison),
        changes(comparison, _SHOWN, what=subject, where=concerned),
        replace(every, about=about),
    ]
