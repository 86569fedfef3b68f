"""A gate's verdict as Markdown, for the comment on a pull request and the page of a job.

The first line says the verdict and the finding; then come the reasons and notes, the changes summed
by cause and kernel or operator, and folded below them the single calls.
"""

from __future__ import annotations

from msgspec.structs import replace

from kernelmap.history.compare.comparison import Comparison
from kernelmap.history.compare.first_line import find_first_line
from kernelmap.history.compare.gate import Verdict
from kernelmap.history.compare.show import short_page
from kernelmap.pages.render.markdown import code_span, render_markdown


def write_comment(comparison: Comparison, verdict: Verdict) -> str:
    """The comment, with an end of line."""
    first = code_span(find_first_line(comparison, slower=not verdict.passed))
    listed = [f"- {code_span(text)}" for text in (*verdict.points, *verdict.notes)]
    page = render_markdown(replace(short_page(comparison, calls=True), name=""))
    return "\n".join([f"## kernelmap gate {verdict.word}: {first}", "", *listed, "", page])
