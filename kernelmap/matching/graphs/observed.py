"""Graphs that ran but whose code was not given: their calls, read off the trace itself.

A call is then (graph key, wrapper, k): the k-th range of that wrapper inside an invocation.
Operators count as calls where they launched something and copy no input. Without graph ranges there
is no invocation to count in, so every wrapper is one call, inferred because benchmarks look the
same. The tags of a capture (model/marks.py) number the calls themselves, with gaps where a call was
never seen. Such graphs have no `code`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, pairwise

import numpy as np
from msgspec import structs
from msgspec.structs import replace

from kernelmap.matching.graphs.assignment import GraphAssignment
from kernelmap.matching.graphs.autotuning import find_benchmarks
from kernelmap.matching.graphs.candidates import ENOUGH
from kernelmap.matching.host_side.host import GraphSpan, Host
from kernelmap.matching.host_side.roles import input_copies, may_copy_inputs
from kernelmap.matching.names.symbols import SymbolStep, is_kernel_symbol
from kernelmap.model import (
    Backend,
    CompiledGraph,
    CompiledProgram,
    Confidence,
    KernelDef,
    Occurrence,
    RangeDetail,
    WrapperCall,
)
from kernelmap.model.marks import MarkedCall, MarkedGraph, decode_mark
from kernelmap.model.names import backend_of, category_of, shim_name, shim_operator
from kernelmap.model.trace import Bool, Int

_SHORT = 8  # characters of a key or digest that a person still reads

UNMARKED = "unmarked"
"""Id of the graph that holds the wrappers seen outside of any graph range."""


def observe_graphs(
    host: Host,
    spans: Sequence[GraphSpan],
    assignments: Sequence[GraphAssignment],
    regions: Sequence[str | None],
    *,
    first: int,
    kernels: Sequence[KernelDef] = (),
) -> tuple[tuple[CompiledGraph, ...], tuple[GraphAssignment, ...]]:
    """Graphs for the spans that no given graph fits, and all assignments with those filled in.

    `regions` are the compile ids around the spans, `first` is the position that the first new
    graph will have in the program. `kernels` are definitions without a graph: one whose content
    hash was seen lends what it says.
    """
    buckets: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, (span, assignment) in enumerate(zip(spans, assignments, strict=True)):
        # On the bare thread, a stretch with a kernel of given code is a piece or a benchmark of
        # that code, and no graph of its own.
        foreign = span.graph_range >= 0 or host.known.isdisjoint(span.symbols)
        if not assignment.graphs and span.rows and foreign:
            buckets[_bucket_of_span(span, regions[number])].append(number)
    defined = {(kernel.name, kernel.hash): kernel for kernel in kernels}
    names = _shortest_ids([bucket for bucket in buckets if bucket[0] == "key"])
    graphs: list[CompiledGraph] = []
    filled = list(assignments)
    for bucket, numbers in buckets.items():
        # Replays show no statements, but are invocations of the graph that the other spans show.
        members = [spans[number] for number in numbers if not spans[number].replays]
        if not members:
            continue
        # Else copies of inputs would become calls of the graph.
        plain = _without_copies(members)
        calls, run = _calls_of_spans(host, plain, defined)
        if not calls:
            continue
        name = names.get(bucket) or (UNMARKED if bucket == (UNMARKED,) else f"graph-{len(graphs)}")
        key = bucket[1] if bucket[0] == "key" else None
        # Without a key a run that lost an event looks like another graph.
        settled = bucket[0] == "key" and _has_settled(host, plain)
        settled = settled and not _may_copy_input(host, members, calls)
        assignment = GraphAssignment(
            graphs=(first + len(graphs),),
            confidence=Confidence.EXACT if settled else Confidence.INFERRED,
            why="its code was not given: calls are counted in the trace itself",
        )
        graphs.append(CompiledGraph(id=name, calls=calls, kernels=run, cache_key=key))
        for number in numbers:
            filled[number] = assignment
    return tuple(graphs), tuple(filled)


def _has_settled(host: Host, spans: Sequence[GraphSpan]) -> bool:
    """Whether all invocations show the same calls, and none of them may be a benchmark.

    A benchmark leaves the kernel's range at least twice in a row. The first invocation of a process
    may hold some, so it may differ where those after it agree; a majority settles nothing.
    """
    # All alike: then only a kernel that comes twice in a row may be a benchmark, unless Python
    # frames show that code called it.
    shapes = [span.symbols for span in spans]
    if len(set(shapes)) == 1 and not (
        _has_repeats(shapes[0]) and any(_not_proven(host, span) for span in spans)
    ):
        return True
    # Not all alike: then only the first invocations of the processes may differ from the rest.
    later = [shape for shape, again in zip(shapes, _ran_before(spans), strict=True) if again]
    if len(later) < ENOUGH - 1 or len(set(later)) > 1:
        return False
    firsts = {shape for shape, again in zip(shapes, _ran_before(spans), strict=True) if not again}
    return all(_without_benchmarks(shape, later[0]) == later[0] for shape in firsts)


def _ran_before(spans: Sequence[GraphSpan]) -> list[bool]:
    """Per span whether an earlier one ran in its process."""
    begun: set[int] = set()
    # Spans come in host order, so the first of a process is its first run.
    again = []
    for span in spans:
        again.append(span.process in begun)
        begun.add(span.process)
    return again


def _without_benchmarks(shape: Sequence[str], calls: Sequence[str]) -> tuple[str, ...]:
    """A first run without the benchmarks of what is called."""
    steps = [SymbolStep(at, symbol, Occurrence.ONCE) for at, symbol in enumerate(calls)]
    places = find_benchmarks(shape, steps).places
    return tuple(symbol for at, symbol in enumerate(shape) if at not in places)


def _may_copy_input(host: Host, spans: Sequence[GraphSpan], calls: Sequence[WrapperCall]) -> bool:
    """Whether a call may be a copy of an input: only Python frames show that it is a statement."""
    copying = {call.target for call in calls if call.target and may_copy_inputs([call.target])}
    return bool(copying) and any(
        symbol in copying and not host.proven[row]
        for span in spans
        for row, symbol in zip(span.rows, span.symbols, strict=True)
    )


def _not_proven(host: Host, span: GraphSpan) -> bool:
    """Whether no Python frames show of one of its ranges that code called it."""
    return not host.proven[list(span.rows)].all()


def _has_repeats(symbols: Sequence[str]) -> bool:
    """Whether a kernel comes twice in a row, as benchmarks do."""
    kernels = filter(is_kernel_symbol, symbols)
    return any(first == second for first, second in pairwise(kernels))


def _bucket_of_span(span: GraphSpan, region: str | None) -> tuple[str, ...]:
    """What makes spans one graph: their cache key, else their region and the kernels they ran."""
    if span.key is not None:
        return ("key", span.key)
    if span.graph_range < 0:
        return (UNMARKED,)
    return ("kernels", region or "", *dict.fromkeys(filter(is_kernel_symbol, span.symbols)))


def _shortest_ids(buckets: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """The shortest prefixes that tell the cache keys apart."""
    keys = [bucket[1] for bucket in buckets]
    length = _SHORT
    while len({key[:length] for key in keys}) < len(set(keys)):
        length += 1
    return {bucket: bucket[1][:length] for bucket in buckets}


def _calls_of_spans(
    host: Host, spans: Sequence[GraphSpan], defined: Mapping[tuple[str, str | None], KernelDef]
) -> tuple[tuple[WrapperCall, ...], tuple[KernelDef, ...]]:
    """The calls of one graph in the order of its most typical span, and their kernels."""
    # Symbols are numbered by first sight. `rows` are the ranges of all spans, one after another,
    # and `number` their symbols' numbers; both (ranges of the spans,).
    met = dict.fromkeys(chain.from_iterable(dict.fromkeys(span.symbols for span in spans)))
    numbers = {symbol: number for number, symbol in enumerate(met)}
    rows = np.fromiter(chain.from_iterable(span.rows for span in spans), dtype=np.int64)
    symbols = chain.from_iterable(span.symbols for span in spans)
    number = np.fromiter(map(numbers.__getitem__, symbols), dtype=np.int64, count=len(rows))
    launched = _first_rows(number, host.launched[rows])
    # Kernels count as calls, operators only where a range of theirs launched something: a view
    # does not.
    working = {it for it, at in numbers.items() if at in launched or is_kernel_symbol(it)}
    # Without graph ranges there are no invocations to count in: one call per kernel, that runs
    # any number of times.
    if spans[0].graph_range < 0:
        order = [symbol for symbol in numbers if is_kernel_symbol(symbol)]
        occurrence = Occurrence.LOOP
    else:
        order = [symbol for symbol in _find_model_symbols(spans, working) if symbol in working]
        occurrence = Occurrence.ONCE
    # A range of each symbol, one with what Inductor exports about it where there is one.
    detailed = host.ranges.detail_id[rows] >= 0
    first = _first_rows(number, np.ones(len(rows), dtype=bool)) | _first_rows(number, detailed)
    example = {symbol: int(rows[first[at]]) for symbol, at in numbers.items()}
    kernels = tuple(
        _observed_kernel(symbol, host.ranges.detail_of(example[symbol]), defined)
        for symbol in dict.fromkeys(order)
        if is_kernel_symbol(symbol) and shim_name(symbol) is None
    )
    # A definition lists the ops of its first call; of several calls each has its own.
    counted = occurrence is Occurrence.ONCE
    once = {symbol for symbol, times in Counter(order).items() if counted and times == 1}
    listed = {kernel.name: kernel.origins for kernel in kernels if kernel.name in once}
    calls = tuple(
        structs.replace(
            _observed_call(index, symbol, host.ranges.name_of(example[symbol]), occurrence),
            origins=listed.get(symbol),
        )
        for index, symbol in enumerate(order)
    )
    return calls, kernels


def _first_rows(number: Int, chosen: Bool) -> dict[int, int]:
    """Where each number comes first among the chosen rows; shapes (rows,)."""
    at = np.flatnonzero(chosen)
    values, first = np.unique(number[at], return_index=True)
    return dict(zip(values.tolist(), at[first].tolist(), strict=True))


def _without_copies(spans: Sequence[GraphSpan]) -> list[GraphSpan]:
    """The spans without what copies inputs; most of a graph's are alike."""
    copies = {symbols: input_copies(symbols, None) for symbols in {it.symbols for it in spans}}
    return [
        _drop_places(span, places) if (places := copies[span.symbols]) else span for span in spans
    ]


