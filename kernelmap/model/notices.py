"""Notices of what a reader or a strategy could not use; how counts, times and lists are written.

Nothing is left out silently. Results, advice and pages write numbers and names in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from msgspec import Struct

UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"))


class Notice(Struct, frozen=True, kw_only=True):
    """One thing that a person should know about the result.

    `slug` names the heading in docs/messages.md. A notice with `gap` means that something of the
    input was lost or could not be paired: `--strict` turns it into exit code 1.
    """

    slug: str
    message: str
    hint: str | None = None
    gap: bool = False

    @property
    def text(self) -> str:
        """What it is and what to do, as sentences that follow one another."""
        return self.message if self.hint is None else f"{self.message}. {self.hint}"


def format_count(number: int, noun: str) -> str:
    """A number and its noun.

    >>> format_count(1, "launch"), format_count(2000, "launch"), format_count(3, "call")
    ('1 launch', '2,000 launches', '3 calls')
    >>> format_count(2, "copy")
    '2 copies'
    """
    if number == 1:
        return f"{number:,} {noun}"
    if noun.endswith("py"):
        return f"{number:,} {noun[:-1]}ies"
    return f"{number:,} {noun}es" if noun.endswith("ch") else f"{number:,} {noun}s"


def format_duration(ns: float) -> str:
    """A time in the unit that a person would choose.

    >>> [format_duration(ns) for ns in (0, 812, 8_120, 999_960, 12_345_678, 61_000_000_000)]
    ['0 ns', '812 ns', '8.12 µs', '1.00 ms', '12.35 ms', '61.00 s']
    >>> format_duration(-8_120), format_duration(-0.3)
    ('-8.12 µs', '0 ns')
    """
    if ns < 0:
        text = format_duration(-ns)
        return text if text == "0 ns" else f"-{text}"
    for scale, unit in UNITS:
        value = ns / scale
        if value >= 0.99995:  # noqa: PLR2004 -- what rounds up to 1.00 is written in this unit
            return f"{value:,.2f} {unit}" if value < 99.995 else f"{value:,.1f} {unit}"  # noqa: PLR2004 -- four digits
    return f"{ns:z.0f} ns"


def format_percent(share: float | None) -> str:
    """A share of 1; nothing rounds down to none or up to all.

    >>> [format_percent(share) for share in (None, 0, 0.0004, 0.1234, 0.99999, 1)]
    ['', '0.0 %', '<0.1 %', '12.3 %', '>99.9 %', '100.0 %']
    >>> format_percent(-0.0004), format_percent(-0.12), format_percent(-0.0)
    ('>-0.1 %', '-12.0 %', '0.0 %')
    """
    if share is None:
        return ""
    if share <= 0:
        text = f"{-share:.1%}"[:-1]
        return "0.0 %" if not share else ">-0.1 %" if text == "0.0" else f"-{text} %"
    # Shares that would round to nothing or to all keep the sign that they are not quite that.
    text = f"{share:.1%}"[:-1]
    if text == "0.0" and share > 0:
        text = "<0.1"
    if text == "100.0" and share < 1:
        text = ">99.9"
    return f"{text} %"


def format_place(source: object) -> str:
    """`model.py:17` of a whole path; a function keeps its name.

    >>> format_place("/home/me/model.py:17"), format_place("in forward (/home/me/model.py:12)")
    ('model.py:17', 'in forward (model.py:12)')
    """
    text = str(source).replace("\\", "/")
    function, opened, path = text.rpartition(" (")
    if opened and text.startswith("in ") and text.endswith(")"):
        return f"{function} ({PurePath(path).name}"
    return PurePath(text).name


def join_some(names: Sequence[str], shown: int = 3) -> str:
    """The first few of the names, at most `shown`.

    >>> join_some(["a", "b"]), join_some(list("abcde"))
    ('a, b', 'a, b, c and 2 more')
    """
    rest = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {rest} more" if rest > 0 else "")


def join_all(names: Sequence[str]) -> str:
    """All names, as a sentence has them.

    >>> join_all(["nodes"]), join_all(["nodes", "lines", "modules"])
    ('nodes', 'nodes, lines and modules')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
