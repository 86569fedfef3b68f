"""A gate's verdict as Markdown, for the comment on a pull request and the page of a job.

The first line says the verdict and the finding; then come the reasons and notes, the changes summed
by cause and kernel or operator, and folded below them the single calls.
"""

from __future__ import annotations

from msgspec.structs import replace

from kernelmap.compare.comparison import Comparison
from kernelmap.compare.first_line import finding
from kernelmap.compare.gate import Verdict
from kernelmap.compare.show import short
from kernelmap.outputs.markdown import code, render


def comment(comparison: Comparison, verdict: Verdict) -> str:
    """The comment, with an end of line."""
    first = code(finding(comparison, slower=not verdict.passed))
    listed = [f"- {code(text)}" for text in (*verdict.points, *verdict.notes)]
    page = render(replace(short(comparison, calls=True), name=""))
    return "\n".join([f"## kernelmap gate {verdict.word}: {first}", "", *listed, "", page])
