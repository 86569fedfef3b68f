"""What went into the CUDA graphs of a run, written down while they were captured.

A replay runs no code on the host, so a profile of it says nothing of calls; these records do.
"""

from __future__ import annotations

from dataclasses import dataclass

FORMAT, VERSION = "kernelmap.cuda_graphs", 1
"""What the file says of itself in which a capture writes this down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedCall:
    """A call that ran while the graph was captured.

    `nodes` are the ids that profilers give to the nodes it made (`Launches.graph_node`), None where
    the driver did not tell them.
    """

    index: int
    wrapper: str
    handle: int | None = None
    nodes: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedRun:
    """One execution of a compiled graph, or the part of it that was captured, calls in order.

    `digest` is that of its code (`CompiledGraph.digest`).
    """

    digest: str
    calls: tuple[CapturedCall, ...]
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedGraph:
    """A CUDA graph: the runs that were captured into it, in order; `process` as in `Launches`."""

    process: int
    runs: tuple[CapturedRun, ...]
    source: str

    @property
    def is_told(self) -> bool:
        """Whether the driver told the ids of its nodes."""
        return any(call.nodes for run in self.runs for call in run.calls)
