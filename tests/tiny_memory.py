"""A tiny allocator: what it hands out and takes back becomes memory events, as torch writes them.

memory = TinyAllocator(held=1_000)
block = memory.alloc(512, at_ns=20)
memory.free(block, at_ns=40)
memory.events()            # the columns
memory.kineto()            # the events of a file
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st
from msgspec.structs import replace

from kernelmap.model.allocations import MemoryEvents
from kernelmap.model.trace import NONE, Trace
from kernelmap.traces.memory_events import find_ranges_around

FIRST_ADDRESS = 0x7F00_0000_0000
RESERVED = 2 << 20


@dataclass
class Change:
    """One event: `bytes` is negative for a free."""

    at_ns: int
    bytes: int
    address: int
    allocated: int
    reserved: int
    thread: int = 1
    device: int = 0


@dataclass
class TinyAllocator:
    """The allocator of a device (-1: of the host) that holds `held` bytes when recording begins."""

    held: int = 0
    device: int = 0
    changes: list[Change] = field(default_factory=list)
    live: dict[int, int] = field(default_factory=dict)
    reserved: int = RESERVED

    def alloc(self, size: int, at_ns: int, *, thread: int = 1) -> int:
        """The address of a new block; the lowest that no block has, as an allocator reuses them."""
        address = next(a for a in range(FIRST_ADDRESS, FIRST_ADDRESS + 4096) if a not in self.live)
        self.live[address] = size
        self._change(size, address, at_ns, thread)
        return address

    def free(self, address: int, at_ns: int, *, thread: int = 1) -> None:
        """Take the block at `address` back."""
        self._change(-self.live.pop(address), address, at_ns, thread)

    def free_old(self, size: int, at_ns: int, *, thread: int = 1) -> None:
        """Take a block back that was handed out before the recording began."""
        self._change(-size, FIRST_ADDRESS + 8192 + len(self.changes), at_ns, thread)

    def _change(self, size: int, address: int, at_ns: int, thread: int) -> None:
        self.held += size
        while self.reserved < self.held:
            self.reserved *= 2
        change = Change(at_ns, size, address, self.held, self.reserved, thread, self.device)
        self.changes.append(change)

    def events(self, trace: Trace | None = None) -> MemoryEvents:
        """The columns of all changes; in the ranges of `trace`, where one is given."""
        events = events_of(self.changes)
        if trace is None:
            return events
        around = find_ranges_around(trace, events.process, events.thread, events.time_ns)
        return replace(events, range=around)

    def kineto(self, *, pid: object = 10) -> list[dict[str, object]]:
        """The events of a Kineto file; times are from its base."""
        return [kineto_event(change, pid=pid) for change in self.changes]


def events_of(changes: list[Change]) -> MemoryEvents:
    """Columns of changes in the order of their times."""
    ordered = sorted(enumerate(changes), key=lambda at: (at[1].at_ns, at[0]))
    names = ("thread", "device", "at_ns", "bytes", "address", "allocated", "reserved")
    columns = {
        name: np.array([getattr(change, name) for _, change in ordered], dtype=np.int64)
        for name in names
    }
    nothing = np.zeros(len(changes), dtype=np.int64)
    return MemoryEvents(
        source=nothing,
        process=nothing,
        thread=columns["thread"],
        device=columns["device"],
        time_ns=columns["at_ns"],
        bytes=columns["bytes"],
        address=columns["address"],
        allocated=columns["allocated"],
        reserved=columns["reserved"],
        range=nothing - 1,
        event=np.array([at for at, _ in ordered], dtype=np.int64),
    )


def kineto_event(change: Change, *, pid: object = 10, **args: object) -> dict[str, object]:
    """A change as torch 2.11 writes it; `args` go before its own."""
    return {
        "ph": "i",
        "cat": "cpu_instant_event",
        "s": "t",
        "name": "[memory]",
        "pid": pid,
        "tid": change.thread,
        "ts": change.at_ns / 1000,
        "args": {
            "Total Reserved": change.reserved,
            "Total Allocated": change.allocated,
            "Bytes": change.bytes,
            "Device Id": change.device,
            "Device Type": 0 if change.device == NONE else 1,
            "Addr": change.address,
            "finished": False,
            "Ev Idx": 7,
            **args,
        },
    }


@st.composite
def allocators(draw: st.DrawFn, device: int = 0, most: int = 14) -> TinyAllocator:
    """Some allocations and frees in any order that an allocator could have; times go on."""
    old = draw(st.lists(st.integers(1, 5000), max_size=3))
    memory = TinyAllocator(held=sum(old) + draw(st.integers(0, 3000)), device=device)
    at_ns = 1000
    for _ in range(draw(st.integers(1, most))):
        at_ns += draw(st.integers(0, 60))
        thread = draw(st.integers(1, 2))
        choice = draw(st.integers(0, 3))
        if choice == 0 and memory.live:
            memory.free(draw(st.sampled_from(sorted(memory.live))), at_ns, thread=thread)
        elif choice == 1 and old:
            memory.free_old(old.pop(), at_ns, thread=thread)
        else:
            memory.alloc(draw(st.integers(1, 5000)), at_ns, thread=thread)
    return memory
