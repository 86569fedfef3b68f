"""Recorded lines in a text → what an editor shows: hints at the ends of lines, hovers, lenses.

Takes a recording and the lines that places.py found, gives records without any word of a protocol.
Times are per step where steps are known, and say so; a hover has the sums of the window as well,
which are those of `correlate --by line`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath

from msgspec import Struct

from kernelmap.editors.places import LineState, PlacedLine, place_lines
from kernelmap.editors.recorded import CallOfLines, HowSure, RecordedLine, RecordedLines
from kernelmap.model import Confidence
from kernelmap.model.notices import format_count
from kernelmap.pages.page import CellKind, Note, Page, PageColumn, PageRow, PageTable, Points
from kernelmap.pages.text import (
    format_bytes,
    format_duration,
    format_percent,
    format_rate,
    make_visible,
)

_CALLS = 6  # of a hover: more are read in the report
_EXACT, _OUTSIDE = Confidence.EXACT.name.lower(), Confidence.OUTSIDE.name.lower()
_SHOWN = (LineState.SAME, LineState.EDITED, LineState.FUNCTION)


class LineHint(Struct, frozen=True, kw_only=True):
    """A text behind the end of line `at`, counted from 0, and what pointing at it shows."""

    at: int
    text: str
    about: str


class FileLens(Struct, frozen=True):
    """A text above the first line of a file."""

    text: str


class OpenFile(Struct, frozen=True, kw_only=True):
    """A file in an editor, and the lines that the recording has of it.

    `name` is the recorded file. `is_newer`: it was written, or edited, after the recording.
    """

    recording: RecordedLines
    name: str
    lines: tuple[PlacedLine, ...]
    is_newer: bool


def open_file(
    recording: RecordedLines,
    path: Path,
    text: str,
    *,
    folders: Mapping[str, str] | None = None,
    is_newer: bool = False,
) -> OpenFile | None:
    """What the recording has of a file; None where it has nothing that is sure to be of it.

    `folders` says where folders of the recording lie here. Without that, a file that is recorded
    under a path that this machine does not have is the one of its name if all its lines are in it.
    """
    here = _resolve(path)
    for name in recording.files:
        if here in (_resolve(Path(it)) for it in (name, *_map_folders(name, folders or {}))):
            lines = place_lines(_lines_in(recording, name), text)
            return OpenFile(recording=recording, name=name, lines=lines, is_newer=is_newer)
    guess = _guess_file(recording.files, here)
    if guess is None:
        return None
    lines = place_lines(_lines_in(recording, guess), text)
    states = {line.state for line in lines if line.line.code is not None}
    if LineState.SAME not in states or not states <= {LineState.SAME, LineState.FUNCTION}:
        return None
    return OpenFile(recording=recording, name=guess, lines=lines, is_newer=is_newer)


def hints_of(file: OpenFile) -> tuple[LineHint, ...]:
    """A hint for each line that has time and a place, from the top of the file.

    None where the recording cannot bear figures: its lens says why.
    """
    if file.recording.refused is not None:
        return ()
    shown = [
        (line.at, line)
        for line in file.lines
        if line.at is not None and line.state in _SHOWN and line.line.total_ns
    ]
    return tuple(
        LineHint(at=at, text=_say_hint(file, line), about=_say_window(file.recording, line.line))
        for at, line in sorted(shown, key=lambda pair: pair[0])
    )


def hover_of(file: OpenFile, at: int) -> Page | None:
    """What the recording says of the line `at`, counted from 0; None where it says nothing."""
    found = [line for line in file.lines if line.at == at and line.state in _SHOWN]
    if not found or file.recording.refused is not None:
        return None
    recording, line = file.recording, found[0].line
    calls = [recording.calls[place] for place in line.calls]
    lines = [(1, text) for text in _say_figures(recording, line)]
    sure = [(1, text) for text in _say_evidence(recording, line)]
    doubts = [(text,) for text in _say_doubts(file, found[0])]
    return Page(
        title="",
        name=_say_time(recording, line),
        sections=(
            *([Note(lines=tuple(doubts), ours=True)] if doubts else []),
            Points("", tuple(lines)),
            *([_table_of_calls(calls)] if calls else []),
            Points("How sure, of all calls that it is part of", tuple(sure)),
        ),
    )


def lenses_of(file: OpenFile) -> tuple[FileLens, ...]:
    """What stands above a file: the recording, the file's part of it, and what is not shown."""
    recording = file.recording
    if recording.refused is not None:
        text = f"kernelmap: {recording.name} is refused: {recording.refused}"
        return (FileLens(make_visible(text)),)
    here_ns = sum(line.line.total_ns for line in file.lines)
    of = f"{format_duration(here_ns)} of {format_duration(recording.total_ns)}"
    window = f"{of} {recording.side.upper()} time{_in_steps(recording)}"
    gaps = [format_count(len(recording.gaps), "gap")] if recording.gaps else []
    parts = [make_visible(recording.name), window, _say_coverage(recording.coverage), *gaps]
    texts = [f"kernelmap: {' · '.join(parts)}"]
    missing = [
        line
        for line in file.lines
        if line.state not in _SHOWN and line.line.total_ns and line.line.number is not None
    ]
    if missing:
        lost_ns = sum(line.line.total_ns for line in missing)
        texts.append(
            f"{format_count(len(missing), 'line')} with {format_duration(lost_ns)} recorded on"
            " another version of this file: not shown"
        )
    return tuple(map(FileLens, texts))


