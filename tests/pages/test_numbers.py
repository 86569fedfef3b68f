"""How numbers are written for people: a unit that fits, and no sign of nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernelmap.history.compare.texts.words import say_interval
from kernelmap.pages.columns import SPEED
from kernelmap.pages.text import (
    format_duration,
    format_percent,
    format_signed,
    rate_in_words,
    rate_unit,
    signed_percent,
)
from kernelmap.tables.rows import Row

TIMES = st.integers(-(10**12), 10**12) | st.floats(-(10**12), 10**12)
SHARES = st.floats(-9, 9) | st.floats(-0.001, 0.001)
RATES = st.floats(1e-12, 1e4)
NOTHING = re.compile(r"[-+]0(\.0*)?(?![\d.])")
"""A sign before a number that is nothing, as in `-0.0 %`."""


@given(TIMES)
@example(-0.3)
@example(-999_960)
def test_a_time_has_no_more_than_four_digits_before_its_unit(ns: float) -> None:
    """190 ms is not written 190,185.4 µs, nor is -190 ms; only above 1,000 s it is long."""
    for text in (format_duration(ns), format_signed(ns)):
        assert not NOTHING.search(text)
        digits = re.sub(r"\D", "", text.partition(" ")[0])
        assert len(digits) <= 4 or abs(ns) >= 999.95e9
        assert text.startswith("-") == (round(ns) < 0)


@given(SHARES)
@example(-0.0)
@example(-0.0004)
@example(9.0)
def test_no_share_is_less_than_nothing_by_its_sign_alone(share: float) -> None:
    """`-0.0 %` says that something fell, where nothing did."""
    for text in (format_percent(share), signed_percent(share)):
        assert not NOTHING.search(text)
    if signed_percent(share).endswith("x"):
        assert share >= 9  # ten times as much and more is no share any more
    elif abs(share) > 0.0006:
        assert signed_percent(share).startswith("+" if share > 0 else "-")
    if share < 0:
        assert format_percent(share)[0] in "->"


@given(st.integers(-(10**10), 10**10), st.integers(-(10**10), 10**10))
@example(-2_100_000, -900)
def test_the_ends_of_an_interval_have_no_sign_of_nothing(low: int, high: int) -> None:
    """An end that rounds to none is +0.0 on both sides."""
    assert "-0.0" not in say_interval(low, high)


@given(RATES, st.sampled_from(["TFLOP/s", "GB/s"]))
def test_a_rate_is_written_in_a_unit_in_which_it_is_not_zero(value: float, unit: str) -> None:
    """What a CPU computes is GFLOP/s or MFLOP/s, not 0.00 TFLOP/s."""
    text = rate_in_words(value, unit)
    assert not text.startswith("0.00 ")
    factor, fitting = rate_unit(value, unit)
    assert value * factor >= 0.9995 or fitting[0] == "k"
    assert value * factor < 1000 or fitting == unit


@pytest.mark.parametrize(
    ("rates", "header", "cells"),
    [
        ([0.312, 0.0012, None], "GFLOP/s", ["312", "1.2", ""]),
        ([4e-6, 1e-7], "MFLOP/s", ["4.0", "0.10"]),
        ([612.0, 0.2], "TFLOP/s", ["612", "0.20"]),
        ([None], "TFLOP/s", [""]),
    ],
    ids=["CPU", "small CPU", "GPU", "not known"],
)
def test_a_column_of_rates_has_the_unit_of_its_fastest_row(
    rates: list[float | None], header: str, cells: list[str]
) -> None:
    """Rows of one table are compared with each other, so they share a unit."""
    rows: list[Row] = [{"tflops": value, "gbps": None} for value in rates]
    column = SPEED[-1].for_rows(rows)
    assert column.header == header
    assert [column.cell(row) for row in rows] == cells
