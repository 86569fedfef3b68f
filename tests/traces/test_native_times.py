"""The scanner rounds times as Python does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kernelmap.traces.kineto import native_scan as native
from kernelmap.traces.kineto.events import text_ns
from traces.both_readers import needs_native

pytestmark = needs_native

WHOLE = st.one_of(
    st.integers(0, 2**20),
    st.integers(2**20, 2**44),
    st.builds(lambda power, less: 2**power - less, st.integers(1, 51), st.integers(0, 1)),
)
DECIMALS = st.builds(
    "{}{}".format,
    st.text("0123456789", max_size=9),
    st.sampled_from(["0", "5", "3", "49", "51", "500", "499999", "500001", "4999999999"]),
)


def scanned(text: str) -> int | None:
    """The start of an event that says `text`; None where the scanner leaves it to Python."""
    rows = native.Scan()(b'{"ph":"X","cat":"cpu_op","ts":%s,"dur":1}' % text.encode())
    return None if rows is None else int(rows.tables["ranges"]["start_ns"][0])


@given(WHOLE, DECIMALS, st.sampled_from(["", "-"]))
def test_a_time_is_that_of_the_text(whole: int, decimals: str, sign: str) -> None:
    """What the scanner rounds, it rounds as Python rounds the decimal text, a half to even."""
    text = f"{sign}{whole}.{decimals}"
    ns = scanned(text)

    assert ns == text_ns(text.encode()) or (ns is None and len(decimals) > 18)


@given(st.integers(0, 2**51), st.integers(0, 999), st.sampled_from(["", "0", "000", "3", "5"]))
def test_times_that_profilers_write_are_decided(whole: int, ns: int, more: str) -> None:
    """Three decimals are read in C, and so are fractions of a nanosecond."""
    text = f"{whole}.{ns:03d}{more}"

    assert scanned(text) == text_ns(text.encode())


@given(st.integers(0, 2**33), st.floats(0, 1000))
def test_times_that_floats_were_made_of_are_decided(whole: int, part: float) -> None:
    """Computed times have seventeen digits, of which none is lost."""
    text = repr(whole + part)

    assert "e" in text or scanned(text) == text_ns(text.encode())
