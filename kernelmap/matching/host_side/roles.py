"""The ranges of a trace by their roles: graph ranges, compiled regions, benchmarks, calls, copies.

Ranges that only decorate (annotations such as `graph_0_inductor_wrapper_call`) are looked through.
`inductor_wrapper_call` around one run of a C++ wrapper is a graph range where no other is.

Below a graph range lie operators that are no statements of its code: torch clones inputs that are
not aligned, copies inputs to where a CUDA graph reads them, keeps the state of random numbers while
a graph is captured. Where the profile has Python frames these decide: a statement lies right below
generated code. Without frames the place and the code decide. Inductor writes a generated kernel
for a clone, a fill or a copy of a list of tensors: an operator of that name is no statement unless
the code at hand says so. A plain copy may be a statement (of an input that lives elsewhere), so it
counts only before a capture, or before all other operators where given code does not run it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property

import numpy as np

from kernelmap.facts.api_calls import begins_capture
from kernelmap.facts.autotuning import is_benchmark
from kernelmap.facts.frames import FrameRole, frame_role
from kernelmap.matching.names.symbols import is_kernel_symbol, symbol_of
from kernelmap.model import NONE, RangeKind, Reason
from kernelmap.model.columns import by_name, distinct_values, nearest_ancestor
from kernelmap.model.names import (
    cpp_kernel,
    graph_mark,
    is_body,
    is_region,
    is_wrapper_call,
)
from kernelmap.model.trace import ApiCalls, Bool, Frames, Int, Ranges, Small

COPYING = frozenset({"aten.clone", "aten.copy_", "aten.fill_", "aten._foreach_copy_"})
"""Operators that copy inputs, or that the beginning of a capture runs."""

_ROUNDED_NS = 1000
"""By so much the times of frames and ranges may differ: Kineto rounds and clamps times."""

_NEVER_CALLED = frozenset({"aten.clone", "aten._foreach_copy_"})
_BEFORE_THE_CODE = _NEVER_CALLED | {"aten.fill_"}

FORWARD, BACKWARD = "CompiledFunction", "CompiledFunctionBackward"
"""Autograd functions that run compiled code."""


def below_code(ranges: Ranges, frames: Frames | None, graph_range_of: Int) -> Bool:
    """Mask of the ranges whose innermost frame inside their graph range is generated code's."""
    return np.equal(_role_of_frames(ranges, frames, graph_range_of), FrameRole.CODE)


def reasons_by_frames(
    ranges: Ranges, frames: Frames | None, graph_range_of: Int, *, operators: Bool, copying: Bool
) -> Small:
    """Why frames say of a range that it is no statement, NONE where it may be one; (ranges,).

    `graph_range_of` is the graph range around each range, `operators` a mask of those that may be a
    library call right below a graph range, `copying` of those that copy.
    """
    reasons = np.full(len(ranges), Reason.NONE, dtype=np.int8)
    if frames is None:
        return reasons
    roles = _role_of_frames(ranges, frames, graph_range_of)
    # What lies below torch's own copying or benchmarking is no statement.
    reasons[operators & np.equal(roles, FrameRole.COPY)] = Reason.INPUTS
    reasons[np.equal(roles, FrameRole.BENCHMARK)] = Reason.AUTOTUNE
    # When the last statement of each graph range began; (ranges + 1,), the last is that of no
    # graph range.
    code = np.flatnonzero(np.equal(roles, FrameRole.CODE) & (graph_range_of >= 0))
    last = np.full(len(ranges) + 1, np.iinfo(np.int64).min)
    np.maximum.at(last, graph_range_of[code], ranges.start_ns[code])
    last = last[graph_range_of]
    # An operator below no frame of generated code is no statement either, where frames show other
    # statements of the graph range. Before the last of these it prepares inputs.
    beside = operators & np.isin(roles, (FrameRole.NONE, FrameRole.AROUND))
    beside &= (graph_range_of >= 0) & (last > np.iinfo(np.int64).min)
    early = copying | (ranges.start_ns < last)
    reasons[beside & early] = Reason.INPUTS
    reasons[beside & ~early] = Reason.GLUE
    return reasons


def before_capture(ranges: Ranges, apis: ApiCalls, graph_range_of: Int) -> Bool:
    """Mask of the ranges in graph ranges before a stream capture began there; (ranges,)."""
    # When the first capture in each graph range began; (ranges + 1,), the last is that of no
    # graph range.
    begins = by_name(apis.name_id, [begins_capture(name) for name in apis.names])
    rows = np.flatnonzero(begins & (apis.range >= 0))
    graph_range = graph_range_of[apis.range[rows]]
    never = np.iinfo(np.int64).max
    first = np.full(len(ranges) + 1, never)
    np.minimum.at(first, graph_range, apis.start_ns[rows])
    first[NONE] = never
    return (first[graph_range_of] < never) & (ranges.start_ns < first[graph_range_of])


