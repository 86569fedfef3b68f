"""A kernel's name → the kernels and calls of the code that it may stand for, launches counted.

Takes a name as a GPU trace, a profiler or a person writes it; gives the kernels and calls it may
stand for, strongest rule first. With a trace the launches of the name are divided over the calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from math import gcd

import numpy as np

from kernelmap.matching.explaining.hits import (
    Hit,
    MatchedHit,
    by_operator,
    meant,
    shares,
    shares_below,
)
from kernelmap.matching.match import Match
from kernelmap.matching.names.device_names import is_suffix, legacy_names, split_suffix
from kernelmap.model import CompiledGraph, CompiledProgram, Confidence, KernelDef, WrapperCall
from kernelmap.model.notices import count
from kernelmap.model.trace import Int

_NEAREST = 5
_READABLE = 8  # characters of a hash that people copy


def find(
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
    for rule in (_by_wrapper, _by_function, _by_suffix, _by_hash):
        if hits := tuple(rule(name, program)):
            matched = _counted_rows(name, hits, match)
            taken = np.concatenate([each.rows for each in matched])
            if match is None or not len(taken):
                return matched
            # Where the other launches of this very name went, so that all of them are told.
            return matched + shares(name, match, exactly=True, without=taken)
    hits = tuple(by_operator(name, program, ops))
    matched = _counted_rows(name, hits, match)
    if match is None:
        return matched
    taken = np.concatenate([np.zeros(0, dtype=np.int64), *(each.rows for each in matched)])
    bearing = () if hits else shares(name, match)
    return bearing or matched + shares_below(meant(name), match, taken)


def _counted_rows(name: str, hits: Sequence[Hit], match: Match | None) -> tuple[MatchedHit, ...]:
    """The hits with their launches, the most first."""
    counted = _counted(name, hits, match) if match and hits else hits
    ranked = sorted(counted, key=lambda hit: -(hit.launches or 0))
    return tuple(MatchedHit(hit, _rows(hit, match)) for hit in ranked)


def _rows(hit: Hit, match: Match | None) -> Int:
    """The launches that were matched to the calls of `hit`."""
    if match is None:
        return np.zeros(0, dtype=np.int64)
    own = [
        at
        for at, (graph, call) in enumerate(match.program.calls)
        if graph.call_id(call) in hit.calls
    ]
    return np.flatnonzero(np.isin(match.matching.call, own))


def nearest(name: str, program: CompiledProgram, names: Iterable[str] = ()) -> tuple[str, ...]:
    """Known names that hold `name`, then those spelled like it; `names` are known besides."""
    known = {*names, *(call.wrapper for _, call in program.calls)}
    known |= {kernel.function for graph in program.graphs for kernel in graph.kernels}
    ordered = sorted(known)
    holding = [each for each in ordered if name.lower() in each.lower()]
    alike = get_close_matches(name, ordered, n=_NEAREST, cutoff=0.4)
    return tuple(dict.fromkeys((*holding, *alike)))[:_NEAREST]


def _by_wrapper(name: str, program: CompiledProgram) -> Iterator[Hit]:
    for graph, kernel in _kernels(program):
        if kernel.name == name:
            yield _hit("wrapper", graph, kernel, f"{name} is defined{_where(graph, kernel)}")


def _by_function(name: str, program: CompiledProgram) -> Iterator[Hit]:
    for graph, kernel in _kernels(program):
        if kernel.function == name:
            text = f"{kernel.name} runs the function {name}"
            yield _hit("device name", graph, kernel, text)


def _by_suffix(name: str, program: CompiledProgram) -> Iterator[Hit]:
    function, suffix = split_suffix(name) or (None, name)
    if not is_suffix(suffix):
        return
    alike = [(g, k) for g, k in _kernels(program) if function in (None, k.function)]
    full = [(g, k) for g, k in alike if f"{k.function}_{suffix}" in legacy_names(k)]
    unstated = [(g, k) for g, k in alike if function is not None and not legacy_names(k)]
    for graph, kernel in full or unstated:
        fits = "gives" if full else "is not stated, so cannot be held against"
        text = f"{kernel.name} runs {kernel.function!r}; its signature {fits} the suffix {suffix!r}"
        yield _hit("legacy suffix" if full else "function of a suffix", graph, kernel, text)


def _by_hash(name: str, program: CompiledProgram) -> Iterator[Hit]:
    for graph, kernel in _kernels(program):
        if kernel.hash and (
            kernel.hash in name or (len(name) >= _READABLE and kernel.hash.startswith(name))
        ):
            text = f"the content hash {kernel.hash} of {kernel.name} is in the name"
            yield _hit("kernel hash", graph, kernel, text)


def _kernels(program: CompiledProgram) -> Iterator[tuple[CompiledGraph, KernelDef]]:
    for graph in program.graphs:
        for kernel in graph.kernels:
            yield graph, kernel


def _hit(rule: str, graph: CompiledGraph, kernel: KernelDef, evidence: str) -> Hit:
    owners = {kernel.name, *(k.name for k in graph.kernels if kernel.name in k.members)}
    calls = [call for call in graph.calls if call.kernel in owners]
    return Hit(
        rule=rule,
        wrapper=kernel.name,
        graph=graph.id,
        calls=tuple(graph.call_id(call) for call in calls),
        launches=None,
        evidence=(evidence,),
        ops=_ops(calls),
    )


def _ops(calls: Sequence[WrapperCall]) -> tuple[str, ...]:
    """The original ops that the code states for `calls`."""
    return tuple(dict.fromkeys(op for call in calls if call.origins for op in call.origins.aten))


def _where(graph: CompiledGraph, kernel: KernelDef) -> str:
    if graph.code is None:
        return " in no given code; the trace names it"
    return f" in {graph.code}" + (f":{kernel.first_line}" if kernel.first_line else "")


def _counted(name: str, hits: Sequence[Hit], match: Match) -> tuple[Hit, ...]:
    """`hits` with their launches: as matched, else as the numbers alone imply."""
    program, matching = match.program, match.matching
    position = {graph.call_id(call): i for i, (graph, call) in enumerate(program.calls)}
    sure = matching.call[matching.confidence <= Confidence.INFERRED]
    per_call = np.bincount(sure[sure >= 0], minlength=len(program.calls))
    matched = [sum(int(per_call[position[call]]) for call in hit.calls) for hit in hits]
    if any(matched):
        return tuple(
            replace(
                hit,
                launches=number,
                evidence=(
                    *hit.evidence,
                    f"{hit.wrapper} in {hit.graph}: {count(number, 'launch')} matched"
                    + _division([(call, int(per_call[position[call]])) for call in hit.calls]),
                ),
            )
            for hit, number in zip(hits, matched, strict=True)
        )
    launches = match.context.trace.launches
    named = [i for i, known in enumerate(launches.names) if known == name]
    total = int(np.isin(launches.name_id, named).sum())
    weights = [hit.weight for hit in hits]
    whole = sum(weights)
    one_graph = len({hit.graph for hit in hits}) == 1
    if not total or not whole or not one_graph or total % whole:
        note = f"{count(total, 'launch')} of this name; how they divide is not known"
        note = (
            note
            if total
            else f"no launch was matched to {hits[0].wrapper}, and none bears {name!r}"
        )
        return tuple(replace(hit, evidence=(*hit.evidence, note)) for hit in hits)
    times, unit = total // whole, gcd(*weights)
    ratio = ":".join(str(weight // unit) for weight in weights)
    note = (
        f"{total} launches over {whole} calls a run of {hits[0].graph} are {times} runs, "
        f"divided {ratio}"
    )
    return tuple(
        replace(hit, launches=times * hit.weight, evidence=(*hit.evidence, note)) for hit in hits
    )


def _division(launches: Sequence[tuple[str, int]]) -> str:
    """How the launches of a hit divide over its calls, where it has several."""
    if len(launches) == 1:
        return f" to call {launches[0][0]}"
    return ": " + ", ".join(f"{number} to {call}" for call, number in launches)
