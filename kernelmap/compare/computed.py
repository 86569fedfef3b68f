"""What two groups of calls compute, held against each other, in words: `relu became gelu`.

Takes pieces, gives short texts; None where both sides say the same. Operators are those of the
user's model where the code lists them, else the targets of the nodes. Left out: views, and casts,
which a change of dtype brings with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from kernelmap.attribution.alias_ops import ALIAS_OPS
from kernelmap.compare.pieces import Piece

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
_NAMED = 3

Pieces = Sequence[Piece]


def ops_words(before: Pieces, after: Pieces) -> str | None:
    """The operators that went and came: `relu became gelu`, `with gelu`, `without relu`."""
    for read in (_listed, _targets):
        went, came = _changed(Counter(read(before)), Counter(read(after)))
        if went and came:
            return f"{_few(went)} became {_few(came)}"
        if went or came:
            return f"without {_few(went)}" if went else f"with {_few(came)}"
    return None


def type_words(before: Pieces, after: Pieces) -> str | None:
    """The dtypes, else the shapes, that went and came: `bf16 became fp32`."""
    types = [[found for part in _parts(side) if (found := _type(part))] for side in (before, after)]
    for at in (0, 1):
        went, came = _changed(*(Counter(each[at] for each in side) for side in types))
        if went and came:
            return f"{_few(went)} became {_few(came)}"
    return None


def typed(pieces: Pieces) -> bool:
    """Whether the code says the type of anything that they compute."""
    return any(_type(part) for part in _parts(pieces))


def result_type(piece: Piece) -> tuple[str, str] | None:
    """Dtype and shape of the last node."""
    return _type(piece.parts[-1]) if piece.parts else None


def _listed(pieces: Pieces) -> list[str]:
    """The operators that the calls list, each once a call."""
    return [_bare(op) for piece in pieces for op in sorted(set(piece.ops)) if _works(op)]


def _targets(pieces: Pieces) -> list[str]:
    bases = [".".join(part.partition(" ")[0].split(".")[:2]) for part in _parts(pieces)]
    return [_bare(base) for base in bases if _works(base)]


def _parts(pieces: Pieces) -> list[str]:
    return [part for piece in pieces for part in piece.parts]


def _works(op: str) -> bool:
    return op not in ALIAS_OPS and op not in _CASTS


def _bare(op: str) -> str:
    """`relu` of `aten.relu`."""
    return op.removeprefix("aten.").removeprefix("prims.")


def _type(part: str) -> tuple[str, str] | None:
    found = _TYPE.search(part.partition(" ")[2])
    return (_DTYPES.get(found[1], found[1]), found[2]) if found else None


def _changed(before: Counter[str], after: Counter[str]) -> tuple[list[str], list[str]]:
    """What only one side has, or has more of; in the order of the code."""
    return list((before - after).keys()), list((after - before).keys())


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
