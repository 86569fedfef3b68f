"""The ranges of a trace by the roles that their names give them.

Takes ranges, api calls and Python frames, no launches: which are graph ranges, compiled regions,
benchmarks, which may stand for a call, and which of these form graph spans. Ranges that only
decorate (annotations such as `graph_0_inductor_wrapper_call`) are looked through.
`inductor_wrapper_call` around one run of a C++ wrapper is a graph range where no other is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

import numpy as np

from kernelmap.matching.host_side.columns import by_name, nearest_ancestor
from kernelmap.matching.host_side.input_copies import (
    COPYING,
    before_capture,
    below_code,
    reasons_by_frames,
)
from kernelmap.matching.names.symbols import is_kernel_symbol, symbol_of
from kernelmap.model import NONE, RangeKind, Reason
from kernelmap.model.names import (
    cpp_kernel,
    graph_mark,
    is_benchmark,
    is_body,
    is_region,
    is_wrapper_call,
)
from kernelmap.model.trace import ApiCalls, Bool, Frames, Int, Ranges, Small

FORWARD, BACKWARD = "CompiledFunction", "CompiledFunctionBackward"
"""Autograd functions that run compiled code."""


class Roles:
    """What `ranges` are; `kernels` are wrapper names known from code, `apis` the calls in them.

    By name id: `symbols`, None for names that stand for no call, and `keys`, the cache keys that
    graph ranges state.
    """

    def __init__(
        self,
        ranges: Ranges,
        kernels: Iterable[str],
        apis: ApiCalls | None = None,
        frames: Frames | None = None,
    ) -> None:
        self.ranges, self.apis, self.frames = ranges, apis, frames
        self.known = frozenset(kernels)
        self._graph_ranges = [graph_mark(name) for name in ranges.names]
        self.symbols = [name if name in self.known else symbol_of(name) for name in ranges.names]
        self.keys = [one.key if one else None for one in self._graph_ranges]

    @cached_property
    def shows_cpp(self) -> bool:
        """Whether C++ kernels left ranges in this trace."""
        return any(cpp_kernel(name) for name in self.ranges.names)

    @cached_property
    def compiled(self) -> Bool:
        """Mask of the ranges that torch.compile puts around compiled code; shape (ranges,)."""
        return self._named(lambda name: is_region(name) or name in (FORWARD, BACKWARD))

    @cached_property
    def is_graph_range(self) -> Bool:
        """Mask of the graph ranges; shape (ranges,)."""
        named = by_name(self.ranges.name_id, [one is not None for one in self._graph_ranges])
        return named | (
            self._named(is_body) & np.equal(nearest_ancestor(self.ranges.parent, named), NONE)
        )

    @cached_property
    def graph_range_of(self) -> Int:
        """The nearest graph range around each (or itself), -1 without; (ranges,)."""
        return nearest_ancestor(self.ranges.parent, self.is_graph_range)

    @cached_property
    def holds_graph_range(self) -> Bool:
        """Mask of the compiled regions with a graph range somewhere below them; (ranges,)."""
        parent, mask = self.ranges.parent, np.zeros(len(self.ranges), dtype=bool)
        above = nearest_ancestor(parent, self.compiled, np.flatnonzero(self.is_graph_range))
        while len(above := np.unique(above[above >= 0])):
            mask[above] = True
            above = nearest_ancestor(parent, self.compiled & ~mask, parent[above])
        return mask

    @cached_property
    def benchmarks(self) -> Bool:
        """Mask of the autotuner's annotations around what it benchmarks; shape (ranges,)."""
        annotation = np.equal(self.ranges.kind, RangeKind.ANNOTATION)
        return self._named(is_benchmark) & annotation

    @cached_property
    def has_symbol(self) -> Bool:
        """Mask of the ranges that may stand for a call; shape (ranges,)."""
        generated = np.array([d.backend is not None for d in self.ranges.details], dtype=bool)
        mask = by_name(self.ranges.name_id, [symbol is not None for symbol in self.symbols])
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
        decorates = ~self.is_graph_range & (
            self._named(is_wrapper_call) | (annotation & ~self.benchmarks & ~self.has_symbol)
        )
        return nearest_ancestor(self.ranges.parent, ~decorates, self.ranges.parent)

    @cached_property
    def beside(self) -> Small:
        """Why a range that looks like a call is none, NONE for others; (ranges,).

        Python frames decide where the trace has them; without, what copies before a stream capture
        begins in a graph range is none.
        """
        operators = self._below_graph_range & ~self._kernels
        copying = by_name(self.ranges.name_id, [each in COPYING for each in self.symbols])
        reasons = reasons_by_frames(
            self.ranges, self.frames, self.graph_range_of, operators=operators, copying=copying
        )
        if self.apis is not None:
            early = before_capture(self.ranges, self.apis, self.graph_range_of)
            reasons[operators & copying & early] = Reason.INPUTS
        return np.where(self.has_symbol, reasons, Reason.NONE).astype(np.int8)

    @cached_property
    def proven(self) -> Bool:
        """Mask of the ranges that Python frames show right below generated code; (ranges,)."""
        return below_code(self.ranges, self.frames, self.graph_range_of)

    @cached_property
    def _below_graph_range(self) -> Bool:
        """Mask of the ranges directly below a graph range that may stand for a call; (ranges,)."""
        below = (self.container >= 0) & self.is_graph_range[self.container]
        return np.asarray(self.has_symbol & below, dtype=bool)

    @cached_property
    def _kernels(self) -> Bool:
        """Mask of the ranges that are kernels' by name or by what they export; (ranges,)."""
        kernel = [s is not None and is_kernel_symbol(s) for s in self.symbols]
        return by_name(self.ranges.name_id, kernel) | (self.ranges.detail_id >= 0)

    @cached_property
    def items(self) -> Bool:
        """Mask of the ranges in spans: directly below a graph range, or beside a kernel's."""
        may_be = np.equal(self.beside, Reason.NONE)
        orphan = self.has_symbol & (self.graph_range_of == NONE) & may_be
        heads = orphan & self._kernels
        items = self._below_graph_range & may_be
        if heads.any():
            siblings = self._siblings()
            items |= orphan & np.isin(siblings, np.unique(siblings[heads]))
        return items

    def _siblings(self) -> Int:
        """One number per container, or per thread where there is none: siblings share it."""
        threads = np.unique(self.ranges.thread, return_inverse=True)[1]
        thread = self.ranges.process * (threads.max(initial=0) + 1) + threads
        return np.where(self.container >= 0, self.container, NONE - 1 - thread)

    def _named(self, fits: Callable[[str], bool]) -> Bool:
        """Mask of the ranges whose name fits; (ranges,)."""
        return by_name(self.ranges.name_id, [fits(name) for name in self.ranges.names])
