"""A report of Nsight Compute (`.ncu-rep`) → launches with their metrics, by NVIDIA's own reader.

The package `ncu-report` reads it, which the extra `ncu` brings. Left out: ranges and whole CUDA
graphs that were profiled as one, which are no launches.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kernelmap.errors import KernelmapError
from kernelmap.installing import install_command
from kernelmap.model.paths import first_bytes
from kernelmap.traces.ncu.launch import DEVICE_NAME, LARGEST, Extent, Metric, ReportedLaunch

_MAGIC = b"NVR\0"


def is_report_file(path: Path) -> bool:
    """Whether `path` is a file that begins as reports of ncu do."""
    return first_bytes(path, len(_MAGIC)) == _MAGIC


def read_report_file(path: Path) -> list[ReportedLaunch]:
    """The launches of a report; KernelmapError where the package is missing or cannot read it."""
    try:
        import ncu_report
    except ImportError as error:
        raise KernelmapError(
            "ncu-missing",
            f"{path} is a report of Nsight Compute, and the package that reads it is not there",
            f"{install_command('ncu')} installs it; or print the report where ncu is, and give"
            " that: ncu --import REPORT.ncu-rep --csv --page raw",
        ) from error
    try:
        launches = [*_iter_launches(ncu_report.load_report(str(path)))]
    # Its errors are of many classes, some of C++.
    except Exception as error:
        raise KernelmapError(
            "ncu-damaged",
            f"{path} cannot be read: {error or type(error).__name__}",
            "Copy it again from where it was recorded, or print it there: ncu --import"
            " REPORT.ncu-rep --csv --page raw",
        ) from error
    if not launches:
        raise KernelmapError(
            "ncu-no-launches",
            f"{path} is a report of ncu without a launch: no kernel was profiled",
            "Look at what ncu was told to skip, and profile kernels: --replay-mode kernel"
            " --graph-profiling node",
        )
    return launches


def _iter_launches(report: Any) -> Iterator[ReportedLaunch]:  # noqa: ANN401 -- it has no types
    for at in range(report.num_ranges()):
        actions = report.range_by_idx(at)
        for which in range(actions.num_actions()):
            action = actions.action_by_idx(which)
            if action.workload_type() == action.WorkloadType_KERNEL:
                yield _launch(action)


def _launch(action: Any) -> ReportedLaunch:  # noqa: ANN401 -- as above
    metrics: dict[str, Metric] = {}
    for name in action.metric_names():
        metric = action.metric_by_name(name)
        if metric is None or not metric.has_value() or metric.kind() == metric.ValueKind_STRING:
            continue
        value = float(metric.as_double())
        if abs(value) <= LARGEST:  # neither infinite nor no number
            metrics[name] = Metric(value, metric.unit())
    named = action.metric_by_name(DEVICE_NAME)
    return ReportedLaunch(
        name=action.name(action.NameBase_DEMANGLED),
        grid=_extent(metrics, "grid"),
        block=_extent(metrics, "block"),
        device=_whole(metrics, "launch__device_id", 0),
        device_name=named.as_string() if named is not None and named.has_value() else None,
        stream=_whole(metrics, "launch__stream_id", -1),
        metrics=metrics,
    )


def _extent(metrics: dict[str, Metric], what: str) -> Extent:
    x, y, z = (_whole(metrics, f"launch__{what}_dim_{axis}", -1) for axis in "xyz")
    return x, y, z


def _whole(metrics: dict[str, Metric], name: str, without: int) -> int:
    metric = metrics.get(name)
    return without if metric is None else int(metric.value)
