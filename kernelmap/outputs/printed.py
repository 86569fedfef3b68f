"""What the debug printer left, for a terminal or as Markdown.

Takes a LeftOver, gives text: what a log proves, a row per argument that it tells values of, and a
row per saved file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from kernelmap.matching.printed.launches import PrintedLaunch
from kernelmap.matching.printed.values import ValueRow
from kernelmap.model.notices import count
from kernelmap.outputs.layout import Part, draw, wrapped
from kernelmap.outputs.markdown import code, line
from kernelmap.outputs.printed_words import head, sentences
from kernelmap.outputs.text import visible

if TYPE_CHECKING:  # what was left knows the pipeline, which lies above
    from kernelmap.printing import LeftOver, LogStory, SavedFile

_Columns = Sequence[str]
_Rows = Sequence[Sequence[str]]

_VALUES = ("call", "kernel", "when", "argument", "shape", "dtype", "min", "max", "mean", "note")
_FILES = ("call", "kernel", "when", "argument")
_LOADED = ("shape", "dtype", "min", "max", "mean", "NaN", "Inf")
_LAUNCHES = ("last launches", "kernel", "run", "log line", "came back")
_RIGHT = {"min", "max", "mean", "NaN", "Inf", "bytes", "run", "log line"}
_LEAST: Mapping[str, tuple[int, int]] = {  # least width, and rank in which columns give way
    "kernel": (20, 0),
    "file": (24, 2),
    "dtype": (7, 3),
    "shape": (12, 4),
}


def render(left: LeftOver, width: int) -> Text:
    """The log's story and its values, then the files, in `width` characters."""
    lines: list[Text] = []
    if left.log is not None:
        lines += [Text(visible(head(left.log)), "bold"), Text()]
        for text in sentences(left, left.log):
            lines += map(Text, wrapped(visible(text), width, first="  · ", then="    "))
        for columns, rows, dim in _log_tables(left, left.log):
            lines += [Text(), *_drawn(columns, rows, width, dim)]
    if left.files is not None:
        lines += [Text()] if lines else []
        lines += [Text(_heading(left.files), "bold"), Text()]
        columns, rows = _file_table(left)
        lines += _drawn(columns, rows, width, [False] * len(rows)) if rows else []
    return Text("\n").join([*lines, Text()])


def markdown(left: LeftOver) -> str:
    """The same as lists and tables."""
    lines: list[str] = []
    if left.log is not None:
        lines += [f"### {code(head(left.log))}", ""]
        lines += [f"- {code(text)}" for text in sentences(left, left.log)]
        for columns, rows, _ in _log_tables(left, left.log):
            lines += ["", *_marked(columns, rows)]
        lines.append("")
    if left.files is not None:
        columns, rows = _file_table(left)
        lines += [f"### {_heading(left.files)}", "", *_marked(columns, rows), ""]
    return "\n".join(lines)


def _drawn(
    columns: Sequence[str], rows: Sequence[Sequence[str]], width: int, dim: Sequence[bool]
) -> list[Text]:
    parts = [
        Part(
            header=name,
            cells=[visible(row[at]) for row in rows],
            right=name in _RIGHT,
            least=_LEAST[name][0] if name in _LEAST else None,
            rank=_LEAST[name][1] if name in _LEAST else 0,
            style="bold" if name == "kernel" else "",
        )
        for at, name in enumerate(columns)
    ]
    return draw([part for part in parts if any(part.cells)], width, dim)


def _marked(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    marks = ["---:" if name in _RIGHT else "---" for name in columns]
    return [
        line(columns),
        line(marks),
        *(line([code(cell, empty="") for cell in row]) for row in rows),
    ]


def _log_tables(left: LeftOver, log: LogStory) -> Iterator[tuple[_Columns, _Rows, list[bool]]]:
    """The values, and where there are none the last launches; each with what stands back."""
    if log.values:
        dim = [row.unset for row in log.values]
        yield _VALUES, [_value(left, row) for row in log.values], dim
    elif log.tail:
        yield _LAUNCHES, [_launch(left, each) for each in log.tail], [False] * len(log.tail)


def _launch(left: LeftOver, each: PrintedLaunch) -> tuple[str, ...]:
    came_back = "yes" if each.returned else "no"
    where = (f"{each.run:,}", f"{each.line:,}")
    return (_ids(left, each.calls), each.kernel or "", *where, came_back)


def _value(left: LeftOver, row: ValueRow) -> tuple[str, ...]:
    last = row.last
    return (
        "inputs" if row.kernel is None else _ids(left, row.calls),
        row.kernel or "",
        row.when,
        row.argument,
        _shape(last.shape),
        last.dtype or "",
        *map(_number, (row.low, row.high, last.mean)),
        ", ".join(_notes(row)),
    )


def _notes(row: ValueRow) -> Iterator[str]:
    if row.unset:
        yield "unset"
    elif row.bad is not None:
        yield row.bad if row.times == 1 else f"{row.bad} from run {row.bad_run}"
    if row.times > 1:
        yield f"{row.times:,} times"


def _file_table(left: LeftOver) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    files = left.files or ()
    rows = []
    for each in files:
        known = (_ids(left, each.name.calls), each.name.kernel or "", each.file.when)
        facts = _facts(each) if left.loaded else (f"{each.file.size:,}",)
        rows.append((*known, each.name.argument or "", *facts, each.file.path.name))
    return (*_FILES, *(_LOADED if left.loaded else ("bytes",)), "file"), rows


def _facts(each: SavedFile) -> tuple[str, ...]:
    found = each.found
    if found is None:
        return ("refused", *("" for _ in _LOADED[1:]))
    numbers = map(_number, (found.low, found.high, found.mean))
    counted = ("" if number is None else f"{number:,}" for number in (found.nans, found.infs))
    return (_shape(found.shape), found.dtype, *numbers, *counted)


def _heading(files: Sequence[SavedFile]) -> str:
    calls = {each.name.calls for each in files if each.name.calls}
    return f"{count(len(files), 'saved tensor')} of {count(len(calls), 'call')}"


def _ids(left: LeftOver, calls: Sequence[int]) -> str:
    """The id of a call, or of all that it may be."""
    pairs = [left.program.calls[at] for at in calls]
    return " or ".join(graph.call_id(call) for graph, call in pairs) or "?"


def _shape(shape: tuple[int, ...] | None) -> str:
    """`4 x 16`; `scalar` for a tensor without dimensions."""
    return "" if shape is None else " x ".join(map(str, shape)) or "scalar"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
