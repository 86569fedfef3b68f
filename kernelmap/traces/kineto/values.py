"""The values of Kineto's fields, whatever their spelling → columns: kinds, ids, extents, details.

Names, processes and threads are numbered as they are first met, so it does not matter which reader
took which stretch. Threads that are no numbers get numbers below -1.

Ids are integers, in some files strings; 0 and absent mean "none" and become -1, and so do ids that
no int64 can hold. Extents (grid, block) are lists, in some files the string "grid(100,)".

The category of an event says what becomes of it; every spelling since torch 1.8 is listed. What ran
on accelerators that are no GPU is counted by device. One letter beside a category that is listed
is a category that nobody writes: such an event is unclear, and counted. All other categories
(source frames, flow arrows, GPU annotations) are left out silently.

What Inductor exports with the ranges of its kernels becomes one record per different content, and a
number per event. What torch itself writes there (shapes, sequence numbers) is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import IntEnum
from operator import attrgetter, ne

import msgspec
import numpy as np
from msgspec import Struct

from kernelmap.facts.frames import FrameRole, frame_role
from kernelmap.model.source import LaunchNote
from kernelmap.model.trace import (
    NONE,
    Activity,
    Bool,
    Int,
    RangeDetail,
    RangeKind,
)
from kernelmap.traces.columns import Numbers, are_times
from kernelmap.traces.kineto.events import Extent, KinetoEvent, Scalar

TABLES = ("ranges", "apis", "launches", "frames", "functions")
_LARGEST = 2**63 - 1
_DIGITS = 40  # of a number in quotes; what has more is too large, whatever it is
_ALL_ONES_32 = 2**32 - 1
# Profilers write an absent id, -1 in C, as an unsigned number of 32 or 64 bits.
_ALL_ONES = (2**64 - 1, _ALL_ONES_32)
_NUMBER = re.compile(r"\d+")
_DIMENSIONS = 3
EXPORTED = (
    "kernel_file",
    "kernel_hash",
    "kernel_kwargs",
    "kernel_backend",
    "num_warps",
    "num_stages",
)
EXPORTED_FIELDS = attrgetter(*EXPORTED)
NOTED = (
    "stack",
    "annotation",
    "name",
    "module_fqn",
    "autograd_phase",
    "copy_kind",
    "src_kind",
    "dst_kind",
    "memory_kind",
)
"""What torch's own tools and its second backend write beside a launch: see notes.py."""
NOTED_FIELDS = attrgetter(*NOTED)
_NOTHING = RangeDetail()


def id_of(value: Scalar) -> int | None:
    """The id that a field holds, -1 for none; None where no int64 holds it.

    >>> id_of("12"), id_of("Spans"), id_of(2**64 - 1), id_of(2**63)
    (12, -1, -1, None)
    """
    number = _integer(value)
    if number is None or number in _ALL_ONES:
        return NONE
    return max(number, NONE) if number <= _LARGEST else None


def bounded(column: Int, *, lowest: int = 1) -> Int:
    """Ids (n,), -1 for what is below `lowest` or has all bits set."""
    if len(column) > 1 and not column.strides[0]:  # one number in all rows: nothing is there
        return np.full(len(column), bounded(column[:1], lowest=lowest)[0])
    # Mostly all are ids: the least and the largest say so in a third of the time.
    if len(column) and column.min() >= lowest and column.max() < _ALL_ONES_32:
        return column
    return np.where((column >= lowest) & (column != _ALL_ONES_32), column, NONE)


def whole(value: Scalar) -> int | None:
    """The integer that a field holds, None where it holds none of 64 bits.

    >>> whole("12"), whole(7.0), whole("Spans"), whole(True), whole(2.0**63)
    (12, 7, None, None, None)
    """
    number = _integer(value)
    return number if number is not None and -_LARGEST <= number <= _LARGEST else None


def _integer(value: Scalar) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdecimal():
        return int(value) if len(value) <= _DIGITS else _LARGEST + 1
    return None


