"""Where a branch left the main one: the runs of main that a branch's run may be held against.

main goes on after a branch left it. Held against main's newest run, a branch is blamed or praised
for what others did since. So it is held against the newest run of main at the commit where it left
(its fork), or before it. A run states that commit where git or a person said it. What the store
knows of the order of commits is the order in which main's were first recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Self

from msgspec import Struct

from kernelmap.history.store.listing import Listed
from kernelmap.history.store.refs import kin

MAIN = ("main", "master")


class AtFork(StrEnum):
    """Which run of main was taken, and how well that is known."""

    FORK = "at the fork"
    BEFORE = "the last before the fork, which was not recorded so"
    UNRECORDED = "the last before the branch: its fork was not recorded on main"
    UNKNOWN = "the last before the branch: its fork is not known"
    FIRST = "the first there is: none is older than the branch"


class Base(Struct, frozen=True, kw_only=True):
    """The run of main that a branch's run is held against, and why it is that one."""

    run: Listed
    why: AtFork


def main_branch(branches: Sequence[str]) -> str | None:
    """The branch that others leave: `main` or `master`, else the first of them."""
    return next((name for name in MAIN if name in branches), branches[0] if branches else None)


class MainRuns(Struct, frozen=True, kw_only=True):
    """The runs of the main branch of a store, ready to be asked for what a branch is held against.

    `alike` has them by what else must be equal (device, tags, unit), oldest first; `firsts` has the
    first run of each commit, `begun` the first run of each branch.
    """

    branch: str | None
    chosen: tuple[str, ...]
    alike: Mapping[tuple[object, ...], Sequence[Listed]]
    firsts: Mapping[str, str]
    begun: Mapping[str | None, str]

    @classmethod
    def of(cls, runs: Sequence[Listed], chosen: Sequence[str] = ()) -> Self:
        """Of all runs of a store, oldest first; `chosen` are the tags that keep series apart."""
        main = main_branch([run.facts.branch or "" for run in runs])
        alike: dict[tuple[object, ...], list[Listed]] = {}
        firsts: dict[str, str] = {}
        begun: dict[str | None, str] = {}
        # Runs are oldest first, so the first one of a branch, or of a commit of main, stays.
        for run in runs:
            begun.setdefault(run.facts.branch, run.id)
            if (run.facts.branch or "") == main:
                alike.setdefault(_beside_branch(run, chosen), []).append(run)
                firsts.setdefault(_commit(run), run.id)
        return cls(branch=main, chosen=tuple(chosen), alike=alike, firsts=firsts, begun=begun)

    def base(self, run: Listed) -> Base | None:
        """What a run is held against; None for one of main, and where main has none like it."""
        alike = self.alike.get(_beside_branch(run, self.chosen), ())
        if (run.facts.branch or "") == self.branch or not alike:
            return None
        begun = self.begun.get(run.facts.branch, run.id)
        held, why = self.until_fork(run.facts.forked, alike, begun)
        return Base(run=held[-1], why=why)

    def until_fork(
        self, forked: str | None, runs: Sequence[Listed], begun: str
    ) -> tuple[tuple[Listed, ...], AtFork]:
        """Those of some runs of main that are not from after the fork, the nearest to it last.

        `runs` are oldest first. `forked` is its commit, None where nobody said it; `begun` is the
        branch's first run. Where none is older, the first of `runs` stands for them.
        """
        # The first run of the fork's commit on main, None where it was not recorded there.
        until = self.firsts.get(forked) if forked else None
        if until is not None:
            # By commit: an older one may have been recorded again after that of the fork.
            places = [(self.firsts.get(_commit(run), run.id), run.id, run) for run in runs]
            held = tuple(run for place, _, run in sorted(places, key=_place) if place <= until)
            why = AtFork.FORK if held and held[-1].facts.commit == forked else AtFork.BEFORE
        else:
            # Without a known fork: what main had before the branch was first recorded.
            held = tuple(run for run in runs if run.id < begun)
            why = AtFork.UNRECORDED if forked else AtFork.UNKNOWN
        # Where main has nothing so old, its oldest run is taken, and that is said.
        return (held, why) if held else (tuple(runs[:1]), AtFork.FIRST)


def _place(entry: tuple[str, str, Listed]) -> tuple[str, str]:
    return entry[:2]


def _commit(run: Listed) -> str:
    """Its commit, or itself without one."""
    return run.facts.commit or run.id


def _beside_branch(run: Listed, chosen: Sequence[str]) -> tuple[object, ...]:
    """What two runs have alike whose times may be held against each other."""
    series = kin(run, chosen)
    return series.device, series.tags, run.facts.window.steps is not None
