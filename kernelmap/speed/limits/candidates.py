"""A reason by itself, and what every reason is made of: the calls that ran and the limits.

A saving is the headroom that the reason explains, or the part of the limit that would fall with it:
bytes that would not have to move, operations that would run faster.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TypeAlias

from msgspec import Struct

from kernelmap.model import CompiledProgram
from kernelmap.model.roofline import CallSpeed, DeviceLimits, Slug
from kernelmap.model.work import Occupancy

SECOND = 10**9  # ns
_FAR = 0.5
"""Of its time is headroom: it runs at less than half of what the device allows. Nearer to the limit
the reasons would explain measuring errors. Chosen."""
SHORT_NS = 5_000
"""An execution that takes no longer is mostly start and end, whatever it does: kernels of one block
take 0.7 to 2.2 µs in the samples of an H200. With less, a small grid is blamed for that; with more,
it is not seen."""


FindOccupancies: TypeAlias = "Callable[[Collection[str]], Mapping[str, Occupancy]]"


def no_occupancies(_: Collection[str]) -> Mapping[str, Occupancy]:
    """What is known of occupancies where no profile states any."""
    return {}


class ReasonCandidate(Struct, frozen=True, kw_only=True):
    """A reason by itself: what it could save of each call, None where no limit says so."""

    slug: Slug
    savings: Mapping[int, int | None]
    bytes: int | None
    evidence: str

    @property
    def total_ns(self) -> int:
        """What it could save of all its calls, as far as that is known."""
        return sum(saving or 0 for saving in self.savings.values())


class KnownSpeeds(Struct, frozen=True):
    """What all reasons need: the calls that ran, by position, and the device's limits.

    `find_occupancies` gives how many warps of the kernels with some names fit on a multiprocessor,
    where a profile states it.
    """

    program: CompiledProgram
    speeds: Mapping[int, CallSpeed]
    limits: DeviceLimits | None
    find_occupancies: FindOccupancies = no_occupancies

    def time_of_moving(self, call: int, size: int) -> int | None:
        """What moving so many bytes takes at the limit, no more than the call took."""
        if self.limits is None:
            return None
        return min(size * SECOND // self.limits.bandwidth, self.speeds[call].time_ns)

    def name_of_call(self, call: int) -> str:
        """How tables call it: the graph and the index."""
        graph, stated = self.program.calls[call]
        return graph.call_id(stated)


def is_far(speed: CallSpeed) -> bool:
    """Whether more than half of a call's time is headroom, in executions that are not short."""
    if speed.headroom_ns is None or not speed.executions:
        return False
    is_short = speed.time_ns <= SHORT_NS * speed.executions
    return speed.headroom_ns > _FAR * speed.time_ns and not is_short
