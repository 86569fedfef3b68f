"""One text of generated code → a CompiledGraph, with what could not be read of it.

Takes the text and the facts that were read beside it, wherever both come from. The id of a graph in
Python is that of `# AOT ID: ['0_forward']`, else what the folder of torch_compile_debug says
(`model__0_forward_1.0`), else the file's name. C++ is read in cpp/graph.py. Ids are made unique
later, where all graphs are there. What a text says by itself is remembered: the ranks of a fleet
bring the same few texts a thousand times.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import PurePath

from msgspec import Struct

from kernelmap.compiler.cpp.graph import cpp_graphs
from kernelmap.compiler.facts import CodeText
from kernelmap.compiler.nodes import with_nodes
from kernelmap.compiler.python.broken import salvage_parts
from kernelmap.compiler.python.calls import OrderedCalls, ordered_calls
from kernelmap.compiler.python.comments import aot_id
from kernelmap.compiler.python.kernels import Definitions, find_definitions
from kernelmap.compiler.python.source import comment_lines, count_signs, cpp_part, tree_of
from kernelmap.compiler.python.statements import ParsedCode, code_of
from kernelmap.model import Backend, CompiledGraph, Notice, WrapperCall
from kernelmap.model.marks import graph_digest
from kernelmap.model.notices import format_count
from kernelmap.model.paths import SIGNS
from kernelmap.model.program import kind_of

_REMEMBERED = 128  # texts: those of eight ranks on one machine, of 16 graphs
_SHORT = 200_000  # characters: longer texts are not remembered, which keeps all to some 100 MB


class _Read(Struct, frozen=True, kw_only=True):
    """What a text of Python says by itself, wherever it lies.

    `entered` says whether it has a `call()`, `unread` how many lines were left out of a text that
    does not parse; None where it does.
    """

    defined: Definitions
    ordered: OrderedCalls
    aot_id: str | None
    entered: bool
    unread: int | None


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
    text, path = source.text, source.code
    # The length is checked first, as counting signs takes a pass over the text.
    if SIGNS.is_exceeded(len(text)):
        SIGNS.check_amount(count_signs(text), path)
    # What the text says by itself is the same for each rank; facts beside it are added below.
    read = _remembered(text) if len(text) <= _SHORT else _read_text(text)
    # The id that the code states, else that of the folder. Its kind decides how names are read.
    stated = read.aot_id or source.stated
    backward = kind_of(stated) == "backward"
    kernels = {kernel.name: kernel for kernel in read.defined.kernels}
    nodes = with_nodes(read.ordered.calls, kernels, source.facts, backward=backward)
    graph = CompiledGraph(
        id=stated or PurePath(path.replace("\\", "/")).stem,
        calls=nodes.calls,
        kernels=read.defined.kernels,
        nodes=nodes.nodes,
        alignment_copies=read.ordered.copies,
        code=path,
        aot_id=stated,
        kind=kind_of(stated),
        compile_id=source.facts.compile_id,
        cache_key=source.facts.cache_key,
        borrowed=source.borrowed,
        emitted=source.facts.emitted,
        beside=source.facts.beside,
        artifacts=source.facts.artifacts,
        digest=graph_digest(text),
        text=text,
        pre_grad_text=source.facts.pre_grad_text,
        post_grad_text=source.facts.post_grad_text,
        not_fused=source.facts.not_fused,
    )
    return graph, (
        *_broken_notice(read, path),
        *read.defined.notices,
        *_unknown_notice(graph),
        *_call_notices(graph, read.ordered, entered=read.entered),
    )


def _read_text(text: str) -> _Read:
    code, unread = _parse_whole(text), None
    # Python cannot parse the whole: a cut or pasted file is read line by line.
    if code is None:
        salvaged = salvage_parts(text)
        code, unread = salvaged.code, salvaged.unread
    defined = find_definitions(code)
    return _Read(
        defined=defined,
        ordered=ordered_calls(code, {kernel.name: kernel for kernel in defined.kernels}),
        aot_id=aot_id(code.comments.values()),
        entered=code.entry is not None,
        unread=unread,
    )


_remembered = lru_cache(maxsize=_REMEMBERED)(_read_text)


def _broken_notice(read: _Read, path: str) -> Iterator[Notice]:
    if read.unread is not None:
        yield Notice(
            slug="code-does-not-parse",
            message=f"{path} is no whole Python file: read line by line, "
            f"{format_count(read.unread, 'line')} left out.",
            hint="Give the file as Inductor wrote it; calls may be missing from this one.",
            gap=True,
        )


def _parse_whole(text: str) -> ParsedCode | None:
    """The code of a text that parses; None where it does not, or is nested beyond all measure."""
    tree = tree_of(text)
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
            message=f"{graph.code}: {format_count(len(ordered.lost), 'provenance handle')} "
            f"without a call that could be read, first {ordered.lost[0]}.",
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
    # A call without kernel and operator runs a kernel that the text does not define.
    undefined = {
        keyed.call.wrapper
        for keyed in ordered.calls
        if keyed.call.kernel is None and keyed.call.target is None and not _is_library(keyed.call)
    }
    if undefined:
        yield Notice(
            slug="kernel-without-definition",
            message=f"{graph.code} runs {format_count(len(undefined), 'kernel')} without a "
            f"definition in it, first {min(undefined)}.",
            hint="Their calls are kept; signature, source nodes and path are unknown.",
        )


def _unknown_notice(graph: CompiledGraph) -> Iterator[Notice]:
    """The notice about statements of a Python wrapper that may be any work."""
    unknown = [
        call
        for call in graph.calls
        if call.backend is Backend.EXTERN and call.kernel is None and call.target is None
    ]
    if unknown:
        yield Notice(
            slug="unknown-statement",
            message=f"{graph.code} runs {format_count(len(unknown), 'statement')} of which nothing "
            f"is known, first {unknown[0].wrapper} in line {unknown[0].line}.",
            hint="Each counts as a call; what it launches has no range that names it.",
        )


def _is_library(call: WrapperCall) -> bool:
    """Whether a call runs an operator that its code does not name."""
    return call.backend is Backend.EXTERN
