"""A verdict as texts: the document of JSON, the alert that a command reads, and the comment.

The comment is Markdown, for a pull request and the page of a job: the verdict and the finding, the
reasons and notes, the changes summed by cause and kernel or operator, and the single calls folded.
"""

from __future__ import annotations

from msgspec.structs import replace

from kernelmap.history.compare.gate.tracked_times import list_tracked_times
from kernelmap.history.compare.gate.verdict import Verdict
from kernelmap.history.compare.numbers.comparison import Comparison
from kernelmap.history.compare.texts.first_line import find_first_line
from kernelmap.history.compare.texts.in_json import comparison_in_json
from kernelmap.history.compare.texts.show import short_page, title_of
from kernelmap.pages.render.markdown import code_span, render_markdown
from kernelmap.tables.json import indent_json


def dumps_gate(comparison: Comparison, verdict: Verdict, *, failed: bool) -> str:
    """The comparison as `diff` writes it, with the verdict and the times that services track.

    `failed` is as the exit code says it. The text ends in a newline.
    """
    return indent_json(
        {
            **comparison_in_json(comparison),
            "gate": {
                "failed": failed,
                "verdict": verdict.word,
                "reasons": verdict.reasons,
                "doubts": verdict.doubts,
                "notes": verdict.notes,
            },
            "times": list(list_tracked_times(comparison)),
        }
    )


def dumps_gate_of_code(changes: str) -> str:
    """Whether code is what its lock says, and in words what changed, nothing where nothing did."""
    return indent_json(
        {"format": "kernelmap.gate", "version": 1, "failed": bool(changes), "changes": changes}
    )


def alert_of_times(comparison: Comparison, verdict: Verdict) -> dict[str, object]:
    """The alert of a gate whose times fail."""
    return {
        **_alert_head("time"),
        "verdict": verdict.word,
        "headline": title_of(comparison),
        "reasons": verdict.reasons,
        "notes": verdict.notes,
        "unit": comparison.unit.word,
        "before_ns": comparison.before_ns,
        "after_ns": comparison.after_ns,
        "causes": {cause.value: ns for cause, ns in comparison.by_cause.items()},
    }


def alert_of_code(changes: str) -> dict[str, object]:
    """The alert of code that is not what its lock says; `changes` as the gate prints them."""
    return {**_alert_head("code"), "verdict": "failed", "changes": changes}


def _alert_head(what: str) -> dict[str, object]:
    # A gate that passes tells nobody; `failed` is for alerts that another version sent.
    return {"format": "kernelmap.alert", "version": 1, "what": what, "failed": True}


def write_comment(comparison: Comparison, verdict: Verdict) -> str:
    """The comment, with an end of line."""
    first = code_span(find_first_line(comparison, slower=not verdict.passed))
    listed = [f"- {code_span(text)}" for text in (*verdict.points, *verdict.notes)]
    page = render_markdown(replace(short_page(comparison, calls=True), name=""))
    return "\n".join([f"## kernelmap gate {verdict.word}: {first}", "", *listed, "", page])
