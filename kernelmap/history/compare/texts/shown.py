"""`kernelmap.diff`: what a user names as two sides → a comparison that shows itself, and its texts.

numbers/comparison.py computes it, and every text and page is made of that record.
`ShownComparison` is the record with what a prompt and a notebook ask of an object, and so it stands
above the pages.
"""

from __future__ import annotations

from msgspec.structs import asdict

from kernelmap.history.compare.numbers.comparison import Comparison, compare_sides
from kernelmap.history.compare.sides.opening import open_side, side_of
from kernelmap.history.compare.sides.side import ComparedSide
from kernelmap.history.compare.texts import in_json
from kernelmap.history.compare.texts.show import say_sides, short_page, title_of, whole_page
from kernelmap.model.paths import Source
from kernelmap.pages.render import html, markdown
from kernelmap.pages.result import Result

_ROWS = 10  # in a notebook
ROWS = 20
"""Rows of each table in Markdown, where nobody says how many."""


class ShownComparison(Comparison, frozen=True, kw_only=True):
    """A comparison in a prompt and in a notebook."""

    def __repr__(self) -> str:
        """One line for a prompt: how much slower or faster, and of what."""
        return f"<Comparison: {title_of(self)} · {say_sides(self)}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: what is compared, and the changes, largest first."""
        return html.render_fragment(short_page(self, top=_ROWS))


def diff(
    before: Result | Source, after: Result | Source, *, at_equal_clocks: bool = False
) -> ShownComparison:
    """What changed from one result to another: fresh, saved, kept as a run, or what names one.

    A name is what `kernelmap diff` takes: a bundle, a folder, a saved result, several inputs joined
    with `+`, or a run of the store. `at_equal_clocks` takes out of compute-bound calls what the
    sampled SM clocks explain. Raises KernelmapError where it cannot be read, and UsageError
    `no-scipy` where statistics are possible and scipy is not installed.
    """
    sides = (_open_given(before, "before"), _open_given(after, "after"))
    made = compare_sides(*sides, at_equal_clocks=at_equal_clocks)
    return ShownComparison(**asdict(made))


def _open_given(given: Result | Source, title: str) -> ComparedSide:
    return side_of(given, title) if isinstance(given, Result) else open_side(str(given)).side


def render_comparison(comparison: Comparison, form: str, top: int = ROWS) -> str:
    """The comparison as `json`, `markdown` or `html`; `top` rows of each table in Markdown."""
    if form == "json":
        return in_json.dumps(comparison)
    if form == "markdown":
        return markdown.render_markdown(short_page(comparison, top=top, calls=True))
    return html.render_document(whole_page(comparison), title=say_sides(comparison))
