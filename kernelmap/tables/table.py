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


def int_column(name: str, text: str, unit: Unit | None = None, *, nullable: bool = False) -> Column:
    """A column of whole numbers; `text` says what they are."""
    return Column(name=name, type=Type.INT, help=text, unit=unit, nullable=nullable)


def int_or_null(name: str, text: str, unit: Unit | None = None) -> Column:
    """A column of whole numbers of which some are missing."""
    return int_column(name, text, unit, nullable=True)


def ns_column(name: str, text: str) -> Column:
    """A column of times in nanoseconds."""
    return int_column(name, text, Unit.NS)


def ns_or_null(name: str, text: str) -> Column:
    """A column of times in nanoseconds of which some are missing."""
    return int_column(name, text, Unit.NS, nullable=True)


def text_column(name: str, text: str) -> Column:
    """A column of texts; `text` says what they are."""
    return Column(name=name, type=Type.TEXT, help=text)


def text_or_null(name: str, text: str) -> Column:
    """A column of texts of which some are missing."""
    return Column(name=name, type=Type.TEXT, help=text, nullable=True)


def texts_column(name: str, text: str) -> Column:
    """A column of lists of texts, some of them missing."""
    return Column(name=name, type=Type.TEXTS, help=text, nullable=True)
