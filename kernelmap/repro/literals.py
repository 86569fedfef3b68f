"""Text of the inputs → text of a script, in which only known kinds of literals stand.

What a trace or a log holds is data. Of an argument the parts are taken one by one, and each that
is known is written anew: numbers, texts, lists, torch's dtypes. Anything else is refused.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable

from kernelmap.compiler.python.source import dotted_name
from kernelmap.facts.dtypes import ITEMSIZE
from kernelmap.repro.refusal import NotInInputsError

_LAYOUTS = ("strided", "contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
_NUMBERS = ("inf", "nan")
_LONGEST = 60  # characters of an argument that a refusal quotes
_TAKEN = frozenset(
    {
        *("torch", "triton", "tl", "aten", "prims", "math", "sys", "libdevice", "tl_math"),
        *("triton_helpers", "extern_kernels", "tensor", "same", "kernel_time", "main", "grid"),
        *("run", "expected", "make_inputs", "do_bench", "AsyncCompile", "inf", "nan"),
    }
)
"""Names that the script itself gives to something."""


def safe_name(name: str) -> str:
    """A name of the inputs as a variable of the script, which hides none of the script's own.

    >>> safe_name("buf3"), safe_name("torch"), safe_name("import"), safe_name("buf 3;x()")
    ('buf3', 'torch_', 'import_', 'buf_3_x__')
    """
    text = "".join(
        sign if (sign.isalnum() and sign.isascii()) or sign == "_" else "_" for sign in name
    )
    if not text or text[0].isdigit():
        text = f"_{text}"
    return (
        f"{text}_" if text in _TAKEN or keyword.iskeyword(text) or text.startswith("__") else text
    )


def one_line(text: str) -> str:
    """A text of the inputs for a comment or a docstring: one line, without quotes to end it.

    >>> one_line('say "so"')
    "say 'so'"
    """
    shown = "".join(sign if sign.isprintable() else " " for sign in text)
    return shown.replace("\\", "/").replace('"', "'")


def quote_source(text: str) -> str:
    r"""The text as a literal of several lines that reads as it does in a file.

    >>> print(quote_source('a\n"b"\n'))
    r'''a
    "b"
    '''
    """
    plain = "'''" not in text and "\r" not in text and not text.endswith(("'", "\\"))
    if plain and (text.isprintable() or all(s.isprintable() or s in "\n\t" for s in text)):
        return f"r'''{text}'''"
    return repr(text)


def write_argument(node: ast.expr, write_name: Callable[[str], str | None]) -> str:
    """An argument of a call as the script has it.

    `write_name` gives the text for a name, None for one that it does not know. Raises
    NotInInputsError for what is no known kind of literal.
    """
    written: str | None = None
    match node:
        case ast.Constant(value=None | bool() | int() | float() | str() as value):
            written = _write_constant(value)
        case ast.Name(id=name):
            written = f"math.{name}" if name in _NUMBERS else write_name(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            written = f"-{write_argument(operand, write_name)}"
        case ast.List(elts=items):
            written = f"[{', '.join(write_argument(item, write_name) for item in items)}]"
        case ast.Tuple(elts=items):
            inside = ", ".join(write_argument(item, write_name) for item in items)
            written = f"({inside},)" if len(items) == 1 else f"({inside})"
        case ast.Attribute():
            written = _write_attribute(node)
        case ast.Call(func=ast.Name(id="device") | ast.Attribute(attr="device")):
            written = _write_device(node)
    if written is None:
        raise NotInInputsError(f"is handed `{_short_text(node)}`, which a script cannot make")
    return written


def _write_attribute(node: ast.Attribute) -> str | None:
    """`torch.bfloat16`, `torch.strided`, `math.inf`."""
    owner, _, word = (dotted_name(node) or "").rpartition(".")
    if owner == "torch" and (word in ITEMSIZE or word in _LAYOUTS):
        return f"torch.{word}"
    return f"math.{word}" if owner == "math" and word in _NUMBERS else None


def _write_constant(value: object) -> str:
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "math.inf" if value > 0 else "-math.inf"
    return repr(value)


def _write_device(call: ast.Call) -> str:
    """The script has one device, and the CPU: `device(type='cuda', index=0)`."""
    given = [*call.args, *(one.value for one in call.keywords if one.arg == "type")]
    kind = given[0].value if given and isinstance(given[0], ast.Constant) else None
    return '"cpu"' if kind == "cpu" else "DEVICE"


def _short_text(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
