"""A case: what is compiled and run, with which settings, and what a machine needs for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Step = Callable[[], None]


class Need(StrEnum):
    """What a machine must have; the value says what is missing where it does not."""

    GPU = "a GPU"
    TRITON = "the package triton"
    NODE_IDS = "cuda-bindings and a driver of CUDA 13.1, which tell the ids of graph nodes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`build(device)` gives the step of a run; the first steps compile.

    `config` goes to torch._inductor.config. `warmup` steps in a row compile nothing before `steps`
    are recorded; 0 records the compilation too. `cuda_graphs` has the captures profiled, in a trace
    of their own; only with `annotations` the sample keeps the ids of their nodes.
    """

    name: str
    title: str
    build: Callable[[str], Step]
    needs: tuple[Need, ...] = ()
    config: Mapping[str, object] = field(default_factory=dict)
    warmup: int = 3
    steps: int = 3
    cuda_graphs: bool = False
    annotations: bool = False
    notes: str = ""
