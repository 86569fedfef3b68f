"""Tables that `nsys stats` printed → RawTrace: as many equal launches as they count.

A table says how often each kernel ran and for how long in all; another one, where it was printed
too, says so of copies and memsets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from kernelmap.model.notices import Notice
from kernelmap.model.paths import read_bytes
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.nsys.stats_table import kernel_sums, memory_sums
from kernelmap.traces.sums import KernelSum, is_usable, raw_of_sums


def read_stats(path: Path) -> RawTrace:
    """All kernels, copies and memsets that are summed up; KernelmapError where too many."""
    text = read_bytes(path).decode("utf-8", "replace")
    kernels, memory = kernel_sums(text), memory_sums(text)
    read = [*kernels, *(memory or ())]
    sums = [row for row in read if is_usable(row)]
    notices = _notices(path, sums, unsaid=memory is None, lost=len(read) - len(sums))
    return raw_of_sums(path, sums, tuple(notices))


def _notices(path: Path, sums: Sequence[KernelSum], *, unsaid: bool, lost: int) -> Iterator[Notice]:
    mean = "" if all(row.exact for row in sums) else ", each time is a rounded mean"
    yield Notice(
        slug="sums-only",
        message=f"{path} sums up kernels{mean}: launches have no times, no order and no host side",
        hint="Give the export itself: nsys export --type sqlite REPORT.nsys-rep",
        gap=True,
    )
    if lost:
        yield Notice(
            slug="events-without-duration",
            message=f"{path}: {lost} rows without a usable duration or GPU left out",
            gap=True,
        )
    if unsaid:
        yield Notice(
            slug="memory-sums-missing",
            message=f"{path} has no table of memory operations: copies and memsets are not counted",
            hint="Print both: nsys stats --report cuda_gpu_kern_sum,cuda_gpu_mem_time_sum",
            gap=True,
        )
    if cut := [row for row in sums if row.cut]:
        yield Notice(
            slug="names-cut-off",
            message=f"{path}: the table cuts off {len(cut)} names; each may be any kernel that "
            "begins so",
            hint="Print it with nsys stats --format csv",
            gap=True,
        )
