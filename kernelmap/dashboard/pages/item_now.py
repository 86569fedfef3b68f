"""Where a call, op, line or graph is now: the newest run that has it, and what is around it.

Takes the tables of that run, gives a paragraph of facts, and the calls that the item consists of or
is part of, each with a link.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.filters import runs_of
from kernelmap.dashboard.items import item, rows_of
from kernelmap.dashboard.listed import row_link
from kernelmap.dashboard.series import recorded
from kernelmap.history.store.run import Run
from kernelmap.model.notices import format_count
from kernelmap.pages.address import Address
from kernelmap.pages.page import (
    CellKind,
    Link,
    Note,
    PageCell,
    PageColumn,
    PageRow,
    PageTable,
    Section,
)
from kernelmap.pages.text import format_duration, format_percent, make_visible
from kernelmap.tables.frames import rows_of_frame as rows_in
from kernelmap.tables.rows import Row, name_of_line
from kernelmap.tables.schema import TABLES

if TYPE_CHECKING:
    import pandas as pd


_MOST = 60  # calls of a table
_LINKS = 12  # in one line
_Line = tuple[PageCell, ...]
_OF_GRAPH = ("kind", "function", "source", "compile_id", "cache", "failed_guard")


def now(address: Address, archive: Archive, kind: str, key: str) -> Sequence[Section]:
    """The sections about the newest run that has the item; none where no run of the choice has."""
    named = rows_of(kind, key)
    if named is None:
        return []
    table, where = named
    runs = runs_of(address, archive)
    having = set(archive.history(table, where)["run"])
    # The runs of the choice that have the item, in the order of the listing.
    its = runs[runs["run"].isin(having)]
    if its.empty:
        return []
    about = its.iloc[-1].to_dict()
    run = archive.run(str(about["run"]))
    # A line's text may stand in several rows of the run, and an op in and outside compiled code.
    records = [
        row for row in _rows(run, table) if all(row[name] == value for name, value in where.items())
    ]
    there = _There(run, address, steps=int(about["steps"]), unit=str(about["unit"]))
    title = f"In {row_link(about).text}, the newest run that has it"
    lines = [_place(about, runs), _numbers(records, kind, about)]
    lines += chain.from_iterable(_FACTS[kind](row, there) for row in records[:_LINKS])
    words = Note(title=title, lines=tuple(line for line in lines if line))
    return [words] if kind == "call" else [words, there.calls(records, kind, key)]


class _There:
    """The run where the item was found, and links to what else is in it."""

    def __init__(self, run: Run, address: Address, *, steps: int, unit: str) -> None:
        self.run, self.address, self.steps, self.unit = run, address, steps, unit
        # Calls name their lines as `file:line`.
        self.lines = {f"{row['file']}:{row['line']}": row for row in _rows(run, "lines")}

    def link(self, kind: str, text: str, row: Mapping[str, object]) -> PageCell:
        """A text that leads to an item, where there is one."""
        to = item(kind, row)
        if to is None:
            return make_visible(text)
        return Link(make_visible(text), to.among_runs(self.address))

    def links(self, label: str, kind: str, texts: object) -> list[_Line]:
        """A line of links to ops, or to lines given as `file:line`; none without texts."""
        if not isinstance(texts, list) or not texts:
            return []
        cells: list[PageCell] = [label]
        for at, text in enumerate(texts[:_LINKS]):
            cells += [", "] if at else []
            if kind == "line":
                record = self.lines.get(text)
                cells.append(self.link(kind, text, record) if record else make_visible(text))
            else:
                cells.append(self.link(kind, text, {"name": text}))
        more = len(texts) - _LINKS
        return [(*cells, f", {more} more")] if more > 0 else [tuple(cells)]

    def calls(self, records: Sequence[Row], kind: str, key: str) -> PageTable:
        """The calls that an op, a line or a graph has time in."""
        # Where the item's rows stand in this run, to find the calls on these lines.
        places = {f"{row['file']}:{row['line']}" for row in records} if kind == "line" else set()
        rows = []
        for row in _rows(self.run, "calls"):
            ops, source = row["ops"], row["source"]
            if (
                (kind == "op" and isinstance(ops, list) and key in ops)
                or (kind == "graph" and row["graph"] == key and row["call"] is not None)
                or (kind == "line" and isinstance(source, list) and not places.isdisjoint(source))
            ):
                rows.append(row)
        frame = self.run.tables.frame("calls")
        ids = [row["call"] for row in rows]
        more = len(rows) - _MOST
        whole = "It consists of" if kind == "graph" else "It is part of"
        return PageTable(
            id="calls",
            title=f"{whole} {format_count(len(rows), 'call')}",
            columns=(
                PageColumn(name="call", whole=True),
                PageColumn(name="written as"),
                PageColumn(name="graph", whole=True),
                PageColumn(name=f"time a {self.unit}", kind=CellKind.NUMBER),
                PageColumn(name="share", kind=CellKind.NUMBER),
                PageColumn(name=f"launches a {self.unit}", kind=CellKind.NUMBER),
                PageColumn(name="configuration"),
            ),
            rows=tuple(map(self._call, rows[:_MOST])),
            frame=frame[frame["call"].isin(ids)],
            about=(f"{more} more are in the download.",) if more > 0 else (),
            empty="The code does not say which.",
        )

    def _call(self, row: Row) -> PageRow:
        graph = _text(row["graph"])
        return PageRow(
            cells=(
                make_visible(_text(row["call"])),
                self.link("call", _text(row["wrapper"]), row),
                self.link("graph", graph, row) if graph else "",
                format_duration(_float(row["time_ns"]) / self.steps),
                format_percent(None if row["share"] is None else _float(row["share"])),
                f"{_float(row['launches']) / self.steps:,.4g}",
                make_visible(_text(row["config"])),
            )
        )


def _place(about: Mapping[Hashable, object], runs: pd.DataFrame) -> _Line:
    """Which run it is, and how many newer ones of its branch lack the item."""
    # Newer runs are counted among those of the same branch and tags.
    alike = runs[(runs["branch"] == about["branch"]) & (runs["series"] == about["series"])]
    newer = int((alike["run"] > about["run"]).sum())
    to = Link(str(about["run"]), Address(page="run", run=str(about["run"])))
    when = recorded(about["created"])
    begin: _Line = ("Run ", to, f" of {make_visible(str(about['branch']))}, recorded {when} (UTC).")
    if not newer:
        return begin
    return (
        *begin,
        f" {format_count(newer, 'newer run')} of the branch lack{'s' * (newer == 1)} it.",
    )


def _numbers(records: Sequence[Row], kind: str, about: Mapping[Hashable, object]) -> _Line:
    steps, unit = int(str(about["steps"])), str(about["unit"])
    time_ns = sum(_float(row["time_ns"]) for row in records)
    back_ns = sum(_float(row["backward_ns"]) for row in records) if kind in ("op", "line") else 0.0
    # The time of a line leaves its backward out; that of an op has it in.
    whole_ns = time_ns + back_ns if kind == "line" else time_ns
    all_ns = float(str(about["time_ns"]))
    share = f", {format_percent(whole_ns / steps / all_ns)} of its time" if all_ns else ""
    parts = [f"{format_duration(whole_ns / steps)} a {unit}{share}"]
    if back_ns:
        parts.append(f"{format_duration(back_ns / steps)} of it in backward graphs")
    if kind in ("op", "line"):
        most = sum(_float(row["involved_ns"]) for row in records)
        parts.append(f"all calls it is part of take {format_duration(most / steps)}")
    if kind == "op":
        least = sum(_float(row["exclusive_ns"]) for row in records)
        parts.append(f"those that are it alone {format_duration(least / steps)}")
    return ("; ".join(parts) + ".",)


def _of_call(row: Row, there: _There) -> list[_Line]:
    graph = _text(row["graph"])
    lines: list[_Line] = [
        (
            f"Call {make_visible(_text(row['call']))} of graph ",
            there.link("graph", graph, row),
            (
                f", written as {make_visible(_text(row['wrapper']))} "
                f"({make_visible(_text(row['backend']))})."
            ),
        )
    ]
    if row["p50_ns"] is not None and row["p95_ns"] is not None:
        median, high = (
            format_duration(_float(row["p50_ns"])),
            format_duration(_float(row["p95_ns"])),
        )
        lines.append(
            (f"An invocation takes {median} in the median, {high} at the 95th percentile.",)
        )
    lines += there.links("Ops: ", "op", row["ops"])
    lines += there.links("Lines: ", "line", row["source"])
    if row["config"] is not None:
        lines.append((f"Configuration: {make_visible(_text(row['config']))}",))
    lines += _listed("Runs as: ", row["device_names"])
    lines += _listed("Computes: ", row["parts"])
    if row["code"] is not None:
        lines.append((f"Stands in {make_visible(_text(row['code']))}:{row['line']}",))
    return lines


def _of_op(row: Row, _: _There) -> list[_Line]:
    ran = {"outside": "Ran outside compiled code", "compiled": "In compiled code"}
    origin = ran.get(_text(row["origin"]), "Without an op")
    calls, launches = int(str(row["calls"])), int(str(row["launches"]))
    charged = f"charged for {format_count(calls, 'call')} with {format_count(launches, 'launch')}"
    return [(f"{origin}: {charged} in all.",)]


def _of_line(row: Row, _: _There) -> list[_Line]:
    if row["line"] is None and row["code"] is not None:
        return [(f"Ran {make_visible(name_of_line(row))}; which statements did is not recorded.",)]
    if row["line"] is None:
        return []
    return [(f"Stands in {make_visible(_text(row['file']))}:{row['line']}.",)]


def _of_graph(row: Row, _: _There) -> list[_Line]:
    said = [(name.replace("_", " "), row[name]) for name in _OF_GRAPH if row[name] is not None]
    facts: list[_Line] = [(f"{name}: {make_visible(str(value))}",) for name, value in said]
    ran = f"{format_count(int(str(row['invocations'])), 'invocation')}"
    mean = "" if row["mean_ns"] is None else f", {format_duration(_float(row['mean_ns']))} each"
    return [(f"{ran}{mean}.",), *facts, *_listed("Graph breaks: ", row["graph_breaks"])]


_FACTS = {"call": _of_call, "op": _of_op, "line": _of_line, "graph": _of_graph}


def _listed(label: str, texts: object) -> list[_Line]:
    if not isinstance(texts, list) or not texts:
        return []
    more = len(texts) - _LINKS
    end = f"; {more} more" if more > 0 else ""
    return [(label + "; ".join(map(make_visible, texts[:_LINKS])) + end,)]


def _rows(run: Run, table: str) -> list[Row]:
    return list(rows_in(TABLES[table], run.tables.frame(table)))


def _text(cell: object) -> str:
    return "" if cell is None else str(cell)


def _float(cell: object) -> float:
    return float(cell) if isinstance(cell, int | float) else 0.0
