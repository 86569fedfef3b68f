"""What a roofline gives: one record per call, and per row that calls are rolled up into."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Protocol, TypeVar

from msgspec import Struct

from kernelmap.model.collectives import CollectiveSpeed
from kernelmap.model.kernel_counters import CountedCall, KernelCounters
from kernelmap.model.notices import Notice
from kernelmap.model.trace import Step
from kernelmap.model.wall_time import DeviceStep
from kernelmap.model.work import Amount, Operand

_Key = TypeVar("_Key", bound=Hashable)

DEVICE_NAME = "device name"
"""The word of the rows by wrapper, graph and the name on the device, as the kernels of a result."""

NO_CALL = "(no call)"
"""The row of the kernels' table for launches that belong to no call."""

ODD_SHARE = 1.05
"""More of its limit than this no call can reach: clocks above the nominal one explain no more.
Where many calls do, the limits are those of another device, or the pairing is wrong. Chosen."""

_FLOAT8 = "float8"
_LINKS = ("HtoD", "DtoH", "PtoP")  # copies that a link bounds, by how profilers call them


class DeviceLimits(Struct, frozen=True, kw_only=True):
    """A device's limits: bytes per second, and operations per second by torch's name of a dtype.

    `link` names what joins the devices of a machine; `link_bandwidth` and `network_bandwidth` are
    bytes per second and direction to the other devices, and to other machines.
    """

    bandwidth: int
    peaks: Mapping[str, int]
    source: str | None = None
    link: str | None = None
    link_bandwidth: int | None = None
    network_bandwidth: int | None = None

    def peak_of(self, dtype: str, *, on_tensor_cores: bool = False) -> int | None:
        """The peak for operands of a dtype, None where it is not stated.

        `on_tensor_cores`: float32 operands that the device rounds to TensorFloat32.
        """
        if dtype == "float32" and on_tensor_cores:
            return self.peaks.get("tfloat32")
        # All forms of float8 have one peak.
        return self.peaks.get(_FLOAT8 if dtype.startswith(_FLOAT8) else dtype)


class Bound(StrEnum):
    """What keeps a call from being faster.

    LATENCY: the work of one execution is over before a device is up to speed, so neither bandwidth
    nor arithmetic decides.
    """

    MEMORY = "memory"
    COMPUTE = "compute"
    LATENCY = "latency"


MEASURED, COMPUTED, BOTH = "measured", "computed", "both"
"""Where bytes and bounds are known from: counters, the code with the device's limits, or both."""

LATENCY_NS = 1_000
"""An execution whose work needs less than this at the device's limits is bound by latency: the
shortest kernels of the samples of an H200 take 0.7 µs, whatever they do, so that no bandwidth shows
below. With more, kernels that a bandwidth does bound lose their headroom."""


_PART = 0.3
"""Of a call's headroom: a reason that explains more of it says what bounds the call. Chosen."""

BUSY = 0.6
"""A part of the device that does less than this of what it can bounds nothing; where none does
more, the kernel waits. It is the threshold of ncu's own rule: SOLBottleneck says "below 60.0%", in
the details pages of sample_traces/cuda_reason_pairs."""


_MOST_OF_TIME = 0.5
"""Of a call that runs several kernels, of which a report may have some: less says nothing of it."""


def bound_of_counters(counters: KernelCounters) -> Bound | None:
    """What bounds a kernel: the busiest of memory (DRAM and L2) and SMs, or that none is busy.

    None where a report has not both.
    """
    memory = max(counters.dram_percent or 0, counters.l2_percent or 0)
    if counters.dram_percent is None or counters.sm_percent is None:
        return None
    if max(memory, counters.sm_percent) < 100 * BUSY:
        return Bound.LATENCY
    return Bound.MEMORY if memory >= counters.sm_percent else Bound.COMPUTE


