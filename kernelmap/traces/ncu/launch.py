"""One launch as a report of Nsight Compute has it: what was launched, and its metrics by name."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

Extent = tuple[int, int, int]

NO_EXTENT: Extent = (-1, -1, -1)
DEVICE_NAME = "device__attribute_display_name"
"""A metric that is a text: what the device is called."""


LARGEST = 10.0**15
"""A petabyte, eleven days in nanoseconds: no launch has more of anything, and sums fit 64 bits."""


class Metric(Struct, frozen=True):
    """A number with the unit in which the report states it, "" where it has none."""

    value: float
    unit: str = ""


class ReportedLaunch(Struct, frozen=True, kw_only=True):
    """A launch, in the order of the report; ids that it does not state are -1.

    `metrics` has them by what the report calls them: the raw page `dram__bytes_read.sum`, the
    details page `Registers Per Thread`.
    """

    name: str
    grid: Extent = NO_EXTENT
    block: Extent = NO_EXTENT
    pid: str | None = None
    device: int = 0
    device_name: str | None = None
    stream: int = -1
    metrics: Mapping[str, Metric] = {}
