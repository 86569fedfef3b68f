"""The host side of a trace as matching sees it: where launches come from, and groups of ranges.

A *group* is one stretch of host time whose call-like ranges follow each other: below one
`## Call CompiledFxGraph …` range, or, where no such range is around, below one common parent (a
compiled region, an autograd function) or on the thread itself. Ranges that only decorate are looked
through (roles.py), those in which kernels are benchmarked are not.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise

import numpy as np

from kernelmap.matching.host_side.captures import captured_calls
from kernelmap.matching.host_side.climb import climb
from kernelmap.matching.host_side.columns import by_name
from kernelmap.matching.host_side.groups import Group
from kernelmap.matching.host_side.roles import Roles
from kernelmap.matching.names.symbols import is_kernel_symbol
from kernelmap.model import NONE, Activity, Trace
from kernelmap.model.trace import Bool, Int

_REPLAY = "GraphLaunch"
"""In the names of the api calls that launch a CUDA or HIP graph."""


class Host(Roles):
    """The ranges of `trace` with their roles, and its launches with their host sides."""

    def __init__(self, trace: Trace, kernels: Iterable[str]) -> None:
        super().__init__(trace.ranges, kernels, trace.apis, trace.frames)
        self.trace = trace

    @cached_property
    def replayed(self) -> Bool:
        """Mask of launches that a graph launch replayed: their host side is the launcher's."""
        launches = self.trace.launches
        by_replay = np.append(self._launches_graph, False)[launches.api]  # the last is that of none
        return np.asarray(by_replay | (launches.graph_node > 0))

    @cached_property
    def _launches_graph(self) -> Bool:
        """Mask of the api calls that launch a CUDA or HIP graph; (apis,)."""
        apis = self.trace.apis
        return by_name(apis.name_id, [_REPLAY in name for name in apis.names])

    @cached_property
    def side(self) -> Int:
        """The api call that launched or captured each launch, -1 without one; shape (launches,)."""
        launches = self.trace.launches
        return np.where(launches.origin >= 0, launches.origin, launches.api)

    @cached_property
    def host_range(self) -> Int:
        """The innermost range around each launch's host side, -1 without one; shape (launches,).

        The host side of what was replayed is where it was captured.
        """
        launches, apis = self.trace.launches, self.trace.apis
        found = launches.range.copy()
        linked = launches.api >= 0
        found[linked] = apis.range[launches.api[linked]]
        found[self.replayed] = NONE
        captured = launches.origin >= 0
        found[captured] = apis.range[launches.origin[captured]]
        return found

    @cached_property
    def launched(self) -> Bool:
        """Mask of the ranges in groups that launched something, themselves or what they hold.

        What was captured into a graph counts: it is launched whenever the graph is. An operator
        that no call launches does not count.
        """
        captured = [self.trace.apis.range[rows] for rows in captured_calls(self.trace)]
        called = np.not_equal(self.trace.launches.activity, Activity.OPERATOR)
        return self._items_around(np.concatenate([self.host_range[called], *captured]))

    @cached_property
    def captured(self) -> Bool:
        """The same for ranges in which the nodes of a CUDA graph were made."""
        origin = self.trace.launches.origin
        return self._items_around(self.trace.apis.range[origin[origin >= 0]])

    def forgets(self, group: Group) -> bool:
        """Whether something was replayed in `group` whose capture was not seen."""
        return group.mark in self._forgetting

    @cached_property
    def _forgetting(self) -> frozenset[int]:
        launches = self.trace.launches
        rows = self.replayed & (launches.origin < 0) & (launches.api >= 0)
        return self._marks_around(self.trace.apis.range[launches.api[rows]])

    def _items_around(self, ranges: Int) -> Bool:
        mask = np.zeros(len(self.ranges), dtype=bool)
        found = climb(self.ranges.parent, self.items, np.unique(ranges[ranges >= 0]))
        mask[found[found >= 0]] = True
        return mask

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """All groups in host order."""
        rows = np.flatnonzero(self.items)
        container = self.container[rows]
        process, thread = self.ranges.process[rows], self.ranges.thread[rows]
        start = self.ranges.start_ns[rows]
        order = np.lexsort((self.ranges.event[rows], start, container, thread, process))
        rows, container = rows[order], container[order]
        process, thread = process[order], thread[order]
        fresh = np.ones(len(rows), dtype=bool)
        fresh[1:] = (
            (container[1:] != container[:-1])
            | (process[1:] != process[:-1])
            | (thread[1:] != thread[:-1])
        )
        bounds = [*np.flatnonzero(fresh).tolist(), len(rows)]
        found = [
            self._group(rows[begin:end].tolist(), int(container[begin]))
            for begin, end in pairwise(bounds)
        ]
        empty = set(np.flatnonzero(self.is_mark).tolist()) - {group.mark for group in found}
        found += [self._group([], mark) for mark in empty]
        return tuple(sorted(found, key=lambda g: (g.start_ns, g.process, g.thread, g.mark)))

    def _group(self, rows: list[int], container: int) -> Group:
        is_mark = container >= 0 and bool(self.is_mark[container])
        lead = container if is_mark else rows[0]
        return Group(
            mark=container if is_mark else NONE,
            key=self.keys[int(self.ranges.name_id[container])] if is_mark else None,
            process=int(self.ranges.process[lead]),
            thread=int(self.ranges.thread[lead]),
            start_ns=int(self.ranges.start_ns[lead]),
            rows=tuple(rows),
            symbols=tuple(map(self.spelled.__getitem__, self.ranges.name_id[rows].tolist())),
            container=container,
            replays=is_mark and self._replays(container, rows),
            captures=bool(self.captured[rows].any()),
        )

    def _replays(self, mark: int, rows: list[int]) -> bool:
        """Whether a graph was launched below `mark`, and neither captured nor run by itself."""
        return (
            mark in self._replaying
            and mark not in self._capturing
            and not any(is_kernel_symbol(self.symbol(row)) for row in rows)
        )

    @cached_property
    def _replaying(self) -> frozenset[int]:
        """Graph ranges below which a CUDA graph was launched."""
        return self._marks_around(self.trace.apis.range[self._launches_graph])

    @cached_property
    def _capturing(self) -> frozenset[int]:
        """Graph ranges below which the nodes of a CUDA graph were made."""
        origin = self.trace.launches.origin
        return self._marks_around(self.trace.apis.range[np.unique(origin[origin >= 0])])

    def _marks_around(self, rows: Int) -> frozenset[int]:
        found = climb(self.ranges.parent, self.is_mark, np.unique(rows))
        return frozenset(found[found >= 0].tolist())
