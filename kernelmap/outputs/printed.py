"""What the debug printer left, for a terminal, as JSON or as Markdown.

Takes a LeftOver, gives text: what a log proves, a row per argument that it tells values of, and a
row per saved file.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from kernelmap.matching.printed.launches import PrintedLaunch
from kernelmap.matching.printed.values import ValueRow
from kernelmap.model.notices import count
from kernelmap.outputs import json_answer
from kernelmap.outputs.layout import Part, draw
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
_NARROWEST = 60
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
        lines += [line for text in sentences(left, left.log) for line in _bullet(text, width)]
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


def dumps(left: LeftOver) -> str:
    """All of it as one JSON object; numbers that JSON lacks (NaN, Inf) become texts."""
    value = {
        "format": "kernelmap.printed",
        "version": 1,
        "log": _log(left, left.log) if left.log is not None else None,
        "files": None if left.files is None else [_file(left, each) for each in left.files],
        "notices": left.notices,
    }
    return json_answer.dumps(value)


def _bullet(text: str, width: int) -> Iterator[Text]:
    """A sentence of a list, broken where it does not fit."""
    lines = textwrap.wrap(
        visible(text),
        max(width, _NARROWEST),
        initial_indent="  · ",
        subsequent_indent="    ",
        break_on_hyphens=False,
        break_long_words=False,
    )
    yield from map(Text, lines)


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


def _log(left: LeftOver, log: LogStory) -> Mapping[str, object]:
    end, bad = log.end, log.first_bad
    return {
        "path": str(log.path),
        "levels": log.levels,
        "launches": log.launches,
        "runs": log.runs,
        "kernels": dict(log.heard),
        "story": sentences(left, log),
        "first_bad": bad
        and {
            **{name: getattr(bad, name) for name in ("bad", "kernel", "argument", "when")},
            "calls": _named(left, bad.calls),
            "run": bad.run,
            "line": bad.line,
            "suspects": _named(left, bad.suspects),
        },
        "end": end
        and {
            **{name: getattr(end, name) for name in ("kind", "kernel", "ordered", "run", "line")},
            "calls": [_about(left, at) for at in end.calls],
            "unfinished": end.unfinished,
            "next": None if end.next is None else _named(left, (end.next,))[0],
            "silent": _named(left, end.silent),
            "unheard": _named(left, end.unheard),
        },
        "tail": [
            {
                "calls": _named(left, each.calls),
                "kernel": each.kernel,
                "run": each.run,
                "line": each.line,
                "returned": each.returned,
            }
            for each in log.tail
        ],
        "values": [_row(left, row) for row in log.values],
    }


def _row(left: LeftOver, row: ValueRow) -> Mapping[str, object]:
    last = row.last
    return {
        "calls": _named(left, row.calls),
        **{name: getattr(row, name) for name in ("kernel", "argument", "when", "times")},
        **{name: getattr(last, name) for name in ("shape", "dtype", "elements", "device")},
        **{name: _json(getattr(row, name)) for name in ("low", "high")},
        "mean": _json(last.mean),
        "bad": row.bad,
        "bad_run": row.bad_run,
        "unset": row.unset,
    }


def _file(left: LeftOver, each: SavedFile) -> Mapping[str, object]:
    return {
        "path": str(each.file.path),
        "bytes": each.file.size,
        "when": each.file.when,
        "calls": [_about(left, at) for at in each.name.calls],
        **{name: getattr(each.name, name) for name in ("kernel", "argument", "device")},
        "tensor": each.found,
        "refused": each.refused,
    }


def _about(left: LeftOver, at: int) -> Mapping[str, object]:
    graph, call = left.program.calls[at]
    return {
        "call": graph.call_id(call),
        "wrapper": call.wrapper,
        "ops": left.ops[at],
        "lines": left.lines[at],
    }


def _named(left: LeftOver, calls: Sequence[int]) -> list[str]:
    return [graph.call_id(call) for graph, call in (left.program.calls[at] for at in calls)]


def _json(value: float | None) -> float | str | None:
    """JSON has no NaN and no Inf; nothing is null that was printed."""
    return value if value is None or abs(value) < float("inf") else str(value)