def text(value: Scalar) -> str | None:
    """The string that a field holds; None for anything else and for nothing."""
    return value if isinstance(value, str) and value else None


def extent(value: Extent) -> list[int]:
    """A grid or block size, three numbers; -1 where absent.

    >>> extent([8, 1, 1]), extent("grid(100,)"), extent(None)
    ([8, 1, 1], [100, 1, 1], [-1, -1, -1])
    """
    if isinstance(value, str):
        numbers = list(map(whole, _NUMBER.findall(value)))
    elif isinstance(value, list):
        numbers = [whole(size) for size in value]
    else:
        numbers = [whole(value)]
    if not 0 < len(numbers) <= _DIMENSIONS:
        return [NONE] * _DIMENSIONS
    sizes = [NONE if number is None else number for number in numbers]
    # Half a size is none.
    if NONE in sizes:
        return [NONE] * _DIMENSIONS
    # "grid(100,)" has one dimension; the others are 1.
    return sizes + [1] * (_DIMENSIONS - len(sizes))


class EventKind(IntEnum):
    """The columns that an event goes to."""

    # Above NOTHING stands what has a table, below it what is left out and may have to be counted.
    UNSTATED = -3
    UNCLEAR = -2
    OTHER_DEVICE = -1
    NOTHING = 0
    OP = 1
    ANNOTATION = 2
    API = 3
    FRAME = 4
    KERNEL = 5
    MEMCPY = 6
    MEMSET = 7
    GRAPH = 8


_CATEGORIES = {
    "cpu_op": EventKind.OP,
    "operator": EventKind.OP,
    "user_annotation": EventKind.ANNOTATION,
    "cuda_runtime": EventKind.API,
    "cuda_driver": EventKind.API,
    "runtime": EventKind.API,
    "hip_runtime": EventKind.API,
    "hip_driver": EventKind.API,
    "xpu_runtime": EventKind.API,
    "xpu_driver": EventKind.API,
    "mtia_runtime": EventKind.API,
    "privateuse1_runtime": EventKind.API,
    "privateuse1_driver": EventKind.API,
    "python_function": EventKind.FRAME,
    "kernel": EventKind.KERNEL,
    "concurrent_kernel": EventKind.KERNEL,
    "gpu_memcpy": EventKind.MEMCPY,
    "memcpy": EventKind.MEMCPY,
    "gpu_memset": EventKind.MEMSET,
    "memset": EventKind.MEMSET,
    "cuda_graph": EventKind.GRAPH,  # ours: see chrome_trace
}

OTHER_DEVICES = {
    "mtia_ccp_events": "MTIA",
    "mtia_insight": "MTIA",
    "mtia_workloadd": "MTIA",
    "hpu_op": "HPU",
    "glow_runtime": "Glow",
}
"""What ran on accelerators that are no GPU, by category: what they are called."""

ACTIVITY = {
    int(EventKind.KERNEL): Activity.KERNEL,
    int(EventKind.MEMCPY): Activity.MEMCPY,
    int(EventKind.MEMSET): Activity.MEMSET,
    int(EventKind.GRAPH): Activity.GRAPH,
}


class Kinds(dict[Scalar, int]):
    """Kind by category as written; old files capitalize, so a new spelling is looked at once."""

    def __missing__(self, category: Scalar) -> int:
        kind = self[category] = int(
            EventKind.UNSTATED if category is None else _kind(str(category))
        )
        return kind

    def of_event(self, event: KinetoEvent) -> int:
        """Kind of an event; one that is no complete one, though it has a duration, is unclear."""
        if event.ph == "X":
            return self[event.cat]
        is_unclear = event.has_duration and self[event.cat] > EventKind.NOTHING
        return EventKind.UNCLEAR if is_unclear else EventKind.NOTHING


