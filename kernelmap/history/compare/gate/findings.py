"""What a gate is asked, and what its levels find, of which the verdict is made."""

from __future__ import annotations

from collections import defaultdict

from msgspec import Struct, field

from kernelmap.history.compare.gate.families import CallFamily
from kernelmap.history.compare.numbers.change import Change


class GateLimits(Struct, frozen=True, kw_only=True):
    """What may pass.

    `regression` is a ratio, 0.03 for 3 %; `time_ns` is what a call or op takes at least per unit to
    be judged; `coverage` is the least share of time that is paired or known to be outside. `memory`
    is how much the peak of a graph may grow, as a share of the highest peak; None: nothing judges.
    """

    regression: float = 0.03
    time_ns: int = 20_000
    coverage: float | None = None
    memory: float | None = None
    levels: tuple[str, ...] = ("call", "op", "total")


class Findings(Struct, kw_only=True):
    """What the levels say; `left` is ns per unit of what was not judged, by noun and reason.

    `families` are those that are judged. `changes` are what reasons are about, by the reason, where
    that is one change; `alone` are the reasons of single calls by the calls' ids.
    """

    reasons: list[str] = []
    changes: dict[str, Change] = {}
    doubts: list[str] = []
    notes: list[str] = []
    left: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    families: tuple[CallFamily, ...] = ()
    alone: dict[tuple[str, ...], str] = {}
