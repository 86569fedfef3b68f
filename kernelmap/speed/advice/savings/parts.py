"""A step's time cut into parts, each of which one change could save: columns that savings add up.

No two parts share a nanosecond of one device, so what is added up of them is never more than the
steps took. Parts are idle time (idle.py), and busy time in which copies, communication or eager
work keep a step waiting (busy.py); what calls could save is held to what is left (find.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from kernelmap.model.trace import Bool, Int


class StepParts(Struct, frozen=True):
    """Parts of the time of steps, all (n,).

    `lever` is a position in LEVERS. `what` and `source` number the texts of an operator, event or
    call, and of its line; -1 for none. `call` is a position in the program's calls, `launch` a row
    of the trace, -1 for none. `is_busy` marks time in which the device works.
    """

    lever: Int
    time_ns: Int
    what: Int
    source: Int
    call: Int
    launch: Int
    is_busy: Bool

    def take_parts(self, rows: Int) -> StepParts:
        """The chosen parts."""
        return StepParts(*(getattr(self, name)[rows] for name in self.__struct_fields__))


def joined_parts(several: Sequence[StepParts]) -> StepParts:
    """All parts, one after another."""
    names = StepParts.__struct_fields__
    return StepParts(*(np.concatenate([getattr(it, name) for it in several]) for name in names))
