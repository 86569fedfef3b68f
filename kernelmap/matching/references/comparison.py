"""A trace held against its reference runs: what agrees, where it differs, and what to say of it.

Of a launch that a reference decided the evidence names the run, the place in its sequence, how many
launches agree, and what comes second. Of every graph that references show and that was recognized
nowhere the nearest miss is named, with the launch at which it begins to differ; what has little in
common with all of them is of other code, and nothing is said about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kernelmap.matching.context.launch_order import LaunchOrder, graph_of
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.reference_runs import NearMiss, Recognized, ReferenceRuns
from kernelmap.matching.references.reference_tokens import (
    UNNAMED,
    LaunchTokens,
    Reference,
    ReferenceFit,
    TokenTable,
)
from kernelmap.model import NONE, Notice
from kernelmap.model.learnt import THIS_PROFILE
from kernelmap.model.notices import format_count, join_some
from kernelmap.model.trace import Bool, Int

_NEAR = 0.5
"""Share of a reference's launches that have to agree: below half it is another program. It decides
what a notice says of --like alone."""
_TRIED = 20
"""Places of its rarest kernel at which a reference is tried. More take longer; a reference that
fits is found at the first few. Chosen for time."""

_SHOWN = 3


class Compared(NamedTuple):
    """A sequence of launches, and the references that it is as a whole (`fits`).

    `shown` are those that show its eager work: `fits`, or where there are none, references of the
    same names in the same order over other sizes, whose calls may be other ones. `free` marks the
    launches that were recognized as part of no reference.
    """

    order: LaunchOrder
    text: LaunchTokens
    fits: Sequence[ReferenceFit]
    shown: Sequence[ReferenceFit]
    free: Bool


class _Miss(NamedTuple):
    agree: int
    compared: Compared
    start: int
    stop: int
    same: Bool


def near_misses(
    context: MatchContext,
    every: Sequence[Reference],
    references: Sequence[Reference],
    compared: Sequence[Compared],
    used: set[int],
) -> Iterator[NearMiss]:
    """The nearest miss of each graph of `references` that was recognized nowhere.

    `every` are all references, of which those with the numbers `used` were recognized.
    """
    # A graph of which one reference was recognized is no miss, and each graph is named once.
    seen = {graph for number in used for graph in _graphs_of_reference(context, every[number])}
    for reference in references:
        graphs = _graphs_of_reference(context, reference)
        if reference.sequence.source == THIS_PROFILE or graphs & seen:
            continue
        tried = _as_whole if reference.sequence.whole else _in_parts
        tries = (miss for sequence in compared for miss in tried(reference, sequence))
        best = max(tries, key=lambda miss: miss.agree, default=None)
        if best is not None and best.agree >= _NEAR * len(reference):
            seen |= graphs
            yield _near_miss(context, reference, best)


def _graphs_of_reference(context: MatchContext, reference: Reference) -> frozenset[int]:
    """The graphs that a reference shows; -1 for eager work alone."""
    return frozenset(context.program.graph_of_call[list(reference.calls)].tolist() or [NONE])


def _as_whole(reference: Reference, compared: Compared) -> Iterator[_Miss]:
    """A replay against all that a learnt graph launches: what they begin and end with alike."""
    if not compared.order.whole:
        return
    # What lies between the like beginning and the like end counts as different.
    begins, ends = _ends_alike(reference.tokens, compared.text.tokens)
    same = np.zeros(len(compared.text.tokens), dtype=bool)
    same[:begins] = True
    same[len(same) - ends :] = True
    yield _Miss(begins + ends, compared, 0, len(same), same)


def _in_parts(reference: Reference, compared: Compared) -> Iterator[_Miss]:
    """Stretches around the reference's rarest kernel, launch by launch."""
    tokens = compared.text.tokens
    kernels = np.flatnonzero(reference.named)
    if not len(kernels):
        return
    # The kernel that runs most rarely here, but does run, has the fewest places to try.
    times = [int((tokens == reference.tokens[place]).sum()) for place in kernels.tolist()]
    at = min(
        zip(times, kernels.tolist(), strict=True),
        key=lambda times_and_place: (times_and_place[0] == 0, *times_and_place),
    )[1]
    places = np.flatnonzero(compared.free & np.equal(tokens, reference.tokens[at]))
    for start in (places[:_TRIED] - at).tolist():
        # The reference, laid so that this kernel agrees, may jut out at both ends.
        stop = min(start + len(reference), len(tokens))
        begin = max(start, 0)
        same = _is_same_token(reference.tokens[begin - start : stop - start], tokens[begin:stop])
        yield _Miss(int(same.sum()), compared, begin, stop, same)


