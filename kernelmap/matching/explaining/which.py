"""A kernel's name → the kernels and calls of the code that it may stand for, launches counted.

Takes a name as a GPU trace, a profiler or a person writes it; gives the kernels and calls it may
stand for, strongest rule first. With a trace the launches of the name are divided over the calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

import numpy as np
from msgspec.structs import replace

from kernelmap.matching.explaining.hits import (
    Hit,
    MatchedHit,
    by_operator,
    divide_launches_of_name,
    matches_operator,
    shares_below,
)
from kernelmap.matching.match import Match
from kernelmap.matching.names.symbols import is_suffix, legacy_names, split_suffix
from kernelmap.model import CompiledGraph, CompiledProgram, KernelDef, WrapperCall
from kernelmap.model.notices import format_count
from kernelmap.model.trace import Launches

_READABLE = 8  # characters of a hash that people copy


def find_kernels(
    name: str,
    program: CompiledProgram,
    match: Match | None = None,
    ops: Sequence[tuple[str, ...]] = (),
) -> tuple[MatchedHit, ...]:
    """The best hits for `name`, all of the strongest rule that finds any; most launches first.

    `ops` are the original ops of every call of the program, which is that of `match` if there is
    one; without them those that comments list.
    """
    program = match.program if match else program
    # The first rule that finds anything answers: a wrapper's name, a function's, a legacy suffix,
    # a content hash.
    for rule in (_by_wrapper, _by_function, _by_suffix, _by_hash):
        if hits := tuple(rule(name, program)):
            matched = _with_launches(name, hits, match)
            taken = np.concatenate([hit.rows for hit in matched])
            if match is None or not len(taken):
                return matched
            # Where the other launches of this very name went, so that all of them are listed.
            return matched + divide_launches_of_name(name, match, exactly=True, without=taken)
    hits = tuple(by_operator(name, program, ops))
    matched = _with_launches(name, hits, match)
    if match is None:
        return matched
    taken = np.concatenate([np.zeros(0, dtype=np.int64), *(one.rows for one in matched)])
    # No kernel of the code has the name. If it is no operator either, launches that bear it
    # answer, else those below an operator of that name.
    bearing = () if hits else divide_launches_of_name(name, match)
    return bearing or matched + shares_below(matches_operator(name), match, taken)


def _with_launches(name: str, hits: Sequence[Hit], match: Match | None) -> tuple[MatchedHit, ...]:
    """The hits with their launches, the most first: as matched, else as the numbers imply."""
    nothing = np.zeros(0, dtype=np.int64)
    if match is None or not hits:
        return tuple(MatchedHit(hit, nothing) for hit in hits)
    position = {graph.call_id(call): at for at, (graph, call) in enumerate(match.program.calls)}
    calls = [np.array([position[call] for call in hit.calls], dtype=np.int64) for hit in hits]
    rows = [np.flatnonzero(np.isin(match.matching.call, positions)) for positions in calls]
    # Launches that were matched are counted; without any, those of the name are divided by how
    # often each kernel is called.
    if any(map(len, rows)):
        per_call = np.bincount(match.matching.call[np.concatenate(rows)], minlength=len(position))
        numbers: list[int | None] = list(map(len, rows))
        notes = [
            f"{hit.wrapper} in {hit.graph}: {format_count(len(matched), 'launch')} matched"
            + _say_division(list(zip(hit.calls, per_call[positions].tolist(), strict=True)))
            for hit, matched, positions in zip(hits, rows, calls, strict=True)
        ]
    else:
        numbers, note = _divide_by_calls(name, hits, match.context.trace.launches)
        notes = [note] * len(hits)
    counted = [
        MatchedHit(replace(hit, launches=number, evidence=(*hit.evidence, note)), matched)
        for hit, number, note, matched in zip(hits, numbers, notes, rows, strict=True)
    ]
    return tuple(sorted(counted, key=lambda one: -(one.hit.launches or 0)))


def _divide_by_calls(
    name: str, hits: Sequence[Hit], launches: Launches
) -> tuple[list[int | None], str]:
    """How the launches that bear `name` divide over hits of one graph, by the calls of each."""
    named = [at for at, other in enumerate(launches.names) if other == name]
    total = int(np.isin(launches.name_id, named).sum())
    weights = [hit.weight for hit in hits]
    whole = sum(weights)
    if not total:
        note = f"no launch was matched to {hits[0].wrapper}, and none bears {name!r}"
        return [None] * len(hits), note
    # Numbers that do not come out even tell nothing: some launch is missing, or is of another
    # graph.
    if not whole or len({hit.graph for hit in hits}) > 1 or total % whole:
        note = f"{format_count(total, 'launch')} of this name; how they divide is not known"
        return [None] * len(hits), note
    times, unit = total // whole, gcd(*weights)
    ratio = ":".join(str(weight // unit) for weight in weights)
    return [times * weight for weight in weights], (
        f"{total} launches over {whole} calls a run of {hits[0].graph} are {times} runs, "
        f"divided {ratio}"
    )


def known_names(program: CompiledProgram) -> set[str]:
    """The wrappers and functions of the code: names that somebody may have meant."""
    functions = {kernel.function for graph in program.graphs for kernel in graph.kernels}
    return functions | {call.wrapper for _, call in program.calls}


def _by_wrapper(name: str, program: CompiledProgram) -> Iterator[Hit]:
    for graph, kernel in _iter_kernels(program):
        if kernel.name == name:
            yield _hit_of_kernel(
                "wrapper", graph, kernel, f"{name} is defined{_say_where(graph, kernel)}"
            )


def _by_function(name: str, program: CompiledProgram) -> Iterator[Hit]:
    for graph, kernel in _iter_kernels(program):
        if kernel.function == name:
            text = f"{kernel.name} runs the function {name}"
            yield _hit_of_kernel("device name", graph, kernel, text)


def _by_suffix(name: str, program: CompiledProgram) -> Iterator[Hit]:
    function, suffix = split_suffix(name) or (None, name)
    if not is_suffix(suffix):
        return
    alike = [(g, k) for g, k in _iter_kernels(program) if function in (None, k.function)]
    # Kernels whose signature gives this very suffix; failing these, those of the function that
    # state no signature.
    full = [(g, k) for g, k in alike if f"{k.function}_{suffix}" in legacy_names(k)]
    unstated = [(g, k) for g, k in alike if function is not None and not legacy_names(k)]
    for graph, kernel in full or unstated:
        fits = "gives" if full else "is not stated, so cannot be held against"
        text = f"{kernel.name} runs {kernel.function!r}; its signature {fits} the suffix {suffix!r}"
        yield _hit_of_kernel(
            "legacy suffix" if full else "function of a suffix", graph, kernel, text
        )


def _by_hash(name: str, program: CompiledProgram) -> Iterator[Hit]:
    for graph, kernel in _iter_kernels(program):
        if kernel.hash and (
            kernel.hash in name or (len(name) >= _READABLE and kernel.hash.startswith(name))
        ):
            text = f"the content hash {kernel.hash} of {kernel.name} is in the name"
            yield _hit_of_kernel("kernel hash", graph, kernel, text)


def _iter_kernels(program: CompiledProgram) -> Iterator[tuple[CompiledGraph, KernelDef]]:
    for graph in program.graphs:
        for kernel in graph.kernels:
            yield graph, kernel


def _hit_of_kernel(rule: str, graph: CompiledGraph, kernel: KernelDef, evidence: str) -> Hit:
    # A member of a multi-kernel runs in the calls of the multi-kernel.
    owners = {kernel.name, *(k.name for k in graph.kernels if kernel.name in k.members)}
    calls = [call for call in graph.calls if call.kernel in owners]
    return Hit(
        rule=rule,
        wrapper=kernel.name,
        graph=graph.id,
        calls=tuple(graph.call_id(call) for call in calls),
        launches=None,
        evidence=(evidence,),
        ops=_ops_of_calls(calls),
    )


def _ops_of_calls(calls: Sequence[WrapperCall]) -> tuple[str, ...]:
    """The original ops that the code states for `calls`."""
    return tuple(dict.fromkeys(op for call in calls if call.origins for op in call.origins.aten))


def _say_where(graph: CompiledGraph, kernel: KernelDef) -> str:
    if graph.code is None:
        return " in no given code; the trace names it"
    return f" in {graph.code}" + (f":{kernel.first_line}" if kernel.first_line else "")


def _say_division(launches: Sequence[tuple[str, int]]) -> str:
    """How the launches of a hit divide over its calls, where it has several."""
    if len(launches) == 1:
        return f" to call {launches[0][0]}"
    return ": " + ", ".join(f"{number} to {call}" for call, number in launches)
