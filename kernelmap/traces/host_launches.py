"""Host ranges of code compiled for the CPU → launches, since no GPU activity shows them.

The rule:
- a range that a C++ kernel opened (`graph_0_cpp_fused_add_1`) is a launch, inside a graph or not;
  so is one that a C++ wrapper opened around a library call on the CPU (`aoti_torch_cpu_addmm_out`);
- below the body of an invocation (a `## Call CompiledFxGraph ##` or `inductor_wrapper_call` range)
  every direct child with an operator's name is a launch, if nothing below that body touched a
  GPU: no api call, no GPU activity, no Triton wrapper. `aten::addmm`;
- so is the mark of a call (model/marks.py), under the name of the call's wrapper: that of a C++
  kernel always, any other if nothing below the range around it touched a GPU;
- of several around each other only the outermost counts, so no host time counts twice.
No call launches what is `IDLE`: operators that allocate or alias and do no work of their own.

In a CPU profile, where compiled code ran and nothing touched a GPU, every other operator is a
launch as well, with its self time. So launches add up to what all operators took. An operator is
what the profiler's category says, but for ranges that only say where one is: graphs, steps, marks.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kernelmap.model import names
from kernelmap.model.busy_time import is_left_out_by_torch, self_time_ns
from kernelmap.model.marks import MarkedCall, decode_mark, is_mark
from kernelmap.model.trace import (
    NONE,
    Activity,
    ApiCalls,
    Bool,
    Int,
    Launches,
    RangeKind,
    Ranges,
)
from kernelmap.traces.linking import launching

_IDLE_NAMES = """
    _reshape_alias _unsafe_view alias as_strided detach empty empty_like empty_strided expand
    lift_fresh narrow new_empty new_empty_strided permute reshape resize_ resolve_conj resolve_neg
    select set_ slice split split_with_sizes squeeze t transpose unbind unfold unsqueeze view
    view_as view_as_complex view_as_real
