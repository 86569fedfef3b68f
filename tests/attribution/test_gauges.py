"""What was sampled of a GPU belongs to the launches that ran then, and to no other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from attribution.random_worlds import worlds
from examples import examples
from kernelmap.attribution import Attribution, attribute_time
from kernelmap.attribution.gauges import RowGauges, gauge_launches
from kernelmap.matching import match_launches
from kernelmap.model import CompiledProgram, CounterSamples, Trace
from kernelmap.options import Options
from kernelmap.traces.assemble import assemble_trace
from trace_rows import CounterRow, LaunchRow, TraceRow, raw_trace

US = 1_000


def clock(at: int, value: float = 1980.0, device: int = 0) -> CounterRow:
    """A sample of the SM clock."""
    return CounterRow("SM Clock", at, value, unit="MHz", device=device)


def power(at: int, value: float = 500.0, device: int = 0) -> CounterRow:
    """A sample of the power."""
    return CounterRow("Power", at, value, unit="W", device=device)


def dram(at: int, value: float) -> CounterRow:
    """The throughput of the memory from `at` on."""
    return CounterRow("HBM BW", at, value, unit="%")


def gauges_of(rows: Sequence[TraceRow]) -> dict[str, RowGauges]:
    """What each kernel saw, by its name."""
    trace = assemble_trace(raw_trace(rows))
    gauged = gauge_launches(trace)
    assert gauged is not None
    launches = trace.launches
    return {
        name: gauged.of_row([(np.flatnonzero(launches.name_id == at), 1, 1)])
        for at, name in enumerate(launches.names)
    }


def test_a_sample_belongs_to_what_ran_at_its_time() -> None:
    """Its start belongs to a launch, its end does not; another device's samples are not its own."""
    seen = gauges_of(
        [
            LaunchRow("first", 10, 20),
            LaunchRow("second", 20, 30),
            LaunchRow("third", 40, 50),
            clock(10, 1000),
            clock(20, 1200),
            clock(35, 1400),
            clock(45, 1600, device=1),
        ]
    )

    assert (seen["first"].sm_mhz, seen["first"].clock_samples) == (1000, 1)
    assert (seen["second"].sm_mhz, seen["second"].clock_samples) == (1200, 1)
    assert (seen["third"].sm_mhz, seen["third"].clock_samples) == (None, 0)


def test_what_the_profile_does_not_count_is_null() -> None:
    """A counter that is not there has no number of samples; one that never fell in has 0."""
    seen = gauges_of([LaunchRow("k", 10, 20), clock(5)])["k"]

    assert (seen.sm_mhz, seen.clock_samples) == (None, 0)
    assert (seen.watts, seen.power_samples, seen.joules) == (None, None, None)
    assert gauge_launches(assemble_trace(raw_trace([LaunchRow("k", 10, 20)]))) is None
    others: list[TraceRow] = [LaunchRow("k", 10, 20), CounterRow("Fan Speed", 12, 30, unit="%")]
    assert gauge_launches(assemble_trace(raw_trace(others))) is None


def test_launches_at_the_same_time_see_the_same_state() -> None:
    """A clock is that of all streams of a device: both kernels have the sample."""
    seen = gauges_of(
        [LaunchRow("one", 0, 100, stream=7), LaunchRow("other", 50, 60, stream=8), clock(55, 1700)]
    )

    assert seen["one"].sm_mhz == seen["other"].sm_mhz == 1700


def test_a_mean_is_one_over_time() -> None:
    """A sampler that is quick for a while does not count that while more often."""
    slow = [clock(at * 100, 1000) for at in range(10)]
    quick = [clock(1000 + at * 10, 2000) for at in range(100)]

    seen = gauges_of([LaunchRow("k", 0, 2000), *slow, *quick])["k"]

    assert seen.clock_samples == 110
    assert seen.sm_mhz == pytest.approx(1500, rel=0.02)


def test_a_share_of_an_interval_belongs_to_what_ran_all_through_it() -> None:
    """One that began before the interval ended says nothing of a kernel that ran a part of it."""
    samples = [dram(at * US, value) for at, value in enumerate((10, 20, 30, 40, 50, 60))]
    seen = gauges_of(
        [
            LaunchRow("long", US, 3 * US),
            LaunchRow("short", 3 * US, 3 * US + 10),
            LaunchRow("beside", 3 * US + 500, 5 * US),
            *samples,
        ]
    )

    assert (seen["long"].dram_percent, seen["long"].pm_samples) == (25, 2)
    assert (seen["short"].dram_percent, seen["short"].pm_samples) == (None, 0)
    assert (seen["beside"].dram_percent, seen["beside"].pm_samples) == (50, 1)


