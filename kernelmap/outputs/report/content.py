"""What each view of the report is made from: the tables, and the records behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kernelmap.advice import Advice
from kernelmap.attribution.records import Attribution
from kernelmap.model import CompiledProgram, Matching, Trace
from kernelmap.views.tables import Tables


class Records(Protocol):
    """What the tables were made from; a Correlation is one."""

    @property
    def program(self) -> CompiledProgram:
        """The graphs, with their code."""

    @property
    def trace(self) -> Trace:
        """What ran."""

    @property
    def matching(self) -> Matching:
        """Which launch is whose."""

    @property
    def attribution(self) -> Attribution:
        """The window's time, split."""

    @property
    def advice(self) -> Advice:
        """What is missing for a better answer."""


@dataclass(frozen=True, kw_only=True)
class Content:
    """One report; `records` is None for a result that was read back from a file."""

    tables: Tables
    records: Records | None = None
