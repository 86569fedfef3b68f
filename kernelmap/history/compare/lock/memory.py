"""The memory of a graph in a lock: the peak, and what is alive there; and what changed of it.

      memory 436207616
        held 134217728    603e5991b3b9    float32[8192, 4096]    aten.relu
        held  16777216    input           float32[1024, 4096]

A buffer is known by the fingerprint of the call that made it, others by their kind. Left out are
names and source lines, which change with nothing, and buffers below a hundredth of the peak.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from kernelmap.history.compare.sides.held import HeldBuffer, HeldGraph
from kernelmap.pages.text import format_bytes, format_percent, format_signed_bytes, make_visible

MEMORY, HELD = "memory ", "held "
"""How the lines begin."""
_LEAST = 100
"""Parts of the peak: with smaller ones a lock of many layers would hold more buffers than calls.
At most so many buffers are larger. Chosen."""
_NONE = "-"
_GAP = "    "
_SHOWN = 8  # buffers of a change that are named


class LockedBuffer(Struct, frozen=True, kw_only=True):
    """A buffer that is alive at the peak; `maker` is a call's fingerprint, or the buffer's kind."""

    nbytes: int
    maker: str
    type: str
    op: str


class LockedMemory(Struct, frozen=True, kw_only=True):
    """The peak of one graph by its code, and the larger buffers that are alive there."""

    peak_bytes: int
    buffers: tuple[LockedBuffer, ...] = ()


def lock_memory_of(held: HeldGraph, prints: Sequence[str]) -> LockedMemory:
    """The memory of a graph as a lock keeps it; `prints` are the fingerprints of its calls."""
    return LockedMemory(
        peak_bytes=held.peak_bytes,
        buffers=tuple(locked for locked, _ in _locked_buffers(held, prints)),
    )


def names_of_locked(held: HeldGraph, prints: Sequence[str]) -> Mapping[LockedBuffer, HeldBuffer]:
    """The buffers that a lock of this graph keeps, with what it leaves out of them."""
    return dict(_locked_buffers(held, prints))


def _locked_buffers(
    held: HeldGraph, prints: Sequence[str]
) -> list[tuple[LockedBuffer, HeldBuffer]]:
    """What is alive at the peak, largest first."""
    least = held.peak_bytes / _LEAST
    pairs = [
        (_lock_buffer(held.by_index[index], nbytes, prints), held.by_index[index])
        for index, nbytes in held.held_at(held.peak_moment).items()
        if nbytes > least
    ]
    return sorted(pairs, key=lambda pair: (-pair[0].nbytes, pair[0].maker, pair[0].type))


def _lock_buffer(buffer: HeldBuffer, nbytes: int, prints: Sequence[str]) -> LockedBuffer:
    known = buffer.call is not None and buffer.call < len(prints)
    return LockedBuffer(
        nbytes=nbytes,
        maker=prints[buffer.call] if known and buffer.call is not None else buffer.kind.value,
        type=_one_cell(f"{buffer.dtype or ''}{buffer.shape or ''}"),
        op=_one_cell(buffer.op or ""),
    )


def _one_cell(text: str) -> str:
    """A text as one cell: cells are parted by two spaces or more."""
    return make_visible(" ".join(text.split())) or _NONE


def dump_locked_memory(memory: LockedMemory) -> str:
    """The lines of a lock."""
    rows = [(str(one.nbytes), one.maker, one.type, one.op) for one in memory.buffers]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [f"  {MEMORY}{memory.peak_bytes}"]
    for nbytes, *cells in rows:
        padded = [cell.ljust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        lines.append(f"    {HELD}{_GAP.join((nbytes.rjust(widths[0]), *padded))}".rstrip())
    return "".join(f"{line}\n" for line in lines)


def read_locked_peak(line: str) -> LockedMemory | None:
    """The memory that a line begins; None where it is no such line."""
    number = line.strip().removeprefix(MEMORY).strip()
    return LockedMemory(peak_bytes=int(number)) if _is_count(number) else None


def read_locked_buffer(line: str) -> LockedBuffer | None:
    """The buffer of a line; None where it is no such line."""
    cells = re.split(r"\s{2,}", line.strip().removeprefix(HELD).strip())
    if len(cells) != len(("bytes", "maker", "type", "op")) or not _is_count(cells[0]):
        return None
    return LockedBuffer(nbytes=int(cells[0]), maker=cells[1], type=cells[2], op=cells[3])


_DIGITS = 18  # of the largest number of bytes that 64 bits hold


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _DIGITS


class MemoryGrowth(Struct, frozen=True, kw_only=True):
    """How a peak changed against its lock; `came` and `went` are buffers alive there, as lines."""

    before_bytes: int
    after_bytes: int
    came: tuple[str, ...]
    went: tuple[str, ...]

    @property
    def words(self) -> str:
        """`the peak of memory grew: 302 MB → 436 MB, +134 MB (44.4 %)`."""
        change = self.after_bytes - self.before_bytes
        share = f" ({format_percent(abs(change) / self.before_bytes)})" if self.before_bytes else ""
        verb = "grew" if change > 0 else "fell"
        times = f"{format_bytes(self.before_bytes)} → {format_bytes(self.after_bytes)}"
        return f"the peak of memory {verb}: {times}, {format_signed_bytes(change)}{share}"


def growth_of_peak(
    before: LockedMemory,
    after: LockedMemory,
    names: Mapping[LockedBuffer, HeldBuffer] | None = None,
) -> MemoryGrowth:
    """What changed; `names` tell the buffers of the newer side by name and line."""
    # Calls that compute something else have another fingerprint; what they hold may be as large.
    ones, others = Counter(before.buffers), Counter(after.buffers)
    went, came = list((ones - others).elements()), list((others - ones).elements())
    for one in list(went):
        same = next((each for each in came if each.nbytes == one.nbytes), None)
        if same is not None:
            went.remove(one)
            came.remove(same)
    known = names or {}
    return MemoryGrowth(
        before_bytes=before.peak_bytes,
        after_bytes=after.peak_bytes,
        came=tuple(_say_buffer(one, known.get(one)) for one in came[:_SHOWN]),
        went=tuple(_say_buffer(one, None) for one in went[:_SHOWN]),
    )


def _say_buffer(locked: LockedBuffer, buffer: HeldBuffer | None) -> str:
    """`134 MB  buf1 of model.py:9  float32[8192, 4096]  aten.relu`."""
    name = locked.maker if buffer is None else buffer.described
    cells = (format_bytes(locked.nbytes), name, locked.type, locked.op)
    return "  ".join(cell for cell in cells if cell != _NONE)
