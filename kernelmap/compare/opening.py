"""What a user names as one side of a comparison → its tables; several recordings as one baseline.

A saved result (JSON, or a folder of Parquet files) is read back; a bundle, a folder with code and
profile, or several inputs are correlated first. What is no path is a run of the store, such as
`main~3`. Errors are those of reading.

Of several recordings of one state, the one with the median time stands for all. Its calls, and its
time without a call, get the samples of the others as well, so that one odd run decides nothing. The
order in which recordings are named does not matter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compare.causes import paired
from kernelmap.compare.side import CallSide, Key, RestSide, Side, side
from kernelmap.compare.statistics import floor_of_repeats
from kernelmap.correlation import Correlation
from kernelmap.errors import UsageError
from kernelmap.model import CompiledProgram, Notice
from kernelmap.model.notices import count as count_of
from kernelmap.model.paths import is_there
from kernelmap.options import Options
from kernelmap.outputs.result import Result, is_saved, load
from kernelmap.pipeline import correlate
from kernelmap.store.place import chosen_store
from kernelmap.store.recording import versions_of
from kernelmap.store.refs import ACKNOWLEDGED, CPU, bearing, behind, series_tags
from kernelmap.store.refs import device as device_of
from kernelmap.store.run import Run
from kernelmap.store.store import Store

_JOIN = "+"


class Opened(Struct, frozen=True, kw_only=True):
    """One side, what could not be used of it, and the files that were read for it."""

    side: Side
    notices: tuple[Notice, ...]
    files: tuple[Path, ...]


def open_side(name: str, *, store: str | None = None, options: Options | None = None) -> Opened:
    """One side by its name, in which `+` may join several paths; `store` as --store names it.

    `options` are for what has to be correlated first.
    """
    path = Path(name)
    if _JOIN in name and not is_there(path):
        parts = [Path(part) for part in name.split(_JOIN)]
        return open_inputs(parts, store=store, options=options)
    return open_inputs([path], store=store, title=name, options=options)


def open_inputs(
    paths: Sequence[Path],
    *,
    store: str | None = None,
    title: str | None = None,
    options: Options | None = None,
) -> Opened:
    """One side by its inputs; a single one that is no path may be a run."""
    title = _JOIN.join(map(str, paths)) if title is None else title
    if len(paths) == 1 and is_saved(paths[0]):
        saved = load(paths[0])
        return Opened(side=side(saved.tables, title), notices=saved.notices, files=saved.files)
    run = None if len(paths) > 1 or is_there(paths[0]) else _run(str(paths[0]), store)
    if run is not None:
        return Opened(side=side_of_run(run, title), notices=run.notices, files=run.files)
    correlation = correlate(*paths, options=options)
    whole = side_of(correlation, title)
    return Opened(side=whole, notices=correlation.notices, files=correlation.files)


def side_of(result: Result, title: str) -> Side:
    """A result as one side; one that was just correlated knows versions and settings as well."""
    if not isinstance(result, Correlation):
        return side(result.tables, title)
    whole = side(result.tables, title, versions_of(result))
    return replace(whole, settings=settings_of(result.program))


def settings_of(program: CompiledProgram) -> Mapping[str, str]:
    """The compiler's settings by name; several values of one stand in one text."""
    stated: dict[str, dict[str, None]] = defaultdict(dict)
    for settings in {emitted.settings for graph in program.graphs for emitted in graph.emitted}:
        for name, value in settings:
            stated[name][value] = None
    return {name: ", ".join(sorted(values)) for name, values in stated.items()}


def side_of_run(run: Run, title: str) -> Side:
    """A run of a store as one side; raises KernelmapError where it is damaged."""
    stated = {"torch": run.facts.torch, "triton": run.facts.triton}
    versions = {key: value for key, value in stated.items() if value is not None}
    whole = side(run.tables, title, versions)
    if run.facts.fleet is None:
        return whole
    from kernelmap.compare.ranks import over_ranks

    return over_ranks(whole, run)


def _run(name: str, store: str | None) -> Run | None:
    """The run of that name; None where there is no store to look into."""
    kept = Store(chosen_store(store))
    try:
        is_store = kept.place.exists()
    except OSError:
        is_store = True  # opening says what is wrong with it
    return kept.open(name) if is_store else None


class Newest(Struct, frozen=True, kw_only=True):
    """The ids of runs of one series; `passed` says which others were passed over, and why."""

    ids: tuple[str, ...]
    passed: tuple[str, ...]


