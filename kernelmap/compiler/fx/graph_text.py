"""The readable text of an FX graph → its nodes: target, shape, source line.

Takes what `print_readable` writes: the graph events of a TORCH_TRACE log, and in a folder of
torch_compile_debug `fx_graph_readable.py` and `fx_graph_transformed.py`. A comment `# File: …`
holds for the nodes below it, up to the next one. The text names one frame per node, and where that
frame is torch's own the node has no line. Left out: placeholders, outputs, arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from kernelmap.compiler.frames import is_torch
from kernelmap.model import GraphText, SourceLine

_PLACE = re.compile(r"File: (?P<file>.+?):(?P<line>\d+)(?: in .*?)?(?:, code: (?P<code>.*))?$")
_NODE = re.compile(
    r"\s+(?P<name>[A-Za-z_]\w*)(?:: (?P<shape>\"[^\"]*\"|[^=\"]*?))? = (?P<made>.+)$"
)
_CALLED = re.compile(r"(?P<target>[A-Za-z_][\w.]*)\(")
_ITEM = re.compile(r"[A-Za-z_]\w*\[")
_OPERATION = re.compile(r"\S+ (?P<sign>[-+*/@%]|//|\*\*|[<>]=?|[=!]=|[&|^]|<<|>>) \S")
_ALONE = re.compile(r"[\w.]+(?:;|$)")
_NO_PLACE = "No stacktrace"
_OPERATORS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
    "==": "eq",
    "!=": "ne",
    "&": "and_",
    "|": "or_",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TextNode:
    """A node as the text writes it; `shape` is its annotation: `f32[8, 16][16, 1]cuda:0`.

    `at` is its line in that text, from 1. `module` and `uses`, the names that it takes, are found
    later: graph_flow.py, modules.py.
    """

    target: str | None
    shape: str | None
    line: SourceLine | None
    module: str | None = None
    uses: tuple[str, ...] = ()
    at: int | None = field(default=None, compare=False)


def graph_text(text: str) -> Mapping[str, TextNode]:
    """The nodes by name, in the order of the text; empty where it is no graph."""
    found: dict[str, TextNode] = {}
    place: SourceLine | None = None
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped.startswith("#"):
            place = _place(stripped, place)
            continue
        node = _NODE.match(line)
        if node is None or _ALONE.match(node["made"]):
            continue
        found[node["name"]] = TextNode(
            target=_target(node["made"], found),
            shape=(node["shape"] or "").strip('" ') or None,
            line=place,
            at=number,
        )
    return found


def printed(text: str, nodes: Mapping[str, TextNode]) -> GraphText | None:
    """`text` with the places of the nodes that were read from it; None where it is no graph."""
    lines = {name: node.at for name, node in nodes.items() if node.at is not None}
    return GraphText(text, lines) if lines else None


def _place(comment: str, before: SourceLine | None) -> SourceLine | None:
    found = _PLACE.search(comment)
    if found is None:
        return None if _NO_PLACE in comment else before
    if is_torch(found["file"]):
        return None
    code = (found["code"] or "").strip() or None
    return SourceLine(file=found["file"], line=int(found["line"]), code=code)


def _target(made: str, nodes: Mapping[str, TextNode]) -> str | None:
    called = _CALLED.match(made)
    if called is not None:
        owner, _, method = called["target"].partition(".")
        # `view.permute(…)` is a method of a node; `torch.…(…)` is a function.
        return method if owner in nodes else called["target"].removeprefix("torch.ops.")
    if _ITEM.match(made):
        return "operator.getitem"
    operation = _OPERATION.match(made)
    return f"operator.{_OPERATORS[operation['sign']]}" if operation else None
