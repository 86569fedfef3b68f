"""The memory that code states → curves of a trace viewer: a step of it where each call begins.

A curve shows what the graph that runs holds, its inputs included, and behind its last launch what
it leaves, until the next graph begins. Two graphs that run at the same time on one device take
turns. Left out: launches of no single call, and calls of which the code does not say what they do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kernelmap.model import NONE, CompiledProgram, Matching, Trace
from kernelmap.model.annotations import CounterTrack
from kernelmap.model.columns import group_starts
from kernelmap.model.memory import GraphMemory
from kernelmap.model.trace import Int

_ABOVE_CALLS = 4_998_500
"""Among the processes of a viewer: behind those of the host, before the calls on GPUs."""


def iter_code_memory_tracks(
    program: CompiledProgram,
    trace: Trace,
    matching: Matching,
    memories: Sequence[GraphMemory],
    file: int,
) -> Iterator[CounterTrack]:
    """The curve of each device in `trace.sources[file]` on which such calls ran."""
    launches = trace.launches
    files = np.array([process.trace for process in trace.processes], dtype=np.int64)
    alive, left = _bytes_of_calls(program, memories)
    # Launches of the file whose call is known, and followed.
    rows = np.flatnonzero(
        np.equal(files[launches.process], file) & (matching.call >= 0) & (matching.invocation >= 0)
    )
    rows = rows[alive[matching.call[rows]] >= 0]
    for device in np.unique(launches.device[rows]).tolist():
        time_ns, value = _curve_of_launches(
            program, trace, matching, rows[launches.device[rows] == device], (alive, left)
        )
        yield CounterTrack(
            process="kernelmap: memory by code, " + (f"GPU {device}" if device >= 0 else "the CPU"),
            name="memory by code",
            sort=_ABOVE_CALLS + max(device, NONE) + 1,
            time_ns=time_ns,
            values={"bytes": value},
        )


def _bytes_of_calls(program: CompiledProgram, memories: Sequence[GraphMemory]) -> tuple[Int, Int]:
    """Of each call the bytes while it runs, -1 where it was not followed; what its graph leaves."""
    alive = np.full(len(program.calls), NONE, dtype=np.int64)
    left = np.zeros(len(program.calls), dtype=np.int64)
    of_graph = {memory.graph: memory for memory in memories}
    for first, graph in zip(program.first_call, program.graphs, strict=True):
        memory = of_graph.get(graph.id)
        if memory is None:
            continue
        # What a call returns is there when it is done, what it is handed before it begins.
        most = np.maximum(memory.bytes_before, memory.bytes_after).tolist()
        for at, step in enumerate(memory.steps):
            if step.call is not None:
                alive[first + step.call] = max(int(alive[first + step.call]), most[at])
        left[first : first + len(graph.calls)] = memory.bytes_after[-1]
    return alive, left


def _curve_of_launches(
    program: CompiledProgram,
    trace: Trace,
    matching: Matching,
    rows: Int,
    bytes_of_calls: tuple[Int, Int],
) -> tuple[Int, Int]:
    """Times and bytes, where these change; `rows` are launches of one device, at least one."""
    launches, (alive, left) = trace.launches, bytes_of_calls
    rows = rows[np.lexsort((rows, launches.start_ns[rows]))]
    call, start = matching.call[rows], launches.start_ns[rows]
    # Until when anything ran that had begun by then, (rows,).
    end = np.maximum.accumulate(start + launches.dur_ns[rows])
    # A run is over where the next launch is of another run, and begins behind all before it.
    keys = (launches.process[rows], program.graph_of_call[call], matching.invocation[rows])
    last = np.append(group_starts(keys)[1:], len(rows)) - 1
    last = last[end[last] <= np.append(start[1:], end[-1])[last]]
    time_ns = np.concatenate([start, end[last]])
    value = np.concatenate([alive[call], left[call[last]]])
    # By time; at one time a run's end comes before the begin of the next one.
    is_begin = np.arange(len(time_ns)) < len(rows)
    order = np.lexsort((is_begin, time_ns))
    time_ns, value = time_ns[order], value[order]
    # Of what is at one time the last counts: a viewer shows a single value there.
    is_last = np.append(time_ns[1:] != time_ns[:-1], True)
    time_ns, value = time_ns[is_last], value[is_last]
    changes = np.append(True, value[1:] != value[:-1])
    return time_ns[changes], value[changes]
