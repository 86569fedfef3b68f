"""Two locks → what changed: graphs, calls that were fused otherwise, new, gone, other configs.

Takes the records of lock.py, gives changes in the order of the newer code. A graph that is called
otherwise and computes the same is no change. Configurations count where both sides know them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kernelmap.compare.lock import LockedCall, LockedGraph, line_of
from kernelmap.compare.pairing import pair_calls, pair_graphs
from kernelmap.compare.pieces import Group


@dataclass(frozen=True, slots=True, kw_only=True)
class LockChange:
    """One change: what happened in which graph, and the calls before and after."""

    what: str
    graph: str
    before: tuple[LockedCall, ...] = ()
    after: tuple[LockedCall, ...] = ()

    def text(self) -> str:
        """The change as a person reads it, ending in a newline."""
        lines = [f"{self.graph}: {self.what}"]
        lines += [f"  - {line_of(call)}" for call in self.before]
        lines += [f"  + {line_of(call)}" for call in self.after]
        return "\n".join(lines) + "\n"


def lock_changes(
    before: Sequence[LockedGraph], after: Sequence[LockedGraph]
) -> tuple[LockChange, ...]:
    """All changes; none where both describe the same structure."""
    sides = [[[call.piece for call in graph.calls] for graph in side] for side in (before, after)]
    names = ([graph.name for graph in before], [graph.name for graph in after])
    pairs = pair_graphs(sides[0], sides[1], names)
    found: list[LockChange] = []
    for one, other in sorted(pairs, key=lambda pair: pair[1]):
        groups = pair_calls(sides[0][one], sides[1][other])
        for group in groups:
            change = _change(group, before[one], after[other])
            found += [change] if change is not None else []
        if not found or found[-1].graph != after[other].name:
            found += _moved(groups, after[other])
    for one in sorted(set(range(len(before))) - {one for one, _ in pairs}):
        found.append(_whole("the graph is gone", before[one], gone=True))
    for other in sorted(set(range(len(after))) - {other for _, other in pairs}):
        found.append(_whole("a new graph", after[other], gone=False))
    return tuple(found)


def _change(group: Group, before: LockedGraph, after: LockedGraph) -> LockChange | None:
    ones = tuple(before.calls[at] for at in group.before)
    others = tuple(after.calls[at] for at in group.after)
    if group.same:
        configs = (ones[0].config, others[0].config)
        if None in configs or configs[0] == configs[1]:
            return None
        what = "the configuration changed"
    elif not ones:
        what = "a new call"
    elif not others:
        what = "a call is gone"
    elif len(ones) == len(others) == 1:
        what = "the call computes something else"
    else:
        what = f"fused otherwise: {_count(len(ones))} became {len(others)}"
    return LockChange(what=what, graph=after.name, before=ones, after=others)


def _moved(groups: Sequence[Group], graph: LockedGraph) -> list[LockChange]:
    """A change where all calls are the same and their order is not."""
    order = [group.before[0] for group in sorted(groups, key=lambda group: group.after)]
    if order == sorted(order):
        return []
    moved = tuple(
        graph.calls[group.after[0]] for group in groups if group.before[0] != group.after[0]
    )
    return [LockChange(what="the same calls in another order", graph=graph.name, after=moved)]


def _whole(what: str, graph: LockedGraph, *, gone: bool) -> LockChange:
    calls = graph.calls
    return LockChange(
        what=f"{what} ({_count(len(calls))})",
        graph=graph.name,
        before=calls if gone else (),
        after=() if gone else calls,
    )


def _count(number: int) -> str:
    return f"{number} call" if number == 1 else f"{number} calls"