def unclear(event: KinetoEvent) -> str | None:
    """What hides the kind of an event that is UNCLEAR or UNSTATED; None where it may have none.

    Who leaves out categories writes no ids: an event with ids had a category.
    """
    if event.ph != "X":
        return f"phase {event.ph!r}"
    if event.cat is not None:
        return f"category {event.cat!r}"
    args = event.args
    ids = () if args is None else (args.correlation, args.external)
    return "no category" if any((whole(number) or NONE) > NONE for number in ids) else None


def _kind(category: str) -> EventKind:
    spelled = category.lower()
    if spelled in OTHER_DEVICES:
        return EventKind.OTHER_DEVICE
    # A damaged byte may turn "kernel" into "kernem": that is no other category, but a lost launch.
    nearly = (
        EventKind.UNCLEAR
        if any(_is_beside(spelled, known_category) for known_category in _CATEGORIES)
        else None
    )
    return _CATEGORIES.get(spelled, nearly or EventKind.NOTHING)


def _is_beside(word: str, other: str) -> bool:
    """Whether two words differ in one letter."""
    return len(word) == len(other) and sum(map(ne, word, other)) == 1


class Details:
    """The different records so far."""

    def __init__(self) -> None:
        self._numbers: Numbers[RangeDetail] = Numbers()
        self._number_of: dict[tuple[Scalar, ...], int] = {}

    @property
    def all(self) -> tuple[RangeDetail, ...]:
        """The records in the order of their numbers."""
        return tuple(self._numbers)

    def number(self, fields: tuple[Scalar, ...]) -> int:
        """The number of the record with these fields, in the order of EXPORTED; -1 for none."""
        # Equal fields are the rule, so the record is made once; a record without any value is none.
        if fields not in self._number_of:
            detail = _detail(fields)
            self._number_of[fields] = NONE if detail == _NOTHING else self._numbers[detail]
        return self._number_of[fields]


def _detail(fields: tuple[Scalar, ...]) -> RangeDetail:
    file, content, kwargs, backend, warps, stages = fields
    return RangeDetail(
        kernel_file=text(file),
        kernel_hash=text(content),
        kernel_kwargs=text(kwargs),
        backend=text(backend),
        num_warps=whole(warps),
        num_stages=whole(stages),
    )


class LeftOut(Struct):
    """Counts of what could be read and not be used."""

    without_time: int = 0
    too_large: int = 0
    other_devices: Counter[str] = msgspec.field(default_factory=Counter)
    unclear: Counter[str] = msgspec.field(default_factory=Counter)

    def add(self, other: LeftOut) -> None:
        """Count what `other` counts, too."""
        self.without_time += other.without_time
        self.too_large += other.too_large
        self.other_devices += other.other_devices
        self.unclear += other.unclear


class Met:
    """Numbers of what was met, and counts of what was left out."""

    def __init__(self) -> None:
        self.left_out = LeftOut()
        self.names: dict[str, Numbers[Scalar]] = {table: Numbers() for table in TABLES}
        self.device_names: Numbers[Scalar] = Numbers()
        self.pids: Numbers[str] = Numbers()
        self.frame_pids: Numbers[str] = Numbers()
        self.details = Details()
        self.notes: Numbers[LaunchNote] = Numbers()
        self._threads: Numbers[str] = Numbers()
        self._roles: dict[Scalar, bool] = {}

    def timed(self, start_ns: Int, dur_ns: Int) -> Bool:
        """Mask of the events that have a usable time and duration; counts the others; (n,)."""
        good = are_times(start_ns, dur_ns)
        self.left_out.without_time += len(good) - int(good.sum())
        return good

    def thread(self, name: str) -> int:
        """The number of a thread that has none."""
        # Numbers of threads are never below -1, so these collide with none.
        return -2 - self._threads[name]

    def has_role(self, name: Scalar) -> bool:
        """Whether a source frame says whose work lies below it."""
        if name not in self._roles:
            self._roles[name] = frame_role(str(name)) is not FrameRole.NONE
        return self._roles[name]


def range_kinds(kind: Int) -> Int:
    """Kinds of events → kinds of ranges, (n,)."""
    return np.where(kind == EventKind.OP, RangeKind.OP, RangeKind.ANNOTATION)
