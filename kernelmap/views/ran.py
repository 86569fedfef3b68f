"""What the trace says of how each call ran: under which device names, with which configuration.

Takes the records of all parts, gives texts per call of the program. A configuration is what the
profiler exports where shapes are recorded: block sizes, num_warps, num_stages. An autotuner's
benchmarks belong to no call, so they have no say.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelmap.attribution.records import Attribution
from kernelmap.model import Matching, RangeDetail, Trace
from kernelmap.model.trace import Int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """`device_names` from most to least time; `config` of most of its launches, None if unknown."""

    device_names: tuple[str, ...] = ()
    config: str | None = None


def ran(trace: Trace, matching: Matching, attribution: Attribution) -> dict[int, Ran]:
    """How the calls that were launched ran, by their position in the program."""
    rows = np.flatnonzero(attribution.counted & (matching.call >= 0))
    call, launches = matching.call[rows], trace.launches
    names = _shares(call, launches.name_id[rows], launches.dur_ns[rows])
    ranges = matching.call_range[rows]
    with_range = np.flatnonzero(ranges >= 0)
    details = trace.ranges.detail_id[ranges[with_range]]
    told = with_range[details >= 0]
    configs = _shares(call[told], details[details >= 0], np.ones(len(told), np.int64))
    return {
        position: Ran(
            device_names=tuple(launches.names[name] for name in own if launches.names[name]),
            config=_config([trace.ranges.details[each] for each in configs.get(position, ())]),
        )
        for position, own in names.items()
    }


def _shares(call: Int, key: Int, weight: Int) -> dict[int, list[int]]:
    """The keys of each call, heaviest first; of equal weight the one that was seen first."""
    if not len(call):
        return {}
    pairs, first, which = np.unique(
        np.stack([call, key]), axis=1, return_index=True, return_inverse=True
    )
    weights = np.zeros(pairs.shape[1], np.int64)
    np.add.at(weights, which.reshape(-1), weight)
    found: dict[int, list[int]] = {}
    for at in np.lexsort((first, -weights, pairs[0])).tolist():
        found.setdefault(int(pairs[0, at]), []).append(int(pairs[1, at]))
    return found


def _config(details: list[RangeDetail]) -> str | None:
    """`XBLOCK=256 num_warps=4 num_stages=1`, of the first that states any."""
    for detail in details:
        parts = [part.strip() for part in (detail.kernel_kwargs or "").split(",")]
        for name, value in (("num_warps", detail.num_warps), ("num_stages", detail.num_stages)):
            parts.append(f"{name}={value}" if value is not None else "")
        if any(parts):
            return " ".join(part for part in parts if part)
    return None
