"""The work of calls: CompiledProgram → the bytes and floating-point operations of each call.

Read from the code alone. docs/roofline.md says what is counted, decisions/0030 why.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernelmap.model import Backend, CompiledGraph, CompiledProgram, WrapperCall
from kernelmap.model.work import CodeEvidence, PhysicalOp, Work
from kernelmap.workload import library, template, triton
from kernelmap.workload.coalescing import strided
from kernelmap.workload.copies import copies
from kernelmap.workload.generated_code import GeneratedCode, read
from kernelmap.workload.intermediates import intermediates
from kernelmap.workload.products import products
from kernelmap.workload.repeated import computed, repeated
from kernelmap.workload.split_reductions import with_finishers

__all__ = ["evidence", "physical_ops", "work_and_evidence", "works"]

_PROCESSORS = re.compile(r"\bmulti_processor_count=([1-9]\d{0,5})\b")
_NO_CODE = "its code is not given"
_CPP = "C++ is not read"
_LARGEST = 10**16  # bytes or operations of one execution


def work_and_evidence(program: CompiledProgram) -> tuple[tuple[Work, ...], CodeEvidence]:
    """Both answers, of code that is parsed once."""
    codes = [read(graph) for graph in program.graphs]
    of_calls = works(program, codes)
    return of_calls, evidence(program, of_calls, codes)


def works(
    program: CompiledProgram, codes: Sequence[GeneratedCode | None] | None = None
) -> tuple[Work, ...]:
    """The work of one execution of every call, parallel to `program.calls`.

    `codes` is the parsed code, parallel to `program.graphs`; it is parsed here where it is not
    given.
    """
    parsed = map(read, program.graphs) if codes is None else codes
    pairs = zip(program.graphs, parsed, strict=True)
    return tuple(work for graph, code in pairs for work in _of_graph(graph, code))


def evidence(
    program: CompiledProgram,
    works: Sequence[Work],
    codes: Sequence[GeneratedCode | None] | None = None,
) -> CodeEvidence:
    """What the code says of why calls take their time.

    `works` is parallel to `program.calls`, `codes` as in `works`.
    """
    parsed = map(read, program.graphs) if codes is None else codes
    of_graphs = [
        _evidence(graph, code, works[first : first + len(graph.calls)], first)
        for graph, code, first in zip(program.graphs, parsed, program.first_call, strict=True)
        if code is not None
    ]
    stated = [_PROCESSORS.findall(graph.text or "") for graph in program.graphs]
    return CodeEvidence(
        intermediates=tuple(value for one in of_graphs for value in one.intermediates),
        copies=tuple(copy for one in of_graphs for copy in one.copies),
        strided=tuple(call for one in of_graphs for call in one.strided),
        repeated=tuple(call for one in of_graphs for call in one.repeated),
        products=tuple(product for one in of_graphs for product in one.products),
        processors=min((int(number) for numbers in stated for number in numbers), default=None),
    )


def physical_ops(program: CompiledProgram, position: int) -> tuple[PhysicalOp, ...]:
    """What the call at a position of `program.calls` does step by step.

    Empty for calls of other kernels than those that Inductor writes in Triton.
    """
    graph, call = program.calls[position]
    code = read(graph)
    if code is None:
        return ()
    launches = tuple(triton.launches(graph, code))
    for kernel in computed(graph, code, launches, _of_graph(graph, code)):
        if kernel.launch.call is call:
            return kernel.ops(position - call.index)
    return ()


def _evidence(
    graph: CompiledGraph, code: GeneratedCode, works: Sequence[Work], first: int
) -> CodeEvidence:
    """That of one graph, whose first call has the position `first` in the program."""
    launches = tuple(triton.launches(graph, code))
    kernels = computed(graph, code, launches, works)
    by_call = {first + kernel.launch.call.index: kernel for kernel in kernels}
    return CodeEvidence(
        intermediates=tuple(
            with_finishers(value, by_call, code)
            for value in intermediates(graph, code, works, first)
        ),
        copies=tuple(copies(launches, works, first)),
        strided=tuple(strided(launches, works, first)),
        repeated=tuple(repeated(kernels, works, first)),
        products=tuple(products(graph, code, first)),
    )


def _of_graph(graph: CompiledGraph, code: GeneratedCode | None) -> list[Work]:
    if code is None:
        reason = _NO_CODE if graph.text is None else _CPP
        return [Work(reason=reason) for _ in graph.calls]
    return [_measurable(graph, call, code) for call in graph.calls]


def _measurable(graph: CompiledGraph, call: WrapperCall, code: GeneratedCode) -> Work:
    """The work of a call, unless its code states what no program does."""
    try:
        work = _of_call(graph, call, code)
    except RecursionError:
        return Work(reason="its source is nested too deeply")
    largest = max(work.bytes.most if work.bytes else 0, work.flops or 0)
    return Work(reason="its sizes are beyond all measure") if largest > _LARGEST else work


def _of_call(graph: CompiledGraph, call: WrapperCall, code: GeneratedCode) -> Work:
    if call.backend in (Backend.EXTERN, Backend.GLUE):
        return library.work_of(call, code)
    if call.backend is Backend.CPP:
        return Work(reason=_CPP)
    if call.backend is Backend.TEMPLATE:
        return template.work_of(graph, call, code)
    return triton.work_of(graph, call, code)
