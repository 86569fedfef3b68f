"""A profile → the shapes and values of operators' arguments, read in a second look.

With `record_shapes=True` the profiler writes the sizes of tensors (`Input Dims`), the types of
their elements (`Input type`) and the numbers (`Concrete Inputs`) that an operator or a kernel of
Inductor was handed. Few questions need them, and they are most of such a file; so they are read
only for the ranges that are asked about.

Left out: files of other profilers, ranges without an external id, events that have to be
mended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct

from kernelmap.facts.dtypes import short_dtype
from kernelmap.model import CompiledProgram, Matching
from kernelmap.model.trace import Bool, Int, Trace
from kernelmap.model.work import Arguments
from kernelmap.traces.blocks import FileBlocks
from kernelmap.traces.chrome.json_stream import EventStream
from kernelmap.traces.formats import is_packets
from kernelmap.traces.kineto.events import one
from kernelmap.traces.perfetto.second_look import read_notes

_NEEDLES = (b'"Concrete Inputs"', b'"Input Dims"')  # older versions write the second alone
_LARGEST = 2**48  # of a size: more is none


_EXTERNAL, _DIMS, _INPUTS = "External id", "Input Dims", "Concrete Inputs"
_TYPES = "Input type"
_NAMES = {"external": _EXTERNAL, "dims": _DIMS, "inputs": _INPUTS, "types": _TYPES}


class _OperatorArgs(Struct, rename=_NAMES):
    external: object = None
    dims: object = None
    inputs: object = None
    types: object = None


class _Event(Struct):
    name: object = None
    args: _OperatorArgs | None = None


_EVENTS = msgspec.json.Decoder(list[_Event])


def recorded_runs(
    program: CompiledProgram,
    trace: Trace,
    matching: Matching,
    counted: Bool,
    graphs: Sequence[int],
) -> Mapping[int, list[Mapping[int, Arguments]]]:
    """The arguments of the calls of some graphs, by the graph's position, per run, by index.

    Runs are those that have launches of the mask `counted`; of some nothing may be stated.
    """
    of_graph = program.graph_of_call[matching.call]
    ranged = (matching.call_range >= 0) & (matching.invocation >= 0)
    # Launches of these graphs whose call's range and invocation are known.
    rows = np.flatnonzero(np.isin(of_graph, graphs) & ranged & counted)
    stated = read_recorded_arguments(trace, np.unique(matching.call_range[rows]))
    runs: dict[tuple[int, int, int], dict[int, Arguments]] = {}
    for row in rows.tolist():
        graph = int(of_graph[row])
        # Invocations are counted per process and graph.
        run = graph, int(trace.launches.process[row]), int(matching.invocation[row])
        arguments = stated.get(int(matching.call_range[row]))
        of_run = runs.setdefault(run, {})
        if arguments is not None:
            of_run[int(matching.call[row]) - program.first_call[graph]] = arguments
    of_graphs: dict[int, list[Mapping[int, Arguments]]] = {}
    for (graph, _, _), of_run in runs.items():
        of_graphs.setdefault(graph, []).append(of_run)
    return of_graphs


def read_recorded_arguments(trace: Trace, rows: Int) -> Mapping[int, Arguments]:
    """The arguments of the ranges `rows` by row, as far as the files state them."""
    ranges = trace.ranges
    sources = np.array([process.trace for process in trace.processes], dtype=np.int64)
    stated: dict[int, Arguments] = {}
    for number, source in enumerate(trace.sources):
        of_source = rows[sources[ranges.process[rows]] == number]
        # Name and external id together find the event of a range in its file.
        wanted = {
            (ranges.name_of(row), int(ranges.external[row])): row
            for row in of_source.tolist()
            if ranges.external[row] >= 0
        }
        if wanted and trace.by_torch[number]:
            read = _of_packets if is_packets(Path(source)) else _of_file
            stated |= read(Path(source), wanted)
    return stated


def _of_file(path: Path, wanted: Mapping[tuple[str, int], int]) -> dict[int, Arguments]:
    stated: dict[int, Arguments] = {}
    for batch in EventStream(FileBlocks(path), _ArgumentsCodec({name for name, _ in wanted})):
        for event in batch:
            args = event.args
            if args is None or not isinstance(args.external, int):
                continue
            row = wanted.get((str(event.name), args.external))
            if row is not None and (args.inputs is not None or args.dims is not None):
                stated[row] = _arguments(args.dims, args.inputs, args.types)
    return stated


def _of_packets(path: Path, wanted: Mapping[tuple[str, int], int]) -> dict[int, Arguments]:
    """The same of a Perfetto trace."""
    names = {name for name, _ in wanted}
    stated: dict[int, Arguments] = {}
    for said in read_notes(path, (_DIMS, _INPUTS, _TYPES), names.__contains__):
        external = said.notes.get(_EXTERNAL)
        row = wanted.get((said.name, external)) if isinstance(external, int) else None
        if row is not None and (_INPUTS in said.notes or _DIMS in said.notes):
            stated[row] = _arguments(*map(said.notes.get, (_DIMS, _INPUTS, _TYPES)))
    return stated


class _ArgumentsCodec:
    """Decodes the arguments of events; those of other names are dropped at once."""

    ahead = 0

    def __init__(self, names: AbstractSet[str]) -> None:
        self._names = names

    def begin(self, text: bytes) -> None:
        """Nothing is done ahead."""

    def decode(self, text: bytes) -> list[_Event]:
        # A stretch without recorded arguments need not be decoded.
        if not any(needle in text for needle in _NEEDLES):
            return []
        events = _EVENTS.decode(b"".join((b"[", text, b"]")))
        return [event for event in events if event.name in self._names]

    def one(self, text: bytes) -> bytes:
        return one(text)

    def around(self, text: bytes) -> None:
        """Nothing around the events is needed."""


def _arguments(dims: object, inputs: object, types: object) -> Arguments:
    return Arguments(sizes=_sizes(dims), numbers=_numbers(inputs), dtypes=_dtypes(types))


def _dtypes(types: object) -> tuple[str, ...]:
    """`["c10::BFloat16", "Scalar"]` in short."""
    return tuple(map(short_dtype, map(str, types))) if isinstance(types, list) else ()


def _sizes(dims: object) -> tuple[tuple[int, ...] | None, ...]:
    """`[[8, 16], [], [[4], [4]]]`: None for what is no tensor's."""
    return tuple(_size(one_of) for one_of in dims) if isinstance(dims, list) else ()


def _size(dims: object) -> tuple[int, ...] | None:
    if not isinstance(dims, list):
        return None
    return tuple(dims) if all(type(size) is int and 0 <= size < _LARGEST for size in dims) else None


def _numbers(inputs: object) -> tuple[int | None, ...]:
    """`["", "128", "True"]`: None for what is no whole number."""
    if not isinstance(inputs, list):
        return ()
    return tuple(
        int(text) if isinstance(text, str) and text.isascii() and text.isdecimal() else None
        for text in inputs
    )
