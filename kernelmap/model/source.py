"""A line of the user's source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """A line of the user's source; `line` counts from 1."""

    file: str
    line: int
    code: str | None = None
