"""The table of wall time: a row for each part, cause, host event and source line of a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from kernelmap.model import Trace
from kernelmap.model.trace import Int
from kernelmap.views.rows import Cell, Columns, sound
from kernelmap.wall.records import PARTS, Cause, WallTimes

_Words: TypeAlias = Sequence[str | None]


def wall(times: WallTimes, trace: Trace) -> Columns:
    """The columns of the rows of all steps, device by device."""
    # The length of each step, as the sum of its rows; (steps,).
    whole_ns = np.zeros(len(times.steps), dtype=np.int64)
    np.add.at(whole_ns, times.step, times.time_ns)
    parts = tuple(part.value for part in PARTS)
    causes: _Words = (*(cause.word for cause in Cause), None)  # the last is that of -1
    texts: _Words = (*times.texts, None)
    # By device, by the begin of the step, then by time, longest first. Equal times are ordered by
    # part, cause, event and source line as texts.
    order = np.lexsort(
        (
            *(_rank(texts)[column] for column in (times.source, times.what)),
            *(_rank(causes)[times.cause], _rank(parts)[times.part], -times.time_ns),
            _column([it.start_ns for it in times.steps])[times.step],
            _column([it.device for it in times.steps])[times.step],
        )
    )
    step, time_ns = times.step[order], times.time_ns[order]
    step_ns = whole_ns[step]
    processes = [trace.processes[it.process] for it in times.steps]
    texts = _sound(texts)
    return {
        "rank": _taken([it.rank for it in processes], step),
        "pid": _taken(_sound([it.pid for it in processes]), step),
        "device": _taken([it.id if it.id >= 0 else None for it in times.steps], step),
        "step": _taken([it.step for it in times.steps], step),
        "part": _taken(parts, times.part[order]),
        "cause": _taken(causes, times.cause[order]),
        "what": _taken(texts, times.what[order]),
        "source": _taken(texts, times.source[order]),
        "stretches": times.stretches[order].tolist(),
        "time_ns": time_ns.tolist(),
        "step_ns": step_ns.tolist(),
        "share": (time_ns / step_ns).tolist(),
        "longest_ns": times.longest_ns[order].tolist(),
        "longest_start_ns": (times.longest_start_ns[order] - trace.origin_ns).tolist(),
    }


def _sound(texts: _Words) -> _Words:
    return [None if text is None else sound(text) for text in texts]


def _taken(cells: Sequence[Cell], rows: Int) -> list[Cell]:
    """The cell at each position; -1 is the last."""
    return [cells[row] for row in rows.tolist()]


def _rank(words: _Words) -> Int:
    """The place of each word among all, without a word as the empty one; (words,)."""
    places = {word: at for at, word in enumerate(sorted({word or "" for word in words}))}
    return _column([places[word or ""] for word in words])


def _column(numbers: Sequence[int]) -> Int:
    return np.array(numbers, dtype=np.int64)
