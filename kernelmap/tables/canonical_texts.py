"""The texts of a kernel's graph fragment and of a wrapper's statement, with all names taken out.

`fragment` takes the lines of a definition and gives one text per node of its `Graph fragment:`, and
the parts that re-fused kernels share. A node's text is its target, its type and its arguments; a
name is replaced by its place, counted from its first use. Placeholders count where they are used,
so that their order, which follows from their names, has no say. Left out: which buffer a result is
written to, the number of users, and which device of its kind it runs on.

`statement` takes the lines of the code, the line where a statement begins, and the types of
buffers; it gives one text for what the statement is given. A buffer is its type; any other bare
name is its place, counted from its first use. Left out: what the result is called, and the stream.

`buffer_types` takes the lines of Python or C++ and gives texts such as `float32(8, 16)(16, 1)`. It
goes line by line, since code that does not parse has types too; a word of a line decides whether it
is looked at more closely, since most lines are the insides of kernels. A name that is used again
keeps its first type: the wrapper's names are used once. Left out: the dtype of inputs, which the
code does not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

# A node in the comment above a kernel: `%add : Tensor "f32[8]" = call_function[target=…](…)`.
_NODE = re.compile(
    r"#\s*%(?P<name>\S+) : (?P<about>.*?)= (?P<kind>\w+)\[target=(?P<target>[^\]\[]*)\](?P<rest>.*)"
)
_RETURN = re.compile(r"#\s*return (?P<names>%.*)")
_INPUT = "placeholder"
_TYPE = re.compile(r'"([^"]*)"')
_NAME = re.compile(r"%([\w.]+)")
# A symbol of a dynamic size: its number differs from one compilation to the next.
_SYMBOL = re.compile(r"\b([suz])\d+\b")
# A device with its number, which says nothing about what is computed.
_DEVICE = re.compile(r"\b(cuda|xpu|hip|mtia|cpu):\d+")
# Lines of one statement; brackets that never close would take in the rest of the code.
_MOST_LINES = 64
_TEXT = re.compile(
    r"""R?"[^"\\]*+(?:\\.[^"\\]*+)*+(?P<end>")?+|'[^'\\]*+(?:\\.[^'\\]*+)*+(?P<last>')?+"""
)
"""A text; one that nobody closes goes to the end of the line."""
# A comment behind code, in Python or C++.
_COMMENT = re.compile(r"(?<!\s)\s*+(#|//).*$")
# A bare name among arguments: no function, keyword or namespace, and
# no front of a dotted name except `x.data_ptr`.
_TOKEN = re.compile(r"(?<![\w.])([A-Za-z_]\w*)(?!\w|\s*\(|\s*=|\s*::|\s*\.(?!data_ptr))")
# What the statement assigns to; the name of a result has no meaning.
_RESULT = re.compile(r"^\s*+(?:auto )?[\w, ()]+ = (?!=)")
# The stream argument: its number says nothing of the work.
_STREAM = re.compile(r"(?:,|(?<![ ,])) *+stream=\w+")
_PYTHON = ("True", "False", "None", "inf", "nan", "torch")
_CPP = ("nullptr", "const", "auto", "bool", "char", "double", "float", "int", "long", "void")
_WORDS = frozenset((*_PYTHON, *_CPP))
_TUPLE = r"(\([^()]*\))"
# How buffers come about: as a view, with a checked shape, allocated, or moved from another.
_VIEW = re.compile(rf"\b(\w++) = reinterpret_tensor\((\w+), {_TUPLE}, {_TUPLE}")
_CHECK = re.compile(rf"assert_size_stride\((\w+), {_TUPLE}, {_TUPLE}")
_TUPLES = r"((?:\([^()]*\),? ?)*)"
_GROUPED_CHECK = re.compile(
    rf"assert_size_stride_grouped\(\(([^()]*)\), \({_TUPLES}\), \({_TUPLES}\)"
)
_CHECKED_LISTS = (re.compile(r"\w+"), *[re.compile(_TUPLE)] * 2)
_MADE = re.compile(rf"\b(\w++) = [\w.]++\([^()]*{_TUPLE}, {_TUPLE}[^()]*?torch\.(\w+)")
_SAME = re.compile(r"(?:auto )?\b(\w++) = (?:std::move\()?(\w+)\)?;")
_ARRAY = re.compile(r"\b(int_array_\w++)\[\] = \{([^}]*)\}")
_CPP_MADE = re.compile(
    r"aoti_torch_empty_strided\(\w+, (\w+), (\w+), (\w+), [^&()]*+&(\w+?)(?:_handle)?\)"
)
_SUFFIX = re.compile(r"\b(\d++)L++\b")


class Fragment(Struct, frozen=True, kw_only=True):
    """One definition's fragment.

    `nodes` is one canonical text per node and one for what is returned; `parts` has what each node
    is by itself: `aten.mul.Tensor f32[8, 16]`. `typed` says whether any node has its type: older
    torch writes none.
    """

    nodes: tuple[str, ...]
    parts: tuple[str, ...]
    typed: bool


def fragment(lines: Iterable[str]) -> Fragment | None:
    """The fragment among the comment lines of one definition; None where it holds no node."""
    comments = [line for line in lines if line.startswith("#")]
    listed = [node for line in comments if (node := _NODE.match(line)) is not None]
    made = [node for node in listed if node["kind"].lower() != _INPUT]
    if not made:
        return None
    # Name → type, None where older torch writes none.
    kinds = {node["name"]: _kind(node["about"]) for node in listed}  # a node's own line comes last
    made_names = {node["name"] for node in made}
    # Inputs get their place and type where they are used.
    names = _CanonicalNames({name: kind for name, kind in kinds.items() if name not in made_names})
    symbols: dict[str, str] = {}
    nodes, parts = [], []
    for node in made:
        kind, target = kinds[node["name"]], node["target"].removeprefix("torch.ops.")
        # A name stands for its place: `%add_7` and `%add_8` both become `%2`.
        given = _NAME.sub(lambda name: names.place(name[1]), node["rest"])
        text = f"{names.place(node['name'])} {kind or '?'} = {target}{given}"
        nodes.append(symbolic(text, symbols))
        # The node by itself, without what it takes.
        parts.append(f"{target} {part_type(kind)}" if kind else target)
    # What is returned, in no order. An input that is passed through is a bare `%`.
    returned = {
        names.place(name) if name in made_names else "%"
        for line in comments
        if (end := _RETURN.match(line)) is not None
        for name in _NAME.findall(end["names"])
    }
    return Fragment(
        nodes=(*nodes, f"return {sorted(returned)}"),
        parts=tuple(parts),
        typed=any(kinds[node["name"]] for node in made),
    )


class _CanonicalNames:
    """Places of names, from their first use; an input's bears its type."""

    def __init__(self, inputs: Mapping[str, str | None]) -> None:
        self._inputs = inputs
        self._places: dict[str, str] = {}

    def place(self, name: str) -> str:
        """What stands for `name`."""
        if name not in self._places:
            kind = self._inputs.get(name)
            self._places[name] = f"%{len(self._places)}" + (f"<{kind}>" if kind else "")
        return self._places[name]


def symbolic(text: str, symbols: dict[str, str]) -> str:
    """`text` with its symbols numbered by first use, in `symbols`, and devices without number."""
    text = _DEVICE.sub(r"\1", text)
    return _SYMBOL.sub(lambda s: symbols.setdefault(s[0], f"{s[1]}#{len(symbols)}"), text)


def part_type(kind: str) -> str:
    """Dtype and shape of a type, without strides and device, its symbols alike.

    >>> part_type("f32[8, s77][16, 1]cuda:0")
    'f32[8, s]'
    """
    return _SYMBOL.sub(r"\1", kind.partition("]")[0] + "]")


def _kind(about: str) -> str | None:
    match = _TYPE.search(about)
    return match[1] if match else None


def statement(lines: Sequence[str], line: int, types: Mapping[str, str]) -> str:
    """The canonical text of the arguments of the statement that begins at `line` (from 1)."""
    # Of the statement only what stands in its first bracket and behind it.
    text = _STREAM.sub("", _RESULT.sub("", _whole(lines, line - 1)))
    _, bracket, arguments = text.partition("(")
    places: dict[str, str] = {}
    symbols: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        word = match[1]
        # Words of the language stay, buffers become their types, other names their places.
        if word in _WORDS:
            return word
        kind = types.get(word)
        if kind is not None:
            return f"<{kind}>"
        return places.setdefault(word, f"%{len(places)}")

    return symbolic(_TOKEN.sub(name, bracket + arguments).replace(" ", ""), symbols)


def result_type(lines: Sequence[str], line: int, types: Mapping[str, str]) -> str | None:
    """The type of what the statement writes: `out=`, or the name that it assigns to."""
    text = _whole(lines, line - 1)
    out = re.search(r"out=(\w+)", text) or re.match(r"\s*(?:auto )?(\w+) = ", text)
    return types.get(out[1]) if out else None


def _whole(lines: Sequence[str], start: int) -> str:
    """The statement: lines until its brackets are closed, without texts and comments."""
    parts: list[str] = []
    depth = 0
    # The line that closes all brackets ends the statement.
    for line in lines[start : start + _MOST_LINES]:
        # Texts may hold brackets and `#`, so they are emptied first.
        bare = _COMMENT.sub("", _TEXT.sub(_emptied, line))
        parts.append(bare.strip())
        depth += bare.count("(") - bare.count(")")
        if depth <= 0:
            break
    return " ".join(parts)


def _emptied(text: re.Match[str]) -> str:
    return "''" if text["end"] or text["last"] else text[0]


def buffer_types(lines: Iterable[str]) -> dict[str, str]:
    """The types of all buffers that the code allocates, views or checks; C++ arrays are sizes."""
    types: dict[str, str] = {}
    for line in lines:
        # A view has the dtype of its base and its own shape.
        if "reinterpret_tensor(" in line and (view := _VIEW.search(line)):
            name, base, shape, stride = view.groups()
            types.setdefault(name, f"{_dtype(types.get(base))}{shape}{stride}")
        elif "torch." in line and (made := _MADE.search(line)):
            name, shape, stride, dtype = made.groups()
            types.setdefault(name, f"{dtype}{shape}{stride}")
        # Inputs are only checked: their dtype is not stated.
        elif "assert_size_stride(" in line and (check := _CHECK.search(line)):
            types.setdefault(check[1], f"?{check[2]}{check[3]}")
        elif "assert_size_stride_grouped(" in line and (grouped := _GROUPED_CHECK.search(line)):
            lists = zip(_CHECKED_LISTS, grouped.groups(), strict=True)
            names, shapes, strides = (listed.findall(text) for listed, text in lists)
            for name, shape, stride in zip(names, shapes, strides, strict=False):
                types.setdefault(name, f"?{shape}{stride}")
        # C++ states sizes as arrays first; the allocation names them.
        elif "int_array_" in line and (array := _ARRAY.search(line)):
            sizes = _SUFFIX.sub(r"\1", array[2])
            types[array[1]] = f"({sizes.strip().rstrip(',')})"
        elif "empty_strided(" in line and (made := _CPP_MADE.search(line)):
            shape, stride, dtype, name = made.groups()
            text = f"{types.get(shape, shape)}{types.get(stride, stride)}"
            types.setdefault(name, dtype.removeprefix("cached_torch_dtype_") + text)
        # Reused memory: `buf1 = buf0; del buf0  # reuse` has the type of the first.
        elif "reuse" in line and (same := _SAME.search(line)) and same[2] in types:
            types.setdefault(same[1], types[same[2]])
    return types


def _dtype(kind: str | None) -> str:
    return kind.partition("(")[0] if kind else "?"
