"""A recording and the names of its baseline → what a gate says of the times."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from kernelmap.history.compare.baselines import baseline_of
from kernelmap.history.compare.choosing_baseline import BaselineChoice, open_baseline
from kernelmap.history.compare.comparison import Comparison, compare_sides
from kernelmap.history.compare.gate import Verdict, judge_comparison
from kernelmap.history.compare.gate_limits import GateLimits
from kernelmap.history.compare.opening import Opened, open_inputs
from kernelmap.model import Notice


class JudgedTimes(Struct, frozen=True, kw_only=True):
    """A comparison with its verdict, and what the recordings behind it could not tell.

    `passed_over` says which runs are no part of the baseline, and why; `notices` are those of each
    recording, by its title; `files` are those that were read.
    """

    comparison: Comparison
    verdict: Verdict
    passed_over: tuple[str, ...]
    notices: tuple[tuple[str, Sequence[Notice]], ...]
    files: tuple[Path, ...]


def judge_times(inputs: Sequence[Path], choice: BaselineChoice, limits: GateLimits) -> JudgedTimes:
    """The recording of `inputs` held against its baseline; raises as reading them does."""
    new = open_inputs(inputs, store=choice.store, options=choice.options)
    older, passed_over = open_baseline(choice, new)
    comparison, verdict = judge_recording(new, older, limits)
    recordings = (*older, new)
    return JudgedTimes(
        comparison=comparison,
        verdict=verdict,
        passed_over=passed_over,
        notices=tuple((recording.side.title, recording.notices) for recording in recordings),
        files=tuple(path for recording in recordings for path in recording.files),
    )


def judge_recording(
    new: Opened, older: Sequence[Opened], limits: GateLimits
) -> tuple[Comparison, Verdict]:
    """The comparison of a recording with its baseline of one or more, and the verdict on it."""
    base = baseline_of(older)
    comparison = compare_sides(base.side, new.side, floor=base.floor)
    return comparison, judge_comparison(comparison, limits, base.words)
