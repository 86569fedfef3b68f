"""The marks of a trace: ranges in which a capture wrote down graphs and calls (model/marks.py).

Also the graphs that only marks know: what ran and was marked, but whose code was not given. Their
calls are numbered by the marks, so there are gaps where a call was never seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kernelmap.model import Backend, CompiledGraph, CompiledProgram, KernelDef, Trace, WrapperCall
from kernelmap.model.marks import MarkedCall, MarkedGraph, decode, is_mark
from kernelmap.model.trace import Bool

_SHORT = 8  # characters of a digest that a person still reads


@dataclass(frozen=True, slots=True)
class Marks:
    """What the names of ranges say, by name id; None for ranges that are no marks."""

    read: tuple[MarkedGraph | MarkedCall | None, ...]

    @classmethod
    def of(cls, trace: Trace) -> Marks:
        """Read the names of `trace`."""
        return cls(tuple(decode(n) if is_mark(n) else None for n in trace.ranges.names))

    def mask(self, trace: Trace, kind: type[MarkedGraph | MarkedCall]) -> Bool:
        """Mask of the ranges that are marks of one kind; shape (ranges,)."""
        flags = np.array([isinstance(mark, kind) for mark in self.read], dtype=bool)
        if not len(flags):
            return np.zeros(len(trace.ranges), dtype=bool)
        return np.asarray(flags[trace.ranges.name_id], dtype=bool)


def marked_graphs(program: CompiledProgram, trace: Trace) -> tuple[CompiledGraph, ...]:
    """Graphs that `trace` marks and `program` has not."""
    given = {graph.digest for graph in program.graphs}
    read = [mark for mark in Marks.of(trace).read if mark is not None and mark.digest not in given]
    names = {mark.digest: mark for mark in read if isinstance(mark, MarkedGraph)}
    calls: dict[str, dict[int, MarkedCall]] = {}
    for mark in read:
        if isinstance(mark, MarkedCall):
            calls.setdefault(mark.digest, {})[mark.index] = mark
    return tuple(
        _graph(digest, names.get(digest), calls[digest], _taken(program)) for digest in calls
    )


def _taken(program: CompiledProgram) -> frozenset[str]:
    return frozenset(graph.id for graph in program.graphs)


def _graph(
    digest: str, mark: MarkedGraph | None, calls: Mapping[int, MarkedCall], taken: frozenset[str]
) -> CompiledGraph:
    name = mark.name if mark else None
    short = digest[:_SHORT]
    wrappers = [_call(calls[index]) for index in sorted(calls)]
    return CompiledGraph(
        id=short if name is None else f"{short}:{name}" if name in taken else name,
        calls=tuple(wrappers),
        kernels=tuple(
            KernelDef(
                name=call.wrapper,
                function=call.wrapper,
                backend=call.backend,
                first_line=None,
                last_line=None,
            )
            for call in {call.wrapper: call for call in wrappers if call.kernel}.values()
        ),
        aot_id=name,
        compile_id=mark.compile_id if mark else None,
        digest=digest,
    )


def _call(mark: MarkedCall) -> WrapperCall:
    """A call as far as its mark tells; a name with a dot is a library call's."""
    library = "." in mark.wrapper
    routine = mark.wrapper.removeprefix("extern_kernels.")
    return WrapperCall(
        index=mark.index,
        wrapper=mark.wrapper,
        backend=_backend(mark.wrapper),
        line=None,
        kernel=None if library else mark.wrapper,
        target=f"aten.{routine}" if routine != mark.wrapper else mark.wrapper if library else None,
        handle=mark.handle,
    )


def _backend(wrapper: str) -> Backend:
    if "." in wrapper:
        return Backend.EXTERN
    if wrapper.startswith("cpp_fused"):
        return Backend.CPP
    return Backend.TRITON if wrapper.startswith("triton_") else Backend.USER
