"""What a recording is held against: the runs of one series, or files, pooled and named.

Of several recordings of one state, the one with the median time stands for all. Its calls, and its
time without a call, get the samples of the others as well, so that one odd run decides nothing. The
order in which recordings are named does not matter. Every answer about a recording takes its
baseline from here, so that no two of them speak of different ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.errors import UsageError
from kernelmap.history.compare.causes import pair_sides
from kernelmap.history.compare.opening import Opened, SideOrigin
from kernelmap.history.compare.side import CallSide, ComparedSide, Key, RestSide
from kernelmap.history.compare.statistics import floor_of_repeats
from kernelmap.history.store.choosing import chosen_store
from kernelmap.history.store.forks import AtFork, MainRuns
from kernelmap.history.store.listing import Listed
from kernelmap.history.store.refs import ACKNOWLEDGED, CPU, bearing, behind, series_tags
from kernelmap.history.store.refs import device as device_of
from kernelmap.history.store.store import Store
from kernelmap.model.notices import format_count as count_of
from kernelmap.pages.text import format_duration, format_percent

_TWO = 2
_NOW = "~"  # sorts behind the id of every run


class Newest(Struct, frozen=True, kw_only=True):
    """The ids of runs of one series; `passed` says which others were passed over, and why."""

    ids: tuple[str, ...]
    passed: tuple[str, ...]


def newest_runs(
    ref: str,
    count: int,
    *,
    store: str | None = None,
    tags: Mapping[str, str] | None = None,
    device: str | None = None,
    of: SideOrigin | None = None,
) -> Newest:
    """The newest `count` runs of a branch, a name or a tag, or as many as there are, of one series.

    For a recording `of` another branch those of main end where that branch left it, and none is the
    recording itself or came after it on its own branch. They bear `tags`, and ran on `device` where
    any did, else on that of the newest. Where the change of one is acknowledged, none is older:
    what it took before is another level. Raises UsageError where there is none, and
    `several-series` where they differ in a tag that keeps series apart and that `tags` does not
    name.
    """
    chosen = series_tags()
    every = Store(chosen_store(store)).runs()
    # All runs that bear the tags, then those that are meant, newest first.
    runs = bearing(every, tags or {})
    candidates = behind(ref, runs)
    if of is not None and of.run is not None:
        # A recording is not held against itself or its later runs, unless there is nothing else.
        candidates = tuple(run for run in candidates if not _is_at_or_after(run, of)) or candidates
    # Where runs differ in a tag that keeps series apart, the caller has to choose.
    for key in chosen:
        values = {run.tags.get(key) for run in candidates}
        if len(values) > 1 and key not in (tags or {}):
            shown = ", ".join(sorted(f"{key}={value}" for value in values if value is not None))
            raise UsageError(
                "several-series",
                f"{ref!r} has runs of several series: {shown}",
                f"Say which with --tag {key}=VALUE.",
            )
    # The device of each candidate; without one that fits, the newest run says which device counts.
    devices = [device_of(run.facts) for run in candidates]
    on = device if device in devices else devices[0]
    same_device: Sequence[Listed] = [
        run for run, its in zip(candidates, devices, strict=True) if its == on
    ]
    others = len(candidates) - len(same_device)
    passed: list[str] = []
    if others:
        passed.append(f"{count_of(others, 'run')} of {ref} on other devices than {on} passed over")
    if of is not None:
        same_device, said = _until_fork(same_device, every, of)
        passed += said
    # What bears no figures is no baseline, unless there is nothing else: then the gate says so.
    sound = [run for run in same_device if not run.refused]
    if sound and len(sound) < len(same_device):
        refused = count_of(len(same_device) - len(sound), "run")
        passed.append(f"{refused} of {ref} that cannot bear figures passed over")
    taken = (sound or same_device)[:count]
    # What runs took before an acknowledged change is another level, so the newest such change ends
    # the list of runs.
    accepted = next((at for at, run in enumerate(taken) if ACKNOWLEDGED in run.tags), len(taken))
    older = taken[accepted + 1 :]
    if older:
        before = f"from before {taken[accepted].id}, whose change is acknowledged,"
        passed.append(f"{count_of(len(older), 'run')} of {ref} {before} passed over")
    ids = tuple(run.id for run in taken[: accepted + 1])
    return Newest(ids=ids, passed=tuple(passed))


def _is_at_or_after(run: Listed, of: SideOrigin) -> bool:
    """Whether a run is the recording itself, or a later one of its branch."""
    return run.id == of.run or (run.facts.branch == of.branch and run.id > (of.run or ""))


def _until_fork(
    newest_first: Sequence[Listed], every: Sequence[Listed], of: SideOrigin
) -> tuple[Sequence[Listed], list[str]]:
    """The runs without those of main from after the fork of another branch, and what to say."""
    main = MainRuns.of(every)
    # Of main itself, or of runs of another branch, no fork cuts anything off.
    if of.branch == main.branch or any(run.facts.branch != main.branch for run in newest_first):
        return newest_first, []
    begun = main.begun.get(of.branch, _NOW) if of.branch else _NOW
    # The cut takes runs oldest first, and gives them so.
    held, why = main.until_fork(of.forked, newest_first[::-1], begun)
    newest_held = f"{held[-1].id} of {main.branch}"
    notes = [] if why is AtFork.FORK else [f"held against {newest_held}, {why.value}"]
    later = len(newest_first) - len(held)
    if later:
        notes.append(f"{count_of(later, 'run')} from after {newest_held} passed over")
    return held[::-1], notes


def device_of_side(recording: ComparedSide) -> str | None:
    """What a recording's time was spent on, as the runs of a store call it."""
    if recording.summary.side == "cpu":
        return CPU
    return ", ".join(recording.summary.devices) or None