def _say_hint(file: OpenFile, placed: PlacedLine) -> str:
    line = placed.line
    parts = [_say_time(file.recording, line), format_percent(line.share)]
    if line.headroom_ns is not None:
        parts.append(f"{format_duration(_per_step(file.recording, line.headroom_ns))} headroom")
    if line.bytes is not None:
        parts.append(format_bytes(round(_per_step(file.recording, line.bytes))))
    parts += filter(None, [_say_weakest(line)])
    text = " · ".join(filter(None, parts))
    if placed.state is LineState.EDITED:
        return f"recorded on another version of this line: {text}"
    if placed.state is LineState.FUNCTION:
        # Of a function the recording has no text that could be compared.
        return f"{text} · recorded before this file changed" if file.is_newer else text
    return text


def _say_weakest(line: RecordedLine) -> str | None:
    """What is less than exact of a line in a word; None where all of it is."""
    words = [confidence.name.lower() for confidence in Confidence]
    sure = {part.confidence for part in line.evidence or ()}
    if line.noted_ns:
        return "in part by torch's word" if line.noted_ns < line.total_ns else "by torch's word"
    weakest = max(sure, key=words.index, default=_EXACT)
    if weakest == _EXACT:
        return None
    said = "outside compiled code" if weakest == _OUTSIDE else weakest
    return said if len(sure) == 1 else f"in part {said}"


def _say_time(recording: RecordedLines, line: RecordedLine) -> str:
    """`172.3 µs/step`; without steps the time in the window."""
    time = format_duration(_per_step(recording, line.total_ns))
    return time if recording.step_count is None else f"{time}/step"


def _per_step(recording: RecordedLines, amount: int) -> float:
    return amount / (recording.step_count or 1)


def _in_steps(recording: RecordedLines) -> str:
    """` in steps 4 to 6`; nothing without steps."""
    if recording.steps is None:
        return ""
    first, last = recording.steps
    named = f"step {first}" if first == last else f"steps {first} to {last}"
    count = recording.step_count
    # Some of the steps between may not be counted.
    some = "" if count in (None, last - first + 1) else f", {format_count(count or 0, 'step')}"
    return f" in {named}{some}"


def _say_window(recording: RecordedLines, line: RecordedLine) -> str:
    time, share = format_duration(line.total_ns), format_percent(line.share)
    return f"{time}{_in_steps(recording)}, {share} of all {recording.side.upper()} time"


def _say_figures(recording: RecordedLines, line: RecordedLine) -> Iterable[str]:
    yield _say_window(recording, line)
    if line.backward_ns:
        # What ran eagerly and in no backward has no direction.
        forward_ns = line.time_ns if line.forward_ns is None else line.forward_ns
        parts = {"forward": forward_ns, "backward": line.backward_ns}
        parts["without a direction"] = line.time_ns - forward_ns
        yield ", ".join(f"{word} {format_duration(ns)}" for word, ns in parts.items() if ns)
    if line.involved_ns > line.total_ns:
        yield f"at most {format_duration(line.involved_ns)}: all calls that it is part of, whole"
    if line.headroom_ns is not None:
        limit = f", {format_percent(line.share_of_limit)} of limit" if line.share_of_limit else ""
        bound = f", bound by {line.bound}" if line.bound else ""
        yield f"headroom at most {format_duration(line.headroom_ns)}{limit}{bound}"
    work = [f"{format_bytes(line.bytes)} moved"] if line.bytes is not None else []
    if line.flops:
        work.append(f"{format_rate(line.flops / 10**9)} GFLOP")
    if work:
        yield ", ".join(work)
    yield ", ".join(filter(None, [format_count(line.launches, "launch"), *recording.devices]))


