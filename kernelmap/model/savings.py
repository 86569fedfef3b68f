"""What a step could save: one record per thing to change, and the list of them.

Takes nothing, gives frozen records that JSON, Parquet and a report keep as they are.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from kernelmap.model.notices import format_count, format_duration, format_percent


class Lever(StrEnum):
    """What can be changed, beside the reasons of calls (`Slug` of model/roofline.py).

    LAUNCH_BOUND: compiled code launches one kernel after the other. GRAPH_LAUNCHING: CUDA graphs
    launch, and the device waits from one graph to the next. STATIC_INPUTS: inputs are copied to
    where a CUDA graph expects them. HOST_WORK: an operator on the host that launches nothing.
    PYTHON: code without an event. NOT_RECORDED: the profile lacks what the host did. HEADROOM:
    calls far from the limits of their device, for no reason that is known.
    """

    LAUNCH_BOUND = "launch-bound"
    GRAPH_LAUNCHING = "graph-launching"
    STATIC_INPUTS = "static-inputs"
    EAGER_OPERATORS = "eager-operators"
    EAGER_OPTIMIZER = "eager-optimizer"
    GRAPH_BREAK = "graph-break"
    GUARDS = "guards"
    SYNCHRONIZATION = "synchronization"
    LOADING_DATA = "loading-data"
    COMPILING = "compiling"
    RECOMPILES = "recompiles"
    HOST_WORK = "host-work"
    PYTHON = "python"
    NOT_RECORDED = "not-recorded"
    WAITING = "waiting"
    EXPOSED_COMMUNICATION = "exposed-communication"
    EXPOSED_COPY = "exposed-copy"
    HEADROOM = "headroom"


class Basis(StrEnum):
    """What the time of a list is a part of.

    WINDOW: the wall time of the whole window, where no steps are marked. GPU_TIME: what the GPU
    worked, where the host side is not recorded, so that nobody knows what shortens a step.
    """

    STEPS = "steps"
    WINDOW = "window"
    GPU_TIME = "gpu-time"


class Spot(Struct, frozen=True, kw_only=True):
    """A place that a saving concerns: an operator, call or graph, and its line or function."""

    what: str | None
    source: str | None
    time_ns: int


class Saving(Struct, frozen=True, kw_only=True):
    """One thing to change, and what the steps could save by it at most.

    `slug` is a Lever or a Slug of the roofline. `saves_ns` is of all steps and devices, `step_ns`
    of one step, `share` the part of the list's time. `finding` says what is there, `do` what to do
    about it. `spots` come largest first, and so do `calls`, the ids of the calls that it concerns.
    """

    slug: str
    saves_ns: int
    step_ns: int
    share: float
    finding: str
    do: str
    spots: tuple[Spot, ...] = ()
    calls: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


class Savings(Struct, frozen=True, kw_only=True):
    """All savings, the largest first; their sum is never more than `total_ns`.

    `total_ns` is the time of all steps on all devices, and consists of `computing_ns`,
    `exposed_ns` (copies and communication beside which nothing computes) and `idle_ns`.
    `judged_ns` is the part of the computing that could be held against limits of the device.
    `steps` counts the steps of one device, 0 where none are marked. On the CPU's side `compiled_ns`
    is when compiled code ran in the steps, None where that is not known. `command` is what prints
    all of them, empty where nobody knows the inputs.
    """

    side: str
    basis: Basis
    total_ns: int
    computing_ns: int = 0
    exposed_ns: int = 0
    idle_ns: int = 0
    judged_ns: int = 0
    steps: int = 0
    devices: int = 1
    compiled_ns: int | None = None
    items: tuple[Saving, ...] = ()
    command: str = ""

    @property
    def first(self) -> Saving | None:
        """The largest saving, None where there is none."""
        return self.items[0] if self.items else None

    @property
    def headline(self) -> str | None:
        """What was found, in a few words: how much of its time the device computes.

        None where nobody knows how long the steps took.
        """
        if self.basis is Basis.GPU_TIME or not self.total_ns:
            return None
        if self.side == "cpu":
            known = self.compiled_ns is not None
            part = self.compiled_ns if self.compiled_ns is not None else self.computing_ns
            subject = "Compiled code takes" if known else "Operators take"
        else:
            part = self.computing_ns
            subject = "The GPU computes" if self.devices == 1 else f"{self.devices} GPUs compute"
        return (
            f"{subject} {format_percent(part / self.total_ns)} of {format_duration(self.total_ns)}"
        )

    @property
    def about(self) -> str:
        """What the time of the list is: `3 steps of 17.93 ms (mean), profiled`."""
        if self.basis is Basis.GPU_TIME:
            return (
                f"of {format_duration(self.total_ns)} GPU time: the host side is not recorded, so "
                "what of it shortens a step is not known"
            )
        of_devices = "" if self.devices == 1 else f" on {self.devices} devices"
        if self.basis is Basis.WINDOW:
            mean_ns = self.total_ns / self.devices
            return f"the whole window, {format_duration(mean_ns)}{of_devices}: no steps are marked"
        mean_ns = self.total_ns / (self.steps * self.devices)
        return (
            f"{format_count(self.steps, 'step')} of {format_duration(mean_ns)} "
            f"(mean){of_devices}, profiled"
        )
