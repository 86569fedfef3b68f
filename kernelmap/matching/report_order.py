"""A report of the same program beside a profile → which call each of its launches belongs to.

A tool that counts what a kernel does records no host side, but the profile beside it does. The
launches of a report come in the order of a step, whole or in part: a kernel filter leaves some out,
and others were skipped. That order is looked for in the profile, among launches of the same
kernels. Where it is there, each launch has the call that it has in the profile, if it has the same
one at all places at which the order fits. Nothing of this is exact, as the two are of two runs.

Where the order is nowhere, as the report is of other shapes or library kernels, the launches are
paired as those of any profile without a host side are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from msgspec import Struct

from kernelmap.matching.names.spelling import shorten_spelling
from kernelmap.model.columns import distinct_values, pair_columns
from kernelmap.model.matching import Confidence, Matching
from kernelmap.model.trace import NONE, Activity, Bool, Int, Launches, Small, Trace

_BYTES = 8  # of a token


class ReportPairing(Struct, frozen=True):
    """Columns parallel to the launches of a report.

    `is_paired` marks those of which it is known what they are in the profile: a launch of `call`,
    or one without a call where that is -1. `confidence` says how sure that is.
    """

    is_paired: Bool
    call: Int
    confidence: Small


def pair_report(
    trace: Trace, matching: Matching, report: Trace, find_alone: Callable[[], Matching]
) -> ReportPairing:
    """The calls of the launches of `report`; `find_alone` pairs them without the profile."""
    rows = len(report.launches)
    is_paired = np.zeros(rows, dtype=np.bool_)
    call = np.full(rows, NONE, dtype=np.int64)
    confidence = np.full(rows, Confidence.UNKNOWN, dtype=np.int8)
    tokens, tokens_of_report = tokens_of_launches(trace.launches, report.launches)
    for process in distinct_values(report.launches.process).tolist():
        of_process = np.flatnonzero(report.launches.process == process)
        in_order = of_process[np.argsort(report.launches.start_ns[of_process], kind="stable")]
        wanted = tokens_of_report[in_order]
        places = [*iter_places(trace, tokens, wanted)]
        if not places:
            # The profile ran other kernels: the model of order decides, as for any bare profile.
            alone = find_alone()
            sure = (alone.call[in_order] >= 0) & (alone.confidence[in_order] <= Confidence.INFERRED)
            is_paired[in_order] = sure
            call[in_order] = np.where(sure, alone.call[in_order], NONE)
            confidence[in_order] = np.where(sure, Confidence.INFERRED, Confidence.UNKNOWN)
            continue
        first = places[0]
        # By launch whether it has one call, or none, at all places at which the order fits.
        same = np.ones(len(in_order), dtype=np.bool_)
        weakest = np.full(len(in_order), Confidence.INFERRED, dtype=np.int8)
        for place in places:
            same &= matching.call[place] == matching.call[first]
            with_call = matching.call[place] >= 0
            weakest = np.where(
                with_call, np.maximum(weakest, matching.confidence[place]), weakest
            ).astype(np.int8)
        is_paired[in_order] = same
        call[in_order] = np.where(same, matching.call[first], NONE)
        confidence[in_order] = np.where(same, weakest, Confidence.UNKNOWN)
    return ReportPairing(is_paired, call, confidence)


def tokens_of_launches(*all_launches: Launches) -> tuple[Int, ...]:
    """One number for what a launch is (the kernel's own name, grid and block), alike in all.

    Where one of them states no grids they count for none. Rows that are no kernels have -1.
    """
    kernels = [launches.activity == Activity.KERNEL for launches in all_launches]
    has_grids = all(
        (launches.grid[rows] >= 0).all() and (launches.block[rows] >= 0).all()
        for launches, rows in zip(all_launches, kernels, strict=True)
    )
    numbers: dict[str, int] = {}
    looks = []
    for launches, rows in zip(all_launches, kernels, strict=True):
        # Tools demangle in different ways; the kernel's own name is the same for all.
        short = np.array(
            [numbers.setdefault(shorten_spelling(name), len(numbers)) for name in launches.names]
            or [NONE],
            dtype=np.int64,
        )
        sizes = np.hstack([launches.grid, launches.block])[rows]
        looks.append(np.column_stack([short[launches.name_id[rows]], sizes * has_grids]))
    codes = pair_columns(*np.vstack(looks).T)
    tokens = []
    for launches, rows in zip(all_launches, kernels, strict=True):
        column = np.full(len(launches), NONE, dtype=np.int64)
        column[rows], codes = codes[: rows.sum()], codes[rows.sum() :]
        tokens.append(column)
    return tuple(tokens)


def iter_places(trace: Trace, tokens: Int, wanted: Int) -> Iterator[Int]:
    """The rows of the profile that launched `wanted` in this order, once per place of each process.

    Launches of other kernels may lie between them: the report may have left those out.
    """
    known = np.isin(tokens, wanted)
    # Launches are in the order in which the host issued them; the nodes of a replayed graph, which
    # were issued at once, in the order in which they ran.
    order = np.lexsort((trace.launches.start_ns, trace.launch_time_ns))
    order = order[known[order]]
    text = wanted.astype(np.int64).tobytes()
    for process in distinct_values(trace.launches.process[order]).tolist():
        rows = order[trace.launches.process[order] == process]
        ran = tokens[rows].astype(np.int64).tobytes()
        begin = ran.find(text)
        while begin >= 0:
            if begin % _BYTES == 0:
                first = begin // _BYTES
                yield rows[first : first + len(wanted)]
            begin = ran.find(text, begin + 1)
