"""One text of generated code → a CompiledGraph, with what could not be read of it.

Takes the text and the facts that were read beside it, wherever both come from. The id of a graph in
Python is that of `# AOT ID: ['0_forward']`, else what the folder of torch_compile_debug says
(`model__0_forward_1.0`), else the file's name. C++ is read in cpp/graph.py. Ids are made unique
later, where all graphs are there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from kernelmap.compiler.facts import CodeText
from kernelmap.compiler.nodes import with_nodes
from kernelmap.compiler.python.calls import OrderedCalls, ordered_calls
from kernelmap.compiler.python.comments import aot_id
from kernelmap.compiler.python.kernels import definitions
from kernelmap.compiler.python.source import comment_lines, cpp_part, parse, signs
from kernelmap.compiler.python.statements import Code, code_of
from kernelmap.model import Backend, CompiledGraph, Notice, WrapperCall
from kernelmap.model.marks import graph_digest
from kernelmap.model.notices import count
from kernelmap.model.paths import SIGNS
from kernelmap.model.program import kind_of


def graphs_of(source: CodeText) -> Iterator[tuple[CompiledGraph, tuple[Notice, ...]]]:
    """The graph that `source` is; of a C++ wrapper also that of its constants."""
    text = cpp_part(source.text)
    if text is None:
        yield graph_of(source)
        return
    from kernelmap.compiler.cpp.graph import cpp_graphs

    for cpp in cpp_graphs(source, text):
        unread = tuple(_call_notices(cpp.graph, cpp.ordered, entered=cpp.entered))
        yield cpp.graph, (*cpp.notices, *unread)


def graph_of(source: CodeText) -> tuple[CompiledGraph, tuple[Notice, ...]]:
    """The graph that `source`, a text of Python, is."""
    code, notices = _code(source.text, source.code)
    defined = definitions(code)
    kernels = {kernel.name: kernel for kernel in defined.kernels}
    ordered = ordered_calls(code, kernels)
    stated = aot_id(code.comments.values()) or source.stated
    backward = kind_of(stated) == "backward"
    nodes = with_nodes(ordered.calls, kernels, source.facts, backward=backward)
    graph = CompiledGraph(
        id=stated or PurePath(source.code.replace("\\", "/")).stem,
        calls=nodes.calls,
        kernels=defined.kernels,
        nodes=nodes.nodes,
        code=source.code,
        aot_id=stated,
        kind=kind_of(stated),
        compile_id=source.facts.compile_id,
        cache_key=source.facts.cache_key,
        borrowed=source.borrowed,
        emitted=source.facts.emitted,
        artifacts=source.facts.artifacts,
        digest=graph_digest(source.text),
        text=source.text,
        pre_grad_text=source.facts.pre_grad_text,
        post_grad_text=source.facts.post_grad_text,
    )
    return graph, (
        *notices,
        *defined.notices,
        *_call_notices(graph, ordered, entered=code.entry is not None),
    )


def _code(text: str, path: str) -> tuple[Code, tuple[Notice, ...]]:
    if SIGNS.exceeded(len(text)):
        SIGNS.check(signs(text), path)
    whole = _whole(text)
    if whole is not None:
        return whole, ()
    from kernelmap.compiler.python.broken import salvage

    read = salvage(text)
    return read.code, (
        Notice(
            slug="code-does-not-parse",
            message=f"{path} is no whole Python file: read line by line, "
            f"{count(read.unread, 'line')} left out.",
            hint="Give the file as Inductor wrote it; calls may be missing from this one.",
            gap=True,
        ),
    )


def _whole(text: str) -> Code | None:
    """The code of a text that parses; None where it does not, or is nested beyond all measure."""
    tree = parse(text)
    if tree is None:
        return None
    try:
        return code_of(tree, comment_lines(text, tree), tuple(text.split("\n")))
    except RecursionError:
        return None


def _call_notices(
    graph: CompiledGraph, ordered: OrderedCalls, *, entered: bool
) -> Iterator[Notice]:
    if not entered:
        yield Notice(
            slug="code-without-call",
            message=f"{graph.code} defines kernels but no call() that runs them.",
            hint="Its kernels are known by name only; give the whole output_code.py.",
            gap=True,
        )
    if ordered.lost:
        yield Notice(
            slug="handle-without-call",
            message=f"{graph.code}: {count(len(ordered.lost), 'provenance handle')} without a call "
            f"that could be read, first {ordered.lost[0]}.",
            hint="The nodes of these handles reach no call.",
            gap=True,
        )
    if ordered.cut:
        yield Notice(
            slug="too-many-calls",
            message=f"{graph.code}: only the first {len(ordered.calls)} calls are read.",
            hint="Functions of this code call each other too often to be followed.",
            gap=True,
        )
    undefined = {
        keyed.call.wrapper
        for keyed in ordered.calls
        if keyed.call.kernel is None and keyed.call.target is None and not _is_library(keyed.call)
    }
    if undefined:
        yield Notice(
            slug="kernel-without-definition",
            message=f"{graph.code} runs {count(len(undefined), 'kernel')} without a definition "
            f"in it, first {min(undefined)}.",
            hint="Their calls are kept; signature, source nodes and path are unknown.",
        )


def _is_library(call: WrapperCall) -> bool:
    """Whether a call runs an operator that its code does not name."""
    return call.backend is Backend.EXTERN
