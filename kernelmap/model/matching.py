"""What was paired with what, how, and how sure that is: columns parallel to Launches."""

from __future__ import annotations

from enum import IntEnum
from typing import Self

import numpy as np
from msgspec import Struct

from kernelmap.model.learnt import LearntOrigins
from kernelmap.model.source import FunctionPlace
from kernelmap.model.trace import Bool, Int, Small


class Confidence(IntEnum):
    """How sure it is which call a launch belongs to, strongest first; tables write lower case."""

    EXACT = 0
    INFERRED = 1
    AMBIGUOUS = 2
    OUTSIDE = 3
    UNKNOWN = 4


class Method(IntEnum):
    """What decided a row; NONE for rows that nothing decided."""

    NONE = 0
    RANGE = 1
    KERNEL_HASH = 2
    DEVICE_NAME = 3
    CANDIDATES = 4
    ALIGNMENT = 5
    CAPTURE = 6
    MARK = 7
    RECORDED_NODE = 8
    RECORDED_ORDER = 9
    TRANSFER = 10


class Reason(IntEnum):
    """Why a launch belongs to no call, or why several calls stand."""

    NONE = 0
    EAGER = 1
    AUTOTUNE = 2
    GLUE = 3
    GRAPH_REPLAY = 4
    NO_HOST_SIDE = 5
    NO_CODE = 6
    COUNT_DIFFERS = 7
    CONDITIONAL = 8
    SEVERAL_GRAPHS = 9
    SAME_NAME = 10
    ORDER_DIFFERS = 11
    NO_RANGE = 12
    RECORDING_END = 13
    BESIDE = 14
    NO_PLACE = 15
    INPUTS = 16


class RunnerUp(Struct, frozen=True):
    """The second best answers for launches that were placed by their order; shape (n,).

    `call` is a position in `CompiledProgram.calls`, -1 for "no call". `margin` is by how much the
    best answer is ahead: the logarithm of the odds times ten, -1 where nothing was compared.
    """

    call: Int
    margin: Int

    @classmethod
    def empty(cls, count: int) -> Self:
        """No comparison for any of `count` launches."""
        return cls(np.full(count, -1, dtype=np.int64), np.full(count, -1, dtype=np.int64))


class Matching(Struct, frozen=True, kw_only=True):
    """Columns parallel to `Launches`.

    `call` is a position in `CompiledProgram.calls` (-1: none), `invocation` counts per process and
    graph from 0 (-1: none), `call_range` is the host range that stands for the call or the
    outermost operator (-1: none). Row i of an ambiguous launch names the calls
    `candidates[candidate_start[i]:candidate_start[i + 1]]`; other rows name none. `runner_up` is
    None where nothing was placed by its order, `learnt` where a reference run shows of no launch
    from which eager work it came.
    """

    call: Int
    invocation: Int
    method: Small
    confidence: Small
    reason: Small
    call_range: Int
    candidate_start: Int
    candidates: Int
    runner_up: RunnerUp | None = None
    learnt: LearntOrigins | None = None

    def candidates_of(self, row: int) -> tuple[int, ...]:
        """Positions in `CompiledProgram.calls` that stand for one ambiguous launch."""
        start, stop = self.candidate_start[row], self.candidate_start[row + 1]
        return tuple(int(call) for call in self.candidates[start:stop])

    def with_confidence(self, confidence: Confidence) -> Bool:
        """Mask of the launches that carry `confidence`; shape (n,)."""
        return np.equal(self.confidence, confidence)


class LaunchPlaces(Struct, frozen=True):
    """The function of the user's code that each launch came from, as far as Python frames say.

    `code` (launches,) points into `places`, -1: none. `is_backward` (launches,) marks what autograd
    ran in a backward; its place is that of the forward's operator, where one is known. `module`
    (launches,) points into `modules` in the same way; None where no module is known at all.
    """

    code: Int
    is_backward: Bool
    places: tuple[FunctionPlace, ...] = ()
    module: Int | None = None
    modules: tuple[str, ...] = ()

    @classmethod
    def empty(cls, launches: int) -> LaunchPlaces:
        """Of so many launches, none of which says where it came from."""
        return cls(np.full(launches, -1, dtype=np.int64), np.zeros(launches, dtype=np.bool_))

    def with_origins(self, learnt: LearntOrigins) -> LaunchPlaces:
        """These places, and those that another run shows.

        They go before those of this run: of what a graph replays it shows where that was launched.
        """
        numbers = {place: number for number, place in enumerate(self.places)}
        # The place of each origin by its number, -1 without one; the last is that of no origin.
        of_origin = [
            -1 if origin.place is None else numbers.setdefault(origin.place, len(numbers))
            for origin in learnt.origins
        ]
        place = np.array([*of_origin, -1], dtype=np.int64)[learnt.code]
        backward = np.array([*(o.is_backward for o in learnt.origins), False])[learnt.code]
        new = place >= 0
        modules = dict.fromkeys(o.module for o in learnt.origins if o.module is not None)
        names = tuple(modules)
        of_origin = [-1 if o.module is None else names.index(o.module) for o in learnt.origins]
        return LaunchPlaces(
            np.where(new, place, self.code),
            np.where(new, backward, self.is_backward),
            tuple(numbers),
            np.array([*of_origin, -1], dtype=np.int64)[learnt.code],
            names,
        )


class LaunchInputs(Struct, frozen=True):
    """The tensors that the operator around each launch without a call was handed.

    `code` (launches,) points into `texts`, -1: no shapes were recorded there.
    """

    code: Int
    texts: tuple[str, ...] = ()


class HostMoments(Struct, frozen=True):
    """Times on host threads, all (n,); `process` and `thread` as in the columns of a Trace."""

    process: Int
    thread: Int
    time_ns: Int
