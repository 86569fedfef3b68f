"""Whether the parts that are written in C may run: `KERNELMAP_NO_NATIVE=1` leaves all to Python."""

from __future__ import annotations

import os

SWITCH = "KERNELMAP_NO_NATIVE"
_OFF = ("", "0")


def is_wanted() -> bool:
    """Whether nothing turns off what was built in C."""
    return os.environ.get(SWITCH, "") in _OFF
