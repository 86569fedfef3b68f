"""All calls, ops, lines or graphs of the newest run, and how each changed: to find one by its name.

Of the chosen branch, or of the newest run's. The change is against the level so many runs before:
the median of the runs around there.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from kernelmap.dashboard.archive import Archive, Report, attempt
from kernelmap.dashboard.filters import runs_of, which_runs
from kernelmap.dashboard.items import PAGE, TABLES, Level, levels, runs_before, taken
from kernelmap.dashboard.listed import paged, row_link
from kernelmap.errors import UsageError
from kernelmap.model.notices import format_count
from kernelmap.pages.address import Address
from kernelmap.pages.page import (
    CellKind,
    Field,
    Form,
    Link,
    Menu,
    Page,
    PageCell,
    PageColumn,
    PageRow,
    PageTable,
    Section,
)
from kernelmap.pages.text import (
    format_duration,
    format_percent,
    format_signed,
    make_visible,
    signed_percent,
)

KINDS = ("op", "call", "line", "graph")
_BACK = (1, 5, 20, 100, 500)
_USUAL = 20
_ORDERS = ("time", "change")


def items_page(address: Address, archive: Archive) -> Page:
    """The page of an address such as `/items?kind=call&find=softmax&branch=main&last=20`."""
    address = address.with_changes(graph=None)
    kind = address.kind if address.kind is not None and address.kind in TABLES else KINDS[0]
    form = Form(
        to=address.with_changes(find=None, at=None, kind=kind),
        fields=(Field(name="find", label="name, op, file or code", value=address.find or ""),),
        button="Find",
    )
    sections = attempt(lambda: _items(address, archive, kind))
    return Page(
        title=f"All {kind}s",
        sections=(form, *sections),
        menus=(*_menus(address, kind), *_runs_menus(address, archive)),
    )


def _items(address: Address, archive: Archive, kind: str) -> Sequence[Section]:
    runs = runs_of(address, archive)
    if runs.empty:
        raise UsageError(
            "no-such-run", "no run has this branch, device and these tags", "Choose another one."
        )
    newest = runs.iloc[-1]
    apart = ["branch", "series", "unit"]
    # Levels are taken from runs that may stand in one series with the newest one.
    alike = runs[(runs[apart] == newest[apart]).all(axis=1)]
    back = address.last or _USUAL
    before = runs_before(alike["run"].tolist(), back)
    by_run = dict(zip(alike["run"], alike["steps"], strict=True))

    def work(report: Report) -> tuple[Level, ...]:
        parts = []
        for done, run_id in enumerate((str(newest["run"]), *before)):
            report(done, len(before) + 1)
            parts.append(taken(archive.store.open(run_id), kind))
        steps = (int(by_run[newest["run"]]), [int(by_run[run]) for run in before])
        return levels(parts[0], parts[1:], steps)

    every = archive.ask(
        ("levels", newest["run"], before, kind), f"reading all {kind}s of the newest run", work
    )
    # Of few runs the level lies as far back as there are any.
    return _shown(every, address, kind, newest, min(back, len(alike) - 1))


def _shown(
    every: Sequence[Level], address: Address, kind: str, newest: pd.Series, back: int
) -> Sequence[Section]:
    wanted = [item for item in every if _is_wanted(item, address.find)]
    if address.by == "change":
        wanted.sort(key=lambda item: -abs(item.change_ns))
    part, pages = paged(address, len(wanted))
    whole_ns = float(newest["time_ns"])
    against = (
        f"; changes are against the level {format_count(back, 'run')} before." if back else "."
    )
    about: tuple[PageCell, ...] = (
        "Newest run: ",
        row_link(newest.to_dict()),
        f" of {make_visible(str(newest['branch']))}{against}",
    )
    unit = str(newest["unit"])
    table = PageTable(
        id="items",
        title=f"{format_count(len(wanted), kind)}{'' if not address.find else ' found'}",
        columns=(
            PageColumn(name=kind, kind=CellKind.NAME),
            *(PageColumn(name=name, whole=name != "ops") for name in _WHERE[kind]),
            PageColumn(name=f"time a {unit}", kind=CellKind.NUMBER),
            PageColumn(name="share", kind=CellKind.NUMBER),
            PageColumn(name="change", kind=CellKind.NUMBER),
            PageColumn(name=f"change a {unit}", kind=CellKind.NUMBER),
        ),
        rows=tuple(_row(item, address, kind, whole_ns, compared=back > 0) for item in wanted[part]),
        frame=_data(wanted, kind, whole_ns),
        about=(*about, *([" ", *pages] if pages else [])),
        empty=f"No {kind} has this text." if address.find else f"The run has no {kind}s.",
    )
    return [table]


_WHERE = {"call": ("id", "ops"), "op": ("ran",), "line": (), "graph": ("kind",)}


def _where(row: dict[str, object], kind: str) -> tuple[str, ...]:
    if kind == "call":
        ops = row["ops"]
        listed = ", ".join(ops) if isinstance(ops, list) else ""
        return (make_visible(str(row["call"] or "")), make_visible(listed))
    name = {"op": "origin", "graph": "kind"}.get(kind)
    return () if name is None else (make_visible(str(row[name] or "")),)


def _row(level: Level, address: Address, kind: str, whole_ns: float, *, compared: bool) -> PageRow:
    name = make_visible(level.item.name)
    to = Address(page=PAGE, kind=kind, key=level.item.key).among_runs(address)
    now = level.now_ns
    return PageRow(
        cells=(
            name if level.item.key is None else Link(name, to),
            *_where(dict(level.item.row), kind),
            "" if now is None else format_duration(now),
            "" if now is None or not whole_ns else format_percent(now / whole_ns),
            *_change(level, compared=compared),
        ),
        dim=now is None,
    )


def _change(level: Level, *, compared: bool) -> tuple[str, str]:
    if not compared:
        return "", ""
    change = format_signed(level.change_ns)
    if level.now_ns is None:
        return "gone", change
    if level.before_ns is None:
        return "new", change
    return signed_percent(level.change), change


def _data(wanted: Sequence[Level], kind: str, whole_ns: float) -> pd.DataFrame:
    columns = ("kind", "key", "name", "time_ns", "share", "before_ns", "change")
    rows = [
        (
            kind,
            item.item.key,
            item.item.name,
            item.now_ns,
            None if item.now_ns is None or not whole_ns else item.now_ns / whole_ns,
            item.before_ns,
            item.change,
        )
        for item in wanted
    ]
    return pd.DataFrame(rows, columns=list(columns))


def _is_wanted(level: Level, find: str | None) -> bool:
    """Whether every word of a search stands somewhere in what names the item."""
    if find is None:
        return True
    row = level.item.row
    lists = [row.get(name) for name in ("ops", "source", "device_names")]
    texts = [
        level.item.name,
        level.item.key or "",
        *(str(row.get(n, "")) for n in ("call", "graph")),
    ]
    texts += [text for listed in lists if isinstance(listed, list) for text in listed]
    text = "\n".join(texts).casefold()
    return all(word in text for word in find.casefold().split())


def _menus(address: Address, kind: str) -> tuple[Menu, ...]:
    kinds = tuple(Link(f"{name}s", address.with_changes(kind=name, at=None)) for name in KINDS)
    by = address.by if address.by in _ORDERS else _ORDERS[0]
    orders = tuple(Link(order, address.with_changes(by=order, at=None)) for order in _ORDERS)
    return (
        Menu(label="of", chosen=f"{kind}s", options=kinds),
        Menu(label="by", chosen=by, options=orders),
    )


def _runs_menus(address: Address, archive: Archive) -> tuple[Menu, ...]:
    """Which runs, and how far back the level lies."""
    kept = which_runs(address.with_changes(at=None), archive)
    options = tuple(
        Link(f"{format_count(back, 'run')} before", address.with_changes(last=back))
        for back in _BACK
    )
    chosen = f"{format_count(address.last or _USUAL, 'run')} before"
    return (*kept, Menu(label="against", chosen=chosen, options=options))
