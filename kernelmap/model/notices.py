"""What a reader or a strategy could not use, and how much: nothing is left out silently."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One thing that a person should know about the result.

    `slug` names the heading in docs/messages.md. A notice with `gap` means that something of the
    input was lost or could not be paired: `--strict` turns it into exit code 1.
    """

    slug: str
    message: str
    hint: str | None = None
    gap: bool = False


def count(number: int, noun: str) -> str:
    """A number and its noun.

    >>> count(1, "launch"), count(2000, "launch"), count(3, "call")
    ('1 launch', '2,000 launches', '3 calls')
    """
    plural = "es" if noun.endswith("ch") else "s"
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}{plural}"
