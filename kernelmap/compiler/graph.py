"""One text of generated code → a CompiledGraph, with what could not be read of it.

Takes the text and the facts that were read beside it, wherever both come from. The id of a graph in
Python is that of `# AOT ID: ['0_forward']`, else what the folder of torch_compile_debug says
(`model__0_forward_1.0`), else the file's name. C++ states no id: it is the package's name of the
model, the id of a debug folder, or the start of the hash that names the file. A C++ wrapper has a
second graph where it folds its constants when it loads; stack traces that the code itself states
count where nothing else does. Ids are made unique later, where all graphs are there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath

from kernelmap.compiler.cpp.calls import CppCalls, cpp_calls
from kernelmap.compiler.cpp.functions import NOTHING, functions
from kernelmap.compiler.cpp.kernels import CppKernels, kernels_of
from kernelmap.compiler.cpp.shims import target_by_nodes
from kernelmap.compiler.cpp.tokens import Token, tokens
from kernelmap.compiler.cpp_source import cpp_part
from kernelmap.compiler.facts import CodeText
from kernelmap.compiler.graph_ids import kind_of
from kernelmap.compiler.nodes import Nodes, with_nodes
from kernelmap.compiler.python.broken import salvage
from kernelmap.compiler.python.calls import OrderedCalls, ordered_calls
from kernelmap.compiler.python.comments import aot_id
from kernelmap.compiler.python.kernels import definitions
from kernelmap.compiler.python.source import comment_lines, parse, signs
from kernelmap.compiler.python.statements import Code, code_of
from kernelmap.model import Backend, CompiledGraph, Notice, Stage, WrapperCall
from kernelmap.model.limits import SIGNS, TOKENS
from kernelmap.model.marks import graph_digest
from kernelmap.model.notices import count

_ENTRIES = {"run_impl": "inference", "inductor_entry_impl": None}
_CONSTANTS = "_const_run_impl"
_LONGEST_NAME = 40  # a longer one is a hash
_SHORT = 8


def graphs_of(source: CodeText) -> Iterator[tuple[CompiledGraph, tuple[Notice, ...]]]:
    """The graph that `source` is; of a C++ wrapper also that of its constants."""
    text = cpp_part(source.text)
    if text is None:
        yield graph_of(source)
        return
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


@dataclass(frozen=True, slots=True)
class CppGraph:
    """A graph, its ordered calls, and whether the function that makes them is there."""

    graph: CompiledGraph
    ordered: OrderedCalls
    entered: bool
    notices: tuple[Notice, ...] = ()


def _tokens(text: str, path: str) -> tuple[Token, ...]:
    """The tokens of `text`, which stands at `path`. Raises KernelmapError for too many."""
    most = TOKENS.now()
    read = tokens(text, None if most is None else most + 1)
    TOKENS.check(len(read), path)
    return read


def cpp_graphs(source: CodeText, text: str) -> tuple[CppGraph, ...]:
    """The graphs of `text`, which is the C++ of `source`."""
    read = _tokens(text, source.code)
    code = functions(read)
    beside = source.facts.kernel_code
    other = functions(_tokens(beside.text, beside.path)) if beside else NOTHING
    kernels = kernels_of(read, code, other, beside.path if beside else None)
    entry = next((code.defined[name] for name in _ENTRIES if name in code.defined), None)
    main = cpp_calls(entry, code, kernels)
    constants = cpp_calls(code.defined.get(_CONSTANTS), code, kernels)
    name = source.stated or _short(source.code)
    kind = kind_of(source.stated) or (_ENTRIES[entry.name] if entry else None)
    graph = CompiledGraph(
        id=name,
        calls=(),
        kernels=tuple(kernels.kernels.values()),
        code=source.code,
        aot_id=source.stated if kind_of(source.stated) else None,
        kind=kind,
        compile_id=source.facts.compile_id,
        cache_key=source.facts.cache_key,
        borrowed=source.borrowed,
        emitted=source.facts.emitted,
        artifacts=source.facts.artifacts,
        text=source.text,
        pre_grad_text=source.facts.pre_grad_text,
        post_grad_text=source.facts.post_grad_text,
    )
    folding = _used(constants, kernels)
    others = folding - _used(main, kernels)
    kept = tuple(kernel for kernel in graph.kernels if kernel.name not in others)
    first = _filled(replace(graph, kernels=kept), main, source)
    results = [CppGraph(first, main.calls, entry is not None, kernels.notices)]
    if constants.calls.calls:
        used = tuple(kernel for kernel in graph.kernels if kernel.name in folding)
        folded = replace(graph, id=f"{name}_constants", kernels=used)
        results.append(CppGraph(_filled(folded, constants, source), constants.calls, entered=True))
    return tuple(results)


def _used(calls: CppCalls, kernels: CppKernels) -> set[str]:
    """The names of the kernels that `calls` run, members of multi-kernels too."""
    used = {keyed.call.kernel for keyed in calls.calls.calls if keyed.call.kernel}
    return used | {
        m for name in used if name in kernels.kernels for m in kernels.kernels[name].members
    }


def _filled(graph: CompiledGraph, calls: CppCalls, source: CodeText) -> CompiledGraph:
    nodes = with_nodes(calls.calls.calls, graph.kernel_by_name, source.facts)
    return replace(graph, calls=tuple(_finished(nodes, calls)), nodes=nodes.nodes)


def _finished(nodes: Nodes, calls: CppCalls) -> Iterator[WrapperCall]:
    """The calls with the lines that the code states, and with their nodes' operators."""
    targets = {n.name: n.target for n in nodes.nodes if n.stage is Stage.POST_GRAD and n.target}
    for call, lines in zip(nodes.calls, calls.lines, strict=True):
        operators = [targets[name] for name in call.nodes or () if name in targets]
        yield replace(
            call, lines=call.lines or lines, target=target_by_nodes(call, operators) or call.target
        )


def _short(path: str) -> str:
    """`model` of `model.wrapper.cpp`, the first characters of a hash."""
    stem = PurePath(path.replace("\\", "/")).name.partition(".")[0]
    return stem[:_SHORT] if len(stem) > _LONGEST_NAME else stem or path
