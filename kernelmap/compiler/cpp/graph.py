"""C++ of a wrapper → the graph that it runs, and the one that folds its constants when it loads.

C++ states no id: it is the package's name of the model, the id of a debug folder, or the start of
the hash that names the file. Stack traces that the code itself states count where nothing else
does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler.cpp.calls import CppCalls, cpp_calls
from kernelmap.compiler.cpp.functions import NOTHING, find_functions
from kernelmap.compiler.cpp.kernels import CppKernels, kernels_of
from kernelmap.compiler.cpp.shims import target_by_nodes
from kernelmap.compiler.cpp.tokens import Token, tokenize_cpp
from kernelmap.compiler.facts import CodeText
from kernelmap.compiler.nodes import Nodes, with_nodes
from kernelmap.compiler.python.calls import OrderedCalls
from kernelmap.model import CompiledGraph, Notice, Stage, WrapperCall
from kernelmap.model.paths import TOKENS
from kernelmap.model.program import kind_of

# Names of entry functions → the kind of graph, where the name says it.
_ENTRIES = {"run_impl": "inference", "inductor_entry_impl": None}
_CONSTANTS = "_const_run_impl"
_LONGEST_NAME = 40  # a longer one is a hash
_SHORT = 8


class CppGraph(Struct, frozen=True):
    """A graph, its ordered calls, and whether the function that makes them is there."""

    graph: CompiledGraph
    ordered: OrderedCalls
    entered: bool
    notices: tuple[Notice, ...] = ()


def _tokens_of_file(text: str, path: str) -> tuple[Token, ...]:
    """The tokens of `text`, which stands at `path`. Raises KernelmapError for too many."""
    most = TOKENS.current()
    read = tokenize_cpp(text, None if most is None else most + 1)
    TOKENS.check_amount(len(read), path)
    return read


def cpp_graphs(source: CodeText, text: str) -> tuple[CppGraph, ...]:
    """The graphs of `text`, which is the C++ of `source`."""
    read = _tokens_of_file(text, source.code)
    code = find_functions(read)
    beside = source.facts.kernel_code
    # The kernels' file is known to belong to this wrapper; it says which kernels open a range.
    other = find_functions(_tokens_of_file(beside.text, beside.path)) if beside else NOTHING
    kernels = kernels_of(read, code, other, beside.path if beside else None)
    entry = next((code.defined[name] for name in _ENTRIES if name in code.defined), None)
    main = cpp_calls(entry, code, kernels)
    # Constants that are folded when the model loads are a graph of their own.
    constants = cpp_calls(code.defined.get(_CONSTANTS), code, kernels)
    name = source.stated or _short_name(source.code)
    kind = kind_of(source.stated) or (_ENTRIES[entry.name] if entry else None)
    graph = CompiledGraph(
        id=name,
        calls=(),
        kernels=tuple(kernels.kernels.values()),
        code=source.code,
        # The name of a model in a package is no AOT id.
        aot_id=source.stated if kind_of(source.stated) else None,
        kind=kind,
        compile_id=source.facts.compile_id,
        cache_key=source.facts.cache_key,
        borrowed=source.borrowed,
        emitted=source.facts.emitted,
        beside=source.facts.beside,
        artifacts=source.facts.artifacts,
        text=source.text,
        kernel_text=beside.text if beside else None,
        pre_grad_text=source.facts.pre_grad_text,
        post_grad_text=source.facts.post_grad_text,
        not_fused=source.facts.not_fused,
    )
    # A kernel that only the folding of constants runs belongs to that graph alone. One that nothing
    # runs stays with the main graph.
    folding = _names_of_kernels_run(constants, kernels)
    others = folding - _names_of_kernels_run(main, kernels)
    kept = tuple(kernel for kernel in graph.kernels if kernel.name not in others)
    first = _fill_graph(replace(graph, kernels=kept), main, source)
    results = [CppGraph(first, main.calls, entry is not None, kernels.notices)]
    if constants.calls.calls:
        used = tuple(kernel for kernel in graph.kernels if kernel.name in folding)
        folded = replace(graph, id=f"{name}_constants", kernels=used)
        results.append(
            CppGraph(_fill_graph(folded, constants, source), constants.calls, entered=True)
        )
    return tuple(results)


def _names_of_kernels_run(calls: CppCalls, kernels: CppKernels) -> set[str]:
    """The names of the kernels that `calls` run, members of multi-kernels too."""
    used = {keyed.call.kernel for keyed in calls.calls.calls if keyed.call.kernel}
    return used | {
        m for name in used if name in kernels.kernels for m in kernels.kernels[name].members
    }


def _fill_graph(graph: CompiledGraph, calls: CppCalls, source: CodeText) -> CompiledGraph:
    nodes = with_nodes(calls.calls.calls, graph.kernel_by_name, source.facts)
    return replace(graph, calls=tuple(_iter_finished_calls(nodes, calls)), nodes=nodes.nodes)


def _iter_finished_calls(nodes: Nodes, calls: CppCalls) -> Iterator[WrapperCall]:
    """The calls with the lines that the code states, and with their nodes' operators."""
    # The post-grad nodes that a call runs name its operator better than the C function does.
    targets = {n.name: n.target for n in nodes.nodes if n.stage is Stage.POST_GRAD and n.target}
    for call, lines in zip(nodes.calls, calls.lines, strict=True):
        operators = [targets[name] for name in call.nodes or () if name in targets]
        yield replace(
            call, lines=call.lines or lines, target=target_by_nodes(call, operators) or call.target
        )


def _short_name(path: str) -> str:
    """`model` of `model.wrapper.cpp`, the first characters of a hash."""
    stem = PurePath(path.replace("\\", "/")).name.partition(".")[0]
    return stem[:_SHORT] if len(stem) > _LONGEST_NAME else stem or path
