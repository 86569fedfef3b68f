"""What to set for the debug printer, and what it has left, as pages.

Of a log: what it proves (the first NaN, and where it ends) in sentences, and a row per argument
whose values it prints; of a folder: a row per saved file. The facts are those of matching/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace
from rich.text import Text

from kernelmap.commands import command, input_word
from kernelmap.debug_printer.chosen import Chosen, Settings
from kernelmap.debug_printer.launches import End, EndKind, PrintedLaunch
from kernelmap.debug_printer.left_over import LeftOver, LogStory, SavedFile
from kernelmap.debug_printer.values import FirstBad, ValueRow
from kernelmap.model.notices import format_count, join_some
from kernelmap.model.printed import When
from kernelmap.pages.page import (
    CellKind,
    CodeBlock,
    Note,
    Page,
    PageColumn,
    PageRow,
    PageTable,
    Points,
    Section,
)
from kernelmap.pages.render.terminal import render_section
from kernelmap.pages.text import format_place

_VALUES = ("call", "kernel", "when", "argument", "shape", "dtype", "min", "max", "mean", "note")
_FILES = ("call", "kernel", "when", "argument")
_LOADED = ("shape", "dtype", "min", "max", "mean", "NaN", "Inf")
_LAUNCHES = ("last launches", "kernel", "run", "log line", "came back")
_SOME = 4  # names
_NUMBERS = {"min", "max", "mean", "NaN", "Inf", "bytes", "run", "log line"}
_LEAST: Mapping[str, tuple[int, int]] = {  # least width, and rank in which columns give way
    "kernel": (20, 0),
    "file": (24, 2),
    "dtype": (7, 0),
    "shape": (12, 0),
}
_SAVES, _NAMES = 1, 3  # levels of the printer
_WHAT = {
    1: "saves the tensors around every launch into ./tmp of the folder in which the model runs",
    2: "prints the values of tensors around every launch, and of the model's inputs",
    3: "prints the name of every kernel before and after its launch",
}
_COMPILE = "Set while the model is compiled: a package that exists does not read it."
_CALLS = (
    PageColumn(name="call", kind=CellKind.ID),
    PageColumn(name="wrapper", kind=CellKind.NAME, least=26),
    PageColumn(name="printed as", least=20, rank=1),
    PageColumn(name="original ops", kind=CellKind.LIST, least=18, rank=2),
    PageColumn(name="lines", kind=CellKind.LIST, least=18, rank=3),
)


def _say_next(settings: Settings, inputs: Sequence[Path]) -> str:
    """What to do once the model has run: the command that reads what the printer left."""
    words = ("inspect", *map(input_word, inputs))
    if settings.level == _SAVES:
        return f"Then, in that folder: {command(*words, '--printed', 'tmp', '--load')}"
    reads = command(*words, "--printed", "run.log")
    if settings.level == _NAMES:
        return (
            "Then run it without buffers (python -u, or stdbuf -oL), or the last lines are lost"
            f" when it dies, with its output in run.log; and: {reads}"
        )
    return f"Then, with the program's output in run.log: {reads}"


def script_of_settings(settings: Settings, width: int, inputs: Sequence[Path] = ()) -> Text:
    """A script for a shell: what the level does, the calls as a table, the assignments.

    All but the assignments are comments, so that it can be copied as a whole, or evaluated.
    """
    lines = [f"Level {settings.level} {_WHAT[settings.level]}.", _COMPILE, ""]
    calls = _table_of_calls(settings.chosen)
    if calls.columns[-1].name == "lines":  # in a comment there is no room for paths
        rows = tuple(replace(row, cells=row.cells[:-1]) for row in calls.rows)
        calls = replace(calls, columns=calls.columns[:-1], rows=rows)
    lines += [line.plain for line in render_section(calls, width - 2)]
    texts = [Text(f"# {line}".rstrip(), "dim") for line in lines]
    texts += [Text(f"export {assignment}", "bold") for assignment in settings.assignments]
    texts.append(Text(f"# {_say_next(settings, inputs)}", "dim"))
    return Text("\n").join([*texts, Text()])


def settings_page(settings: Settings, inputs: Sequence[Path] = ()) -> Page:
    """What the level does, the assignments as code, the calls as a table."""
    return Page(
        title=f"Debug printer, level {settings.level}",
        sections=(
            Note(lines=((f"It {_WHAT[settings.level]}. {_COMPILE}",),), ours=True),
            CodeBlock(tuple(f"export {assignment}" for assignment in settings.assignments)),
            _table_of_calls(settings.chosen),
            Note(lines=((_say_next(settings, inputs),),)),
        ),
    )


def _table_of_calls(chosen: Sequence[Chosen]) -> PageTable:
    """The calls with what the printer calls them, where that differs from the wrapper."""
    rows = tuple(
        PageRow(
            cells=(
                call.call,
                call.wrapper,
                _say_names(call),
                ", ".join(call.ops),
                ", ".join(call.lines),
            )
        )
        for call in chosen
    )
    return PageTable(title="", columns=_CALLS, rows=rows).filled


def _say_names(call: Chosen) -> str:
    if not call.names:
        return "(never)"
    return "" if call.names == (call.wrapper,) else " or ".join(call.names)


def page_of_left_over(left: LeftOver) -> Page:
    """The log's story and its values, then the files."""
    sections: list[Section] = []
    if left.log is not None:
        story = tuple((1, text) for text in sentences(left, left.log))
        sections += [Points(head(left.log), story), *_log_tables(left, left.log)]
    if left.files is not None:
        sections += [Note(title=_heading_of_files(left.files), lines=()), _file_table(left)]
    return Page(title="", sections=tuple(sections))


