"""Times come out as whole nanoseconds, exactly."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.traces.kineto import KinetoReader
from kernelmap.traces.kineto_events import exact_ns, text_ns
from traces.kineto_text import Event, kernel, text, write

NANOSECONDS = st.integers(min_value=-(2**60), max_value=2**60)


def microseconds(nanoseconds: int) -> str:
    """The decimal text of a time, three digits behind the point."""
    return f"{Decimal(nanoseconds).scaleb(-3):f}"


@given(st.lists(st.integers(min_value=-(2**53 // 2), max_value=2**53 // 2), min_size=1))
def test_floats_below_the_bound_are_exact(times: list[int]) -> None:
    """A float of microseconds that the bound admits gives back the nanoseconds of its text."""
    floats = [float(microseconds(time)) for time in times]

    exact = exact_ns(floats)

    assert exact is not None
    assert exact.tolist() == times


@given(NANOSECONDS)
def test_text_is_exact_at_any_size(time: int) -> None:
    """Decimal text gives its nanoseconds, quoted or not."""
    written = microseconds(time).encode()

    assert text_ns(written) == time
    assert text_ns(b'"' + written + b'"') == time


@given(st.lists(NANOSECONDS, min_size=1))
def test_numbers_are_exact_or_left_to_the_text(times: list[int]) -> None:
    """No float comes out rounded: either the nanoseconds are right or the text has to be read."""
    floats = [float(microseconds(time)) for time in times]

    exact = exact_ns(floats)

    assert exact is None or exact.tolist() == times


@given(st.lists(st.integers(min_value=-(2**50), max_value=2**50)))
def test_whole_microseconds_are_exact(times: list[int]) -> None:
    """Integers are microseconds."""
    exact = exact_ns(times)

    assert exact is not None
    assert exact.tolist() == [time * 1000 for time in times]


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
