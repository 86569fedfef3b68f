"""What a user may choose about a correlation; one record, read by the pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Side(StrEnum):
    """Whose time is counted. AUTO: the GPU if the trace has GPU activity, else the CPU."""

    AUTO = "auto"
    GPU = "gpu"
    CPU = "cpu"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Choices of one correlation; `steps` are ProfilerStep numbers, first to last inclusive."""

    steps: tuple[int, int] | None = None
    side: Side = Side.AUTO