def test_a_pause_of_the_sampler_is_no_interval() -> None:
    """A share holds no longer than samples usually are apart."""
    samples = [dram(at * US, 10) for at in (0, 1, 2, 9, 10)]

    seen = gauges_of([LaunchRow("k", 2 * US, 3 * US), LaunchRow("gap", 4 * US, 9 * US), *samples])

    assert seen["k"].pm_samples == 1
    assert seen["gap"].pm_samples == 0


def test_dense_samples_bear_energy() -> None:
    """500 W for a millisecond are half a joule; two launches at the same time share it equally."""
    ms = 1000 * US
    samples = [power(at * 50 * US, 500) for at in range(80)]

    alone = gauges_of([LaunchRow("k", ms, 2 * ms), *samples])["k"]
    both = gauges_of(
        [LaunchRow("one", ms, 2 * ms, stream=7), LaunchRow("two", ms, 2 * ms, stream=8), *samples]
    )

    assert alone.joules == pytest.approx(0.5)
    assert both["one"].joules == pytest.approx(0.25)
    assert both["two"].joules == pytest.approx(0.25)
    assert both["one"].watts == 500


@pytest.mark.parametrize("every_us", [400, 1000, 10_000])
def test_sparse_samples_bear_none(every_us: int) -> None:
    """Fewer than ten samples in a row, or none in most of its time, and its energy is not said."""
    samples = [power(at * every_us * US, 500) for at in range(50)]

    seen = gauges_of([LaunchRow("k", 1000 * US, 3000 * US), *samples])["k"]

    assert seen.joules is None


def test_short_kernels_have_no_joules_however_often_they_run() -> None:
    """Where samples are ten launches apart, most of the time has the power of other launches."""
    launches = [LaunchRow("k", at * 20 * US, at * 20 * US + 10 * US) for at in range(1000)]
    samples = [power(at * 205 * US + US, 500) for at in range(98)]

    seen = gauges_of([*launches, *samples])["k"]

    assert seen.power_samples is not None
    assert seen.power_samples >= 10
    assert seen.watts == 500
    assert seen.joules is None


def test_time_without_a_sample_near_has_no_joules() -> None:
    """A row of which a part ran before the sampler began has no energy: that part is not known."""
    samples = [power(at * 10 * US, 500) for at in range(100, 200)]

    seen = gauges_of(
        [LaunchRow("k", 0, 1500 * US), LaunchRow("in", 1500 * US, 1900 * US), *samples]
    )

    assert seen["k"].joules is None
    assert seen["in"].joules == pytest.approx(0.2)


def test_two_metrics_of_one_thing_are_not_mixed() -> None:
    """The one that was sampled more often speaks; a value in another unit is converted."""
    rows: list[TraceRow] = [
        LaunchRow("k", 0, 100),
        *(CounterRow("DRAM BW", at, 90, unit="%") for at in (10, 20)),
        *(CounterRow("HBM BW", at, 50, unit="%") for at in (10, 20, 30)),
        CounterRow("Power", 15, 250_000, unit="mW"),
    ]

    seen = gauges_of(rows)["k"]

    assert (seen.dram_percent, seen.pm_samples) == (50, 3)
    assert seen.watts == 250


def test_what_no_gpu_can_show_is_no_sample() -> None:
    """Negative clocks and a power of megawatts are damage."""
    seen = gauges_of([LaunchRow("k", 0, 100), clock(10, -5), clock(20, 1e9), clock(30, 1500)])["k"]

    assert (seen.sm_mhz, seen.clock_samples) == (1500, 1)


def test_sources_count_their_devices_apart() -> None:
    """Device 0 of one rank is another one than that of the next."""
    ranks = [
        raw_trace([LaunchRow(f"k{n}", 0, 100), clock(50, 1000 + n)], source=f"rank{n}", rank=n)
        for n in range(2)
    ]
    trace = assemble_trace(*ranks)
    gauged = gauge_launches(trace)

    assert gauged is not None
    assert [gauged.of_row([(np.array([at]), 1, 1)]).sm_mhz for at in range(2)] == [1000, 1001]


def recorded_energy(trace: Trace) -> float:
    """All joules between the samples, every moment by the nearest; and half a gap at both ends."""
    counters = trace.counters
    assert counters is not None
    time_ns, first = np.unique(counters.time_ns, return_index=True)
    value = counters.value[first]
    gaps = np.diff(time_ns)
    edge = (int(np.median(gaps)) if len(gaps) else 1) + 1
    spans = np.concatenate([[edge], gaps]) + np.concatenate([gaps, [edge]])
    return float((value * (spans / 2 + 1)).sum()) * 1e-9