def _role_of_frames(ranges: Ranges, frames: Frames | None, graph_range_of: Int) -> Small:
    """The role of the innermost frame around each, NONE where it began before the graph range."""
    innermost = np.full(len(ranges), FrameRole.NONE, dtype=np.int8)
    if frames is None:
        return innermost
    roles = np.array([frame_role(name) for name in frames.rows.names], dtype=np.int8)
    # `around` is the innermost frame around a range. One that began before the graph range says
    # nothing of what is in it, and a rounded time may be off by a microsecond.
    rows = np.flatnonzero(frames.around >= 0)
    around, graph_range = frames.around[rows], graph_range_of[rows]
    begun = np.append(ranges.start_ns, np.iinfo(np.int64).min)[graph_range]
    inside = frames.rows.start_ns[around] >= begun - _ROUNDED_NS
    innermost[rows[inside]] = roles[frames.rows.name_id[around[inside]]]
    return innermost


def input_copies(symbols: Sequence[str], of_code: Collection[str] | None) -> frozenset[int]:
    """Places in `symbols`, in host order, of what copies inputs.

    `of_code` are the symbols of the graph's code, None where the code is not given.
    """
    run = of_code or ()
    first = COPYING if of_code is not None else _BEFORE_THE_CODE
    places = set()
    leading = True
    for place, symbol in enumerate(symbols):
        # Up to the first operator that is no copy, more counts as one: further on a plain copy
        # may be a statement.
        copies = symbol not in run and symbol in (first if leading else _NEVER_CALLED)
        leading &= copies
        if copies:
            places.add(place)
    return frozenset(places)


def may_copy_inputs(symbols: Sequence[str]) -> bool:
    """Whether one of `symbols`, calls of a graph without code, may be a copy of an input."""
    return not COPYING.isdisjoint(symbols)


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
        return self._mask_names(lambda name: is_region(name) or name in (FORWARD, BACKWARD))

    @cached_property
    def is_graph_range(self) -> Bool:
        """Mask of the graph ranges; shape (ranges,)."""
        named = by_name(self.ranges.name_id, [one is not None for one in self._graph_ranges])
        return named | (
            self._mask_names(is_body) & np.equal(nearest_ancestor(self.ranges.parent, named), NONE)
        )

    @cached_property
    def graph_range_of(self) -> Int:
        """The nearest graph range around each (or itself), -1 without; (ranges,)."""
        return nearest_ancestor(self.ranges.parent, self.is_graph_range)

    @cached_property
    def holds_graph_range(self) -> Bool:
        """Mask of the compiled regions with a graph range somewhere below them; (ranges,)."""
        parent, mask = self.ranges.parent, np.zeros(len(self.ranges), dtype=bool)
        # Upwards from region to region, until all that lie around graph ranges are marked.
        above = nearest_ancestor(parent, self.compiled, np.flatnonzero(self.is_graph_range))
        while len(above := distinct_values(above[above >= 0])):
            mask[above] = True
            above = nearest_ancestor(parent, self.compiled & ~mask, parent[above])
        return mask

    @cached_property
    def benchmarks(self) -> Bool:
        """Mask of the autotuner's ranges around what it benchmarks; shape (ranges,).

        Profiles write them as operators (torch 2.11) or as annotations.
        """
        return self._mask_names(is_benchmark)

    @cached_property
    def has_symbol(self) -> Bool:
        """Mask of the ranges that may stand for a call; shape (ranges,)."""
        # Ranges whose name says nothing may export which compiler their kernel is from; by
        # detail.
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
        # Users' annotations, and torch's around a wrapper's call, may lie between a graph range
        # and its statements.
        annotation = np.equal(self.ranges.kind, RangeKind.ANNOTATION)
        decorates = ~self.is_graph_range & (
            self._mask_names(is_wrapper_call) | (annotation & ~self.benchmarks & ~self.has_symbol)
        )
        return nearest_ancestor(self.ranges.parent, ~decorates, self.ranges.parent)

    @cached_property
    def why_no_call(self) -> Small:
        """Why a range that looks like a call is no call, NONE for others; (ranges,).

        Python frames decide where the trace has them; without, what copies before a stream capture
        begins in a graph range is none.
        """
        operators = self._below_graph_range & ~self._kernels
        copying = by_name(self.ranges.name_id, [symbol in COPYING for symbol in self.symbols])
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
    def call_like(self) -> Bool:
        """Mask of the ranges in spans: directly below a graph range, or beside a kernel's."""
        may_be = np.equal(self.why_no_call, Reason.NONE)
        # Without a graph range a kernel shows where compiled code ran; what stands beside it,
        # such as a library call, is in the same span.
        orphan = self.has_symbol & (self.graph_range_of == NONE) & may_be
        heads = orphan & self._kernels
        call_like = self._below_graph_range & may_be
        if heads.any():
            siblings = self._number_siblings()
            call_like |= orphan & np.isin(siblings, siblings[heads])
        return call_like

    def _number_siblings(self) -> Int:
        """One number per container, or per thread where there is none: siblings share it."""
        # Numbers of bare threads lie below -1, where no container's are.
        threads = np.unique(self.ranges.thread, return_inverse=True)[1]
        thread = self.ranges.process * (threads.max(initial=0) + 1) + threads
        return np.where(self.container >= 0, self.container, NONE - 1 - thread)

    def _mask_names(self, fits: Callable[[str], bool]) -> Bool:
        """Mask of the ranges whose name fits; (ranges,)."""
        return by_name(self.ranges.name_id, [fits(name) for name in self.ranges.names])
