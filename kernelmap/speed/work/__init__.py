"""The work of calls: CompiledProgram → the bytes and floating-point operations of each call.

Read from the code alone. docs/roofline.md says what is counted, decisions/0030 why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial

from msgspec.structs import replace

from kernelmap.model import Backend, CompiledGraph, CompiledProgram, WrapperCall
from kernelmap.model.notices import join_some
from kernelmap.model.work import (
    Amount,
    Arguments,
    CodeEvidence,
    Operand,
    PhysicalOp,
    Repeated,
    Work,
)
from kernelmap.speed.work import cpp, library, template, triton
from kernelmap.speed.work.coalescing import find_strided_calls
from kernelmap.speed.work.copies import find_copies, library_copies
from kernelmap.speed.work.costly_functions import find_costly_functions
from kernelmap.speed.work.generated_code import GeneratedCode, read_code
from kernelmap.speed.work.indirect import find_indirect_accesses
from kernelmap.speed.work.intermediates import find_intermediates
from kernelmap.speed.work.model_flops import model_flops_of
from kernelmap.speed.work.physical_ops import in_words
from kernelmap.speed.work.products import find_products
from kernelmap.speed.work.repeated import find_repeated, steps_of_graph
from kernelmap.speed.work.split_reductions import with_finishers
from kernelmap.speed.work.symbols import Sizes, WithSizes, names_of_symbols, solve_sizes
from kernelmap.speed.work.uneven_rows import find_uneven_rows

__all__ = [
    "evidence_of_code",
    "sizes_of_runs",
    "steps_in_words",
    "steps_of_call",
    "symbolic_graphs",
    "work_and_evidence",
    "works_of_calls",
]

_PROCESSORS = re.compile(r"multi_processor_count=([1-9]\d{0,5})\b")
_NO_CODE = "its code is not given"
_UNREAD = "its code cannot be parsed"
_UNKNOWN_SIZE = ("the size", "the shape")  # how reasons of calls without sizes begin
_LARGEST = 10**16  # bytes or operations of one execution


Runs = Mapping[int, Sequence[Mapping[int, Arguments]]]
"""The arguments that were recorded of calls, by the position of the graph, per run, by index."""


def symbolic_graphs(program: CompiledProgram) -> tuple[int, ...]:
    """The positions of the graphs of which the code leaves sizes open."""
    return tuple(at for at, graph in enumerate(program.graphs) if names_of_symbols(graph))


def sizes_of_runs(program: CompiledProgram, at: int, runs: Runs) -> list[Sizes]:
    """The different sizes that a graph ran with, as far as its recorded arguments tell them."""
    graph = program.graphs[at]
    code = read_code(graph)
    solved = [solve_sizes(graph, code, run) for run in runs[at]] if code is not None else []
    return list({tuple(sorted(one.items())): one for one in solved if one}.values())


def work_and_evidence(
    program: CompiledProgram, runs: Runs | None = None
) -> tuple[tuple[Work, ...], Callable[[], CodeEvidence]]:
    """Both answers, of code that is parsed once; evidence is looked for once it is asked for.

    `runs` say what sizes the symbols of code stand for. Where they differ from run to run, the work
    of a call is a bound, and the evidence says nothing of its graph.
    """
    codes = [read_code(graph) for graph in program.graphs]
    bounds: dict[int, list[Work]] = {}
    # Graphs with open sizes whose arguments were recorded. Runs of equal sizes are one.
    for at, of_graph in (runs or {}).items():
        graph, code = program.graphs[at], codes[at]
        if code is not None:
            sizes = [solve_sizes(graph, code, run) for run in of_graph]
            different = list({tuple(sorted(one.items())): one for one in sizes if one}.values())
            # A run whose sizes are not known may have had any. With one set of sizes the graph is
            # as good as one of static shapes; with several only its bounds are known.
            if None not in sizes and different:
                exact = [read_code(graph, WithSizes(one).visit) for one in different]
                codes[at] = exact[0] if len(exact) == 1 else code
                bounds[at] = _bound_works([_of_graph(graph, one) for one in exact])
    of_graphs = [
        bounds.get(at) or _of_graph(graph, code)
        for at, (graph, code) in enumerate(zip(program.graphs, codes, strict=True))
    ]
    of_calls = tuple(work for of_graph in of_graphs for work in of_graph)
    return of_calls, cache(partial(evidence_of_code, program, of_calls, codes))


def _bound_works(works: Sequence[Sequence[Work]]) -> list[Work]:
    """The work of each call between the least and the most of several runs."""
    return [_work_between(of_call) for of_call in zip(*works, strict=True)]


def _work_between(works: Sequence[Work]) -> Work:
    # All runs agree, as for calls that do not depend on the open sizes.
    first = works[0]
    if all(work == first for work in works):
        return first
    # A call that multiplies nothing in any run is no gap, whatever its sizes are.
    model_flops = 0 if all(work.model_flops == 0 for work in works) else None
    # By tensor and direction: the bytes of each run.
    operands: dict[tuple[str, bool], list[Amount]] = {}
    for work in works:
        if work.operands is None:
            return Work(model_flops=model_flops, reason=work.reason)
        for one in work.operands:
            operands.setdefault((one.name, one.written), []).append(one.bytes)
    return Work(
        operands=tuple(
            Operand(
                name=name,
                written=written,
                bytes=Amount(min(a.least for a in amounts), max(a.most for a in amounts)),
            )
            for (name, written), amounts in operands.items()
        ),
        model_flops=model_flops,
        reason="sizes differ from run to run: bytes lie between those of the smallest and the"
        " largest",
    )


def works_of_calls(
    program: CompiledProgram, codes: Sequence[GeneratedCode | None] | None = None
) -> tuple[Work, ...]:
    """The work of one execution of every call, parallel to `program.calls`.

    `codes` is the parsed code, parallel to `program.graphs`; it is parsed here where it is not
    given.
    """
    parsed = map(read_code, program.graphs) if codes is None else codes
    pairs = zip(program.graphs, parsed, strict=True)
    return tuple(work for graph, code in pairs for work in _of_graph(graph, code))


def evidence_of_code(
    program: CompiledProgram,
    works: Sequence[Work],
    codes: Sequence[GeneratedCode | None] | None = None,
) -> CodeEvidence:
    """What the code says of why calls take their time.

    `works` is parallel to `program.calls`, `codes` as in `works`.
    """
    parsed = map(read_code, program.graphs) if codes is None else codes
    of_graphs = [
        _evidence_of_graph(graph, code, works[first : first + len(graph.calls)], first)
        for graph, code, first in zip(program.graphs, parsed, program.first_call, strict=True)
        if code is not None
    ]
    # The text of kernels states the device that they were compiled for.
    stated = [_PROCESSORS.findall(graph.text or "") for graph in program.graphs]
    return CodeEvidence(
        intermediates=tuple(value for one in of_graphs for value in one.intermediates),
        copies=tuple(copy for one in of_graphs for copy in one.copies),
        strided=tuple(call for one in of_graphs for call in one.strided),
        repeated=tuple(call for one in of_graphs for call in one.repeated),
        products=tuple(product for one in of_graphs for product in one.products),
        functions=tuple(call for one in of_graphs for call in one.functions),
        indirect=tuple(access for one in of_graphs for access in one.indirect),
        uneven_rows=tuple(call for one in of_graphs for call in one.uneven_rows),
        processors=min((int(number) for numbers in stated for number in numbers), default=None),
    )


def steps_in_words(program: CompiledProgram, position: int) -> Iterator[str]:
    """The steps of a call as a person reads them, and what is computed again costs."""
    ops, again = steps_of_call(program, position)
    for op in ops:
        maker = op.computed_before
        yield in_words(op) + ("" if maker is None else f", as {_call_id(program, maker)} did")
    for one in again:
        for name, size in one.loads:
            earlier = _call_id(program, one.before)
            yield f"reads {size:,} bytes of {name} for what {earlier} computed, and nothing else"


def _call_id(program: CompiledProgram, position: int) -> str:
    graph, call = program.calls[position]
    return graph.call_id(call)


def steps_of_call(
    program: CompiledProgram, position: int
) -> tuple[tuple[PhysicalOp, ...], tuple[Repeated, ...]]:
    """What the call at a position of `program.calls` does step by step, and what it repeats.

    Both are empty for calls of other kernels than those that Inductor writes in Triton.
    """
    graph, call = program.calls[position]
    code = read_code(graph)
    if code is None or call.backend is not Backend.TRITON:
        return (), ()
    first, works = position - call.index, _of_graph(graph, code)
    # All kernels of the graph are needed, to know what an earlier one computed already.
    kernels = steps_of_graph(graph, code, tuple(triton.iter_launches(graph, code)), works)
    of_call = [kernel for kernel in kernels if kernel.launch.call is call]
    ops = tuple(op for kernel in of_call for op in kernel.ops(first))
    return ops, tuple(find_repeated(of_call, works, first))


def _evidence_of_graph(
    graph: CompiledGraph, code: GeneratedCode, works: Sequence[Work], first: int
) -> CodeEvidence:
    """That of one graph, whose first call has the position `first` in the program."""
    launches = tuple(triton.iter_launches(graph, code))
    kernels = steps_of_graph(graph, code, launches, works)
    # Steps of kernels by the positions of their calls in the program, as evidence counts them.
    by_call = {first + kernel.launch.call.index: kernel for kernel in kernels}
    return CodeEvidence(
        intermediates=tuple(
            with_finishers(value, by_call, code)
            for value in find_intermediates(graph, code, works, first)
        ),
        copies=(*find_copies(launches, works, first), *library_copies(graph, code, first)),
        strided=tuple(find_strided_calls(launches, works, first)),
        repeated=tuple(find_repeated(kernels, works, first)),
        products=tuple(find_products(graph, code, first)),
        functions=tuple(find_costly_functions(launches, works, first)),
        indirect=tuple(find_indirect_accesses(launches, first)),
        uneven_rows=tuple(find_uneven_rows(launches, works, first)),
    )


def _of_graph(graph: CompiledGraph, code: GeneratedCode | None) -> list[Work]:
    if code is None:
        reason = _NO_CODE if graph.text is None else _UNREAD
        return [Work(reason=reason) for _ in graph.calls]
    works = [_measurable_work(graph, call, code) for call in graph.calls]
    # Where a size is missing because it is symbolic, the reason says so, and how to record it.
    unknown = code.is_symbolic and any(map(_lacks_size, works))
    open_sizes = sorted(names_of_symbols(graph)) if unknown else []
    if not open_sizes:
        return works
    reason = (
        f"its sizes follow from {join_some(open_sizes)}, which the profile does not state: record"
        " it with record_shapes=True"
    )
    return [replace(work, reason=reason) if _lacks_size(work) else work for work in works]


def _lacks_size(work: Work) -> bool:
    return (work.reason or "").startswith(_UNKNOWN_SIZE)


def _measurable_work(graph: CompiledGraph, call: WrapperCall, code: GeneratedCode) -> Work:
    """The work of a call, unless its code states what no program does."""
    try:
        work = _of_call(graph, call, code)
        work = replace(work, model_flops=model_flops_of(call, work, code))
    except RecursionError:
        return Work(reason="its source is nested too deeply")
    largest = max(work.bytes.most if work.bytes else 0, work.flops or 0)
    return Work(reason="its sizes are beyond all measure") if largest > _LARGEST else work


def _of_call(graph: CompiledGraph, call: WrapperCall, code: GeneratedCode) -> Work:
    if call.backend in (Backend.EXTERN, Backend.GLUE):
        return library.work_of(call, code)
    if call.backend is Backend.CPP:
        return cpp.work_of(call, code)
    if call.backend is Backend.TEMPLATE:
        return template.work_of(graph, call, code)
    return triton.work_of(graph, call, code)
