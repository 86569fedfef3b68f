"""What one call does to memory, in one line: what it makes, until when, what it uses last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernelmap.model.memory import GraphMemory, MemoryBuffer
from kernelmap.model.notices import join_some
from kernelmap.pages.text import format_bytes, make_visible

_NAMED = 4  # buffers in a sentence


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