def _drop_places(span: GraphSpan, places: Collection[int]) -> GraphSpan:
    kept = [at for at in range(len(span.rows)) if at not in places]
    return replace(
        span,
        rows=tuple(span.rows[at] for at in kept),
        symbols=tuple(span.symbols[at] for at in kept),
    )


def _find_model_symbols(spans: Sequence[GraphSpan], working: Collection[str]) -> tuple[str, ...]:
    """The symbols of the span that shows best what the graph runs.

    Its calls, in any order, are the most common ones; of equally common ones it is one without
    benchmarks, else the shortest, else the latest.
    """
    # Spans with the same symbols are judged once. `shapes` are their calls without order, `times`
    # is how many spans have these calls.
    latest = {span.symbols: number for number, span in enumerate(spans)}
    counts = {it: Counter(symbol for symbol in it if symbol in working) for it in latest}
    shapes = {it: frozenset(count.items()) for it, count in counts.items()}
    times: Counter[frozenset[tuple[str, int]]] = Counter()
    for symbols, seen in Counter(span.symbols for span in spans).items():
        times[shapes[symbols]] += seen

    def rank(symbols: tuple[str, ...]) -> tuple[int, bool, int, int]:
        calls = counts[symbols].total()
        return times[shapes[symbols]], not _has_repeats(symbols), -calls, latest[symbols]

    return max(latest, key=rank)


