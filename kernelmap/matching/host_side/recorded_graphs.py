"""Captured CUDA graphs → the call behind each node that was replayed.

Where the driver noted which nodes a call made, nodes are looked up. Where it did not, a replayed
graph is a capture if its nodes, in ascending order, are that capture's launches. Nodes are numbered
in the order of capture, which nobody promises: such calls are inferred, and only where captures
agree on them.

In that order generated kernels are one node each, under a name that the code gives them, and must
agree one by one; without any the order proves nothing. Between two of them a single library call
made all nodes that its library may run, as many calls as nodes made one each, and otherwise each
may have made any. What no call may have made, such as a copy of an input, is nobody's.

A graph of which one node runs something else than its call is not the one that was recorded; then
nothing of it is claimed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from kernelmap.facts.families import kernel_family
from kernelmap.matching.names.expectations import may_launch_family
from kernelmap.matching.names.symbols import calls_by_device_name
from kernelmap.model import Activity, CompiledProgram, Confidence, Trace
from kernelmap.model.trace import CapturedCall, CapturedGraph

Share = tuple[int, ...]
"""Places in the list of calls: one, several that all may be it, or none."""

Id = tuple[int, int]
"""A process, and an id in it: that of a node, or that of a graph."""
_GRAPH_BITS = 32  # a node's id is that of its graph, then a number of its own


class LaunchedNode(Struct, frozen=True):
    """What a node of a replayed graph ran; `node` is the id that the profiler gives it."""

    node: int
    name: str
    activity: Activity


class Calls(Struct, frozen=True):
    """The calls of a program, by the digest of their code and by the names of their kernels."""

    program: CompiledProgram
    graphs: Mapping[str, Sequence[int]]
    by_name: Mapping[str, tuple[int, ...]]
    generated: frozenset[int]

    @classmethod
    def look_up(cls, program: CompiledProgram) -> Calls:
        """Look them up once."""
        graphs: dict[str, list[int]] = defaultdict(list)
        for position, graph in enumerate(program.graphs):
            if graph.digest is not None:
                graphs[graph.digest].append(position)
        by_name = calls_by_device_name(program)
        generated = frozenset(call for calls in by_name.values() for call in calls)
        return cls(program, graphs, by_name, generated)

    def positions_of(self, digest: str, captured: CapturedCall) -> tuple[int, ...]:
        """Positions in `program.calls`: several where code is given twice.

        There is none where it is not given, or where this statement runs something else.
        """
        positions = []
        # The recorded index counts statements of the code; the wrapper there has to be the
        # recorded one as well.
        for graph in self.graphs.get(digest, ()):
            calls = self.program.graphs[graph].calls
            if captured.index in range(len(calls)) and (
                calls[captured.index].wrapper == captured.wrapper
            ):
                positions.append(self.program.first_call[graph] + captured.index)
        return tuple(positions)

    def is_generated(self, launched: LaunchedNode) -> bool:
        """Whether it bears the name of a generated kernel."""
        return launched.activity is Activity.KERNEL and launched.name in self.by_name

    def may_run(self, calls: Sequence[int], launched: LaunchedNode) -> bool:
        """Whether one of `calls` may have made a node that runs this."""
        if launched.activity is not Activity.KERNEL:
            return True
        # A name of no generated kernel may be any library call's; a generated one's belongs to
        # its own calls.
        named = self.by_name.get(launched.name)
        if named is None:
            return any(call not in self.generated for call in calls)
        return any(call in named for call in calls)


def in_order(
    made: Sequence[int], launched: Sequence[LaunchedNode], calls: Calls
) -> tuple[Share, ...] | None:
    """The call of `made` that each of `launched` is of; None where they cannot be theirs.

    `made` are positions in `program.calls`.
    """
    # Generated kernels among the calls, and among what ran: they have to agree one by one.
    kernels = [at for at, call in enumerate(made) if call in calls.generated]
    places = [at for at, launch in enumerate(launched) if calls.is_generated(launch)]
    if not kernels or len(kernels) != len(places):
        return None
    pairs = list(zip(kernels, places, strict=True))
    if not all(calls.may_run([made[kernel]], launched[place]) for kernel, place in pairs):
        return None
    # Library work between two kernels, before the first and behind the last: calls k m k and
    # nodes k x y k give x and y to m.
    shares: list[Share] = []
    for (kernel, place), (next_kernel, next_place) in zip(
        [(-1, -1), *pairs], [*pairs, (len(made), len(launched))], strict=True
    ):
        between = range(kernel + 1, next_kernel)
        shares += _share_library_work(between, launched[place + 1 : next_place], made, calls)
        if next_place < len(launched):
            shares.append((next_kernel,))
    return tuple(shares)


def _share_library_work(
    library: Sequence[int], launched: Sequence[LaunchedNode], made: Sequence[int], calls: Calls
) -> list[Share]:
    """The shares of what ran between two generated kernels."""
    # One node for each call, if each may have made its own; else every call whose library fits.
    if len(library) == len(launched):
        pairs = list(zip(library, launched, strict=True))
        if all(may_make(made[at], launch, calls) for at, launch in pairs):
            return [(at,) for at, _ in pairs]
    return [tuple(at for at in library if may_make(made[at], launch, calls)) for launch in launched]


def may_make(call: int, launched: LaunchedNode, calls: Calls) -> bool:
    """Whether a library call may launch something of this name, by their families."""
    target = calls.program.calls[call][1].target or ""
    return may_launch_family(target, kernel_family(launched.name, launched.activity))


class NodeCall(Struct, frozen=True):
    """The call behind a node, by its position in `program.calls`.

    Several where code is given twice or the order leaves them, none where code is not given. `run`
    tells the executions apart that were captured.
    """

    calls: tuple[int, ...]
    confidence: Confidence
    run: tuple[int, int]


class Recorded(Struct):
    """Calls of nodes; graphs whose nodes the driver noted; replayed graphs that fit no capture."""

    nodes: dict[Id, NodeCall] = {}
    noted: set[Id] = set()
    wrong: set[Id] = set()


def read_recorded_graphs(program: CompiledProgram, trace: Trace) -> Recorded:
    """What the captures in `trace` say of the graphs that were replayed in it."""
    recorded = Recorded()
    if not trace.captured:
        return recorded
    calls = Calls.look_up(program)
    noted, disputed = _read_noted_nodes(trace.captured, calls)
    recorded.noted = {graph_of(node) for node in noted}
    # Captures of which the driver told no node ids, by process: only their order tells.
    without_ids = defaultdict(list)
    for number, capture in enumerate(trace.captured):
        if not capture.has_node_ids:
            without_ids[capture.process].append((number, capture))
    for graph, launched in _read_replayed_nodes(trace).items():
        if graph in recorded.noted:
            of_nodes = _looked_up(graph, launched, noted, calls)
            # A graph with two calls for one node is not believed at all.
            of_nodes = None if graph in disputed else of_nodes
        elif graph[0] in without_ids:
            of_nodes = _place_nodes(without_ids[graph[0]], launched, calls)
        else:
            continue
        if of_nodes is None:
            recorded.wrong.add(graph)
        else:
            recorded.nodes |= {(graph[0], node): node_call for node, node_call in of_nodes.items()}
    return recorded


def graph_of(node: Id) -> Id:
    """The process and graph of a node."""
    return node[0], node[1] >> _GRAPH_BITS


def _read_noted_nodes(
    captured: Sequence[CapturedGraph], calls: Calls
) -> tuple[dict[Id, NodeCall], set[Id]]:
    """The nodes that the driver noted, and the graphs of those with two calls."""
    noted: dict[Id, NodeCall] = {}
    disputed: set[Id] = set()
    for number, capture in enumerate(captured):
        for at, run in enumerate(capture.runs):
            for call in run.calls:
                positions = calls.positions_of(run.digest, call)
                sure = Confidence.EXACT if len(positions) == 1 else Confidence.AMBIGUOUS
                node_call = NodeCall(positions, sure, (number, at))
                for node_id in call.nodes or ():
                    node = (capture.process, node_id)
                    if noted.setdefault(node, node_call) is not node_call:
                        disputed.add(graph_of(node))
    return noted, disputed


def _read_replayed_nodes(trace: Trace) -> Mapping[Id, list[LaunchedNode]]:
    """Graph → what its nodes ran, ascending; a node that ran two things stands twice."""
    launches = trace.launches
    rows = np.flatnonzero(launches.graph_node > 0)
    columns = (launches.process, launches.graph_node, launches.name_id, launches.activity)
    # Every node with what it ran, once for all replays; (4, nodes), ascending by process and
    # node.
    distinct = np.unique(np.stack([column[rows].astype(np.int64) for column in columns]), axis=1)
    graphs: dict[Id, list[LaunchedNode]] = defaultdict(list)
    for process, node, name, activity in distinct.T.tolist():
        launched = LaunchedNode(node, launches.names[name], Activity(activity))
        graphs[graph_of((process, node))].append(launched)
    return graphs


def _looked_up(
    graph: Id, launched: Sequence[LaunchedNode], noted: Mapping[Id, NodeCall], calls: Calls
) -> dict[int, NodeCall] | None:
    """Node → call as the driver noted it; None where one of them runs something else."""
    process = graph[0]
    # Nodes that no recorded call made are left out here.
    pairs = [
        (launch, noted[process, launch.node])
        for launch in launched
        if (process, launch.node) in noted
    ]
    if any(
        node_call.calls and not calls.may_run(node_call.calls, launch)
        for launch, node_call in pairs
    ):
        return None
    return {launch.node: node_call for launch, node_call in pairs}


def _place_nodes(
    captures: Sequence[tuple[int, CapturedGraph]], launched: Sequence[LaunchedNode], calls: Calls
) -> dict[int, NodeCall] | None:
    """Node → call by the captures that fit; None where none does, or they differ."""
    # Captures that give all nodes the same calls agree, whichever of them was replayed.
    fitting: dict[tuple[tuple[int, ...], ...], dict[int, NodeCall]] = {}
    for number, capture in captures:
        made, runs = [], []
        for at, run in enumerate(capture.runs):
            for call in run.calls:
                made.append(calls.positions_of(run.digest, call))
                runs.append((number, at))
        # A capture with any other call cannot be laid beside the nodes.
        if any(len(positions) != 1 for positions in made):
            continue  # its code is not given, or twice
        shares = in_order([position for (position,) in made], launched, calls)
        if shares is not None:
            call_of_node = dict(_by_node(launched, shares, made, runs))
            fitting.setdefault(
                tuple(node_call.calls for node_call in call_of_node.values()), call_of_node
            )
    return next(iter(fitting.values())) if len(fitting) == 1 else None


def _by_node(
    launched: Sequence[LaunchedNode],
    shares: Sequence[tuple[int, ...]],
    made: Sequence[tuple[int, ...]],
    runs: Sequence[tuple[int, int]],
) -> Iterator[tuple[int, NodeCall]]:
    for launch, share in zip(launched, shares, strict=True):
        positions = tuple(dict.fromkeys(position for at in share for position in made[at]))
        if positions:
            sure = Confidence.INFERRED if len(positions) == 1 else Confidence.AMBIGUOUS
            yield launch.node, NodeCall(positions, sure, runs[share[0]])
