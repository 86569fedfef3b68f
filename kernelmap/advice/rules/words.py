"""Names → a list that can stand in the sentence of a rule."""

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


def joined(names: Sequence[str]) -> str:
    """All names, as a sentence has them.

    >>> joined(["nodes"]), joined(["nodes", "lines", "modules"])
    ('nodes', 'nodes, lines and modules')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