def _observed_call(index: int, symbol: str, name: str, occurrence: Occurrence) -> WrapperCall:
    shim = shim_name(symbol)
    if is_kernel_symbol(symbol) and shim is None:
        return _kernel_call(index, symbol, occurrence)
    return WrapperCall(
        index=index,
        wrapper=name,
        backend=Backend.EXTERN,
        line=None,
        target=shim_operator(shim) if shim else symbol,
        occurrence=occurrence,
        recorded=True if shim else None,
    )


def _kernel_call(index: int, wrapper: str, occurrence: Occurrence = Occurrence.ONCE) -> WrapperCall:
    return WrapperCall(
        index=index,
        wrapper=wrapper,
        backend=backend_of(wrapper),
        line=None,
        category=category_of(wrapper),
        kernel=wrapper,
        occurrence=occurrence,
    )


def _observed_kernel(
    symbol: str, detail: RangeDetail | None, defined: Mapping[tuple[str, str | None], KernelDef]
) -> KernelDef:
    """A definition as far as the trace tells it, or as the file with its hash does: no lines."""
    by_hash = defined.get((symbol, detail.kernel_hash)) if detail and detail.kernel_hash else None
    if by_hash is not None:
        return by_hash
    return KernelDef(
        name=symbol,
        function=symbol,
        backend=backend_of(symbol),
        first_line=None,
        last_line=None,
        category=category_of(symbol),
        path=detail.kernel_file if detail else None,
    )


