"""Two locks → what changed from one to the other: calls, and the peak of memory.

Changes come in the order of the newer code. A graph that is called otherwise and computes the same
is no change. Configurations count where both sides know them, and so does memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from kernelmap.history.compare.lock.memory import MemoryGrowth, growth_of_peak, names_of_locked
from kernelmap.history.compare.lock.records import LockedCall, LockedGraph, line_of
from kernelmap.history.compare.pairing.calls import pair_calls, pair_graphs
from kernelmap.history.compare.sides.held import HeldGraph
from kernelmap.history.compare.sides.pieces import Group
from kernelmap.pages.text import make_visible


class LockChange(Struct, frozen=True, kw_only=True):
    """One change: what happened in which graph, and the calls before and after.

    Of memory it is `growth` that says what is alive at the peak.
    """

    what: str
    graph: str
    before: tuple[LockedCall, ...] = ()
    after: tuple[LockedCall, ...] = ()
    growth: MemoryGrowth | None = None

    def say_change(self) -> str:
        """The change as a person reads it, ending in a newline."""
        lines = [f"{self.graph}: {self.what}"]
        lines += [f"  - {line_of(call)}" for call in self.before]
        lines += [f"  + {line_of(call)}" for call in self.after]
        if self.growth is not None:
            lines += [f"  - {buffer}" for buffer in self.growth.went]
            lines += [f"  + {buffer}" for buffer in self.growth.came]
        return "\n".join(lines) + "\n"


def review_changes(changes: Sequence[LockChange]) -> str:
    """The changes as a person reads them, safe to print; empty without any."""
    raw = "".join(change.say_change() for change in changes)
    return "\n".join(map(make_visible, raw.split("\n")))  # a lock is a file like any other


def lock_changes(
    before: Sequence[LockedGraph], after: Sequence[LockedGraph]
) -> tuple[LockChange, ...]:
    """All changes; none where both describe the same structure."""
    sides = [[[call.piece for call in graph.calls] for graph in side] for side in (before, after)]
    pairs = _pair_locked_graphs(before, after)
    changes: list[LockChange] = []
    for one, other in sorted(pairs, key=lambda pair: pair[1]):
        groups = pair_calls(sides[0][one], sides[1][other])
        for group in groups:
            change = _change_of_group(group, before[one], after[other])
            changes += [change] if change is not None else []
        # Nothing else changed in this graph: only then is another order said.
        if not changes or changes[-1].graph != after[other].name:
            changes += _find_moved(groups, after[other])
    for one in sorted(set(range(len(before))) - {one for one, _ in pairs}):
        changes.append(_whole_graph("the graph is gone", before[one], gone=True))
    for other in sorted(set(range(len(after))) - {other for _, other in pairs}):
        changes.append(_whole_graph("a new graph", after[other], gone=False))
    return tuple(changes)


def _pair_locked_graphs(
    before: Sequence[LockedGraph], after: Sequence[LockedGraph]
) -> list[tuple[int, int]]:
    """Positions of the graphs that are the same, or the nearest to it."""
    sides = [[[call.piece for call in graph.calls] for graph in side] for side in (before, after)]
    names = ([graph.name for graph in before], [graph.name for graph in after])
    return pair_graphs(sides[0], sides[1], names)


def _change_of_group(group: Group, before: LockedGraph, after: LockedGraph) -> LockChange | None:
    ones = tuple(before.calls[at] for at in group.before)
    others = tuple(after.calls[at] for at in group.after)
    if group.same:
        # A configuration that one side does not know is no change.
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
        what = f"fused otherwise: {_say_count(len(ones))} became {len(others)}"
    return LockChange(what=what, graph=after.name, before=ones, after=others)


def _find_moved(groups: Sequence[Group], graph: LockedGraph) -> list[LockChange]:
    """A change where all calls are the same and their order is not."""
    # The older positions in the newer order; where they ascend, nothing moved.
    order = [group.before[0] for group in sorted(groups, key=lambda group: group.after)]
    if order == sorted(order):
        return []
    moved = tuple(
        graph.calls[group.after[0]] for group in groups if group.before[0] != group.after[0]
    )
    return [LockChange(what="the same calls in another order", graph=graph.name, after=moved)]


def _whole_graph(what: str, graph: LockedGraph, *, gone: bool) -> LockChange:
    calls = graph.calls
    return LockChange(
        what=f"{what} ({_say_count(len(calls))})",
        graph=graph.name,
        before=calls if gone else (),
        after=() if gone else calls,
    )


def _say_count(number: int) -> str:
    return f"{number} call" if number == 1 else f"{number} calls"


def memory_changes(
    before: Sequence[LockedGraph],
    after: Sequence[LockedGraph],
    held: Mapping[str, HeldGraph],
) -> tuple[LockChange, ...]:
    """The graphs whose peak of memory changed, the largest growth first; others are none.

    `held` has the memory of the newer graphs by name, to name their buffers.
    """
    changes = []
    for one, other in _pair_locked_graphs(before, after):
        old, new = before[one].memory, after[other].memory
        if old is None or new is None or old.peak_bytes == new.peak_bytes:
            continue
        graph = after[other]
        names = names_of_locked(held[graph.name], graph.prints) if graph.name in held else None
        growth = growth_of_peak(old, new, names)
        changes.append(LockChange(what=growth.words, graph=graph.name, growth=growth))
    return tuple(sorted(changes, key=_bytes_less))


def _bytes_less(change: LockChange) -> int:
    """What the peak has less, to sort by."""
    return change.growth.before_bytes - change.growth.after_bytes if change.growth else 0
