"""What the readers of events number and count over all stretches of a Kineto file.

Names, processes and threads are numbered as they are first met, so it does not matter which reader
took which stretch. Threads that are no numbers get numbers below -1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from kernelmap.model.names import FrameRole, frame_role
from kernelmap.model.trace import NONE, Bool, Int, RangeKind
from kernelmap.traces.columns import Numbers, are_times
from kernelmap.traces.kineto_events import Scalar
from kernelmap.traces.kineto_values import Details, Ids, Kind, whole

TABLES = ("ranges", "apis", "launches", "frames", "functions")


class Met:
    """Numbers of what was met, and counts of what was left out."""

    def __init__(self) -> None:
        self.ids = Ids()
        self.without_time = 0
        self.other_devices: Counter[str] = Counter()
        self.unclear: Counter[str] = Counter()
        self.names: dict[str, Numbers[Scalar]] = {table: Numbers() for table in TABLES}
        self.device_names: Numbers[Scalar] = Numbers()
        self.pids: Numbers[str] = Numbers()
        self.frame_pids: Numbers[str] = Numbers()
        self.details = Details()
        self._threads: Numbers[str] = Numbers()
        self._roles: dict[Scalar, bool] = {}

    def timed(self, start_ns: Int, dur_ns: Int) -> Bool:
        """Mask of the events that have a usable time and duration; counts the others; (n,)."""
        good = are_times(start_ns, dur_ns)
        self.without_time += len(good) - int(good.sum())
        return good

    def thread(self, name: str) -> int:
        """The number of a thread that has none."""
        return -2 - self._threads[name]

    def has_role(self, name: Scalar) -> bool:
        """Whether a source frame says whose work lies below it."""
        if name not in self._roles:
            self._roles[name] = frame_role(str(name)) is not FrameRole.NONE
        return self._roles[name]


def range_kinds(kind: Int) -> Int:
    """Kinds of events → kinds of ranges, (n,)."""
    return np.where(kind == Kind.OP, RangeKind.OP, RangeKind.ANNOTATION)


def filled(column: Int, track: Iterable[Scalar]) -> Int:
    """`column`, with the number of the event's track where it is absent; (n,)."""
    if (column >= 0).all():
        return column
    numbers = map(whole, track)
    instead = [number if number is not None and number >= 0 else NONE for number in numbers]
    return np.where(column >= 0, column, np.array(instead, dtype=np.int64))
