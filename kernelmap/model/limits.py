"""What one input may ask of memory: every limit stands here, with what it holds back.

A small file can ask for much: packed text of one letter, a table that claims millions of rows. A
limit makes that an error before the memory is taken. Honest input stays far below; where it does
not, the environment variable KERNELMAP_LIMITS lifts all limits: a number multiplies them (4; 0.5
lowers them), `off` takes them away. Left out: what a file that is as large as it looks takes, which
grows with its size.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike

from kernelmap.errors import KernelmapError, TooLargeError, UsageError

VARIABLE = "KERNELMAP_LIMITS"
_OFF = "off"
_MIB = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """At most `most` of `unit`; `of` says of what, to follow a number and the unit."""

    name: str
    most: int
    unit: str
    of: str

    def now(self) -> int | None:
        """The limit as the environment sets it, None for no limit. Raises UsageError."""
        times = _times(os.environ)
        return None if math.isinf(times) else int(self.most * times)

    def exceeded(self, amount: int) -> bool:
        """Whether `amount` is more than may be."""
        most = self.now()
        return most is not None and amount > most

    def error(self, path: PathLike[str] | str) -> KernelmapError:
        """What to say of the input at `path`, which goes beyond."""
        return TooLargeError(self.reason).of(path)

    def check(self, amount: int, path: PathLike[str] | str) -> None:
        """Raise KernelmapError where `amount` is more than may be."""
        if self.exceeded(amount):
            raise self.error(path)

    @property
    def reason(self) -> str:
        """The limit in words, as an error says it."""
        return f"it goes beyond {self.now():,} {self.unit} {self.of}"


FILE = Limit(
    name="file",
    most=128 * _MIB,
    unit="bytes",
    of="of a file that is read as a whole (code, C++, JSON beside code, locks, settings)",
)
RESULT = Limit(
    name="result",
    most=1024 * _MIB,
    unit="bytes",
    of="of a saved result",
)
ROWS = Limit(
    name="rows",
    most=2_000_000,
    unit="launches",
    of="that a table of sums stands for",
)
UNPACKED = Limit(
    name="unpacked",
    most=256 * _MIB,
    unit="bytes",
    of="unpacked, with more than 200 bytes for each packed one",
)
SIGNS = Limit(
    name="signs",
    most=1_000_000,
    unit="signs",
    of="(brackets, commas, operators, lines) of one text of Python, outside of long texts in it",
)
TOKENS = Limit(
    name="tokens",
    most=3_000_000,
    unit="tokens",
    of="(names, numbers, signs) of one text of C++",
)
MEMBERS = Limit(
    name="members",
    most=100_000,
    unit="members",
    of="of a package",
)
MEMBER = Limit(
    name="member",
    most=64 * _MIB,
    unit="bytes",
    of="of one member of a package; more is left out, with a notice",
)
PACKAGE = Limit(
    name="package",
    most=512 * _MIB,
    unit="bytes",
    of="of all members of a package that are read; more is left out, with a notice",
)
LIMITS = (FILE, RESULT, SIGNS, TOKENS, ROWS, UNPACKED, MEMBERS, MEMBER, PACKAGE)
"""All limits, as docs/limits.md lists them."""

RATIO = 200
"""Bytes that one packed byte of honest input becomes at most: traces have 10 to 60 of them."""


def unpacked_too_far(packed: int, unpacked: int) -> bool:
    """Whether so many packed bytes gave more than any honest input has in them."""
    return unpacked > RATIO * packed and UNPACKED.exceeded(unpacked)


def _times(environment: Mapping[str, str]) -> float:
    """What all limits are multiplied with."""
    text = environment.get(VARIABLE, "").strip()
    if not text:
        return 1.0
    if text == _OFF:
        return math.inf
    try:
        times = float(text)
    except ValueError:
        times = 0.0
    if not 0 < times < math.inf:
        raise UsageError(
            "wrong-limits",
            f"{VARIABLE} is {text!r}, which is no positive number and not {_OFF!r}",
            f"Set it to 4 to allow four times as much, or to {_OFF} for input that you trust.",
        )
    return times
