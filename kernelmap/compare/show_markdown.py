"""A comparison for a pull request: headline, causes, verdict; what comes from inputs is code."""

from __future__ import annotations

from kernelmap.compare.comparison import Comparison
from kernelmap.compare.words import headline, interval_note, lines, signed, verdict
from kernelmap.outputs.markdown import code, line


def render(found: Comparison, *, top: int = 20) -> str:
    """The comparison as Markdown, ending in a newline."""
    before, after = (code(side.title) for side in found.sides)
    side = found.sides[1].summary.side.upper()
    parts = [f"### {side} time: {headline(found)}", "", f"{before} → {after}", ""]
    told = lines(found, top)
    if told:
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
                    code(each.told, empty=""),
                ]
            )
            for each in told
        ]
    else:
        parts.append("No change.")
    notes = filter(None, [*verdict(found), interval_note(found)])
    return "\n".join([*parts, "", *(f"- {code(text)}" for text in notes), ""])
