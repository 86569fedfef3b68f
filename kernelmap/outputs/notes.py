"""Notes below a table: what a person should know and no table can say.

A note is a title with a few lines. `compilations` makes them of the rows of the table of graphs:
which functions were compiled again, and why; which graphs ended early, and where.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from rich.text import Text

from kernelmap.model.notices import count
from kernelmap.outputs.text import duration, visible
from kernelmap.views.frames import Row, whole

_NARROWEST = 40


@dataclass(frozen=True, slots=True)
class Note:
    """A title, and lines with their depth, from 1."""

    title: str
    lines: tuple[tuple[int, str], ...]


def note_lines(note: Note, width: int) -> list[Text]:
    """An empty line, the title, and its lines, each broken where it does not fit."""
    lines = [Text(), Text(note.title, "bold")]
    for depth, text in note.lines:
        indent = " " * (2 * depth)
        wrapped = textwrap.wrap(
            visible(text),
            max(width, _NARROWEST),
            initial_indent=indent,
            subsequent_indent=f"{indent}  ",
        )
        lines += [Text(line, "" if depth == 1 else "dim") for line in wrapped]
    return lines


def place(source: object) -> str:
    """`model.py:17` of a whole path.

    >>> place("/home/me/model.py:17")
    'model.py:17'
    """
    return PurePath(str(source).replace("\\", "/")).name


def compilations(rows: Sequence[Row]) -> list[Note]:
    """What the log says of recompilations and of graph breaks; nothing where it says nothing."""
    again, breaks = tuple(_again(rows)), tuple(_breaks(rows))
    notes = []
    if again:
        notes.append(Note("Compiled more than once", again))
    if breaks:
        notes.append(Note("Graph breaks", breaks))
    return notes


def _again(rows: Sequence[Row]) -> Iterator[tuple[int, str]]:
    """Per function its compilations in order, with what each costs and what made it necessary."""
    functions: dict[tuple[object, object], list[Row]] = defaultdict(list)
    for row in rows:
        if whole(row, "compilations") > 1:
            functions[row["function"], row["source"]].append(row)
    for (function, source), compiled in functions.items():
        number = max(whole(row, "compilations") for row in compiled)
        yield 1, f"{function} ({place(source)}): {count(number, 'compilation')}"
        by_number: dict[int, list[Row]] = defaultdict(list)
        for row in compiled:
            by_number[whole(row, "compilation")].append(row)
        for _, graphs in sorted(by_number.items()):
            yield 2, f"{_id(graphs)}  {_cost(graphs)}"
            guard = next((row["failed_guard"] for row in graphs if row["failed_guard"]), None)
            if guard is not None:
                yield 3, f"because this did not hold: {guard}"


def _cost(graphs: Sequence[Row]) -> str:
    """`forward 12 runs of 8.1 µs, backward 12 runs of 20.3 µs`."""
    parts = []
    for row in sorted(graphs, key=lambda row: row["kind"] == "backward"):
        mean = row["mean_ns"]
        runs = count(whole(row, "invocations"), "run")
        ran = f"{runs} of {duration(mean)}" if isinstance(mean, int) else "not seen to run"
        parts.append(f"{row['kind'] or row['graph']} {ran}")
    return ", ".join(parts)


def _breaks(rows: Sequence[Row]) -> Iterator[tuple[int, str]]:
    compile_ids: dict[tuple[object, str], list[str]] = defaultdict(list)
    for row in rows:
        texts = row["graph_breaks"]
        for text in texts if isinstance(texts, list) else ():
            ids = compile_ids[row["function"], text]
            if str(row["compile_id"]) not in ids:
                ids.append(str(row["compile_id"]))
    for (function, text), ids in compile_ids.items():
        where, colon, reason = text.partition(": ")
        named = f"{function} ({', '.join(sorted(ids))})" if function else ", ".join(sorted(ids))
        yield 1, f"{named} at {place(where)}{colon}{reason}"


def _id(graphs: Sequence[Row]) -> str:
    return ", ".join(dict.fromkeys(str(row["compile_id"]) for row in graphs))
