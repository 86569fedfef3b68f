"""What a user names as one side of a comparison → its tables, and which recording that is.

A saved result (JSON, or a folder of Parquet files) is read back; a bundle, a folder with code and
profile, or several inputs are correlated first. What is no path is a run of the store, such as
`main~3`. Errors are those of reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.correlation import Correlation
from kernelmap.facts.api_calls import is_graph_launch
from kernelmap.history.compare.sides.ranks import over_ranks
from kernelmap.history.compare.sides.side import ComparedSide, side_of_result
from kernelmap.history.store.choosing import chosen_store
from kernelmap.history.store.facts import RunFacts
from kernelmap.history.store.run import Run
from kernelmap.history.store.store import Store
from kernelmap.matching.host_side.recording import named_apis
from kernelmap.model import Notice
from kernelmap.model.bundle import is_bundle, read_manifest
from kernelmap.model.paths import is_there
from kernelmap.options import Options
from kernelmap.options import Side as Whose
from kernelmap.pages.result import Result, load
from kernelmap.pipeline import correlate
from kernelmap.speed.wall.devices import device_steps
from kernelmap.tables.build import Tables
from kernelmap.tables.rows import whole_number
from kernelmap.tables.saved import is_saved
from kernelmap.tables.schema import WALL

_JOIN = "+"
_COMMIT, _TO_MINUTE = 10, 16  # characters


class SideOrigin(Struct, frozen=True, kw_only=True):
    """Where a recording comes from: its branch, the commit at which that left the main one.

    `run` is its id where it is a run of the store. None is what nobody said.
    """

    branch: str | None = None
    forked: str | None = None
    run: str | None = None


class Opened(Struct, frozen=True, kw_only=True):
    """One side, what could not be used of it, and the files that were read for it.

    `about` says which recording it is, as far as it states that: commit, run, date.
    `origin` is that of a run of the store, None of others.
    """

    side: ComparedSide
    notices: tuple[Notice, ...]
    files: tuple[Path, ...]
    about: str = ""
    origin: SideOrigin | None = None


def open_side(name: str, *, store: str | None = None, options: Options | None = None) -> Opened:
    """One side by its name, in which `+` may join several paths; `store` as --store names it.

    `options` are for what has to be correlated first.
    """
    paths = paths_of_side(name)
    title = name if len(paths) == 1 else None
    return open_inputs(paths, store=store, title=title, options=options)


def paths_of_side(name: str) -> list[Path]:
    """The paths that a side's name joins with `+`; a file whose name has a plus is that file."""
    if _JOIN in name and not is_there(Path(name)):
        return [Path(part) for part in name.split(_JOIN)]
    return [Path(name)]


def open_inputs(
    paths: Sequence[Path],
    *,
    store: str | None = None,
    title: str | None = None,
    options: Options | None = None,
) -> Opened:
    """One side by its inputs; a single one that is no path may be a run."""
    title = _JOIN.join(map(str, paths)) if title is None else title
    # What was saved has its tables already, counted by the choices of that time.
    if len(paths) == 1 and is_saved(paths[0]):
        saved = load(paths[0])
        notices = (*_unused_choices(title, options), *saved.notices)
        return Opened(side=side_of(saved, title), notices=notices, files=saved.files)
    # A single name that is no path may be that of a run.
    run = None if len(paths) > 1 or is_there(paths[0]) else _find_run(str(paths[0]), store)
    if run is not None:
        return Opened(
            side=side_of_run(run, title),
            notices=(*_unused_choices(title, options), *run.notices),
            files=run.files,
            about=_about_run(run.facts, title),
            origin=SideOrigin(branch=run.facts.branch, forked=run.facts.forked, run=run.facts.id),
        )
    correlation = correlate(*paths, options=options)
    return Opened(
        side=side_of(correlation, title),
        notices=correlation.notices,
        files=correlation.files,
        about=_about_bundle(paths),
    )


