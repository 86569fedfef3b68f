"""The metrics of a launch by the names of Nsight Compute → KernelCounters.

The raw page and the report name metrics as the hardware's counters are called, the details page as
its sections show them. Those of Nsight Compute 2025.3 were recorded; older versions have other
names for some, and the first that is there counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kernelmap.model.kernel_counters import KernelCounters
from kernelmap.traces.ncu.launch import Metric, ReportedLaunch

_OF_PEAK = ".avg.pct_of_peak_sustained_elapsed"
_OF_ACTIVE = ".avg.pct_of_peak_sustained_active"

TIME = ("gpu__time_duration.sum", "gpu__time_duration.avg", "Duration")
_DRAM_READ = ("dram__bytes_read.sum", "dram__bytes_op_read.sum")
_DRAM_WRITE = ("dram__bytes_write.sum", "dram__bytes_op_write.sum")
_DRAM_BYTES = ("dram__bytes.sum",)
_DRAM_RATE = ("dram__bytes.sum.per_second", "Memory Throughput (rate)")
_PERCENT: Mapping[str, tuple[str, ...]] = {
    "dram_percent": (
        f"gpu__dram_throughput{_OF_PEAK}",
        f"dram__throughput{_OF_PEAK}",
        f"dram__bytes.sum{_OF_PEAK.removeprefix('.avg')}",
        "DRAM Throughput",
    ),
    "l2_percent": (f"lts__throughput{_OF_PEAK}", "L2 Cache Throughput"),
    "l2_hit_percent": ("lts__t_sector_hit_rate.pct", "L2 Hit Rate"),
    "sm_percent": (f"sm__throughput{_OF_PEAK}", "Compute (SM) Throughput", "SM [%]", "SOL SM"),
    "tensor_percent": (
        f"sm__pipe_tensor_cycles_active{_OF_PEAK}",
        f"sm__pipe_tensor_cycles_active{_OF_ACTIVE}",
        f"sm__inst_executed_pipe_tensor{_OF_ACTIVE}",
        f"sm__inst_executed_pipe_tensor{_OF_PEAK}",
    ),
    "occupancy_percent": (f"sm__warps_active{_OF_ACTIVE}", "Achieved Occupancy"),
    "atomic_percent": (f"lts__d_atomic_input_cycles_active{_OF_PEAK}",),
}
_REGISTERS = ("launch__registers_per_thread", "Registers Per Thread")

_LOCAL_BYTES = ("sass__inst_executed_register_spilling_mem_local",)
_LOCAL_SECTORS = ("memory_l2_theoretical_sectors_local",)
_SPILLING_REQUESTS = ("derived__local_spilling_requests", "Local Memory Spilling Requests")
_SECTOR_BYTES = 32

_STALLS = (
    re.compile(r"smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio"),
    re.compile(r"smsp__average_warp_latency_issue_stalled_(\w+)\.ratio"),
    re.compile(r"smsp__average_warps_issue_stalled_(\w+)\.ratio"),
    re.compile(r"smsp__warp_issue_stalled_(\w+)_per_warp_active\.pct"),
    re.compile(r"smsp__pcsamp_warps_issue_stalled_(\w+)"),
)
"""Where warps spend their time, counted or sampled; one kind of metric adds up to all of it."""
_NOT_ISSUED = "_not_issued"
_NO_STALLS = ("selected", "not selected")
"""A warp that issues, and one that could but for another: neither waits for anything."""

_BYTES = {"byte": 1.0, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12}
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_OLD_SECONDS = {
    "nsecond": "ns",
    "usecond": "us",
    "msecond": "ms",
    "second": "s",
}


def counters_of(launch: ReportedLaunch) -> KernelCounters:
    """What the metrics of a launch say; what none of them states is None."""
    metrics = launch.metrics
    time_ns = duration_ns(launch)
    return KernelCounters(
        time_ns=time_ns,
        dram_bytes=_dram_bytes(metrics, time_ns),
        dram_written_bytes=_scaled(_first(metrics, _DRAM_WRITE), _BYTES),
        registers=_value(metrics, _REGISTERS),
        local_bytes=_local_bytes(metrics),
        stalls=_stalls(metrics),
        **{name: _value(metrics, names) for name, names in _PERCENT.items()},
    )


def duration_ns(launch: ReportedLaunch) -> float | None:
    """How long the launch took in Nsight Compute, None where it does not say."""
    seconds = _scaled(_first(launch.metrics, TIME), _SECONDS)
    return None if seconds is None else seconds * 1e9


def _dram_bytes(metrics: Mapping[str, Metric], time_ns: float | None) -> float | None:
    """Bytes that were read and written, else the rate over the time, as the details page has it."""
    read, write = (_scaled(_first(metrics, names), _BYTES) for names in (_DRAM_READ, _DRAM_WRITE))
    if read is not None and write is not None:
        return read + write
    if (both := _scaled(_first(metrics, _DRAM_BYTES), _BYTES)) is not None:
        return both
    rate = _first(metrics, _DRAM_RATE)
    if rate is None or time_ns is None:
        return None
    unit, _, per = rate.unit.partition("/")
    seconds = _SECONDS.get(_OLD_SECONDS.get(per, per))
    if unit not in _BYTES or seconds is None:
        return None
    return rate.value * _BYTES[unit] / seconds * time_ns * 1e-9


def _local_bytes(metrics: Mapping[str, Metric]) -> float | None:
    """Bytes through local memory; requests say only that there were none."""
    stated = _scaled(_first(metrics, _LOCAL_BYTES), _BYTES)
    if stated is not None:
        return stated
    if (sectors := _value(metrics, _LOCAL_SECTORS)) is not None:
        return sectors * _SECTOR_BYTES
    return 0.0 if _value(metrics, _SPILLING_REQUESTS) == 0 else None


def _stalls(metrics: Mapping[str, Metric]) -> dict[str, float]:
    """By cause the part of the warps' time, as the first kind of metric that is there says."""
    for pattern in _STALLS:
        times = dict(_iter_states(metrics, pattern))
        total = sum(times.values())
        if total > 0:
            return {
                cause: value / total
                for cause, value in times.items()
                if cause not in _NO_STALLS and value > 0
            }
    return {}


def _iter_states(
    metrics: Mapping[str, Metric], pattern: re.Pattern[str]
) -> Iterator[tuple[str, float]]:
    for name, metric in metrics.items():
        match = pattern.fullmatch(name)
        if match is not None and not match[1].endswith(_NOT_ISSUED):
            yield match[1].removesuffix("_stall").replace("_", " "), metric.value


def _first(metrics: Mapping[str, Metric], names: tuple[str, ...]) -> Metric | None:
    return next((metrics[name] for name in names if name in metrics), None)


def _value(metrics: Mapping[str, Metric], names: tuple[str, ...]) -> float | None:
    metric = _first(metrics, names)
    return None if metric is None else metric.value


def _scaled(metric: Metric | None, scales: Mapping[str, float]) -> float | None:
    """The metric in the unit of scale 1, None where it is in no unit of `scales`."""
    if metric is None:
        return None
    scale = scales.get(_OLD_SECONDS.get(metric.unit, metric.unit))
    return None if scale is None else metric.value * scale
