"""Agents of HSA (processors of a machine, CPUs too) → numbers and names of GPUs.

HIP counts the GPUs of a machine from 0, and so does torch's profiler; rocprofiler-sdk numbers them
beside the CPUs, and states the place among the GPUs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from kernelmap.model.trace import NONE, Int
from kernelmap.traces.columns import LARGEST_PLACE

AgentId = tuple[int, int]
"""The number of the guid, and the id that rows name."""


class Agent(Struct, frozen=True, kw_only=True):
    """`ordinal` is its place among the GPUs, -1 where the file does not say."""

    id: AgentId
    is_gpu: bool
    ordinal: int
    name: str | None


class Agents:
    """The agents that one file lists for a process."""

    def __init__(self, listed: Sequence[Agent]) -> None:
        self._listed = {agent.id: agent for agent in listed}

    @property
    def gpus(self) -> dict[int, str | None]:
        """Names by the number of the GPU."""
        return {
            _device(agent): agent.name
            for agent in self._listed.values()
            if agent.is_gpu and 0 <= _device(agent) <= LARGEST_PLACE
        }

    def devices_at(self, guid: Int, ids: Int, *, only_gpus: bool = False) -> Int:
        """The numbers of the GPUs that rows name, (n,).

        An agent that is not listed keeps its id; with `only_gpus` that is -1, as is a CPU.
        """
        pairs = list(zip(guid.tolist(), ids.tolist(), strict=True))
        numbers = {}
        for pair in set(pairs):
            agent = self._listed.get(pair)
            if agent is None:
                numbers[pair] = NONE if only_gpus else pair[1]
            else:
                numbers[pair] = NONE if only_gpus and not agent.is_gpu else _device(agent)
        return np.array([numbers[pair] for pair in pairs], dtype=np.int64)


def _device(agent: Agent) -> int:
    return agent.ordinal if agent.ordinal >= 0 else agent.id[1]
