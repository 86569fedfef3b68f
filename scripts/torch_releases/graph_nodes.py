"""Whether `kernelmap capture` can ask a torch for ids of graph nodes: prints `VERDICT: words`.

Runs beside that torch, which need not have a GPU.
"""

from __future__ import annotations

from importlib.util import find_spec

from kernelmap.capture.cuda_graph_nodes import torch_annotations

_PUBLIC = "torch.cuda.graph_annotations"


def say() -> str:
    """What this torch has, and whether capture uses it."""
    if torch_annotations() is not None:
        return f"read: asked for by {_PUBLIC} (no GPU here: not run)"
    if find_spec(_PUBLIC) is not None:
        return f"unread: {_PUBLIC} is not as capture knows it"
    return "absent: torch has no public way to ask"


if __name__ == "__main__":
    print(say())
