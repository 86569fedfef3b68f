"""A simulated world on disk and back: the ways in which it may have been recorded.

"kineto" is a profile of PyTorch's; "nsys" an export with the ranges of `emit_nvtx()`, "nsys bare"
one without; "node map" a profile beside which a capture wrote down the nodes of CUDA graphs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from kernelmap.model import CompiledProgram, Trace
from kernelmap.model.trace import CAPTURED_FORMAT, CAPTURED_VERSION
from kernelmap.traces import load_trace
from kernelmap.traces.cuda_graphs import with_captures
from worlds.nsys import Export, write_nsys
from worlds.recorder import PID
from worlds.trace import SimulatedTrace
from worlds.world import Truth

Recording = Literal["kineto", "nsys", "nsys bare", "node map"]


def recorded(
    simulated: SimulatedTrace, program: CompiledProgram, recording: Recording, folder: Path
) -> tuple[Trace, list[Truth]]:
    """The trace as read back from `folder`, and the truth of each of its launches."""
    if recording in ("nsys", "nsys bare"):
        path = folder / "export.sqlite"
        path.unlink(missing_ok=True)
        write_nsys(path, [simulated], Export(ranges=recording == "nsys"))
        trace = load_trace(path)
        launches = trace.launches
        ids = zip(launches.correlation.tolist(), launches.graph_node.tolist(), strict=True)
        by_id = {(true.correlation, true.node or -1): true for true in simulated.truth}
        return trace, [by_id[key] for key in ids]
    path = folder / "profile.json"
    simulated.write_kineto(path)
    trace = load_trace(path)
    if recording == "node map":
        beside = folder / "cuda_graphs.json"
        beside.write_text(json.dumps(node_map(simulated, program)), encoding="utf-8")
        trace = with_captures(trace, [beside])
    by_event = {true.event: true for true in simulated.truth}
    return trace, [by_event[event] for event in trace.launches.event.tolist()]


def node_map(simulated: SimulatedTrace, program: CompiledProgram) -> dict[str, object]:
    """What a capture writes of every captured graph, where the driver tells the nodes' ids."""
    graphs = {graph.id: graph for graph in program.graphs}
    captures = []
    for name, capture in simulated.captures.items():
        nodes: dict[int | None, list[int]] = {}
        for at, node in enumerate(capture.nodes):
            nodes.setdefault(node.owner.call, []).append(capture.launched(at))
        calls = [
            {"index": call.index, "wrapper": call.wrapper, "nodes": nodes.get(call.index, [])}
            for call in graphs[name].calls
        ]
        run = {"digest": graphs[name].digest, "name": graphs[name].aot_id, "calls": calls}
        captures.append({"graph_id": capture.number, "complete": True, "runs": [run]})
    return {
        "format": CAPTURED_FORMAT,
        "version": CAPTURED_VERSION,
        "pid": PID,
        "captures": captures,
    }
