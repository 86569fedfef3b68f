"""Lines of the user's source, what is known of the host's lines, and the text of FX graphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """A line of the user's source; `line` counts from 1."""

    file: str
    line: int
    code: str | None = None


@dataclass(frozen=True, slots=True)
class LaunchLines:
    """The line that each launch came from: `code` (launches,) points into `lines`, -1: none."""

    code: NDArray[np.int64]
    lines: tuple[SourceLine, ...] = ()

    @classmethod
    def none(cls, launches: int) -> LaunchLines:
        """Of so many launches, none of which says its line."""
        return cls(np.full(launches, -1, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class HostMoments:
    """Times on host threads, all (n,); `process` and `thread` as in the columns of a Trace."""

    process: NDArray[np.int64]
    thread: NDArray[np.int64]
    time_ns: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GraphText:
    """A graph as text; `lines` says where each node stands, counted from 1.

    Of equal names (a graph within the graph may repeat them) the last one counts.
    """

    text: str = field(repr=False)
    lines: Mapping[str, int] = field(repr=False, hash=False)
