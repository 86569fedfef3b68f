"""One table of a result as a page: what the window is, the rows with their time, the ledger.

Takes Tables. The rows come in the table's own order; what is left out of them stands in one row,
so that the page adds up to the window.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from kernelmap.model import Confidence
from kernelmap.model.notices import format_count
from kernelmap.pages import wall
from kernelmap.pages.chosen_columns import note_of_where, table_of_chosen
from kernelmap.pages.columns import VIEWS, Extra, TableView
from kernelmap.pages.page import (
    Bar,
    CellKind,
    Cells,
    Facts,
    Note,
    Page,
    PageColumn,
    PageRow,
    PageTable,
    Points,
    Section,
    Sum,
)
from kernelmap.pages.text import ELLIPSIS, format_duration, format_percent, make_visible, of_steps
from kernelmap.tables.build import Tables
from kernelmap.tables.rows import Row, whole_number
from kernelmap.tables.schema import BY, KERNELS, LONG, OPS, WALL
from kernelmap.tables.selection import Selection, select_of_tables
from kernelmap.tables.summary import Summary

_TITLE, _EXTRA = 26, 16  # characters to which a terminal may cut
_SHORT = 24  # characters that a browser does not break into lines


def page_of_result(  # noqa: PLR0913 -- what a table is asked for
    tables: Tables,
    *,
    by: str = "op",
    top: int = 20,
    selection: Selection | None = None,
    sort: str = "time",
    speeds: bool = False,
    notices: bool = False,
    closing: Note | None = None,
) -> Page:
    """The table of `by` (a word of schema.BY) with at most `top` rows, and the ledger below it.

    `selection` is what is asked of the rows, in place of `top`; chosen columns stand in place of
    the usual ones, under the names that files have.
    `sort` is a word of schema.SORTS; UsageError where the table has no such order. `speeds` shows
    rates and headroom where they were measured; they may have been measured for another output of
    the same command, which changes nothing here. `notices` adds what could not be used, for those
    who have no standard error. `closing` is said after the ledger, but of the wall time, whose page
    has the list that it is the head of. Where no operator is known of anything, the table of
    kernels stands for that of operators.
    """
    if sort == "time" and _says_nothing(tables, by):
        by = "kernel"
    name = BY[by]
    tables = tables.sorted_by(sort, name)
    is_chosen = selection is not None and bool(selection.columns or selection.where)
    top = top if selection is None or selection.top is None else selection.top
    if name == WALL.name and not is_chosen:
        return wall.page_of_wall(tables, top=top, notices=notices)
    noun = "part" if name == WALL.name else VIEWS[name].noun
    summary = tables.summary
    shown: Sequence[Section]
    if selection is not None and is_chosen:
        shown = _sections_of_chosen(tables, by, selection, sort=sort, speeds=speeds)
    else:
        shown = _sections_of_all(tables, by, top, sort=sort, speeds=speeds)
    used = tuple((1, notice.message) for notice in tables.notices) if notices else ()
    notes: tuple[Section, ...] = (Points("Notes", used),) if used else ()
    return Page(
        title=f"{summary.side.upper()} time by {noun}",
        sections=(
            Facts(names=summary.devices, facts=tuple(facts_of_window(summary))),
            *shown,
            *sums_of_ledger(summary),
            *([closing] if closing else []),
            *notes,
        ),
    )


def _sections_of_all(
    tables: Tables, by: str, top: int, *, sort: str, speeds: bool
) -> Sequence[Section]:
    """The first `top` rows, what all others add up to, and what no column can say."""
    name = BY[by]
    view = VIEWS[name]
    story = view.story(list(tables.rows(name))) if view.story and tables.size(name) else []
    return (table_of_result(tables, by, slice(0, top), sort=sort, speeds=speeds, rest=True), *story)


def _sections_of_chosen(
    tables: Tables, by: str, selection: Selection, *, sort: str, speeds: bool
) -> Sequence[Section]:
    """The rows that a condition means, or some of their columns, and what is left out."""
    name, top = BY[by], selection.top or tables.size(BY[by])
    selected = select_of_tables(tables, name, selection)
    note = note_of_where(selected, selection)
    if selection.columns or name not in VIEWS:
        return (table_of_chosen(selected), *note)
    meant = tables.matching(name, selection.where)
    return (*_sections_of_all(meant, by, top, sort=sort, speeds=speeds), *note)


def _says_nothing(tables: Tables, by: str) -> bool:
    """Whether the table of operators would be the one row of what is unknown."""
    if BY[by] != OPS.name or tables.size(OPS.name) != 1 or not tables.size(KERNELS.name):
        return False
    (row,) = tables.rows(OPS.name)
    return VIEWS[OPS.name].title(row) == f"({Confidence.UNKNOWN.name.lower()})"


def table_of_result(  # noqa: PLR0913 -- what is shown, and how
    tables: Tables,
    by: str,
    place: slice,
    *,
    sort: str = "time",
    speeds: bool = True,
    rest: bool = False,
    link: Callable[[Row, str], Cells] = lambda _, title: title,
) -> PageTable:
    """The rows of `place`; with `rest` one more row says what those after them add up to.

    `sort` is the order that `tables` are in, the bars are of its quantity. `speeds` adds rates and
    headroom where they are known. `link` makes the cell of
    a row's title.
    """
    name = BY[by]
    view, total_ns = VIEWS[name].sorted_by(sort), tables.summary.total_ns
    shown = _rows_at(tables, name, view, place)
    times = [view.time_ns(row) for row in shown]
    # Rows behind the ones shown, and the part of the window that is their own.
    after = max(0, tables.size(name) - place.stop) if rest else 0
    after_ns = _own_ns(tables, name, view, slice(place.stop, None)) if after else 0
    of_after = format_duration(after_ns), _share_of_total(after_ns, total_ns)
    if view.with_inside is not None:  # rows in one another: what is left has no sum but of its own
        of_after = "", ""
    columns: list[tuple[PageColumn, list[Cells], str]] = [
        (
            PageColumn(
                name=view.noun, kind=CellKind.PATH if view.path else CellKind.NAME, least=_TITLE
            ),
            [link(row, make_visible(view.title(row))) for row in shown],
            f"{ELLIPSIS} {after:,} more",
        ),
        (
            PageColumn(name=view.time_header, kind=CellKind.NUMBER),
            [*map(format_duration, times)],
            of_after[0],
        ),
        (
            PageColumn(name="share", kind=CellKind.NUMBER),
            [_share_of_total(time_ns, total_ns) for time_ns in times],
            of_after[1],
        ),
    ]
    for extra in (each.for_rows(shown) for each in view.ordered_extras(sort, speeds=speeds)):
        # A column in which no row shown says anything is left out.
        texts = [make_visible(extra.cell(row)) for row in shown]
        if any(texts):
            columns.append(
                (
                    _column_of_extra(extra, texts),
                    [*texts],
                    format_duration(after_ns) if extra.adds_up else "",
                )
            )
    if "time_ns" in view.time:
        won = [] if sort == "time" else [whole_number(row, "headroom_ns") for row in shown]
        # Without limits of the device no headroom is known, and rows are in the order of time.
        bars, beside = (won, 4) if any(won) else (times, 3)  # columns before: what the bar draws
        longest = max(bars, default=0)
        cells: list[Cells] = [Bar(0, ns / longest if longest else 0) for ns in bars]
        columns.insert(beside, (PageColumn(name="", kind=CellKind.BAR, rank=1), cells, ""))
    by_row = zip(*(cells for _, cells, _ in columns), strict=True)
    drawn = [
        PageRow(cells=cells, dim=view.is_rest(row))
        for row, cells in zip(shown, by_row, strict=True)
    ]
    if after:
        drawn.append(PageRow(cells=tuple(more for *_, more in columns), dim=True, ours=True))
    return PageTable(
        id=name,
        title="",
        columns=tuple(column for column, *_ in columns),
        rows=tuple(drawn),
        frame=partial(tables.frame, name),
        empty=view.empty or f"No {name} in this window.",
    )


def _rows_at(tables: Tables, name: str, view: TableView, place: slice) -> list[Row]:
    """The rows at `place`; where rows lie in one another, what they hold decides their order."""
    if view.with_inside is None:
        return list(tables.rows(name, place))
    # The table is in the order of each row's own time.
    return sorted(tables.rows(name), key=view.time_ns, reverse=True)[place]


def _own_ns(tables: Tables, name: str, view: TableView, place: slice) -> int:
    """The time of the rows at `place`; a table that grows with the trace is added up in columns."""
    if name not in LONG:
        return sum(map(view.own_ns, _rows_at(tables, name, view, place)))
    # The time of a row may lie in several columns: all of them are added up over the rows.
    return int(tables.frame(name)[list(view.time)].iloc[place].sum().sum())


def _share_of_total(time_ns: int, total_ns: int) -> str:
    return format_percent(time_ns / total_ns if total_ns else None)


def _column_of_extra(extra: Extra, texts: Sequence[str]) -> PageColumn:
    return PageColumn(
        name=extra.header,
        kind=extra.kind,
        whole=max(map(len, texts)) <= _SHORT,
        least=None if extra.kind is CellKind.NUMBER else max(_EXTRA, len(extra.header)),
        rank=extra.rank,
        tells=extra.tells,
    )


def facts_of_window(summary: Summary) -> list[str]:
    """What the window is beside its devices, in a few short texts."""
    launches = format_count(summary.launches, "launch")
    if summary.invocations:
        launches += f" in {format_count(summary.invocations, 'invocation')}"
    texts = [launches]
    if summary.steps:
        first, last = summary.steps
        texts.append(f"step {first}" if first == last else f"steps {first} to {last}")
    if summary.calls:
        texts.append(f"{summary.calls_seen:,} of {format_count(summary.calls, 'call')} seen")
    if summary.step_ns is not None and summary.step_compiled_ns is not None:
        texts.append(of_steps(summary.step_compiled_ns, summary.step_ns))
    return texts


def sums_of_ledger(summary: Summary) -> list[Sum]:
    """The ledger in one line, and where a CPU profile's steps went, where it has steps.

    `GPU time 12.34 ms = 97.1 % exact + …`, `Step time 515 ms = 75.97 ms in compiled code + …`.
    """
    parts = tuple(
        (f"{format_percent(share)} {bucket}", bucket)
        for bucket, share in summary.coverage.items()
        if share
    )
    ledger = Sum(f"{summary.side.upper()} time {format_duration(summary.total_ns)}", parts)
    steps = tuple((f"{format_duration(ns)} {where}", "") for where, ns in step_parts(summary))
    # A profile without steps has the ledger alone.
    return [ledger, Sum(f"Step time {format_duration(summary.step_ns or 0)}", steps)][
        : 1 + bool(steps)
    ]


def step_parts(summary: Summary) -> list[tuple[str, int]]:
    """Where a CPU profile's steps went, in ns; the parts add up to them, none is 0."""
    whole, compiled = summary.step_ns, summary.step_compiled_ns
    if whole is None or compiled is None:
        return []
    operators = summary.step_operators_ns
    if operators is None:  # calls alone are counted
        parts = [("in compiled code", compiled), ("elsewhere", whole - compiled)]
    else:
        parts = [
            ("in compiled code", compiled),
            ("in other operators", operators - compiled),
            ("in no operator", whole - operators),
        ]
    return [part for part in parts if part[1]]
