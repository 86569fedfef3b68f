"""What the debug printer left, for a terminal or as Markdown.

Takes a LeftOver, gives text: what a log proves (the first NaN, and where the log ends) in
sentences, a row per argument whose values it prints, and a row per saved file. The facts are those
of matching/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from kernelmap.matching.printed.launches import End, EndKind, PrintedLaunch
from kernelmap.matching.printed.values import FirstBad, ValueRow
from kernelmap.model.notices import count
from kernelmap.model.printed import When
from kernelmap.outputs.layout import Part, draw, wrapped
from kernelmap.outputs.markdown import code, line
from kernelmap.present.notes import place
from kernelmap.present.text import visible

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


def _launch(left: LeftOver, launch: PrintedLaunch) -> tuple[str, ...]:
    came_back = "yes" if launch.returned else "no"
    where = (f"{launch.run:,}", f"{launch.line:,}")
    return (_ids(left, launch.calls), launch.kernel or "", *where, came_back)


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
    for saved in files:
        known = (_ids(left, saved.name.calls), saved.name.kernel or "", saved.file.when)
        facts = _facts(saved) if left.loaded else (f"{saved.file.size:,}",)
        rows.append((*known, saved.name.argument or "", *facts, saved.file.path.name))
    return (*_FILES, *(_LOADED if left.loaded else ("bytes",)), "file"), rows


def _facts(saved: SavedFile) -> tuple[str, ...]:
    tensor = saved.found
    if tensor is None:
        return ("refused", *("" for _ in _LOADED[1:]))
    numbers = map(_number, (tensor.low, tensor.high, tensor.mean))
    counted = ("" if number is None else f"{number:,}" for number in (tensor.nans, tensor.infs))
    return (_shape(tensor.shape), tensor.dtype, *numbers, *counted)


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


_SHOWN = 4


def head(log: LogStory) -> str:
    """`run.log: level 3, 18 launches of 17 kernels in 1 run`."""
    levels = " and ".join(map(str, log.levels))
    kernels = count(len(log.heard), "kernel")
    return (
        f"{log.path}: level {levels}, {count(log.launches, 'launch')} of {kernels}"
        f" in {count(log.runs, 'run')}"
    )


def sentences(left: LeftOver, log: LogStory) -> tuple[str, ...]:
    """All that the log proves, and what it cannot know."""
    return (*_values(left, log), *(_end(left, log.end) if log.end else ()))


def called(left: LeftOver, calls: Sequence[int], kernel: str | None = None) -> str:
    """`call model/1 (cpp_fused_gelu_0), ops aten.gelu, line model.py:7`."""
    if not calls:
        return f"{kernel}, which the code does not call"
    ids = [_id(left, at) for at in calls]
    wrapper = kernel or left.program.calls[calls[0]][1].wrapper
    if len(ids) > 1:
        return f"one of the calls {_some(ids)} ({wrapper})"
    (at,) = calls
    text = f"call {ids[0]} ({wrapper})"
    ops = [op for op in left.ops[at] if op != left.program.calls[at][1].wrapper]
    if ops:
        text += f", ops {_some(ops)}"
    if left.lines[at]:
        text += f", line {_some(tuple(map(place, left.lines[at])))}"
    return text


def _values(left: LeftOver, log: LogStory) -> Iterator[str]:
    bad = log.first_bad
    if bad is not None:
        yield from _bad(left, bad)
    elif 2 in log.levels:  # noqa: PLR2004 -- the level with values
        yield "no NaN and no Inf in what was printed"
    if any(row.unset and row.last.elements is not None for row in log.values):
        yield "values marked unset stood in memory before any call wrote there, and prove nothing"


def _bad(left: LeftOver, bad: FirstBad) -> Iterator[str]:
    where = f"run {bad.run}, line {bad.line} of the log"
    if bad.when is When.INPUT:
        yield f"{bad.bad} came in with the model's input {bad.argument} ({where})"
        return
    around = called(left, bad.calls, bad.kernel)
    if bad.when is When.AFTER:
        yield f"the first call that turned {bad.bad} is {around}: {bad.argument} ({where})"
        yield "weights are never printed: one of theirs may be the reason"
    elif bad.suspects:
        yield f"{bad.bad} is first seen before {around}: {bad.argument} ({where})"
        for at in bad.suspects:
            yield f"it may come from {called(left, (at,))}"
    else:
        yield f"{bad.bad} came in with {bad.argument}, first seen before {around} ({where})"


def _end(left: LeftOver, end: End) -> Iterator[str]:
    last = called(left, end.calls, end.kernel)
    where = f"run {end.run}, line {end.line} of the log"
    if end.kind is EndKind.INSIDE:
        later = " or later" if end.unfinished else ""
        yield f"it died in {last}{later}: it began ({where}), and no line says that it came back"
    elif end.kind is EndKind.COMPLETE:
        how = "after the last launch that is printed" if end.silent else "normally: the last launch"
        yield f"the log ends {how}, {last}, came back ({where})"
    else:
        yield f"the log ends after {last} came back ({where})"
        if end.next is not None:
            yield (
                f"the next that the printer speaks of, {called(left, (end.next,))}, did not begin:"
                " it died between the two, or the log was cut"
            )
    if end.silent and end.kind is not EndKind.INSIDE:
        silent = [f"{_id(left, at)} {left.program.calls[at][1].wrapper}" for at in end.silent]
        yield f"after it the printer is silent about {_some(silent)}"
    if end.ordered:
        yield "several calls run this kernel; their order tells which one it was"
    if end.unfinished:
        yield (
            "the log breaks off within a line, so output was written in blocks and its end is lost;"
            " run it without buffers: python -u, or stdbuf -oL"
        )
    if end.gpu and end.kind is not EndKind.COMPLETE:
        yield (
            "a GPU runs kernels after their launch came back, so one that was launched before may"
            " be to blame; with CUDA_LAUNCH_BLOCKING=1 the last one is"
        )
    if end.unheard:
        unheard = [_id(left, at) for at in end.unheard]
        yield (
            f"the log never speaks of {count(len(unheard), 'call')} ({_some(unheard)}): a filter,"
            " a branch that was not taken, or a call that the printer leaves out"
        )


def _id(left: LeftOver, at: int) -> str:
    graph, call = left.program.calls[at]
    return graph.call_id(call)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
