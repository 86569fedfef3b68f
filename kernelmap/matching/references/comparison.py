"""A trace held against its reference runs: what agrees, where it differs, and what to say of it.

Of a launch that a reference decided the evidence names the run, the place in its sequence, how many
launches agree, and what comes second. Of every graph that references show and that was recognized
nowhere the nearest miss is named, with the launch at which it begins to differ; what has little in
common with all of them is of other code, and nothing is said about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kernelmap.matching.context.learnt_code import Lesson
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.orders import Order, graph_of
from kernelmap.matching.context.transfers import OWN, Found, Transfers, Unlike
from kernelmap.matching.references.reference_tokens import (
    UNNAMED,
    LaunchTokens,
    Reference,
    TokenTable,
)
from kernelmap.model import Notice
from kernelmap.model.notices import count
from kernelmap.model.trace import Bool, Int

_NEAR = 0.5
"""Share of a lesson's launches that have to agree."""
_TRIED = 20
"""Places of its rarest kernel at which a lesson is tried."""

_SHOWN = 3


class Left(NamedTuple):
    """A sequence that is no lesson as a whole; `free` marks what no lesson was found in."""

    order: Order
    text: LaunchTokens
    free: Bool


class _Miss(NamedTuple):
    agree: int
    left: Left
    start: int
    stop: int
    same: Bool


def unlike_lessons(
    context: MatchContext,
    lessons: Sequence[Lesson],
    references: Sequence[Reference],
    left: Sequence[Left],
    used: set[int],
) -> Iterator[Unlike]:
    """The nearest miss of each graph that was taught and found nowhere."""
    taught = {
        reference.number: _graphs(context, lessons, reference.number) for reference in references
    }
    seen = {graph for number in used for graph in _graphs(context, lessons, number)}
    for reference in references:
        own = lessons[reference.number].source == OWN
        if own or taught[reference.number] & seen:
            continue
        whole = lessons[reference.number].sequence.whole
        tries = (
            miss
            for each in left
            for miss in (_as_whole(reference, each) if whole else _in_parts(reference, each))
        )
        best = max(tries, key=lambda miss: miss.agree, default=None)
        if best is not None and best.agree >= _NEAR * len(reference):
            seen |= taught[reference.number]
            yield _told(context, lessons, reference, best)


def _graphs(context: MatchContext, lessons: Sequence[Lesson], number: int) -> frozenset[int]:
    """The graphs that a reference shows."""
    calls = list(_calls(lessons, [number]))
    return frozenset(context.program.graph_of_call[calls].tolist())


def _as_whole(reference: Reference, left: Left) -> Iterator[_Miss]:
    """A replay against all that a learnt graph launches: what they begin and end with alike."""
    if not left.order.whole:
        return
    begins, ends = _ends_alike(reference.tokens, left.text.tokens)
    same = np.zeros(len(left.text.tokens), dtype=bool)
    same[:begins] = True
    same[len(same) - ends :] = True
    yield _Miss(begins + ends, left, 0, len(same), same)


def _in_parts(reference: Reference, left: Left) -> Iterator[_Miss]:
    """Stretches around the lesson's rarest kernel, launch by launch."""
    tokens = left.text.tokens
    kernels = np.flatnonzero(reference.named)
    if not len(kernels):
        return
    times = [int((tokens == reference.tokens[place]).sum()) for place in kernels.tolist()]
    at = min(zip(times, kernels.tolist(), strict=True), key=lambda each: (each[0] == 0, *each))[1]
    places = np.flatnonzero(left.free & np.equal(tokens, reference.tokens[at]))
    for start in (places[:_TRIED] - at).tolist():
        stop = min(start + len(reference), len(tokens))
        begin = max(start, 0)
        same = _same(reference.tokens[begin - start : stop - start], tokens[begin:stop])
        yield _Miss(int(same.sum()), left, begin, stop, same)


def _ends_alike(learnt: Int, shown: Int) -> tuple[int, int]:
    """How many launches a reference and a sequence begin with alike, and end with."""
    count = min(len(learnt), len(shown))
    head = _same(learnt[:count], shown[:count])
    tail = _same(learnt[::-1][:count], shown[::-1][:count])
    begins = count if head.all() else int(head.argmin())
    return begins, min(count if tail.all() else int(tail.argmin()), count - begins)


def _same(learnt: Int, shown: Int) -> Bool:
    return np.asarray(np.equal(learnt, shown) | np.equal(learnt, UNNAMED))


