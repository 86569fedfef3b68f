"""The marks of a trace: ranges in which a capture wrote down graphs and calls (model/marks.py).

Also the graphs that only marks know: what ran and was marked, but whose code was not given. Their
calls are numbered by the marks, so there are gaps where a call was never seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kernelmap.matching.host_side.columns import by_name
from kernelmap.model import Backend, CompiledGraph, CompiledProgram, KernelDef, WrapperCall
from kernelmap.model.marks import MarkedCall, MarkedGraph, decode, is_mark
from kernelmap.model.trace import Bool, Ranges

_SHORT = 8  # characters of a digest that a person still reads


@dataclass(frozen=True, slots=True)
class CaptureTags:
    """What the names of ranges say, by name id; None for ranges that are no marks.

    `is_graph` and `is_call` are masks of the ranges that are marks of one kind; shape (ranges,).
    """

    read: tuple[MarkedGraph | MarkedCall | None, ...]
    is_graph: Bool
    is_call: Bool

    @classmethod
    def of(cls, ranges: Ranges) -> CaptureTags:
        """Read the names of `ranges`."""
        read = tuple(decode(n) if is_mark(n) else None for n in ranges.names)
        graphs, calls = (
            by_name(ranges.name_id, [isinstance(mark, kind) for mark in read])
            for kind in (MarkedGraph, MarkedCall)
        )
        return cls(read, graphs, calls)


def marked_graphs(program: CompiledProgram, names: Sequence[str]) -> tuple[CompiledGraph, ...]:
    """Graphs that ranges called `names` mark and `program` has not."""
    given = {graph.digest for graph in program.graphs}
    read = [mark for name in names if (mark := decode(name)) and mark.digest not in given]
    graphs = {mark.digest: mark for mark in read if isinstance(mark, MarkedGraph)}
    calls: dict[str, dict[int, MarkedCall]] = {}
    for mark in read:
        if isinstance(mark, MarkedCall):
            calls.setdefault(mark.digest, {})[mark.index] = mark
    taken = frozenset(graph.id for graph in program.graphs)
    return tuple(_graph(digest, graphs.get(digest), calls[digest], taken) for digest in calls)


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
