"""Tiny memory snapshots of torch, in the form of its sources from 2.1 on: simulated, not recorded.

snapshot = TinySnapshot()
block = snapshot.alloc(600, "model.py:12:forward")
snapshot.free(block)
snapshot.dump(path)
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import strategies as st

FIRST_ADDRESS = 0x7F00_0000_0000
GRAIN = 512
Dict = dict[str, object]


def frames_of(*places: str) -> list[Dict]:
    """The frames of `file:line:function`, the innermost first."""
    parts = [place.split(":") for place in places]
    return [
        {"filename": file, "line": int(line), "name": function} for file, line, function in parts
    ]


@dataclass
class TinySnapshot:
    """One device's allocator; each block has a segment of its own."""

    device: int = 0
    live: dict[int, tuple[int, list[Dict]]] = field(default_factory=dict)
    trace: list[Dict] = field(default_factory=list)
    now_us: int = 1_700_000_000_000_000
    next_address: int = FIRST_ADDRESS

    def alloc(self, size: int, *places: str) -> int:
        """A new block that was asked for at `places`."""
        address, self.next_address = self.next_address, self.next_address + (1 << 21)
        frames = frames_of(*places)
        self.live[address] = (size, frames)
        self.event("alloc", addr=address, size=size, frames=frames)
        return address

    def free(self, address: int, *places: str) -> None:
        """Give a block back, which no stream uses any more."""
        size, _ = self.live.pop(address)
        frames = frames_of(*places)
        self.event("free_requested", addr=address, size=size, frames=frames)
        self.event("free_completed", addr=address, size=size, frames=frames)

    def event(self, action: str, **rest: object) -> None:
        """One event of the history."""
        self.now_us += 10
        self.trace.append({"action": action, "stream": 0, "time_us": self.now_us, **rest})

    def forget(self, events: int) -> None:
        """Lose the oldest events, as a history of limited length does."""
        del self.trace[:events]

    def data(self) -> Dict:
        """What torch would pickle."""
        segments = [
            {
                "device": self.device,
                "address": address,
                "total_size": 1 << 21,
                "allocated_size": -(-size // GRAIN) * GRAIN,
                "stream": 0,
                "segment_type": "large",
                "blocks": [
                    {
                        "address": address,
                        "size": -(-size // GRAIN) * GRAIN,
                        "requested_size": size,
                        "state": "active_allocated",
                        "frames": frames,
                    },
                    {"address": address + GRAIN, "size": 1, "state": "inactive", "frames": []},
                ],
            }
            for address, (size, frames) in self.live.items()
        ]
        traces: list[list[Dict]] = [[] for _ in range(self.device)] + [self.trace]
        return {"segments": segments, "device_traces": traces, "allocator_settings": {}}

    def dump(self, path: Path) -> Path:
        """The file that `_dump_snapshot` would write."""
        path.write_bytes(pickle.dumps(self.data()))
        return path


PLACES = ("model.py:12:forward", "model.py:30:forward", "train.py:7:step")


@st.composite
def snapshots(draw: st.DrawFn) -> TinySnapshot:
    """Some blocks that come and go, of which the oldest events may be forgotten."""
    snapshot = TinySnapshot()
    for _ in range(draw(st.integers(1, 16))):
        if draw(st.booleans()) and snapshot.live:
            snapshot.free(draw(st.sampled_from(sorted(snapshot.live))))
        else:
            places = draw(st.lists(st.sampled_from(PLACES), max_size=2))
            snapshot.alloc(draw(st.integers(1, 5000)), *places)
    snapshot.forget(draw(st.integers(0, len(snapshot.trace))))
    return snapshot
