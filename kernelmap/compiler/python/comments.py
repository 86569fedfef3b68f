"""The comments of generated code → Origins, handles, node maps, graph fragments, and their calls.

Takes comment texts without `#`. Spellings differ between versions and are told apart by what they
say: `Source Nodes: […]` with `Topologically Sorted`, `Unsorted` or nothing before it, or only
`Original ATen: aten.add, aten.mul`; node maps with or without their heading; fragments with or
without tensor types. Left out: source nodes without a name, which the pattern matcher makes, and
the placeholders of a fragment, which are buffers and no nodes.

Inductor writes the comment, then lines that prepare the launch (stream, workspace, sizes), then the
launch. A handle names the wrapper it belongs to, so it waits for that one; origins without a handle
belong to the next call that is no glue, or to glue right below the comment.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from msgspec import Struct

from kernelmap.compiler.python.call_names import Callee
from kernelmap.compiler.python.source import bare_comment, literal_value
from kernelmap.model import Backend, FxNode, Origins, SourceLine, Stage
from kernelmap.model.names import SHIM

_NODES = "Source Nodes: ["
_ATEN = "Original ATen:"
_HANDLES = "[Provenance debug handles]"
_PATH = "kernel path:"
_USER_PATH = "Original path:"
_AOT_ID = "AOT ID:"
_ARROW = "=>"
# The three ways to print a node of a fragment that runs something; placeholders have another.
_CALLED = (" = call_function[target=", " = call_method[target=", " = call_module[target=")
_HEAD_LINES = 3
# Whether the list is sorted by data flow. Older comments do not say and count as unsorted.
_SORTED = {"Topologically Sorted": True, "Unsorted": False, "": False}
# How names of C++ kernels begin.
_CPP = ("cpp_", "kernel_cpp_")


class DefinitionComment(Struct, frozen=True, kw_only=True):
    """What the comment block above a kernel definition states."""

    path: str | None = None
    source: SourceLine | None = None
    origins: Origins | None = None
    node_map: tuple[tuple[str, tuple[str, ...]], ...] = ()
    fragment: tuple[FxNode, ...] = ()


def read_origins(comment: str) -> Origins | None:
    """The nodes and operators that a comment lists.

    >>> read_origins("Unsorted Source Nodes: [a, , b], Original ATen: [aten.add]")
    Origins(nodes=('a', 'b'), aten=('aten.add',), ordered=False)
    >>> read_origins("Original ATen: aten.add, aten.mul").aten
    ('aten.add', 'aten.mul')
    """
    if comment.startswith(_ATEN):
        return Origins(nodes=(), aten=_split_names(comment[len(_ATEN) :]), ordered=False)
    order, separator, lists = comment.partition(_NODES)
    # Other words before the list mean another comment.
    ordered = _SORTED.get(order.strip())
    if not separator or ordered is None:
        return None
    nodes, _, aten = lists.partition("]")
    return Origins(
        nodes=_split_names(nodes), aten=_split_names(aten.partition(_ATEN)[2]), ordered=ordered
    )


def read_handles(comment: str) -> tuple[tuple[str, int], ...]:
    """The (wrapper, handle) pairs of a provenance comment.

    >>> read_handles("[Provenance debug handles] extern_kernels.mm:4, triton_poi_fused_0:5")
    (('extern_kernels.mm', 4), ('triton_poi_fused_0', 5))
    """
    if not comment.startswith(_HANDLES):
        return ()
    pairs = []
    for pair in _split_names(comment[len(_HANDLES) :]):
        name, _, number = pair.rpartition(":")
        if name and number.isascii() and number.isdecimal():
            pairs.append((name, int(number)))
    return tuple(pairs)


def is_of_calls(comment: str) -> bool:
    """Whether a comment says which nodes a call runs."""
    return read_origins(comment) is not None or bool(read_handles(comment))


def aot_id(comments: Iterable[str]) -> str | None:
    """The id of `AOT ID: ['0_forward']`, None where no comment states one."""
    for comment in comments:
        if comment.startswith(_AOT_ID):
            value = _literal_text(comment[len(_AOT_ID) :])
            if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
                # A slash would read as the prefix of a program.
                return value[0].strip().replace("/", "_") or None
    return None


def id_at_head(code: str, lines: int = _HEAD_LINES) -> str | None:
    """The id that generated code states in its first lines."""
    head = code.split("\n", lines)[:lines]
    return aot_id(comment for line in head if (comment := bare_comment(line)) is not None)


def is_headline(comment: str) -> bool:
    """Whether a comment can open the block of a definition; a blank line may follow such a one."""
    return comment.startswith((_PATH, _USER_PATH)) or read_origins(comment) is not None


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
        # Placeholders and what the fragment returns are no nodes.
        elif comment.startswith(("%", "return %")):
            continue
        # A line of the node map: `relu => relu_1, maximum`.
        elif _ARROW in comment:
            name, _, made = comment.partition(_ARROW)
            if name.strip():
                node_map.append((name.strip(), _split_names(made)))
        else:
            listed = read_origins(comment) or listed
    return DefinitionComment(
        path=path,
        source=source,
        origins=listed,
        node_map=tuple(node_map),
        fragment=tuple(fragment),
    )


def _split_names(listed: str) -> tuple[str, ...]:
    names = (name.strip() for name in listed.strip().strip("[]").split(","))
    return tuple(name for name in names if name)


def _literal_text(text: str) -> object:
    try:
        return literal_value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


_DIGITS = 18
"""Digits of a line's number that fit 64 bits."""


