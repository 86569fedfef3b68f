"""What a name may stand for, as records; and names that no code defines: operators, libraries.

An operator's name, as code, profilers and tables write it, stands for the library calls that run it
and the kernels that work for it. A name on the GPU, as any tool spells it, stands for the launches
that bear it, strongest spelling first, divided over what they were matched to: calls, operators
outside of compiled code, and what is ambiguous or unknown. So the numbers of the answer add up to
the launches of the name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec import Struct

from kernelmap.matching.context.notices import REASONS
from kernelmap.matching.match import Match
from kernelmap.matching.names.spelling import key_of_spelling, shorten_spelling
from kernelmap.model import CompiledGraph, CompiledProgram, Confidence, Reason, Trace, WrapperCall
from kernelmap.model.columns import by_name, nearest_ancestor
from kernelmap.model.names import operator_of_range
from kernelmap.model.notices import format_count
from kernelmap.model.trace import Int

_EXTERN, _TORCH = "extern_kernels", "torch.ops."

OPERATOR, ORIGINAL_OP = "operator", "original op"
OP_RULES = (OPERATOR, ORIGINAL_OP)
AROUND = "operator around launches"

_OPEN = {Confidence.AMBIGUOUS: "(ambiguous)", Confidence.UNKNOWN: "(unknown)"}
OUTSIDE = "(outside)"
_SHOWN = 3  # names that a short one stands for


class Where(Struct, frozen=True, kw_only=True):
    """Where launches run: streams, the usual (place, launches) in the step and usual neighbors."""

    streams: tuple[int, ...]
    position: tuple[int, int] | None
    before: str | None
    after: str | None


class Hit(Struct, frozen=True, kw_only=True):
    """One kernel or library routine that a name may stand for.

    `rule` says how it was found, `calls` are call ids, `launches` how many launches of the trace
    fall to it (None without a trace, or where the numbers don't tell), `time_ns` what these took
    and `share` their part of all time of the profile on that side, GPU or CPU. `graph` is a word in
    parentheses for launches that belong to no call; `tuned` of these the autotuner ran.
    `confidence` counts the launches that were matched, `ops` and `lines` are what the calls work
    for, `memory` is what they do to memory, as far as that is known.
    """

    rule: str
    wrapper: str
    graph: str
    calls: tuple[str, ...]
    launches: int | None
    evidence: tuple[str, ...]
    ops: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    confidence: tuple[tuple[str, int], ...] = ()
    where: Where | None = None
    tuned: int = 0
    time_ns: int | None = None
    share: float | None = None
    memory: str | None = None

    @property
    def weight(self) -> int:
        """How many of its calls one invocation runs."""
        return len(self.calls)


class MatchedHit(Struct, frozen=True):
    """A hit with the launches (rows) that were matched to it."""

    hit: Hit
    rows: Int


def matches_operator(name: str) -> Callable[[str], bool]:
    """Whether an operator, as tables write it, is what `name` means.

    >>> names = ("aten::mm", "extern_kernels.mm", "mm", "aten.bmm")
    >>> [matches_operator(name)("aten.mm") for name in names]
    [True, True, True, False]
    >>> matches_operator("torch.ops.aten.relu.default")("aten.relu")
    True
    """
    plain = name.removeprefix(_TORCH).replace("::", ".", 1)
    # A bare word is any operator of that name; with a namespace it is that one, whichever
    # overload.
    space, dot, routine = plain.partition(".")
    if not dot:
        return lambda op: op.rpartition(".")[2] == plain
    space = "aten" if space == _EXTERN else space
    names = {f"{space}.{routine}", f"{space}.{routine.partition('.')[0]}"}
    return names.__contains__


def by_operator(
    name: str, program: CompiledProgram, ops: Sequence[tuple[str, ...]] = ()
) -> Iterator[Hit]:
    """The calls that run the operator `name` or work for it, by graph and wrapper.

    `ops` are the original ops of each call of the program; where they are missing, those that its
    comment lists. A wrapper's own name means its calls alone.
    """
    means = matches_operator(name)
    of_wrapper = [
        (graph, call)
        for graph, call in program.calls
        if call.kernel is None and call.wrapper == name
    ]
    named: dict[tuple[str, str, str, str], list[tuple[CompiledGraph, WrapperCall]]] = {}
    works: dict[tuple[str, str, str, str], dict[str, None]] = {}
    # By rule, graph, wrapper and evidence: the calls that run the operator, or work for it.
    # `works` has all ops that the latter list.
    for at, (graph, call) in enumerate(program.calls):
        if of_wrapper and (call.kernel is not None or call.wrapper != name):
            continue
        target = call.target or ""
        listed = ops[at] if ops else call.origins.aten if call.origins and call.kernel else ()
        if of_wrapper or (call.kernel is None and means(target)):
            key = (OPERATOR, graph.id, call.wrapper, f"{call.wrapper} runs the operator {target}")
        elif op := next(filter(means, listed), None):
            text = f"{op} is among the original ops of {call.wrapper}"
            key = (ORIGINAL_OP, graph.id, call.wrapper, text)
            works.setdefault(key, {}).update(dict.fromkeys(listed))
        else:
            continue
        named.setdefault(key, []).append((graph, call))
    for key, calls in named.items():
        rule, _, _, evidence = key
        yield Hit(
            rule=rule,
            wrapper=calls[0][1].wrapper,
            graph=calls[0][0].id,
            calls=tuple(graph.call_id(call) for graph, call in calls),
            launches=None,
            evidence=(evidence,),
            ops=tuple(works.get(key, ())),
        )


def divide_launches_of_name(
    name: str, match: Match, *, exactly: bool = False, without: Int | None = None
) -> tuple[MatchedHit, ...]:
    """The launches that bear `name`, divided, the most launches first; () where none does.

    Names that are spelled otherwise count only where `exactly` is off; rows `without` are known.
    """
    trace = match.context.trace
    rule, ids = launched_as(name, trace)
    if exactly:
        ids = [number for number in ids if trace.launches.names[number] == name]
    # Launches under one of these names, less those that other hits have already; (launches,).
    bearing = np.isin(trace.launches.name_id, np.array(ids, dtype=np.int64))
    if without is not None:
        bearing[without] = False
    rows = np.flatnonzero(bearing)
    bear = "bears" if len(rows) == 1 else "bear"
    number = format_count(len(rows), "more launch" if exactly else "launch")
    return _divide_rows(match, rows, rule, f"{number} {bear} {_say_names(trace, ids)}")


def shares_below(
    means: Callable[[str], bool], match: Match, without: Int | None = None
) -> tuple[MatchedHit, ...]:
    """The launches of no call below ranges of an operator, divided; () where there are none.

    `means` says of an operator whether it is meant; rows `without` are known.
    """
    context = match.context
    ranges = context.trace.ranges
    # By name id of ranges, whether it is that operator; then the launches that lie below one and
    # have no call.
    named = [(op := operator_of_range(name)) is not None and means(op) for name in ranges.names]
    inside = (
        nearest_ancestor(ranges.parent, by_name(ranges.name_id, named), context.host.host_range)
        >= 0
    )
    inside &= match.matching.call < 0
    if without is not None:
        inside[without] = False
    rows = np.flatnonzero(inside)
    names = [
        operator_of_range(name) for name, flag in zip(ranges.names, named, strict=True) if flag
    ]
    lie = "lies" if len(rows) == 1 else "lie"
    which = " or ".join(dict.fromkeys(filter(None, names)))
    note = f"{format_count(len(rows), 'launch')} of no call {lie} in ranges of {which}"
    return _divide_rows(match, rows, AROUND, note)


def _divide_rows(match: Match, rows: Int, rule: str, note: str) -> tuple[MatchedHit, ...]:
    """`rows` by what they were matched to, the most launches first."""
    matching = match.matching
    tuned = np.equal(matching.reason, Reason.AUTOTUNE)
    divided = [
        MatchedHit(
            Hit(
                rule=rule,
                wrapper=wrapper,
                graph=graph,
                calls=calls,
                launches=len(rows_of_hit),
                evidence=(note, *why),
                tuned=int(tuned[rows_of_hit].sum()),
            ),
            rows_of_hit,
        )
        # Called, outside and open: each launch is in one of the three, so the numbers add up.
        for wrapper, graph, calls, rows_of_hit, why in (
            *_iter_called(match, rows[matching.call[rows] >= 0]),
            *_iter_outside(match, rows[matching.confidence[rows] == Confidence.OUTSIDE]),
            *_iter_open(match, rows),
        )
    ]
    return tuple(sorted(divided, key=lambda hit: -len(hit.rows)))


def launched_as(name: str, trace: Trace) -> tuple[str, list[int]]:
    """How `name` was found among the names of launches, and their ids."""
    rules: Sequence[tuple[str, Callable[[str], bool]]] = (
        ("name of launches", lambda other: other == name),
        ("other spelling of launches", lambda other: name in trace.spellings.get(other, ())),
        (
            "same symbol, spelled in another way",
            lambda other: key_of_spelling(other) == key_of_spelling(name),
        ),
        ("short name of launches", lambda other: shorten_spelling(other) == shorten_spelling(name)),
    )
    # The strictest rule that fits any name decides, so a looser one adds nothing to it.
    for rule, fits in rules:
        if ids := [number for number, other in enumerate(trace.launches.names) if fits(other)]:
            return rule, ids
    return "", []


_Row = tuple[str, str, tuple[str, ...], Int, tuple[str, ...]]


def _iter_called(match: Match, rows: Int) -> Iterator[_Row]:
    calls = match.program.calls
    # One row per wrapper and graph, with all its calls that were launched.
    by_wrapper: dict[tuple[str, str], list[int]] = {}
    for position in np.unique(match.matching.call[rows]).tolist():
        graph, call = calls[position]
        by_wrapper.setdefault((call.wrapper, graph.id), []).append(position)
    for (wrapper, graph_id), positions in by_wrapper.items():
        ids = tuple(map(match.program.call_id, positions))
        called = rows[np.isin(match.matching.call[rows], positions)]
        yield wrapper, graph_id, ids, called, ()


def _iter_outside(match: Match, rows: Int) -> Iterator[_Row]:
    """Launches outside of compiled code by their operator."""
    ranges, operators = match.context.trace.ranges, match.context.outer_op[rows]
    learnt = match.matching.learnt
    learnt_ops = [None if learnt is None else learnt.op_of(row) for row in rows.tolist()]
    names = np.array(
        [
            learnt_op or (ranges.name_of(op) if op >= 0 else "(no operator)")
            for op, learnt_op in zip(operators.tolist(), learnt_ops, strict=True)
        ],
        dtype=object,
    )
    for name in dict.fromkeys(names.tolist()):
        rows_of_operator = rows[names == name]
        yield name, OUTSIDE, (), rows_of_operator, _say_reasons(match, rows_of_operator, name)


def _iter_open(match: Match, rows: Int) -> Iterator[_Row]:
    matching = match.matching
    for confidence, word in _OPEN.items():
        # A launch with a call, however sure, is in the rows of calls.
        open_rows = rows[(matching.confidence[rows] == confidence) & (matching.call[rows] < 0)]
        if len(open_rows):
            named = {call for row in open_rows.tolist() for call in matching.candidates_of(row)}
            ids = tuple(map(match.program.call_id, sorted(named)))
            yield word, word, ids, open_rows, _say_reasons(match, open_rows, word[1:-1])


def _say_reasons(match: Match, rows: Int, label: str) -> tuple[str, ...]:
    """Why `rows` belong to no single call: a sentence per reason, the most common first."""
    numbers = Counter(match.matching.reason[rows].tolist()).most_common()
    return tuple(
        (f"{label}, {number:,} of {len(rows):,}" if len(numbers) > 1 else label)
        + f": {REASONS.get(Reason(reason), 'nothing fits')}"
        for reason, number in numbers
    )


def _say_names(trace: Trace, ids: Sequence[int]) -> str:
    names = [repr(trace.launches.names[number]) for number in ids[:_SHOWN]]
    more = f" and {len(ids) - _SHOWN} more names" if len(ids) > _SHOWN else ""
    return f"the name{'s' if len(ids) > 1 else ''} {', '.join(names)}{more}"