class CallSpeed(Struct, frozen=True, kw_only=True):
    """A call's work in the window against the time that it took.

    `call` is a position in `CompiledProgram.calls`. `executions` says how often it ran, None where
    the profile does not say. `bytes`, `flops` and `model_flops` are those of all executions
    together, `operands` those that one execution reads and writes. `ran` has the names that its
    launches ran under, each with their time, `launches` how many there were of each (none on a
    CPU). `blocks` is the largest grid of its launches, None where one of them states none, `dtype`
    the type whose peak counts. `memory_ns` and `compute_ns` are what the bytes and the operations
    need at the device's limits. `exposed_ns` is the time of its launches that their step waits for,
    None where that was not looked for. `counted` is what Nsight Compute counted of it, None without
    a report. `reason` says why something is None.
    """

    call: int
    executions: int | None
    time_ns: int
    bytes: Amount | None = None
    operands: tuple[Operand, ...] | None = None
    flops: int | None = None
    model_flops: int | None = None
    ran: tuple[tuple[str, int], ...] = ()
    launches: tuple[int, ...] = ()
    blocks: int | None = None
    dtype: str | None = None
    memory_ns: int | None = None
    compute_ns: int | None = None
    exposed_ns: int | None = None
    counted: CountedCall | None = None
    reason: str | None = None

    @property
    def measured_bytes(self) -> int | None:
        """The bytes of the device's memory that were counted, None where not all launches were."""
        return None if self.counted is None else self.counted.dram_bytes

    @property
    def moved(self) -> Amount | None:
        """The bytes that were counted; where none were, those of the code."""
        measured = self.measured_bytes
        return self.bytes if measured is None else Amount.exactly(measured)

    @property
    def measured_bound(self) -> Bound | None:
        """What bounds it by the counters, None where they say it of less than half of its time."""
        if self.counted is None or self.counted.time_share < _MOST_OF_TIME:
            return None
        return bound_of_counters(self.counted.counters)

    @property
    def crosses_link(self) -> bool:
        """Whether a launch of it copied from one device to another, as profilers name that."""
        return any(link in name for name, _ in self.ran for link in _LINKS)

    @property
    def limit_ns(self) -> int | None:
        """The least time that the device needs: the longer of both, None where one is missing."""
        if self.memory_ns is None:
            return None
        return max(self.memory_ns, self.compute_ns or 0)

    @property
    def at_peak_ns(self) -> int | None:
        """The time that its model FLOPs need at the dense peak of their dtype.

        None where they or the peak are not known; a call that has some has no other operations.
        """
        return self.compute_ns if self.model_flops else self.model_flops

    @property
    def headroom_ns(self) -> int | None:
        """The time beyond the limit, never below zero."""
        limit_ns = self.limit_ns
        return None if limit_ns is None else max(0, self.time_ns - limit_ns)

    @property
    def is_busy(self) -> bool:
        """Whether its work keeps memory or arithmetic busy most of its time, or is not known."""
        return self.limit_ns is None or self.limit_ns >= BUSY * self.time_ns

    @property
    def step_headroom_ns(self) -> int | None:
        """Headroom that could shorten steps: its part is that of the time that they wait for."""
        if self.headroom_ns is None or self.exposed_ns is None:
            return None
        return self.headroom_ns * self.exposed_ns // self.time_ns if self.time_ns else 0

    @property
    def bound(self) -> Bound | None:
        """What keeps it from being faster: by the counters, where they say so, or by its limit."""
        return self.measured_bound or self.bound_of_limit

    @property
    def bound_of_limit(self) -> Bound | None:
        """What its limit is made of, None where that is not known."""
        limit_ns = self.limit_ns
        if limit_ns is None or not self.executions:
            return None
        # The limit is that of all executions together, the threshold that of one.
        if limit_ns < LATENCY_NS * self.executions:
            return Bound.LATENCY
        return Bound.MEMORY if limit_ns == self.memory_ns else Bound.COMPUTE


class Speed(Struct, frozen=True, kw_only=True):
    """What calls add up to in a row of a table; `key` says which row.

    `time_ns` is all time of the row, `known_ns` the part of calls whose work is known,
    `limited_ns` of those whose limit is known as well. `bytes`, `flops`, `limit_ns`, `headroom_ns`
    and `step_headroom_ns` are sums over what is known, None where nothing is. So are `model_flops`,
    those of the calls that took `model_known_ns`, and `at_peak_ns`, the time that they need at the
    peaks of their dtypes; that is None as well where one of these peaks is not known.
    `bytes` are measured ones before `computed_bytes`, those of the code; of calls that took
    `measured_ns` they are measured. `bound_from` says where `bound` is known from.
    """

    key: tuple[str | int | None, ...]
    calls: int
    time_ns: int
    known_ns: int
    limited_ns: int
    bytes: Amount | None
    flops: int | None
    limit_ns: int | None
    headroom_ns: int | None
    bound: Bound | None
    computed_bytes: int | None = None
    measured_ns: int = 0
    bound_from: str | None = None
    step_headroom_ns: int | None = None
    model_flops: int | None = None
    at_peak_ns: int | None = None
    model_known_ns: int = 0
    reason: str | None = None

    @property
    def bytes_from(self) -> str | None:
        """Where its bytes are known from: MEASURED, COMPUTED, or BOTH of some calls each."""
        if self.bytes is None:
            return None
        if not self.measured_ns:
            return COMPUTED
        return MEASURED if self.measured_ns >= self.known_ns else BOTH

    @property
    def mfu(self) -> float | None:
        """Model FLOPs utilization: the time at the peak over all time, None where nothing is known.

        What is not known of a part of the calls makes it a lower bound.
        """
        if self.at_peak_ns is None or not self.time_ns:
            return None
        return self.at_peak_ns / self.time_ns