def _say_evidence(recording: RecordedLines, line: RecordedLine) -> Iterable[str]:
    if line.evidence is None:
        yield "the run was kept without its launches, so how sure this line is does not stand in it"
    for part in line.evidence or ():
        time = format_duration(part.time_ns)
        yield f"{part.confidence}: {format_count(part.launches, 'launch')}, {time}: {part.why}"
    if line.noted_ns:
        time = format_duration(line.noted_ns)
        yield f"{time} of it only torch's own tools name this line for; that proves nothing"
    yield f"the window: {_say_coverage(recording.coverage)}"
    yield from recording.gaps


def _say_doubts(file: OpenFile, placed: PlacedLine) -> Iterable[str]:
    """What speaks against taking the line for the recorded one, in kernelmap's own words."""
    if placed.state is LineState.EDITED:
        yield "Recorded on another version of this line."
    if placed.state is LineState.FUNCTION:
        yield "The whole function: which statement of it ran, no profile says."
        if file.is_newer:
            yield "The file has changed since the recording, which has no text of the function."
    if placed.has_moved:
        yield f"Recorded as line {placed.line.line}."


def _table_of_calls(calls: Sequence[CallOfLines]) -> PageTable:
    rows = [
        PageRow(
            cells=(
                call.call,
                call.wrapper,
                format_duration(call.time_ns),
                format_percent(call.share),
                f"{call.launches:,}",
                "" if call.lines <= 1 else f"{call.lines}",
                _say_sure(call.evidence),
            )
        )
        for call in calls[:_CALLS]
    ]
    more = len(calls) - len(rows)
    return PageTable(
        title="",
        columns=(
            PageColumn(name="call", kind=CellKind.ID),
            PageColumn(name="kernel", kind=CellKind.NAME),
            PageColumn(name="time", kind=CellKind.NUMBER),
            PageColumn(name="share", kind=CellKind.NUMBER),
            PageColumn(name="launches", kind=CellKind.NUMBER),
            PageColumn(name="lines", kind=CellKind.NUMBER),
            PageColumn(
                name="confidence",
                kind=CellKind.WORD,
                about=f"{format_count(more, 'more call')} with less time" if more else None,
            ),
        ),
        rows=tuple(rows),
    ).filled


def _say_sure(evidence: Sequence[HowSure]) -> str:
    return ", ".join(dict.fromkeys(part.confidence for part in evidence))


def _say_coverage(coverage: Mapping[str, float]) -> str:
    """`70.1 % exact + 29.9 % outside`: the ledger that all figures stand on."""
    return " + ".join(f"{format_percent(part)} {word}" for word, part in coverage.items() if part)


def _lines_in(recording: RecordedLines, name: str) -> list[RecordedLine]:
    return [line for line in recording.lines if line.file == name]


def _resolve(path: Path) -> Path:
    """The path without links; as it is where the machine cannot follow it."""
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        return path


def _map_folders(name: str, folders: Mapping[str, str]) -> list[str]:
    """Where a recorded file lies here, by each folder that is mapped."""
    return [
        os.path.join(to, PurePath(name).relative_to(start))  # noqa: PTH118 -- `to` may be no path of here
        for start, to in folders.items()
        if PurePath(name).is_relative_to(start)
    ]


def _guess_file(names: Iterable[str], here: Path) -> str | None:
    """The recorded file that shares most of the end of its path with `here`, if only one does.

    One that this machine has under its recorded path is that file, and no other.
    """
    shared = {
        name: _shared_end(PurePath(name.replace("\\", "/")), here)
        for name in names
        if not Path(name).exists()
    }
    most = max(shared.values(), default=0)
    best = [name for name, count in shared.items() if count == most]
    return best[0] if most and len(best) == 1 else None


def _shared_end(recorded: PurePath, here: PurePath) -> int:
    """How many parts at the ends of two paths are the same."""
    pairs = zip(reversed(recorded.parts), reversed(here.parts), strict=False)
    return next((count for count, (one, other) in enumerate(pairs) if one != other), 0)
