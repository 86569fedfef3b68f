"""What the wall time of a step consists of: parts, causes of idleness, one record per table row.

The parts of a step on one device add up to the step, to the nanosecond.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum, StrEnum

import numpy as np
from msgspec import Struct

from kernelmap.model.trace import Int


class StepPart(StrEnum):
    """What a device does. COMMUNICATION and COPY are exposed: nothing computes beside them."""

    COMPUTING = "computing"
    COMMUNICATION = "communication"
    COPY = "copy"
    IDLE = "idle"


PARTS = tuple(StepPart)
"""A moment has the first of these that something on the device does."""


class IdleCause(IntEnum):
    """Why a device is idle; of what one thread has open at a time, the highest counts.

    NOTHING is no cause: the thread has no event open. HOST_WORK: an operator that launches nothing.
    """

    NOTHING = 0
    HOST_WORK = 1
    UNKNOWN = 2
    WAITING = 3
    LAUNCHING = 4
    GRAPH_BREAK = 5
    GUARDS = 6
    SYNCHRONIZATION = 7
    LOADING_DATA = 8
    COMPILING = 9

    @property
    def word(self) -> str:
        """How tables spell it."""
        return _WORDS[self]


SAID = tuple(
    IdleCause.UNKNOWN if it in (IdleCause.NOTHING, IdleCause.HOST_WORK) else it for it in IdleCause
)
"""The cause that tables say for each one: two of them have no word of their own."""
_WORDS = tuple(cause.name.lower().replace("_", "-") for cause in SAID)


class Remark(StrEnum):
    """What is said of idleness where no event of the host shows it."""

    CAPTURE = "recording a CUDA graph"
    NO_EVENT = "no event of the host"
    NO_API_CALL = "the launch that ends it has no api call"
    NO_HOST = "the host side is not recorded"
    AT_END = "nothing is launched after it"
    FIRST = "queued: what ran before it is not recorded"
    IN_GRAPH = "queued in the same CUDA graph"
    SAME_STREAM = "queued on the same stream"
    OTHER_STREAM = "queued behind another stream"
    OTHER_DEVICE = "another device works"


REMARKS = tuple(Remark)


class DeviceStep(Struct, frozen=True, kw_only=True):
    """A step on a device, or the whole window where `step` is None.

    `device` is its number among all devices of the trace, `id` the profiler's. `process` is the one
    whose steps these are; with `on_cpu` its threads are the device.
    """

    device: int
    id: int
    process: int
    step: int | None
    start_ns: int
    end_ns: int
    on_cpu: bool = False


class Pieces(Struct, frozen=True):
    """Stretches of steps, all (n,), that follow one another without gap or overlap in each step.

    `step` points into the steps, `part` into PARTS. Of idle ones `cause` is a Cause, `event` the
    host event that shows it (a row of Ranges, or of ApiCalls behind all of those, or of REMARKS
    behind all of these), and `launch` the launch that ended the idleness; -1 elsewhere.
    """

    step: Int
    part: Int
    start_ns: Int
    end_ns: Int
    cause: Int
    event: Int
    launch: Int


class IdleTable(Struct, frozen=True):
    """When the devices of a window were idle in its steps, and why; all (n,), rows never overlap.

    It is the one answer to that: the wall time, the reasons of a roofline and the gaps of a fleet
    are sums over its rows. `device` is a number among all devices of the trace, `step` points into
    the steps. Each row has one `cause` that tables spell, and the `event` that shows it and the
    `launch` that ended the idleness as Pieces have them. Its call is that of the launch, and its
    line is found by `speed/wall/texts.py`, for only the wall time shows it.
    """

    device: Int
    step: Int
    start_ns: Int
    end_ns: Int
    cause: Int
    event: Int
    launch: Int

    @property
    def time_ns(self) -> Int:
        """How long each row lasts; (n,)."""
        return self.end_ns - self.start_ns

    @property
    def total_ns(self) -> int:
        """How long all rows last."""
        return int(self.time_ns.sum())

    def of_causes(self, *causes: IdleCause) -> IdleTable:
        """The rows that have one of `causes`."""
        rows = np.isin(self.cause, causes)
        return IdleTable(*(getattr(self, name)[rows] for name in self.__struct_fields__))


class WallTime(Struct, frozen=True, kw_only=True):
    """A row: the time of one step on one device that has one part, cause, event and source line.

    `stretches` counts its pieces, `longest_ns` and `longest_start_ns` are of the longest.
    `what` names the host event, or the call that the device waited for.
    """

    step: DeviceStep
    part: StepPart
    cause: IdleCause | None
    what: str | None
    source: str | None
    stretches: int
    time_ns: int
    longest_ns: int
    longest_start_ns: int


class WallTimes(Struct, frozen=True, kw_only=True):
    """The same rows as columns, all (n,): `step` points into `steps`, `part` into PARTS.

    `cause` is a Cause, and `what` and `source` point into `texts`; -1 for none.
    """

    steps: tuple[DeviceStep, ...]
    texts: tuple[str, ...]
    step: Int
    part: Int
    cause: Int
    what: Int
    source: Int
    stretches: Int
    time_ns: Int
    longest_ns: Int
    longest_start_ns: Int

    def __iter__(self) -> Iterator[WallTime]:
        """The rows one by one."""
        causes, texts = (*IdleCause, None), (*self.texts, None)  # the last is that of -1
        numbers = (self.step, self.part, self.cause, self.what, self.source)
        counted = (self.stretches, self.time_ns, self.longest_ns, self.longest_start_ns)
        rows = zip(*(column.tolist() for column in (*numbers, *counted)), strict=True)
        for step, part, cause, what, source, stretches, time_ns, longest_ns, begin_ns in rows:
            yield WallTime(
                step=self.steps[step],
                part=PARTS[part],
                cause=causes[cause],
                what=texts[what],
                source=texts[source],
                stretches=stretches,
                time_ns=time_ns,
                longest_ns=longest_ns,
                longest_start_ns=begin_ns,
            )
