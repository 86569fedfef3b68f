"""What becomes of an event, by its category; every spelling since torch 1.8.

Left out, silently: all other categories (source frames, flow arrows, GPU annotations, counters).
"""

from __future__ import annotations

from enum import IntEnum

from kernelmap.model.trace import Activity
from kernelmap.traces.kineto_events import Scalar


class Kind(IntEnum):
    """The columns that an event goes to."""

    NOTHING = 0
    OP = 1
    ANNOTATION = 2
    API = 3
    KERNEL = 4
    MEMCPY = 5
    MEMSET = 6
    GRAPH = 7


_CATEGORIES = {
    "cpu_op": Kind.OP,
    "operator": Kind.OP,
    "user_annotation": Kind.ANNOTATION,
    "cuda_runtime": Kind.API,
    "cuda_driver": Kind.API,
    "runtime": Kind.API,
    "hip_runtime": Kind.API,
    "hip_driver": Kind.API,
    "xpu_runtime": Kind.API,
    "xpu_driver": Kind.API,
    "mtia_runtime": Kind.API,
    "privateuse1_runtime": Kind.API,
    "privateuse1_driver": Kind.API,
    "kernel": Kind.KERNEL,
    "concurrent_kernel": Kind.KERNEL,
    "gpu_memcpy": Kind.MEMCPY,
    "memcpy": Kind.MEMCPY,
    "gpu_memset": Kind.MEMSET,
    "memset": Kind.MEMSET,
    "cuda_graph": Kind.GRAPH,  # ours: see chrome_trace
}

ACTIVITY = {
    int(Kind.KERNEL): Activity.KERNEL,
    int(Kind.MEMCPY): Activity.MEMCPY,
    int(Kind.MEMSET): Activity.MEMSET,
    int(Kind.GRAPH): Activity.GRAPH,
}


class Kinds(dict[Scalar, int]):
    """Kind by category as written; old files capitalize, so a new spelling is looked at once."""

    def __missing__(self, category: Scalar) -> int:
        kind = self[category] = int(_CATEGORIES.get(str(category).lower(), Kind.NOTHING))
        return kind
