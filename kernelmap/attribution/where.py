"""Hits of `which` → where each ran and what it works for: time, ops, lines, streams, neighbors.

Takes what `which` found, with its launches; adds their time, original ops, source lines, how sure
the pairing is, streams, the usual place in the step and the usual neighbors on the stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from msgspec.structs import replace

from kernelmap.attribution.records import Attribution
from kernelmap.matching.explaining.hits import Hit, MatchedHit, Where
from kernelmap.matching.match import Match
from kernelmap.matching.names.spelling import shorten_spelling
from kernelmap.model import NONE, Confidence
from kernelmap.model.columns import distinct_values
from kernelmap.model.names import operator_of_range
from kernelmap.model.notices import join_some
from kernelmap.model.trace import Int

_SHOWN = 4  # lines or ops in a sentence
Around: TypeAlias = tuple[Int, Int, Int, Int]


def describe_hits(hits: Sequence[MatchedHit]) -> tuple[Hit, ...]:
    """The answers in `hits` without a trace: what they work for, as the code states it."""
    return tuple(
        replace(hit.hit, evidence=(*hit.hit.evidence, *_iter_sentences(hit.hit))) for hit in hits
    )


def locate_hits(
    hits: Sequence[MatchedHit], match: Match, attribution: Attribution, around: Around
) -> tuple[Hit, ...]:
    """The answers in `hits`, with time and place of those that have launches.

    Calls come first, then what has none; of both the most time. `around` is what
    `find_what_is_around` gives.
    """
    found = (_locate_hit(hit, match, attribution, around) for hit in hits)
    return tuple(sorted(found, key=lambda hit: (hit.graph.startswith("("), -(hit.time_ns or 0))))


def _locate_hit(answer: MatchedHit, match: Match, attribution: Attribution, around: Around) -> Hit:
    hit, rows = answer.hit, answer.rows
    positions = [at for at, (g, c) in enumerate(match.program.calls) if g.call_id(c) in hit.calls]
    located = replace(
        hit,
        ops=tuple(dict.fromkeys(op for at in positions for op in attribution.call_ops[at])),
        lines=tuple(
            dict.fromkeys(
                f"{line.file}:{line.line}"
                for at in positions
                for line in attribution.call_lines[at]
            )
        ),
    )
    on_cpu = False
    if len(rows):
        launches = match.context.trace.launches
        before, after, place, size = (column[rows] for column in around)
        on_cpu = bool(launches.on_cpu[rows].all())
        names = _labels_of_launches(match)
        time_ns = int(launches.dur_ns[rows].sum())
        whole_ns = int(launches.dur_ns[launches.on_cpu == on_cpu].sum())
        located = replace(
            located,
            time_ns=time_ns,
            share=time_ns / whole_ns if whole_ns else None,
            confidence=tuple(
                (Confidence(value).name.lower(), number)
                for value, number in enumerate(
                    np.bincount(match.matching.confidence[rows]).tolist()
                )
                if number
            ),
            where=Where(
                streams=tuple(distinct_values(launches.stream[rows]).tolist()),
                position=_usual_place(place, size),
                before=_most_common_name(names, before),
                after=_most_common_name(names, after),
            ),
        )
    return replace(located, evidence=(*located.evidence, *_iter_sentences(located, on_cpu=on_cpu)))


def find_what_is_around(match: Match, step: Int) -> Around:
    """What is around each launch; four columns (launches,), -1 where there is nothing.

    Labels of the launches before and after it on its stream, its place in its step, from 1, and
    the number of launches in that step.
    """
    launches = match.context.trace.launches
    gpu = np.flatnonzero(~launches.on_cpu)
    keys = (launches.start_ns, launches.stream, launches.device, launches.process)
    # a table that `nsys stats` printed has neither streams nor an order
    on_stream = gpu[launches.stream[gpu] != NONE]
    # Launches on streams by process, device and stream, in order of time. `same` tells of each
    # but the last whether the next is on its stream.
    order = on_stream[np.lexsort([key[on_stream] for key in keys])]
    same = np.ones(max(len(order) - 1, 0), dtype=bool)
    for key in keys[1:]:
        same &= key[order[1:]] == key[order[:-1]]
    before, after, place, size = (np.full(len(launches), NONE, dtype=np.int64) for _ in range(4))
    label = _label_by_launch(match)
    # Of two neighbors, each is told the other's label.
    before[order[1:][same]] = label[order[:-1][same]]
    after[order[:-1][same]] = label[order[1:][same]]

    # Launches in steps, numbered by process and step; `rank` sorts them by that, then by time, so
    # the place is the distance from where the step begins.
    inside = gpu[step[gpu] >= 0]
    steps, number = np.unique(step[inside], return_inverse=True)
    owner = launches.process[inside] * max(len(steps), 1) + number
    rank = np.lexsort((launches.start_ns[inside], owner))
    _, first, counts = np.unique(owner[rank], return_index=True, return_counts=True)
    place[inside[rank]] = np.arange(len(rank)) - np.repeat(first, counts) + 1
    size[inside[rank]] = np.repeat(counts, counts)
    return before, after, place, size


def _labels_of_launches(match: Match) -> tuple[str, ...]:
    """What a launch may be called: names on the GPU, then the wrapper of each call."""
    wrappers = (call.wrapper for _, call in match.program.calls)
    return (*match.context.trace.launches.names, *wrappers)


def _label_by_launch(match: Match) -> Int:
    """Per launch the place of its label: a generated kernel's is its wrapper, which says more."""
    launches, call = match.context.trace.launches, match.matching.call
    generated = [wrapper_call.kernel is not None for _, wrapper_call in match.program.calls]
    named = np.array([*generated, False], dtype=bool)[call]
    return np.where(named, len(launches.names) + call, launches.name_id)


