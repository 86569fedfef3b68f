"""Expressions of a C++ wrapper → the same in Python, as Inductor's Python wrappers write them.

`wrap_with_raii_handle_if_needed(reinterpret_tensor_wrapper(buf0, 2, int_array_0, int_array_1, 0L))`
is `reinterpret_tensor(buf0, (8, 16), (16, 1), 0)`. A tensor is its variable, whatever is asked of
it: `(float*)(buf0.data_ptr())`, `&buf0_handle`. Whole numbers have a suffix there (`1L`); 0 and 1
without one are false and true.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from kernelmap.compiler.cpp.functions import split_arguments
from kernelmap.compiler.cpp.tokens import Token, TokenKind

Tokens = Sequence[Token]

HANDLE = "_handle"
_DTYPE = re.compile(r"(?:cached|aoti)_torch_dtype_(\w+)$")
_AT_DTYPES: Mapping[str, str] = {
    "kBool": "bool",
    "kByte": "uint8",
    "kChar": "int8",
    "kShort": "int16",
    "kInt": "int32",
    "kLong": "int64",
    "kHalf": "float16",
    "kBFloat16": "bfloat16",
    "kFloat": "float32",
    "kDouble": "float64",
    "kComplexFloat": "complex64",
    "kComplexDouble": "complex128",
}
_TENSOR = "AtenTensorHandle"
_VIEW = "reinterpret_tensor_wrapper"
_WORDS: Mapping[str, object] = {"nullptr": None, "true": True, "false": False}
_FLAGS: Mapping[str, bool] = {"0": False, "1": True}
_SUFFIX = re.compile(r"(?<=\w)[lLuU]+$")
_OPEN, _CLOSE = "([{", ")]}"
_DEEPEST = 16  # brackets and casts around one value
_LONGEST = 200  # tokens of arithmetic with sizes


def make_name(word: str) -> ast.Name:
    """A variable that is read."""
    return ast.Name(word, ast.Load())


def make_constant(value: object) -> ast.expr:
    """A literal."""
    return ast.Constant(value)  # type: ignore[arg-type]  # what is handed in is what a literal can be


def make_call(
    function: str, given: Sequence[ast.expr], line: int, dtype: ast.expr | None = None
) -> ast.Call:
    """A call in that line of the C++, with `dtype=` where one is given."""
    keywords = [] if dtype is None else [ast.keyword("dtype", dtype)]
    return ast.Call(make_name(function), list(given), keywords, lineno=line, col_offset=0)


def make_allocation(
    title: str, sizes: Sequence[ast.expr], line: int, dtype: ast.expr | None
) -> ast.stmt:
    """A tensor of that shape and those strides."""
    return assigned_to(title, make_call("empty_strided", sizes, line, dtype))


def assigned_to(title: str, value: ast.expr) -> ast.stmt:
    """A name for a value."""
    return ast.Assign([ast.Name(title, ast.Store())], value)


def dtype_of(tokens: Tokens) -> ast.expr | None:
    """`torch.float32` of `cached_torch_dtype_float32`, or of `at::kFloat` as older code has it."""
    for token in tokens:
        stated = _DTYPE.match(token.value)
        dtype = stated[1] if stated is not None else _AT_DTYPES.get(token.value)
        if dtype is not None:
            return ast.Attribute(make_name("torch"), dtype, ast.Load())
    return None


def given_in(tokens: Tokens, opens: int) -> list[Tokens]:
    """The arguments in the brackets that open there; commas of `array<int64_t, 2>` part none."""
    split: list[Tokens] = []
    depth = 0
    # A comma within `<…>` was taken for one between arguments: the parts are joined again.
    for part in split_arguments(tokens, opens):
        if depth > 0:
            split[-1] = (*split[-1], *part)
        else:
            split.append(part)
        marks = [token.value for token in split[-1] if token.kind is TokenKind.MARK]
        depth = marks.count("<") - marks.count(">")
    return split


class Expressions:
    """`variables` has what variables of the wrapper stand for: lists of sizes, optional values."""

    def __init__(self) -> None:
        self.variables: dict[str, ast.expr] = {}

    def read_operands(self, given: Sequence[Tokens]) -> list[ast.expr]:
        """The arguments of a C function of libtorch; a list is handed over with its length."""
        read: list[ast.expr] = []
        is_list = False
        for tokens in given:
            # `sizes, 2`: the number behind a list is its length, and no argument in Python.
            if is_list and len(tokens) == 1 and tokens[0].kind is TokenKind.NUMBER:
                is_list = False
                continue
            value = self.read_expression(tokens)
            is_list = isinstance(value, ast.Tuple | ast.List)
            flag = _FLAGS.get(tokens[0].value) if len(tokens) == 1 else None
            read.append(value if flag is None else make_constant(flag))
        return read

    def read_expression(self, tokens: Tokens) -> ast.expr:
        """One expression; of what has no like in Python, `None`."""
        tokens = _strip_casts(tokens)
        if not tokens:
            return make_constant(None)
        first = tokens[0]
        if len(tokens) == 1:
            return self._read_token(first)
        # The first bracket decides: a list of values, a call, or none.
        opens = next((at for at, token in enumerate(tokens) if _is_mark(token, "([{")), None)
        if opens is not None and _is_mark(
            tokens[opens], "{"
        ):  # std::array<int64_t, 2>{1L, 1L}.cbegin()
            items = [self.read_expression(item) for item in given_in(tokens, opens)]
            holds_tensors = any(token.value == _TENSOR for token in tokens[:opens])
            return ast.List(items, ast.Load()) if holds_tensors else ast.Tuple(items, ast.Load())
        # `buf0.data_ptr()` is the tensor itself.
        if first.kind is TokenKind.NAME and _is_mark(tokens[1], "."):
            return self._read_token(first)
        if opens is not None and _is_call(tokens, opens):
            return self._read_call(tokens[opens - 1], given_in(tokens, opens))
        return self._read_arithmetic(tokens)

    def _read_call(self, function: Token, given: Sequence[Tokens]) -> ast.expr:
        """A view; anything else hands on the tensor that it is given."""
        if function.value == _VIEW and given:
            read = [self.read_expression(one) for one in (given[0], *given[2:])]
            return make_call("reinterpret_tensor", read, function.line)
        return self.read_expression(given[0]) if given else make_constant(None)

    def _read_token(self, token: Token) -> ast.expr:
        if token.kind is TokenKind.NUMBER:
            return _read_number(token.value)
        if token.value in _WORDS:
            return make_constant(_WORDS[token.value])
        if token.kind is not TokenKind.NAME:
            return make_constant(token.value)
        value = self.variables.get(token.value)
        return make_name(token.value.removesuffix(HANDLE)) if value is None else value

    def _read_arithmetic(self, tokens: Tokens) -> ast.expr:
        """`256L*s27`."""
        if len(tokens) > _LONGEST:
            return make_constant(None)
        text = " ".join(_plain_text(token) for token in tokens)
        try:
            return ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return make_constant(None)


def _strip_casts(tokens: Tokens) -> Tokens:
    """Without an address, casts, and brackets around all of it."""
    # Layer by layer: `&`, `*`, brackets around all of it, a cast in front.
    for _ in range(_DEEPEST):
        if not tokens:
            break
        if _is_mark(tokens[0], "&*"):
            tokens = tokens[1:]
            continue
        if not _is_mark(tokens[0], "("):
            break
        end = _find_closing(tokens)
        if end == len(tokens) - 1:
            tokens = tokens[1:end]
        elif _is_mark(tokens[end - 1], "*"):
            tokens = tokens[end + 1 :]  # (const float*)(buf0.data_ptr())
        else:
            break
    return tokens


def _is_call(tokens: Tokens, opens: int) -> bool:
    """Whether all of it is one call: a name, what qualifies it, and brackets to the end."""
    return (
        opens > 0
        and _is_mark(tokens[opens], "(")
        and all(t.kind is TokenKind.NAME or t.value in _QUALIFIES for t in tokens[:opens])
        and opens + _find_closing(tokens[opens:]) == len(tokens) - 1
    )


_QUALIFIES = ("::", "<", ">", "*", ".", "->", "&")


def _find_closing(tokens: Tokens) -> int:
    """The place of the bracket that closes the first token; the last place where none does."""
    depth = 0
    for at, token in enumerate(tokens):
        if token.kind is TokenKind.MARK:
            depth += (token.value in _OPEN) - (token.value in _CLOSE)
            if not depth:
                return at
    return len(tokens) - 1


def _is_mark(token: Token, marks: str) -> bool:
    return token.kind is TokenKind.MARK and token.value in marks


def _plain_text(token: Token) -> str:
    return _SUFFIX.sub("", token.value) if token.kind is TokenKind.NUMBER else token.value


def _read_number(text: str) -> ast.expr:
    try:
        return make_constant(int(_SUFFIX.sub("", text)))
    except ValueError:
        return make_constant(text)
