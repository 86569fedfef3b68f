"""One table for a terminal: what a person reads first.

Takes Tables and a width in characters, gives one rich Text: a heading, the rows with their bars,
what was left out of them, and the ledger in one line. The rows come in the table's own order.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from rich.text import Text

from kernelmap.model.notices import count
from kernelmap.outputs.columns import VIEWS, View
from kernelmap.outputs.layout import Bars, Part, draw
from kernelmap.outputs.text import ELLIPSIS, duration, percent, visible
from kernelmap.outputs.told import told_lines
from kernelmap.views.frames import Row, rows
from kernelmap.views.schema import BY, TABLES
from kernelmap.views.summary import Summary
from kernelmap.views.tables import Tables

_TITLE = 26
_EXTRA = 16
_STYLES = {
    "exact": "green",
    "inferred": "cyan",
    "ambiguous": "yellow",
    "outside": "default",
    "unknown": "red",
}


def render(tables: Tables, *, by: str = "op", top: int = 20, width: int = 100) -> Text:
    """The table of `by` (a word of schema.BY) with at most `top` rows, in `width` characters."""
    name = BY[by]
    view, frame = VIEWS[name], tables.frame(name)
    shown = list(rows(TABLES[name], frame.iloc[:top]))
    lines = [*_heading(tables.summary, view, width), Text()]
    if shown:
        rest = frame.iloc[top:]
        dim = [view.rests(row) for row in shown] + [True] * (len(rest) > 0)
        lines += draw(_parts(view, shown, rest, tables.summary.total_ns), width, dim)
        story = view.story(list(rows(TABLES[name], frame))) if view.story else []
        lines += [line for told in story for line in told_lines(told, width)]
    else:
        lines.append(Text(f"No {name} in this window.", "dim"))
    return Text("\n").join([*lines, Text(), ledger_line(tables.summary, width), Text()])


def ledger_line(summary: Summary, width: int) -> Text:
    """`GPU time 12.34 ms = 97.1 % exact + …`, broken between parts where `width` asks for it."""
    text = Text(f"{summary.side.upper()} time {duration(summary.total_ns)}", "bold")
    indent = column = len(text)
    sign = " = "
    for bucket, share in summary.coverage.items():
        if share == 0:
            continue
        part = f"{percent(share)} {bucket}"
        if column + len(sign) + len(part) > width:
            text.append("\n" + " " * indent)
            column = indent
        text.append(sign, "not bold").append(part, f"not bold {_STYLES[bucket]}")
        column += len(sign) + len(part)
        sign = " + "
    return text


def _heading(summary: Summary, view: View, width: int) -> list[Text]:
    lines = [Text(f"{summary.side.upper()} time by {view.noun}", "bold")]
    for fact in map(visible, facts(summary)):
        if len(lines[-1]) + len(fact) + 3 > width:
            lines.append(Text(fact, "dim"))
        else:
            lines[-1].append(f" · {fact}", "not bold dim")
    return lines


def facts(summary: Summary) -> list[str]:
    """What the window is, in a few short texts."""
    found = [*summary.devices, count(summary.launches, "launch")]
    if summary.invocations:
        found[-1] += f" in {count(summary.invocations, 'invocation')}"
    if summary.steps:
        first, last = summary.steps
        found.append(f"step {first}" if first == last else f"steps {first} to {last}")
    if summary.calls:
        found.append(f"{summary.calls_seen:,} of {count(summary.calls, 'call')} seen")
    return found


def _parts(view: View, shown: Sequence[Row], rest: pd.DataFrame, total_ns: int) -> list[Part]:
    """The columns; where `rest` has rows, a last line says what they add up to."""
    more = [""] * (len(rest) > 0)
    titles = [visible(view.title(row)) for row in shown]
    values = [view.time_ns(row) for row in shown]
    if more:
        titles.append(f"{ELLIPSIS} {len(rest):,} more")
        values.append(int(rest[list(view.time)].sum().sum()))
    shares = [value / total_ns if total_ns else None for value in values]
    parts = [
        Part(header=view.noun, cells=titles, least=_TITLE, style="bold", path=view.path),
        Part(header="time", cells=[duration(value) for value in values], right=True),
        Part(header="share", cells=[percent(share) for share in shares], right=True),
    ]
    if "time_ns" in view.time:
        bars = [*shares[: len(shown)], *(None for _ in more)]
        parts.append(Bars(header="", values=bars, style="cyan", rank=1))
    for extra in view.extras:
        cells = [visible(extra.cell(row)) for row in shown]
        if any(cells):
            parts.append(
                Part(
                    header=extra.header,
                    cells=cells + more,
                    rank=extra.rank,
                    right=extra.right,
                    least=None if extra.right else max(_EXTRA, len(extra.header)),
                    path=extra.path,
                )
            )
    return parts