def newest(
    ref: str,
    count: int,
    *,
    store: str | None = None,
    tags: Mapping[str, str] | None = None,
    device: str | None = None,
) -> Newest:
    """The newest `count` runs of a branch, a name or a tag, or as many as there are, of one series.

    They bear `tags`, and ran on `device` where any did, else on that of the newest. Where the
    change of one is acknowledged, none is older: what it took before is another level. Raises
    UsageError where there is none, and `several-series` where they differ in a tag that keeps
    series apart and that `tags` does not name.
    """
    chosen = series_tags()
    runs = bearing(Store(chosen_store(store)).runs(), tags or {})
    candidates = behind(ref, runs)
    for key in chosen:
        values = {run.tags.get(key) for run in candidates}
        if len(values) > 1 and key not in (tags or {}):
            shown = ", ".join(sorted(f"{key}={value}" for value in values if value is not None))
            raise UsageError(
                "several-series",
                f"{ref!r} has runs of several series: {shown}",
                f"Say which with --tag {key}=VALUE.",
            )
    devices = [device_of(run.facts) for run in candidates]
    on = device if device in devices else devices[0]
    same_device = [run for run, its in zip(candidates, devices, strict=True) if its == on]
    others = len(candidates) - len(same_device)
    passed = []
    if others:
        passed.append(f"{count_of(others, 'run')} of {ref} on other devices than {on} passed over")
    taken = same_device[:count]
    accepted = next((at for at, run in enumerate(taken) if ACKNOWLEDGED in run.tags), len(taken))
    older = taken[accepted + 1 :]
    if older:
        before = f"from before {taken[accepted].id}, whose change is acknowledged,"
        passed.append(f"{count_of(len(older), 'run')} of {ref} {before} passed over")
    ids = tuple(run.id for run in taken[: accepted + 1])
    return Newest(ids=ids, passed=tuple(passed))


def device_of_side(recording: Side) -> str | None:
    """What a recording's time was spent on, as the runs of a store call it."""
    if recording.summary.side == "cpu":
        return CPU
    return ", ".join(recording.summary.devices) or None


class Baseline(Struct, frozen=True, kw_only=True):
    """`floor` is None where there are no repeats to learn it from."""

    side: Side
    floor: float | None
    runs: int


def baseline(sides: Sequence[Side]) -> Baseline:
    """The baseline of one recording or more."""
    ordered = sorted(sides, key=lambda recording: recording.total_ns / (recording.steps or 1))
    middle = ordered[len(ordered) // 2]
    if len(sides) == 1:
        return Baseline(side=middle, floor=None, runs=1)
    alike: dict[str, list[tuple[int, CallSide]]] = defaultdict(list)
    for run, recording in enumerate(ordered):
        for pair in paired(recording, middle).pairs:
            if pair.same:
                alike[pair.after[0].id].append((run, pair.before[0]))
    medians = [
        np.array([np.median(list(call.samples.values())) for _, call in calls if call.samples])
        for calls in alike.values()
        if len(calls) == len(sides)
    ]
    return Baseline(
        side=_pooled(middle, ordered, alike), floor=floor_of_repeats(medians), runs=len(sides)
    )


def _pooled(
    middle: Side, sides: Sequence[Side], alike: Mapping[str, Sequence[tuple[int, CallSide]]]
) -> Side:
    """`middle` with the samples and steps of all sides; keys of samples bear the run."""
    graphs = []
    for graph in middle.graphs:
        calls = []
        for call in graph.calls:
            pooled: dict[Key, int] = {}
            sampled = sum(repeat.sampled for _, repeat in alike[call.id])
            for run, repeat in alike[call.id]:
                pooled |= {
                    (f"{run}/{pid or ''}", rank, number): time_ns
                    for (pid, rank, number), time_ns in repeat.samples.items()
                }
            calls.append(replace(call, samples=pooled, sampled=sampled))
        graphs.append(replace(graph, calls=tuple(calls)))
    return replace(
        middle,
        graphs=tuple(graphs),
        rests=_pooled_rests(middle, sides),
        by_step=_pooled_steps([recording.by_step for recording in sides], sides),
    )


def _pooled_rests(middle: Side, sides: Sequence[Side]) -> tuple[RestSide, ...]:
    """The rests of `middle` with the steps of all. A rest that only others have gets no time."""
    named = [{(rest.outside, rest.name): rest for rest in recording.rests} for recording in sides]
    kept = {(rest.outside, rest.name): rest for rest in middle.rests}
    pooled = []
    for key in dict.fromkeys([*kept, *(key for rests in named for key in rests)]):
        outside, name = key
        steps = [rests[key].by_step if key in rests else {} for rests in named]
        stated = [by_step for by_step in steps if by_step is not None]
        rest = kept.get(key, RestSide(name=name, outside=outside, launches=0, time_ns=0))
        by_step = _pooled_steps(stated, sides) if len(stated) == len(steps) else None
        pooled.append(replace(rest, by_step=by_step))
    return tuple(pooled)


def _pooled_steps(steps: Sequence[Mapping[int, int]], sides: Sequence[Side]) -> dict[int, int]:
    """Ns by step of all runs; no two runs share a step number."""
    most = 1 + max((step for recording in sides for step in recording.by_step), default=0)
    return {
        run * most + step: time_ns
        for run, by_step in enumerate(steps)
        for step, time_ns in by_step.items()
    }
