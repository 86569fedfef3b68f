"""Which calls use which buffers of a graph, and which buffers hold nothing but copied values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import prod

from kernelmap.attribution.alias_ops import ALIAS_OPS
from kernelmap.model import Backend, CompiledGraph, WrapperCall
from kernelmap.model.memory import GraphMemory, MemoryBuffer

_NAME = re.compile(r"[A-Za-z_]\w*")
_MOVING = {
    *ALIAS_OPS,
    "aten.clone",
    "aten.contiguous",
    "aten.copy",
    "aten.copy_",
    "aten._to_copy",
    "prims.convert_element_type",
}
"""Operators that compute nothing: what they give has the values of what they are given."""

_ASKS_FOR_LAYOUT = {"aten.convolution", "aten.mm", "aten.bmm", "aten.addmm"}
"""Library calls in whose name Inductor's own kernels bring an input into the layout they want."""


def users_of_buffers(memory: GraphMemory) -> Mapping[int, tuple[int, ...]]:
    """By position of a buffer the calls that are handed it, the one that makes it among them."""
    by_name: dict[str, list[int]] = {}
    for position, buffer in enumerate(memory.buffers):
        by_name.setdefault(buffer.name, []).append(position)
    users: dict[int, list[int]] = {}
    for at, step in enumerate(memory.steps):
        if step.call is None:
            continue
        for name in dict.fromkeys(_NAME.findall(step.code)):
            for position in by_name.get(name, ()):
                buffer = memory.buffers[position]
                # Names come back for other memory: the one meant is alive in this step.
                if buffer.born <= at <= _end_of_buffer(buffer, memory):
                    users.setdefault(position, []).append(step.call)
    return {position: tuple(calls) for position, calls in users.items()}


def _end_of_buffer(buffer: MemoryBuffer, memory: GraphMemory) -> int:
    """The last step in which the code may name a buffer."""
    return len(memory.steps) if buffer.freed is None else buffer.freed


def copied_buffers(graph: CompiledGraph, memory: GraphMemory) -> Mapping[int, str]:
    """By position of a buffer that is a copy, the name of what it is a copy of.

    A copy is made by a call that is handed one other tensor of as many elements, and that runs
    operators which compute nothing: a clone, a cast, or the layout that a library call asks for.
    """
    # By call, the buffers that it is handed.
    handed: dict[int, list[int]] = {}
    for position, calls in users_of_buffers(memory).items():
        for call in calls:
            handed.setdefault(call, []).append(position)
    copied = {}
    for at, buffer in enumerate(memory.buffers):
        if buffer.made_by is None or not _moves_only(graph.calls[buffer.made_by]):
            continue
        others = [memory.buffers[one] for one in handed.get(buffer.made_by, ()) if one != at]
        if len(others) == 1 and _has_as_many_elements(buffer, others[0]):
            copied[at] = others[0].name
    return copied


def _moves_only(call: WrapperCall) -> bool:
    ops = set(call.origins.aten) if call.origins is not None else set()
    if call.backend is Backend.EXTERN:
        return call.target in _MOVING
    return bool(ops) and ops <= _MOVING | _ASKS_FOR_LAYOUT


def _has_as_many_elements(one: MemoryBuffer, other: MemoryBuffer) -> bool:
    return (
        one.shape is not None
        and other.shape is not None
        and (_count_elements(one.shape) == _count_elements(other.shape))
    )


def _count_elements(shape: tuple[int | str, ...]) -> tuple[int, list[str]]:
    """How many elements a shape has: the product of its numbers, and its symbols."""
    symbols = sorted(size for size in shape if isinstance(size, str))
    return prod(size for size in shape if isinstance(size, int)), symbols
