"""What a C++ model states of its constants and inputs → statements that make them, in Python.

AOTInductor's constructor has name, dtype, shape and strides of each constant; functions that check
inputs have what they expect of them, dimension by dimension.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kernelmap.compiler.cpp.expressions import (
    Expressions,
    Tokens,
    dtype_of,
    make_allocation,
    make_constant,
)
from kernelmap.compiler.cpp.functions import Function
from kernelmap.compiler.cpp.tokens import TokenKind

_CONSTANTS = "constants_info_"
_EXPECTED = "_expected_dtype"
_FACTS = ("name", "dtype", "shape", "stride")


def iter_constants(read: Tokens) -> Iterator[ast.stmt]:
    """The constants of a model: `constants_info_[0].shape = {256, 64};`."""
    values = Expressions()
    stated: dict[str, dict[str, Tokens]] = {}
    for at, token in enumerate(read):
        # `constants_info_ [ 0 ] . shape =`: the place stands two tokens further, the fact five.
        if token.value == _CONSTANTS and at + 6 < len(read) and read[at + 5].value in _FACTS:
            place, fact = read[at + 2].value, read[at + 5].value
            stated.setdefault(place, {})[fact] = _until_end(read, at + 7)
    for facts in stated.values():
        # A constant that lacks a fact is left out.
        if facts.keys() >= set(_FACTS):
            title = facts["name"][0]
            sizes = [values.read_expression(facts[fact]) for fact in ("shape", "stride")]
            yield make_allocation(title.value, sizes, title.line, dtype_of(facts["dtype"]))


def iter_inputs(function: Function) -> Iterator[ast.stmt]:
    """What a function that checks the inputs expects: dtypes, and sizes one by one."""
    sizes: dict[str, dict[str, dict[int, int]]] = {}
    dtypes: dict[str, ast.expr] = {}
    for at, token in enumerate(function.body):
        if token.value.endswith(_EXPECTED) and function.body[at + 1].value == "=":
            dtype = dtype_of(_until_end(function.body, at + 2))
            if dtype is not None:
                dtypes[token.value.removesuffix(_EXPECTED)] = dtype
        # `if (32 != arg0_1_size[0])`: one dimension of one input, with its size or its stride.
        match [one.value for one in function.body[at : at + 6]]:
            case [size, "!", "=", of, "[", place] if place.isdecimal():
                title, _, kind = of.rpartition("_")
                whole = size.rstrip("L")
                if kind in ("size", "stride") and whole.isdecimal():
                    sizes.setdefault(title, {}).setdefault(kind, {})[int(place)] = int(whole)
    for title, dtype in dtypes.items():
        of_input = sizes.get(title, {})
        # An input counts only if every dimension from the first to the last is stated in both.
        both = [of_input.get(kind, {}) for kind in ("size", "stride")]
        if all(sorted(one) == list(range(len(one))) for one in both) and len(both[0]) == len(
            both[1]
        ):
            listed = [
                ast.Tuple([make_constant(one[at]) for at in sorted(one)], ast.Load())
                for one in both
            ]
            yield make_allocation(title, listed, function.line, dtype)


def _until_end(body: Tokens, at: int) -> Tokens:
    """The tokens up to the next semicolon."""
    for end in range(at, len(body)):
        if body[end].kind is TokenKind.MARK and body[end].value == ";":
            return body[at:end]
    return body[at:]
