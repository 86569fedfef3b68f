"""How much memory each recorded step took on each GPU, as torch's own allocator counts it.

torch counts the most since it was last asked to begin anew, so it is asked with each recorded step:
what the program reads of `torch.cuda.max_memory_allocated` then counts from the last of them. torch
counts on the host; nothing waits for the GPU. The profiler cannot tell: with operators of all
threads, which a capture records, it drops its events of memory. CPUs have no such count.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field


@dataclass(slots=True)
class MemoryPeaks:
    """Is told when recorded steps begin and end; `rows` are by the names of `CountedStep`."""

    rows: list[dict[str, int]] = field(default_factory=list)
    _begun: dict[int, dict[str, int]] = field(default_factory=dict)

    def begin_step(self, step: int) -> None:
        """A step that is recorded begins."""
        # An allocator that the user brought may count nothing: that is no reason to stop recording.
        self._begun = {}
        with suppress(Exception):
            self._begun = {device: _begin_on(device, step) for device in _devices_in_use()}

    def end_step(self) -> None:
        """That step has ended, whole."""
        begun, self._begun = self._begun, {}
        with suppress(Exception):
            self.rows += [_end_on(device, facts) for device, facts in begun.items()]


def _devices_in_use() -> list[int]:
    """The GPUs from which this process has memory; asking must not make it use one."""
    import torch

    if not torch.cuda.is_initialized():
        return []
    return [at for at in range(torch.cuda.device_count()) if torch.cuda.memory_reserved(at)]


def _begin_on(device: int, step: int) -> dict[str, int]:
    import torch

    torch.cuda.reset_peak_memory_stats(device)
    return {"step": step, "device": device, "start_bytes": torch.cuda.memory_allocated(device)}


def _end_on(device: int, begun: dict[str, int]) -> dict[str, int]:
    import torch

    return {
        **begun,
        "peak_bytes": torch.cuda.max_memory_allocated(device),
        "end_bytes": torch.cuda.memory_allocated(device),
        "reserved_bytes": torch.cuda.max_memory_reserved(device),
    }
