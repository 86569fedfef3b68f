"""Which functions were compiled again, and why; which graphs ended early, and where.

Takes the rows of the table of graphs, gives points to stand below it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from kernelmap.model.notices import count
from kernelmap.present.page import Points
from kernelmap.present.text import duration
from kernelmap.views.frames import Row, whole


def place(source: object) -> str:
    """`model.py:17` of a whole path.

    >>> place("/home/me/model.py:17")
    'model.py:17'
    """
    return PurePath(str(source).replace("\\", "/")).name


def compilations(rows: Sequence[Row]) -> list[Points]:
    """What the log says of recompilations and of graph breaks; nothing where it says nothing."""
    again, breaks = tuple(_again(rows)), tuple(_breaks(rows))
    notes = []
    if again:
        notes.append(Points("Compiled more than once", again))
    if breaks:
        notes.append(Points("Graph breaks", breaks))
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
