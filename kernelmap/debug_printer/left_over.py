"""What a run with the debug printer left → what it says, call by call.

Takes code, and a folder of saved tensors or a log, or both. A log is read as it comes. Files are
opened on request only, and only by torch with `weights_only=True`. Left out: files and launches of
kernels that were not asked for; the first NaN and the end of a log are those of the whole log.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from kernelmap.capture.tensors import require_torch, tensor_facts
from kernelmap.debug_printer.code import chosen_calls, read_code
from kernelmap.debug_printer.launches import End, PrintedLaunch, end_of, printed_launches
from kernelmap.debug_printer.log import PrinterLog, SavedTensor, saved_tensors
from kernelmap.debug_printer.names import PrinterNames, SavedName
from kernelmap.debug_printer.values import FirstBad, PrintedValues, ValueRow
from kernelmap.errors import KernelmapError
from kernelmap.model import CompiledProgram, Notice
from kernelmap.model.notices import format_count
from kernelmap.model.printed import TensorFacts, When

_NAMED = 5
_TAIL = 8


class SavedFile(Struct, frozen=True, kw_only=True):
    """A saved tensor, what its name says, and what is in it or why that was not looked at.

    `facts` and `refused` are None where the file was not opened.
    """

    file: SavedTensor
    name: SavedName
    facts: TensorFacts | None = None
    refused: str | None = None


class LogStory(Struct, frozen=True, kw_only=True):
    """What one log says.

    `levels` are those of its lines, `heard` counts launches by kernel, `tail` are the last ones.
    `stuck` are the first of those that never came back although the log goes on.
    """

    path: Path
    levels: tuple[int, ...]
    launches: int
    runs: int
    heard: tuple[tuple[str, int], ...]
    tail: tuple[PrintedLaunch, ...]
    stuck: tuple[PrintedLaunch, ...]
    values: tuple[ValueRow, ...]
    first_bad: FirstBad | None
    end: End | None


class LeftOver(Struct, frozen=True, kw_only=True):
    """Files and log of a run; `ops` and `lines` are parallel to `program.calls`."""

    program: CompiledProgram
    ops: tuple[tuple[str, ...], ...]
    lines: tuple[tuple[str, ...], ...]
    files: tuple[SavedFile, ...] | None
    log: LogStory | None
    notices: tuple[Notice, ...]

    @property
    def loaded(self) -> bool:
        """Whether the files were opened."""
        return any(file.facts or file.refused for file in self.files or ())


def read_left_over(
    *sources: Path,
    saved: Path | None = None,
    log: Path | None = None,
    kernels: Sequence[str] = (),
    load: bool = False,
) -> LeftOver:
    """Read `saved` and `log` of a run of the code among `sources`.

    Raises KernelmapError where one of them holds nothing of the printer, and with `load` where this
    Python has no torch.
    """
    code = read_code(sources)
    # Positions of the calls that were asked for; None for all.
    wanted = frozenset(chosen_calls(code, kernels)) if kernels else None
    names = PrinterNames(code.program)
    files = _order_files(saved, names, wanted, load=load) if saved is not None else None
    story = _read_story(log, names, wanted) if log is not None else None
    return LeftOver(
        program=code.program,
        ops=tuple(division.ops for division in code.divisions),
        lines=code.lines,
        files=files,
        log=story,
        notices=(*code.notices, *_of_files(files or ()), *_of_log(story, names)),
    )


def _order_files(
    saved: Path, names: PrinterNames, wanted: frozenset[int] | None, *, load: bool
) -> tuple[SavedFile, ...]:
    """The files in the order of the code; those of unknown kernels last."""
    if load:
        require_torch()
    files = [SavedFile(file=file, name=names.saved(file.named)) for file in saved_tensors(saved)]
    kept = [file for file in files if wanted is None or not wanted.isdisjoint(file.name.calls)]

    def place(saved: SavedFile) -> tuple[object, ...]:
        # In the order of the code: by call, before and after its launch, then by argument.
        at = saved.name.calls[0] if saved.name.calls else len(names.program.calls)
        argument = names.place(at, saved.name.argument) if saved.name.calls else 0
        return (at, saved.file.when is When.AFTER, argument, saved.file.path.name)

    ordered = sorted(kept, key=place)
    return tuple(_open_saved(file) for file in ordered) if load else tuple(ordered)


def _open_saved(saved: SavedFile) -> SavedFile:
    facts = tensor_facts(saved.file.path)
    if isinstance(facts, str):
        return SavedFile(file=saved.file, name=saved.name, refused=facts)
    return SavedFile(file=saved.file, name=saved.name, facts=facts)


def _read_story(path: Path, names: PrinterNames, wanted: frozenset[int] | None) -> LogStory:
    log = PrinterLog(path)
    values = PrintedValues(names)
    heard: dict[str, int] = {}
    levels: set[int] = set()
    stuck: list[PrintedLaunch] = []
    tail: deque[PrintedLaunch] = deque(maxlen=_TAIL)
    for launch in printed_launches(map(names.read, log), names):
        values.add_launch(launch)
        levels.add(launch.said[0].level)
        if launch.kernel is not None:
            heard[launch.kernel] = heard.get(launch.kernel, 0) + 1
        # The launch before never came back, and yet the log goes on.
        if tail and tail[-1].began and not tail[-1].returned and len(stuck) < _NAMED:
            stuck.append(tail[-1])
        tail.append(launch)
    if not tail:
        raise KernelmapError(
            "printer-log-silent",
            f"{path} holds no line of the debug printer",
            "Give the standard output of a run of a model that was compiled with the printer."
            " What was still in a buffer when a program died is lost: run it without, by python -u"
            " or stdbuf -oL.",
        )
    rows = values.iter_rows()
    # Only the values are narrowed; how the log ends is told of all of it.
    if wanted is not None:
        rows = tuple(row for row in rows if not wanted.isdisjoint(row.calls))
    return LogStory(
        path=path,
        levels=tuple(sorted(levels)),
        launches=sum(heard.values()),
        runs=tail[-1].run,
        heard=tuple(heard.items()),
        tail=tuple(launch for launch in tail if launch.kernel is not None),
        stuck=tuple(stuck),
        values=rows,
        first_bad=values.first_bad,
        end=end_of(tail[-1], heard, log.unfinished, names),
    )


def _of_files(files: Sequence[SavedFile]) -> Iterator[Notice]:
    refused = [file for file in files if file.refused is not None]
    for file in refused[:_NAMED]:
        yield Notice(
            slug="printer-file-refused",
            message=f"{file.file.path} was not loaded: {file.refused}.",
            hint="The debug printer saves plain tensors; this file is from elsewhere, or damaged.",
            gap=True,
        )
    if len(refused) > _NAMED:
        yield Notice(
            slug="printer-file-refused",
            message=f"{format_count(len(refused) - _NAMED, 'more file')} were not loaded.",
            gap=True,
        )
    unknown = [file.file.path.name for file in files if not file.name.calls]
    if unknown:
        yield Notice(
            slug="printer-unknown-kernel",
            message=f"{format_count(len(unknown), 'file')} of kernels that the code does not "
            f"call, such as {unknown[0]}.",
            hint="Give the code of the package that was run with the printer.",
            gap=True,
        )


def _of_log(story: LogStory | None, names: PrinterNames) -> Iterator[Notice]:
    if story is None:
        return
    unknown = [kernel for kernel, _ in story.heard if not names.has_kernel(kernel)]
    if unknown:
        yield Notice(
            slug="printer-unknown-kernel",
            message=f"The log names {format_count(len(unknown), 'kernel')} that the code does not "
            f"call, such as {unknown[0]}.",
            hint="Give the code of the package that was run with the printer.",
            gap=True,
        )
    if story.stuck:
        first = story.stuck[0]
        yield Notice(
            slug="printer-log-mixed",
            message=f"{first.kernel} began in line {first.line} of the log and never came back,"
            " but the log goes on.",
            hint="It failed and the program went on, or the log holds the output of several"
            " processes or threads: give that of one.",
            gap=True,
        )
