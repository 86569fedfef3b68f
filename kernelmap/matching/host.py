"""The host side of a trace as matching sees it: graph ranges, and the call-like ranges below them.

A *group* is one stretch of host time whose call-like ranges follow each other: below one
`## Call CompiledFxGraph …` range, or, where no such range is around, below one common parent (a
compiled region, an autograd function) or on the thread itself. Ranges that only decorate
(annotations such as `graph_0_inductor_wrapper_call`) are looked through; ranges in which kernels
are benchmarked are not. `inductor_wrapper_call` around one run of a C++ wrapper is a graph range
where no other is.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise

import numpy as np

from kernelmap.matching.captures import captured_calls
from kernelmap.matching.climb import climb
from kernelmap.matching.groups import Group
from kernelmap.matching.symbols import is_kernel_symbol, symbol_of
from kernelmap.model import NONE, RangeKind, Trace
from kernelmap.model.names import cpp_kernel, graph_mark, is_body, is_region, is_wrapper_call
from kernelmap.model.trace import Bool, Int

_BENCHMARKS = ("benchmark", "do_bench")
REPLAY = "GraphLaunch"
"""In the names of the api calls that launch a CUDA or HIP graph."""
_COMPILED = ("CompiledFunction", "CompiledFunctionBackward")


class Host:
    """The ranges of `trace` with their roles; `kernels` are wrapper names known from code."""

    def __init__(self, trace: Trace, kernels: Iterable[str]) -> None:
        self.trace = trace
        self.ranges = trace.ranges
        names = trace.ranges.names
        self.known = frozenset(kernels)
        marks = [graph_mark(name) for name in names]
        self.symbols = [name if name in self.known else symbol_of(name) for name in names]
        self.keys = [mark.key if mark else None for mark in marks]
        self._name_is_mark = np.array([mark is not None for mark in marks], dtype=bool)
        self._name_has_symbol = np.array([s is not None for s in self.symbols], dtype=bool)
        self._name_is_body = np.array([is_body(name) for name in names], dtype=bool)
        self._name_decorates = np.array([is_wrapper_call(name) for name in names], dtype=bool)
        self._name_benchmarks = np.array(
            [any(word in name for word in _BENCHMARKS) for name in names], dtype=bool
        )

    @cached_property
    def shows_cpp(self) -> bool:
        """Whether C++ kernels left ranges in this trace."""
        return any(cpp_kernel(name) for name in self.ranges.names)

    @cached_property
    def compiled(self) -> Bool:
        """Mask of the ranges that torch.compile puts around compiled code; shape (ranges,)."""
        flags = [is_region(name) or name in _COMPILED for name in self.ranges.names]
        return self._by_name(np.array(flags, dtype=bool))

    @cached_property
    def is_mark(self) -> Bool:
        """Mask of the graph ranges; shape (ranges,)."""
        named = self._by_name(self._name_is_mark)
        body = self._by_name(self._name_is_body)
        return named | (body & np.equal(climb(self.ranges.parent, named), NONE))

    @cached_property
    def benchmarks(self) -> Bool:
        """Mask of the annotations in which kernels are benchmarked; shape (ranges,)."""
        annotation = np.equal(self.ranges.kind, RangeKind.ANNOTATION)
        return self._by_name(self._name_benchmarks) & annotation & ~self.is_mark

    @cached_property
    def has_symbol(self) -> Bool:
        """Mask of the ranges that may stand for a call; shape (ranges,)."""
        generated = np.array([d.backend is not None for d in self.ranges.details], dtype=bool)
        mask = self._by_name(self._name_has_symbol)
        if len(generated):
            mask |= (self.ranges.detail_id >= 0) & generated[self.ranges.detail_id]
        return mask

    @cached_property
    def spelled(self) -> tuple[str, ...]:
        """The symbol by name id; the name itself where only its range's detail says it is one."""
        return tuple(s or name for s, name in zip(self.symbols, self.ranges.names, strict=True))

    def symbol(self, row: int) -> str:
        """The symbol of a range that has one."""
        return self.spelled[int(self.ranges.name_id[row])]

    @cached_property
    def container(self) -> Int:
        """The nearest range around each that does not merely decorate, -1 without; (ranges,)."""
        annotation = np.equal(self.ranges.kind, RangeKind.ANNOTATION)
        decorates = ~self.is_mark & (
            self._by_name(self._name_decorates) | (annotation & ~self.benchmarks & ~self.has_symbol)
        )
        return climb(self.ranges.parent, ~decorates, self.ranges.parent)

    @cached_property
    def replayed(self) -> Bool:
        """Mask of launches that a graph launch replayed: their host side is the launcher's."""
        launches, apis = self.trace.launches, self.trace.apis
        replays = np.array([REPLAY in name for name in apis.names], dtype=bool)
        mask = np.zeros(len(launches), dtype=bool)
        linked = launches.api >= 0
        if len(replays):
            mask[linked] = replays[apis.name_id[launches.api[linked]]]
        return mask | (launches.graph_node > 0)

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

        What was captured into a graph counts: it is launched whenever the graph is.
        """
        captured = [self.trace.apis.range[rows] for rows in captured_calls(self.trace)]
        return self._items_around(np.concatenate([self.host_range, *captured]))

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
        found = climb(self.ranges.parent, self._items, np.unique(ranges[ranges >= 0]))
        mask[found[found >= 0]] = True
        return mask

    @cached_property
    def holds_mark(self) -> Bool:
        """Mask of the compiled regions with a graph range somewhere below them; (ranges,)."""
        parent, mask = self.ranges.parent, np.zeros(len(self.ranges), dtype=bool)
        above = climb(parent, self.compiled, np.flatnonzero(self.is_mark))
        while len(above := np.unique(above[above >= 0])):
            mask[above] = True
            above = climb(parent, self.compiled & ~mask, parent[above])
        return mask

    @cached_property
    def mark_of(self) -> Int:
        """The nearest graph range around each (or itself), -1 without; (ranges,)."""
        return climb(self.ranges.parent, self.is_mark)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """All groups in host order."""
        rows = np.flatnonzero(self._items)
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

    @cached_property
    def _items(self) -> Bool:
        """Mask of the ranges in groups: directly below a mark, or beside a kernel's range."""
        below_mark = (self.container >= 0) & self.is_mark[self.container]
        orphan = self.has_symbol & (self.mark_of == NONE)
        kernel = np.array(["." not in s if s else False for s in self.symbols], dtype=bool)
        known_kernel = self._by_name(kernel) | (self.ranges.detail_id >= 0)
        heads = orphan & known_kernel
        items = self.has_symbol & below_mark
        if heads.any():
            spots = self._spot()
            items |= orphan & np.isin(spots, np.unique(spots[heads]))
        return items

    def _spot(self) -> Int:
        """One number per container, or per thread where there is none: siblings share it."""
        threads = np.unique(self.ranges.thread, return_inverse=True)[1]
        thread = self.ranges.process * (threads.max(initial=0) + 1) + threads
        return np.where(self.container >= 0, self.container, NONE - 1 - thread)

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
        apis = self.trace.apis
        names = np.array([REPLAY in name for name in apis.names], dtype=bool)
        launched = apis.range[names[apis.name_id]] if len(names) else apis.range
        return self._marks_around(launched)

    @cached_property
    def _capturing(self) -> frozenset[int]:
        """Graph ranges below which the nodes of a CUDA graph were made."""
        origin = self.trace.launches.origin
        return self._marks_around(self.trace.apis.range[np.unique(origin[origin >= 0])])

    def _marks_around(self, rows: Int) -> frozenset[int]:
        found = climb(self.ranges.parent, self.is_mark, np.unique(rows))
        return frozenset(found[found >= 0].tolist())

    def _by_name(self, flags: Bool) -> Bool:
        """Spread a per-name flag over the ranges."""
        if len(flags) == 0:
            return np.zeros(len(self.ranges), dtype=bool)
        return np.asarray(flags[self.ranges.name_id], dtype=bool)
