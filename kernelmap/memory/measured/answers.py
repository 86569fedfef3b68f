"""What is asked of measured memory: a correlation's traces, and snapshots → records.

The door of this room for whoever has a correlation, or code alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from kernelmap.memory.measured.code_lines import with_calls
from kernelmap.memory.measured.measure import RecordedMemory, measure_memory
from kernelmap.memory.measured.snapshot_peak import find_snapshot_peaks
from kernelmap.model import CompiledProgram, Matching, Trace
from kernelmap.model.measured_memory import MeasuredMemory, SnapshotPeak
from kernelmap.model.memory import GraphMemory
from kernelmap.model.program import source_files
from kernelmap.options import Options
from kernelmap.traces import moment_places
from kernelmap.traces.memory_events import read_memory_events
from kernelmap.traces.memory_snapshot.reader import read_memory_snapshot


def measure_trace(
    program: CompiledProgram,
    trace: Trace,
    matching: Matching,
    options: Options,
    memories: Callable[[], Sequence[GraphMemory]],
) -> MeasuredMemory:
    """What the files of a trace show of memory; no spans where they have no memory events.

    `memories` gives those of the graphs by their code, in sizes that torch allocates; it is asked
    only where there are events. Raises KernelmapError where a file cannot be read any more.
    """
    read = read_memory_events(trace)
    if not len(read.events):
        return MeasuredMemory(spans=(), notices=read.notices)
    recorded = RecordedMemory(program=program, trace=trace, matching=matching, events=read.events)
    has_frames = any(base_ns is not None for base_ns in trace.frames_ns)
    places_at = partial(moment_places, trace, files=source_files(program)) if has_frames else None
    measured = measure_memory(recorded, options, memories(), places_at)
    return replace(measured, notices=(*read.notices, *measured.notices))


def measure_snapshots(
    program: CompiledProgram, paths: Sequence[Path]
) -> tuple[tuple[str, SnapshotPeak], ...]:
    """The peaks of snapshots, each with its file. KernelmapError where one cannot be read."""
    return tuple(
        (snapshot.source, peak)
        for snapshot in map(read_memory_snapshot, paths)
        for peak in with_calls(program, find_snapshot_peaks(snapshot))
    )
