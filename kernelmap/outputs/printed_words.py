"""What a log of the debug printer proves, in sentences: the first NaN, and where the log ends.

Takes a LeftOver, gives texts; the facts are those of matching/.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kernelmap.matching.printed.end import End, EndKind
from kernelmap.matching.printed.values import FirstBad
from kernelmap.model.notices import count
from kernelmap.model.printed import When
from kernelmap.outputs.told import place

if TYPE_CHECKING:  # what was left knows the pipeline, which lies above
    from kernelmap.printing import LeftOver, LogStory

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
    known = [op for op in left.ops[at] if op != left.program.calls[at][1].wrapper]
    if known:
        text += f", ops {_some(known)}"
    if left.lines[at]:
        text += f", line {_some(tuple(map(place, left.lines[at])))}"
    return text


def _values(left: LeftOver, log: LogStory) -> Iterator[str]:
    found = log.first_bad
    if found is not None:
        yield from _bad(left, found)
    elif 2 in log.levels:  # noqa: PLR2004 -- the level with values
        yield "no NaN and no Inf in what was printed"
    if any(row.unset and row.last.elements is not None for row in log.values):
        yield "values marked unset stood in memory before any call wrote there, and prove nothing"


def _bad(left: LeftOver, found: FirstBad) -> Iterator[str]:
    where = f"run {found.run}, line {found.line} of the log"
    if found.when is When.INPUT:
        yield f"{found.bad} came in with the model's input {found.argument} ({where})"
        return
    around = called(left, found.calls, found.kernel)
    if found.when is When.AFTER:
        yield f"the first call that turned {found.bad} is {around}: {found.argument} ({where})"
        yield "weights are never printed: one of theirs may be the reason"
    elif found.suspects:
        yield f"{found.bad} is first seen before {around}: {found.argument} ({where})"
        for at in found.suspects:
            yield f"it may come from {called(left, (at,))}"
    else:
        yield f"{found.bad} came in with {found.argument}, first seen before {around} ({where})"


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
