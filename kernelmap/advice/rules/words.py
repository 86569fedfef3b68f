"""Small pieces of the sentences that rules say."""

from __future__ import annotations

from collections.abc import Sequence

_SHOWN = 3


def number(count: int, noun: str) -> str:
    """A number and its noun.

    >>> number(1, "launch"), number(2000, "launch"), number(3, "call")
    ('1 launch', '2,000 launches', '3 calls')
    """
    plural = "es" if noun.endswith("ch") else "s"
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}{plural}"


def some(names: Sequence[str]) -> str:
    """The first few of the names.

    >>> some(["a", "b"]), some(list("abcde"))
    ('a, b', 'a, b, c and 2 more')
    """
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
