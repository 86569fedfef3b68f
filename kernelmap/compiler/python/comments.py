"""What Inductor writes into comments → Origins, handles, node maps, graph fragments.

Takes comment texts without `#`. Spellings differ between versions and are told apart by what they
say: `Source Nodes: […]` with `Topologically Sorted`, `Unsorted` or nothing before it, or only
`Original ATen: aten.add, aten.mul`; node maps with or without their heading; fragments with or
without tensor types. Left out: source nodes without a name, which the pattern matcher makes, and
the placeholders of a fragment, which are buffers and no nodes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from kernelmap.compiler.python.literals import literal
from kernelmap.compiler.python.source import bare_comment
from kernelmap.model import FxNode, Origins, SourceLine, Stage

_NODES = "Source Nodes: ["
_ATEN = "Original ATen:"
_HANDLES = "[Provenance debug handles]"
_PATH = "kernel path:"
_USER_PATH = "Original path:"
_AOT_ID = "AOT ID:"
_ARROW = "=>"
_CALLED = (" = call_function[target=", " = call_method[target=", " = call_module[target=")
_HEAD_LINES = 3
_SORTED = {"Topologically Sorted": True, "Unsorted": False, "": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionComment:
    """What the comment block above a kernel definition states."""

    path: str | None = None
    source: SourceLine | None = None
    origins: Origins | None = None
    node_map: tuple[tuple[str, tuple[str, ...]], ...] = ()
    fragment: tuple[FxNode, ...] = ()


def origins(comment: str) -> Origins | None:
    """The nodes and operators that a comment lists.

    >>> origins("Unsorted Source Nodes: [a, , b], Original ATen: [aten.add]")
    Origins(nodes=('a', 'b'), aten=('aten.add',), ordered=False)
    >>> origins("Original ATen: aten.add, aten.mul").aten
    ('aten.add', 'aten.mul')
    """
    if comment.startswith(_ATEN):
        return Origins(nodes=(), aten=_names(comment[len(_ATEN) :]), ordered=False)
    order, found, lists = comment.partition(_NODES)
    ordered = _SORTED.get(order.strip())
    if not found or ordered is None:
        return None
    nodes, _, aten = lists.partition("]")
    return Origins(nodes=_names(nodes), aten=_names(aten.partition(_ATEN)[2]), ordered=ordered)


def handles(comment: str) -> tuple[tuple[str, int], ...]:
    """The (wrapper, handle) pairs of a provenance comment.

    >>> handles("[Provenance debug handles] extern_kernels.mm:4, triton_poi_fused_0:5")
    (('extern_kernels.mm', 4), ('triton_poi_fused_0', 5))
    """
    if not comment.startswith(_HANDLES):
        return ()
    found = []
    for pair in _names(comment[len(_HANDLES) :]):
        name, _, number = pair.rpartition(":")
        if name and number.isascii() and number.isdecimal():
            found.append((name, int(number)))
    return tuple(found)


def aot_id(comments: Iterable[str]) -> str | None:
    """The id of `AOT ID: ['0_forward']`, None where no comment states one."""
    for comment in comments:
        if comment.startswith(_AOT_ID):
            value = _literal_text(comment[len(_AOT_ID) :])
            if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
                # A slash would read as the prefix that tells programs apart.
                return value[0].strip().replace("/", "_") or None
    return None


def id_at_head(code: str, lines: int = _HEAD_LINES) -> str | None:
    """The id that generated code states in its first lines."""
    head = code.split("\n", lines)[:lines]
    return aot_id(comment for line in head if (comment := bare_comment(line)) is not None)


def is_headline(comment: str) -> bool:
    """Whether a comment can open the block of a definition; a blank line may follow such a one."""
    return comment.startswith((_PATH, _USER_PATH)) or origins(comment) is not None


def definition_comment(comments: Iterable[str]) -> DefinitionComment:
    """The block above a definition, read line by line."""
    path, source, listed = None, None, None
    node_map: list[tuple[str, tuple[str, ...]]] = []
    fragment: list[FxNode] = []
    for comment in comments:
        node = _fragment_node(comment)
        if comment.startswith(_PATH):
            path = comment[len(_PATH) :].strip() or None
        elif comment.startswith(_USER_PATH):
            source = _source_line(comment[len(_USER_PATH) :].strip())
        elif node is not None:
            fragment.append(node)
        elif comment.startswith(("%", "return %")):
            continue
        elif _ARROW in comment:
            name, _, made = comment.partition(_ARROW)
            if name.strip():
                node_map.append((name.strip(), _names(made)))
        else:
            listed = origins(comment) or listed
    return DefinitionComment(
        path=path,
        source=source,
        origins=listed,
        node_map=tuple(node_map),
        fragment=tuple(fragment),
    )


def _names(listed: str) -> tuple[str, ...]:
    names = (name.strip() for name in listed.strip().strip("[]").split(","))
    return tuple(name for name in names if name)


def _literal_text(text: str) -> object:
    try:
        return literal(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _source_line(place: str) -> SourceLine | None:
    file, _, line = place.rpartition(":")
    if not (file and line.isascii() and line.isdecimal()):
        return None
    return SourceLine(file=file, line=int(line))


def _fragment_node(comment: str) -> FxNode | None:
    if not comment.startswith("%"):
        return None
    name = comment[1:].partition(" :")[0]
    for mark in _CALLED:
        _, found, rest = comment.partition(mark)
        if found and name:
            target = rest.partition("](")[0].removesuffix("]").removeprefix("torch.ops.")
            return FxNode(name=name, stage=Stage.POST_GRAD, target=target or None)
    return None
