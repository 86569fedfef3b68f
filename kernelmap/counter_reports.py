"""Reports of Nsight Compute among the inputs → what was counted of the launches of the profile.

A report that is given alone is its own profile. Left out: reading them (traces/ncu), which launch
is which (matching/report_order.py), sums (attribution/kernel_counters.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from msgspec import Struct

from kernelmap.attribution.kernel_counters import CountedLaunches, CountedRow, count_launches
from kernelmap.matching import match_launches
from kernelmap.matching.report_order import pair_report, tokens_of_launches
from kernelmap.model import CompiledProgram, Matching, Notice, Trace
from kernelmap.model.matching import Confidence
from kernelmap.traces import load_trace
from kernelmap.traces.ncu.reader import read_kernel_counters


class ReadReports(Struct, frozen=True):
    """What the reports say of the profile, and what could not be used of them."""

    counted: CountedLaunches | None = None
    notices: tuple[Notice, ...] = ()


def read_reports(
    program: CompiledProgram, trace: Trace, matching: Matching, paths: Sequence[Path]
) -> ReadReports:
    """The counters of the launches of `trace`; KernelmapError where a report cannot be used."""
    if not paths:
        return ReadReports()
    reports = [(path, load_trace(path)) for path in paths]
    # All reports together, so that their launches and those of the profile have equal numbers.
    tokens, *of_reports = tokens_of_launches(
        trace.launches, *(report.launches for _, report in reports)
    )
    rows: list[CountedRow] = []
    notices: list[Notice] = []
    for (path, report), tokens_of_report in zip(reports, of_reports, strict=True):
        pairing = pair_report(trace, matching, report, partial(_match_alone, program, report))
        counters = read_kernel_counters(path)
        paired = np.flatnonzero(pairing.is_paired).tolist()
        rows.extend(
            CountedRow(
                int(pairing.call[row]),
                int(tokens_of_report[row]),
                Confidence(int(pairing.confidence[row])),
                counters[int(report.launches.event[row])],
            )
            for row in paired
        )
        if len(paired) < len(report.launches):
            notices.append(_say_unpaired(path, len(report.launches), len(paired)))
    return ReadReports(count_launches(matching.call, tokens, rows), tuple(notices))


def _match_alone(program: CompiledProgram, report: Trace) -> Matching:
    return match_launches(program, report).matching


def _say_unpaired(path: Path, launches: int, paired: int) -> Notice:
    return Notice(
        slug="ncu-unpaired",
        message=f"{path}: {launches - paired:,} of {launches:,} launches may be of several calls,"
        " or the profile has none like them: their counters are not used",
        hint="Profile a whole step with ncu, of the same program and shapes: `kernelmap doctor`"
        " prints the command.",
        gap=True,
    )