def _iter_sentences(hit: Hit, *, on_cpu: bool = False) -> Iterator[str]:
    name = f"{hit.wrapper} in {hit.graph}" if hit.calls else hit.wrapper
    if hit.ops and not {hit.wrapper, operator_of_range(hit.wrapper)} & set(hit.ops):
        yield f"{name} works for {join_some(hit.ops, _SHOWN)}" + (
            f", at {join_some(hit.lines, _SHOWN)}" if hit.lines else ""
        )
    if hit.confidence:
        sure = ", ".join(f"{number} {word}" for word, number in hit.confidence)
        text = sure if hit.wrapper == hit.graph else f"{name}: {sure}"
        place = _say_place(hit.where, on_cpu=on_cpu) if hit.where else ""
        yield f"{text}; {place}" if place else text


def _say_place(where: Where, *, on_cpu: bool) -> str:
    """Where the launches ran, as far as the profile says it."""
    streams = ", ".join(str(stream) for stream in where.streams if stream != NONE)
    parts = ["on the CPU"] if on_cpu else []
    if streams:
        parts.append(f"on stream{'s' if ',' in streams else ''} {streams}")
    if where.position:
        place, size = where.position
        parts.append(f"mostly launch {place} of {size} in its step")
    neighbors = [
        f"{word} {shorten_spelling(name)}"
        for word, name in (("after", where.before), ("before", where.after))
        if name is not None
    ]
    return ", ".join([*parts, " and ".join(neighbors)] if neighbors else parts)


def _most_common_name(names: Sequence[str], numbers: Int) -> str | None:
    """The name that most launches have; None where no name has a majority, or most have none."""
    number = _of_most(numbers)
    return names[number] if number is not None and number >= 0 else None


def _usual_place(place: Int, size: Int) -> tuple[int, int] | None:
    """The (place, size) of most launches, None where most share none or lie in no step."""
    inside = place >= 0
    # The pairs as single numbers, and how often each is there.
    most = int(size.max(initial=0)) + 1
    pairs, counts = np.unique(place[inside] * most + size[inside], return_counts=True)
    if not len(pairs) or 2 * counts.max() <= len(place):
        return None
    return divmod(int(pairs[counts.argmax()]), most)


def _of_most(values: Int) -> int | None:
    """The value that more than half have; None where there is no such value."""
    # What more than half have stands in the middle when all are sorted.
    middle = len(values) // 2
    value = int(np.partition(values, middle)[middle])
    return value if 2 * np.count_nonzero(values == value) > len(values) else None
