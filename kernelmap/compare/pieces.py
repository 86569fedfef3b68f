"""The records of a pairing: what a call computes, calls that belong together, what paired them.

Takes nothing, gives records: what a call computes (`Piece`), calls that belong together (`Group`),
and what paired them (`Witness`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Witness(StrEnum):
    """What paired calls, strongest first.

    `ORDER`: several compute the same, as many on both sides, and the k-th is taken for the k-th.
    `PLACE`: nothing but the calls before and after them, and the type of what they give.
    `AMONG`: they are not as many on both sides, and nothing but their order tells which is which.
    """

    FINGERPRINT = "fingerprint"
    LINE = "fingerprint and source line"
    ORDER = "fingerprint and order"
    AMONG = "order among equal calls"
    NODES_LINE = "nodes and source line"
    NODES = "nodes"
    OPS_LINE = "ops and source line"
    OPS = "ops"
    NAME_LINE = "name and source line"
    NAME = "name"
    PLACE = "place and result"

    @property
    def sure(self) -> bool:
        """Whether other calls could hardly be meant."""
        return self not in (
            Witness.AMONG,
            Witness.OPS,
            Witness.NAME_LINE,
            Witness.NAME,
            Witness.PLACE,
        )

    @property
    def weakness(self) -> int:
        """0 for the strongest."""
        return list(Witness).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What one call computes; `fingerprint` is None where only a trace tells of it.

    `lines` are texts of source lines, which stay when the lines move.
    """

    fingerprint: str | None
    name: str
    parts: tuple[str, ...] = ()
    ops: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What equal calls share: the fingerprint without its count, else the name."""
        return self.name if self.fingerprint is None else self.fingerprint.partition("~")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Positions of calls that belong together; `same` where they have one fingerprint.

    `witness` is the weakest that holds the group together; of a call that stands alone, what told
    it from equal ones that are paired, None where there are none.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    same: bool = False
    witness: Witness | None = None
