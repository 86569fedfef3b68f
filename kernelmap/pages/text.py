"""How times, shares and names are written for people: the same in every output.

Takes numbers and names, gives short texts. Left out: exact numbers, which JSON, CSV and Parquet
keep.
"""

from __future__ import annotations

import re
import unicodedata

from kernelmap.model.notices import UNITS, format_duration, format_percent, format_place

__all__ = [
    "ELLIPSIS",
    "UNITS",
    "format_bytes",
    "format_duration",
    "format_percent",
    "format_place",
    "format_rate",
    "format_signed",
    "format_signed_bytes",
    "is_moving_character",
    "make_visible",
    "rate_in_words",
    "rate_unit",
    "signed_percent",
    "unit_of",
]

ELLIPSIS = "…"


def unit_of(longest_ns: float) -> tuple[int, str]:
    """The unit in which times up to this one read well: how many ns it has, and its name.

    >>> unit_of(2_500_000), unit_of(12)
    ((1000000, 'ms'), (1, 'ns'))
    """
    return next(((ns, unit) for ns, unit in UNITS if longest_ns >= ns), (1, "ns"))


def format_signed(ns: float) -> str:
    """A change of a time, with its sign.

    >>> format_signed(41_000), format_signed(-5), format_signed(0)
    ('+41.00 µs', '-5 ns', '0 ns')
    """
    text = format_duration(ns)
    return f"+{text}" if ns > 0 and text != "0 ns" else text


def format_signed_bytes(number: int) -> str:
    """A change of a number of bytes, with its sign.

    >>> format_signed_bytes(412_000_000), format_signed_bytes(-512), format_signed_bytes(0)
    ('+412 MB', '-512 B', '0 B')
    """
    sign = "+" if number > 0 else "-" if number < 0 else ""
    return f"{sign}{format_bytes(abs(number))}"


_MANY_TIMES = 10  # from here on a reader thinks of times: 108.8x, not +10775.0 %


def signed_percent(share: float | None) -> str:
    """A change as a share of what was, with its sign; what rounds to none has none.

    >>> [signed_percent(share) for share in (None, 0.045, -0.045, -0.0004, 10.5)]
    ['', '+4.5 %', '-4.5 %', '0.0 %', '11.5x']
    """
    if share is None:
        return ""
    if share + 1 >= _MANY_TIMES:
        return f"{share + 1:,.1f}x"
    text = f"{share:+.1%}"[:-1]
    return f"{text} %" if float(text) else "0.0 %"


def format_rate(value: object) -> str:
    """A number of GB/s or TFLOP/s: three digits are enough to compare.

    >>> tuple(map(format_rate, (1234.56, 12.345, 0.012, 0.0012, None)))
    ('1,235', '12.3', '0.01', '<0.01', '')
    """
    if not isinstance(value, int | float):
        return ""
    if 0 < value < 0.005:  # noqa: PLR2004 -- rounds to 0.00
        return "<0.01"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"  # noqa: PLR2004 -- digits


_AMOUNTS = ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))


def format_bytes(number: int) -> str:
    """Bytes in the unit that fits them: 10^6 are 1 MB.

    >>> format_bytes(1_234_567), format_bytes(12), format_bytes(999_900)
    ('1.23 MB', '12 B', '1 MB')
    """
    for scale, prefix in _AMOUNTS:
        if number >= scale * 0.9995:  # what rounds up to 1
            return f"{number / scale:.3g} {prefix}B"
    return f"{number} B"


_PREFIXES = "TGMk"


def rate_unit(largest: float, unit: str) -> tuple[float, str]:
    """The unit in which rates up to `largest` of `unit` read well: the factor, and its name.

    A GPU computes TFLOP/s, a CPU GFLOP/s: in the unit of the other all would be 0.00.

    >>> rate_unit(67, "TFLOP/s"), rate_unit(0.31, "TFLOP/s"), rate_unit(0, "GB/s")
    ((1, 'TFLOP/s'), (1000, 'GFLOP/s'), (1, 'GB/s'))
    """
    factor = 1
    prefixes = _PREFIXES[_PREFIXES.index(unit[0]) :]
    if not largest:
        return factor, unit
    for prefix in prefixes[:-1]:
        if largest * factor >= 0.9995:  # noqa: PLR2004 -- what rounds up to 1.00
            return factor, prefix + unit[1:]
        factor *= 1000
    return factor, prefixes[-1] + unit[1:]


def rate_in_words(value: float, unit: str) -> str:
    """One rate in the unit that fits it.

    >>> rate_in_words(0.2156, "TFLOP/s"), rate_in_words(4800, "GB/s")
    ('216 GFLOP/s', '4,800 GB/s')
    """
    factor, fitting = rate_unit(value, unit)
    return f"{format_rate(value * factor)} {fitting}"


def of_steps(compiled_ns: int, step_ns: int) -> str:
    """How much of a CPU profile's steps compiled code took.

    >>> of_steps(75_970_000, 515_000_000)
    '75.97 ms of 515.0 ms step time in compiled code'
    """
    return (
        f"{format_duration(compiled_ns)} of {format_duration(step_ns)} step time in compiled code"
    )


def make_visible(text: str) -> str:
    r"""The text in one line, without what would act on a terminal or be read as something else.

    What moves a cursor, is not seen, or passes for a Latin letter becomes an escape; words of other
    scripts stay as they are.

    >>> make_visible("a\x1b[31m\nb"), make_visible("te\u200bst"), make_visible("w\u0430it")
    ('a\\x1b[31m\\nb', 'te\\u200bst', 'w\\u0430it')
    >>> make_visible("модель.py"), make_visible("12 µs")
    ('модель.py', '12 µs')
    """
    if text.isascii():
        return text if text.isprintable() else _escape(text, frozenset())
    return _escape(text, _find_lookalikes(text))


def _escape(text: str, places: frozenset[int]) -> str:
    return "".join(
        char.encode("unicode_escape").decode()
        if at in places or is_moving_character(char)
        else char
        for at, char in enumerate(text)
    )


def is_moving_character(char: str) -> bool:
    """Whether a character moves a cursor, changes a terminal, turns letters around or is unseen."""
    return char in _UNSEEN or unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")


_UNSEEN = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # fillers and joiners without a shape
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))  # variations
)
_WORD = re.compile(r"[^\W\d_]+")
_TWINS = frozenset("АВЕЅІЈКМНОРСТУХаеорсухѕіјһԁԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧοκνρ")
"""Cyrillic and Greek letters that look like Latin ones in most fonts."""


def _find_lookalikes(text: str) -> frozenset[int]:
    """Places of letters that look like Latin ones: in words that hold nothing but such and Latin.

    A word with any other letter of its script is read as what it is. Wide and mathematical forms of
    Latin letters and signs count wherever they stand.
    """
    twins = {
        place
        for word in _WORD.finditer(text)
        if all(char in _TWINS or char.isascii() or _is_form_of_ascii(char) for char in word[0])
        for place in range(word.start(), word.end())
        if text[place] in _TWINS
    }
    forms = {at for at, char in enumerate(text) if _is_form_of_ascii(char)}
    return frozenset(twins | forms)


def _is_form_of_ascii(char: str) -> bool:
    """Whether a character is the wide or the mathematical form of an ASCII one."""
    return unicodedata.decomposition(char).startswith(("<wide>", "<font>"))
