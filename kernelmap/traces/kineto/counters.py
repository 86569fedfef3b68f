"""What was sampled of GPUs in a Kineto trace: counter events → CounterSamples.

torch's `cupti_monitor` (seen in torch 2.14.1) writes a sample as an event of phase C without a
duration. Its process is `GPU 0 Counters`, its name the counter with its unit, and its only argument
has an empty name: `{"ph": "C", "name": "Power (W)", "pid": "GPU 0 Counters", "ts": 12.5, "args":
{"": 412.3}}`. The number in `pid` is the device as kernels name it.

Left out: counters of other processes (tools draw queue lengths and memory like this), values that
are no number, samples at time 0, which CUPTI gives where it could not tell the time, and the
`Cycles (Current Kernel)` of each kernel, which nobody measured (facts/counters.py).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kernelmap.facts.counters import split_unit
from kernelmap.model.trace import CounterSamples, Float, Int
from kernelmap.traces.columns import LARGEST_PLACE, LATEST_NS, Numbers
from kernelmap.traces.kineto.events import EVENTS, NO_ARGS, KinetoEvent, text_ns

_PROCESS = re.compile(r"GPU ([0-9]{1,10}) Counters")
DERIVED = "Cycles ("
"""What the names of counters begin with that nobody measured."""


class Sample(NamedTuple):
    """One value that a counter showed; `time_ns` on the clock of the file's events."""

    counter: str
    device: int
    time_ns: int
    value: float


def sample_of_event(event: KinetoEvent) -> Sample | None:
    """The sample of a GPU that an event is; None where it is none."""
    if event.ph != "C" or event.has_duration or not isinstance(event.name, str):
        return None
    process = _PROCESS.fullmatch(event.pid) if isinstance(event.pid, str) else None
    device = LARGEST_PLACE + 1 if process is None else int(process[1])
    value = _number((event.args or NO_ARGS).sampled)
    time_ns = text_ns(bytes(event.ts))
    if device > LARGEST_PLACE or value is None or time_ns is None:
        return None
    return None if event.name.startswith(DERIVED) else Sample(event.name, device, time_ns, value)


def samples_at(text: bytes, begins: Sequence[int], ends: Sequence[int]) -> tuple[Sample, ...]:
    """The samples among the events that stand at these places of a stretch.

    msgspec.DecodeError where a field holds something that no profiler writes.
    """
    events = b",".join(text[begin:end] for begin, end in zip(begins, ends, strict=True))
    samples = map(sample_of_event, EVENTS.decode(b"[%s]" % events))
    return tuple(sample for sample in samples if sample is not None)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond a double
        return None
    return number if math.isfinite(number) else None


class SampleColumns:
    """Takes the samples of one stretch after another, gives all of them as columns."""

    def __init__(self) -> None:
        self._numbers: Numbers[str] = Numbers()
        self._whole: list[Int] = []  # (3, samples) each: number of the counter, device, time
        self._values: list[Float] = []

    def add(self, samples: Sequence[Sample]) -> None:
        """Take the samples of a stretch."""
        if not samples:
            return
        rows = [(self._numbers[it.counter], it.device, it.time_ns) for it in samples]
        self._whole.append(np.array(rows, dtype=np.int64).T)
        self._values.append(np.array([it.value for it in samples], dtype=np.float64))

    def samples(self, base_ns: int) -> CounterSamples | None:
        """All samples; `base_ns` is added to the times. None where there are none."""
        if not self._values:
            return None
        name_id, device, time_ns = np.concatenate(self._whole, axis=1)
        time_ns = time_ns + base_ns
        counters = list(map(split_unit, self._numbers))
        samples = CounterSamples(
            source=np.zeros(len(time_ns), dtype=np.int64),
            device=device,
            name_id=name_id,
            time_ns=time_ns,
            value=np.concatenate(self._values),
            names=tuple(name for name, _ in counters),
            units=tuple(unit for _, unit in counters),
        )
        timed = samples.take_rows((time_ns > 0) & (time_ns <= LATEST_NS))
        return timed if len(timed) else None
