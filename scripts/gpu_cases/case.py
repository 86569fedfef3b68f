"""A case: what is compiled and run, with which settings, and what a machine needs for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

Step = Callable[[], None]


class Need(StrEnum):
    """What a machine must have; the value says what is missing where it does not."""

    GPU = "a GPU"
    TRITON = "the package triton"
    NODE_IDS = "torch 2.14, cuda-bindings and a driver of CUDA 13.1, which tell ids of graph nodes"


class Beside(StrEnum):
    """What else is recorded of a case, in processes of its own; beside.py does it."""

    COUNTERS = "counters of the GPU, by ncu"
    CAPTURES = "profiles of captures and replays without marks, with Python stacks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`build(device)` gives the step of a run; the first steps compile.

    `config` goes to torch._inductor.config. `warmup` steps in a row compile nothing before `steps`
    are recorded; 0 records the compilation too. `cuda_graphs` has the captures profiled, in a trace
    of their own; only with `annotations` the sample keeps the ids of their nodes. `replayed` gives,
    for the number of a step, which of the captures it replays, where captures look alike. `model`
    is the class of layers.py whose captures are recorded beside.

    `withheld` are compile ids whose code the sample leaves out, while its truth still knows it.
    `stops_early` stops the profiler before the GPU has done all that was launched. `memory` records
    every allocation, in the profile and in torch's snapshot. `keeps_settings` keeps what the log
    says of the compiler's settings.
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
    replayed: Callable[[int], Sequence[int]] | None = None
    model: str = ""
    withheld: tuple[str, ...] = ()
    stops_early: bool = False
    memory: bool = False
    keeps_settings: bool = False
    beside: tuple[Beside, ...] = ()
    notes: str = ""
