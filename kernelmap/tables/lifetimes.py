"""The table of lifetimes: a row for each buffer of a graph, with the calls that it lives through.

Time is counted in the calls of a graph: a buffer is there while calls `first` to `last` run. What
is there before any call runs has `first` -1, and what is left when all have run has the number of
calls as its `last`. Between two calls the moment counts at which most is alive, so the most bytes
of any call are the peak of the graph, to the byte.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from kernelmap.model import CompiledGraph, CompiledProgram, WrapperCall
from kernelmap.model.memory import GraphMemory, MemoryBuffer, MemoryKind
from kernelmap.model.program import FxNode
from kernelmap.tables.buffer_uses import copied_buffers
from kernelmap.tables.rows import Row, rows_of
from kernelmap.tables.schema import LIFETIMES

_START = -1


def rows_of_lifetimes(program: CompiledProgram, memories: Sequence[GraphMemory]) -> list[Row]:
    """The rows of all graphs whose memory is known, in their order and that of birth."""
    graphs = {graph.id: graph for graph in program.graphs}
    calls = {graph.call_id(call): (graph, call) for graph, call in program.calls}
    saved = saved_by_forwards(memories)
    return rows_of(
        LIFETIMES,
        [
            row
            for memory in memories
            for row in _rows_of_graph(
                graphs[memory.graph], memory, saved.get(memory.graph, {}), calls
            )
        ],
    )


_Calls = Mapping[str, tuple[CompiledGraph, WrapperCall]]
"""Every call of the program with its graph, by its id."""


def _rows_of_graph(
    graph: CompiledGraph, memory: GraphMemory, saved: Mapping[int, str], calls: _Calls
) -> Iterator[Row]:
    moments = moments_of_calls(memory)
    copied = copied_buffers(graph, memory)
    # What is alive at the peak; of a pool what the buffers in it leave of it. Memory that is handed
    # on between the allocation and the call is that of the buffer which the call is handed.
    most = moments[int(memory.bytes_after[moments].argmax())]
    peak = {id(buffer): own for buffer, own in memory.alive_after(most)}
    counted = set(map(id, memory.counted))
    for at, buffer in enumerate(memory.buffers):
        # The moments at which it is alive, one after the other.
        first = bisect_left(moments, buffer.born)
        last = len(moments) if buffer.freed is None else bisect_left(moments, buffer.freed)
        # What comes and goes between two calls, at no time that counts, has no row; nor has what
        # lies on another device than most of the graph.
        if first >= last or id(buffer) not in counted:
            continue
        made = None if buffer.made_by is None else graph.call_id(graph.calls[buffer.made_by])
        # What a backward was handed has the line of the call of the forward that made it.
        owner, maker = calls.get(made or buffer.origin or "", (graph, None))
        node = None if maker is None else _node_of_buffer(owner, maker, buffer)
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
            "call": made,
            "origin": buffer.origin,
            "op": None if maker is None else _op_of_buffer(maker, node),
            "source": None if maker is None else _line_of_buffer(maker, node),
            "last_use": None
            if buffer.last_use is None
            else graph.call_id(graph.calls[buffer.last_use]),
            "first": first + _START,
            "last": last - 1 + _START,
            "reuses": buffer.reuses,
            "pool": buffer.pool,
            "copies": copied.get(at),
            "saved_for": saved.get(at),
        }


def moments_of_calls(memory: GraphMemory) -> list[int]:
    """The steps that stand for the start, for each call by its index, and for the end.

    A call is stood for by its own step, or by an allocation before it (and behind the call before)
    where more is alive then: the allocations for a call stand before it, and some of what they
    take may be freed by the time it runs.
    """
    # The step of each call, in the order of their indices, which is that in which they run.
    calls = {step.call: at for at, step in enumerate(memory.steps) if step.call is not None}
    ends = [0, *(calls[index] for index in sorted(calls)), len(memory.steps) - 1]
    after = memory.bytes_after
    grows = after > memory.bytes_before
    moments = [0]
    for begin, end in pairwise(ends):
        # What is alive before the frees behind the last call is of that call.
        taken = begin + 1 + np.flatnonzero(grows[begin + 1 : end])
        most = end if not len(taken) else int(taken[after[taken].argmax()])
        moments.append(most if after[most] > after[end] else end)
    return moments


def saved_by_forwards(memories: Sequence[GraphMemory]) -> Mapping[str, Mapping[int, str]]:
    """By forward, the positions of the buffers that it hands out for its backward alone.

    The backward says of each which call of the forward made it.
    """
    graphs = {memory.graph: memory for memory in memories}
    saved: dict[str, dict[int, str]] = {}
    for backward in memories:
        for taken in backward.buffers:
            forward, _, call = (taken.origin or "").rpartition("/")
            if taken.kind is not MemoryKind.SAVED or forward not in graphs:
                continue
            of_forward = saved.setdefault(forward, {})
            at = _position_of_saved(graphs[forward], int(call), taken, of_forward)
            if at is not None:
                of_forward[at] = backward.graph
    return saved


def _position_of_saved(
    forward: GraphMemory, call: int, taken: MemoryBuffer, found: Collection[int]
) -> int | None:
    """The result of a forward that its backward takes; it returns what it saves last."""
    for at in reversed(forward.returned):
        if at is None or at in found:
            continue
        buffer = forward.buffers[at]
        made = buffer.made_by == call and buffer.kind is MemoryKind.OUTPUT
        if made and buffer.nbytes == taken.nbytes:
            return at
    return None


def _node_of_buffer(graph: CompiledGraph, call: WrapperCall, buffer: MemoryBuffer) -> FxNode | None:
    """The node of a call whose result the buffer holds: the last one of that shape, else the last.

    None where the code does not say which nodes a call runs.
    """
    nodes = [graph.post_grad[name] for name in call.nodes or () if name in graph.post_grad]
    nodes = nodes or list(call.listed)
    shape = _sizes_as_text(buffer.shape)
    of_shape = [node for node in nodes if shape and shape in (node.shape or "")]
    fitting = of_shape or nodes
    return fitting[-1] if fitting else None


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
