"""Which line of a text is which line of a recording: in place, moved, changed, or not to be told.

A line is the recorded one where its text still stands at its number. One that stands elsewhere is
taken for it in two cases. Either all lines that the recording has of the file are still in it, in
their order and without a second place where one may be. Or the editor told of every edit since the
lines were found: `follow_edit`. Else nobody can know: an equal line may be another statement that
never ran.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.editors.recorded import RecordedLine

_NEWLINE = re.compile(r"\r\n|\r|\n")


class LineState(StrEnum):
    """What is known of a recorded line in a text of now."""

    SAME = "same"  # its text stands where it is placed
    EDITED = "edited"  # it was followed through edits, and one of them changed its text
    LOST = "lost"  # where it is, or whether it is there, nobody can tell
    UNCHECKED = "unchecked"  # the recording does not have its text
    FUNCTION = "function"  # a function of that name begins there; its body the recording lacks


class PlacedLine(Struct, frozen=True, kw_only=True):
    """A recorded line, and where it is now: `at` counts from 0, None where that is not known.

    `other` is where else it may be after an edit inside of it, until its text is looked up.
    """

    line: RecordedLine
    at: int | None
    state: LineState
    other: int | None = None

    @property
    def has_moved(self) -> bool:
        """Whether it stands at another number than it was recorded at."""
        return self.at is not None and self.line.line is not None and self.at != self.line.line - 1


class LineEdit(Struct, frozen=True, kw_only=True):
    """What an editor replaced: from a place to a place, by a text; lines and characters from 0."""

    start: int
    start_character: int
    end: int
    end_character: int
    text: str


def split_lines(text: str) -> list[str]:
    r"""The lines as editors and Python count them: no other character ends a line.

    >>> split_lines("a\fb\r\nc")
    ['a\x0cb', 'c']
    """
    return _NEWLINE.split(text)


def place_lines(recorded: Sequence[RecordedLine], text: str) -> tuple[PlacedLine, ...]:
    """The lines that a recording has of one file, in a text of which nothing else is known."""
    lines = split_lines(text)
    stripped = [line.strip() for line in lines]
    functions = _find_functions(text) if any(line.line is None for line in recorded) else {}
    moved = _find_moved(recorded, stripped)
    return tuple(_place_line(line, stripped, functions, moved) for line in recorded)


def follow_edit(placed: Sequence[PlacedLine], edit: LineEdit) -> tuple[PlacedLine, ...]:
    """The same lines after one edit: only where they may be; `check_followed` looks them up."""
    followed = []
    for line in placed:
        places = [it for at in (line.at, line.other) for it in _follow(at, edit)]
        first, second, *_ = *places, None, None
        followed.append(replace(line, at=first, other=second))
    return tuple(followed)


def check_followed(placed: Sequence[PlacedLine], text: str) -> tuple[PlacedLine, ...]:
    """Lines that were followed through edits, with what stands there in the text of now.

    Where every line stands at the number it was recorded at, edits were taken back: that counts.
    """
    found = place_lines([line.line for line in placed], text)
    if all(line.state is LineState.SAME and not line.has_moved for line in found):
        return found
    stripped = [line.strip() for line in split_lines(text)]
    return tuple(_check_line(line, stripped) for line in placed)


def _check_line(placed: PlacedLine, stripped: Sequence[str]) -> PlacedLine:
    places = [at for at in (placed.at, placed.other) if at is not None and at < len(stripped)]
    if not places:
        unchecked = placed.state is LineState.UNCHECKED
        lost = LineState.UNCHECKED if unchecked else LineState.LOST
        return replace(placed, at=None, other=None, state=lost)
    same = [at for at in places if _is_text_of(placed.line, stripped[at])]
    is_function = placed.line.line is None
    state = LineState.FUNCTION if is_function else LineState.SAME
    if not same:
        state = LineState.LOST if is_function else LineState.EDITED
    return replace(placed, at=(same or places)[0], other=None, state=state)


def _is_text_of(line: RecordedLine, stripped: str) -> bool:
    """Whether a text is that of the line, or begins the function of that name."""
    if line.line is not None:
        return line.code is not None and stripped == line.code.strip()
    name = re.escape(str(line.code).removeprefix("in "))
    return re.match(rf"(async\s+)?def\s+{name}\b", stripped) is not None


def _place_line(
    line: RecordedLine,
    stripped: Sequence[str],
    functions: dict[tuple[str, int], int],
    moved: dict[int, int],
) -> PlacedLine:
    if line.line is None:
        at = functions.get((str(line.code).removeprefix("in "), line.function_line or 0))
        state = LineState.LOST if at is None else LineState.FUNCTION
        return PlacedLine(line=line, at=at, state=state)
    if line.code is None:
        return PlacedLine(line=line, at=None, state=LineState.UNCHECKED)
    at = line.line - 1
    if at < len(stripped) and stripped[at] == line.code.strip():
        return PlacedLine(line=line, at=at, state=LineState.SAME)
    found = moved.get(line.line)
    state = LineState.LOST if found is None else LineState.SAME
    return PlacedLine(line=line, at=found, state=state)


def _find_moved(recorded: Sequence[RecordedLine], stripped: Sequence[str]) -> dict[int, int]:
    """By recorded number where its line is now; empty unless all of them are there beyond doubt.

    A text that stands once in the file and once in the recording is found by itself. Any other has
    to have moved as far as the nearest of those before or behind it.
    """
    known = sorted(
        (line.line, line.code.strip())
        for line in recorded
        if line.line is not None and line.code is not None
    )
    now, then = Counter(stripped), Counter(code for _, code in known)
    alone = {
        number: stripped.index(code) for number, code in known if now[code] == 1 and then[code] == 1
    }
    found: dict[int, int] = {}
    for number, code in known:
        before = max((it for it in alone if it <= number), default=None)
        behind = min((it for it in alone if it >= number), default=None)
        shifted = {number + alone[it] - it for it in (before, behind) if it is not None}
        places = [at for at in shifted if 0 <= at < len(stripped) and stripped[at] == code]
        if len(places) != 1:
            return {}
        found[number] = places[0]
    in_order = [found[number] for number, _ in known]
    return found if all(one < other for one, other in pairwise(in_order)) else {}


def _find_functions(text: str) -> dict[tuple[str, int], int]:
    """By name and the line where it begins, its first decorator, the line of `def`, from 0.

    Of a text that Python cannot read there are none.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return {
        (node.name, min([node.lineno, *(it.lineno for it in node.decorator_list)])): node.lineno - 1
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _follow(at: int | None, edit: LineEdit) -> list[int]:
    """Where a line may be after an edit; nowhere where all of it was taken away."""
    if at is None:
        return []
    if at < edit.start:
        return [at]
    added = len(split_lines(edit.text)) - 1
    if at > edit.end:
        return [at + added - (edit.end - edit.start)]
    # What stood before the edit in its first line is still there, what stood behind it in its last
    # line comes after the new text.
    head = [at] if at == edit.start and edit.start_character > 0 else []
    tail = [edit.start + added] if at == edit.end else []
    return list(dict.fromkeys([*head, *tail]))
