"""Which questions follow from the rows of a table, each with the command that answers it.

Takes the rows shown and a way to write commands with the same inputs. A row leads to the calls
behind it, a call to its evidence; all lead to what the steps could save.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from kernelmap.tables.rows import Row, name_of_line
from kernelmap.tables.rows_document import Question
from kernelmap.tables.where import quote_value

Again = Callable[..., str | None]
"""The command line that asks some words of the same inputs; None where those cannot be asked it."""

Words = tuple[str, ...]

_CALLS_OF: Mapping[str, tuple[str, str]] = {
    "op": ("ops", "name"),
    "kernel": ("wrapper", "wrapper"),
    "graph": ("graph", "graph"),
    "node": ("nodes", "name"),
}
"""By the word of --by: the column of calls that names such a row, and the row's own column."""


def next_questions(by: str, rows: Iterable[Row], again: Again) -> tuple[Question, ...]:
    """What is worth asking after `rows` of the table of `by`."""
    of_rows = (question for row in rows for question in _of_row(by, row))
    return questions_of((*islice(of_rows, 1), *_of_window(by)), again)


def questions_of(asked: Iterable[tuple[str, Words]], again: Again) -> tuple[Question, ...]:
    """Questions with the words of their commands as commands, as far as they can be asked."""
    commands = ((ask, again(*words)) for ask, words in asked)
    return tuple(Question(ask=ask, command=line) for ask, line in commands if line is not None)


def _of_row(by: str, row: Row) -> Iterator[tuple[str, Words]]:
    """What is behind one row; nothing is behind a rest row."""
    if by in ("call", "launch"):
        target = row.get(by)
        if target is not None:
            yield "what shows that it is so, of the first row", ("explain", str(target))
        return
    name, column = _name_of_row(by, row), _CALLS_OF.get(by, ("source", ""))[0]
    quoted = None if name is None else quote_value(name)
    if quoted is not None:
        condition = f"{column}={quoted}"
        yield (
            "which calls the first row with a name has",
            ("correlate", "--by", "call", "--where", condition, "--format", "json"),
        )


def _name_of_row(by: str, row: Row) -> str | None:
    """How calls name a row; None of rest rows, and where calls do not name such rows."""
    name: object = None
    if by in _CALLS_OF:
        name = row.get(_CALLS_OF[by][1])
    elif by == "line" and row.get("line") is not None:
        name = name_of_line(row)
    return name if isinstance(name, str) and not name.startswith("(") else None


def _of_window(by: str) -> Iterator[tuple[str, Words]]:
    """What is asked of every window."""
    if by != "line":
        words = ("--by", "line", "--format", "json", "--top", "10")
        yield "which source lines take most", ("correlate", *words)
    yield "what could be saved, and what the recording lacks", ("doctor", "--format", "json")
