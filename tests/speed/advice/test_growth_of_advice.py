"""What advice costs grows with columns, and not by calls of functions for every launch."""

from __future__ import annotations

import gc
import sys
import weakref
from collections import Counter
from pathlib import Path

import pytest

from kernelmap import Correlation, correlate
from kernelmap.model import Trace
from kernelmap.model.trace import Bool, Int, Small
from kernelmap.speed.wall.host import HostTime
from kernelmap.speed.wall.measure import Wall, wall_time
from read_once import compiled
from worlds import World, simulate

_CALLS_PER_LAUNCH = 4
"""Steps and the names of ranges are looked at one by one, which comes to 2; it was 12 when each
launch was."""


def recording(samples: Path, folder: Path, invocations: int) -> Correlation:
    """A simulated run of so many steps, with eager work and waits between its graphs."""
    code = samples / "sim_mlp_train"
    path = folder / f"{invocations}.json"
    simulate(compiled(code), World(seed=1, invocations=invocations)).write_kineto(path)
    return correlate(code, path)


def count_calls(run: Correlation) -> int:
    """How many functions are called while advice is found, Python's and C's."""
    calls: Counter[str] = Counter()
    sys.setprofile(lambda _frame, event, _what: calls.update([event]))
    try:
        assert run.advice.savings is not None
    finally:
        sys.setprofile(None)
    return calls["call"] + calls["c_call"]


def test_advice_calls_few_functions_for_each_launch(samples: Path, tmp_path: Path) -> None:
    """A recording ten times as long takes columns ten times as long, and hardly more calls."""
    count_calls(recording(samples, tmp_path, 4))  # what is loaded and cached once does not count
    short, long = (recording(samples, tmp_path, steps) for steps in (20, 200))
    more = len(long.trace.launches) - len(short.trace.launches)
    grown = count_calls(long) - count_calls(short)

    assert grown < _CALLS_PER_LAUNCH * more


def test_the_steps_are_cut_once_for_all_advice(
    samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wall time, reasons and savings share them; behind the savings they are held no longer."""
    hosts: list[weakref.ref[HostTime]] = []

    def note_and_cut(
        trace: Trace, counted: Bool, step: Int, reason: Small, *, with_cpu: bool
    ) -> Wall:
        wall = wall_time(trace, counted, step, reason, with_cpu=with_cpu)
        hosts.append(weakref.ref(wall.host))
        return wall

    monkeypatch.setattr("kernelmap.speed.answers.wall_time", note_and_cut)
    run = correlate(samples / "cuda_mlp_train")

    assert run.wall_times
    assert run.advice.savings is not None
    assert len(hosts) == 1
    gc.collect()
    assert hosts[0]() is None