def _source_line(place: str) -> SourceLine | None:
    file, _, line = place.rpartition(":")
    if not (file and line.isascii() and line.isdecimal() and len(line) <= _DIGITS):
        return None
    return SourceLine(file=file, line=int(line))


def _fragment_node(comment: str) -> FxNode | None:
    if not comment.startswith("%"):
        return None
    name = comment[1:].partition(" :")[0]
    for mark in _CALLED:
        _, separator, rest = comment.partition(mark)
        if separator and name:
            target = rest.partition("](")[0].removesuffix("]").removeprefix("torch.ops.")
            return FxNode(name=name, stage=Stage.POST_GRAD, target=target or None)
    return None


class CallSite(Struct):
    """The comments of one function that no call has taken yet; `lost` are handles without one."""

    origins: Origins | None = None
    handles: list[tuple[str, int]] = []
    line: int = 0
    lost: list[str] = []

    def take_comment(self, text: str, line: int) -> None:
        """Take in the next comment line."""
        listed, numbered = read_origins(text), read_handles(text)
        if listed is not None:
            # A new list of nodes begins a new comment;
            # handles that still wait have lost their call.
            self.close_site()
            self.origins, self.line = listed, line
        elif numbered:
            # C++ kernels have a handle and no origins: what stood before is not theirs. Of others
            # the origins come first, in C++ with declarations between.
            apart = self.line != line - 1
            if apart and (self.handles or any(name.startswith(_CPP) for name, _ in numbered)):
                self.close_site()
            self.handles, self.line = list(numbered), line

    def take_origins(
        self, called: Callee, line: int
    ) -> tuple[Origins | None, str | None, int | None]:
        """The origins, the handle's name and the handle that belong to `called` at `line`."""
        # Only a list of nodes waits. It belongs to the next launch; glue such as `.copy_()` is a
        # part of the preparation, unless it stands right below the comment.
        if not self.handles:
            near = self.line == line - 1
            if self.origins is None or (called.backend is Backend.GLUE and not near):
                return None, None, None
            alone, self.origins = self.origins, None
            return alone, None, None
        # Handles wait: each goes to the call that it names, and others pass without the comment.
        chosen = next((pair for pair in self.handles if _bears_name(pair[0], called)), None)
        if chosen is None:
            return None, None, None
        taken = self.origins
        self.handles.remove(chosen)
        # One comment may serve several calls: its list waits until the last handle is taken.
        if not self.handles:
            self.origins = None
        return taken, chosen[0], chosen[1]

    def close_site(self) -> None:
        """Forget what waits; handles that nothing took are remembered as lost."""
        self.lost.extend(f"{name}:{number}" for name, number in self.handles)
        self.handles, self.origins = [], None


def _bears_name(name: str, called: Callee) -> bool:
    """Whether a handle's name means this call; newer code may shorten `torch.ops.aten.x`."""
    if name == called.wrapper or (called.looked_up and name.startswith(SHIM)):
        return True
    return called.backend is Backend.EXTERN and called.wrapper.endswith(f".{name}")
