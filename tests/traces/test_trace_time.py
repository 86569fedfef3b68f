"""Times come out as whole nanoseconds, exactly."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.traces.kineto.events import text_ns
from kernelmap.traces.kineto.reader import KinetoReader
from traces.kineto_text import Event, kernel, text, write

NANOSECONDS = st.integers(min_value=-(2**60), max_value=2**60)


def microseconds(nanoseconds: int) -> str:
    """The decimal text of a time, three digits behind the point."""
    return f"{Decimal(nanoseconds).scaleb(-3):f}"


@given(NANOSECONDS)
def test_text_is_exact_at_any_size(time: int) -> None:
    """Decimal text gives its nanoseconds, quoted or not."""
    written = microseconds(time).encode()

    assert text_ns(written) == time
    assert text_ns(b'"' + written + b'"') == time


@pytest.mark.parametrize(
    ("written", "ns"),
    [
        ("0.0005", 0),
        ("0.0015", 2),
        ("1.00050000000000000000000001", 1001),
        ("1700000000000000.0004999999999999999999", 1700000000000000000),
        ("-0.0015", -2),
    ],
)
def test_fractions_of_a_nanosecond_are_rounded_once(written: str, ns: int) -> None:
    """To the nearest, a half to the even one, whatever the number of digits."""
    assert text_ns(written.encode()) == ns


@pytest.mark.parametrize(
    "broken", [b"", b"null", b"NaN", b'"1,5"', b"1e400", b"1e999999", b'"Spans"']
)
def test_what_is_no_time_is_none(broken: bytes) -> None:
    """Text that holds no finite number gives no time."""
    assert text_ns(broken) is None


@pytest.mark.parametrize(
    ("written", "base", "start_ns"),
    [
        ("1661938466265125", None, 1661938466265125000),
        ("1700000000000000.123", None, 1700000000000000123),
        ('"1700000000000000.123"', None, 1700000000000000123),
        ("4387778994957.682", 1790857026000000000, 1790857026000000000 + 4387778994957682),
        ("0.001", None, 1),
    ],
)
def test_a_file_keeps_its_nanoseconds(
    tmp_path: Path, written: str, base: int | None, start_ns: int
) -> None:
    """Integer, float and string times, with and without base time, keep every nanosecond."""
    around: Event = {} if base is None else {"baseTimeNanoseconds": base}
    event = json.dumps(kernel("k", "TS", 5, 1)).replace('"TS"', written)
    content = text([], late=True, around=around).replace("[]", f"[{event}]")

    launches = KinetoReader().read(write(tmp_path / "t.json", content)).launches

    assert launches.start_ns.tolist() == [start_ns]
    assert launches.dur_ns.tolist() == [5000]
    assert launches.start_ns.dtype == np.int64
