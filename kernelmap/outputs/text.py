"""How times, shares and names are written for people: the same in every output.

Takes numbers and names, gives short texts. Left out: exact numbers, which JSON, CSV and Parquet
keep.
"""

from __future__ import annotations

import unicodedata

from kernelmap.model.notices import UNITS, duration

__all__ = ["ELLIPSIS", "UNITS", "duration", "percent", "visible"]

ELLIPSIS = "…"


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


def of_steps(compiled_ns: int, step_ns: int) -> str:
    """How much of a CPU profile's steps compiled code took.

    >>> of_steps(75_970_000, 515_000_000)
    '75.97 ms of 515.0 ms step time in compiled code'
    """
    return f"{duration(compiled_ns)} of {duration(step_ns)} step time in compiled code"


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
