"""What the levels of a gate find, gathered: each adds to it, and the verdict is made of it."""

from __future__ import annotations

from collections import defaultdict

from msgspec import Struct, field

from kernelmap.history.compare.change import Change
from kernelmap.history.compare.families import CallFamily


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
