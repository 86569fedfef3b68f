"""One comparer for learnt orders: where launches are a lesson, from the first to the last.

Launches are a lesson where they have its letters in its order. Of a few launches the events may be
lost: what was seen then has to be the lesson with gaps, and a launch counts for those places that
it can stand at. Nothing foreign may lie in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kernelmap.matching.lessons.learnt_letters import Word
from kernelmap.model.trace import Bool, Int

_LOST = 0.1
"""Share of the launches of a lesson that may be missing."""
_CELLS = 1 << 22
"""Letters that are compared at once: bounds the memory."""
_FEWEST, _DIFFERENT = 6, 3
"""So many launches, or so many different ones, tell by their order where no name does."""


class Span(NamedTuple):
    """A stretch of letters that is a lesson, from `start` to before `stop`.

    `first` and `last` are the earliest and the latest place in the lesson where each letter may
    stand: equal, unless something is missing.
    """

    word: Word
    start: int
    stop: int
    first: Int
    last: Int


@dataclass(frozen=True, slots=True)
class Text:
    """A sequence of launches in letters, with their shapes; -1 where either is not known."""

    letters: Int
    shapes: Int


def tells(word: Word) -> bool:
    """Whether a lesson is more than what eager code, or a benchmark, might launch by chance.

    One kernel under a name of its own is enough, if it is not alone; under names that many kernels
    bear, three that differ; without a generated kernel only a long row.
    """
    distinct = len(set(word.letters.tolist()))
    few = bool(word.generated.any()) and distinct >= _DIFFERENT
    return len(word) > 1 and (bool(word.named.any()) or few or len(word) >= _FEWEST)


def most_lost(word: Word) -> int:
    """How many launches of a lesson may be missing; of a short one, only where names tell."""
    return max(int(word.named.any()), int(len(word) * _LOST))


def equal_spans(text: Text, words: Sequence[Word]) -> Iterator[Span]:
    """Every stretch of `text` that is one of `words` with nothing missing."""
    order = np.argsort(text.letters, kind="stable")
    sorted_letters = text.letters[order]
    for word in words:
        begin = np.searchsorted(sorted_letters, word.letters)
        end = np.searchsorted(sorted_letters, word.letters, side="right")
        rarest = int((end - begin).argmin())
        starts = order[begin[rarest] : end[rarest]] - rarest
        starts = starts[(starts >= 0) & (starts + len(word) <= len(text.letters))]
        places = np.arange(len(word))
        for part in np.array_split(starts, len(starts) * len(word) // _CELLS + 1):
            at = part[:, None] + places
            for start in part[_equal(text, at, word).all(axis=1)].tolist():
                yield Span(word, start, start + len(word), places, places)


def _equal(text: Text, at: Int, word: Word) -> Bool:
    shapes = text.shapes[at]
    same = np.equal(shapes, word.shape) | (shapes < 0) | (word.shape < 0)
    return np.asarray(np.equal(text.letters[at], word.letters) & same)


def embedded(count: int, word: Word, stands: Callable[[int, int], bool]) -> tuple[Int, Int] | None:
    """The places of `count` launches in a lesson of which some may be missing; None if they differ.

    `stands(launch, place)` says whether a launch may stand at a place. Gives the earliest and the
    latest place of each.
    """
    missing = len(word) - count
    if not 0 <= missing <= most_lost(word):
        return None
    first = _earliest(count, missing, stands)
    if first is None:
        return None
    if not missing:
        return first, first
    end, final = count - 1, len(word) - 1
    last = _earliest(count, missing, lambda launch, place: stands(end - launch, final - place))
    return None if last is None else (first, final - last[::-1])


def _earliest(count: int, missing: int, stands: Callable[[int, int], bool]) -> Int | None:
    """The earliest place of each launch, with at most `missing` places left out."""
    places = np.empty(count, dtype=np.int64)
    skipped = 0
    for launch in range(count):
        while not stands(launch, launch + skipped):
            skipped += 1
            if skipped > missing:
                return None
        places[launch] = launch + skipped
    return places


def by_letters(text: Text, start: int, word: Word, begin: int) -> Callable[[int, int], bool]:
    """Whether launch `start + i` of `text` may stand at place `begin + j` of a lesson."""
    letters, shapes = text.letters, text.shapes
    own, shape = word.letters, word.shape

    def stands(launch: int, place: int) -> bool:
        at, place = start + launch, begin + place
        if letters[at] != own[place]:
            return False
        return bool(shapes[at] == shape[place] or shapes[at] < 0 or shape[place] < 0)

    return stands


def lossy_spans(text: Text, words: Sequence[Word], free: Bool) -> Iterator[Span]:
    """Stretches of free letters that are one of `words` with something missing.

    They begin and end with the lesson's first and last generated kernel. What the lesson has before
    and behind these counts where it is there as a whole.
    """
    for word in words:
        kernels = np.flatnonzero(word.generated)
        if len(kernels) < _FEWEST // 2:
            continue
        head, tail = int(kernels[0]), int(kernels[-1]) + 1
        core = word.part(head, tail)
        for start in np.flatnonzero(free & np.equal(text.letters, core.letters[0])).tolist():
            found = _lossy(text, word, core, head, start, free)
            if found is not None:
                yield found


def _lossy(text: Text, word: Word, core: Word, head: int, start: int, free: Bool) -> Span | None:
    """The one stretch from `start` on that is `core` with something missing."""
    shortest = len(core) - most_lost(core)
    ends = np.flatnonzero(
        free[start : start + len(core)]
        & np.equal(text.letters[start : start + len(core)], core.letters[-1])
    )
    found = []
    for end in (ends[ends + 1 >= shortest] + 1).tolist():
        if free[start : start + end].all():
            places = embedded(end, core, by_letters(text, start, core, 0))
            if places is not None:
                found.append((end, places))
    if len(found) != 1:
        return None
    end, (first, last) = found[0]
    before, behind = head, len(word) - head - len(core)
    begin, stop = start, start + end
    if before and begin >= before and _is_there(text, begin - before, word, 0, before, free):
        begin -= before
    else:
        before = 0
    if behind and _is_there(text, stop, word, head + len(core), behind, free):
        stop += behind
    else:
        behind = 0
    ahead = np.arange(head - before, head)
    rest = np.arange(head + len(core), head + len(core) + behind)
    return Span(
        word,
        begin,
        stop,
        np.concatenate([ahead, first + head, rest]),
        np.concatenate([ahead, last + head, rest]),
    )


def _is_there(text: Text, start: int, word: Word, begin: int, count: int, free: Bool) -> bool:
    """Whether `count` launches from `start` on are those of a lesson from `begin` on."""
    if start + count > len(text.letters) or not free[start : start + count].all():
        return False
    at = np.arange(start, start + count)
    return bool(_equal(text, at, word.part(begin, begin + count)).all())