"""
IDLE = frozenset(f"aten::{name}" for name in _IDLE_NAMES.split())
"""Operators that only allocate or alias."""
_ON_CPU = "aoti_torch_cpu_"


def find_host_launches(ranges: Ranges, apis: ApiCalls, launches: Launches) -> Launches:
    """The host ranges of linked `ranges` that stand for launches; names as in `ranges.names`."""
    # Masks of ranges, (ranges,): those that are launches anywhere (C++ kernels), bodies of
    # invocations, and marks of calls.
    kernel = _marked(ranges, _is_own)
    body = _marked(ranges, _is_body)
    call = _marked(ranges, _is_marked_call)
    rows = np.flatnonzero(kernel)
    if body.any() or call.any():
        # Every range with GPU work anywhere below it, (ranges,).
        on_gpu = _upwards(ranges.parent, _touches_gpu(ranges, apis, launches))
        parent = ranges.parent
        # Direct children of a body in which nothing ran on a GPU. A body
        # in a body is no launch itself.
        below = (parent >= 0) & body[parent] & ~on_gpu[parent] & ~body
        # Ranges whose surroundings touch no GPU: the mark of a call
        # counts there, whatever it calls.
        alone = (parent >= 0) & ~on_gpu[parent]
        # A marked C++ kernel counts as long as nothing below its own mark ran on a GPU.
        kernel = kernel | (call & alone) | (_marked(ranges, _is_marked_cpp) & ~on_gpu)
        rows = np.flatnonzero(kernel | (below & _marked(ranges, _is_work)))
    rows = _outermost(rows, ranges.parent)
    return _launches(ranges, rows, Activity.CPU, ranges.dur_ns[rows])


def other_operators(ranges: Ranges, on_host: Launches) -> Launches:
    """The operators of a CPU profile that are no launch of `on_host` and lie in none."""
    # Ranges that are launches of compiled code; what lies in them is part of their time.
    taken = np.zeros(len(ranges), dtype=np.bool_)
    taken[on_host.range[np.equal(on_host.activity, Activity.CPU)]] = True
    # What torch leaves out of its own tables is no row here either: its time is that of its caller.
    operator = (
        np.equal(ranges.kind, RangeKind.OP)
        & ~_marked(ranges, _is_place)
        & ~is_left_out_by_torch(ranges)
    )
    rows = np.flatnonzero(operator & ~_inside(taken, ranges.parent))
    return _launches(ranges, rows, Activity.OPERATOR, self_time_ns(ranges, rows))


def uses_gpu(ranges: Ranges, apis: ApiCalls, launches: Launches) -> bool:
    """Whether anything was launched on a GPU, as far as the source says."""
    # A trace without GPU rows may still show GPU work: calls that
    # launch, or ranges of Triton kernels.
    on_gpu = bool((~launches.on_cpu).any() or launching(apis).any())
    # Calls that launch nothing do not count: the profiler itself waits for the device once.
    return on_gpu or bool((_marked(ranges, _is_triton) | (ranges.detail_id >= 0)).any())


def _launches(ranges: Ranges, rows: Int, activity: Activity, dur_ns: Int) -> Launches:
    """Launches that are the ranges `rows`."""
    name_id, launched = _names(ranges, rows)
    absent = np.full(len(rows), NONE, dtype=np.int64)
    return Launches(
        name_id=name_id,
        activity=np.full(len(rows), activity, dtype=np.int8),
        start_ns=ranges.start_ns[rows],
        dur_ns=dur_ns,
        process=ranges.process[rows],
        device=absent,
        stream=absent,
        correlation=absent,
        external=ranges.external[rows],
        graph=absent,
        graph_node=absent,
        grid=np.full((len(rows), 3), NONE, dtype=np.int64),
        block=np.full((len(rows), 3), NONE, dtype=np.int64),
        event=ranges.event[rows],
        api=absent,
        range=rows,
        origin=absent,
        names=launched,
    )


def _names(ranges: Ranges, rows: Int) -> tuple[Int, tuple[str, ...]]:
    """Name ids of `rows`, and their table: marks are called as the wrapper that they name."""
    # By the name id of the ranges what a launch of that name is called; two names may become one.
    spelled = [_wrapper(name) or name for name in ranges.names]
    table = {name: number for number, name in enumerate(dict.fromkeys(spelled))}
    ids = np.array([table[name] for name in spelled], dtype=np.int64)
    return (ids[ranges.name_id[rows]] if len(rows) else ranges.name_id[rows]), tuple(table)


def _wrapper(name: str) -> str | None:
    """The wrapper of the call that a mark is of, None for other ranges."""
    mark = decode_mark(name) if is_mark(name) else None
    return mark.wrapper if isinstance(mark, MarkedCall) else None


def _is_marked_call(name: str) -> bool:
    return _wrapper(name) is not None


def _is_marked_cpp(name: str) -> bool:
    wrapper = _wrapper(name)
    return wrapper is not None and names.cpp_kernel(wrapper) is not None


def _is_own(name: str) -> bool:
    return names.cpp_kernel(name) is not None or name.startswith(_ON_CPU)


def _is_body(name: str) -> bool:
    return names.graph_mark(name) is not None or names.is_wrapper_call(name)


def _is_place(name: str) -> bool:
    """Whether a range says where operators run, and is none itself."""
    return _is_body(name) or is_mark(name) or names.step_number(name) is not None


def _is_work(name: str) -> bool:
    if names.is_shim(name):
        return True
    return names.operator_of_range(name) is not None and name not in IDLE


def _is_triton(name: str) -> bool:
    wrapper = _wrapper(name)
    if wrapper is not None:  # a kernel of whatever name, unless C++ or a library's
        return "." not in wrapper and names.cpp_kernel(wrapper) is None
    return name.startswith("triton_") or names.is_member(name)


def _marked(ranges: Ranges, holds: Callable[[str], bool]) -> Bool:
    """Mask of the ranges whose name `holds`; every name is asked once."""
    by_name = np.array([holds(name) for name in ranges.names], dtype=np.bool_)
    return by_name[ranges.name_id] if len(ranges) else np.zeros(0, dtype=np.bool_)


def _touches_gpu(ranges: Ranges, apis: ApiCalls, launches: Launches) -> Bool:
    """Mask of the ranges that an api call, a GPU activity or a Triton wrapper lies in."""
    # A range for which Inductor exported details is a Triton kernel, whatever its name.
    touched = _marked(ranges, _is_triton) | (ranges.detail_id >= 0)
    for rows in (apis.range, launches.range):
        touched[rows[rows >= 0]] = True
    return touched


def _upwards(parent: Int, lowest: Bool) -> Bool:
    """Mask of the rows of `lowest` and of everything around them."""
    # One level per round: the parents of the newly reached ranges. A parent that was reached before
    # is not visited again, so each range is walked over once.
    reached = lowest.copy()
    rows = np.flatnonzero(reached)
    while len(rows):
        above = parent[rows]
        above = above[above >= 0]
        fresh = np.zeros(len(parent), dtype=np.bool_)
        fresh[above] = True
        rows = np.flatnonzero(fresh & ~reached)
        reached[rows] = True
    return reached


def _outermost(rows: Int, parent: Int) -> Int:
    """Those of `rows` that lie in no other of them."""
    chosen = np.zeros(len(parent), dtype=np.bool_)
    chosen[rows] = True
    return rows[~_below(chosen, parent, rows)]


def _inside(chosen: Bool, parent: Int) -> Bool:
    """Mask of the `chosen` ranges and of all that lie in one of them."""
    return chosen | _below(chosen, parent, np.arange(len(parent)))


def _below(chosen: Bool, parent: Int, rows: Int) -> Bool:
    """Mask of those of `rows` that lie in a chosen range."""
    # Each row climbs one level per round. It stops at the first chosen range, or at the top.
    below = np.zeros(len(rows), dtype=np.bool_)
    open_rows = np.arange(len(rows))
    above = parent[rows]
    while len(open_rows := open_rows[(rising := above >= 0)]):
        above = above[rising]
        below[open_rows] = chosen[above]
        open_rows, above = open_rows[~chosen[above]], parent[above[~chosen[above]]]
    return below
