"""What a launch that another run decided was learnt from, and how well that fits: sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kernelmap.matching.context.transfers import Found
from kernelmap.matching.match import Match
from kernelmap.matching.references.reference_tokens import UNNAMED, Reference, TokenTable
from kernelmap.model.trace import Int


def learnt_evidence(match: Match, row: int) -> Iterator[str]:
    """The lesson behind launch `row`, nothing where none decided it."""
    transfers = match.transfers
    found = transfers.told(row)
    if found is None:
        return
    finding, place = found
    tokens = TokenTable(transfers.lessons, match.context.trace.launches, match.context.program)
    lesson = transfers.lessons[finding.lessons[0]]
    reference = tokens.references[finding.lessons[0]]
    seen = f", seen {lesson.sequence.times} times" if lesson.sequence.times > 1 else ""
    yield (
        f"learnt from {lesson.source}: {lesson.sequence.label}, {len(reference)} launches{seen};"
        f" this is number {_numbers(finding, place)} of them"
        + ("" if finding.calls[place] else ", of which no call is known there")
    )
    rows = _rows(finding)
    yield _agreement(tokens, reference, finding, rows)
    yield _second(match, tokens, finding, rows)


def _numbers(finding: Found, place: int) -> str:
    """Where in the lesson the launch may stand, counted from 0."""
    first, last = int(finding.first[place]), int(finding.last[place])
    return f"{first}" if first == last else f"{first} to {last}"


def _rows(finding: Found) -> Int:
    """A row for each launch of the finding: the first time that has it."""
    copies = finding.rows
    return np.asarray(copies[(copies >= 0).argmax(axis=0), np.arange(copies.shape[1])])


def _agreement(tokens: TokenTable, reference: Reference, finding: Found, rows: Int) -> str:
    """How many of the launches are there, and in how many grid and block tell as well."""
    shown, learnt = tokens.shapes(rows), reference.shape[finding.first]
    sized = (shown >= 0) & (learnt >= 0)
    agree = int((sized & np.equal(shown, learnt)).sum())
    unnamed = int(np.equal(reference.tokens[finding.first], UNNAMED).sum())
    text = f"{len(rows)} of its {len(reference)} launches are here, in its order"
    text += f", {len(rows) - unnamed} under its names" if unnamed else ", all under its names"
    return text + (
        f", {agree} of {int(sized.sum())} with its grid and block" if sized.any() else ""
    )


def _second(match: Match, tokens: TokenTable, finding: Found, rows: Int) -> str:
    """The lesson for other calls that comes nearest."""
    lessons = match.transfers.lessons
    own = tokens.of(rows)
    calls = set(_calls(match, finding.lessons))
    others = [
        (_common(own, reference.tokens), reference)
        for reference in tokens.references
        if set(_calls(match, [reference.number])) != calls
    ]
    agree, reference = max(others, key=lambda each: each[0], default=(0, None))
    if reference is None or not agree:
        return "second best: nothing else that was learnt begins or ends like this"
    other = lessons[reference.number]
    return (
        f"second best: {other.sequence.label} in {other.source} has {agree} of these"
        f" {len(rows)} launches at its beginning and end"
    )


def _calls(match: Match, lessons: Sequence[int]) -> Iterator[int]:
    for number in lessons:
        for launch in match.transfers.lessons[number].sequence.launches:
            yield from launch.calls


def _common(shown: Int, learnt: Int) -> int:
    """How many launches two sequences begin and end with alike."""
    count = min(len(shown), len(learnt))
    head = np.equal(shown[:count], learnt[:count])
    tail = np.equal(shown[::-1][:count], learnt[::-1][:count])
    begins = count if head.all() else int(head.argmin())
    ends = count if tail.all() else int(tail.argmin())
    return min(begins + ends, count)
