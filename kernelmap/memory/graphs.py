"""A graph's code → its `GraphMemory`: read, followed statement by statement, put into records."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from kernelmap.compiler.cpp.translated import translate_wrapper
from kernelmap.compiler.python.source import cpp_part, nodes_in, tree_of
from kernelmap.compiler.python.statements import ENTRY, LocalFunctions, code_of, split_assignment
from kernelmap.memory.follow import Follower, HandedOver
from kernelmap.memory.ledger import Storage
from kernelmap.memory.saved import find_forwards, handed_to_backward
from kernelmap.memory.sizes import Sizes
from kernelmap.memory.stated import SYMBOL, StatedTensors, sizes_of_symbols, tensors_stated
from kernelmap.model import CompiledGraph, CompiledProgram
from kernelmap.model.memory import GraphMemory, MemoryBuffer, MemoryKind, device_kind

_CPP_ENTRIES = ("run_impl", "inductor_entry_impl")
_FORWARD, _BACKWARD = "forward", "backward"
_KEPT_BY_CALLER = ("primals_", "tangents_")
"""Inputs of a backward that others hold as well: parameters and the forward's own inputs are the
model's, and autograd holds the gradients that it hands over until the backward is done."""


def memory_of_program(
    program: CompiledProgram,
    sizes: Sizes | None = None,
    *,
    sizes_of_graphs: Mapping[str, Sizes] | None = None,
    as_allocated: bool = False,
) -> tuple[GraphMemory, ...]:
    """The memory of every graph that has code, in the order of the program.

    `sizes` are numbers for symbols. Where they have none for one, that of the graph in
    `sizes_of_graphs` counts, and then that of the example in the code. `as_allocated` rounds sizes
    up as torch's caching allocator does.
    """
    made: list[tuple[CompiledGraph, WrapperCode, GraphMemory]] = []
    for graph in program.graphs:
        code = read_wrapper(graph)
        if code is not None:
            of_graph = {**(sizes_of_graphs or {}).get(graph.id, {}), **(sizes or {})}
            made.append(
                (graph, code, follow_graph(graph, code, of_graph, as_allocated=as_allocated))
            )
    forwards = [(graph, memory) for graph, _, memory in made if graph.kind == _FORWARD]
    memories: list[GraphMemory] = []
    for graph, code, alone in made:
        pairs = find_forwards(graph, forwards) if graph.kind == _BACKWARD else []
        handed = [one for forward in pairs if (one := handed_to_backward(forward, alone))]
        # What the forward returned is surer than what names tell; of several it may be any.
        if len(handed) == 1:
            given = {name: alone.sizes[name] for name in alone.sizes.keys() - alone.examples}
            again = follow_graph(graph, code, given, as_allocated=as_allocated, handed=handed[0])
            memories.append(again)
        else:
            memories.append(alone)
    return tuple(memories)


class WrapperCode(Struct, frozen=True):
    """The code of one graph, parsed: its statements, its functions, and the one that is run."""

    body: Sequence[ast.stmt]
    functions: Mapping[str, ast.FunctionDef]
    entry: ast.FunctionDef
    local: LocalFunctions
    stated: StatedTensors
    numbers: frozenset[str]


def read_wrapper(graph: CompiledGraph) -> WrapperCode | None:
    """The code of a graph; None where it has none, or none that can be read."""
    tree = _tree_of_graph(graph)
    functions = _functions_of(tree) if tree is not None else {}
    entry = _entry_among(functions)
    if tree is None or entry is None:
        return None
    return WrapperCode(
        body=tree.body,
        functions=functions,
        entry=entry,
        local=LocalFunctions.in_code(code_of(tree, {}, ())),
        stated=tensors_stated(graph, tree.body),
        numbers=_names_of_numbers(tree),
    )


def follow_graph(
    graph: CompiledGraph,
    code: WrapperCode,
    sizes: Sizes | None = None,
    *,
    as_allocated: bool = False,
    handed: Mapping[str, HandedOver] | None = None,
) -> GraphMemory:
    """The memory of one graph; `handed` has what another graph tells of its arguments."""
    examples, given = sizes_of_symbols(code.stated, code.entry.body), sizes or {}
    known = {**examples, **given}
    follower = Follower(
        graph=graph,
        stated=code.stated,
        functions=code.functions,
        local=code.local,
        numbers=code.numbers,
        kind_of_input=_kind_in_backward if graph.kind == _BACKWARD else _kind_elsewhere,
        handed=handed or {},
    )
    returned = follower.follow_entry(code.entry)
    ledger = follower.ledger
    buffers = ledger.make_buffers(known, as_allocated=as_allocated)
    places = {(buffer.storage, buffer.name): at for at, buffer in enumerate(buffers)}

    def places_of(storages: Sequence[Storage | None], which: int) -> tuple[int | None, ...]:
        return tuple(
            places[one.number, one.holders[which].name] if one is not None else None
            for one in storages
        )

    return GraphMemory(
        graph=graph.id,
        steps=tuple(ledger.steps),
        buffers=buffers,
        arguments=tuple(follower.handed_in),
        handed_in=places_of([*follower.handed_in.values()], 0),
        returned=places_of(returned, -1),
        sizes=known,
        examples=frozenset(examples.keys() - given.keys()),
        device=_device_of(buffers),
        as_allocated=as_allocated,
        gaps=tuple(follower.gaps),
    )


def _tree_of_graph(graph: CompiledGraph) -> ast.Module | None:
    """The statements of a graph's code; those of C++ in Python."""
    if graph.text is None:
        return None
    wrapper = cpp_part(graph.text)
    return tree_of(graph.text) if wrapper is None else translate_wrapper(graph, wrapper).body


def _functions_of(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """The functions of the module by name, and the methods of its classes."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            functions |= {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
    return functions


def _entry_among(functions: Mapping[str, ast.FunctionDef]) -> ast.FunctionDef | None:
    """The function that runs the graph."""
    for name in (ENTRY, *_CPP_ENTRIES):
        if name in functions:
            return functions[name]
    return None


def _names_of_numbers(tree: ast.Module) -> frozenset[str]:
    """Arguments that stand for sizes: `primals_1` of `s27 = primals_1`."""
    pairs = (split_assignment(node) for node in nodes_in(tree))
    return frozenset(
        pair[1].id
        for pair in pairs
        if pair is not None and SYMBOL.fullmatch(pair[0]) and isinstance(pair[1], ast.Name)
    )


def _kind_in_backward(name: str) -> MemoryKind:
    return MemoryKind.INPUT if name.startswith(_KEPT_BY_CALLER) else MemoryKind.SAVED


def _kind_elsewhere(_name: str) -> MemoryKind:
    return MemoryKind.INPUT


def _device_of(buffers: Sequence[MemoryBuffer]) -> str | None:
    """The kind of device that most bytes are on."""
    sums: Counter[str] = Counter()
    for buffer in buffers:
        if buffer.device is not None:
            sums[device_kind(buffer.device)] += (buffer.nbytes or 0) + 1
    return sums.most_common(1)[0][0] if sums else None
