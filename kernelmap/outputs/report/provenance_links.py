"""Which call, nodes and source lines of a graph belong together: all links, in both directions.

Takes records, gives pairs of whole numbers. Four kinds of things hang together: calls, nodes after
and before autograd, and source lines; each kind has an order, and a link names positions in it.

* call to post-grad node: the node mapping, as far as the code bears its handle;
* post-grad to pre-grad node: the mapping too. Where it says nothing of a call, a pre-grad node is
  the call's own by `kernel_information.json`, or else by the names in the comment above the call;
* to a source line: what nodes and stack traces say, as the table of lines has it,
  and where a user kernel was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from kernelmap.attribution.places import Line, commented, made_of
from kernelmap.model import CompiledGraph, FxNode, SourceLine, WrapperCall

_Thing = TypeVar("_Thing")
Links = tuple[tuple[int, ...], ...]
"""Parallel to the things of one kind: for each the positions of the other kind, ascending."""


@dataclass(frozen=True, kw_only=True)
class Chain:
    """The things of one graph and how they hang together; calls are numbered by their index.

    `call_post` has the post-grad nodes of each call, and so on.
    """

    post: tuple[str, ...]
    pre: tuple[str, ...]
    lines: tuple[Line, ...]
    call_post: Links
    call_pre: Links
    call_line: Links
    post_pre: Links
    post_line: Links
    pre_line: Links


def chain(graph: CompiledGraph, call_lines: Sequence[Sequence[SourceLine]]) -> Chain:
    """The links of `graph`; `call_lines` are the source lines of each of its calls."""
    post, pre = graph.post_grad, graph.pre_grad
    called = [name for call in graph.calls for name in call.nodes or ()]
    post_at = _numbered((*post, *called))
    of_post = {name: made_of(graph, name) for name in post_at}
    of_calls = [_pre_grad(call, graph) for call in graph.calls]
    made = [name for names in (*of_post.values(), *of_calls) for name in names]
    pre_at = _numbered((*pre, *made))
    lines_of_post = [_line(post.get(name)) for name in post_at]
    lines_of_pre = [_line(pre.get(name)) for name in pre_at]
    of_nodes = [line for lines in (*lines_of_post, *lines_of_pre) for line in lines]
    of_code = [
        dict.fromkeys((each.file, each.line) for each in (*lines, *_written(graph, call)))
        for call, lines in zip(graph.calls, call_lines, strict=True)
    ]
    line_at = _numbered(sorted({*of_nodes, *(each for lines in of_code for each in lines)}))
    return Chain(
        post=tuple(post_at),
        pre=tuple(pre_at),
        lines=tuple(line_at),
        call_post=tuple(_places(call.nodes or (), post_at) for call in graph.calls),
        call_pre=tuple(_places(names, pre_at) for names in of_calls),
        call_line=tuple(_places(lines, line_at) for lines in of_code),
        post_pre=tuple(_places(of_post[name], pre_at) for name in post_at),
        post_line=tuple(_places(lines, line_at) for lines in lines_of_post),
        pre_line=tuple(_places(lines, line_at) for lines in lines_of_pre),
    )


def _pre_grad(call: WrapperCall, graph: CompiledGraph) -> tuple[str, ...]:
    """The pre-grad nodes of a call: its nodes', its own, or else those of its comment."""
    found = [*(pre for name in call.nodes or () for pre in made_of(graph, name)), *call.pre_grad]
    return tuple(dict.fromkeys(found)) or commented(graph, call)


def _written(graph: CompiledGraph, call: WrapperCall) -> tuple[SourceLine, ...]:
    """Where the user wrote the kernel that `call` runs."""
    kernel = graph.kernel_of(call)
    return (kernel.source,) if kernel is not None and kernel.source is not None else ()


def _line(node: FxNode | None) -> tuple[Line, ...]:
    """The innermost line of a node."""
    return ((node.lines[-1].file, node.lines[-1].line),) if node and node.lines else ()


def _numbered(things: Iterable[_Thing]) -> dict[_Thing, int]:
    return {thing: number for number, thing in enumerate(dict.fromkeys(things))}


def _places(things: Iterable[_Thing], at: dict[_Thing, int]) -> tuple[int, ...]:
    return tuple(sorted({at[thing] for thing in things}))
