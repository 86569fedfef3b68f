"""What calls do to memory, in one line: what they make, until when, what they use last."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from kernelmap.matching.explaining.hits import Hit
from kernelmap.model import CompiledGraph, CompiledProgram
from kernelmap.model.memory import GraphMemory, MemoryBuffer
from kernelmap.model.notices import join_some
from kernelmap.pages.text import format_bytes, make_visible

_NAMED = 4  # buffers in a sentence
_GRAPHS = 2
"""Graphs that are followed for an answer about a name: a forward and its backward. A name in more
graphs is that of a layer, and to follow a graph of 1,400 calls takes up to a second."""


def add_memory_to_hits(
    hits: Sequence[Hit],
    program: CompiledProgram,
    follow: Callable[[CompiledGraph], GraphMemory | None],
) -> tuple[Hit, ...]:
    """The hits, each with what its calls do to memory; `follow` gives the memory of a graph."""
    wanted = {hit.graph for hit in hits if hit.calls}
    graphs = [graph for graph in program.graphs if graph.id in wanted and graph.text is not None]
    if not 0 < len(graphs) <= _GRAPHS:
        return tuple(hits)
    followed = {graph.id: follow(graph) for graph in graphs}
    return tuple(
        replace(hit, memory=_say_memory_of_hit(hit, followed.get(hit.graph))) for hit in hits
    )


def _say_memory_of_hit(hit: Hit, memory: GraphMemory | None) -> str | None:
    """What its only call does, or what all of its calls make."""
    if memory is None:
        return None
    calls = {int(call.rpartition("/")[2]) for call in hit.calls}
    if len(calls) == 1:
        text = say_memory_of_call(memory, *calls)
        return None if text is None else f"{make_visible(hit.calls[0])} {text}"
    made = [buffer for buffer in memory.counted if buffer.made_by in calls]
    calls_in_words = make_visible(f"the {len(calls):,} calls of {hit.wrapper} in {hit.graph}")
    return f"{calls_in_words} make {make_visible(_say_buffers(made))}" if made else None


def say_memory_of_call(memory: GraphMemory, call: int) -> str | None:
    """`makes buf2 (524 kB), held until line 702; 6.83 MB are alive while it runs, the peak`.

    `call` is its index in the graph. None where the code does not say what it does.
    """
    at = next((at for at, step in enumerate(memory.steps) if step.call == call), None)
    if at is None:
        return None
    made = [buffer for buffer in memory.counted if buffer.made_by == call]
    last = [
        buffer for buffer in memory.counted if buffer.last_use == call and buffer.made_by != call
    ]
    # What a call returns is there when it is done, what it is handed before it begins.
    alive = int(max(memory.bytes_before[at], memory.bytes_after[at]))
    share = (
        "the peak"
        if alive == memory.peak_bytes
        else f"of {format_bytes(memory.peak_bytes)} at the peak"
    )
    parts = [*_say_made(memory, made), *_say_kept(last)]
    parts.append(f"{format_bytes(alive)} are alive while it runs, {share}")
    return make_visible("; ".join(parts))


def _say_made(memory: GraphMemory, made: Sequence[MemoryBuffer]) -> Iterator[str]:
    """What it is the first to write to, and until when that is held."""
    if not made:
        yield "makes no buffer"
        return
    reused = [(one.name, memory.buffers[one.reuses].name) for one in made if one.reuses is not None]
    taken = join_some([f"{name} in the memory of {old}" for name, old in reused], _NAMED)
    yield ", ".join(filter(None, (f"makes {_say_buffers(made)}", taken, _say_end(memory, made))))


def _say_end(memory: GraphMemory, made: Sequence[MemoryBuffer]) -> str:
    held = "held" if len(made) == 1 else "some of it held"
    ends = [buffer.freed for buffer in made if buffer.freed is not None]
    if len(ends) < len(made):
        return f"{held} when the graph is done"
    line = memory.steps[max(ends)].line
    return f"{held} until " + (
        f"statement {max(ends)}" if line is None else f"line {line} of the code"
    )


def _say_kept(last: Sequence[MemoryBuffer]) -> Iterator[str]:
    """What would be let go of sooner without it: what its caller holds anyway is not."""
    kept = [buffer for buffer in last if buffer.freed is not None]
    if kept:
        yield f"the last to use {_say_buffers(kept)}"


def _say_buffers(buffers: Sequence[MemoryBuffer]) -> str:
    """`buf2 (524 kB)`, or the first names with the sum of all."""
    known = [buffer.nbytes for buffer in buffers if buffer.nbytes is not None]
    size = format_bytes(sum(known)) if len(known) == len(buffers) else "of unknown size"
    whole = size if len(buffers) == 1 else f"{size} in all"
    return f"{join_some([buffer.name for buffer in buffers], _NAMED)} ({whole})"
