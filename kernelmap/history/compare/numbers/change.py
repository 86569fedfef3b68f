"""One change of a comparison: its cause, the calls that it concerns, ns per unit, the evidence."""

from __future__ import annotations

from msgspec import Struct

from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.history.compare.numbers.statistics import TestEvidence
from kernelmap.history.compare.sides.pieces import Witness
from kernelmap.history.compare.sides.side import CallSide, share_of_limit


class Change(Struct, frozen=True, kw_only=True):
    """One cause: whole ns per unit; `before` and `after` are calls, or empty for other time.

    `witness` is what paired the calls, or what separates a call on one side only from others that
    compute the same; None where there is no such other. `interval_ns` is that of the change, ns per
    unit: the 95 % interval of the difference of medians, None without evidence.
    """

    cause: Cause
    what: str
    graph: str | None
    detail: str | None
    before: tuple[CallSide, ...]
    after: tuple[CallSide, ...]
    before_ns: int
    after_ns: int
    change_ns: int
    witness: Witness | None = None
    evidence: TestEvidence | None = None
    interval_ns: tuple[int, int] | None = None

    @property
    def significant(self) -> bool | None:
        """Whether it is more than noise; None where there is too little to test.

        A call that stands on one side only is no matter of chance; time without a call may be, and
        what single runs take beyond the median always may.
        """
        if self.cause is Cause.SPREAD:
            return False
        if self.evidence is not None:
            return self.evidence.significant
        one_sided = bool(self.before_ns) != bool(self.after_ns)
        return True if one_sided and (self.before or self.after) else None

    @property
    def shares_of_limit(self) -> tuple[float | None, float | None]:
        """The share of the device's limit that the calls of both sides reach, None if unknown."""
        return share_of_limit(self.before), share_of_limit(self.after)
