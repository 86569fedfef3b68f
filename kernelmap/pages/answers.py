"""Answers to `which` and `explain` as pages: the records that matching gives, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernelmap.matching.explaining.explain import Explanation
from kernelmap.matching.explaining.hits import AROUND, OP_RULES, Hit
from kernelmap.model.notices import format_count
from kernelmap.pages.page import CellKind, Note, Page, PageColumn, PageRow, PageTable, Points
from kernelmap.pages.text import format_duration, format_percent


def page_of_hits(name: str, hits: Sequence[Hit]) -> Page:
    """What a name stands for: the hits as a table, and what speaks for them."""
    evidence = [text for hit in hits for text in (*hit.evidence, hit.memory) if text is not None]
    table = PageTable(
        title="",
        columns=(
            PageColumn(name="kernel", kind=CellKind.NAME, least=24),
            PageColumn(name="time", kind=CellKind.NUMBER),
            PageColumn(name="share", kind=CellKind.NUMBER),
            PageColumn(name="launches", kind=CellKind.NUMBER),
            PageColumn(name="graph", kind=CellKind.ID, least=8, rank=2, tells=True),
            PageColumn(name="calls", kind=CellKind.ID, rank=1, least=16, tells=True),
        ),
        rows=tuple(PageRow(cells=_cells_of_hit(hit)) for hit in hits),
    ).filled
    return Page(name=name, title=_stands_for(hits), sections=(table, _list_points(evidence)))


def page_of_explanation(explanation: Explanation) -> Page:
    """The verdict, the evidence as a list, the calls that also stand, and what a call does."""
    candidates, steps = explanation.candidates, explanation.steps
    also = [_list_points(candidates, "Candidates")] if candidates else []
    also += [_list_points([explanation.memory], "Memory")] if explanation.memory else []
    also += [Points("What the kernel does", tuple((1, text) for text in steps))] if steps else []
    return Page(
        name=explanation.title,
        title="",
        sections=(
            Note(lines=((explanation.verdict,),)),
            _list_points(explanation.evidence),
            *also,
        ),
    )


def page_of_explanations(answers: Sequence[Explanation], one: str) -> Page:
    """Many verdicts, two lines each: launches that one thing on the host has issued.

    `one` is the command that shows the evidence of the first.
    """
    verdicts = [line for answer in answers for line in ((1, answer.title), (2, answer.verdict))]
    shared = [
        text
        for text in answers[0].evidence
        if all(text in answer.evidence for answer in answers[1:])
    ]
    return Page(
        title=f"{format_count(len(answers), 'launch')}:",
        sections=(
            Points("", tuple(verdicts)),
            *([_list_points(shared, "All of them")] if shared else []),
            Note(lines=((f"`{one}` shows the evidence of the first.",),)),
        ),
    )


def _list_points(texts: Iterable[str], title: str = "") -> Points:
    return Points(title, tuple((1, text) for text in dict.fromkeys(texts)))


def _stands_for(hits: Sequence[Hit]) -> str:
    # A graph in parentheses stands for launches without a single call.
    kernels = [hit for hit in hits if not hit.graph.startswith("(")]
    rules = ", ".join(dict.fromkeys(hit.rule for hit in kernels or hits))
    if not kernels:
        return f"{_without_call(hits)}, found by {rules}"
    if all(hit.rule in OP_RULES for hit in kernels):
        return f"is an op of {format_count(len(kernels), 'kernel')}, found by {rules}"
    verb = "is" if len(kernels) == 1 else "may stand for"
    return f"{verb} {format_count(len(kernels), 'kernel')}, found by {rules}"


def _without_call(hits: Sequence[Hit]) -> str:
    """What a name means whose launches have no single call."""
    total = sum(hit.launches or 0 for hit in hits)
    # Launches in all, and those of which the call is not known, or one of several.
    unknown, ambiguous = (
        sum(hit.launches or 0 for hit in hits if hit.graph == word)
        for word in ("(unknown)", "(ambiguous)")
    )
    if ambiguous:
        return f"is of compiled code: {_say_part_of(ambiguous, total)} may be of several calls"
    if unknown:
        have = "has" if unknown == 1 else "have"
        return f"may be of compiled code: {_say_part_of(unknown, total)} {have} no known call"
    if sum(hit.tuned for hit in hits) == total:
        return "is of no call: only the autotuner ran it"
    if all(hit.rule == AROUND for hit in hits):
        return "ran outside of compiled code"
    return "is no kernel of compiled code"


def _say_part_of(number: int, total: int) -> str:
    return f"{number:,} of {format_count(total, 'launch')}"


def _cells_of_hit(hit: Hit) -> tuple[str, ...]:
    return (
        hit.wrapper,
        "" if hit.time_ns is None else format_duration(hit.time_ns),
        format_percent(hit.share),
        "" if hit.launches is None else f"{hit.launches:,}",
        hit.graph,
        ", ".join(hit.calls),
    )
