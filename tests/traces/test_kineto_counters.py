"""Samples of GPUs in Kineto traces, as torch 2.14.1's backend `cupti_monitor` writes them.

The worlds here are written after `torch/profiler/_cupti/monitor_trace.py` of that version; none was
recorded on a GPU.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from both_readers import needs_native, same
from hypothesis import given, settings
from hypothesis import strategies as st
from kineto_text import COMPACT, LAYOUTS, Event, pair, sample, text, write

from examples import examples
from kernelmap.model.trace import CounterSamples
from kernelmap.traces.kineto.native_scan import Scan
from kernelmap.traces.kineto.reader import KinetoReader

BASE = 1_700_000_000_000_000_000
SECOND_DEVICE: Event = {"ph": "M", "name": "process_sort_index", "pid": "GPU 1 Counters"}


def counters(path: Path, events: list[Event], layout: str = COMPACT) -> CounterSamples | None:
    """What is read of a file with `events`, by both scanners alike."""
    around: Event = {"baseTimeNanoseconds": BASE}
    written = write(path / "t.json", text(events, layout, around=around))
    same(written)
    return KinetoReader().read(written).counters


def rows(samples: CounterSamples | None) -> list[tuple[str, str, int, int, float]]:
    """Counter, unit, device, time after the base, value."""
    if samples is None:
        return []
    return [
        (samples.names[name], samples.units[name], device, time_ns - BASE, value)
        for name, device, time_ns, value in zip(
            samples.name_id.tolist(),
            samples.device.tolist(),
            samples.time_ns.tolist(),
            samples.value.tolist(),
            strict=True,
        )
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_sample_has_its_counter_unit_device_and_time(tmp_path: Path, layout: str) -> None:
    """Counters keep their names without the unit; times are on the clock of the launches."""
    events = [
        SECOND_DEVICE,
        *pair(),
        sample("Power (W)", 120.5, 412.25),
        sample("SM Clock (MHz)", 120.501, 1980.0, device=1),
        sample("HBM BW (%)", 121, 63),
        sample("sm__inst_executed.sum", 121.0, 1e9),
    ]

    assert rows(counters(tmp_path, events, layout)) == [
        ("Power", "W", 0, 120_500, 412.25),
        ("SM Clock", "MHz", 1, 120_501, 1980.0),
        ("HBM BW", "%", 0, 121_000, 63.0),
        ("sm__inst_executed.sum", "", 0, 121_000, 1e9),
    ]


def test_what_is_no_measurement_of_a_gpu_is_left_out(tmp_path: Path) -> None:
    """Cycles that torch computes from durations, counters of tools, values that are no number."""
    power = sample("Power (W)", 1, 400.0)
    odd: list[Event] = [
        sample("Cycles (Current Kernel)", 1, 12345),
        {**power, "pid": "GPU Memory"},
        {**power, "pid": "GPU 0 Counters "},
        {**power, "pid": 7},
        {**power, "ph": "i"},
        {**power, "args": {"value": 400.0}},
        {**power, "args": {}},
        {**power, "args": None},
        {**power, "ts": "soon"},
        {**power, "name": None},
        {**power, "dur": 3},
        sample("Power (W)", 1, "400"),
        sample("Power (W)", 1, True),
        sample("Power (W)", 1, None),
        sample("Power (W)", -BASE / 1000, 400.0),
    ]

    for event in odd:
        assert rows(counters(tmp_path, [*pair(), event])) == [], event


def test_a_trace_without_samples_has_no_counters(tmp_path: Path) -> None:
    """None says that nothing was sampled."""
    assert counters(tmp_path, pair()) is None


_VALUES = st.one_of(
    st.floats(), st.integers(), st.integers(10**300, 10**320), st.none(), st.text(), st.booleans()
)
_NAMES = st.sampled_from(["Power (W)", "SM Clock (MHz)", "Cycles (Current Kernel)", "Ää (%)", "\\"])
_PIDS = st.sampled_from(["GPU 0 Counters", "GPU 99999999999 Counters", "GPU \\u0031 Counters", "x"])


@needs_native
@settings(max_examples=examples(60))
@given(
    events=st.lists(
        st.builds(
            lambda name, ts, value, pid: {**sample(name, ts, value), "pid": pid},
            _NAMES,
            st.floats(-1e6, 1e6) | st.integers(0, 10**6) | st.text(max_size=3),
            _VALUES,
            _PIDS,
        ),
        max_size=6,
    )
)
def test_both_scanners_read_the_same_samples(
    events: list[Event], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever a sample says, the scanner in C and the one in Python give the same of it."""
    folder = tmp_path_factory.mktemp("t")
    same(write(folder / "t.json", text([*pair(), *events], COMPACT)))


@needs_native
def test_the_scanner_in_c_reads_samples_itself() -> None:
    """Plain samples are no reason to hand a stretch back to Python, which is many times slower."""
    stretch = text([*pair(), sample("Power (W)", 1.5, 400.0)], COMPACT)
    events = stretch.partition("[")[2].rpartition("]")[0]

    scanned = Scan()(events.encode())

    assert scanned is not None
    assert [(it.counter, it.time_ns, it.value) for it in scanned.samples] == [
        ("Power (W)", 1500, 400.0)
    ]


def test_blocks_do_not_matter(tmp_path: Path) -> None:
    """However the file is cut into stretches, the samples and the numbers of counters are equal."""
    events = [
        event
        for at in range(1, 40)
        for event in (*pair(at), sample(f"m{at % 3} (%)", at * 100 + 21, at / 7))
    ]
    path = write(tmp_path / "t.json", text(events, COMPACT))
    whole = KinetoReader().read(path).counters

    cut = KinetoReader(block=512).read(path).counters

    assert whole is not None
    assert cut is not None
    assert len(whole) == 39
    assert (whole.names, whole.units) == (cut.names, cut.units)
    for column in ("name_id", "time_ns", "value", "device"):
        assert np.array_equal(getattr(whole, column), getattr(cut, column))
