"""Markdown: one table for a page or a pull request, as a person reads it.

Takes Tables, gives text. Times and shares are rounded as in the terminal; whatever comes from the
input stands in code spans, where neither Markdown nor HTML means anything.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernelmap.outputs.columns import VIEWS
from kernelmap.outputs.notes import Note
from kernelmap.outputs.terminal import facts, ledger_line, step_lines
from kernelmap.outputs.text import ELLIPSIS, duration, percent, visible
from kernelmap.views.frames import rows
from kernelmap.views.schema import BY, TABLES
from kernelmap.views.tables import Tables

_NO_LIMIT = 100_000


def render(tables: Tables, *, by: str = "op", top: int = 20) -> str:
    """The table of `by` (a word of schema.BY) with at most `top` rows, and the ledger."""
    name = BY[by]
    view, frame, summary = VIEWS[name], tables.frame(name), tables.summary
    shown = list(rows(TABLES[name], frame.iloc[:top]))
    extras = [extra for extra in view.extras if any(extra.cell(row) for row in shown)]
    head = [view.noun, "time", "share", *(extra.header for extra in extras)]
    marks = ["---", "---:", "---:", *("---:" if extra.right else "---" for extra in extras)]
    lines = [line(head), line(marks)]
    for row in shown:
        cells = [code(view.title(row)), *_cost(view.time_ns(row), summary.total_ns)]
        cells += [
            extra.cell(row) if extra.right else code(extra.cell(row), empty="") for extra in extras
        ]
        lines.append(line(cells))
    rest = frame.iloc[top:]
    if len(rest):
        cost = _cost(int(rest[list(view.time)].sum().sum()), summary.total_ns)
        lines.append(line([f"{ELLIPSIS} {len(rest):,} more", *cost, *("" for _ in extras)]))
    title = f"### {summary.side.upper()} time by {view.noun}"
    about = " · ".join(code(fact) if fact in summary.devices else fact for fact in facts(summary))
    sums = [ledger_line(summary, _NO_LIMIT), *step_lines(summary, _NO_LIMIT)]
    ledger = "\n\n".join(each.plain for each in sums)
    told = view.story(list(rows(TABLES[name], frame))) if view.story else []
    story = [text for each in told for text in _told(each)]
    return "\n".join([title, "", about, "", *lines, *story, "", ledger, *_notices(tables), ""])


def _told(note: Note) -> list[str]:
    """A title, and its lines as a list."""
    lines = [f"{'  ' * (depth - 1)}- {code(text)}" for depth, text in note.lines]
    return ["", f"{note.title}:", "", *lines]


def _cost(ns: int, total_ns: int) -> list[str]:
    return [duration(ns), percent(ns / total_ns if total_ns else None)]


def _notices(tables: Tables) -> list[str]:
    notes = [f"- {code(notice.message)}" for notice in tables.notices]
    return ["", "Notes:", "", *notes] if notes else []


def line(cells: Sequence[str]) -> str:
    """One line of a Markdown table; the cells are Markdown already."""
    return "| " + " | ".join(cells) + " |"


def code(text: str, empty: str = "` `") -> str:
    """A code span that any text fits in: longer fences than the text has, bars escaped."""
    text = visible(text).replace("|", "\\|")
    if not text.strip():
        return empty
    fence = "`"
    while fence in text:
        fence += "`"
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"