def _unused_choices(title: str, options: Options | None) -> tuple[Notice, ...]:
    """That what was counted and saved before is not counted anew by the choices of today."""
    chosen = options or Options()
    if chosen.steps is None and chosen.side is Whose.AUTO and not chosen.like:
        return ()
    return (
        Notice(
            slug="counted-when-saved",
            message=f"{title} was counted when it was saved; --steps, --side and --like are for"
            " what is correlated now",
            hint="Save it with the same choices, or name its code and profile.",
        ),
    )


def _about_run(facts: RunFacts, title: str) -> str:
    """`run 20261121-…, of main, commit 3f9a1c2b0d, recorded 2026-11-21 18:46 UTC`."""
    known = (
        None if facts.id == title else f"run {facts.id}",
        f"of {facts.branch}" if facts.branch else None,
        f"commit {facts.commit[:_COMMIT]}" if facts.commit else None,
        _say_when_recorded(facts.created),
    )
    return ", ".join(filter(None, known))


def _about_bundle(paths: Sequence[Path]) -> str:
    """When the capture of a single bundle began."""
    if len(paths) != 1 or not is_bundle(paths[0]):
        return ""
    started = read_manifest(paths[0]).started
    return _say_when_recorded(started) if started else ""


def _say_when_recorded(moment: str) -> str:
    return f"recorded {moment[:_TO_MINUTE].replace('T', ' ')} UTC"


def side_of(result: Result, title: str) -> ComparedSide:
    """A result as one side; one that was just correlated knows more of CUDA graphs."""
    whole = side_of_result(result.tables, title)
    if not isinstance(result, Correlation):
        return replace(whole, clock_ns=_saved_steps(result.tables))
    replayed, replaying_ns = _measure_replays(result)
    return replace(
        whole,
        clock_ns=_measured_steps(result),
        replayed=replayed,
        replaying_ns=replaying_ns,
    )


def _measure_replays(correlation: Correlation) -> tuple[int, int]:
    """How many launches of the window CUDA graphs made, and ns of the api calls that did."""
    # A flag per launch; the last one is for launches without an api call (-1).
    trace = correlation.trace
    by_graph = np.append(named_apis(trace.apis, is_graph_launch), False)[trace.launches.api]
    replayed = correlation.attribution.counted & by_graph
    # One call launches a whole graph, so each counts once.
    calls = np.unique(trace.launches.api[replayed])
    return int(replayed.sum()), int(trace.apis.dur_ns[calls].sum())


def _measured_steps(correlation: Correlation) -> tuple[int, ...]:
    """Ns of each step on the clock, as the trace shows them."""
    attribution = correlation.attribution
    # One entry per step and device.
    steps = device_steps(correlation.trace, attribution.counted, attribution.step, with_cpu=True)
    return _longest_steps(
        ((it.process, it.step), it.end_ns - it.start_ns) for it in steps if it.step is not None
    )


def _saved_steps(tables: Tables) -> tuple[int, ...]:
    """The same of a result that was saved with its wall time; empty of others."""
    if WALL.name in tables.without:
        return ()
    return _longest_steps(
        ((row["rank"], row["pid"], row["step"]), whole_number(row, "step_ns"))
        for row in tables.rows(WALL.name)
        if row["step"] is not None
    )


def _longest_steps(steps: Iterable[tuple[object, int]]) -> tuple[int, ...]:
    """Each step once, with the time of the device on which it took longest."""
    times: dict[object, int] = {}
    for step, time_ns in steps:
        times[step] = max(time_ns, times.get(step, 0))
    return tuple(times.values())


def side_of_run(run: Run, title: str) -> ComparedSide:
    """A run of a store as one side; raises KernelmapError where it is damaged."""
    whole = side_of_result(run.tables, title)
    if run.facts.fleet is None:
        return replace(whole, clock_ns=_saved_steps(run.tables))

    return over_ranks(whole, run)


def _find_run(name: str, store: str | None) -> Run | None:
    """The run of that name; None where there is no store to look into."""
    kept = Store(chosen_store(store))
    try:
        is_store = kept.place.exists()
    except OSError:
        is_store = True  # opening says what is wrong with it
    return kept.open(name) if is_store else None
