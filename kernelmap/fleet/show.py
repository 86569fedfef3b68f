"""A fleet as a page: slow ranks with causes, divergence, communication, spread.

`page` is that of a terminal and of Markdown; a file (one_file.py) and the dashboard have more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from kernelmap.model.notices import count, some
from kernelmap.present.page import (
    Cell,
    Cells,
    Column,
    Facts,
    Kind,
    Note,
    Page,
    Points,
    Row,
    Section,
    Table,
    Tone,
)
from kernelmap.present.text import ELLIPSIS, duration, percent, visible
from kernelmap.views.fleet import FLEET
from kernelmap.views.frames import frame_of_rows
from kernelmap.views.rows import Row as Record
from kernelmap.views.rows import whole

if TYPE_CHECKING:
    from kernelmap.fleet.run import Fleet

BY = ("call", "op", "line", "graph")
_WHAT = 24  # characters to which a terminal may cut
_MISSING = 8  # reasons to show
_ESTIMATE = (
    "Estimates: the window is replayed from collective to collective with this rank's work at most"
    " the median of all ranks. What runs beside a collective counts as if it waited for it."
)


class Ways(Struct, frozen=True):
    """What stands for a rank and for a row of the spread: a text, or a link to more about it.

    `more` are links to what else there is about a rank.
    """

    rank: Callable[[int], Cells] = str
    more: Callable[[int], tuple[Cell, ...]] = lambda _rank: ()
    row: Callable[[Record], Cells] = lambda row: visible(str(row["name"]))


_NOWHERE = Ways()


def page(fleet: Fleet, *, by: str = "call", top: int = 20, notices: bool = False) -> Page:
    """The answer; at most `top` rows of each table."""
    return Page(
        title=headline(fleet),
        sections=(
            Facts(facts=tuple(facts(fleet))),
            slow_table(fleet, top),
            *missing(fleet),
            *divergence(fleet, top),
            *communication(fleet, top),
            spread(fleet, by, top),
            *(notes(fleet) if notices else ()),
        ),
    )


def notes(fleet: Fleet) -> Iterator[Points]:
    """What a reader has to know before the numbers, if there is something."""
    if fleet.notices:
        yield Points("Notes", tuple((1, notice.message) for notice in fleet.notices))


def headline(fleet: Fleet) -> str:
    """`64 of 64 ranks: 5 are slow, a step of the median rank takes 14.31 ms`."""
    slow = [row for row in fleet.rows["ranks"] if row["slow"] == "yes"]
    verb = "is" if len(slow) == 1 else "are"
    said = f"{len(slow)} {verb} slow" if slow else "none is slow"
    return f"{fleet.read:,} of {count(fleet.expected, 'rank')}: {said}"


def facts(fleet: Fleet) -> Iterator[str]:
    """The median rank, and what was matched."""
    ranks = [row for row in fleet.rows["ranks"] if row["state"] == "read"]
    median = next((row for row in ranks if row["rank"] == fleet.reference), None)
    if median is not None:
        step = "a step" if whole(median, "steps") else "the window"
        # What no other rank was seen to take part in may be waiting or not: all of it is left out.
        without = "waiting for other ranks" if fleet.matched else "exposed communication"
        yield (
            f"{standard(fleet)} rank {fleet.reference}:"
            f" {step} takes {duration(whole(median, 'step_ns'))},"
            f" {duration(whole(median, 'own_ns'))} without {without}"
        )
    if fleet.matched:
        yield f"{count(fleet.matched, 'collective')} matched over ranks"


def standard(fleet: Fleet) -> str:
    """Which rank the others are compared with, in a word."""
    return {1: "only", 2: "faster"}.get(fleet.read, "median")


def slow_table(fleet: Fleet, top: int, ways: Ways = _NOWHERE) -> Table:
    """Slow ranks with their causes, a row per cause; the slowest rank first."""
    ranks = [row for row in fleet.rows["ranks"] if row["slow"] == "yes"]
    ranks.sort(key=lambda row: -whole(row, "excess_ns"))
    # What a step would take less without the rank's excess, by rank.
    saved = {row["rank"]: whole(row, "saved_ns") for row in fleet.rows["what_if"]}
    rows: list[Row] = []
    for rank in ranks[:top]:
        # A rank without a known cause has one row, which says so. Facts about the rank stand in its
        # first row only.
        causes: Sequence[Record | None] = [
            row for row in fleet.rows["causes"] if row["rank"] == rank["rank"]
        ] or [None]
        for at, cause in enumerate(causes):
            first: tuple[Cells, ...] = (
                ways.rank(whole(rank, "rank")),
                f"+{duration(whole(rank, 'excess_ns'))}",
                percent(_share(rank)),
                duration(saved[rank["rank"]]) if rank["rank"] in saved else "",
            )
            rows.append(Row(cells=(*(first if at == 0 else ("", "", "", "")), *cause_cells(cause))))
    rows += more_rows(len(ranks) - top, 8)
    about = f"Against rank {fleet.reference}, the {standard(fleet)} one. {_ESTIMATE}"
    return Table(
        id="slow",
        title="Slow ranks",
        columns=(
            Column(name="rank", kind=Kind.NUMBER),
            Column(name="a step", kind=Kind.NUMBER),
            Column(name="over median", kind=Kind.NUMBER, rank=2),
            Column(name="would save", kind=Kind.NUMBER, rank=1),
            Column(name="of it", kind=Kind.NUMBER),
            Column(name="cause", kind=Kind.WORD),
            Column(name="what", kind=Kind.NAME, least=_WHAT),
            Column(name="", kind=Kind.SENTENCE, least=_WHAT),
        ),
        rows=tuple(rows),
        frame=fleet.causes if ranks else None,
        about=(about,) if ranks else (),
        empty="No rank is slower than ranks differ from each other.",
    ).filled


def _share(rank: Record) -> float | None:
    # The usual time of a step without waiting.
    usual = whole(rank, "own_ns") - whole(rank, "excess_ns")
    return whole(rank, "excess_ns") / usual if usual else None


def cause_cells(cause: Record | None) -> tuple[Cells, ...]:
    """How much, the cause, what, and where."""
    if cause is None:
        return ("", "not known", "", "")
    step = f"in step {cause['step']}" if cause["step"] is not None else None
    words = [text for text in (step, cause["where"], cause["detail"]) if text is not None]
    return (
        f"+{duration(whole(cause, 'change_ns'))}",
        str(cause["cause"]),
        visible(str(cause["what"])),
        visible(", ".join(map(str, words))),
    )


def missing(fleet: Fleet) -> Iterator[Section]:
    """Ranks that were not read, by their reasons."""
    reasons: dict[str, list[str]] = {}
    for row in fleet.rows["ranks"]:
        if row["state"] == "missing":
            reasons.setdefault(str(row["reason"]), []).append(str(row["rank"]))
    if not reasons:
        return
    lines = [
        f"{'rank' if len(ranks) == 1 else 'ranks'} {some(ranks, 12)}: {visible(reason)}"
        for reason, ranks in list(reasons.items())[:_MISSING]
    ]
    if len(reasons) > _MISSING:
        lines.append(f"{len(reasons) - _MISSING:,} more reasons")
    yield Note(title="Missing", lines=tuple((line,) for line in lines), tone=Tone.WARNING)


def divergence(fleet: Fleet, top: int) -> Iterator[Table]:
    """What ranks do otherwise than most, if there is something."""
    columns = (
        Column(name="differs in", kind=Kind.WORD),
        Column(name="what", kind=Kind.NAME, least=_WHAT),
        Column(name="on most ranks", kind=Kind.SENTENCE, least=_WHAT),
        Column(name="here", kind=Kind.SENTENCE, least=_WHAT),
        Column(name="ranks", whole=True),
    )
    rows = [
        (str(row["kind"]), visible(str(row["what"])), *_two(row), str(row["which"]))
        for row in fleet.rows["divergence"]
    ]
    if rows:
        yield _table(fleet, "divergence", "What ranks do otherwise", columns, rows, top)


def _two(row: Record) -> tuple[str, str]:
    """What most ranks have, and these; of configurations only the words that differ."""
    usual, value = (visible(str(row[name] or "none")) for name in ("usual", "value"))
    if row["kind"] != "configuration":
        return usual, value
    # `XBLOCK=1024 num_warps=8` and `XBLOCK=2 num_warps=8`: only XBLOCK is shown.
    words = (usual.split(), value.split())
    return (
        " ".join(word for word in words[0] if word not in words[1]),
        " ".join(word for word in words[1] if word not in words[0]),
    )


def communication(fleet: Fleet, top: int) -> Iterator[Table]:
    """The collectives that were matched over ranks, if there are any."""
    columns = (
        Column(name="collective", kind=Kind.NAME, least=_WHAT),
        Column(name="elements", kind=Kind.NUMBER, rank=3),
        Column(name="matched", kind=Kind.NUMBER, rank=4),
        Column(name="transfer", kind=Kind.NUMBER),
        Column(name="waiting", kind=Kind.NUMBER),
        Column(name="exposed", kind=Kind.NUMBER),
        Column(name="waits for", kind=Kind.WORD),
        Column(name="group", rank=5),
    )
    rows = [
        (
            visible(f"{row['name']} {row['dtype'] or ''}".strip()),
            f"{whole(row, 'elements'):,}" if row["elements"] is not None else "",
            f"{whole(row, 'collectives'):,}",
            duration(whole(row, "transfer_ns")),
            duration(whole(row, "waiting_ns")),
            duration(whole(row, "exposed_ns")),
            f"rank {row['last_rank']}, {row['last_in']} of {row['collectives']} times",
            visible(str(row["group"])),
        )
        for row in fleet.rows["communication"]
    ]
    about = (
        "Per step. Transfer is the time of the rank that came last; waiting and exposed are means"
        " over ranks, exposed is when nothing else ran."
    )
    if rows:
        yield _table(fleet, "communication", "Communication", columns, rows, top, about=about)


def spread(fleet: Fleet, by: str, top: int, ways: Ways = _NOWHERE) -> Table:
    """Least, median and most time over ranks, the largest difference first."""
    records = [row for row in fleet.rows["spread"] if row["by"] == by]
    rows = [_of_spread(row, ways) for row in records]
    title = f"By {by}, where ranks differ most, a step"
    return _table(fleet, "spread", title, _spread_columns(by), rows, top, id_=f"spread-{by}")


def one_of_spread(row: Record, ways: Ways) -> Table:
    """One row of the spread."""
    return Table(
        id="spread",
        title="Over ranks, a step",
        columns=_spread_columns(str(row["by"])),
        rows=(Row(cells=_of_spread(row, ways)),),
        frame=frame_of_rows(FLEET["spread"], [row]),
    )


def _spread_columns(by: str) -> tuple[Column, ...]:
    return (
        Column(name=by, kind=Kind.NAME, least=_WHAT),
        Column(name="least", kind=Kind.NUMBER),
        Column(name="rank", kind=Kind.NUMBER, rank=1),
        Column(name="median", kind=Kind.NUMBER),
        Column(name="most", kind=Kind.NUMBER),
        Column(name="rank ", kind=Kind.NUMBER),
        Column(name="ranks", kind=Kind.NUMBER, rank=2),
    )


def _of_spread(row: Record, ways: Ways) -> tuple[Cells, ...]:
    return (
        ways.row(row),
        duration(whole(row, "least_ns")),
        ways.rank(whole(row, "least_rank")),
        duration(whole(row, "median_ns")),
        duration(whole(row, "most_ns")),
        ways.rank(whole(row, "most_rank")),
        f"{whole(row, 'ranks'):,}",
    )


def _table(  # noqa: PLR0913 -- what a table is made of
    fleet: Fleet,
    name: str,
    title: str,
    columns: tuple[Column, ...],
    rows: Sequence[tuple[Cells, ...]],
    top: int,
    *,
    about: str | None = None,
    id_: str | None = None,
) -> Table:
    """The first `top` rows, and one that says how many follow."""
    drawn = [*(Row(cells=cells) for cells in rows[:top]), *more_rows(len(rows) - top, len(columns))]
    return Table(
        id=id_ or name,
        title=title,
        columns=columns,
        rows=tuple(drawn),
        frame=getattr(fleet, name),
        about=() if about is None else (about,),
    ).filled


def more_rows(left: int, columns: int) -> list[Row]:
    """The last row of a table that leaves `left` rows out; none where it leaves out none."""
    cells = (f"{ELLIPSIS} {left:,} more", *[""] * (columns - 1))
    return [Row(cells=cells, dim=True, ours=True)] if left > 0 else []
