"""What a simulated world is like, and what is true in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from msgspec import Struct

from kernelmap.model import Reason

GraphRanges = Literal["key", "none", "absent"]
Names = Literal["unique", "legacy"]
Durations = Literal["blind", "plausible"]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The choices of one simulation; the same world of the same program gives the same bytes.

    `invocations` is the number of steps, each of which runs the graphs of `order` once (None:
    forward and inference graphs in program order, then the backwards in reverse). `eager` is the
    share of real launches outside compiled code. `drop` is the share of X events that are lost.
    `graph_ranges`: the key in `## Call CompiledFxGraph KEY ##`, `None` as with caches off, or no
    such range. `names`: "legacy" writes `triton__0d1`, no compile id and no kernel details, as
    torch before 2.4 did. `host` False keeps GPU rows only. `durations`: "blind" draws all kernels
    from one distribution, so that a duration identifies nothing.

    `cut` opens the window within the first step and closes it within the last. `cuda_graphs`: each
    graph runs once by itself, is captured in the second step, on `streams` (1 or 2) of them, and
    replayed from then on; with `capture` False all of that happened before the profile began.
    `shuffle` changes the order of the forward and inference graphs from step to step.
    `other_thread` is the share of calls during which another thread launches eager work on the
    same stream. `machine`: worlds of one machine run each call by the same library kernels and
    configs, whatever their seeds; None draws these, too.

    `drawn`: each step runs half to all of the graphs, drawn anew, in changing order. `between` is
    the chance of an eager operator between two graphs. `threads` host threads share the graphs and
    run at the same time, each on a stream of its own or all on one that is `shared`; some graphs
    run in both. `apis` keeps the
    api rows of a world without `host`, as a profile of CUDA activities alone does. `long` libraries
    launch many kernels per call, and eager work is drawn from all operators and varies from step
    to step; `vendor` gives library kernels names that say nothing. `tuned_before` benchmarks all
    kernels before the first step, and the window opens with that.

    `misaligned` is the share of invocations before which torch clones inputs, below the graph's
    range; then a capture begins with two fills, too. `frames` writes the Python frames around
    generated code, copies of inputs and benchmarks. `user_ranges` are annotations around each step.
    """

    seed: int = 0
    invocations: int = 20
    order: tuple[str, ...] | None = None
    eager: float = 1 / 3
    autotune: bool = True
    record_shapes: bool = True
    graph_ranges: GraphRanges = "key"
    names: Names = "unique"
    host: bool = True
    steps: bool = True
    drop: float = 0.0
    durations: Durations = "blind"
    cut: bool = False
    cuda_graphs: bool = False
    machine: int | None = None
    streams: int = 1
    capture: bool = True
    shuffle: bool = False
    other_thread: float = 0.0
    misaligned: float = 0.0
    frames: bool = False
    user_ranges: tuple[str, ...] = ()
    drawn: bool = False
    between: float = 0.0
    threads: int = 1
    shared: bool = False
    apis: bool = False
    long: bool = False
    vendor: bool = False
    tuned_before: bool = False


class Owner(Struct, frozen=True, kw_only=True):
    """Whom the launches of the moment belong to; a call, or a reason why there is none."""

    graph: str | None = None
    call: int | None = None
    invocation: int | None = None
    reason: Reason | None = None


class Truth(Struct, frozen=True, kw_only=True):
    """What one kernel, memcpy or memset event of the trace really is.

    `event` is its position in the trace's events; `graph` and `call` are CompiledGraph.id and
    WrapperCall.index, None where `reason` tells why no call launched it. `correlation` is unique
    per launch, or together with `node`, the CUDA graph node, per replayed launch. `candidates` are
    all calls that it may belong to (graph and index) where nobody can decide (undecidable.py).
    """

    event: int
    correlation: int
    dur_ns: int
    graph: str | None
    call: int | None
    invocation: int | None
    reason: Reason | None
    node: int | None = None
    candidates: tuple[tuple[str, int], ...] = ()


EAGER = Owner(reason=Reason.EAGER)
AUTOTUNE = Owner(reason=Reason.AUTOTUNE)
INPUTS = Owner(reason=Reason.INPUTS)
