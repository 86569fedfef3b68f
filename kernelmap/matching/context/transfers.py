"""What a trace was taught by other runs, and where that was recognized (matching/references/).

Explanations and notices read it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernelmap.matching.context.learnt_code import Lesson, lessons_for
from kernelmap.model import CompiledProgram
from kernelmap.model.learnt import Learnt
from kernelmap.model.trace import Int

OWN = "this profile"
"""The source of what a trace teaches about itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Launches that are a lesson: `rows` (times, launches), -1 where one of the times lacks it.

    `lessons` are numbers of all lessons that fit, the first is the one that is told of. `first` and
    `last` (launches,) are the earliest and the latest place of each in that lesson, `calls` all
    calls that it may belong to.
    """

    rows: Int
    lessons: tuple[int, ...]
    first: Int
    last: Int
    calls: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlike:
    """Launches that resemble a lesson and are not it.

    `where` names them; `agree` of their `launches` stand as in the lesson, which has `learnt`.
    `place` is the first that differs, counted from 0, where `shown` ran and not `expected` (None:
    nothing, on either side).
    """

    lesson: int
    where: str
    launches: int
    learnt: int
    agree: int
    place: int
    shown: str | None
    expected: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfers:
    """Lessons, and what became of them.

    `missing` are graphs by the run that teaches them, whose code the program does not have.
    `needed` says whether there were launches that no host side decides.
    """

    lessons: tuple[Lesson, ...] = ()
    sources: tuple[str, ...] = ()
    missing: tuple[tuple[str, tuple[str, ...]], ...] = ()
    found: tuple[Found, ...] = ()
    unlike: tuple[Unlike, ...] = ()
    needed: bool = False

    @classmethod
    def of(cls, learnt: Sequence[Learnt], program: CompiledProgram) -> Transfers:
        """What `learnt` teaches about `program`, in an order of its own."""
        lessons: list[Lesson] = []
        missing = []
        for each in sorted(learnt, key=lambda one: one.source):
            own, without = lessons_for(each, program)
            lessons.extend(own)
            missing.extend([(each.source, without)] if without else [])
        return cls(
            lessons=tuple(lessons),
            sources=tuple(sorted(each.source for each in learnt)),
            missing=tuple(missing),
        )

    def told(self, row: int) -> tuple[Found, int] | None:
        """The finding that decided launch `row`, and the position of the launch in it."""
        for found in self.found:
            at = np.flatnonzero((found.rows == row).any(axis=0))
            if len(at):
                return found, int(at[0])
        return None

    def used(self) -> set[int]:
        """Numbers of the lessons that were found."""
        return {number for found in self.found for number in found.lessons}
