"""What was sampled of the GPUs → what each row of a table saw: clock, power, how busy parts were.

A sample of a state (clock, power, temperature) belongs to every launch that runs on its device at
its time, and to no other. Launches that run at the same time saw the same state, so the sample
counts for each of them. The mean of a row is one over time: a sample weighs as much as the time for
which it is the nearest one, so that places where a sampler was quick do not count for more.

A sample of a share (DRAM, SM active) is no state but the mean of an interval, which begins at its
time and ends with the next sample. It belongs to a launch that ran through all of the interval:
what a millisecond was like says nothing of one of the hundred kernels that ran in it.

Energy is power over time. At each moment the power of the nearest sample is shared equally by the
launches that run then: how much of it each of them draws, nobody measures. So a joule is in one row
at most, and all rows together have no more than was recorded. A row has joules only where samples
are dense enough to bear it (MOST_UNSEEN, ENOUGH): power that was sampled every 10 ms is that of
thousands of kernels. The driver averages power itself (NVML, on an H100 over some 25 ms), which no
sampler can undo.

Nothing here is exact: a mean stands beside the number of its samples.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from kernelmap.facts.counters import Gauge, gauge_of
from kernelmap.model.columns import distinct_values, group_starts
from kernelmap.model.trace import Bool, CounterSamples, Float, Int, Trace

ENOUGH = 10
"""Samples that fell into launches of a row, so that it has joules. Power differs between kernels of
one step by a third of its mean or so: of ten samples the mean is then good to a tenth. Chosen: no
recording has power yet."""
MOST_UNSEEN = 0.5
"""The part of a row's time in launches that no sample fell into, at most, so that it has joules. At
1 short kernels have joules that were their neighbors' work; at 0 a single short launch takes those
of a thousand long ones. Chosen: no recording has power yet."""
_PAUSE = 10
"""Times the usual distance of two samples: what is further apart has a pause between it, of which
nothing is known. At 1 a sampler that is quick for a while makes the rest of the time a pause; with
no end a sampler that stopped goes on. Chosen: no recording has pauses yet."""
_LARGEST = 1e6
"""No GPU has as many MHz, watts, degrees or percent: what is more is damage."""
_SHARES = (Gauge.DRAM, Gauge.SM_ACTIVE)

_NO_ROWS = np.zeros(0, dtype=np.int64)
_Place: TypeAlias = tuple[int, ...]
Part: TypeAlias = tuple[Int, int, int]
"""Launches, and the part of them that a row has: as much as the first number is of the second."""


class RowGauges(Struct, frozen=True, kw_only=True):
    """What was sampled while the launches of a row ran; the fields are columns of its table.

    Means are None where no sample fell into a launch, numbers of samples where the profile has no
    such counter at all.
    """

    sm_mhz: float | None = None
    clock_samples: int | None = None
    watts: float | None = None
    joules: float | None = None
    power_samples: int | None = None
    temperature_c: float | None = None
    temperature_samples: int | None = None
    dram_percent: float | None = None
    sm_percent: float | None = None
    pm_samples: int | None = None


class _Sums(Struct, frozen=True):
    """Of each launch: how many samples fell into it, their weights, weights times values; (n,)."""

    samples: Float
    weight: Float
    weighted: Float


class _Energy(Struct, frozen=True):
    """Of each launch: its joules, and how much of its time, in ns, has a power; (n,)."""

    joules: Float
    known_ns: Float


class _Curve(Struct, frozen=True):
    """The samples of one counter on one device in order of time; (samples,).

    Each stands for the time from `begin` to `end`; these do not overlap.
    """

    time_ns: Int
    value: Float
    begin: Int
    end: Int

    @property
    def width(self) -> Float:
        """The time that each sample stands for."""
        return (self.end - self.begin).astype(np.float64)


class LaunchGauges(Struct, frozen=True):
    """What was sampled while each launch ran; all columns have one entry per launch."""

    sums: Mapping[Gauge, _Sums]
    energy: _Energy | None
    dur_ns: Int

    def of_row(self, parts: Iterable[Part]) -> RowGauges:
        """What a row of these parts saw."""
        parts = list(parts)
        seen = {gauge: self._mean(sums, parts) for gauge, sums in self.sums.items()}
        nothing = (None, None)
        clock, power = seen.get(Gauge.SM_CLOCK, nothing), seen.get(Gauge.POWER, nothing)
        temperature = seen.get(Gauge.TEMPERATURE, nothing)
        dram, active = seen.get(Gauge.DRAM, nothing), seen.get(Gauge.SM_ACTIVE, nothing)
        shares = [count for _, count in (dram, active) if count is not None]
        return RowGauges(
            sm_mhz=clock[0],
            clock_samples=clock[1],
            watts=power[0],
            joules=self._joules(parts),
            power_samples=power[1],
            temperature_c=temperature[0],
            temperature_samples=temperature[1],
            dram_percent=dram[0],
            sm_percent=active[0],
            # One sampler takes both at once.
            pm_samples=max(shares, default=None),
        )

    def _mean(self, sums: _Sums, parts: list[Part]) -> tuple[float | None, int]:
        count = weight = weighted = 0.0
        for rows, part, whole in parts:
            share = part / whole
            count += float(sums.samples[rows].sum())
            weight += share * float(sums.weight[rows].sum())
            weighted += share * float(sums.weighted[rows].sum())
        # Of sums of floats the last digits are noise: a clock that never moved reads 1980.
        mean = float(f"{weighted / weight:.9g}") if weight else None
        return mean, round(count)

    def _joules(self, parts: list[Part]) -> float | None:
        """The energy of a row, None where the samples do not bear it."""
        if self.energy is None:
            return None
        samples = self.sums[Gauge.POWER].samples
        count = joules = all_ns = known_ns = seen_ns = 0.0
        for rows, part, whole in parts:
            share, dur_ns = part / whole, self.dur_ns[rows]
            count += float(samples[rows].sum())
            joules += share * float(self.energy.joules[rows].sum())
            all_ns += share * float(dur_ns.sum())
            known_ns += share * float(self.energy.known_ns[rows].sum())
            seen_ns += share * float(dur_ns[samples[rows] > 0].sum())
        # Time before the first sample, behind the last one or in a gap has no power.
        is_known = known_ns >= all_ns * (1 - 1e-9)
        is_dense = count >= ENOUGH and seen_ns >= (1 - MOST_UNSEEN) * all_ns
        return joules if is_known and is_dense else None


def gauge_launches(trace: Trace) -> LaunchGauges | None:
    """What was sampled while each launch of a trace ran; None where no such counter was."""
    launches, counters = trace.launches, trace.counters
    if counters is None:
        return None
    rows_of = _launches_by_device(trace)
    sums: dict[Gauge, _Sums] = {}
    energy = None
    for gauge, place, curve in _curves_by_device(counters):
        # The launches that this device ran, in the numbering of this source.
        rows = rows_of.get(place, _NO_ROWS)
        start = launches.start_ns[rows]
        end = start + launches.dur_ns[rows]
        if gauge not in sums:
            sums[gauge] = _Sums(*(np.zeros(len(launches)) for _ in range(3)))
        _add_samples(sums[gauge], rows, curve, *_samples_within(gauge, curve, start, end))
        if gauge is Gauge.POWER:
            energy = energy or _Energy(*(np.zeros(len(launches)) for _ in range(2)))
            energy.joules[rows], energy.known_ns[rows] = share_energy(curve, start, end)
    return LaunchGauges(sums, energy, launches.dur_ns) if sums else None


def _launches_by_device(trace: Trace) -> Mapping[_Place, Int]:
    """The rows of the launches of each GPU, by source and device."""
    launches = trace.launches
    sources = np.array([process.trace for process in trace.processes], dtype=np.int64)
    rows = np.flatnonzero(~launches.on_cpu & (launches.device >= 0))
    return _rows_by_key(rows, sources[launches.process[rows]], launches.device[rows])


def _rows_by_key(rows: Int, *columns: Int) -> dict[_Place, Int]:
    """The rows of each combination of values of the columns, which are parallel to `rows`."""
    if not len(rows):
        return {}
    order = np.lexsort(columns[::-1])
    ordered = [column[order] for column in columns]
    first = group_starts(ordered)
    keys = zip(*(column[first].tolist() for column in ordered), strict=True)
    return dict(zip(keys, np.split(rows[order], first[1:]), strict=True))


def _curves_by_device(counters: CounterSamples) -> Iterator[tuple[Gauge, _Place, _Curve]]:
    """The samples of each gauge on each device: gauge, source and device, curve."""
    shown = [gauge_of(*each) for each in zip(counters.names, counters.units, strict=True)]
    # Which of the gauges each counter shows, -1 for none of them; one more for the sake of none.
    gauges = list(Gauge)
    number = np.array([-1 if it is None else gauges.index(it[0]) for it in shown] or [-1])
    rows = np.flatnonzero(
        (number[counters.name_id] >= 0) & (counters.value >= 0) & (counters.value <= _LARGEST)
    )
    keys = (counters.source, counters.device, number[counters.name_id], counters.name_id)
    # Several metrics may show one thing (gpu__dram_throughput, dram__throughput): the one that was
    # sampled most often speaks for all, of equal ones the first.
    best: dict[tuple[int, ...], tuple[int, Int]] = {}
    for (*place, name), sampled in _rows_by_key(rows, *(key[rows] for key in keys)).items():
        if len(sampled) > len(best.get(tuple(place), (0, _NO_ROWS))[1]):
            best[tuple(place)] = name, sampled
    for (source, device, gauge), (name, sampled) in best.items():
        known = shown[name]
        factor = 1.0 if known is None else known[1]
        # A sample that is written twice counts once.
        time_ns, first = np.unique(counters.time_ns[sampled], return_index=True)
        value = counters.value[sampled][first] * factor
        yield gauges[gauge], (source, device), _curve_of_samples(gauges[gauge], time_ns, value)


def _curve_of_samples(gauge: Gauge, time_ns: Int, value: Float) -> _Curve:
    """The time that each sample stands for; a sampler that paused says nothing of its pause."""
    gap = np.diff(time_ns)
    usual = max(int(np.median(gap)), 1) if len(gap) else 1
    if gauge in _SHARES:
        # The interval that a sample is the mean of: up to the next one, the last as long as usual.
        return _Curve(time_ns, value, time_ns, time_ns + np.append(np.minimum(gap, usual), usual))
    # The moments that are nearest to a sample, and up to half of what is usual at both ends.
    reach = _PAUSE * usual // 2
    after, before = np.minimum(gap - gap // 2, reach), np.minimum(gap // 2, reach)
    return _Curve(
        time_ns,
        value,
        time_ns - np.append((usual + 1) // 2, before),
        time_ns + np.append(after, (usual + 1) // 2),
    )


def _samples_within(gauge: Gauge, curve: _Curve, start: Int, end: Int) -> tuple[Int, Int]:
    """Per launch its samples: the first of them, and the one behind the last; (launches,)."""
    first = np.searchsorted(curve.time_ns, start, side="left")
    if gauge in _SHARES:
        last = np.searchsorted(curve.end, end, side="right")
    else:
        last = np.searchsorted(curve.time_ns, end, side="left")
    return first, np.maximum(last, first)


def _add_samples(sums: _Sums, rows: Int, curve: _Curve, first: Int, last: Int) -> None:
    """Fill in what fell into the launches `rows`."""
    width = curve.width
    # Sums up to each sample: the difference of two is the sum of a stretch of samples.
    weight, weighted = _sums_before(width), _sums_before(width * curve.value)
    sums.samples[rows] = last - first
    sums.weight[rows] = weight[last] - weight[first]
    sums.weighted[rows] = weighted[last] - weighted[first]


def share_energy(curve: _Curve, start: Int, end: Int) -> tuple[Float, Float]:
    """Per launch of one device its joules, and how many ns of it have a power; (launches,).

    Launches that run at the same time share the power of that time equally.
    """
    # Moments between which neither the power nor the launches that run change.
    moments = distinct_values(np.concatenate([start, end, curve.begin, curve.end]))
    begun = np.searchsorted(np.sort(start, kind="stable"), moments, side="right")
    running = begun - np.searchsorted(np.sort(end, kind="stable"), moments, side="right")
    # The sample that each moment lies in, if any.
    at = np.searchsorted(curve.begin, moments, side="right") - 1
    has_power: Bool = (at >= 0) & (moments < curve.end[at])
    length = np.append(np.diff(moments), 0) * has_power
    joules = length * 1e-9 * curve.value[at] / np.maximum(running, 1)
    # The energy of one launch that ran from the first moment on, and the time with a power.
    energy, known = _sums_before(joules), _sums_before(length.astype(np.float64))
    first, last = np.searchsorted(moments, start), np.searchsorted(moments, end)
    return energy[last] - energy[first], known[last] - known[first]


def _sums_before(values: Float) -> Float:
    """The sum of all values before each one, and of all at the end; (n + 1,)."""
    return np.concatenate([np.zeros(1), np.cumsum(values)])
