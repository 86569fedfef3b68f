"""What Inductor exports with the ranges of its kernels → records, made once however often seen.

Taken: arguments of events. Given: a number per event, and the records by number. Left out: what
torch itself writes there (shapes, sequence numbers).
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

import numpy as np

from kernelmap.model.trace import NONE, Int, RangeDetail
from kernelmap.traces.growing import Numbers
from kernelmap.traces.kineto_events import Args, Scalar
from kernelmap.traces.kineto_values import text, whole

_EXPORTED = attrgetter(
    "kernel_file",
    "kernel_hash",
    "kernel_kwargs",
    "kernel_backend",
    "num_warps",
    "num_stages",
)
_NOTHING = RangeDetail()


class Details:
    """The different records so far."""

    def __init__(self) -> None:
        self._numbers: Numbers[RangeDetail] = Numbers()
        self._known: dict[tuple[Scalar, ...], int] = {}

    @property
    def all(self) -> tuple[RangeDetail, ...]:
        """The records in the order of their numbers."""
        return tuple(self._numbers)

    def ids(self, args: Sequence[Args]) -> Int:
        """The number of each event's record, -1 where nothing is exported; (n,)."""
        found = [_EXPORTED(each) for each in args]
        # In the order of the file, so that it alone decides the numbers.
        for fields in dict.fromkeys(found):
            if fields not in self._known:
                detail = _detail(fields)
                self._known[fields] = NONE if detail == _NOTHING else self._numbers[detail]
        return np.array([self._known[fields] for fields in found], dtype=np.int64)


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
