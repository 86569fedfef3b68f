"""Where a trace differs from its reference runs, and what a person should know about them.

Takes the sequences in which no reference was recognized. Of every graph that references show and
that was recognized nowhere the nearest miss is named, with the launch at which it begins to differ;
what has little in common with all of them is of other code, and nothing is said about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kernelmap.matching.context.learnt_code import Lesson
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.orders import Order, graph_of
from kernelmap.matching.context.transfers import OWN, Transfers, Unlike
from kernelmap.matching.references.reference_tokens import UNNAMED, LaunchTokens, Reference
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
    """The graphs that a lesson tells of."""
    launches = lessons[number].sequence.launches
    calls = [call for each in launches for call in each.calls]
    return frozenset(context.program.graph_of_call[calls].tolist())


def _as_whole(reference: Reference, left: Left) -> Iterator[_Miss]:
    """A replay against all that a learnt graph launches: what they begin and end with alike."""
    if not left.order.whole:
        return
    count = min(len(reference), len(left.text.tokens))
    same = np.zeros(len(left.text.tokens), dtype=bool)
    head = _same(reference.tokens[:count], left.text.tokens[:count])
    tail = _same(reference.tokens[::-1][:count], left.text.tokens[::-1][:count])
    begins = count if head.all() else int(head.argmin())
    ends = min(count if tail.all() else int(tail.argmin()), count - begins)
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