def tagged_graphs(program: CompiledProgram, names: Sequence[str]) -> tuple[CompiledGraph, ...]:
    """Graphs that a capture tagged in ranges called `names`, and that `program` has not."""
    given = {graph.digest for graph in program.graphs}
    taken = {graph.id for graph in program.graphs}
    # Tags of given code lead to its own calls, so only foreign digests make graphs.
    read = [tag for name in names if (tag := decode_mark(name)) and tag.digest not in given]
    tags = {tag.digest: tag for tag in read if isinstance(tag, MarkedGraph)}
    calls: dict[str, dict[int, MarkedCall]] = defaultdict(dict)
    for tag in read:
        if isinstance(tag, MarkedCall):
            calls[tag.digest][tag.index] = tag
    graphs = []
    for digest, tagged_calls in calls.items():
        tagged, short = tags.get(digest), digest[:_SHORT]
        name = tagged.name if tagged else None
        wrappers = tuple(_tagged_call(tagged_calls[index]) for index in sorted(tagged_calls))
        kernels = dict.fromkeys(call.kernel for call in wrappers if call.kernel is not None)
        graphs.append(
            CompiledGraph(
                # Graphs of different code may share a name; then the digest tells them apart.
                id=short if name is None else f"{short}:{name}" if name in taken else name,
                calls=wrappers,
                kernels=tuple(_observed_kernel(kernel, None, {}) for kernel in kernels),
                aot_id=name,
                compile_id=tagged.compile_id if tagged else None,
                digest=digest,
            )
        )
    return tuple(graphs)


def _tagged_call(tag: MarkedCall) -> WrapperCall:
    """A call as far as its tag says; a name with a dot is a library call's."""
    if is_kernel_symbol(tag.wrapper):
        return structs.replace(_kernel_call(tag.index, tag.wrapper), handle=tag.handle)
    routine = tag.wrapper.removeprefix("extern_kernels.")
    return WrapperCall(
        index=tag.index,
        wrapper=tag.wrapper,
        backend=Backend.EXTERN,
        line=None,
        target=f"aten.{routine}" if routine != tag.wrapper else tag.wrapper,
        handle=tag.handle,
    )