class Slug(StrEnum):
    """Why calls take longer than they need to: the closed list."""

    WRITTEN_AND_READ = "written-and-read"
    SPLIT_REDUCTION = "split-reduction"
    COMPUTED_AGAIN = "computed-again"
    SMALL_GRID = "small-grid"
    STRIDED_ACCESS = "strided-access"
    LAYOUT_COPY = "layout-copy"
    PADDING_COPY = "padding-copy"
    FLOAT32_PRODUCT = "float32-product"
    UNEVEN_PRODUCT = "uneven-product"
    UNEVEN_ROWS = "uneven-rows"
    SCATTERED_ACCESS = "scattered-access"
    CONTENDED_ATOMICS = "contended-atomics"
    COSTLY_FUNCTIONS = "costly-functions"
    HELPER_KERNELS = "helper-kernels"
    START_AND_END = "start-and-end"
    LOW_OCCUPANCY = "low-occupancy"
    LAST_WAVE = "last-wave"

    EXCESS_TRAFFIC = "excess-traffic"
    BUSY_SMS = "busy-sms"
    L2_ATOMICS = "l2-atomics"
    LAUNCH_BOUND = "launch-bound"
    EAGER_ISLAND = "eager-island"
    RECOMPILES = "recompiles"


EXPLAINS_HEADROOM = frozenset(
    {
        Slug.SMALL_GRID,
        Slug.STRIDED_ACCESS,
        Slug.UNEVEN_PRODUCT,
        Slug.UNEVEN_ROWS,
        Slug.SCATTERED_ACCESS,
        Slug.CONTENDED_ATOMICS,
        Slug.COSTLY_FUNCTIONS,
        Slug.HELPER_KERNELS,
        Slug.START_AND_END,
        Slug.LOW_OCCUPANCY,
        Slug.LAST_WAVE,
        Slug.EXCESS_TRAFFIC,
        Slug.BUSY_SMS,
        Slug.L2_ATOMICS,
    }
)
"""Reasons that save nothing of a call's limit: together they save no more than its headroom."""

BESIDE_CALLS = (Slug.LAUNCH_BOUND, Slug.EAGER_ISLAND, Slug.RECOMPILES)
"""Reasons of time in which no call runs."""


_BOUND_OF_SLUG = {
    Slug.STRIDED_ACCESS: Bound.MEMORY,
    Slug.SCATTERED_ACCESS: Bound.MEMORY,
    Slug.COSTLY_FUNCTIONS: Bound.COMPUTE,
    Slug.FLOAT32_PRODUCT: Bound.COMPUTE,
    Slug.HELPER_KERNELS: Bound.MEMORY,
    Slug.CONTENDED_ATOMICS: Bound.LATENCY,
    Slug.SMALL_GRID: Bound.LATENCY,
    Slug.START_AND_END: Bound.LATENCY,
    Slug.LOW_OCCUPANCY: Bound.LATENCY,
}
"""What keeps a call from being faster where one of these reasons explains it. The others leave it
to the limit."""


class HeadroomReason(Struct, frozen=True, kw_only=True):
    """Time that calls could do without, and what shows it.

    `calls` are positions in `CompiledProgram.calls`, `bytes` what would not have to be moved in the
    window, None where the reason concerns no bytes. `savings` are, parallel to `calls`, at most the
    ns that could be won of each beside the reasons before this one: all of them together save no
    more of a call than its time. `overlap_ns` is what those before count already. Both are None
    where the device's limits are not known. `idle_ns` is time in which the device waited,
    `outside_ns` that of launches outside of compiled code: no two reasons share any of it.
    """

    slug: Slug
    calls: tuple[int, ...]
    bytes: int | None
    savings: tuple[int, ...] | None
    overlap_ns: int | None
    evidence: str
    idle_ns: int = 0
    outside_ns: int = 0

    @property
    def bound(self) -> Bound | None:
        """What keeps its calls from being faster, None where their limits say that."""
        return _BOUND_OF_SLUG.get(self.slug)

    @property
    def saves_ns(self) -> int | None:
        """What could be won in all, None where that is not known."""
        if self.savings is None:
            return None
        return sum(self.savings) + self.idle_ns + self.outside_ns


class ModelUse(Struct, frozen=True, kw_only=True):
    """The model FLOPs of all calls of a window, and the time that they need at the peak.

    `by_dtype` has them by the dtype whose peak counts, the most first. `known_ns` is the part of
    `total_ns`, the GPU time, of calls whose model FLOPs are known. `at_peak_ns` is None where the
    peak of one of them is not known: a part of the numerator would be missing.
    """

    flops: int
    by_dtype: Mapping[str, int]
    known_ns: int
    total_ns: int
    at_peak_ns: int | None
    steps: int
    wall_ns: int

    @property
    def mfu(self) -> float | None:
        """Model FLOPs utilization of the steps, None without a peak, a step or a known product."""
        if self.at_peak_ns is None or not self.wall_ns or not self.flops:
            return None
        return self.at_peak_ns / self.wall_ns


