"""What a release of torch offers; runs beside that torch, prints `VERDICT: words`.

python scripts/torch_releases/probes.py graph_nodes
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path


def graph_nodes() -> str:
    """Whether `kernelmap capture` knows a way to ask for the ids of CUDA graph nodes."""
    from kernelmap.capture.cuda_graph_nodes import torch_annotations

    if torch_annotations() is not None:
        return "read: asked for (no GPU here: not run)"
    there = [name for name in ("graph_annotations", "_graph_annotations") if _is_there(name)]
    if there:
        return f"unread: torch.cuda.{there[0]} is not used"
    return "absent: torch has no way to ask"


def _is_there(name: str) -> bool:
    return find_spec(f"torch.cuda.{name}") is not None


def monitor() -> str:
    """Whether torch has its second profiler backend, which writes JSON and .pftrace."""
    if find_spec("torch.profiler._cupti") is None:
        return "absent: torch has Kineto alone"
    return "untried: needs a GPU"


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    print({"graph_nodes": graph_nodes, "monitor": monitor}[sys.argv[1]]())
