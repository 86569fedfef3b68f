"""The one rule by which time is divided: a call into parts, each of one op, node, line and module.

Every table, the treemap, the panes of the report and the roofline add up these parts, so what they
say of one op, line, node or module is the same everywhere, and ops by lines add up both ways.

* A call's post-grad nodes that do work have equal parts (which ones: split.py), as the node mapping
  or the graph fragment above its kernel names them (compiler/nodes.py). Without both, the nodes
  that the comment above the call lists have (compiler/commented.py); without these, its ops.
* A node's part is of the op that it counts for, in equal parts where several may be meant.
* It is at the innermost line of the user's code that the node states. A node without a line beside
  others that have one is the compiler's, and computes for their lines. Where no node has a line,
  each part is shared by the lines of the kernel's stack traces; where there are none either, a user
  kernel's time belongs to the place where it was written.
* It is in the module of its node; without nodes, in the modules of the call, in equal parts.
* Where nothing else names a line, or a module, of a call, it is what torch's own tools wrote beside
  its launches (torch_notes.py).

Parts have whole weights, and get whole nanoseconds (or bytes, or operations) by largest remainder.
Time between several calls has parts where all of them are divided alike: by op and line, by op, or
by line. It is in no module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import gcd, lcm, prod
from typing import TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.attribution.split import ops_of_call, ops_of_nodes, working_listed, working_nodes
from kernelmap.attribution.time_buckets import UNKNOWN, TimeBucket
from kernelmap.model import (
    Backend,
    CompiledGraph,
    CompiledProgram,
    FxNode,
    SourceLine,
    WrapperCall,
)
from kernelmap.model.source import LaunchNote

_Key = TypeVar("_Key")
_Counted: TypeAlias = "tuple[tuple[_Key, int], ...]"

_KEPT = "divided_calls"  # the name under which a program keeps its divisions
_MOST_PIECES = 10_000
"""Pieces of a call: nodes times the ops, lines and modules that share them. Calls in the recordings
of sample_traces have 67 at most. A file that lists thousands of each may not fill the memory: there
each node, or op, has one line and one module in turn, and one op."""


class CallPart(Struct, frozen=True, kw_only=True):
    """A part of a call: as much of it as `weight` is of the weights of all parts.

    `node` is the name of a post-grad node, `listed` that of a node in the call's comment. None is
    what is not known. `noted_line` and `noted_module` say that torch's own tools alone name them.
    """

    weight: int
    op: str | None
    node: str | None = None
    listed: str | None = None
    line: SourceLine | None = None
    module: str | None = None
    noted_line: bool = False
    noted_module: bool = False


class CallDivision(Struct, frozen=True, kw_only=True, dict=True):
    """The parts of a call, and all that it is part of, whether that has time of it or not."""

    parts: tuple[CallPart, ...]
    involved_ops: tuple[str, ...]
    involved_nodes: tuple[str, ...]
    involved_lines: tuple[SourceLine, ...]
    involved_modules: tuple[str, ...]

    @cached_property
    def ops(self) -> tuple[str, ...]:
        """The ops that have time of the call, in the order of its list."""
        charged = {part.op for part in self.parts}
        return tuple(op for op in self.involved_ops if op in charged)

    @cached_property
    def lines(self) -> tuple[SourceLine, ...]:
        """The lines that have time of the call."""
        return tuple(dict.fromkeys(part.line for part in self.parts if part.line is not None))

    @cached_property
    def noted_lines(self) -> bool:
        """Whether its lines are there by the word of torch's own handler alone."""
        return any(part.noted_line for part in self.parts)

    @cached_property
    def by_op(self) -> Mapping[str | None, int]:
        """The weight of each op, in lowest terms: equal for calls that are divided alike by op."""
        return _sum_weights(self.parts, lambda part: part.op)

    @cached_property
    def by_line(self) -> Mapping[SourceLine | None, int]:
        """The weight of each line, in lowest terms."""
        return _sum_weights(self.parts, lambda part: part.line)

    @cached_property
    def by_op_and_line(self) -> Mapping[tuple[str | None, SourceLine | None], int]:
        """The weight of each op at each line, in lowest terms."""
        return _sum_weights(self.parts, lambda part: (part.op, part.line))


class DividedBucket(Struct, frozen=True, kw_only=True):
    """A bucket of time in parts; `times_ns` is parallel to `parts` and adds up to the bucket."""

    bucket: TimeBucket
    parts: tuple[CallPart, ...]
    times_ns: tuple[int, ...]
    involved_ops: tuple[str, ...] = ()
    involved_nodes: tuple[str, ...] = ()
    involved_lines: tuple[SourceLine, ...] = ()
    involved_modules: tuple[str, ...] = ()


def divide_calls(program: CompiledProgram) -> tuple[CallDivision, ...]:
    """How each call is divided, parallel to `program.calls`.

    Six answers of a report ask for it, so it is kept with the program, as its `calls` are.
    """
    kept: dict[str, tuple[CallDivision, ...]] = vars(program)
    if _KEPT not in kept:
        kept[_KEPT] = tuple(divide_call(graph, call) for graph, call in program.calls)
    return kept[_KEPT]


