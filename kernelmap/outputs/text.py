"""How times, shares and names are written for people: the same in every output.

Takes numbers and names, gives short texts. Left out: exact numbers, which JSON, CSV and Parquet
keep.
"""

from __future__ import annotations

import unicodedata

ELLIPSIS = "…"
UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"))


def duration(ns: float) -> str:
    """A time in the unit that a person would choose.

    >>> [duration(ns) for ns in (0, 812, 8_120, 999_960, 12_345_678, 61_000_000_000)]
    ['0 ns', '812 ns', '8.12 µs', '1.00 ms', '12.35 ms', '61.00 s']
    """
    for scale, unit in UNITS:
        value = ns / scale
        if value >= 0.99995:  # noqa: PLR2004 -- what rounds up to 1.00 is written in this unit
            return f"{value:,.2f} {unit}" if value < 99.995 else f"{value:,.1f} {unit}"  # noqa: PLR2004 -- four digits
    return f"{ns:.0f} ns"


def percent(share: float | None) -> str:
    """A share of 1; nothing rounds down to none or up to all.

    >>> [percent(share) for share in (None, 0, 0.0004, 0.1234, 0.99999, 1)]
    ['', '0.0 %', '<0.1 %', '12.3 %', '>99.9 %', '100.0 %']
    """
    if share is None:
        return ""
    text = f"{share:.1%}"[:-1]
    if text == "0.0" and share > 0:
        text = "<0.1"
    if text == "100.0" and share < 1:
        text = ">99.9"
    return f"{text} %"


def visible(text: str) -> str:
    r"""The text in one line: what would move a cursor or change a terminal becomes an escape.

    >>> visible("a\x1b[31m\nb")
    'a\\x1b[31m\\nb'
    """
    if text.isprintable():
        return text
    return "".join(
        char.encode("unicode_escape").decode() if _moves(char) else char for char in text
    )


def _moves(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
