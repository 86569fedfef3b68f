"""The pages of Nsight Compute in sample_traces, and the launches of a recording that they measured.

The raw page has a row per launch and a column per metric; the row under its head has the units.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np

from kernelmap import Correlation

_NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_OF_PEAK = ".avg.pct_of_peak_sustained_elapsed"


@dataclass(frozen=True)
class MeasuredLaunch:
    """A row of the raw page."""

    name: str
    metrics: Mapping[str, str]
    units: Mapping[str, str]

    def number(self, metric: str) -> float:
        """What a metric counted, in its unit."""
        return float(self.metrics[metric].replace(",", ""))

    def share(self, metric: str) -> float:
        """How much of its peak a part of the device did, in percent."""
        return self.number(metric + _OF_PEAK)

    @property
    def time_ns(self) -> float:
        """How long it ran under the counters."""
        metric = "gpu__time_duration.sum"
        return self.number(metric) * _NS[self.units[metric]]

    @property
    def bound(self) -> str:
        """What bounds it, by the rule of the section SpeedOfLight."""
        dram, sm = self.share("gpu__dram_throughput"), self.share("sm__throughput")
        if max(dram, sm) < 60:
            return "latency"
        return "memory" if dram >= sm else "compute"


def measured_launches(sample: Path, kind: str = "detailed") -> list[MeasuredLaunch]:
    """The launches of a raw page, in the order in which they ran."""
    with gzip.open(sample / f"ncu_{kind}_raw.csv.gz", "rt", encoding="utf-8") as file:
        units, *rows = csv.DictReader(file)
    return [MeasuredLaunch(row["Kernel Name"], row, units) for row in rows]


def rows_of_launches(found: Correlation, measured: Sequence[MeasuredLaunch]) -> dict[int, int]:
    """By position of a measured launch the launch of the recording that stands for it.

    Both ran the same program, so names in order say it.
    """
    launches = found.trace.launches
    kernels = np.flatnonzero(launches.grid[:, 0] > 0)
    kernels = kernels[np.argsort(launches.start_ns[kernels], kind="stable")]
    recorded = [_last_name(launches.names[launches.name_id[row]]) for row in kernels]
    matcher = SequenceMatcher(
        None, [_last_name(one.name) for one in measured], recorded, autojunk=False
    )
    return {
        block.a + at: int(kernels[block.b + at])
        for block in matcher.get_matching_blocks()
        for at in range(block.size)
    }


def _last_name(name: str) -> str:
    """The function's own name, without namespaces, types and what one writer leaves out."""
    plain = name.replace("(anonymous namespace)", "").replace("<unnamed>", "").replace("void ", "")
    return re.split(r"[(<]", plain)[0].split("::")[-1].strip()[:45]
