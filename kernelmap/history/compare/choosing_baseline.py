"""Names of a baseline, as a command line has them → the recordings that a gate is held against."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.history.compare.baselines import Newest, device_of_side, newest_runs
from kernelmap.history.compare.opening import Opened, SideOrigin, open_side
from kernelmap.history.store.checkout import find_checkout
from kernelmap.options import Options


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
