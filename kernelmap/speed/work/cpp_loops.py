"""The source of a C++ kernel → its statements in order, with the loops around each.

A loop is an axis, whatever its step: its vectors and its tail together reach every index. Behind
the first branch of `if (C10_LIKELY(…))` stand others for the edges of the same tiles, which repeat
its statements.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from kernelmap.speed.work.index_space import Affine
from kernelmap.speed.work.triton_source import index_of

INDEX = "static_cast<int64_t>("
"""What Inductor writes around every index and every bound of a loop."""
TAIL = "_tail"
"""How the axis of a loop is called that runs over what is left of the loop around it."""

# What matters of a source, one after another: the head of a loop, a branch for the edge of a tile,
# a brace, and any other text up to the next of these.
_PART = re.compile(
    r"for\s*\(\s*int64_t (?P<axis>\w+)\s*=\s*(?P<first>[^;]*);\s*\w+\s*<\s*(?P<last>[^;]*);[^{;]*"
    r"|(?P<edge>if\s*\(\s*C10_(?:UN)?LIKELY\([^{;]*)|(?P<brace>[{}])"
    r"|(?P<text>(?:(?!for\s*\(\s*int64_t |if\s*\(\s*C10_)[^;{}])+)"
)
_SIZE = re.compile(r"\b(\d+)L\b")
_DIVISION = "c10::div_floor_integer"


class Loop(Struct, frozen=True, eq=False):
    """A loop over `axis` from `first` up to `last`, None where a size in them is not known."""

    axis: str
    first: int | None
    last: int | None

    @property
    def length(self) -> int | None:
        """How far it runs."""
        if self.first is None or self.last is None:
            return None
        return max(0, self.last - self.first)


class LoopStatement(Struct, frozen=True):
    """The text of a statement, and the `loops` around it without those over tails.

    `repeats` says that the statements of another branch do the same work.
    """

    text: str
    loops: tuple[Loop, ...]
    repeats: bool


class _Block(Struct):
    """What a brace opened; `branched` says whether the first branch for a tile stood in it."""

    loop: Loop | None = None
    repeats: bool = False
    branched: bool = False


def iter_statements(source: str, sizes: Mapping[str, int]) -> Iterator[LoopStatement]:
    """The statements of a kernel; `sizes` are the integers that it is called with, by name."""
    # `blocks` are the braces open at the moment; the first stands for the whole text. `opened` is
    # what the next brace will open.
    blocks, opened = [_Block()], _Block()
    for part in _PART.finditer(source):
        inner = blocks[-1]
        if part["axis"]:
            first, last = evaluate_sizes(part["first"], sizes), evaluate_sizes(part["last"], sizes)
            # A tail runs over the rest of its loop, which counts as one axis with it.
            is_tail = part["axis"].endswith(TAIL)
            opened = _Block(None if is_tail else Loop(part["axis"], first, last))
        elif part["edge"]:
            # The first branch counts, and all that follow it in the same block repeat it.
            opened = _Block(repeats=inner.branched)
            inner.branched = True
        elif part["brace"] == "{":
            opened.repeats |= inner.repeats
            blocks.append(opened)
            opened = _Block()
        elif part["brace"]:
            # A closing brace too many leaves the first block open.
            blocks[1:] = blocks[1:-1]
        else:
            loops = tuple(block.loop for block in blocks if block.loop is not None)
            yield LoopStatement(part["text"], loops, inner.repeats)


def evaluate_sizes(text: str, sizes: Mapping[str, int]) -> int | None:
    """What an expression of sizes comes to; None where one of them is not known."""
    node = parse_integer_expression(text)
    value = index_of(node, {}, {}, sizes) if node is not None else None
    return value.const if isinstance(value, Affine) and not value.terms else None


def parse_integer_expression(text: str) -> ast.expr | None:
    """An integer expression of C++ as one of Python; None where it is none."""
    text = text.replace(INDEX, "(").replace(f"{_DIVISION}(", "div(")
    try:
        return ast.parse(_SIZE.sub(r"\1", text).strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def find_closing_bracket(text: str, at: int) -> int:
    """Where the bracket closes that was opened before `at`."""
    depth = 1
    for position in range(at, len(text)):
        depth += (text[position] == "(") - (text[position] == ")")
        if not depth:
            return position
    return len(text)
