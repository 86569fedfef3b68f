"""A recording and the names of its baseline, as a command has them → what a gate says of times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.history.compare.gate.baselines import (
    Newest,
    baseline_of,
    device_of_side,
    newest_runs,
)
from kernelmap.history.compare.gate.findings import GateLimits
from kernelmap.history.compare.gate.verdict import Verdict, judge_comparison
from kernelmap.history.compare.numbers.comparison import Comparison, compare_sides
from kernelmap.history.compare.sides.opening import Opened, SideOrigin, open_inputs, open_side
from kernelmap.history.store.checkout import find_checkout
from kernelmap.model import Notice
from kernelmap.options import Options


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


class BaselineChoice(Struct, frozen=True, kw_only=True):
    """What a recording is to be held against: files and runs by `names`, or runs of a series.

    With `last` each name is a branch, of which that many of the newest runs are taken, those that
    bear `tags`. `forked` is the commit at which the branch of the recording left the main one.
    `store` is what --store names, `options` are for what has to be correlated first.
    """

    names: tuple[str, ...]
    last: int | None = None
    tags: Mapping[str, str] = {}
    forked: str | None = None
    store: str | None = None
    options: Options | None = None


def open_baseline(choice: BaselineChoice, new: Opened) -> tuple[list[Opened], tuple[str, ...]]:
    """The recordings for the baseline of `new`, and what to say of runs that were passed over."""
    if choice.last is None:
        return [
            open_side(name, store=choice.store, options=choice.options) for name in choice.names
        ], ()
    branches = _newest_of_each_branch(choice, choice.last, new)
    runs = [run for branch in branches for run in branch.ids]
    passed_over = tuple(text for branch in branches for text in branch.passed)
    return [open_side(run, store=choice.store, options=choice.options) for run in runs], passed_over


def _newest_of_each_branch(choice: BaselineChoice, last: int, new: Opened) -> list[Newest]:
    device, origin = device_of_side(new.side), _origin(new, choice.forked)
    return [
        newest_runs(branch, last, store=choice.store, tags=choice.tags, device=device, of=origin)
        for branch in choice.names
    ]


def _origin(new: Opened, forked: str | None) -> SideOrigin:
    """Where a recording comes from: as its run says, else the checkout that one stands in."""
    if new.origin is not None:
        return replace(new.origin, forked=forked or new.origin.forked)
    here = find_checkout(Path.cwd())
    if here is None:
        return SideOrigin(forked=forked)
    return SideOrigin(branch=here.branch, forked=forked or here.forked)