def _aligned_table(names: Sequence[str], rows: Sequence[PageRow]) -> PageTable:
    """A table whose columns are aligned, cut and left out by their names."""
    columns = []
    for name in names:
        least, rank = _LEAST.get(name, (None, 0))
        kind = (
            CellKind.NAME
            if name == "kernel"
            else CellKind.NUMBER
            if name in _NUMBERS
            else CellKind.TEXT
        )
        columns.append(PageColumn(name=name, kind=kind, least=least, rank=rank))
    return PageTable(title="", columns=tuple(columns), rows=tuple(rows)).filled


def _log_tables(left: LeftOver, log: LogStory) -> list[PageTable]:
    """The values, and where there are none the last launches; what is unset stands back."""
    if log.values:
        rows = [PageRow(cells=_cells_of_value(left, row), dim=row.unset) for row in log.values]
        return [_aligned_table(_VALUES, rows)]
    # No table at all where the log has no launches.
    return [
        _aligned_table(
            _LAUNCHES, [PageRow(cells=_cells_of_launch(left, launch)) for launch in log.tail]
        )
    ][: len(log.tail)]


def _cells_of_launch(left: LeftOver, launch: PrintedLaunch) -> tuple[str, ...]:
    came_back = "yes" if launch.returned else "no"
    where = (f"{launch.run:,}", f"{launch.line:,}")
    return (_say_ids(left, launch.calls), launch.kernel or "", *where, came_back)


def _cells_of_value(left: LeftOver, row: ValueRow) -> tuple[str, ...]:
    last = row.last
    return (
        "inputs" if row.kernel is None else _say_ids(left, row.calls),
        row.kernel or "",
        row.when,
        row.argument,
        _say_shape(last.shape),
        last.dtype or "",
        *map(_say_number, (row.low, row.high, last.mean)),
        ", ".join(_iter_notes(row)),
    )


def _iter_notes(row: ValueRow) -> Iterator[str]:
    if row.unset:
        yield "unset"
    elif row.bad is not None:
        yield row.bad if row.times == 1 else f"{row.bad} from run {row.bad_run}"
    if row.times > 1:
        yield f"{row.times:,} times"


