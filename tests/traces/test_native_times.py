"""The scanner's times are those of Python's two ways to round, where both agree."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kernelmap.traces import native
from kernelmap.traces.kineto_events import exact_ns, text_ns
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
def test_a_decided_time_is_the_one_of_both_ways(whole: int, decimals: str, sign: str) -> None:
    """Both roundings agree, that of the double and that of the text; else Python decides."""
    text = f"{sign}{whole}.{decimals}"
    exact, nearly = text_ns(text.encode()), exact_ns([float(text)])
    decided = scanned(text)

    assert decided in {None, exact}
    if nearly is not None:
        assert decided in {None, int(nearly[0])}


@given(st.integers(0, 2**42), st.integers(0, 999), st.sampled_from(["", "0", "000", "3"]))
def test_times_that_profilers_write_are_decided(whole: int, ns: int, more: str) -> None:
    """Three decimals are always clear; so is a third of a nanosecond, which annotate writes."""
    if more == "3":
        whole %= 2**41
    assert scanned(f"{whole}.{ns:03d}{more}") == whole * 1000 + ns


@given(st.integers(0, 2**33), st.floats(0, 1000))
def test_times_that_floats_were_made_of_are_decided(whole: int, part: float) -> None:
    """Computed times have seventeen digits; hardly any lies midway between two nanoseconds."""
    value = whole + part
    text = repr(value)
    exact, nearly = text_ns(text.encode()), exact_ns([value])
    decided = scanned(text) if "e" not in text else exact

    assert nearly is not None
    assert decided == exact or (decided is None and abs(value * 1000 % 1 - 0.5) < 1e-3)
