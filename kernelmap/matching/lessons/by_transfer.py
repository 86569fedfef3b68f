"""Launches without a host side that are what another run launched, one after the other.

A mapping that was made on one run serves another of the same code: a bundle, or the capture of a
CUDA graph, taught what an invocation or a graph launches and for which calls (learning.py). So does
the trace at hand itself, where it holds a capture, or runs beside their replays. Here the same
names in the same order are looked for, grid and block included where a name alone does not tell
(learnt_letters.py). What differs gets nothing from the lesson.

Never exact: it is another run's evidence. Inferred where the place in the order leaves one call,
ambiguous where lessons fit alike that differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from kernelmap.matching.context.decided import Matched, Outcome
from kernelmap.matching.context.learnt_code import Lesson
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.orders import Order, orders, torn_apart
from kernelmap.matching.context.transfers import OWN, Found
from kernelmap.matching.host_side.recorded_graphs import Calls, Launched, may_launch
from kernelmap.matching.lessons.learning import lessons
from kernelmap.matching.lessons.learnt_letters import UNTOLD, Letters, Word
from kernelmap.matching.lessons.learnt_order import (
    Span,
    Text,
    by_letters,
    embedded,
    equal_spans,
    lossy_spans,
    tells,
)
from kernelmap.matching.lessons.overlaps import without_overlaps
from kernelmap.matching.lessons.settle_learnt import decided_by_lessons
from kernelmap.matching.lessons.unlike import Left, unlike_lessons
from kernelmap.matching.names.families import RESTORED, kernel_family
from kernelmap.model import Activity
from kernelmap.model.trace import Bool

_LOOKED_AHEAD = 64
"""Launches behind a stretch among which the next is looked for that no benchmark restores with."""


def by_transfer(context: MatchContext, matched: Matched) -> Iterator[Outcome]:
    """Decide open launches by what other runs taught."""
    sequences = list(orders(context, matched, whole_devices=True))
    if not sequences:
        return
    own = tuple(Lesson(sequence=each, source=OWN) for each in lessons(context, matched))
    transfers = replace(matched.transfers, needed=True, lessons=(*matched.transfers.lessons, *own))
    if transfers.lessons:
        reader = _Reader(context, transfers.lessons)
        transfers = replace(
            transfers, found=tuple(each for order in sequences for each in reader.found(order))
        )
        unlike = unlike_lessons(
            context, transfers.lessons, reader.words, reader.left, transfers.used()
        )
        transfers = replace(transfers, unlike=tuple(unlike))
        yield from decided_by_lessons(context, matched, transfers.found)
    yield transfers


class _Reader:
    """Holds the orders of one trace against the lessons.

    `words` are the lessons that tell enough; `left` collects what was not found to be one.
    """

    def __init__(self, context: MatchContext, taught: Sequence[Lesson]) -> None:
        self._lessons = taught
        self._launches = context.trace.launches
        self._letters = Letters(self._lessons, self._launches, context.program)
        self._calls = Calls.of(context.program)
        self.words = [word for word in self._letters.words if tells(word)]
        self._whole = [word for word in self.words if self._lessons[word.number].sequence.whole]
        untold = {word.number for word in self.words if np.equal(word.letters, UNTOLD).any()}
        whole = {word.number for word in self._whole}
        self._parts = [word for word in self.words if word.number not in untold | whole]
        self.left: list[Left] = []
        self._whole_calls: dict[tuple[int, ...], tuple[tuple[int, ...], ...]] = {}

    def found(self, order: Order) -> list[Found]:
        """Where `order` is what was learnt: as a whole, or else in parts."""
        text = Text(self._letters.of(order.rows), self._letters.shapes(order.rows))
        if order.whole and (whole := self._as_whole(order, text)):
            return [self._finding(order, text, whole)]
        free = np.ones(len(order.rows), dtype=bool)
        torn = np.concatenate([[0], np.cumsum(torn_apart(self._launches, order))])
        groups: list[list[Span]] = []
        for look in (self._equal, self._lossy):
            spans = [
                each
                for each in look(text, free)
                if torn[each.stop] == torn[each.start + 1] and not self._goes_on(order, text, each)
            ]
            for group in without_overlaps(spans):
                groups.append(group)
                free[group[0].start : group[0].stop] = False
        self.left.append(Left(order, text, free))
        return [self._finding(order, text, group) for group in groups]

    def _equal(self, text: Text, free: Bool) -> list[Span]:
        return [each for each in equal_spans(text, self._parts) if free[each.start]]

    def _lossy(self, text: Text, free: Bool) -> list[Span]:
        return list(lossy_spans(text, self._parts, free))

    def _as_whole(self, order: Order, text: Text) -> list[Span]:
        """The lessons that a replayed graph is, with the fewest launches missing."""
        fitting = []
        for word in self._whole:
            places = embedded(len(order.rows), word, self._stands(order, text, word, 0))
            if places is not None:
                fitting.append(Span(word, 0, len(order.rows), *places))
        least = min((len(span.word) for span in fitting), default=0)
        return [span for span in fitting if len(span.word) == least]

    def _stands(
        self, order: Order, text: Text, word: Word, start: int
    ) -> Callable[[int, int], bool]:
        """Whether a launch may stand at a place, also where the lesson has no name there."""
        by_name = by_letters(text, start, word, 0)
        launches = self._lessons[word.number].sequence.launches

        def stands(launch: int, place: int) -> bool:
            if int(word.letters[place]) != UNTOLD:
                return by_name(launch, place)
            row = int(order.rows[start + launch])
            learnt = launches[place]
            name = self._launches.names[int(self._launches.name_id[row])]
            seen = Launched(0, name, Activity(int(self._launches.activity[row])))
            if seen.activity is not learnt.activity:
                return False
            if self._calls.is_generated(seen):
                return bool(learnt.calls) and self._calls.may_run(learnt.calls, seen)
            # The place of a generated kernel is no library's.
            own = [call for call in learnt.calls if call not in self._calls.generated]
            return not learnt.calls or any(may_launch(call, seen, self._calls) for call in own)

        return stands

    def _goes_on(self, order: Order, text: Text, span: Span) -> bool:
        """Whether the kernel that ends a reading runs again: then the autotuner measures it."""
        last = int(span.last[-1])
        letter = int(text.letters[span.stop - 1])
        if not span.word.generated[last] or span.word.letters[0] == letter:
            return False
        launches = self._launches
        for at in range(span.stop, min(span.stop + _LOOKED_AHEAD, len(order.rows))):
            row = int(order.rows[at])
            activity = Activity(int(launches.activity[row]))
            name = launches.names[int(launches.name_id[row])]
            if kernel_family(name, activity) not in RESTORED:
                return int(text.letters[at]) == letter
        return False

    def _finding(self, order: Order, text: Text, spans: Sequence[Span]) -> Found:
        """What readings of one stretch say together."""
        spans = sorted(spans, key=lambda span: span.word.number)
        best = spans[0]
        numbers = tuple(span.word.number for span in spans)
        if all(span.stop - span.start == len(span.word) for span in spans):
            calls = self._calls_of(numbers)
        else:
            places = range(best.stop - best.start)
            calls = tuple(self._calls_at(order, text, spans, launch) for launch in places)
        launches = self._lessons[best.word.number].sequence.launches
        runs = np.array([launches[place].run for place in best.first.tolist()], dtype=np.int64)
        return Found(
            rows=order.copies[:, best.start : best.stop],
            lessons=numbers,
            first=best.first,
            last=best.last,
            calls=calls,
            runs=runs,
            bounded=best.first[0] == 0 and int(best.last[-1]) == len(best.word) - 1,
        )

    def _calls_of(self, numbers: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """All calls that each launch may belong to where nothing is missing."""
        if numbers not in self._whole_calls:
            sequences = (self._lessons[number].sequence.launches for number in numbers)
            self._whole_calls[numbers] = tuple(
                tuple(dict.fromkeys(call for each in place for call in each.calls))
                if all(each.calls for each in place)
                else ()
                for place in zip(*sequences, strict=True)
            )
        return self._whole_calls[numbers]

    def _calls_at(
        self, order: Order, text: Text, spans: Sequence[Span], launch: int
    ) -> tuple[int, ...]:
        """All calls that one launch may belong to; none where it may also belong to no call."""
        found: dict[int, None] = {}
        for span in spans:
            own = self._lessons[span.word.number].sequence.launches
            first, last = int(span.first[launch]), int(span.last[launch])
            places: Iterable[int] = (first,)
            if first < last:
                stands = self._stands(order, text, span.word, span.start)
                places = (at for at in range(first, last + 1) if stands(launch, at))
            for place in places:
                if not own[place].calls:
                    return ()
                found.update(dict.fromkeys(own[place].calls))
        return tuple(found)
