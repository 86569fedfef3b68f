"""How much a C++ kernel computes: the operations of its statements, by the loops around them.

As in Triton kernels an operation or a function is one for every element of the axes that its
operands depend on, a reduction one for every element that goes in; `fmadd` is two. Comparisons,
selections, casts and indices are none. A loop is an axis whatever its step. Behind the first branch
of `if (C10_LIKELY(…))` stand others for the edges of the same tiles, which compute the same.

Left out: how lanes and threads join their sums; products that Inductor filled in, and whatever
libraries compute.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

_INDEX = "static_cast<int64_t>("
_LOOP = (
    r"for\s*\(\s*int64_t (?P<axis>\w+)\s*=\s*(?P<start>[^;]*);\s*\w+\s*<\s*(?P<end>[^;]*);[^{;]*"
)
_PART = re.compile(
    rf"{_LOOP}|(?P<edge>if\s*\(\s*C10_(?:UN)?LIKELY\([^{{;]*)|(?P<brace>[{{}}])"
    r"|(?P<name>\w+)(?:\[[^\]=;]*\])?\s*=(?!=)\s*(?P<value>[^;{}]*)"
)
_LOAD = re.compile(r"\w+ \+ @|\w+\[@\]")
_BRACKETS = re.compile(r"<[^<>()]*>")
_OPERATOR = re.compile(r"(?<=[\w)#])\s*[-+*/%]\s*(?=[\w(#])")
_FUNCTION = re.compile(r"(\w+)\s*\(")
_NAME = re.compile(r"[A-Za-z_]\w*")
_NO_ARITHMETIC = frozenset(
    {
        *("static_cast", "Vectorized", "VectorizedN", "VecMask", "loadu", "load", "from", "to"),
        *("convert", "cast", "blendv", "arange", "decltype", "float", "double", "int", "bool"),
        *("int32_t", "int64_t", "uint32_t", "Half", "BFloat16", "half", "infinity", "min", "max"),
        *("normalized_rand_cpu", "randn_cpu", "randint64_cpu"),
        *("quiet_NaN", "set", "make_unique", "get", "data", "size_t", "isnan", "all_zero"),
    }
)
_TWICE = ("fmadd", "fmsub")
_LANES = "vec_reduce_all"
_PRODUCTS = re.compile(r"micro_gemm|cpublas|mkldnn")
_FOREIGN = re.compile(rf"{_PRODUCTS.pattern}|at::native")
_TAIL, _DEFERRED = "_tail", "[&]"


@dataclass(slots=True)
class _Block:
    """What a brace opened: a loop over `axis`, or neither; `skipped` says that it counts nothing.

    `branched` says whether the first branch of the tiles stood in it already.
    """

    axis: str | None = None
    extent: int = 1
    skipped: bool = False
    branched: bool = False


@dataclass(slots=True)
class _Reader:
    """One pass over the source; `depends` has the axes that each value depends on."""

    blocks: list[_Block] = field(default_factory=lambda: [_Block()])
    depends: dict[str, frozenset[str]] = field(default_factory=dict)
    operations: int = 0

    @property
    def extents(self) -> dict[str, int]:
        """How far the axes of the loops around run."""
        return {block.axis: block.extent for block in self.blocks if block.axis is not None}

    def leave(self) -> None:
        """A block ends; what was made in a loop no longer depends on it."""
        block = self.blocks.pop() if len(self.blocks) > 1 else _Block()
        if block.axis is not None:
            gone = frozenset({block.axis})
            self.depends = {name: axes - gone for name, axes in self.depends.items()}

    def assign(self, name: str, value: str) -> None:
        """`auto tmp3 = tmp0 - tmp2`, `tmp_acc0 = tmp_acc0 + tmp3`, `out_ptr0[…] = …`."""
        around = self.extents
        plain, indices = _without_indices(value)
        words = {word for text in (plain, *indices) for word in _NAME.findall(text)}
        axes = frozenset(word.removesuffix(_TAIL) for word in words) & around.keys()
        axes = axes.union(*(self.depends.get(word, frozenset()) for word in words))
        if _DEFERRED in value:
            axes = frozenset(around)  # a function that the following block is
        if axes and not self.blocks[-1].skipped and _LANES not in value:
            count = prod(around[axis] for axis in axes if axis in around)
            self.operations += _operations(plain) * count
        self.depends[name] = axes


def multiplies(source: str) -> bool:
    """Whether products that Inductor filled in, or a library's, read operands beside the loops."""
    return _PRODUCTS.search(source) is not None


def is_foreign(source: str) -> bool:
    """Whether functions compute whose source is not given."""
    return _FOREIGN.search(source) is not None


def operations_of(source: str, sizes: Mapping[str, int | None]) -> int | None:
    """The operations of one run; `sizes` has the ends of loops as they are written.

    None where a loop's length is not known, or a library's function computes.
    """
    if is_foreign(source):
        return None
    reader = _Reader()
    pending = _Block()
    for part in _PART.finditer(source):
        if part["axis"]:
            first, last = sizes.get(part["start"].strip()), sizes.get(part["end"].strip())
            is_tail = part["axis"].endswith(_TAIL)  # what is left of the loop around it
            if not is_tail and (first is None or last is None):
                return None
            inner = reader.blocks[-1].skipped
            extent = max(0, (last or 0) - (first or 0))
            pending = _Block(None if is_tail else part["axis"], extent, inner)
        elif part["edge"]:
            loop = reader.blocks[-1]
            pending = _Block(skipped=loop.skipped or loop.branched)
            loop.branched = True
        elif part["brace"] == "{":
            pending.skipped = pending.skipped or reader.blocks[-1].skipped
            reader.blocks.append(pending)
            pending = _Block()
        elif part["brace"]:
            reader.leave()
        else:
            reader.assign(part["name"], part["value"])
    return reader.operations


def bounds(source: str) -> Iterator[str]:
    """The texts between which loops run, as they are written."""
    for part in re.finditer(_LOOP, source):
        yield part["start"].strip()
        yield part["end"].strip()


def _without_indices(value: str) -> tuple[str, Sequence[str]]:
    """A value with `#` in the place of each load, and the indices of the loads."""
    indices = []
    while (at := value.find(_INDEX)) >= 0:
        end = closing(value, at + len(_INDEX))
        indices.append(value[at + len(_INDEX) : end])
        value = f"{value[:at]}@{value[end + 1 :]}"
    value = _LOAD.sub("#", value)
    while (shorter := _BRACKETS.sub("", value)) != value:
        value = shorter
    return value, indices


def _operations(value: str) -> int:
    functions = _FUNCTION.findall(value)
    counted = [name for name in functions if name not in _NO_ARITHMETIC]
    return len(_OPERATOR.findall(value)) + sum(1 + (name in _TWICE) for name in counted)


def closing(text: str, at: int) -> int:
    """Where the bracket closes that was opened before `at`."""
    depth = 1
    for position in range(at, len(text)):
        depth += (text[position] == "(") - (text[position] == ")")
        if not depth:
            return position
    return len(text)
