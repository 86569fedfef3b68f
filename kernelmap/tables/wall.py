"""The table of wall time: a row for each part, cause, host event and source line of a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from kernelmap.model import Trace
from kernelmap.model.trace import Int
from kernelmap.model.wall_time import PARTS, IdleCause, WallTimes
from kernelmap.tables.rows import Cell, Columns, escape_unsound

_Words: TypeAlias = Sequence[str | None]


def columns_of_wall(times: WallTimes, trace: Trace) -> Columns:
    """The columns of the rows of all steps, device by device."""
    # The length of each step, as the sum of its rows; (steps,).
    whole_ns = np.zeros(len(times.steps), dtype=np.int64)
    np.add.at(whole_ns, times.step, times.time_ns)
    parts = tuple(part.value for part in PARTS)
    causes: _Words = (*(cause.word for cause in IdleCause), None)  # the last is that of -1
    texts: _Words = (*times.texts, None)
    # By device, by the begin of the step, then by time, longest first. Equal times are ordered by
    # part, cause, event and source line as texts.
    order = np.lexsort(
        (
            *(_rank_words(texts)[column] for column in (times.source, times.what)),
            *(_rank_words(causes)[times.cause], _rank_words(parts)[times.part], -times.time_ns),
            _int_array([it.start_ns for it in times.steps])[times.step],
            _int_array([it.device for it in times.steps])[times.step],
        )
    )
    step, time_ns = times.step[order], times.time_ns[order]
    step_ns = whole_ns[step]
    processes = [trace.processes[it.process] for it in times.steps]
    texts = _escape_texts(texts)
    return {
        "rank": _take_cells([it.rank for it in processes], step),
        "pid": _take_cells(_escape_texts([it.pid for it in processes]), step),
        "device": _take_cells([it.id if it.id >= 0 else None for it in times.steps], step),
        "step": _take_cells([it.step for it in times.steps], step),
        "part": _take_cells(parts, times.part[order]),
        "cause": _take_cells(causes, times.cause[order]),
        "what": _take_cells(texts, times.what[order]),
        "source": _take_cells(texts, times.source[order]),
        "stretches": times.stretches[order].tolist(),
        "time_ns": time_ns.tolist(),
        "step_ns": step_ns.tolist(),
        "share": (time_ns / step_ns).tolist(),
        "longest_ns": times.longest_ns[order].tolist(),
        "longest_start_ns": (times.longest_start_ns[order] - trace.origin_ns).tolist(),
    }


def _escape_texts(texts: _Words) -> _Words:
    return [None if text is None else escape_unsound(text) for text in texts]


def _take_cells(cells: Sequence[Cell], rows: Int) -> list[Cell]:
    """The cell at each position; -1 is the last."""
    return [cells[row] for row in rows.tolist()]


def _rank_words(words: _Words) -> Int:
    """The place of each word among all, without a word as the empty one; (words,)."""
    places = {word: at for at, word in enumerate(sorted({word or "" for word in words}))}
    return _int_array([places[word or ""] for word in words])


def _int_array(numbers: Sequence[int]) -> Int:
    return np.array(numbers, dtype=np.int64)
