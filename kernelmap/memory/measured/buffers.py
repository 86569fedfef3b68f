"""Blocks that were handed out in runs of a graph → the buffers of its code that they are.

The code says in which order a run asks for memory, and how much: before each call, and while it
runs. What was handed out there with the same size is that buffer. What no statement asks for is not
in the code: workspaces of libraries, what an operator needs beside its results, eager work.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.memory.measured.graph_runs import GraphRuns
from kernelmap.memory.measured.owners import EventOwners
from kernelmap.model import CompiledGraph, CompiledProgram, Occurrence
from kernelmap.model.allocations import MemoryEvents
from kernelmap.model.measured_memory import MemoryOwner
from kernelmap.model.memory import GraphMemory, MemoryKind, device_kind
from kernelmap.model.trace import NONE, Int

_THERE_BEFORE = frozenset({MemoryKind.INPUT, MemoryKind.SAVED, MemoryKind.CONSTANT})
"""Kinds of memory that a graph is handed and does not ask for."""
HOST = "cpu"
"""What code calls the device of the host's memory."""

Slot = tuple[int, bool]
"""Where in a run memory is asked for: the index of a call (-1: behind the last), and whether that
call runs then; else it is before it."""


class StatedBuffer(Struct, frozen=True):
    """Memory that the code asks for: the first name that holds it, and its bytes if known.

    `is_sure`: each run asks for as many. Of code of symbolic sizes they are those of one run.
    """

    name: str
    nbytes: int | None
    on_host: bool
    is_sure: bool


class _Named(Struct, frozen=True):
    """Which buffer a block is, and whether the code asks for it; None where that is open."""

    buffer: str | None
    is_stated: bool | None


def name_buffers(
    program: CompiledProgram,
    memories: Sequence[GraphMemory],
    events: MemoryEvents,
    runs: GraphRuns,
    owners: EventOwners,
) -> EventOwners:
    """`owners` with the buffers that blocks are; `memories` are sized as torch allocates.

    Of graphs without code nothing is said.
    """
    by_id = {memory.graph: memory for memory in memories}
    known_calls = _calls_by_run(runs)
    names: dict[int, _Named] = {}
    stated: dict[int, Mapping[Slot, Sequence[StatedBuffer]]] = {}
    for run in np.unique(owners.run[owners.run >= 0]).tolist():
        at = int(runs.graph[run])
        graph = program.graphs[at]
        memory = by_id.get(graph.id)
        if memory is None:
            continue
        if at not in stated:
            stated[at] = _buffers_by_slot(memory)
        rows = np.flatnonzero((owners.run == run) & events.is_alloc)
        first_call = program.first_call[at]
        is_whole = _has_all_calls(graph, {call - first_call for call in known_calls[run]})
        for slot, blocks in _rows_by_slot(owners, rows, first_call).items():
            # Where a call of the run is not known, neither is between which calls a block was.
            is_sure = not memory.gaps and (is_whole or slot[1])
            buffers = stated[at].get(slot, ())
            names |= _pair_slot(events, blocks, buffers, is_sure=is_sure)
    return _with_names(owners, names)


def _calls_by_run(runs: GraphRuns) -> Mapping[int, set[int]]:
    """The calls that are known of each run, by their positions in the program."""
    known: dict[int, set[int]] = defaultdict(set)
    for run, call in zip(runs.run.tolist(), runs.call.tolist(), strict=True):
        known[run].add(call)
    return known


def _has_all_calls(graph: CompiledGraph, known: set[int]) -> bool:
    """Whether a run of a graph without branches and loops has every call among the known ones."""
    return all(call.occurrence is Occurrence.ONCE and call.index in known for call in graph.calls)


def _rows_by_slot(owners: EventOwners, rows: Int, first_call: int) -> Mapping[Slot, list[int]]:
    """The blocks of a run by where they were handed out."""
    by_slot: dict[Slot, list[int]] = defaultdict(list)
    for row in rows.tolist():
        call = int(owners.call[row])
        slot = (call - first_call if call >= 0 else NONE), owners.owner_of(row).is_during
        by_slot[slot].append(row)
    return by_slot


def _pair_slot(
    events: MemoryEvents,
    rows: Sequence[int],
    stated: Sequence[StatedBuffer],
    *,
    is_sure: bool,
) -> dict[int, _Named]:
    """What the blocks of one slot are, both in the order of time.

    `is_sure`: what the code asks for there is all that it asks for.
    """
    open_sizes = any(not one.is_sure for one in stated)
    # Sizes that only the run has: as many blocks as buffers are these, one after the other.
    if open_sizes and len(stated) == len(rows):
        return {row: _Named(one.name, True) for row, one in zip(rows, stated, strict=True)}
    # Else the size tells. Where sizes are open, a block that has none of them may be any of these.
    unknown = _Named(None, False if is_sure and not open_sizes else None)
    names = dict.fromkeys(rows, unknown)
    left = list(stated)
    for row in rows:
        on_host, size = int(events.device[row]) < 0, int(events.bytes[row])
        found = next((one for one in left if (one.nbytes, one.on_host) == (size, on_host)), None)
        if found is not None:
            left.remove(found)
            names[row] = _Named(found.name, True)
    return names


def _buffers_by_slot(memory: GraphMemory) -> dict[Slot, list[StatedBuffer]]:
    """The memory that a graph asks for by the place in its run, in the order of its code."""
    slots = list(_iter_slots(memory))
    by_slot: dict[Slot, list[StatedBuffer]] = defaultdict(list)
    for buffer in memory.buffers:
        # What takes over memory, and what lies in a pool, asks for none of its own.
        if buffer.kind in _THERE_BEFORE or buffer.reuses is not None or buffer.pool is not None:
            continue
        one = StatedBuffer(
            name=buffer.name,
            nbytes=buffer.nbytes,
            on_host=buffer.device is not None and device_kind(buffer.device) == HOST,
            is_sure=buffer.nbytes is not None and not memory.sizes,
        )
        by_slot[slots[buffer.born]].append(one)
    return by_slot


def _iter_slots(memory: GraphMemory) -> Iterator[Slot]:
    """The slot of each step."""
    following = NONE
    slots: list[Slot] = []
    # From the end backwards: the call that comes next is known.
    for step in reversed(memory.steps):
        if step.call is not None:
            following = step.call
        slots.append((following, step.call is not None))
    yield from reversed(slots)


def _with_names(owners: EventOwners, names: Mapping[int, _Named]) -> EventOwners:
    """`owners` with names of buffers; an event that is not in `names` keeps its owner."""
    known = {owner: at for at, owner in enumerate(owners.owners)}
    number = owners.number.copy()
    for row, named in names.items():
        owner: MemoryOwner = replace(
            owners.owner_of(row), buffer=named.buffer, is_stated=named.is_stated
        )
        number[row] = known.setdefault(owner, len(known))
    return replace(owners, number=number, owners=tuple(known))
