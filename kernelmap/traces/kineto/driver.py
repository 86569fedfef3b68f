"""The version of the GPU's driver, as the head of a profile of torch.profiler states it.

Kineto writes it before the events, as the number that the driver gives: 13000 is 13.0 of CUDA,
71460850 is 7.14.60850 of HIP. The profile is not read further.
"""

from __future__ import annotations

import re
from pathlib import Path

from kernelmap.model.unpacked import first_unpacked

_HEAD_BYTES = 64 * 1024
"""Properties of some ten devices are 4 kB; the events begin long before. Chosen."""
_EVENTS = b'"traceEvents"'
_STATED = re.compile(rb'"(cuda|hip)_driver_version"\s*:\s*(\d{4,9})\b')


def read_driver(profile: Path) -> str | None:
    """The version; None where the file does not state one."""
    head, *_ = first_unpacked(profile, _HEAD_BYTES).partition(_EVENTS)
    if not head.lstrip().startswith(b"{"):
        return None
    stated = _STATED.search(head)
    if stated is None:
        return None
    number = int(stated[2])
    if stated[1] == b"cuda":
        return f"{number // 1000}.{number % 1000 // 10}"
    major, rest = divmod(number, 10**7)
    return f"{major}.{rest // 10**5}.{rest % 10**5}"
