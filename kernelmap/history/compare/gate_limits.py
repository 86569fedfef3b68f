"""What a gate is asked: how much slower may pass, and what is judged."""

from __future__ import annotations

from msgspec import Struct


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