@st.composite
def sampled(draw: st.DrawFn) -> tuple[CompiledProgram, Trace]:
    """A world in which power was sampled, often or rarely."""
    compiled, trace = draw(worlds())
    launches = trace.launches
    begin = int(launches.start_ns.min(initial=0))
    end = int((launches.start_ns + launches.dur_ns).max(initial=1))
    count = draw(st.integers(1, 60))
    seed = draw(st.integers(0, 2**16))
    spread = np.random.default_rng(seed)
    times = np.sort(spread.integers(begin - 50, end + 50, count))
    if draw(st.booleans()):
        times = np.linspace(begin - 50, end + 50, count).astype(np.int64)
    return compiled, replace(
        trace,
        counters=CounterSamples(
            source=np.zeros(count, dtype=np.int64),
            device=np.zeros(count, dtype=np.int64),
            name_id=np.zeros(count, dtype=np.int64),
            time_ns=times,
            value=spread.uniform(0, 700, count),
            names=("Power",),
            units=("W",),
        ),
    )


def attributed(world: tuple[CompiledProgram, Trace]) -> Attribution:
    compiled, trace = world
    matched = match_launches(compiled, trace)
    return attribute_time(matched.program, trace, matched.matching, Options())


@settings(max_examples=examples(60))
@given(sampled())
def test_no_table_has_more_energy_than_was_recorded(world: tuple[CompiledProgram, Trace]) -> None:
    """A joule is in one row at most: of calls, of ops, and of lines."""
    attribution, recorded = attributed(world), recorded_energy(world[1])

    for rows in (attribution.calls, attribution.ops, attribution.lines):
        gauges = [row.gauges for row in rows]
        assert None not in gauges
        joules = sum(it.joules or 0 for it in gauges if it is not None)
        assert joules <= recorded * (1 + 1e-9)


@settings(max_examples=examples(40))
@given(sampled())
def test_samples_of_calls_are_those_of_their_launches(
    world: tuple[CompiledProgram, Trace],
) -> None:
    """Every sample counts once for each launch that ran at its time: found one by one."""
    _, trace = world
    attribution = attributed(world)
    launches, counters = trace.launches, trace.counters
    assert counters is not None
    times = np.unique(counters.time_ns)
    inside = sum(
        int(((times >= start) & (times < start + dur)).sum())
        for start, dur in zip(launches.start_ns.tolist(), launches.dur_ns.tolist(), strict=True)
    )

    assert sum((row.gauges.power_samples or 0) for row in attribution.calls if row.gauges) == inside


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 20)), min_size=1, max_size=6),
    st.lists(st.tuples(st.integers(-5, 60), st.integers(0, 9)), min_size=1, max_size=12),
)
def test_energy_is_that_of_every_single_nanosecond(
    spans: list[tuple[int, int]], samples: list[tuple[int, int]]
) -> None:
    """Added up ns by ns: the nearest sample's power, shared by all launches that run then."""
    base = 1000
    rows = [LaunchRow(f"k{at}", base + b, base + b + d) for at, (b, d) in enumerate(spans)]
    values = dict(reversed(samples))  # of two samples at one time the first counts
    trace = assemble_trace(raw_trace([*rows, *(power(base + at, value) for at, value in samples)]))
    gauged = gauge_launches(trace)
    assert gauged is not None
    assert gauged.energy is not None
    times = sorted(values)
    gaps = np.diff(times)
    usual = max(int(np.median(gaps)), 1) if len(gaps) else 1

    def power_at(moment: int) -> float | None:
        nearest = min(times, key=lambda at: (abs(2 * at - 2 * moment - 1), at))
        is_edge = moment < times[0] or moment >= times[-1]
        reach = (usual + 1) // 2 if is_edge else 5 * usual
        far = nearest - moment if nearest > moment else moment + 1 - nearest
        return values[nearest] if far <= reach else None

    for row in range(len(trace.launches)):
        start = int(trace.launches.start_ns[row]) - base
        joules, known = 0.0, 0
        for moment in range(start, start + int(trace.launches.dur_ns[row])):
            running = sum(b <= moment < b + d for b, d in spans)
            watts = power_at(moment)
            if watts is not None:
                joules, known = joules + watts / running * 1e-9, known + 1
        assert gauged.energy.joules[row] == pytest.approx(joules)
        assert gauged.energy.known_ns[row] == known
