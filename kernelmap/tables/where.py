"""`--where`: a text such as `time_ns>1ms and confidence=exact` → which rows of a table it means.

The language is a column, a comparison and a value, several of them with `and` and `or`; `and` binds
more tightly, and there are no parentheses. `=` and `!=` compare any cell, `<`, `<=`, `>` and `>=`
numbers, and `~` asks whether a text holds another, in any case. Of a list of texts one is enough.
A value with blanks or signs of the language stands in quotes. Numbers may have a unit where the
column is a time (`1ms`) and be a percentage where it is a share (`3%`); `null` is a missing cell.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

from msgspec import Struct

from kernelmap.errors import UsageError
from kernelmap.options import nanoseconds
from kernelmap.suggestions import one_of
from kernelmap.tables.rows import Cell, Columns
from kernelmap.tables.table import Column, Table, Type, Unit

_PARTS = re.compile(
    r"""\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'"""
    r"""|(?P<sign>==|!=|<=|>=|<|>|=|~)|(?P<word>[^\s"'<>=!~]+))"""
)
_ORDERS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_LONG = 4  # parts: column, comparison, value, and what joins it with the next condition
_NULL = "null"
_EXAMPLE = "Write it as `time_ns>1ms and confidence=exact`, a value with blanks in quotes."
Test = Callable[[Cell], bool]


class _Kind(StrEnum):
    """What a part of the text is."""

    WORD = "word"
    SIGN = "sign"
    QUOTED = "quoted"


class _Part(NamedTuple):
    text: str
    kind: _Kind


class Condition(Struct, frozen=True):
    """One comparison: a column, a sign of the language, and the value as it was written."""

    column: str
    sign: str
    value: str
    is_quoted: bool


class Where(Struct, frozen=True):
    """A condition as it was written, and what it means: one of `any_of`, all of its conditions."""

    text: str
    any_of: tuple[tuple[Condition, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it asks for."""
        return tuple(dict.fromkeys(each.column for each in chain.from_iterable(self.any_of)))

    def test_rows(self, table: Table, columns: Columns) -> list[bool]:
        """Per row whether it is meant; `columns` are at least those it asks for.

        Raises UsageError for a column that the table does not have, and for a value that no cell of
        the column can be compared with.
        """
        require_columns(self.columns, table)
        # Per condition a list with an answer per row; a row is meant where all conditions of one
        # alternative hold.
        alternatives = [
            [
                list(map(_make_test(each, table.by_name[each.column]), columns[each.column]))
                for each in conditions
            ]
            for conditions in self.any_of
        ]
        holds = [[all(row) for row in zip(*each, strict=True)] for each in alternatives]
        return [any(row) for row in zip(*holds, strict=True)]


def parse_where(text: str) -> Where:
    """What a text of the language means; raises UsageError where it is none."""
    parts = list(_split_text(text))
    any_of: list[list[Condition]] = [[]]
    for start in range(0, len(parts), _LONG):
        # A condition has three parts; a fourth joins it with the next one.
        shape = [part.kind is _Kind.SIGN for part in parts[start : start + 3]]
        if shape != [False, True, False]:
            rest = " ".join(part.text for part in parts[start:])
            raise _not_understood(text, f"`{rest}` is no column, comparison and value")
        column, sign, value = parts[start : start + 3]
        is_quoted = value.kind is _Kind.QUOTED
        plain_sign = "=" if sign.text == "==" else sign.text
        any_of[-1].append(Condition(column.text, plain_sign, value.text, is_quoted))
        joint = [part.text.lower() for part in parts[start + 3 : start + 5]]
        if joint and (joint[0] not in ("and", "or") or len(joint) == 1):
            raise _not_understood(
                text, f"`{joint[0]}` is neither `and` nor `or` before a condition"
            )
        if joint and joint[0] == "or":
            any_of.append([])
    if not parts:
        raise _not_understood(text, "it is empty")
    return Where(text, tuple(map(tuple, any_of)))


def require_columns(names: Sequence[str], table: Table) -> None:
    """Raise UsageError for the first name that no column of the table has."""
    for name in names:
        if name not in table.by_name:
            raise UsageError(
                "unknown-column",
                f"the table {table.name!r} has no column {name!r}",
                one_of(name, table.by_name, "Columns"),
            )


def quote_value(text: str) -> str | None:
    """A text as a value of the language; None where no quotes can hold it.

    >>> quote_value("model.py:12"), quote_value("null"), quote_value(chr(34) + chr(39))
    ('"model.py:12"', '"null"', None)
    """
    return next((f"{sign}{text}{sign}" for sign in "\"'" if sign not in text), None)


def _split_text(text: str) -> Iterator[_Part]:
    """The parts of a text, in order."""
    place, whole = 0, text.rstrip()
    while place < len(whole):
        found = _PARTS.match(whole, place)
        if found is None:
            raise _not_understood(text, f"`{whole[place:].strip()}` begins with a stray sign")
        group = str(found.lastgroup)
        yield _Part(found[group], _Kind.QUOTED if group in ("double", "single") else _Kind(group))
        place = found.end()


def _make_test(condition: Condition, column: Column) -> Test:
    """What tells of a cell of `column` whether the condition holds."""
    sign, value = condition.sign, condition.value
    is_missing = value == _NULL and not condition.is_quoted
    if is_missing and sign in ("=", "!="):
        return (lambda cell: cell is None) if sign == "=" else (lambda cell: cell is not None)
    if column.type in (Type.INT, Type.FLOAT):
        return _test_number(condition, column)
    if sign in _ORDERS:
        raise _not_comparable(condition, "holds texts: compare it with =, != or ~ (holds)")
    if sign == "~":
        low = value.casefold()
        return lambda cell: any(low in text.casefold() for text in _texts_of(cell))
    if sign == "=":
        return lambda cell: value in _texts_of(cell)
    return lambda cell: value not in _texts_of(cell)


def _test_number(condition: Condition, column: Column) -> Test:
    sign = condition.sign
    number = _number_of(condition, column)
    if sign == "=":
        return lambda cell: cell == number
    if sign == "!=":
        return lambda cell: cell != number
    if sign == "~":
        raise _not_comparable(condition, "holds numbers: compare it with =, !=, <, <=, > or >=")
    compare = _ORDERS[sign]
    return lambda cell: isinstance(cell, int | float) and compare(cell, number)


def _number_of(condition: Condition, column: Column) -> float:
    """The value as a number; a time may have a unit, a share be a percentage."""
    value = condition.value
    if column.unit is Unit.NS:
        try:
            return nanoseconds(value.lstrip("-")) * (-1 if value.startswith("-") else 1)
        except ValueError:
            pass  # a plain number, of nanoseconds
    is_percentage = column.unit is Unit.ONE and value.endswith("%")
    try:
        number = float(value.removesuffix("%")) / 100 if is_percentage else float(value)
        return int(value) if number.is_integer() and value.isdecimal() else number
    except ValueError:
        raise _not_comparable(condition, f"holds numbers, and {value!r} is none") from None


def _texts_of(cell: Cell) -> Sequence[str]:
    return cell if isinstance(cell, list) else () if cell is None else (str(cell),)


def _not_understood(text: str, reason: str) -> UsageError:
    return UsageError("unclear-condition", f"the condition {text!r}: {reason}", _EXAMPLE)


def _not_comparable(condition: Condition, reason: str) -> UsageError:
    shown = f"{condition.column}{condition.sign}{condition.value}"
    return UsageError("unclear-condition", f"{shown}: the column {reason}", _EXAMPLE)
