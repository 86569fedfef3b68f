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
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from msgspec import Struct

from kernelmap.facts.counters import split_unit
from kernelmap.model.trace import NONE, CounterSamples, Float, Int
from kernelmap.traces.columns import LARGEST_PLACE, LATEST_NS, Numbers
from kernelmap.traces.kineto.events import KinetoEvent, Scalar

UNTIMED = -(2**63)
"""The time of a sample that states none; the scanner in C writes it as well."""
_PROCESS = re.compile(r"GPU ([0-9]{1,10}) Counters")
# As the scanner in C looks at them: what is many, or can be no sample, is dropped at once.
_OF_GPU = "GPU "
DERIVED = "Cycles ("
"""What the names of counters begin with that nobody measured."""


class SampledRows(Struct, frozen=True):
    """The samples of a stretch; names and processes are numbers of texts, (n,).

    `value` is NaN where it is no number, `time_ns` is UNTIMED where there is none.
    """

    name: Int
    process: Int
    time_ns: Int
    value: Float


class _Args(Struct, frozen=True, gc=False):
    sampled: Scalar = msgspec.field(default=None, name="")


class _Valued(Struct, frozen=True, gc=False):
    args: _Args | None = None


_VALUED = msgspec.json.Decoder(list[_Valued])


def is_sample(event: KinetoEvent) -> bool:
    """Whether an event may be a sample of a GPU."""
    return (
        event.ph == "C"
        and not event.has_duration
        and isinstance(event.name, str)
        and isinstance(event.pid, str)
        and event.pid.startswith(_OF_GPU)
        and not event.name.startswith(DERIVED)
    )


def samples_of_rows(rows: Sequence[tuple[int, int, int, float]]) -> SampledRows | None:
    """Samples from rows of name, process, time and value; None where there are none."""
    if not rows:
        return None
    columns = list(zip(*rows, strict=True))
    name, process, time_ns = (np.array(column, dtype=np.int64) for column in columns[:3])
    return SampledRows(name, process, time_ns, np.array(columns[3], dtype=np.float64))


def values_at(text: bytes, begins: Sequence[int], ends: Sequence[int]) -> Float:
    """The values of the samples that stand at these places of a stretch, (n,).

    msgspec.DecodeError where a field holds something that no profiler writes.
    """
    events = b",".join([text[begin:end] for begin, end in zip(begins, ends, strict=True)])
    values = [
        math.nan if event.args is None else number_of_value(event.args.sampled)
        for event in _VALUED.decode(b"[%s]" % events)
    ]
    return np.array(values, dtype=np.float64)


def number_of_value(value: Scalar) -> float:
    """A value that a counter showed; NaN where it is no number."""
    if isinstance(value, float):
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        return math.nan
    try:
        return float(value)
    except OverflowError:  # a whole number beyond a double
        return math.nan


def process_of_device(device: int) -> str:
    """The process of the viewer that shows the counters of a device."""
    return f"GPU {device} Counters"


def _device_of_process(process: str | None) -> int:
    """The device whose counters a process of the viewer shows; NONE where it is no such process."""
    shown = _PROCESS.fullmatch(process or "")
    device = NONE if shown is None else int(shown[1])
    return device if device <= LARGEST_PLACE else NONE


class SampleColumns:
    """Takes the samples of one stretch after another, gives all of them as columns."""

    def __init__(self) -> None:
        self._numbers: Numbers[str] = Numbers()
        self._whole: list[Int] = []  # (3, samples) each: number of the counter, device, time
        self._values: list[Float] = []

    def add(self, samples: SampledRows, text: Callable[[int], str | None]) -> None:
        """Take the samples of a stretch, whose texts `text` gives by their numbers."""
        device = _each_once(samples.process, lambda number: _device_of_process(text(number)))
        kept = (device >= 0) & np.isfinite(samples.value) & (samples.time_ns != UNTIMED)
        kept &= samples.name >= 0
        if kept.any():
            # Counters are numbered in the order of the file, however it was cut into stretches.
            counter = _each_once(
                samples.name[kept], lambda number: self._numbers[str(text(number))]
            )
            self._whole.append(np.stack([counter, device[kept], samples.time_ns[kept]]))
            self._values.append(samples.value[kept])

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


def _each_once(numbers: Int, of: Callable[[int], int]) -> Int:
    """What `of` gives for each number, asked once per different one in the order of the column."""
    given = {number: of(number) for number in dict.fromkeys(numbers.tolist())}
    column = np.array(list(given.values()), dtype=np.int64)
    distinct = np.array(list(given), dtype=np.int64)
    order = np.argsort(distinct)
    found: Int = column[order][np.searchsorted(distinct[order], numbers)]
    return found