def divide_call(graph: CompiledGraph, call: WrapperCall) -> CallDivision:
    """How one call of `graph` is divided."""
    ops, involved_ops = ops_of_call(graph, call)
    mapped = tuple(map(graph.post_grad.get, call.nodes or ()))
    parts = tuple(_with_note(tuple(_iter_parts(graph, call, ops)), call.noted))
    nodes = (*mapped, *call.listed)
    # What is involved: first what has time of the call, then all that its nodes and its comment
    # state.
    lines = (*(part.line for part in parts), *map(_innermost_line, nodes), *call.lines)
    of_nodes = (node.module for node in nodes if node)
    modules = (*(part.module for part in parts), *of_nodes)
    return CallDivision(
        parts=parts,
        involved_ops=involved_ops,
        involved_nodes=call.nodes or (),
        involved_lines=tuple(dict.fromkeys(line for line in lines if line is not None)),
        involved_modules=tuple(dict.fromkeys(name for name in modules if name is not None)),
    )


def _iter_parts(graph: CompiledGraph, call: WrapperCall, ops: Sequence[str]) -> Iterator[CallPart]:
    named = working_nodes(call, graph.post_grad, ops)
    listed = () if named else working_listed(call)
    nodes = tuple(map(graph.post_grad.get, named)) or listed
    # What shares the part of each node, or of each op where no nodes are known: equal ones count
    # as often as they are there.
    of_ops = [_count_values(names) for names in ops_of_nodes(ops, nodes) or [(op,) for op in ops]]
    of_lines = _lines_by_node(graph, call, nodes or (None,) * len(ops))
    modules: Sequence[str | None] = call.modules or (None,)
    of_modules = [_count_values([node.module if node else None]) for node in nodes]
    of_modules = of_modules or [_count_values(modules)] * len(ops)
    shared_by = list(zip(of_ops, of_lines, of_modules, strict=True))
    if sum(len(op) * len(line) * len(module) for op, line, module in shared_by) > _MOST_PIECES:
        shared_by = [
            (_value_of_turn(at, op), _value_of_turn(at, line), _value_of_turn(at, module))
            for at, (op, line, module) in enumerate(shared_by)
        ]
    # The weights are the smallest whole numbers with which the pieces of every node add up to the
    # same: what shares a node, multiplied, divides it.
    sizes = [prod(sum(n for _, n in values) for values in each) for each in shared_by]
    whole = lcm(*sizes)
    for at, (each, size) in enumerate(zip(shared_by, sizes, strict=True)):
        for (op, op_count), (line, line_count), (module, module_count) in product(*each):
            yield CallPart(
                weight=whole // size * op_count * line_count * module_count,
                op=op,
                node=named[at] if named else None,
                listed=listed[at].name if listed else None,
                line=line,
                module=module,
            )


def _with_note(parts: Sequence[CallPart], note: LaunchNote | None) -> Iterator[CallPart]:
    """The parts of a call, with what torch's own tools say where nothing else says it."""
    # What the code, its provenance or a log say of some part is the answer for all of the call.
    lines = note.lines if note and all(part.line is None for part in parts) else ()
    module = note.module if note and all(part.module is None for part in parts) else None
    few = len(lines) * len(parts) <= _MOST_PIECES
    for at, part in enumerate(parts):
        # All lines share every part, so that the weights of parts stay to one another as they are.
        # Of thousands of each, every part has the one whose turn it is.
        of_part = lines if few else lines[at % len(lines) :][:1]
        for line in of_part or (part.line,):
            yield replace(
                part,
                line=line,
                module=module or part.module,
                noted_line=bool(lines),
                noted_module=module is not None,
            )


def _lines_by_node(
    graph: CompiledGraph, call: WrapperCall, nodes: Sequence[FxNode | None]
) -> list[_Counted[SourceLine | None]]:
    """For each node the lines that share its part."""
    # A node with a line has it alone; the compiler's nodes beside it share all lines of the
    # others.
    own = [_innermost_line(node) for node in nodes]
    known = _count_values([line for line in own if line is not None])
    if known:
        return [known if line is None else ((line, 1),) for line in own]
    kernel = graph.kernel_of(call)
    written_at = kernel.source if kernel and call.backend is Backend.USER else None
    # No working node has a line: the kernel's stack traces, a user kernel's place, or the other
    # nodes' lines share all parts.
    everything = (*map(graph.post_grad.get, call.nodes or ()), *call.listed)
    others = dict.fromkeys(line for line in map(_innermost_line, everything) if line is not None)
    # A call with a source has no time without a line: a template of which only the inputs have one
    # works for these.
    lines = call.lines or ((written_at,) if written_at else tuple(others)) or (None,)
    return [_count_values(lines)] * len(nodes)


