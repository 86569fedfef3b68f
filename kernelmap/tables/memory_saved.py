"""What forwards save for their backwards, by the lines that make it and the lines that need it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from kernelmap.attribution.divide import CallDivision, share_out
from kernelmap.model import SourceLine
from kernelmap.model.memory import GraphMemory, MemoryBuffer, MemoryKind
from kernelmap.tables.rows import Cell
from kernelmap.tables.table import Column, Table, Type

SAVED = Table(
    name="memory_saved",
    row="what one source line's forward keeps for the backward of one line; the rows of a graph add"
    " up to what its forward saved",
    order="graph, then bytes, most first",
    columns=(
        Column(name="graph", type=Type.TEXT, help="the backward"),
        Column(name="file", type=Type.TEXT, help="the file; a name in parentheses without a line"),
        Column(name="line", type=Type.INT, help="the line that makes it, from 1", nullable=True),
        Column(name="code", type=Type.TEXT, help="its text", nullable=True),
        Column(
            name="backward_of",
            type=Type.TEXT,
            help="the line whose backward uses it last, file:line; null where that is not known",
            nullable=True,
        ),
        Column(name="bytes", type=Type.INT, help="its part of the bytes"),
        Column(name="buffers", type=Type.INT, help="buffers that it has a part of"),
        Column(name="names", type=Type.TEXTS, help="their names in the backward"),
    ),
)
_NO_LINE = "(no line known)"


def rows_of_saved(
    memory: GraphMemory, divisions: Mapping[str, CallDivision]
) -> Iterator[dict[str, Cell]]:
    """The rows of one graph; `divisions` says of each call for which lines it works."""
    sums: dict[tuple[SourceLine | None, str | None], int] = defaultdict(int)
    names: dict[tuple[SourceLine | None, str | None], list[str]] = defaultdict(list)
    for buffer in memory.buffers:
        if buffer.kind is not MemoryKind.SAVED or buffer.nbytes is None:
            continue
        made = divisions.get(buffer.origin or "")
        weights = made.by_line if made is not None else {None: 1}
        user = _line_of_user(memory, buffer, divisions)
        # The bytes in the parts in which the time of the call that made them is divided.
        parts = share_out(buffer.nbytes, [*weights.values()])
        for line, part in zip(weights, parts, strict=True):
            sums[line, user] += part
            names[line, user].append(buffer.name)
    for (line, user), size in sorted(sums.items(), key=lambda entry: -entry[1]):
        yield {
            "graph": memory.graph,
            "file": _NO_LINE if line is None else line.file,
            "line": None if line is None else line.line,
            "code": None if line is None else line.code,
            "backward_of": user,
            "bytes": size,
            "buffers": len(names[line, user]),
            "names": sorted(names[line, user]),
        }


def _line_of_user(
    memory: GraphMemory, buffer: MemoryBuffer, divisions: Mapping[str, CallDivision]
) -> str | None:
    """The line for which the last call that is handed the buffer does most of its work."""
    if buffer.last_use is None:
        return None
    division = divisions.get(f"{memory.graph}/{buffer.last_use}")
    weights = {} if division is None else division.by_line
    known = {line: weight for line, weight in weights.items() if line is not None}
    if not known:
        return None
    line = max(known, key=lambda each: known[each])
    return f"{line.file}:{line.line}"
