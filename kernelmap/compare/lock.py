"""The fusion structure of compiled code as records: what `kernels.lock` holds.

Takes a CompiledProgram, gives one record per graph with its calls in program order: fingerprint,
name without its number, ops, and the configuration as far as it is known: what the code states
(templates, tile size hints), or what a profile recorded. Left out: paths, lines, handles and all
numbers that the compiler counts, so that the text changes when the code's structure does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kernelmap.attribution.split import splits
from kernelmap.compare.pieces import Piece
from kernelmap.fingerprints import CallPrint, fingerprints, stem
from kernelmap.model import CompiledGraph, CompiledProgram, WrapperCall

_NUMBER = re.compile(r"(\d+)")
_STATED = ("num_warps", "num_stages", "num_consumer_groups", "num_buffers_warp_spec")


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedCall:
    """One call; `config` is None where neither the code nor a profile states one."""

    fingerprint: str
    name: str
    ops: tuple[str, ...]
    config: str | None = None

    @property
    def piece(self) -> Piece:
        """What it is paired by."""
        return Piece(fingerprint=self.fingerprint, name=self.name, ops=self.ops)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedGraph:
    """One graph; `kind` is None where the code does not state it."""

    name: str
    kind: str | None
    fingerprint: str
    calls: tuple[LockedCall, ...]


def lock(program: CompiledProgram, recorded: Mapping[str, str]) -> tuple[LockedGraph, ...]:
    """The graphs of `program` that have code, by name.

    `recorded` has the configurations of a profile by call id; they win over what the code states.
    """
    prints = fingerprints(program)
    shares = splits(program)
    calls: dict[str, list[LockedCall]] = {graph.id: [] for graph in program.graphs}
    for (graph, call), known, share in zip(program.calls, prints.calls, shares, strict=True):
        if known is not None:
            config = recorded.get(graph.call_id(call)) or _stated(graph, call)
            calls[graph.id].append(_locked(call, known, share.involved, config))
    found = [
        LockedGraph(
            name=_bare(graph.id), kind=graph.kind, fingerprint=known, calls=tuple(calls[graph.id])
        )
        for graph, known in zip(program.graphs, prints.graphs, strict=True)
        if known is not None
    ]
    return tuple(sorted(found, key=lambda graph: _natural(graph.name)))


def _locked(
    call: WrapperCall, known: CallPrint, ops: tuple[str, ...], config: str | None
) -> LockedCall:
    return LockedCall(
        fingerprint=known.fingerprint,
        name=_bare(stem(call)),
        ops=tuple(map(_bare, ops)),
        config=config,
    )


def _bare(text: str) -> str:
    """`text` as one word of a lock; a name of code has no spaces unless somebody put them there."""
    return re.sub(r"[\s,]+", "_", text)


def _stated(graph: CompiledGraph, call: WrapperCall) -> str | None:
    """What the definition states outright; other kernels are tuned when they first run."""
    kernel = graph.kernel_of(call)
    if kernel is None:
        return None
    parts = [f"{name}={kernel.meta[name]}" for name in _STATED if kernel.meta.get(name) is not None]
    return " ".join(parts) or None


def _natural(name: str) -> list[tuple[int, str]]:
    """`10_forward` after `9_forward`."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _NUMBER.split(name)]
