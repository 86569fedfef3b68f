"""All runs of the store, newest first, with a text to look for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from kernelmap.dashboard.archive import Archive, attempt
from kernelmap.dashboard.filters import tag_menus
from kernelmap.dashboard.listed import (
    Kin,
    against,
    branch,
    commit_link,
    exact,
    kin,
    paged,
    run_link,
    runs,
    tag_cells,
    tags,
    time,
)
from kernelmap.dashboard.series import NO_BRANCH, recorded, runs_frame
from kernelmap.history.store.facts import RunFacts
from kernelmap.history.store.listing import Listed
from kernelmap.history.store.refs import bearing, device
from kernelmap.pages.address import Address
from kernelmap.pages.page import (
    CellKind,
    Field,
    Form,
    Link,
    Menu,
    Page,
    PageColumn,
    PageRow,
    PageTable,
    Section,
    drop_empty_columns,
)
from kernelmap.pages.text import make_visible

_ALL = "all"
_COLUMNS = (
    PageColumn(name="run", whole=True),
    PageColumn(name="recorded (UTC)", whole=True),
    PageColumn(name="branch"),
    PageColumn(name="commit"),
    PageColumn(name="name"),
    PageColumn(name="tags"),
    PageColumn(name="device", whole=True),
    PageColumn(name="time", kind=CellKind.NUMBER),
    PageColumn(name="exact", kind=CellKind.NUMBER),
    PageColumn(name="the one before", whole=True),
)


def runs_page(address: Address, archive: Archive) -> Page:
    """The page of an address such as `/runs?find=nightly&branch=main&gpu=…&at=2`."""
    form = Form(
        to=Address(page="runs").among_runs(address),
        fields=(
            Field(
                name="find",
                label="In id, name, branch, commit or tags",
                value=address.find or "",
            ),
        ),
        button="Find",
    )
    return Page(
        title="Runs",
        sections=(form, *attempt(lambda: _sections(address, archive))),
        menus=_menus(address, archive),
    )


def _menus(address: Address, archive: Archive) -> tuple[Menu, ...]:
    every = runs(archive)
    return (
        _menu("branch", address, address.branch, (_branch(run.facts) for run in every)),
        _menu("device", address, address.gpu, (device(run.facts) for run in every), field="gpu"),
        *tag_menus(address.with_changes(at=None), archive),
    )


def _menu(
    label: str,
    address: Address,
    now: str | None,
    values: Iterable[str],
    *,
    field: str | None = None,
) -> Menu:
    field = field or label
    options = [Link(_ALL, address.with_changes(**{field: None, "at": None}))]
    options += [
        Link(make_visible(value), address.with_changes(**{field: value, "at": None}))
        for value in dict.fromkeys(values)
    ]
    return Menu(label=label, chosen=make_visible(now or _ALL), options=tuple(options))


def _sections(address: Address, archive: Archive) -> Sequence[Section]:
    snapshot = archive.snapshot
    every = snapshot.listing.runs if snapshot.listing else ()

    def work(_: object) -> tuple[list[Listed], pd.DataFrame, dict[str, Listed]]:
        tagged = bearing(every, address.tagged)
        # The listing is oldest first, the page newest first.
        matching = [run for run in reversed(tagged) if _matches(run, address)]
        return matching, _data(matching, archive), _ones_before(every, archive)

    key = ("runs page", snapshot.generation, address.find, *address.choice)
    listed, data, before = archive.ask(key, "looking for runs", work)
    shown, about = paged(address, len(listed))
    columns, rows = drop_empty_columns(
        _COLUMNS, [_row(run, before.get(run.id), archive) for run in listed[shown]]
    )
    table = PageTable(
        id="runs",
        title=f"{len(listed):,} of {len(every):,} runs, newest first",
        columns=columns,
        rows=rows,
        frame=data,
        about=about,
        empty="No run is like that.",
    )
    return [table]


def _row(run: Listed, before: Listed | None, archive: Archive) -> PageRow:
    facts = run.facts
    return PageRow(
        cells=(
            run_link(run),
            recorded(facts.created),
            branch(facts),
            commit_link(facts, archive),
            make_visible(facts.name or ""),
            tag_cells(run, archive),
            make_visible(device(facts)),
            time(facts),
            exact(facts),
            "" if before is None else against(before, run, "compare with it"),
        )
    )


def _data(runs_shown: Sequence[Listed], archive: Archive) -> pd.DataFrame:
    frame = runs_frame(runs_shown, archive.series)
    frame.insert(5, "tags", pd.Series(map(tags, runs_shown), index=frame.index, dtype="object"))
    return frame


def _ones_before(every: Iterable[Listed], archive: Archive) -> dict[str, Listed]:
    """By run id, the run before it in its series and unit."""
    newest: dict[Kin, Listed] = {}
    before = {}
    # Oldest first, so what is kept for a series is the run before.
    for run in every:
        key = kin(run, archive)
        if key in newest:
            before[run.id] = newest[key]
        newest[key] = run
    return before


def _matches(run: Listed, address: Address) -> bool:
    facts = run.facts
    if address.branch not in (None, _branch(facts)) or address.gpu not in (None, device(facts)):
        return False
    if address.find is None:
        return True
    texts = [facts.id, facts.name, facts.branch, facts.commit]
    texts += [f"{key}={value}" for key, value in run.tags.items()]
    wanted = address.find.strip().casefold()
    return any(wanted in text.casefold() for text in texts if text is not None)


def _branch(facts: RunFacts) -> str:
    return facts.branch or NO_BRANCH