def _count_values(values: Sequence[_Key]) -> _Counted[_Key]:
    """Each value with how often it is there."""
    return ((values[0], 1),) if len(values) == 1 else tuple(Counter(values).items())


def _value_of_turn(at: int, values: _Counted[_Key]) -> _Counted[_Key]:
    """The one of `values` whose turn it is at a node's place."""
    return ((values[at % len(values)][0], 1),)


def _innermost_line(node: FxNode | None) -> SourceLine | None:
    return node.lines[-1] if node and node.lines else None


def share_out(quantity: int, weights: Sequence[int]) -> list[int]:
    """`quantity` in whole parts that are to one another as `weights`, and add up to it.

    What is left after rounding down goes to the largest remainders, of equal ones to the first.
    Without any weight the parts are equal.

    >>> share_out(10, [1, 1, 1]), share_out(10, [1, 2, 0])
    ([4, 3, 3], [3, 7, 0])
    """
    if len({*weights}) == 1:
        part, left = divmod(quantity, len(weights))
        return [part + 1] * left + [part] * (len(weights) - left)
    whole = sum(weights)
    parts = [quantity * weight // whole for weight in weights]
    left = quantity - sum(parts)
    if left:
        by_remainder = sorted(range(len(parts)), key=lambda at: -(quantity * weights[at] % whole))
        for at in by_remainder[:left]:
            parts[at] += 1
    return parts


def divide_bucket(bucket: TimeBucket, divisions: Sequence[CallDivision]) -> DividedBucket:
    """The parts of a bucket: those of its call, or what all calls that it may be of agree on."""
    # Three kinds of buckets: without a call, with a sure one, and with several that it may be of.
    candidates = [divisions[call] for call in bucket.calls]
    if not candidates:
        return _divide_bucket(bucket, _parts_without_call(bucket))
    first = candidates[0]
    if bucket.unattributed is None:
        return replace(
            _divide_bucket(bucket, first.parts),
            involved_ops=first.involved_ops,
            involved_nodes=first.involved_nodes,
            involved_lines=first.involved_lines,
            involved_modules=first.involved_modules,
        )
    # Between several calls, only that counts which holds for each of them.
    same_ops = all(
        other.by_op == first.by_op and set(other.involved_ops) == set(first.involved_ops)
        for other in candidates
    )
    same_lines = all(
        other.by_line == first.by_line and set(other.involved_lines) == set(first.involved_lines)
        for other in candidates
    )
    if len(candidates) == 1:  # an only candidate is not sure to be the call
        parts = tuple(replace(part, module=None, noted_module=False) for part in first.parts)
    # Alike even in which op stands at which line.
    elif same_ops and same_lines and _is_same(candidates):
        parts = tuple(
            CallPart(weight=weight, op=op, line=line, noted_line=first.noted_lines)
            for (op, line), weight in first.by_op_and_line.items()
        )
    else:
        # Alike by op, by line, or by both apart: the parts are all pairs of what is the same, and
        # None for what is not.
        nothing: Mapping[None, int] = {None: 1}
        parts = tuple(
            CallPart(
                weight=op_weight * line_weight,
                op=op,
                line=line,
                noted_line=same_lines and first.noted_lines,
            )
            for (op, op_weight), (line, line_weight) in product(
                (first.by_op if same_ops else nothing).items(),
                (first.by_line if same_lines else nothing).items(),
            )
        )
    return replace(
        _divide_bucket(bucket, parts),
        involved_ops=first.involved_ops if same_ops else (),
        involved_nodes=first.involved_nodes if len(candidates) == 1 else (),
        involved_lines=first.involved_lines if same_lines else (),
    )


def _parts_without_call(bucket: TimeBucket) -> tuple[CallPart, ...]:
    """One part, or as many as torch's own tools name lines beside launches that may be compiled."""
    part, note = CallPart(weight=1, op=bucket.op, module=bucket.module), bucket.note
    if note is None:
        return (part,)
    # Of what is known to be no compiled code torch's handler knows no better: it looks kernels up
    # by their names.
    is_open = bucket.unattributed == UNKNOWN
    noted = LaunchNote(lines=note.lines if is_open else (), module=note.module)
    return tuple(_with_note((part,), noted))


def _is_same(candidates: Sequence[CallDivision]) -> bool:
    return all(other.by_op_and_line == candidates[0].by_op_and_line for other in candidates)


def _divide_bucket(bucket: TimeBucket, parts: tuple[CallPart, ...]) -> DividedBucket:
    times_ns = share_out(bucket.time_ns, [part.weight for part in parts])
    return DividedBucket(bucket=bucket, parts=parts, times_ns=tuple(times_ns))


def _sum_weights(
    parts: Sequence[CallPart], key_of: Callable[[CallPart], _Key]
) -> Mapping[_Key, int]:
    weights: Counter[_Key] = Counter()
    for part in parts:
        weights[key_of(part)] += part.weight
    shared = gcd(*weights.values())
    return {key: weight // shared for key, weight in weights.items()}
