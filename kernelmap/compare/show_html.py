"""A comparison as one HTML file: a waterfall of causes, the changes, the roll-ups.

No script at all: the waterfall is drawn here, as SVG. A content security policy forbids everything
but the style, and everything from the inputs is escaped by the template.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

import jinja2
from markupsafe import Markup

from kernelmap.compare.comparison import Comparison
from kernelmap.compare.words import headline, interval_note, lines, signed, verdict
from kernelmap.outputs.text import duration, visible
from kernelmap.version import VERSION

_WIDTH = 640  # of the bars, in SVG units
_TOP = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One bar of the waterfall, in SVG units; `kind` is total, slower or faster."""

    name: str
    value: str
    left: float
    width: float
    kind: str


def render(comparison: Comparison) -> str:
    """The page; the same comparison gives the same text."""
    page = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(
        _template("diff.html")
    )
    return page.render(
        title=" → ".join(visible(side.title) for side in comparison.sides),
        headline=headline(comparison),
        verdict=verdict(comparison),
        interval_note=interval_note(comparison),
        steps=waterfall(comparison),
        lines=[(signed(line.change_ns), line) for line in lines(comparison, _TOP)],
        tables={
            name: [
                (
                    visible(row.name),
                    duration(row.before_ns),
                    duration(row.after_ns),
                    signed(row.change_ns),
                )
                for row in rows
                if row.change_ns
            ][:_TOP]
            for name, rows in comparison.tables.items()
        },
        unit=comparison.unit.word,
        version=VERSION,
        style=Markup(_template("diff.css")),  # noqa: S704 -- our own file
    )


def waterfall(comparison: Comparison) -> list[Step]:
    """The bars from the time before to the time after; each begins where the last one ends."""
    running, spans = comparison.before_ns, [(0, comparison.before_ns)]
    for change_ns in comparison.by_cause.values():
        spans.append((running, running + change_ns))
        running += change_ns
    spans.append((0, comparison.after_ns))
    edges = [edge for span in spans[1:-1] for edge in span] or [0]
    least = max(0, min(edges) - (max(edges) - min(edges)))  # the totals are cut off on the left
    scale = _WIDTH / max(1, max(max(span) for span in spans) - least)
    names = ["before", *(cause.value for cause in comparison.by_cause), "after"]
    values = [comparison.before_ns, *comparison.by_cause.values(), comparison.after_ns]
    steps = []
    for at, (name, value, span) in enumerate(zip(names, values, spans, strict=True)):
        total = at in (0, len(names) - 1)
        left, right = max(min(span), least), max(*span, least)
        steps.append(
            Step(
                name=name,
                value=duration(value) if total else signed(value),
                left=round((left - least) * scale, 2),
                width=round(max(1, (right - left) * scale), 2),
                kind="total" if total else "slower" if value > 0 else "faster",
            )
        )
    return steps


def _template(name: str) -> str:
    return files("kernelmap.compare").joinpath("templates", name).read_text("utf-8")
