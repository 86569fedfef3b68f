"""What hostile texts cost grows as they do: four times the text takes about four times as long.

CPU time of this process, so that what else the machine does counts for nothing. A quadratic rule
would take sixteen times as long.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from kernelmap.compiler.pasted.messages import is_pasted
from kernelmap.fingerprints.canonical import buffer_types
from kernelmap.traces.json_layout import ends, learn, objects
from kernelmap.traces.json_repair import mend

_SMALL, _TIMES = 5_000, 4
_FLOOR_S = 0.002
"""Below this a measurement says nothing; the rule would have to be far worse to stay hidden."""

Read = Callable[[str], object]

READERS: dict[str, Read] = {
    "layout": lambda text: learn(text.encode()),
    "ends": lambda text: list(ends(text.encode(), None)),
    "objects": lambda text: list(objects(text.encode())),
    "repair": lambda text: mend(text.encode()),
    "pasted": is_pasted,
    "buffers": lambda text: buffer_types([f"{text} int_array_ reuse torch. empty_strided("]),
}
PUMPS = (
    *(" ", "\t", "\n", '"', '\\"', '"a" ', ">", "> ", "1", "1L", "a", "a ", "(", "[", "{", "{}"),
    *("}", "} ", "},", "}]", ",", ", ", "a = ", "int_array_", "&a", "reuse", "x(), (), ", "`"),
)
STARTS = ("", '{"ph": 1', '{"name": "', "x = reinterpret_tensor(", "def call(args):\n")


def seconds(read: Read, text: str) -> float:
    """The least CPU time of three readings."""
    times = []
    for _ in range(3):
        begin = time.process_time()
        read(text)
        times.append(time.process_time() - begin)
    return min(times)


@pytest.mark.parametrize("reader", READERS)
def test_time_grows_with_the_text(reader: str) -> None:
    """No text that repeats one thing makes a reader look at it again and again."""
    read = READERS[reader]
    for start in STARTS:
        for pump in PUMPS:
            small = start + pump * (_SMALL // len(pump))
            large = start + pump * (_TIMES * _SMALL // len(pump))
            before = max(seconds(read, small), _FLOOR_S)
            after = seconds(read, large)
            assert after < 2.5 * _TIMES * before, (start, pump, before, after)
