"""Which source lines a call's time belongs to, and the table of lines.

Equal parts for the nodes that the call is charged to, else for those that its comment lists, each
to the innermost line of the user's code. A node without a line beside others that have one is the
compiler's, and computes for their lines. Where none of them has a line, equal parts for the lines
of the kernel's stack traces; where there are none either, a user kernel's time belongs to the place
where it was written. What has no call belongs to the line that it was launched from, where the
profile's Python frames say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kernelmap.attribution.records import LineTime
from kernelmap.attribution.rollup import Rollup
from kernelmap.attribution.split import Split
from kernelmap.attribution.time_buckets import TimeBucket
from kernelmap.model import (
    Backend,
    CompiledGraph,
    CompiledProgram,
    FxNode,
    SourceLine,
    WrapperCall,
)
from kernelmap.model.trace import Launches

NO_LINE = "(no source line known)"
_Key = tuple[str, int | None]


@dataclass(frozen=True, slots=True)
class CallLines:
    """A call's lines: one for each equal part, None where none is known; and all it is part of."""

    charged: tuple[SourceLine | None, ...]
    involved: tuple[SourceLine, ...]


def call_lines(program: CompiledProgram, splits: Sequence[Split]) -> tuple[CallLines, ...]:
    """The lines of each call, parallel to `program.calls`."""
    return tuple(
        _of_call(graph, call, split)
        for (graph, call), split in zip(program.calls, splits, strict=True)
    )


def lines(
    program: CompiledProgram,
    buckets: Sequence[TimeBucket],
    of_calls: Sequence[CallLines],
    launches: Launches,
) -> tuple[LineTime, ...]:
    """Time per source line; a backward's time goes to the forward's line it came from."""
    rollup: Rollup[_Key] = Rollup(program)
    code: dict[_Key, str | None] = {}
    for bucket in buckets:
        found = {of_calls[call] for call in bucket.calls}
        # Ambiguous time has a line where all candidates agree on it.
        own = (
            found.pop() if len(found) == 1 else CallLines((bucket.line,) if bucket.line else (), ())
        )
        for line in (*own.charged, *own.involved):
            if line is not None and code.get(_key(line)) is None:
                code[_key(line)] = line.code
        rest: _Key = (bucket.unattributed or NO_LINE, None)
        charged = [rest if line is None else _key(line) for line in own.charged]
        rollup.add(bucket, charged or [rest], [_key(line) for line in own.involved])
    return tuple(
        LineTime(
            file=key[0],
            line=key[1],
            code=code.get(key),
            time_ns=row.time_ns - row.backward_ns if key[1] is not None else row.time_ns,
            backward_ns=row.backward_ns if key[1] is not None else 0,
            involved_ns=row.involved_ns,
            calls=len(row.calls),
            launches=row.launches,
            slow=None if key[1] is None else row.slow(launches),
        )
        for key, row in rollup.rows.items()
    )


def _of_call(graph: CompiledGraph, call: WrapperCall, split: Split) -> CallLines:
    nodes = graph.post_grad
    charged: tuple[SourceLine | None, ...] = tuple(
        line for line in map(_innermost, split.owners(graph)) if line is not None
    )
    if not charged:
        kernel = graph.kernel_of(call)
        written_at = kernel.source if kernel and call.backend is Backend.USER else None
        charged = call.lines or (written_at,)
    involved = map(_innermost, (*map(nodes.get, split.involved_nodes), *call.listed))
    everything = (line for line in (*charged, *involved, *call.lines) if line is not None)
    return CallLines(charged, tuple(dict.fromkeys(everything)))


def _innermost(node: FxNode | None) -> SourceLine | None:
    return node.lines[-1] if node and node.lines else None


def _key(line: SourceLine) -> _Key:
    return line.file, line.line
