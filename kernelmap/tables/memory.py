"""The table of memory: a row for each buffer of each graph, with the calls between which it lives.

Time is counted in the calls of a graph: a buffer is there while calls `first` to `last` run. What
is there before any call runs has `first` -1, and what is left when all have run has the number of
calls as its `last`. Between two calls the moment counts at which most is alive, so the most bytes
of any call are the peak of the graph, to the byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from kernelmap.model import CompiledGraph, CompiledProgram, WrapperCall
from kernelmap.model.memory import GraphMemory, MemoryBuffer, MemoryKind
from kernelmap.model.program import FxNode
from kernelmap.tables.memory_uses import copied_buffers
from kernelmap.tables.rows import Row, rows_of
from kernelmap.tables.schema import MEMORY

_START = -1
_BACKWARD, _FORWARD = "backward", "forward"


def rows_of_memory(program: CompiledProgram, memories: Sequence[GraphMemory]) -> list[Row]:
    """The rows of all graphs whose memory is known, in their order and that of birth."""
    graphs = {graph.id: graph for graph in program.graphs}
    saved = saved_by_forwards(program, memories)
    return rows_of(
        MEMORY,
        [
            row
            for memory in memories
            for row in _rows_of_graph(graphs[memory.graph], memory, saved.get(memory.graph, {}))
        ],
    )


def _rows_of_graph(
    graph: CompiledGraph, memory: GraphMemory, saved: Mapping[int, str]
) -> Iterator[Row]:
    moments = moments_of_calls(memory)
    copied = copied_buffers(graph, memory)
    # What is alive at the peak; of a pool what the buffers in it leave of it.
    peak = {id(buffer): own for buffer, own in memory.alive_after(memory.peak_step)}
    for at, buffer in enumerate(memory.buffers):
        alive = [
            number for number, step in enumerate(moments) if buffer.is_alive_after(step)
        ]
        # What comes and goes between two calls, and at no time that counts, has no row.
        if not alive:
            continue
        made = None if buffer.made_by is None else graph.calls[buffer.made_by]
        node = None if made is None else _node_of_buffer(graph, made, buffer)
        yield {
            "graph": graph.id,
            "index": at,
            "name": buffer.name,
            "kind": buffer.kind.value,
            "bytes": buffer.nbytes,
            "formula": buffer.formula,
            "peak_bytes": peak.get(id(buffer), 0),
            "shape": _sizes_as_text(buffer.shape),
            "stride": _sizes_as_text(buffer.stride),
            "dtype": buffer.dtype,
            "device": buffer.device,
            "call": None if made is None else graph.call_id(made),
            "op": None if made is None else _op_of_buffer(made, node),
            "source": None if made is None else _line_of_buffer(made, node),
            "last_use": None
            if buffer.last_use is None
            else graph.call_id(graph.calls[buffer.last_use]),
            "first": alive[0] + _START,
            "last": alive[-1] + _START,
            "reuses": buffer.reuses,
            "pool": buffer.pool,
            "copies": copied.get(at),
            "saved_for": saved.get(at),
        }


def moments_of_calls(memory: GraphMemory) -> list[int]:
    """The steps that stand for the start, for each call by its index, and for the end.

    Of the steps since the call before, up to the call itself, it is that after which most bytes are
    alive: the allocations for a call stand before it.
    """
    # The step of each call, in the order of their indices, which is that in which they run.
    calls = {step.call: at for at, step in enumerate(memory.steps) if step.call is not None}
    ends = [0, *(calls[index] for index in sorted(calls)), len(memory.steps) - 1]
    after = memory.bytes_after
    # The steps of a moment begin behind those of the one before; an empty stretch is its own end.
    stretches = ((min(begin + 1, end), end) for begin, end in pairwise(ends))
    return [0, *(begin + int(after[begin : end + 1].argmax()) for begin, end in stretches)]


def saved_by_forwards(
    program: CompiledProgram, memories: Sequence[GraphMemory]
) -> Mapping[str, Mapping[int, str]]:
    """By forward, the positions of the buffers that it saves, with the backward that takes them.

    A forward hands out its results first, then what it saves, in the order in which its backward
    takes it (AOTAutograd).
    """
    known = {memory.graph: memory for memory in memories}
    saved: dict[str, dict[int, str]] = {}
    for graph in program.graphs:
        partner = graph.id.removesuffix(_BACKWARD) + _FORWARD
        if graph.kind != _BACKWARD or graph.id not in known or partner not in known:
            continue
        backward, forward = known[graph.id], known[partner]
        taken = sum(
            at is not None and backward.buffers[at].kind is MemoryKind.SAVED
            for at in backward.handed_in
        )
        given = [at for at in forward.returned if at is not None]
        saved[partner] = dict.fromkeys(given[len(given) - min(taken, len(given)) :], graph.id)
    return saved


def _node_of_buffer(
    graph: CompiledGraph, call: WrapperCall, buffer: MemoryBuffer
) -> FxNode | None:
    """The node of a call whose result the buffer holds: the last one of that shape, else the last.

    None where the code does not say which nodes a call runs.
    """
    nodes = [graph.post_grad[name] for name in call.nodes or () if name in graph.post_grad]
    nodes = nodes or list(call.listed)
    shape = _sizes_as_text(buffer.shape)
    of_shape = [node for node in nodes if shape and shape in (node.shape or "")]
    return (of_shape or nodes or [None])[-1]


def _op_of_buffer(call: WrapperCall, node: FxNode | None) -> str | None:
    if call.target is not None:
        return call.target
    if node is not None and node.target is not None:
        # `aten.add` of `aten.add.Tensor`.
        return ".".join(node.target.split(".")[:2])
    return call.origins.aten[-1] if call.origins is not None and call.origins.aten else None


def _line_of_buffer(call: WrapperCall, node: FxNode | None) -> str | None:
    lines = node.lines if node is not None and node.lines else call.lines
    return lines[-1].name if lines else None


def _sizes_as_text(sizes: tuple[int | str, ...] | None) -> str | None:
    return None if sizes is None else f"[{', '.join(map(str, sizes))}]"
