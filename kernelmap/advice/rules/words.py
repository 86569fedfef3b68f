"""Lists in the sentences that rules say."""

from __future__ import annotations

from collections.abc import Sequence

_SHOWN = 3


def some(names: Sequence[str]) -> str:
    """The first few of the names.

    >>> some(["a", "b"]), some(list("abcde"))
    ('a, b', 'a, b, c and 2 more')
    """
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