class Baseline(Struct, frozen=True, kw_only=True):
    """`floor` is None where there are no repeats to learn it from; `words` name what it is."""

    side: ComparedSide
    floor: float | None
    runs: int
    words: tuple[str, ...] = ()


def baseline_of(recordings: Sequence[Opened]) -> Baseline:
    """The one baseline that every answer about a recording speaks of, with what names it.

    `recordings` are one or more, as a user or a store named them.
    """
    base = make_baseline([recording.side for recording in recordings])
    # The same order and the same middle as in the baseline itself.
    ordered = sorted(recordings, key=lambda recording: _time_per_step(recording.side))
    middle = ordered[len(ordered) // 2]
    words = [f"the baseline is {_describe_baseline(middle)}"]
    if len(recordings) > 1:
        words[0] += f", the {'slower' if len(recordings) == _TWO else 'middle'} one"
        words[0] += f" of {count_of(len(recordings), 'recording')}; all of them are its noise"
    usual = _time_per_step(middle.side)
    # How far the others lie from the one that stands for all.
    for other in ordered:
        if other is not middle and usual:
            apart = _time_per_step(other.side) / usual - 1
            by = f"{format_percent(abs(apart))} {'more' if apart > 0 else 'less'}"
            words.append(f"another of the baseline is {_describe_baseline(other)}: {by}")
    pooled = f"{base.runs} recordings pooled" if base.runs > 1 else ""
    known = ", ".join(filter(None, [middle.about, pooled]))
    title = f"{base.side.title} ({known})" if known else base.side.title
    return replace(base, side=replace(base.side, title=title), words=tuple(words))


def _describe_baseline(recording: Opened) -> str:
    """Its name, what is known of it, and how long a unit of it takes."""
    side = recording.side
    per = "a step" if side.steps else "in all"
    about = f" ({recording.about})" if recording.about else ""
    return f"{side.title}{about}, {format_duration(round(_time_per_step(side)))} {per}"


def _time_per_step(side: ComparedSide) -> float:
    return side.total_ns / (side.steps or 1)


def make_baseline(sides: Sequence[ComparedSide]) -> Baseline:
    """The baseline of one recording or more."""
    ordered = sorted(sides, key=_time_per_step)
    middle = ordered[len(ordered) // 2]
    if len(sides) == 1:
        return Baseline(side=middle, floor=None, runs=1)
    # By a call's id in the middle recording: the equal call of each recording, with its number.
    alike: dict[str, list[tuple[int, CallSide]]] = defaultdict(list)
    for run, recording in enumerate(ordered):
        # Every recording, the middle one too, is paired with the middle one.
        for pair in pair_sides(recording, middle).pairs:
            if pair.same:
                alike[pair.after[0].id].append((run, pair.before[0]))
    # Per call one median (ns) of each recording, where all of them have it.
    medians = [
        np.array([np.median(list(call.samples.values())) for _, call in calls if call.samples])
        for calls in alike.values()
        if len(calls) == len(sides)
    ]
    return Baseline(
        side=_pool_sides(middle, ordered, alike), floor=floor_of_repeats(medians), runs=len(sides)
    )


def _pool_sides(
    middle: ComparedSide,
    sides: Sequence[ComparedSide],
    alike: Mapping[str, Sequence[tuple[int, CallSide]]],
) -> ComparedSide:
    """`middle` with the samples and steps of all sides; keys of samples bear the run."""
    graphs = []
    for graph in middle.graphs:
        calls = []
        for call in graph.calls:
            # Samples of all recordings; the process gets the recording's number in front, so that
            # the first invocation of one does not replace that of another.
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
        clock_ns=_pooled_clock(sides),
    )


def _pooled_clock(sides: Sequence[ComparedSide]) -> tuple[int, ...]:
    """The steps of all on the clock, which differ from run to run; empty where one lacks them."""
    if not all(recording.clock_ns for recording in sides):
        return ()
    return tuple(time_ns for recording in sides for time_ns in recording.clock_ns)


def _pooled_rests(middle: ComparedSide, sides: Sequence[ComparedSide]) -> tuple[RestSide, ...]:
    """The rests of `middle` with the steps of all. A rest that only others have gets no time."""
    named = [{(rest.outside, rest.name): rest for rest in recording.rests} for recording in sides]
    kept = {(rest.outside, rest.name): rest for rest in middle.rests}
    pooled = []
    # The kinds of time of the middle recording first, then those that only others have.
    for key in dict.fromkeys([*kept, *(key for rests in named for key in rests)]):
        outside, name = key
        # Ns by step of each recording: empty where it has none, None where it does not say when.
        steps = [rests[key].by_step if key in rests else {} for rests in named]
        stated = [by_step for by_step in steps if by_step is not None]
        rest = kept.get(key, RestSide(name=name, outside=outside, launches=0, time_ns=0))
        # Where one of them does not say when it ran, nothing is tested.
        by_step = _pooled_steps(stated, sides) if len(stated) == len(steps) else None
        pooled.append(replace(rest, by_step=by_step))
    return tuple(pooled)


def _pooled_steps(
    steps: Sequence[Mapping[int, int]], sides: Sequence[ComparedSide]
) -> dict[int, int]:
    """Ns by step of all runs; no two runs share a step number."""
    # Step numbers of each recording move up by more than any recording has.
    most = 1 + max((step for recording in sides for step in recording.by_step), default=0)
    return {
        run * most + step: time_ns
        for run, by_step in enumerate(steps)
        for step, time_ns in by_step.items()
    }
