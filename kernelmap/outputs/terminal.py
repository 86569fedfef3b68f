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
from kernelmap.outputs.notes import note_lines
from kernelmap.outputs.text import ELLIPSIS, duration, of_steps, percent, visible
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
        lines += [line for told in story for line in note_lines(told, width)]
    else:
        lines.append(Text(f"No {name} in this window.", "dim"))
    sums = [ledger_line(tables.summary, width), *step_lines(tables.summary, width)]
    return Text("\n").join([*lines, Text(), *sums, Text()])


def ledger_line(summary: Summary, width: int) -> Text:
    """`GPU time 12.34 ms = 97.1 % exact + …`, broken between parts where `width` asks for it."""
    parts = [
        (f"{percent(share)} {bucket}", _STYLES[bucket])
        for bucket, share in summary.coverage.items()
        if share
    ]
    return _sum(f"{summary.side.upper()} time {duration(summary.total_ns)}", parts, width)


def step_lines(summary: Summary, width: int) -> list[Text]:
    """`step time 515 ms = 75.97 ms in compiled code + …` of a CPU profile with steps, else none."""
    parts = [(f"{duration(ns)} {where}", "default") for where, ns in step_parts(summary)]
    if not parts:
        return []
    return [_sum(f"Step time {duration(summary.step_ns or 0)}", parts, width)]


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


def _sum(whole: str, parts: Sequence[tuple[str, str]], width: int) -> Text:
    """A sum of parts with their styles, broken between parts where `width` asks for it."""
    text = Text(whole, "bold")
    indent = column = len(text)
    sign = " = "
    for part, style in parts:
        if column + len(sign) + len(part) > width:
            text.append("\n" + " " * indent)
            column = indent
        text.append(sign, "not bold").append(part, f"not bold {style}")
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
    if summary.step_ns is not None and summary.step_compiled_ns is not None:
        found.append(of_steps(summary.step_compiled_ns, summary.step_ns))
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
