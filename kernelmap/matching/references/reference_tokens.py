"""Launches of reference runs → tokens that a trace's are compared with, and their places.

A token is a device name, however it is spelled, and what kind of activity it is. Grid and block are
numbers of their own, compared where both sides have them and the name alone does not decide: a
generated kernel under a name of its own is that kernel, whichever block size the autotuner chose.

Launches are a reference where they have its tokens in its order. Of a few launches the events may
be lost: what was seen then has to be the reference with gaps, and a launch may stand at each of
several places. Nothing foreign may lie in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.facts.families import Family, kernel_family
from kernelmap.matching.names.spelling import key_of_spelling
from kernelmap.matching.names.symbols import calls_by_device_name, is_common
from kernelmap.model import NONE, Activity, CompiledProgram
from kernelmap.model.columns import size_hash
from kernelmap.model.learnt import EagerOrigin, LearntLaunch, LearntSequence, Shape
from kernelmap.model.module_paths import module_around
from kernelmap.model.trace import Bool, Int, Launches

UNNAMED = -2
"""The token of a launch of which only the host side was seen, without its name."""
_LOST = 0.1
"""Share of the launches of a reference that may be missing. With none, one lost event undoes it;
with much more, another program fits. Chosen."""
_FEWEST, _DIFFERENT = 6, 3
"""So many launches, or so many different ones, tell by their order where no name does: fewer are in
too many graphs. Chosen."""
_FEWEST_UNNAMED = 32
"""So many launches of a capture without names, of eager work alone: they say little more than how
many there are, and small graphs of equally many launches are common. Captures of whole steps have
hundreds (184 in cuda_captured_eager), and those with compiled code have kernels with names. Chosen.
"""
_ABSENT: Shape = (NONE,) * 6
_KINDS = (Activity.KERNEL, Activity.MEMCPY, Activity.MEMSET)


class Reference(Struct, frozen=True):
    """The reference sequence `number` in tokens; columns over its launches from `start` on.

    `shape` is -1 where it is not known or does not matter. `generated` marks kernels that only
    generated code runs, `named` those of them whose name only one kernel bears.
    """

    number: int
    sequence: LearntSequence
    tokens: Int
    shape: Int
    generated: Bool
    named: Bool
    start: int = 0

    def __len__(self) -> int:
        return len(self.tokens)

    def launch_at(self, place: int) -> LearntLaunch:
        """What was launched at one place."""
        return self.sequence.launches[self.start + place]

    @property
    def calls(self) -> frozenset[int]:
        """Positions of all calls in the sequence."""
        return frozenset(call for launch in self.sequence.launches for call in launch.calls)

    def between_calls(self) -> Reference:
        """The launches from the first of a call to the last of one."""
        called = [bool(self.launch_at(place).calls) for place in range(len(self))]
        span = slice(called.index(True), len(called) - called[::-1].index(True))
        columns = ("tokens", "shape", "generated", "named")
        return replace(
            self, start=span.start, **{name: getattr(self, name)[span] for name in columns}
        )


class TokenTable:
    """The tokens of reference sequences, and the launches of a trace in these."""

    def __init__(
        self, sequences: Sequence[LearntSequence], launches: Launches, program: CompiledProgram
    ) -> None:
        # Tokens are numbered as references first show them; the launches of a trace are looked up.
        self._numbers: dict[tuple[str, Activity], int] = {}
        calls_by_name = calls_by_device_name(program)
        self._known = {key_of_spelling(name) for name in calls_by_name}
        self._calls = {call for calls in calls_by_name.values() for call in calls}
        # Calls whose kernels bear a name that says nothing, such as `triton_`.
        self._common = {
            call for name in calls_by_name if is_common(name) for call in calls_by_name[name]
        }
        self.references = [self._tokenize_reference(*numbered) for numbered in enumerate(sequences)]
        self._launches = launches
        # The token by name and activity, (names, kinds), -1 where no reference has it.
        table = [
            [self._numbers.get((key_of_spelling(name), kind), NONE) for kind in _KINDS]
            for name in launches.names
        ]
        self._table = np.array(table, dtype=np.int64).reshape(-1, len(_KINDS))

    def tokens_of(self, rows: Int) -> LaunchTokens:
        """The tokens of launches, with their shapes."""
        return LaunchTokens(self.number_launches(rows), self.number_shapes(rows))

    def number_launches(self, rows: Int) -> Int:
        """The tokens of launches, -1 for those that no sequence has."""
        launches = self._launches
        kind = np.minimum(launches.activity[rows], len(_KINDS) - 1)
        return np.asarray(self._table[launches.name_id[rows], kind])

    def number_shapes(self, rows: Int) -> Int:
        """A number per grid and block, -1 where the trace has none."""
        launches = self._launches
        return size_hash(np.concatenate([launches.grid[rows], launches.block[rows]], axis=1))

    def _tokenize_reference(self, number: int, sequence: LearntSequence) -> Reference:
        learnt = sequence.launches
        generated = [self._is_generated(launch) for launch in learnt]
        named = [
            ours and self._is_own_name(launch)
            for ours, launch in zip(generated, learnt, strict=True)
        ]
        # Under a name of its own a kernel is known whatever its block: no shape is compared.
        shapes = [
            _ABSENT if launch.shape is None or is_named else launch.shape
            for is_named, launch in zip(named, learnt, strict=True)
        ]
        return Reference(
            number=number,
            sequence=sequence,
            tokens=np.array([self._number_of_launch(launch) for launch in learnt], dtype=np.int64),
            shape=size_hash(np.array(shapes, dtype=np.int64).reshape(-1, len(_ABSENT))),
            generated=np.array(generated, dtype=bool),
            named=np.array(named, dtype=bool),
        )

    def _number_of_launch(self, launch: LearntLaunch) -> int:
        if launch.name is None:
            return UNNAMED
        return self._numbers.setdefault(
            (key_of_spelling(launch.name), launch.activity), len(self._numbers)
        )

    def _is_generated(self, launch: LearntLaunch) -> bool:
        """Whether generated code runs it, by its name, or by its call where it has none."""
        if launch.name is None:
            return not self._calls.isdisjoint(launch.calls)
        family = kernel_family(launch.name, launch.activity)
        kernel = launch.activity is Activity.KERNEL
        return kernel and (
            key_of_spelling(launch.name) in self._known or family is Family.GENERATED
        )

    def _is_own_name(self, launch: LearntLaunch) -> bool:
        """Whether no other kernel is called like this one."""
        if launch.name is None:
            return self._common.isdisjoint(launch.calls)
        return not is_common(launch.name)


class LaunchTokens(Struct, frozen=True):
    """A sequence of launches in tokens, with their shapes; -1 where either is not known."""

    tokens: Int
    shapes: Int


def is_distinctive(reference: Reference) -> bool:
    """Whether a reference is more than what eager code, or a benchmark, might launch by chance.

    One kernel under a name of its own is enough, if it is not alone; under names that many kernels
    bear, three that differ; without a generated kernel only a long row, a longer one where no
    launch has a name.
    """
    fewest = _FEWEST_UNNAMED if (reference.tokens == UNNAMED).all() else _FEWEST
    distinct = len(set(reference.tokens.tolist()))
    few = bool(reference.generated.any()) and distinct >= _DIFFERENT
    return len(reference) > 1 and (bool(reference.named.any()) or few or len(reference) >= fewest)


def most_lost(reference: Reference) -> int:
    """How many launches of a reference may be missing; of a short one, only where names tell."""
    return max(int(reference.named.any()), int(len(reference) * _LOST))


def find_embedding(
    count: int, reference: Reference, stands: Callable[[int, int], bool]
) -> tuple[Int, Int] | None:
    """The earliest and the latest place of each of `count` launches in a reference; None elsewhere.

    Some of its launches may be lost. `stands(launch, place)` says whether a launch may stand there.
    """
    missing = len(reference) - count
    if not 0 <= missing <= most_lost(reference):
        return None
    first = _earliest_places(count, missing, stands)
    if first is None:
        return None
    if not missing:
        return first, first
    # The latest places are the earliest ones of both sequences read backward. Where the two differ
    # a launch may stand at either, or between: of three equal launches, any one may be lost.
    end, final = count - 1, len(reference) - 1
    last = _earliest_places(
        count, missing, lambda launch, place: stands(end - launch, final - place)
    )
    return None if last is None else (first, final - last[::-1])


def _earliest_places(count: int, missing: int, stands: Callable[[int, int], bool]) -> Int | None:
    """The earliest place of each launch, with at most `missing` places left out."""
    places = np.empty(count, dtype=np.int64)
    skipped = 0
    for launch in range(count):
        # A place at which the launch cannot stand was lost; there may only be so many.
        while not stands(launch, launch + skipped):
            skipped += 1
            if skipped > missing:
                return None
        places[launch] = launch + skipped
    return places


def by_tokens(text: LaunchTokens, start: int, reference: Reference) -> Callable[[int, int], bool]:
    """Whether launch `start + i` of `text` may stand at place `j` of a reference."""
    tokens, shapes = text.tokens, text.shapes
    reference_tokens, shape = reference.tokens, reference.shape

    def stands(launch: int, place: int) -> bool:
        at = start + launch
        if tokens[at] != reference_tokens[place]:
            return False
        return bool(shapes[at] == shape[place] or shapes[at] < 0 or shape[place] < 0)

    return stands


class ReferenceFit(NamedTuple):
    """A reference that some launches are, and where each of them may stand.

    `first` and `last` (launches,) are the earliest and the latest place; `stands(launch, place)`
    says whether a launch may stand at one in between.
    """

    reference: Reference
    first: Int
    last: Int
    stands: Callable[[int, int], bool]


def find_fitting_references(
    count: int, references: Iterable[tuple[Reference, Callable[[int, int], bool]]]
) -> list[ReferenceFit]:
    """The references that `count` launches are, of those with the fewest launches missing."""
    fits = []
    for reference, stands in references:
        places = find_embedding(count, reference, stands)
        if places is not None:
            fits.append(ReferenceFit(reference, *places, stands))
    # `count` is the same for all, so the shortest reference has the fewest launches missing.
    least = min((len(fit.reference) for fit in fits), default=0)
    return [fit for fit in fits if len(fit.reference) == least]


def calls_by(fits: Sequence[ReferenceFit], count: int) -> tuple[tuple[int, ...], ...]:
    """All calls that each of `count` launches may belong to; none where it may be of no call."""
    return tuple(_calls_at(fits, launch) for launch in range(count))


def _calls_at(fits: Sequence[ReferenceFit], launch: int) -> tuple[int, ...]:
    stands_for: dict[int, None] = {}
    for learnt in _iter_learnt_at(fits, launch):
        # A place of no call is among those where it may stand: it may be of no call, too.
        if not learnt.calls:
            return ()
        stands_for.update(dict.fromkeys(learnt.calls))
    return tuple(stands_for)


def _iter_learnt_at(fits: Sequence[ReferenceFit], launch: int) -> Iterator[LearntLaunch]:
    """What the references launched at each place where a launch may stand."""
    for fit in fits:
        first, last = int(fit.first[launch]), int(fit.last[launch])
        for place in range(first, last + 1):
            if first == last or fit.stands(launch, place):
                yield fit.reference.launch_at(place)


def origins_by(fits: Sequence[ReferenceFit], count: int) -> tuple[EagerOrigin | None, ...]:
    """The eager work that each of `count` launches came from; None where it may be of a call.

    Of several places where it may stand, or several references, that counts which is the same.
    """
    return tuple(_origin_at(fits, launch) for launch in range(count))


def _origin_at(fits: Sequence[ReferenceFit], launch: int) -> EagerOrigin | None:
    origins: dict[EagerOrigin, None] = {}
    for learnt in _iter_learnt_at(fits, launch):
        if learnt.eager is None or learnt.calls:
            return None
        origins[learnt.eager] = None
    if not origins:
        return None
    one, *others = origins
    fields = one.__struct_fields__
    differing = [
        name for name in fields if any(getattr(o, name) != getattr(one, name) for o in others)
    ]
    nothing = EagerOrigin()
    agreed = replace(one, **{name: getattr(nothing, name) for name in differing})
    # Modules may differ and lie in one that holds them all.
    return replace(agreed, module=module_around(origin.module for origin in origins))