def _file_table(left: LeftOver) -> PageTable:
    rows = []
    for saved in left.files or ():
        facts = _cells_of_facts(saved) if left.loaded else (f"{saved.file.size:,}",)
        named = (_say_ids(left, saved.name.calls), saved.name.kernel or "", saved.file.when)
        cells = (*named, saved.name.argument or "", *facts, saved.file.path.name)
        rows.append(PageRow(cells=cells))
    return _aligned_table((*_FILES, *(_LOADED if left.loaded else ("bytes",)), "file"), rows)


def _cells_of_facts(saved: SavedFile) -> tuple[str, ...]:
    tensor = saved.facts
    if tensor is None:
        return ("refused", *("" for _ in _LOADED[1:]))
    numbers = map(_say_number, (tensor.low, tensor.high, tensor.mean))
    counted = ("" if number is None else f"{number:,}" for number in (tensor.nans, tensor.infs))
    return (_say_shape(tensor.shape), tensor.dtype, *numbers, *counted)


def _heading_of_files(files: Sequence[SavedFile]) -> str:
    calls = {file.name.calls for file in files if file.name.calls}
    return f"{format_count(len(files), 'saved tensor')} of {format_count(len(calls), 'call')}"


def _say_ids(left: LeftOver, calls: Sequence[int]) -> str:
    """The id of a call, or of all that it may be."""
    pairs = [left.program.calls[at] for at in calls]
    return " or ".join(graph.call_id(call) for graph, call in pairs) or "?"


def _say_shape(shape: tuple[int, ...] | None) -> str:
    """`4 x 16`; `scalar` for a tensor without dimensions."""
    return "" if shape is None else " x ".join(map(str, shape)) or "scalar"


def _say_number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def head(log: LogStory) -> str:
    """`run.log: level 3, 18 launches of 17 kernels in 1 run`."""
    levels = " and ".join(map(str, log.levels))
    kernels = format_count(len(log.heard), "kernel")
    return (
        f"{log.path}: level {levels}, {format_count(log.launches, 'launch')} of {kernels}"
        f" in {format_count(log.runs, 'run')}"
    )


def sentences(left: LeftOver, log: LogStory) -> tuple[str, ...]:
    """All that the log proves, and what it cannot know."""
    return (*_values(left, log), *(_end(left, log.end) if log.end else ()))


def called(left: LeftOver, calls: Sequence[int], kernel: str | None = None) -> str:
    """`call model/1 (cpp_fused_gelu_0), ops aten.gelu, line model.py:7`."""
    if not calls:
        return f"{kernel}, which the code does not call"
    ids = [left.program.call_id(at) for at in calls]
    wrapper = kernel or left.program.calls[calls[0]][1].wrapper
    if len(ids) > 1:
        return f"one of the calls {join_some(ids, _SOME)} ({wrapper})"
    (at,) = calls
    text = f"call {ids[0]} ({wrapper})"
    # An op that is the call's own name is not said twice.
    ops = [op for op in left.ops[at] if op != left.program.calls[at][1].wrapper]
    if ops:
        text += f", ops {join_some(ops, _SOME)}"
    if left.lines[at]:
        text += f", line {join_some(tuple(map(format_place, left.lines[at])), _SOME)}"
    return text


def _values(left: LeftOver, log: LogStory) -> Iterator[str]:
    bad = log.first_bad
    if bad is not None:
        yield from _bad(left, bad)
    # Other levels print no values, so they cannot show that there is none.
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
        # What was in a buffer when the program died is lost, so it may have come further.
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
        silent = [
            f"{left.program.call_id(at)} {left.program.calls[at][1].wrapper}" for at in end.silent
        ]
        yield f"after it the printer is silent about {join_some(silent, _SOME)}"
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
        unheard = [left.program.call_id(at) for at in end.unheard]
        yield (
            f"the log never speaks of {format_count(len(unheard), 'call')} "
            f"({join_some(unheard, _SOME)}): a"
            " filter, a branch that was not taken, or a call that the printer leaves out"
        )
