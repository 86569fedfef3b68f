"""The window's time in its smallest parts: module, source line, op and call of each.

Takes the records, gives leaves that add up to the window, to the nanosecond. A call is shared by
its nodes as in the tables of lines and modules, so that leaves of one line or module add up to its
row there, but for a nanosecond where parts are shared on: ambiguous time is in no module and no
call, and in a line or an op where all candidates agree. A node's op is what it calls, if the call
is charged to that, else the ops in equal parts. A call without nodes is shared by its modules,
lines and ops, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from kernelmap.attribution.lines import NO_LINE, CallLines, call_lines
from kernelmap.attribution.records import Attribution
from kernelmap.attribution.rollup import NO_MODULE, common
from kernelmap.attribution.split import Split, parts, splits, target_op
from kernelmap.attribution.time_buckets import TimeBucket, window_buckets
from kernelmap.model import CompiledProgram, Matching, SourceLine, Trace

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A part of the window's time; a name in parentheses stands for what is not known.

    `line` is `file:line`; `call` is a position in `CompiledProgram.calls`, None where none or
    several stand.
    """

    module: str
    line: str
    op: str
    call: int | None
    time_ns: int


def leaves(
    program: CompiledProgram, trace: Trace, matching: Matching, attribution: Attribution
) -> tuple[Leaf, ...]:
    """All parts, call by call, then what has no call; parts without time are left out."""
    found = window_buckets(trace, matching, attribution)
    shares = splits(program)
    of_calls = call_lines(program, shares)
    everything = (
        leaf for bucket in found for leaf in _of_bucket(program, bucket, shares, of_calls)
    )
    return tuple(leaf for leaf in everything if leaf.time_ns)


def _of_bucket(
    program: CompiledProgram,
    bucket: TimeBucket,
    shares: Sequence[Split],
    of_calls: Sequence[CallLines],
) -> Iterator[Leaf]:
    if bucket.unattributed is None:
        (call,) = bucket.calls
        yield from _of_call(program, call, bucket.time_ns, shares[call], of_calls[call])
        return
    split, of_bucket = common(bucket, shares), {of_calls[call] for call in bucket.calls}
    ops = split.charged if split else (bucket.op or bucket.unattributed,)
    lines = of_bucket.pop().charged if len(of_bucket) == 1 else (bucket.line,)
    whole = Leaf(
        module=bucket.unattributed,
        line=bucket.unattributed,
        op=bucket.unattributed,
        call=None,
        time_ns=bucket.time_ns,
    )
    for line, of_line in _shared(lines or (None,), bucket.time_ns):
        at = whole if line is None else replace(whole, line=_spelled(line))
        for op, part in _shared(ops, of_line):
            yield replace(at, op=op, time_ns=part)


def _of_call(
    program: CompiledProgram, call: int, time_ns: int, split: Split, lines: CallLines
) -> Iterator[Leaf]:
    graph, statement = program.calls[call]
    nodes = split.owners(graph)
    modules: Sequence[str | None] = statement.modules or (None,)
    by_node = any(node and node.lines for node in nodes)
    for node, of_node in _shared(nodes or (None,), time_ns):
        own = target_op(node)
        ops = (own,) if own in split.charged else split.charged
        known = (node.lines[-1] if node and node.lines else None,) if by_node else lines.charged
        for module, of_module in _shared(
            (node.module if node else None,) if nodes else modules, of_node
        ):
            for line, of_line in _shared(known or (None,), of_module):
                for op, part in _shared(ops, of_line):
                    yield _leaf(module, line, op, call, part)


def _shared(owners: Sequence[T], time_ns: int) -> Iterator[tuple[T, int]]:
    """Each owner with its equal part."""
    yield from zip(owners, parts(time_ns, len(owners)), strict=True)


def _leaf(
    module: str | None, line: SourceLine | None, op: str | None, call: int, time_ns: int
) -> Leaf:
    return Leaf(
        module=module or NO_MODULE,
        line=_spelled(line) if line else NO_LINE,
        op=op or "(no op)",
        call=call,
        time_ns=time_ns,
    )


def _spelled(line: SourceLine) -> str:
    return f"{line.file}:{line.line}"
