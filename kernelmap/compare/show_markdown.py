"""A comparison for a pull request: headline, causes, verdict; what comes from inputs is code."""

from __future__ import annotations

from kernelmap.compare.comparison import Comparison
from kernelmap.compare.words import headline, interval_note, lines, signed, verdict
from kernelmap.outputs.markdown import code, line


def render(comparison: Comparison, *, top: int = 20) -> str:
    """The comparison as Markdown, ending in a newline."""
    before, after = (code(side.title) for side in comparison.sides)
    side = comparison.sides[1].summary.side.upper()
    parts = [f"### {side} time: {headline(comparison)}", "", f"{before} → {after}", ""]
    rows = lines(comparison, top)
    if rows:
        parts += [line(["change", "interval", "cause", "what", "where", ""])]
        parts += [line(["---:", "---:", "---", "---", "---", "---"])]
        parts += [
            line(
                [
                    signed(each.change_ns),
                    each.interval,
                    each.cause,
                    code(each.what, empty=""),
                    code(each.where, empty=""),
                    code(each.speed_and_words, empty=""),
                ]
            )
            for each in rows
        ]
    else:
        parts.append("No change.")
    notes = filter(None, [*verdict(comparison), interval_note(comparison)])
    return "\n".join([*parts, "", *(f"- {code(text)}" for text in notes), ""])
