"""Recordings of a few lines, as an editor gets them, and the text that they were recorded from."""

from __future__ import annotations

from collections.abc import Sequence

from kernelmap.editors.recorded import CallOfLines, HowSure, RecordedLine, RecordedLines

FILE = "/recorded/model.py"
EXACT = HowSure(confidence="exact", why="a host range names the call", launches=3, time_ns=300)


def line(
    number: int | None,
    code: str | None,
    *,
    file: str = FILE,
    time_ns: int = 300,
    function_line: int | None = None,
    evidence: tuple[HowSure, ...] | None = (EXACT,),
) -> RecordedLine:
    """A line with 300 ns of forward, all of it exact."""
    return RecordedLine(
        file=file,
        line=number,
        code=code,
        function_line=function_line,
        time_ns=time_ns,
        forward_ns=time_ns,
        backward_ns=0,
        involved_ns=time_ns,
        share=0.1,
        launches=3,
        bytes=None,
        flops=None,
        share_of_limit=None,
        bound=None,
        headroom_ns=None,
        noted_ns=None,
        calls=(),
        evidence=evidence,
    )


def recording(
    *lines: RecordedLine,
    steps: tuple[int, int] | None = (4, 6),
    step_count: int | None = 3,
    calls: tuple[CallOfLines, ...] = (),
    gaps: tuple[str, ...] = (),
) -> RecordedLines:
    """A recording of these lines, in three steps."""
    return RecordedLines(
        name="bundle",
        again="kernelmap correlate --open bundle",
        side="gpu",
        devices=("Tiny GPU",),
        steps=steps,
        step_count=step_count,
        total_ns=3000,
        coverage={"exact": 0.7, "inferred": 0.0, "outside": 0.3},
        gaps=gaps,
        lines=lines,
        calls=calls,
    )


def of_text(text: str, numbers: Sequence[int]) -> list[RecordedLine]:
    """The lines of a text at these numbers, from 1, as a recording of it has them."""
    lines = text.split("\n")
    return [line(number, lines[number - 1].strip()) for number in numbers]
