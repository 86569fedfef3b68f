"""Source lines → the nn.Module that ran them, for nodes and calls of which nothing says it.

Kernels of a backward that is compiled lazily have stack traces only, and some nodes have a line and
no module. A line is a module's where every node that Dynamo's graph has there lies in it, and one
of them in nothing deeper: so one module ran the line, once or often. A library call without nodes
is one of the nodes of its operator on its lines: what these agree on holds for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from msgspec import Struct

from kernelmap.compiler.fx.graph_text import TextNode
from kernelmap.compiler.fx.module_lines import SELF
from kernelmap.compiler.node_index import NodeIndex
from kernelmap.model import Backend, SourceLine, WrapperCall

_TextNodes = Mapping[str, TextNode]
_LineOfFile = tuple[str, int | None]


class LineModules(Struct, frozen=True):
    """What the nodes of a graph show of lines; `of_lines` is empty where a node has no line."""

    of_lines: Mapping[_LineOfFile, str] = {}

    @classmethod
    def learn_lines(cls, dynamo: _TextNodes) -> LineModules:
        """Learn the lines of Dynamo's graph; one node without a line may stand on any."""
        modules_by_line: dict[_LineOfFile, set[str | None]] = defaultdict(set)
        # A line has one owner only if every node on it
        # is known; a node without a line may be on any.
        for node in dynamo.values():
            if node.line is None:
                return cls()
            modules_by_line[_place_of_line(node.line)].add(node.module)
        owners = {place: _common_owner(modules) for place, modules in modules_by_line.items()}
        return cls({place: owner for place, owner in owners.items() if owner is not None})

    def of_line(self, line: SourceLine | None) -> str | None:
        """The module that ran `line`, None where that is not known."""
        return None if line is None else self.of_lines.get(_place_of_line(line))

    def of_call(self, call: WrapperCall, index: NodeIndex) -> tuple[str | None, ...]:
        """The modules of a call without nodes, in equal parts: one for each of its lines."""
        if call.nodes:
            return ()
        sole = _of_operator(call, index)
        if sole is not None:
            return (sole,)
        return tuple(self.of_line(line) for line in call.lines)


def _of_operator(call: WrapperCall, index: NodeIndex) -> str | None:
    """The module of all nodes on the call's lines that run its operator."""
    if call.backend is not Backend.EXTERN or call.target is None:
        return None
    # If a node of the operator has no line, the call may be that node.
    if call.target in index.lineless:
        return None
    modules = {
        index.facts.post_grad[name].module
        for line in call.lines
        for name in index.on_line.get((call.target, (line.file, line.line)), ())
    }
    return modules.pop() if len(modules) == 1 else None


def _common_owner(modules: Collection[str | None]) -> str | None:
    """The one of `modules` that all of them lie in."""
    named = [module for module in modules if module is not None]
    # A node without a module leaves the line open.
    if not named or len(named) < len(modules):
        return None
    # The shortest path can be the only one that holds all others: `layers.0` of `layers.0.mlp`.
    top = SELF if SELF in named else min(named, key=len)
    return top if all(top in (SELF, m) or m.startswith(f"{top}.") for m in named) else None


def _place_of_line(line: SourceLine) -> _LineOfFile:
    return line.file, line.line