def _ends_alike(learnt: Int, shown: Int) -> tuple[int, int]:
    """How many launches a reference and a sequence begin with alike, and end with."""
    # Compared from both ends, no launch twice: at most `count` agree in all.
    count = min(len(learnt), len(shown))
    head = _is_same_token(learnt[:count], shown[:count])
    tail = _is_same_token(learnt[::-1][:count], shown[::-1][:count])
    begins = count if head.all() else int(head.argmin())
    return begins, min(count if tail.all() else int(tail.argmin()), count - begins)


def _is_same_token(learnt: Int, shown: Int) -> Bool:
    return np.asarray(np.equal(learnt, shown) | np.equal(learnt, UNNAMED))


def _near_miss(context: MatchContext, reference: Reference, miss: _Miss) -> NearMiss:
    launches = context.trace.launches
    learnt = reference.sequence.launches
    rows = miss.compared.order.rows
    # The first launch that differs; behind the last one where all that is here agrees.
    wrong = np.flatnonzero(~miss.same)
    place = int(wrong[0]) if len(wrong) else len(miss.same)
    row = miss.start + place
    shown = [
        "eager work" if graph == NONE else context.program.graphs[graph].id
        for graph in sorted(_graphs_of_reference(context, reference))
    ]
    graph = int(graph_of(launches)[rows[0]])
    replay = f"CUDA graph {graph}, " if miss.compared.order.whole and graph > 0 else ""
    return NearMiss(
        reference=reference.number,
        where=f"{replay}{', '.join(shown)}",
        launches=miss.stop - miss.start,
        agree=miss.agree,
        place=place,
        shown=launches.names[int(launches.name_id[rows[row]])] if row < miss.stop else None,
        expected=learnt[place].name if place < len(learnt) else None,
    )


def reference_notices(runs: ReferenceRuns) -> Iterator[Notice]:
    """Graphs that differ from what was learnt, and runs that taught nothing."""
    for source, graphs in runs.missing:
        yield Notice(
            slug="like-code-differs",
            message=f"{source} ran {format_count(len(graphs), 'graph')} whose calls are none of "
            f"the given code: {join_some(graphs, _SHOWN)}. What it launched for them is not used.",
            hint="Record the like-run with this very code, or leave the code away to use its own.",
            gap=True,
        )
    for miss in runs.near_misses[:_SHOWN]:
        yield _notice_difference(runs, miss)
    if len(runs.near_misses) > _SHOWN:
        yield Notice(
            slug="like-differs",
            message=f"{format_count(len(runs.near_misses) - _SHOWN, 'more graph')} ran otherwise "
            "than the like-run's.",
            gap=True,
        )
    taught = {sequence.source for sequence in runs.sequences} - {THIS_PROFILE}
    without_code = {source for source, _ in runs.missing}
    for source, lacks in zip(runs.sources, runs.lacks, strict=True):
        if source not in taught and source not in without_code:
            yield Notice(
                slug="like-unused",
                message=f"what {source} launched taught nothing: no invocation in it is known from"
                " its first launch to its last.",
                hint="Save it again from a recording of whole steps with the host side."
                if lacks is None
                else f"`{lacks}` says what it lacks; whole steps with the host side teach.",
            )
    used = runs.used_sequences().union(miss.reference for miss in runs.near_misses)
    for source in sorted(taught - {runs.sequences[number].source for number in used}):
        why = "nothing that it ran was found here" if runs.needed else "every launch here has"
        yield Notice(
            slug="like-unused",
            message=f"what {source} launched decides nothing: {why}"
            + ("." if runs.needed else " a host side of its own."),
            hint="Is it a run of the same code?" if runs.needed else None,
        )


