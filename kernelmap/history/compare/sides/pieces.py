"""Records of what calls compute (Piece) and which belong together (Group), and their words.

A `Piece` is what one call computes, a `Group` is calls that belong together, a `Witness` what
paired them. Two groups held against each other give short texts (`relu became gelu`), None where
both sides say the same. Operators are those of the user's model where the code lists them, else the
targets of the nodes. Left out: views, and casts, which a change of dtype brings with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from kernelmap.attribution.alias_ops import ALIAS_OPS
from kernelmap.model.notices import join_some

# The type at the end of a part: the dtype and the shape of `f32[8, 16]`.
_TYPE = re.compile(r"(?<!\w)(\w++)(\[[^\[\]]*+\])$")
_DTYPES = {
    "f64": "fp64",
    "f32": "fp32",
    "f16": "fp16",
    "float64": "fp64",
    "float32": "fp32",
    "float16": "fp16",
    "bfloat16": "bf16",
    "int64": "i64",
    "int32": "i32",
    "int16": "i16",
    "int8": "i8",
    "uint8": "u8",
    "bool": "b8",
}
_CASTS = ("aten._to_copy", "prims.convert_element_type")


class Witness(StrEnum):
    """What paired calls, strongest first.

    `ORDER`: several compute the same, as many on both sides, and the k-th is taken for the k-th.
    `PLACE`: nothing but the calls before and after them, and the type of what they give.
    `AMONG`: they are not as many on both sides, and nothing but their order identifies them.
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


class Piece(Struct, frozen=True, kw_only=True):
    """What one call computes; `fingerprint` is None where only a trace has it.

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


class Group(Struct, frozen=True, kw_only=True):
    """Positions of calls that belong together; `same` where they have one fingerprint.

    `witness` is the weakest that holds the group together; of a call that stands alone, what
    separates it from equal ones that are paired, None where there are none.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    same: bool = False
    witness: Witness | None = None


Pieces = Sequence[Piece]


def ops_words(before: Pieces, after: Pieces) -> str | None:
    """The operators that went and came: `relu became gelu`, `with gelu`, `without relu`."""
    # The operators that calls list; only where these are alike, the targets of their nodes.
    for read in (_list_operators, _list_targets):
        went, came = _only_on_one_side(Counter(read(before)), Counter(read(after)))
        if went and came:
            return f"{join_some(went)} became {join_some(came)}"
        if went or came:
            return f"without {join_some(went)}" if went else f"with {join_some(came)}"
    return None


def type_words(before: Pieces, after: Pieces) -> str | None:
    """The dtypes, else the shapes, that went and came: `bf16 became fp32`."""
    # Dtype and shape of each node that states them.
    types = [
        [stated for part in _parts_of(side) if (stated := _type_of_part(part))]
        for side in (before, after)
    ]
    # Dtypes first: a change of shapes is told where the dtypes are alike.
    for at in (0, 1):
        went, came = _only_on_one_side(*(Counter(pair[at] for pair in side) for side in types))
        if went and came:
            return f"{join_some(went)} became {join_some(came)}"
    return None


def has_types(pieces: Pieces) -> bool:
    """Whether the code says the type of anything that they compute."""
    return any(_type_of_part(part) for part in _parts_of(pieces))


def result_type(piece: Piece) -> tuple[str, str] | None:
    """Dtype and shape of the last node."""
    return _type_of_part(piece.parts[-1]) if piece.parts else None


def _list_operators(pieces: Pieces) -> list[str]:
    """The operators that the calls list, each once a call."""
    return [_bare_name(op) for piece in pieces for op in sorted(set(piece.ops)) if _is_work(op)]


def _list_targets(pieces: Pieces) -> list[str]:
    # `aten.mul` of `aten.mul.Tensor f32[8]`.
    bases = [".".join(part.partition(" ")[0].split(".")[:2]) for part in _parts_of(pieces)]
    return [_bare_name(base) for base in bases if _is_work(base)]


def _parts_of(pieces: Pieces) -> list[str]:
    return [part for piece in pieces for part in piece.parts]


def _is_work(op: str) -> bool:
    return op not in ALIAS_OPS and op not in _CASTS


def _bare_name(op: str) -> str:
    """`relu` of `aten.relu`."""
    return op.removeprefix("aten.").removeprefix("prims.")


def _type_of_part(part: str) -> tuple[str, str] | None:
    match = _TYPE.search(part.partition(" ")[2])
    return (_DTYPES.get(match[1], match[1]), match[2]) if match else None


def _only_on_one_side(before: Counter[str], after: Counter[str]) -> tuple[list[str], list[str]]:
    """What only one side has, or has more of; in the order of the code."""
    return list((before - after).keys()), list((after - before).keys())
