"""Lessons and launches spelled in one alphabet, so that orders can be compared as numbers.

A *letter* is a device name, however it is spelled, and what kind of activity it is. Grid and block
are numbers of their own, compared where both sides have them and the name alone does not tell: a
generated kernel under a name of its own is that kernel, whichever block size the autotuner chose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernelmap.matching.by_name import calls_by_device_name
from kernelmap.matching.families import Family, kernel_family
from kernelmap.matching.learnt_code import Lesson
from kernelmap.matching.legacy import is_common
from kernelmap.matching.spelling import key
from kernelmap.model import NONE, Activity, CompiledProgram
from kernelmap.model.learnt import Shape
from kernelmap.model.trace import Bool, Int, Launches

UNTOLD = -2
"""The letter of a launch of which only the host side was seen, without its name."""
_KINDS = (Activity.KERNEL, Activity.MEMCPY, Activity.MEMSET)
_MIXERS = np.array([1, 1_000_003, 998_244_353, 2_147_483_647, 67_280_421_310_721, 179_424_673])


@dataclass(frozen=True, slots=True)
class Word:
    """A lesson in letters; columns over its launches.

    `shape` is -1 where it is not known or does not matter. `generated` marks kernels that only
    generated code runs, `named` those of them whose name only one kernel bears.
    """

    number: int
    letters: Int
    shape: Int
    generated: Bool
    named: Bool

    def __len__(self) -> int:
        return len(self.letters)

    def part(self, start: int, stop: int) -> Word:
        """The launches from `start` to before `stop`."""
        own = slice(start, stop)
        return Word(
            self.number, self.letters[own], self.shape[own], self.generated[own], self.named[own]
        )


class Letters:
    """The alphabet of `lessons`, and the launches of a trace in it."""

    def __init__(
        self, lessons: Sequence[Lesson], launches: Launches, program: CompiledProgram
    ) -> None:
        self._numbers: dict[tuple[str, Activity], int] = {}
        known = {key(name) for name in calls_by_device_name(program)}
        common = {key(name) for name in calls_by_device_name(program) if is_common(name)}
        self.words = [
            self._word(number, lesson, known, common) for number, lesson in enumerate(lessons)
        ]
        self._launches = launches
        table = [
            [self._numbers.get((key(name), kind), NONE) for kind in _KINDS]
            for name in launches.names
        ]
        self._table = np.array(table, dtype=np.int64).reshape(-1, len(_KINDS))

    def of(self, rows: Int) -> Int:
        """The letters of launches, -1 for those that no lesson has."""
        launches = self._launches
        kind = np.minimum(launches.activity[rows], len(_KINDS) - 1)
        return np.asarray(self._table[launches.name_id[rows], kind])

    def shapes(self, rows: Int) -> Int:
        """A number per grid and block, -1 where the trace has none."""
        launches = self._launches
        return _mixed(np.concatenate([launches.grid[rows], launches.block[rows]], axis=1))

    def _word(self, number: int, lesson: Lesson, known: set[str], common: set[str]) -> Word:
        letters, generated, named, shapes = [], [], [], []
        for launch in lesson.sequence.launches:
            name = None if launch.name is None else key(launch.name)
            letters.append(
                UNTOLD
                if name is None
                else self._numbers.setdefault((name, launch.activity), len(self._numbers))
            )
            ours = launch.activity is Activity.KERNEL and launch.name is not None
            ours = ours and (
                name in known
                or kernel_family(launch.name or "", launch.activity) is Family.GENERATED
            )
            generated.append(ours)
            named.append(ours and name not in common and not is_common(launch.name or ""))
            shapes.append(_ABSENT if launch.shape is None or named[-1] else launch.shape)
        sizes = np.array(shapes, dtype=np.int64).reshape(-1, len(_ABSENT))
        return Word(
            number=number,
            letters=np.array(letters, dtype=np.int64),
            shape=_mixed(sizes),
            generated=np.array(generated, dtype=bool),
            named=np.array(named, dtype=bool),
        )


_ABSENT: Shape = (NONE,) * 6


def _mixed(sizes: Int) -> Int:
    # Six sizes in one number: overflow only mixes them further.
    mixed = (sizes.astype(np.int64) * _MIXERS).sum(axis=1)
    return np.where((sizes >= 0).all(axis=1), np.abs(mixed), NONE)