def _notice_difference(runs: ReferenceRuns, miss: NearMiss) -> Notice:
    sequence = runs.sequences[miss.reference]
    shown, expected = miss.shown or "nothing", miss.expected or "nothing"
    what = "grid or block differs" if shown == expected else f"{shown} ran, not {expected}"
    return Notice(
        slug="like-differs",
        message=f"{miss.where} ran otherwise than in {sequence.source} ({sequence.label}):"
        f" {miss.agree} of {format_count(miss.launches, 'launch')} agree with {len(sequence)} that"
        f" were learnt; at launch {miss.place} {what}. Nothing of it is taken from there.",
        hint="The like-run has to run this code with these sizes, on such a GPU.",
        gap=True,
    )


def reference_evidence(context: MatchContext, runs: ReferenceRuns, row: int) -> Iterator[str]:
    """The reference behind launch `row`, nothing where none decided it."""
    decided = runs.of_launch(row)
    if decided is None:
        return
    recognized, place = decided
    tokens = TokenTable(runs.sequences, context.trace.launches, context.program)
    reference = tokens.references[recognized.references[0]]
    sequence = reference.sequence
    first, last = int(recognized.first[place]), int(recognized.last[place])
    seen = f", seen {sequence.times} times" if sequence.times > 1 else ""
    yield (
        f"learnt from {sequence.source}: {sequence.label}, {len(reference)} launches{seen};"
        f" this is number {first if first == last else f'{first} to {last}'} of them"
        + ("" if recognized.calls[place] else _say_eager(recognized, place))
    )
    copies = recognized.rows
    # Each launch at the first time that recorded it.
    rows = copies[(copies >= 0).argmax(axis=0), np.arange(copies.shape[1])]
    yield _say_agreement(tokens, reference, recognized, rows)
    yield _say_second_best(tokens, recognized, rows)


def _say_eager(recognized: Recognized, place: int) -> str:
    """What is known of a launch without a call: the eager work that it came from."""
    origin = recognized.eager[place] if recognized.eager else None
    if origin is None:
        return ", of which no call is known there"
    operators = dict.fromkeys(op for op in (origin.op, origin.inner_op) if op is not None)
    inside = f" below {', '.join(operators)}" if operators else ""
    where = f" {origin.place.name}" if origin.place is not None else ""
    where += f" of {origin.module}" if origin.module is not None else ""
    return f", captured outside of compiled code{inside}{where}"


def _say_agreement(
    tokens: TokenTable, reference: Reference, recognized: Recognized, rows: Int
) -> str:
    """How many of the launches are there, and in how many grid and block tell as well."""
    shown, learnt = tokens.number_shapes(rows), reference.shape[recognized.first]
    sized = (shown >= 0) & (learnt >= 0)
    agree = int((sized & np.equal(shown, learnt)).sum())
    unnamed = int(np.equal(reference.tokens[recognized.first], UNNAMED).sum())
    text = f"{len(rows)} of its {len(reference)} launches are here, in its order"
    text += f", {len(rows) - unnamed} under its names" if unnamed else ", all under its names"
    return text + (
        f", {agree} of {int(sized.sum())} with its grid and block" if sized.any() else ""
    )


def _say_second_best(tokens: TokenTable, recognized: Recognized, rows: Int) -> str:
    """The reference for other calls that comes nearest."""
    shown = tokens.number_launches(rows)
    # References for the same calls agree as well, and are no second answer.
    calls = {call for at in recognized.references for call in tokens.references[at].calls}
    others = [
        (sum(_ends_alike(_comparable_tokens(reference), shown)), reference.sequence)
        for reference in tokens.references
        if reference.calls != calls
    ]
    agree, other = max(others, key=lambda candidate: candidate[0], default=(0, None))
    if other is None or not agree:
        return "second best: nothing else that was learnt begins or ends like this"
    return (
        f"second best: {other.label} in {other.source} has {agree} of these"
        f" {len(rows)} launches at its beginning and end"
    )


def _comparable_tokens(reference: Reference) -> Int:
    """The tokens of a reference, -3 for launches without names: they agree with nothing."""
    return np.where(np.equal(reference.tokens, UNNAMED), UNNAMED - 1, reference.tokens)
