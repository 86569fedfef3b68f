"""A fleet as a page: slow ranks with causes, divergence, communication, spread.

`page` is that of a terminal and of Markdown; a file (one_file.py) and the dashboard have more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.fleet.tables import FleetTables
from kernelmap.model.notices import format_count, join_some
from kernelmap.pages.collectives import BANDWIDTH, format_megabytes, texts_of_bandwidth
from kernelmap.pages.page import (
    CellKind,
    Cells,
    Facts,
    Note,
    Page,
    PageCell,
    PageColumn,
    PageRow,
    PageTable,
    Points,
    Section,
    Tone,
)
from kernelmap.pages.text import ELLIPSIS, format_duration, format_percent, make_visible
from kernelmap.tables.fleet import FLEET
from kernelmap.tables.frames import frame_of_rows
from kernelmap.tables.rows import Row, whole_number

BY = ("call", "op", "line", "graph")
_WHAT = 24  # characters to which a terminal may cut
_MISSING = 8  # reasons to show
_ESTIMATE = (
    "Estimates: the window is replayed from collective to collective with this rank's work at most"
    " the median of all ranks. What runs beside a collective counts as if it waited for it."
)


class PageWays(Struct, frozen=True):
    """What stands for a rank and for a row of the spread: a text, or a link to more about it.

    `more` are links to what else there is about a rank.
    """

    rank: Callable[[int], Cells] = str
    more: Callable[[int], tuple[PageCell, ...]] = lambda _rank: ()
    row: Callable[[Row], Cells] = lambda row: make_visible(str(row["name"]))


_NOWHERE = PageWays()


def page_of_fleet(
    fleet: FleetTables, *, by: str = "call", top: int = 20, notices: bool = False
) -> Page:
    """The answer; at most `top` rows of each table."""
    return Page(
        title=headline_of_fleet(fleet),
        sections=(
            Facts(facts=tuple(iter_facts(fleet))),
            slow_table(fleet, top),
            *sections_of_missing(fleet),
            *tables_of_divergence(fleet, top),
            *tables_of_communication(fleet, top),
            table_of_spread(fleet, by, top),
            *(iter_notes(fleet) if notices else ()),
        ),
    )


def iter_notes(fleet: FleetTables) -> Iterator[Points]:
    """What a reader has to know before the numbers, if there is something."""
    if fleet.notices:
        yield Points("Notes", tuple((1, notice.message) for notice in fleet.notices))


def headline_of_fleet(fleet: FleetTables) -> str:
    """`64 of 64 ranks: 5 are slow, a step of the median rank takes 14.31 ms`."""
    slow = [row for row in fleet.rows["ranks"] if row["slow"] == "yes"]
    verb = "is" if len(slow) == 1 else "are"
    said = f"{len(slow)} {verb} slow" if slow else "none is slow"
    return f"{fleet.read:,} of {format_count(fleet.expected, 'rank')}: {said}"


def about_fleet(fleet: FleetTables, top: int) -> dict[str, object]:
    """What is said of all ranks before any of them; at most `top` causes."""
    return {
        "headline": headline_of_fleet(fleet),
        "ranks_expected": fleet.expected,
        "ranks_read": fleet.read,
        "median_rank": fleet.reference,
        "collectives_matched": fleet.matched,
        "causes": list(fleet.rows["causes"][:top]),
        "causes_left_out": max(0, len(fleet.rows["causes"]) - top),
    }


def iter_facts(fleet: FleetTables) -> Iterator[str]:
    """The median rank, and what was matched."""
    ranks = [row for row in fleet.rows["ranks"] if row["state"] == "read"]
    median = next((row for row in ranks if row["rank"] == fleet.reference), None)
    if median is not None:
        step = "a step" if whole_number(median, "steps") else "the window"
        # What no other rank was seen to take part in may be waiting or not: all of it is left out.
        without = "waiting for other ranks" if fleet.matched else "exposed communication"
        yield (
            f"{say_standard(fleet)} rank {fleet.reference}:"
            f" {step} takes {format_duration(whole_number(median, 'step_ns'))},"
            f" {format_duration(whole_number(median, 'own_ns'))} without {without}"
        )
    if fleet.matched:
        yield f"{format_count(fleet.matched, 'collective')} matched over ranks"


def say_standard(fleet: FleetTables) -> str:
    """Which rank the others are compared with, in a word."""
    return {1: "only", 2: "faster"}.get(fleet.read, "median")


def slow_table(fleet: FleetTables, top: int, ways: PageWays = _NOWHERE) -> PageTable:
    """Slow ranks with their causes, a row per cause; the slowest rank first."""
    ranks = [row for row in fleet.rows["ranks"] if row["slow"] == "yes"]
    ranks.sort(key=lambda row: -whole_number(row, "excess_ns"))
    # What a step would take less without the rank's excess, by rank.
    saved = {row["rank"]: whole_number(row, "saved_ns") for row in fleet.rows["what_if"]}
    rows: list[PageRow] = []
    for rank in ranks[:top]:
        # A rank without a known cause has one row, which says so. Facts about the rank stand in its
        # first row only.
        causes: Sequence[Row | None] = [
            row for row in fleet.rows["causes"] if row["rank"] == rank["rank"]
        ] or [None]
        for at, cause in enumerate(causes):
            first: tuple[Cells, ...] = (
                ways.rank(whole_number(rank, "rank")),
                f"+{format_duration(whole_number(rank, 'excess_ns'))}",
                format_percent(_share_of_excess(rank)),
                format_duration(saved[rank["rank"]]) if rank["rank"] in saved else "",
            )
            rows.append(
                PageRow(cells=(*(first if at == 0 else ("", "", "", "")), *cause_cells(cause)))
            )
    rows += more_rows(len(ranks) - top, 8)
    about = f"Against rank {fleet.reference}, the {say_standard(fleet)} one. {_ESTIMATE}"
    return PageTable(
        id="slow",
        title="Slow ranks",
        columns=(
            PageColumn(name="rank", kind=CellKind.NUMBER),
            PageColumn(name="a step", kind=CellKind.NUMBER),
            PageColumn(name="over median", kind=CellKind.NUMBER, rank=2),
            PageColumn(name="would save", kind=CellKind.NUMBER, rank=1),
            PageColumn(name="of it", kind=CellKind.NUMBER),
            PageColumn(name="cause", kind=CellKind.WORD),
            PageColumn(name="what", kind=CellKind.NAME, least=_WHAT),
            PageColumn(name="", kind=CellKind.SENTENCE, least=_WHAT),
        ),
        rows=tuple(rows),
        frame=fleet.causes if ranks else None,
        about=(about,) if ranks else (),
        empty="No rank is slower than ranks differ from each other.",
    ).filled


def _share_of_excess(rank: Row) -> float | None:
    # The usual time of a step without waiting.
    usual = whole_number(rank, "own_ns") - whole_number(rank, "excess_ns")
    return whole_number(rank, "excess_ns") / usual if usual else None


def cause_cells(cause: Row | None) -> tuple[Cells, ...]:
    """How much, the cause, what, and where."""
    if cause is None:
        return ("", "not known", "", "")
    step = f"in step {cause['step']}" if cause["step"] is not None else None
    words = [text for text in (step, cause["where"], cause["detail"]) if text is not None]
    return (
        f"+{format_duration(whole_number(cause, 'change_ns'))}",
        str(cause["cause"]),
        make_visible(str(cause["what"])),
        make_visible(", ".join(map(str, words))),
    )


def sections_of_missing(fleet: FleetTables) -> Iterator[Section]:
    """Ranks that were not read, by their reasons."""
    reasons: dict[str, list[str]] = {}
    for row in fleet.rows["ranks"]:
        if row["state"] == "missing":
            reasons.setdefault(str(row["reason"]), []).append(str(row["rank"]))
    if not reasons:
        return
    lines = [
        f"{'rank' if len(ranks) == 1 else 'ranks'} {join_some(ranks, 12)}: {make_visible(reason)}"
        for reason, ranks in list(reasons.items())[:_MISSING]
    ]
    if len(reasons) > _MISSING:
        lines.append(f"{len(reasons) - _MISSING:,} more reasons")
    yield Note(title="Missing", lines=tuple((line,) for line in lines), tone=Tone.WARNING)


def tables_of_divergence(fleet: FleetTables, top: int) -> Iterator[PageTable]:
    """What ranks do otherwise than most, if there is something."""
    columns = (
        PageColumn(name="differs in", kind=CellKind.WORD),
        PageColumn(name="what", kind=CellKind.NAME, least=_WHAT),
        PageColumn(name="on most ranks", kind=CellKind.SENTENCE, least=_WHAT),
        PageColumn(name="here", kind=CellKind.SENTENCE, least=_WHAT),
        PageColumn(name="ranks", whole=True),
    )
    rows = [
        (str(row["kind"]), make_visible(str(row["what"])), *_say_both(row), str(row["which"]))
        for row in fleet.rows["divergence"]
    ]
    if rows:
        yield _first_rows(fleet, "divergence", "What ranks do otherwise", columns, rows, top)


def _say_both(row: Row) -> tuple[str, str]:
    """What most ranks have, and these; of configurations only the words that differ."""
    usual, value = (make_visible(str(row[name] or "none")) for name in ("usual", "value"))
    if row["kind"] != "configuration":
        return usual, value
    # `XBLOCK=1024 num_warps=8` and `XBLOCK=2 num_warps=8`: only XBLOCK is shown.
    words = (usual.split(), value.split())
    return (
        " ".join(word for word in words[0] if word not in words[1]),
        " ".join(word for word in words[1] if word not in words[0]),
    )


def tables_of_communication(fleet: FleetTables, top: int) -> Iterator[PageTable]:
    """The collectives that were matched over ranks, if there are any."""
    columns = (
        PageColumn(name="collective", kind=CellKind.NAME, least=_WHAT),
        PageColumn(name="elements", kind=CellKind.NUMBER, rank=8),
        PageColumn(name="MB", kind=CellKind.NUMBER, rank=3),
        PageColumn(name="matched", kind=CellKind.NUMBER, rank=7),
        PageColumn(name="transfer", kind=CellKind.NUMBER),
        PageColumn(name="waiting", kind=CellKind.NUMBER),
        PageColumn(name="exposed", kind=CellKind.NUMBER),
        # Who waits for whom stays longest, for a collective that waits is not slow by itself.
        *(replace(column, rank=2 + column.rank) for column in BANDWIDTH),
        PageColumn(name="waits for", kind=CellKind.WORD),
        PageColumn(name="group", rank=9),
        PageColumn(name="not known", kind=CellKind.SENTENCE, least=20, rank=10),
    )
    rows = [
        (
            make_visible(f"{row['name']} {row['dtype'] or ''}".strip()),
            f"{whole_number(row, 'elements'):,}" if row["elements"] is not None else "",
            format_megabytes(None if row["bytes"] is None else whole_number(row, "bytes")),
            f"{whole_number(row, 'collectives'):,}",
            format_duration(whole_number(row, "transfer_ns")),
            format_duration(whole_number(row, "waiting_ns")),
            format_duration(whole_number(row, "exposed_ns")),
            *texts_of_bandwidth(row),
            f"rank {row['last_rank']}, {row['last_in']} of {row['collectives']} times",
            make_visible(str(row["group"])),
            make_visible(str(row["reason"] or "")),
        )
        for row in fleet.rows["communication"]
    ]
    about = (
        "Per step. Transfer is the time of the rank that came last; waiting and exposed are means"
        " over ranks, exposed is when nothing else ran. Bus GB/s are the bytes of the whole array"
        " over the transfer, times the factor of the algorithm."
    )
    if rows:
        yield _first_rows(fleet, "communication", "Communication", columns, rows, top, about=about)


def table_of_spread(fleet: FleetTables, by: str, top: int, ways: PageWays = _NOWHERE) -> PageTable:
    """Least, median and most time over ranks, the largest difference first."""
    records = [row for row in fleet.rows["spread"] if row["by"] == by]
    rows = [_of_spread(row, ways) for row in records]
    title = f"By {by}, where ranks differ most, a step"
    return _first_rows(fleet, "spread", title, _spread_columns(by), rows, top, id_=f"spread-{by}")


def one_of_spread(row: Row, ways: PageWays) -> PageTable:
    """One row of the spread."""
    return PageTable(
        id="spread",
        title="Over ranks, a step",
        columns=_spread_columns(str(row["by"])),
        rows=(PageRow(cells=_of_spread(row, ways)),),
        frame=frame_of_rows(FLEET["spread"], [row]),
    )


def _spread_columns(by: str) -> tuple[PageColumn, ...]:
    return (
        PageColumn(name=by, kind=CellKind.NAME, least=_WHAT),
        PageColumn(name="least", kind=CellKind.NUMBER),
        PageColumn(name="rank", kind=CellKind.NUMBER, rank=1),
        PageColumn(name="median", kind=CellKind.NUMBER),
        PageColumn(name="most", kind=CellKind.NUMBER),
        PageColumn(name="rank ", kind=CellKind.NUMBER),
        PageColumn(name="ranks", kind=CellKind.NUMBER, rank=2),
    )


def _of_spread(row: Row, ways: PageWays) -> tuple[Cells, ...]:
    return (
        ways.row(row),
        format_duration(whole_number(row, "least_ns")),
        ways.rank(whole_number(row, "least_rank")),
        format_duration(whole_number(row, "median_ns")),
        format_duration(whole_number(row, "most_ns")),
        ways.rank(whole_number(row, "most_rank")),
        f"{whole_number(row, 'ranks'):,}",
    )


def _first_rows(  # noqa: PLR0913 -- what a table is made of
    fleet: FleetTables,
    name: str,
    title: str,
    columns: tuple[PageColumn, ...],
    rows: Sequence[tuple[Cells, ...]],
    top: int,
    *,
    about: str | None = None,
    id_: str | None = None,
) -> PageTable:
    """The first `top` rows, and one that says how many follow."""
    drawn = [
        *(PageRow(cells=cells) for cells in rows[:top]),
        *more_rows(len(rows) - top, len(columns)),
    ]
    return PageTable(
        id=id_ or name,
        title=title,
        columns=columns,
        rows=tuple(drawn),
        frame=getattr(fleet, name),
        about=() if about is None else (about,),
    ).filled


def more_rows(left: int, columns: int) -> list[PageRow]:
    """The last row of a table that leaves `left` rows out; none where it leaves out none."""
    cells = (f"{ELLIPSIS} {left:,} more", *[""] * (columns - 1))
    return [PageRow(cells=cells, dim=True, ours=True)] if left > 0 else []
