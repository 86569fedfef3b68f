"""A graph's code → its `GraphMemory`: read, followed statement by statement, put into records."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from kernelmap.compiler.cpp.translated import translate_wrapper
from kernelmap.compiler.python.source import cpp_part, nodes_in, tree_of
from kernelmap.compiler.python.statements import ENTRY, LocalFunctions, code_of
from kernelmap.memory.expressions import INPUT_LISTS
from kernelmap.memory.follow import Follower
from kernelmap.memory.ledger import Ledger
from kernelmap.memory.saved import GRADIENTS, INPUTS, find_forwards, handed_to_backward
from kernelmap.memory.sizes import Sizes
from kernelmap.memory.start import HandedOver, StartMemory
from kernelmap.memory.stated import StatedTensors, names_of_sizes, tensors_stated
from kernelmap.memory.values import Storage
from kernelmap.model import CompiledGraph, CompiledProgram
from kernelmap.model.memory import GraphMemory, MemoryBuffer, MemoryKind, device_kind

_CPP_ENTRIES = ("run_impl", "inductor_entry_impl")
_WORD = re.compile(r"[A-Za-z_]\w*")
_FORWARD, _BACKWARD = "forward", "backward"


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
    memories: dict[str, GraphMemory] = {}
    forwards: list[tuple[CompiledGraph, GraphMemory]] = []
    # A backward is handed what its forward returns, so forwards come first.
    for graph in sorted(program.graphs, key=lambda graph: graph.kind == _BACKWARD):
        code = read_wrapper(graph)
        if code is None:
            continue
        of_graph = {**(sizes_of_graphs or {}).get(graph.id, {}), **(sizes or {})}
        handed = _handed_by_forward(graph, code, forwards)
        memory = follow_graph(graph, code, of_graph, as_allocated=as_allocated, handed=handed)
        memories[graph.id] = memory
        if graph.kind == _FORWARD:
            forwards.append((graph, memory))
    return tuple(memories[graph.id] for graph in program.graphs if graph.id in memories)


def _handed_by_forward(
    graph: CompiledGraph, code: WrapperCode, forwards: Sequence[tuple[CompiledGraph, GraphMemory]]
) -> Mapping[str, HandedOver]:
    """What the forward tells of a backward's arguments; nothing where it may be of several."""
    pairs = find_forwards(graph, forwards) if graph.kind == _BACKWARD else []
    handed = [one for forward in pairs if (one := handed_to_backward(forward, code.tensors))]
    return handed[0] if len(handed) == 1 else {}


class WrapperCode(Struct, frozen=True):
    """The code of one graph, parsed: its functions, the one that is run, and what it states.

    `symbols` has the argument that is the size of each symbol.
    """

    functions: Mapping[str, ast.FunctionDef]
    entry: ast.FunctionDef
    local: LocalFunctions
    stated: StatedTensors
    symbols: Mapping[str, str]

    @property
    def tensors(self) -> list[str]:
        """The names of the arguments that are tensors, in order."""
        numbers = frozenset(self.symbols.values())
        return [name for name in _arguments_of(self.entry) if self.stated.is_tensor(name, numbers)]

    @property
    def example(self) -> Mapping[str, int]:
        """The sizes that symbols have in the example at the end of the code."""
        numbers = self.stated.numbers
        return {word: numbers[name] for word, name in self.symbols.items() if name in numbers}


def read_wrapper(graph: CompiledGraph) -> WrapperCode | None:
    """The code of a graph; None where it has none, or none that can be read."""
    tree = _tree_of_graph(graph)
    functions = _functions_of(tree) if tree is not None else {}
    entry = _entry_among(functions)
    if tree is None or entry is None:
        return None
    nodes = nodes_in(tree)
    # Python around a C++ wrapper has the example at its end.
    if tree is not (around := tree_of(graph.text or "")) and around is not None:
        nodes = [*nodes, *nodes_in(around)]
    return WrapperCode(
        functions=functions,
        entry=entry,
        local=LocalFunctions.in_code(code_of(tree, {}, ())),
        stated=tensors_stated(graph, tree.body, nodes),
        symbols=names_of_sizes(nodes),
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
    # Of all sizes that are given, those count that the code has a name for.
    words = frozenset(_WORD.findall(graph.text or "")) if sizes else ()
    examples = code.example
    given = {name: number for name, number in (sizes or {}).items() if name in words}
    known = {**examples, **given}
    start = StartMemory(
        ledger=Ledger(),
        stated=code.stated,
        numbers=frozenset(code.symbols.values()),
        kind_of_input=_kind_in_backward if _is_backward(graph, code) else _kind_elsewhere,
        handed=handed or {},
    )
    follower = Follower(graph, start, code.functions, code.local)
    returned: Sequence[Storage | None] = ()
    try:
        returned = follower.follow_entry(code.entry)
    except RecursionError:
        follower.gaps["the code is nested so deeply that not all of it was followed"] = None
    ledger = follower.ledger
    buffers = ledger.make_buffers(known, as_allocated=as_allocated)
    places = {(buffer.storage, buffer.name): at for at, buffer in enumerate(buffers)}

    return GraphMemory(
        graph=graph.id,
        steps=tuple(ledger.steps),
        buffers=buffers,
        arguments=tuple(start.arguments),
        returned=tuple(
            places[storage.number, storage.holders[-1].name] if storage is not None else None
            for storage in returned
        ),
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


def _arguments_of(entry: ast.FunctionDef) -> Iterator[str]:
    """The names that a graph gives to what it is handed, in order."""
    for node in nodes_in(entry):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Name(id=listed)):
                if listed in INPUT_LISTS:
                    yield from (name.id for name in names if isinstance(name, ast.Name))
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Subscript(value=ast.Name(id=listed))
            ):
                if listed in INPUT_LISTS:
                    yield name


def _is_backward(graph: CompiledGraph, code: WrapperCode) -> bool:
    """Whether it is handed gradients: not all code says what it is."""
    if graph.kind is not None:
        return graph.kind == _BACKWARD
    return any(name.startswith(GRADIENTS) for name in code.tensors)


def _kind_in_backward(name: str) -> MemoryKind:
    """Parameters and the forward's own inputs are the model's; all else is the backward's alone."""
    if name.startswith(GRADIENTS):
        return MemoryKind.GRADIENT
    return MemoryKind.INPUT if name.startswith(INPUTS) else MemoryKind.SAVED


def _kind_elsewhere(_name: str) -> MemoryKind:
    return MemoryKind.INPUT


def _device_of(buffers: Sequence[MemoryBuffer]) -> str | None:
    """The kind of device that most bytes are on."""
    sums: Counter[str] = Counter()
    for buffer in buffers:
        if buffer.device is not None:
            sums[device_kind(buffer.device)] += (buffer.nbytes or 0) + 1
    return sums.most_common(1)[0][0] if sums else None
