"""The curves of the view Timeline: what was sampled of the GPUs, a curve per counter and device.

Of many samples the page holds the lowest and the highest of each of MOST / 2 slots of time, so that
no peak is lost. Of very many counters the first have curves, and the page says how many others are
left. Values are written as whole numbers between the lowest and the highest of a curve.
"""

from __future__ import annotations

import numpy as np

from kernelmap.model import Trace
from kernelmap.model.columns import group_starts
from kernelmap.model.trace import CounterSamples, Float, Int
from kernelmap.pages.report.packed import pack_numbers, pack_signed

MOST = 20_000
"""Samples of one curve that a page holds: some five bytes each."""
MOST_CURVES = 400
"""Curves that a page holds: 8 GPUs with 50 counters each. Nobody looks at more."""
_LEVELS = 2**16 - 1
"""Steps between the lowest and the highest value: more than a screen has pixels."""


def curves_of_counters(trace: Trace) -> list[dict[str, object]]:
    """A curve for each counter of each device, in the order of sources, devices and names."""
    samples = trace.counters
    if samples is None:
        return []
    # Samples by source, device and counter, each in order of time; a curve is a stretch of them.
    keys = (samples.source, samples.device, samples.name_id)
    order = np.lexsort((samples.time_ns, *keys[::-1]))
    firsts = group_starts([key[order] for key in keys])
    stretches = np.split(order, firsts[1:])[:MOST_CURVES]
    several = len(trace.sources) > 1
    curves = []
    for rows in stretches:
        source, device, name = (int(key[rows[0]]) for key in keys)
        title = f"GPU {device} · {samples.names[name]}"
        unit = samples.units[name]
        named = f"{_name_of_source(trace, source)} · {title}" if several else title
        curve = _curve(samples, rows, trace.origin_ns)
        curves.append({"title": named, "unit": unit, "held": unit == "%"} | curve)
    return curves


def count_of_curves(trace: Trace) -> int:
    """How many curves there are, drawn or not."""
    samples = trace.counters
    if samples is None:
        return 0
    keys = np.stack([samples.source, samples.device, samples.name_id], axis=1)
    return len(np.unique(keys, axis=0))


def _curve(samples: CounterSamples, rows: Int, origin_ns: int) -> dict[str, object]:
    """Times and values of the samples `rows`, which are in the order of time."""
    rows = rows[_thinned(samples.time_ns[rows], samples.value[rows], MOST)]
    value = samples.value[rows]
    low, high = float(value.min()), float(value.max())
    level = np.zeros(len(rows), dtype=np.int64)
    if high > low:
        # Halves, because the difference of two large values may be beyond a double.
        level = np.rint((value / 2 - low / 2) / (high / 2 - low / 2) * _LEVELS).astype(np.int64)
    return {
        "gap": pack_signed(np.diff(samples.time_ns[rows] - origin_ns, prepend=0)),
        "level": pack_numbers(level),
        "levels": _LEVELS,
        "low": low,
        "high": high,
    }


def _thinned(time_ns: Int, value: Float, most: int) -> Int:
    """Which samples stay, in order: of more than `most` the extremes of equally long slots."""
    if len(time_ns) <= most:
        return np.arange(len(time_ns))
    slots = most // 2
    span = int(time_ns[-1] - time_ns[0]) + 1
    slot = (time_ns - time_ns[0]) // max(1, -(-span // slots))
    by_value = np.lexsort((value, slot))
    first = group_starts((slot[by_value],))
    last = np.append(first[1:], len(slot)) - 1
    extremes: Int = np.unique(np.concatenate([by_value[first], by_value[last]]))
    return extremes


def _name_of_source(trace: Trace, source: int) -> str:
    """The rank of a source, else its place among the files."""
    ranks = {it.rank for it in trace.processes if it.trace == source and it.rank is not None}
    return f"rank {ranks.pop()}" if len(ranks) == 1 else f"file {source + 1}"
