"""Laws of launch order: which replays of CUDA graphs are one sequence that ran several times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest
from msgspec.structs import replace

from kernelmap.matching import match_launches
from kernelmap.matching.context.decided import Matched, Outcome
from kernelmap.matching.context.launch_order import LaunchOrder, launch_orders
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.model import Trace
from tiny import Timeline, graph, program

NORM = "triton_per_fused_rms_norm_0"


@dataclass
class Orders:
    """A strategy that decides nothing and keeps the sequences it is given."""

    seen: list[LaunchOrder] = field(default_factory=list)

    def __call__(self, context: MatchContext, matched: Matched) -> Iterator[Outcome]:
        """Keep them."""
        self.seen.extend(launch_orders(context, matched))
        return iter(())


def replays(grids: list[int], nodes: list[int]) -> Trace:
    """A replay of three kernels per number, which is the blocks of each; `nodes` are their ids."""
    timeline = Timeline()
    for _ in grids:
        timeline.launch(NORM, api="cudaGraphLaunch", count=3)
    trace = timeline.trace()
    blocks = np.repeat(grids, 3)
    grid = np.stack([blocks, np.ones_like(blocks), np.ones_like(blocks)], axis=1)
    columns = {"grid": grid.astype(trace.launches.grid.dtype)}
    if nodes:
        columns["graph_node"] = np.array(nodes, dtype=trace.launches.graph_node.dtype)
    return replace(trace, launches=replace(trace.launches, **columns))


def times_of_sequences(trace: Trace) -> list[int]:
    """How often each sequence ran."""
    orders = Orders()
    match_launches(program(graph("0_inference", NORM)), trace, [orders])
    return sorted(len(order.copies) for order in orders.seen)


def test_replays_of_one_graph_are_one_sequence() -> None:
    """The same names over the same grids are the same graph."""
    assert times_of_sequences(replays([4, 4, 4], [])) == [3]


def test_graphs_of_two_batch_sizes_are_two_sequences() -> None:
    """Equal names over other grids are another graph, with calls of its own."""
    assert times_of_sequences(replays([4, 2, 4], [])) == [1, 2]


@pytest.mark.parametrize(("grids", "times"), [([4, 4], [2]), ([4, 2], [1, 1])])
def test_a_node_that_changed_its_grid_is_taken_replay_by_replay(
    grids: list[int], times: list[int]
) -> None:
    """An executable graph may be updated between two replays, and keeps the ids of its nodes."""
    first = 5 << 32
    nodes = [first, first + 1, first + 2] * 2

    assert times_of_sequences(replays(grids, nodes)) == times
