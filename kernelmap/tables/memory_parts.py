"""The bytes of a buffer over the source lines that it is held for: one rule for tables and report.

They are divided as the time of the call is that first writes to it (attribution/divide.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from kernelmap.attribution.divide import CallDivision, divide_calls, share_out
from kernelmap.model import CompiledProgram, SourceLine
from kernelmap.model.memory import GraphMemory, MemoryBuffer, MemoryKind

REST_ROWS = {
    MemoryKind.INPUT: "(inputs)",
    MemoryKind.SAVED: "(saved by the forward)",
    MemoryKind.GRADIENT: "(gradients)",
    MemoryKind.CONSTANT: "(constants)",
    MemoryKind.POOL: "(pool, unused)",
}
"""What holds the bytes of a kind that have no line."""
NO_LINE_ROW = "(no line known)"


def divisions_by_call(program: CompiledProgram) -> Mapping[str, CallDivision]:
    """How each call is divided, by its id."""
    divisions = zip(program.calls, divide_calls(program), strict=True)
    return {graph.call_id(call): division for (graph, call), division in divisions}


def parts_at_peak(
    memory: GraphMemory, divisions: Mapping[str, CallDivision]
) -> Iterator[tuple[SourceLine | str, MemoryBuffer, int]]:
    """What is alive at the peak of a graph: line or rest, buffer, and the bytes it has for that."""
    for buffer, own in memory.alive_after(memory.peak_step):
        for line, part in split_bytes_over_lines(memory, buffer, own, divisions).items():
            yield line, buffer, part


def place_of_part(line: SourceLine | str) -> tuple[str, int | None]:
    """File and line of a row of memory_lines; a rest row has its name in the place of a file."""
    return (line, None) if isinstance(line, str) else (line.file, line.line)


def split_bytes_over_lines(
    memory: GraphMemory,
    buffer: MemoryBuffer,
    own: int,
    divisions: Mapping[str, CallDivision],
) -> Mapping[SourceLine | str, int]:
    """The bytes `own` of a buffer over the lines that it is held for, or a rest in parentheses."""
    division = division_of_buffer(memory.graph, buffer, divisions)
    rest = REST_ROWS.get(buffer.kind, NO_LINE_ROW)
    weights = division.by_line if division is not None else {None: 1}
    parts: dict[SourceLine | str, int] = defaultdict(int)
    for line, part in zip(weights, share_out(own, [*weights.values()]), strict=True):
        parts[line if line is not None else rest] += part
    return parts


def division_of_buffer(
    graph: str, buffer: MemoryBuffer, divisions: Mapping[str, CallDivision]
) -> CallDivision | None:
    """How the call is divided that made a buffer; of saved ones that of the forward."""
    if buffer.origin is not None:
        return divisions.get(buffer.origin)
    return None if buffer.made_by is None else divisions.get(f"{graph}/{buffer.made_by}")
