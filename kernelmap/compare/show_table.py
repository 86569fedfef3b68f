"""A comparison for a terminal: verdict, headline, causes with bars, and one roll-up on request."""

from __future__ import annotations

from rich.text import Text

from kernelmap.compare.comparison import Comparison
from kernelmap.compare.words import headline, interval_note, lines, signed, verdict
from kernelmap.outputs.layout import Bars, Part, draw
from kernelmap.outputs.text import ELLIPSIS, duration, visible

_WHAT, _WHERE, _WORDS, _NAME = 14, 12, 30, 30


def render(
    comparison: Comparison, *, by: str | None = None, top: int = 20, width: int = 100
) -> Text:
    """The causes, or with `by` the table of ops, lines, calls or graphs, in `width` characters."""
    before, after = (visible(side.title) for side in comparison.sides)
    parts = [
        Text(f"{before} → {after}", "bold"),
        *(Text(text, "dim") for text in verdict(comparison)),
    ]
    parts += [Text(headline(comparison), "bold"), Text()]
    parts += _causes(comparison, top, width) if by is None else _rolled(comparison, by, top, width)
    return Text("\n").join([*parts, Text()])


def _causes(comparison: Comparison, top: int, width: int) -> list[Text]:
    rows = lines(comparison, top)
    if not rows:
        return [Text("No change.", "dim")]
    longest = max(abs(line.change_ns) for line in rows) or 1
    columns = [
        Part(header="change", cells=[signed(line.change_ns) for line in rows], right=True),
        Bars(
            header="",
            values=[abs(line.change_ns) / longest for line in rows],
            style="cyan",
            rank=4,
        ),
        Part(header="interval", cells=[line.interval for line in rows], right=True, rank=2),
        Part(header="cause", cells=[line.cause for line in rows], style="bold"),
        Part(header="what", cells=[line.what for line in rows], least=_WHAT),
        Part(header="where", cells=[line.where for line in rows], least=_WHERE, rank=3),
        Part(header="", cells=[line.speed for line in rows], rank=1),
        Part(header="", cells=[line.words for line in rows], least=_WORDS),
    ]
    drawn = draw(columns, width, [line.dim for line in rows])
    note = interval_note(comparison) if columns[2].header in drawn[0].plain else None
    return drawn if note is None else [*drawn, Text(), Text(note, "dim")]


def _rolled(comparison: Comparison, by: str, top: int, width: int) -> list[Text]:
    changed = [row for row in comparison.tables[by] if row.change_ns]
    if not changed:
        return [Text("No change.", "dim")]
    shown, rest = changed[:top], changed[top:]
    names = [visible(row.name) for row in shown]
    numbers = [(row.before_ns, row.after_ns, row.change_ns) for row in shown]
    if rest:
        names.append(f"{ELLIPSIS} {len(rest):,} more")
        numbers.append(
            (
                sum(row.before_ns for row in rest),
                sum(row.after_ns for row in rest),
                sum(row.change_ns for row in rest),
            )
        )
    columns = [
        Part(header=by.removesuffix("s"), cells=names, least=_NAME, style="bold"),
        Part(header="before", cells=[duration(before) for before, _, _ in numbers], right=True),
        Part(header="after", cells=[duration(after) for _, after, _ in numbers], right=True),
        Part(header="change", cells=[signed(change) for _, _, change in numbers], right=True),
    ]
    return draw(columns, width, [False] * len(shown) + [True] * bool(rest))
