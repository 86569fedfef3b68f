"""The work of a call: the bytes it moves and the floating-point operations it computes.

Work is a property of the code: it says what one execution of a call must do, never how long that
took. What the code does not state is None, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Precision(StrEnum):
    """How a stated number relates to the true one."""

    EXACT = "exact"
    AT_MOST = "at most"


@dataclass(frozen=True, slots=True)
class Amount:
    """A whole number that lies between `least` and `most`.

    >>> Amount(8, 8) + Amount(0, 4), Amount.exactly(3) * 4
    (Amount(least=8, most=12), Amount(least=12, most=12))
    """

    least: int
    most: int

    @classmethod
    def exactly(cls, number: int) -> Amount:
        """An amount without doubt."""
        return cls(number, number)

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.least + other.least, self.most + other.most)

    def __mul__(self, factor: int) -> Amount:
        return Amount(self.least * factor, self.most * factor)

    @property
    def precision(self) -> Precision:
        """How `most`, the number that tables show, relates to the true one."""
        return Precision.EXACT if self.least == self.most else Precision.AT_MOST


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """The bytes that one execution reads from a tensor or writes to it, by the wrapper's name."""

    name: str
    written: bool
    bytes: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What one execution of a call does.

    `operands` has every tensor once that is read, and once that is written; None where the bytes of
    one are not known. `flops` are floating-point operations; a multiply-add is two. `dtype` is
    torch's name of the type that the arithmetic runs in. `reason` says why something is None.
    """

    operands: tuple[Operand, ...] | None = None
    flops: int | None = None
    dtype: str | None = None
    reason: str | None = None

    @property
    def bytes(self) -> Amount | None:
        """The bytes of all operands, None where they are not known."""
        if self.operands is None:
            return None
        return sum((operand.bytes for operand in self.operands), Amount.exactly(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Intermediate:
    """A value in memory that one generated kernel writes and later ones read.

    `writer` and the calls of `loads` are positions in `CompiledProgram.calls`. `stored` are the
    bytes that one execution of the writer stores, `loads` pairs each reader with the bytes that one
    execution of it loads. `kept` says what else needs the value in memory, None where nothing does:
    only then would a fusion save the store.
    """

    name: str
    writer: int
    stored: int
    loads: tuple[tuple[int, int], ...]
    kept: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """A call of a generated kernel that only copies one tensor to another.

    `call` is a position in `CompiledProgram.calls`, `elements` how many one execution copies.
    `dtypes` are torch's names of what it loads and what it stores, `reorders` says whether the
    elements come to lie in another order, or at other distances.
    """

    call: int
    source: str
    target: str
    elements: int
    dtypes: tuple[str, str]
    reorders: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeEvidence:
    """What the generated code says of why calls take their time.

    `processors` is how many multiprocessors the GPU has that it was compiled for, None where no
    kernel states it; where kernels differ, the fewest.
    """

    intermediates: tuple[Intermediate, ...] = ()
    copies: tuple[Copy, ...] = ()
    processors: int | None = None