class StepUse(Struct, frozen=True, kw_only=True):
    """How some of a serving engine's steps passed on their devices, those of each counted.

    `step_ns` is how long they lasted, `busy_ns` the part in which the device did anything. `model`
    has their model FLOPs, None where the work of calls was not asked for.
    """

    step_ns: int
    busy_ns: int
    model: ModelUse | None = None


class FindUses(Protocol):
    """The model FLOPs of an engine's steps, summed by what `key` makes of a step."""

    def __call__(
        self, steps: Sequence[DeviceStep], key: Callable[[Step], _Key]
    ) -> Mapping[_Key, ModelUse]:
        """Nothing where no engine marked a step."""


class Roofline(Struct, frozen=True, kw_only=True, dict=True):
    """The calls of a window against the limits of the device that they ran on.

    `devices` are the names of those that ran something, with their limits where they are known.
    `total_ns` is all time of the window. `wall_ns` is how long its `steps` lasted, those of each
    device counted on their own; both are 0 where that was not looked for.
    `use_by_kind` has the model FLOPs of each kind of a serving engine's steps. `rows` has the
    records of each table by the words of `--by`. `find_reasons` gives `reasons` and
    `find_collectives` `collectives`, where they are asked for: some questions need the calls alone.
    """

    devices: Mapping[str | None, DeviceLimits | None]
    calls: tuple[CallSpeed, ...]
    total_ns: int
    steps: int = 0
    wall_ns: int = 0
    use_by_kind: Mapping[str, ModelUse] = {}
    notices: tuple[Notice, ...] = ()
    rows: Mapping[str, tuple[Speed, ...]] = {}
    find_reasons: Callable[[tuple[CallSpeed, ...]], tuple[HeadroomReason, ...]] | None = None
    find_collectives: Callable[[], tuple[CollectiveSpeed, ...]] | None = None
    find_uses: FindUses | None = None

    @cached_property
    def reasons(self) -> tuple[HeadroomReason, ...]:
        """Why calls take longer than they need to, the largest saving first."""
        return self.find_reasons(self.calls) if self.find_reasons else ()

    @cached_property
    def bounds(self) -> Mapping[int, Bound | None]:
        """By call what keeps it from being faster.

        Counters say it; without them the largest reason that explains a good part of the headroom.
        Without one a call that keeps neither memory nor arithmetic busy waits for something else.
        """
        speeds = {speed.call: speed for speed in self.calls}
        bounds: dict[int, Bound | None] = {
            call: speed.measured_bound for call, speed in speeds.items() if speed.measured_bound
        }
        for reason in self.reasons:
            for call, saved_ns in zip(reason.calls, reason.savings or (), strict=False):
                speed = speeds[call]
                # A call that keeps its device busy waits for nothing, whatever its rest is.
                waits = reason.bound is Bound.LATENCY
                if reason.bound and saved_ns > _PART * (speed.headroom_ns or 0):
                    bounds.setdefault(
                        call, speed.bound if waits and speed.is_busy else reason.bound
                    )
        for call, speed in speeds.items():
            bounds.setdefault(call, speed.bound if speed.is_busy else Bound.LATENCY)
        return bounds

    @cached_property
    def collectives(self) -> tuple[CollectiveSpeed, ...]:
        """The bus bandwidth of collectives, and what covers them; the most time first."""
        return self.find_collectives() if self.find_collectives else ()

    @cached_property
    def model_use(self) -> ModelUse:
        """What the model's operations were, and how much of the peak that is."""
        return sum_model_use(self.calls, self.total_ns, steps=self.steps, wall_ns=self.wall_ns)


def sum_model_use(
    calls: Iterable[CallSpeed], total_ns: int, *, steps: int, wall_ns: int
) -> ModelUse:
    """What calls made of the model's operations in so many steps, which lasted `wall_ns`."""
    known = [(call, call.model_flops) for call in calls if call.model_flops is not None]
    # By dtype: how many operations it has. A call without any has no dtype to speak of.
    by_dtype: Counter[str] = Counter()
    for call, flops in known:
        if flops:
            by_dtype[call.dtype or "unknown"] += flops
    at_peak = [call.at_peak_ns for call, _ in known if call.at_peak_ns is not None]
    return ModelUse(
        flops=sum(flops for _, flops in known),
        by_dtype=dict(by_dtype.most_common()),
        known_ns=sum(call.time_ns for call, _ in known),
        total_ns=total_ns,
        at_peak_ns=sum(at_peak) if len(at_peak) == len(known) else None,
        steps=steps,
        wall_ns=wall_ns,
    )
