"""Names of nodes → FxNodes, each with the line, the module and the operator that are known of it.

A line comes from the graph's text, else from the pre-grad nodes that the node was made of, else
from the stack traces of a call of which all other nodes have theirs. A line of torch's own stands
where none of the user's is known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kernelmap.compiler.facts import CodeFacts
from kernelmap.compiler.line_modules import LineModules
from kernelmap.compiler.node_index import NodeIndex
from kernelmap.model import FxNode, KernelDef, SourceLine, Stage, WrapperCall


def post_grad_nodes(
    calls: Sequence[WrapperCall],
    traced: Iterable[WrapperCall],
    kernels: Mapping[str, KernelDef],
    index: NodeIndex,
    made_of: Mapping[str, tuple[str, ...]],
    modules: LineModules,
) -> Iterator[FxNode]:
    """The post-grad nodes that a call, a fragment or the graph's text names.

    The stack traces of the calls `traced` are those of their nodes, and of no others.
    """
    facts = index.facts
    # Operators as the comments above kernels state them: they are there without a graph's text.
    fragments = {node.name: node.target for kernel in kernels.values() for node in kernel.fragment}
    named = [name for call in calls for name in call.nodes or ()]
    lines_of = {}
    # Node → lines of the user's code; calls first, so that nodes come in call order.
    for name in dict.fromkeys((*named, *fragments, *facts.post_grad)):
        text = facts.post_grad.get(name)
        lines_of[name] = _as_lines(text.line if text else None) or _lines_of(
            made_of.get(name, ()), index
        )
    from_stacks = _lines_from_stacks(traced, lines_of)
    # Stack traces name the user's line below which torch's stands, so that torch's is not needed.
    in_stacks = {name for call in calls if call.lines for name in call.nodes or ()}
    for name, of_text in lines_of.items():
        text = facts.post_grad.get(name)
        pre = made_of.get(name, ())
        # The user's line, from strong to weak: the text,
        # the pre-grad nodes, the stack traces of a call.
        lines = of_text or _as_lines(from_stacks.get(name))
        if not lines and name not in in_stacks:
            lines = _as_lines(text.torch_line if text else None) or _torch_lines_of(pre, index)
        # Dynamo's graph shows modules best, as its nodes take the parameters.
        module = _module_of(pre, facts) or (text.module if text else None)
        yield FxNode(
            name=name,
            stage=Stage.POST_GRAD,
            target=fragments.get(name) or (text.target if text else None),
            shape=text.shape if text else None,
            pre_grad=pre,
            lines=lines,
            module=module or modules.of_line(lines[-1] if lines else None),
        )


def pre_grad_nodes(
    nodes: Sequence[FxNode], calls: Sequence[WrapperCall], facts: CodeFacts
) -> Iterator[FxNode]:
    """The pre-grad nodes that a post-grad node, a call or the graph's text names."""
    sources = [pre for node in nodes for pre in node.pre_grad]
    of_calls = [pre for call in calls for pre in call.pre_grad]
    of_text = facts.pre_grad_text.lines if facts.pre_grad_text else ()
    for name in dict.fromkeys((*sources, *of_calls, *of_text)):
        text = facts.pre_grad.get(name)
        yield FxNode(
            name=name,
            stage=Stage.PRE_GRAD,
            target=text.target if text else None,
            shape=text.shape if text else None,
            lines=_as_lines(text.stated_line if text else None),
            module=text.module if text else None,
        )


def _lines_from_stacks(
    calls: Iterable[WrapperCall], lines_of: Mapping[str, tuple[SourceLine, ...]]
) -> dict[str, SourceLine]:
    """The lines of nodes of which the graph's text names none of the user's.

    A call's stack traces are those of its nodes. Where one line is left that no other node stands
    on, and one node without a line, that is its line: a template's own, beside those of its inputs.
    """
    found: dict[str, set[SourceLine]] = defaultdict(set)
    for call in calls:
        # Lines of the call's other nodes explain their part of its stack traces. One line that is
        # left and one node without a line belong together.
        nodes = call.nodes or ()
        known = {(line.file, line.line) for name in nodes for line in lines_of[name]}
        without = [name for name in nodes if not lines_of[name]]
        left = [line for line in call.lines if (line.file, line.line) not in known]
        if len(without) == len(left) == 1:
            found[without[0]].add(left[0])
    # Two calls that give a node different lines: neither counts.
    return {name: lines.pop() for name, lines in found.items() if len(lines) == 1}


def _lines_of(pre: Sequence[str], index: NodeIndex) -> tuple[SourceLine, ...]:
    """The line of the pre-grad node that comes last in its graph: the one that uses the others."""
    lines = {
        name: text.line for name in pre if (text := index.facts.pre_grad.get(name)) and text.line
    }
    last = index.last_of_dynamo(lines)
    return _as_lines(lines[last] if last else None)


def _torch_lines_of(pre: Sequence[str], index: NodeIndex) -> tuple[SourceLine, ...]:
    """The line of torch's own of the pre-grad node that comes last."""
    texts = ((name, index.facts.pre_grad.get(name)) for name in pre)
    lines = {name: text.torch_line for name, text in texts if text and text.torch_line}
    last = index.last_of_dynamo(lines)
    return _as_lines(lines[last] if last else None)


def _module_of(pre: Sequence[str], facts: CodeFacts) -> str | None:
    """The module that all pre-grad nodes share; None where one has none or they differ."""
    modules = {text.module for name in pre if (text := facts.pre_grad.get(name)) is not None}
    return modules.pop() if len(modules) == 1 else None


def _as_lines(line: SourceLine | None) -> tuple[SourceLine, ...]:
    return (line,) if line else ()
