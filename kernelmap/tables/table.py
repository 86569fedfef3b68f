"""What a column and a table are: a name, what a cell holds, its unit, its meaning.

Standard library only. Which tables there are stands in schema.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property


class Type(StrEnum):
    """What a cell holds; TEXTS is a list of texts."""

    INT = "int64"
    FLOAT = "float64"
    TEXT = "text"
    TEXTS = "list of text"


class Unit(StrEnum):
    """What a number counts: nanoseconds, or a part of 1 (0.25 is a quarter)."""

    NS = "ns"
    ONE = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column; a `nullable` one may hold null, which is how a missing cell is written."""

    name: str
    type: Type
    help: str
    unit: Unit | None = None
    nullable: bool = False


@dataclass(frozen=True, kw_only=True)
class Table:
    """One table: `row` says what a row is, `order` how rows are sorted."""

    name: str
    row: str
    order: str
    columns: tuple[Column, ...]

    @cached_property
    def by_name(self) -> Mapping[str, Column]:
        """The columns by name, in order."""
        return {column.name: column for column in self.columns}
