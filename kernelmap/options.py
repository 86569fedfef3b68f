"""What a user may choose about a correlation; one record, read by the pipeline."""

from __future__ import annotations

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
    """

    steps: tuple[int, int] | None = None
    side: Side = Side.AUTO
    cache_dir: Path | None = None
