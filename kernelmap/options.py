"""What a user may choose about a correlation; one record, read by the pipeline."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Side(StrEnum):
    """Whose time is counted. AUTO: the GPU if the trace has GPU activity, else the CPU."""

    AUTO = "auto"
    GPU = "gpu"
    CPU = "cpu"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Choices of one correlation; `steps` are ProfilerStep numbers, first to last inclusive.

    `cache_dir` is Inductor's cache folder, asked for the code of what ran and was not given.
    `like` are bundles, profiles with their code, or saved results of other runs of the same code:
    what they know of calls serves launches that say nothing themselves.
    `device_limits` is a file with the limits of devices; it goes before the table of known ones.
    Tables have work and headroom unless `work` is False: that saves reading the code once more.
    So they have the wall time of steps unless `wall` is False, and what the code states of the
    memory of graphs unless `memory` is. `operators` asks for the table of operators outside of
    compiled code, whose shapes are read in a second look at the files.
    """

    steps: tuple[int, int] | None = None
    side: Side = Side.AUTO
    cache_dir: Path | None = None
    like: tuple[Path, ...] = ()
    device_limits: Path | None = None
    work: bool = True
    wall: bool = True
    operators: bool = False
    memory: bool = True


def share(text: str) -> float:
    """`3%` or `0.03` as a share of 1; raises ValueError for anything else and above 1."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(%?)", text.strip())
    # A text that is no number counts as more than all, and is refused with what is more.
    given = float(match[1]) / (100 if match[2] else 1) if match else 2.0
    if given > 1:
        raise ValueError(f"{text!r} is no share such as 3% or 0.03")
    return given


_UNITS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


def nanoseconds(text: str) -> int:
    """`20us` as whole nanoseconds; raises ValueError for what is no time."""
    match = re.fullmatch(rf"(\d+(?:\.\d+)?) ?({'|'.join(_UNITS)})", text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no time such as 20us")
    return round(float(match[1]) * _UNITS[match[2]])