def _told(
    context: MatchContext, lessons: Sequence[Lesson], reference: Reference, miss: _Miss
) -> Unlike:
    launches = context.trace.launches
    learnt = lessons[reference.number].sequence.launches
    rows = miss.left.order.rows
    wrong = np.flatnonzero(~miss.same)
    place = int(wrong[0]) if len(wrong) else len(miss.same)
    row = miss.start + place
    graphs = ", ".join(
        context.program.graphs[graph].id
        for graph in sorted(_graphs(context, lessons, reference.number))
    )
    graph = int(graph_of(launches)[rows[0]])
    replay = f"CUDA graph {graph}, " if miss.left.order.whole and graph > 0 else ""
    return Unlike(
        lesson=reference.number,
        where=f"{replay}{graphs}",
        launches=miss.stop - miss.start,
        learnt=len(reference),
        agree=miss.agree,
        place=place,
        shown=launches.names[int(launches.name_id[rows[row]])] if row < miss.stop else None,
        expected=learnt[place].name if place < len(learnt) else None,
    )


def transfer_notices(transfers: Transfers) -> Iterator[Notice]:
    """Graphs that differ from what was learnt, and runs that taught nothing."""
    for source, graphs in transfers.missing:
        yield Notice(
            slug="like-code-differs",
            message=f"{source} ran {count(len(graphs), 'graph')} whose calls are none of the given"
            f" code: {_some(graphs)}. What it launched for them is not used.",
            hint="Record the like-run with this very code, or leave the code away to use its own.",
            gap=True,
        )
    for unlike in transfers.unlike[:_SHOWN]:
        yield _differs(transfers, unlike)
    if len(transfers.unlike) > _SHOWN:
        yield Notice(
            slug="like-differs",
            message=f"{count(len(transfers.unlike) - _SHOWN, 'more graph')} ran otherwise than the"
            " like-run's.",
            gap=True,
        )
    taught = {lesson.source for lesson in transfers.lessons} - {OWN}
    known = {source for source, _ in transfers.missing}
    for source in transfers.sources:
        if source not in taught and source not in known:
            yield Notice(
                slug="like-unused",
                message=f"{source} taught nothing: no invocation in it is known from its first"
                " launch to its last.",
                hint="Record whole steps with the host side, or a bundle: kernelmap capture.",
            )
    used = {transfers.lessons[number].source for number in transfers.used()}
    used |= {transfers.lessons[each.lesson].source for each in transfers.unlike}
    for source in sorted(taught - used):
        why = "nothing that it ran was found here" if transfers.needed else "every launch here has"
        yield Notice(
            slug="like-unused",
            message=f"{source} decides nothing: {why}"
            + ("." if transfers.needed else " a host side of its own."),
            hint="Is it a run of the same code?" if transfers.needed else None,
        )


def _differs(transfers: Transfers, unlike: Unlike) -> Notice:
    lesson = transfers.lessons[unlike.lesson]
    shown, expected = unlike.shown or "nothing", unlike.expected or "nothing"
    what = "grid or block differs" if shown == expected else f"{shown} ran, not {expected}"
    return Notice(
        slug="like-differs",
        message=f"{unlike.where} ran otherwise than in {lesson.source} ({lesson.sequence.label}):"
        f" {unlike.agree} of {count(unlike.launches, 'launch')} agree with {unlike.learnt} that"
        f" were learnt; at launch {unlike.place} {what}. Nothing of it is taken from there.",
        hint="The like-run has to run this code with these sizes, on such a GPU.",
        gap=True,
    )


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def learnt_evidence(context: MatchContext, transfers: Transfers, row: int) -> Iterator[str]:
    """The lesson behind launch `row`, nothing where none decided it."""
    found = transfers.told(row)
    if found is None:
        return
    finding, place = found
    tokens = TokenTable(transfers.lessons, context.trace.launches, context.program)
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
    yield _second(transfers.lessons, tokens, finding, rows)


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


def _second(lessons: Sequence[Lesson], tokens: TokenTable, finding: Found, rows: Int) -> str:
    """The reference for other calls that comes nearest."""
    shown = tokens.of(rows)
    calls = _calls(lessons, finding.lessons)
    others = [
        (sum(_ends_alike(_comparable(reference), shown)), reference)
        for reference in tokens.references
        if _calls(lessons, [reference.number]) != calls
    ]
    agree, reference = max(others, key=lambda each: each[0], default=(0, None))
    if reference is None or not agree:
        return "second best: nothing else that was learnt begins or ends like this"
    other = lessons[reference.number]
    return (
        f"second best: {other.sequence.label} in {other.source} has {agree} of these"
        f" {len(rows)} launches at its beginning and end"
    )


def _comparable(reference: Reference) -> Int:
    """The tokens of a reference, -3 for launches without names: they agree with nothing."""
    return np.where(np.equal(reference.tokens, UNNAMED), UNNAMED - 1, reference.tokens)


def _calls(lessons: Sequence[Lesson], numbers: Iterable[int]) -> set[int]:
    """The calls of some references."""
    launches = (each for number in numbers for each in lessons[number].sequence.launches)
    return {call for launch in launches for call in launch.calls}
