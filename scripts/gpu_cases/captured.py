"""Captures and replays of a decoder as its user profiles them: with stacks, without marks.

    python scripts/gpu_cases/captured.py CLASS FOLDER

CLASS is one of layers.py. FOLDER gets, per batch size, a profile of the captures
(capture_bs_4.json.gz) and the nodes of each graph as the driver lists them (nodes_bs_4.json: kind,
name of the kernel, grid, block), and a profile of steps that replay the graphs in turn
(replays.json.gz), with the batches in their order in replays.json. The nodes are the truth: what
was captured on one stream replays in that order.
"""

from __future__ import annotations

import ctypes
import gzip
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT), str(PROJECT / "scripts")]

from gpu_cases.record import CACHE, SEED  # noqa: E402 -- after the line above

ROUNDS = 3
KERNEL, MEMCPY, MEMSET = 0, 1, 2
_KINDS = {KERNEL: "kernel", MEMCPY: "gpu_memcpy", MEMSET: "gpu_memset"}
"""CUgraphNodeType → the category of the activity that a node becomes."""


class KernelNode(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS of CUDA 12 and newer."""

    _fields_ = (
        ("function", ctypes.c_void_p),
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared_bytes", ctypes.c_uint),
        ("parameters", ctypes.c_void_p),
        ("extra", ctypes.c_void_p),
        ("kernel", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
    )


def main() -> None:
    """Run the command line."""
    name, folder = sys.argv[1:3]
    work = Path(folder).resolve()
    work.mkdir(parents=True, exist_ok=True)
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(work / CACHE)
    import torch
    from torch.profiler import profile

    from gpu_cases import layers

    torch.manual_seed(SEED)
    model: layers.Decoder = getattr(layers, name)().to("cuda", torch.bfloat16)
    for batch in model.BATCHES:
        model.warm_up(batch)
    torch.cuda.synchronize()
    for batch in model.BATCHES:
        with profile(record_shapes=True, with_stack=True) as profiler:
            model.capture(batch)
        _write(work / f"capture_bs_{batch}.json.gz", profiler)
        nodes = [list(nodes_of(graph.raw_cuda_graph())) for graph in model.graphs[batch]]
        (work / f"nodes_bs_{batch}.json").write_text(json.dumps(nodes) + "\n", encoding="utf-8")
    order = list(model.BATCHES) * ROUNDS
    for batch in model.BATCHES:
        model.replay(batch)
    torch.cuda.synchronize()
    with profile(record_shapes=True) as profiler:
        for batch in order:
            model.replay(batch)
            profiler.step()
    _write(work / "replays.json.gz", profiler)
    (work / "replays.json").write_text(json.dumps(order) + "\n", encoding="utf-8")


def nodes_of(graph: int) -> Iterator[dict[str, object]]:
    """The nodes of a cudaGraph_t, in the order in which the driver lists them."""
    driver = ctypes.CDLL("libcuda.so.1")
    count = ctypes.c_size_t()
    _check(driver.cuGraphGetNodes(ctypes.c_void_p(graph), None, ctypes.byref(count)))
    nodes = (ctypes.c_void_p * count.value)()
    _check(driver.cuGraphGetNodes(ctypes.c_void_p(graph), nodes, ctypes.byref(count)))
    for node in map(ctypes.c_void_p, nodes):
        kind = ctypes.c_int()
        _check(driver.cuGraphNodeGetType(node, ctypes.byref(kind)))
        said: dict[str, object] = {"kind": _KINDS.get(kind.value, kind.value)}
        if kind.value == KERNEL:
            of = KernelNode()
            _check(driver.cuGraphKernelNodeGetParams_v2(node, ctypes.byref(of)))
            name = ctypes.c_char_p()
            if of.function:
                _check(driver.cuFuncGetName(ctypes.byref(name), ctypes.c_void_p(of.function)))
            else:
                _check(driver.cuKernelGetName(ctypes.byref(name), ctypes.c_void_p(of.kernel)))
            text = (name.value or b"").decode()
            said |= {"name": text, "grid": list(of.grid), "block": list(of.block)}
        yield said


def _check(result: int) -> None:
    if result:
        raise RuntimeError(f"the driver answers {result}")


def _write(path: Path, profiler: object) -> None:
    """The profile without the name of the host; beside.py makes its paths neutral."""
    plain = path.with_suffix("")
    profiler.export_chrome_trace(str(plain))  # type: ignore[attr-defined]
    text = re.sub(r'"host_name":\s*"[^"]*",?', "", plain.read_text(encoding="utf-8"))
    plain.unlink()
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
