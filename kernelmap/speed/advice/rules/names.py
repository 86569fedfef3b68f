"""Reasons in what identifies graphs and kernels: keys, content hashes, device names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernelmap.facts.engine_options import options_of_engine
from kernelmap.facts.provenance import why_keyless
from kernelmap.matching.names.symbols import is_kernel_symbol, split_suffix
from kernelmap.model import NONE, Backend, CacheOutcome, CompiledGraph
from kernelmap.model.advice import Claim, Lack, Weight
from kernelmap.model.names import compile_id, cpp_kernel
from kernelmap.model.notices import format_count
from kernelmap.model.trace import Bool
from kernelmap.speed.advice.case import Case, ProfiledRun

_BARE = "triton_"  # the function of every kernel where unique names are off


def graph_ranges_missing(case: Case) -> Iterator[Claim]:
    """No range says where a graph begins: torch before it wrote `## Call CompiledFxGraph …`."""
    run = case.run
    if run is None or run.has_marks:
        return
    rows = run.unsure & run.doubtful
    if rows.any():
        yield Claim(
            slug="graph-ranges-missing",
            what="no `## Call CompiledFxGraph … ##` range says where a graph begins and ends",
            do="Record with a newer torch, and give its TORCH_TRACE log; an AOTInductor "
            "model writes `inductor_wrapper_call` with profiler_mark_wrapper_call = True.",
            then="exact: the range and its cache key name the graph",
            rows={Lack.CALL: rows},
        )


def cache_key_none(case: Case) -> Iterator[Claim]:
    """Graph ranges bear no key: Inductor's caches were off or bypassed."""
    then = "exact: the key names the graph"
    run = case.run
    if run is None:
        off = [g for g in case.given if g.compile_id is not None and g.cache_key is None]
        if off:
            yield Claim(
                slug="cache-key-none",
                what=f"the log states no cache key, so {why_keyless(off)}: "
                f"{format_count(len(off), 'graph')}",
                do=_caches_on(off),
                then=then,
                weight=Weight.NOTE,
            )
        return
    # Invocations whose graph range has `None` where the key should be.
    keyless = [
        position
        for position, invocation in enumerate(run.invocations)
        if invocation.span.graph_range != NONE and invocation.span.key is None
    ]
    rows = run.unsure & run.doubtful & run.of_invocations(keyless)
    if rows.any():
        graphs = [
            case.program.graphs[graph]
            for position in keyless
            for graph in run.invocations[position].assignment.graphs
        ]
        yield Claim(
            slug="cache-key-none",
            what=f"graph ranges read `## Call CompiledFxGraph None ##`: {why_keyless(graphs)}",
            do=_caches_on(graphs, _shapes_of_engine(run)),
            then=then,
            rows={Lack.CALL: rows},
        )


def _shapes_of_engine(run: ProfiledRun) -> str | None:
    """How the engine that ran records shapes; None where none ran, or where it says no such."""
    options = options_of_engine(run.trace)
    return None if options is None else options.shapes


def _caches_on(graphs: Iterable[CompiledGraph], shapes: str | None = None) -> str:
    """What gives graphs a key, or stands for one where the cache is bypassed.

    `shapes` is how an engine records shapes.
    """
    if any(emitted.cache is CacheOutcome.BYPASS for graph in graphs for emitted in graph.emitted):
        if shapes is not None:
            return f"Record shapes ({shapes}), whose content hashes name the graph."
        return (
            "Remove what bypasses the cache; or record_shapes=True, whose content hashes name the "
            "graph, or `kernelmap capture`, which marks it."
        )
    return (
        "Leave Inductor's caches on (unset TORCHINDUCTOR_FORCE_DISABLE_CACHES, "
        "TORCHINDUCTOR_FX_GRAPH_CACHE=1) and give the TORCH_TRACE log."
    )


def record_shapes_off(case: Case) -> Iterator[Claim]:
    """Ranges of Triton kernels carry no content hash, which would prove the graph."""
    run = case.run
    if run is None or run.by_nsys or run.by_rocprof or not case.given or _is_old(run):
        return
    # Only where Triton ranges were recorded does the missing hash say anything.
    if not _has_triton_range(run) or any(d.kernel_hash for d in run.trace.ranges.details):
        return
    rows = run.unsure & run.doubtful
    if rows.any():
        yield Claim(
            slug="record-shapes-off",
            what="ranges of Triton kernels carry no kernel_hash: shapes were not recorded",
            do="torch.profiler.profile(…, record_shapes=True)"
            if (shapes := _shapes_of_engine(run)) is None
            else f"Record shapes: {shapes}.",
            then="exact where the hash stands in the code",
            rows={Lack.CALL: rows},
        )


def kernel_names_not_unique(case: Case) -> Iterator[Claim]:
    """All Triton kernels run as `triton_`."""
    run = case.run
    if run is None:
        bare = [k for g in case.given for k in g.kernels if k.function == _BARE]
        if bare:
            yield _not_unique(format_count(len(bare), "kernel"), {}, Weight.NOTE)
        return
    # A flag per name id; below, one per launch.
    flags = [name == _BARE for name in _names_of_run(run)]
    rows = run.unsure & run.mask_names(flags)
    if rows.any():
        launches = format_count(int(rows.sum()), "launch")
        yield _not_unique(launches, {Lack.CALL: rows}, Weight.CHANGE)


def legacy_kernel_names(case: Case) -> Iterator[Claim]:
    """Kernels run as `triton__0d1d`, by Triton before 3.0: several may share such a name."""
    run = case.run
    if run is None:
        return
    # `triton__0d1d` is the bare name with a signature behind it.
    flags = [(split_suffix(name) or ("",))[0] == _BARE for name in _names_of_run(run)]
    rows = run.unsure & run.mask_names(flags)
    if rows.any():
        yield Claim(
            slug="legacy-kernel-names",
            what="names such as `triton__0d1d`, by Triton before 3.0, spell a signature and no "
            f"kernel: {format_count(int(rows.sum()), 'launch')}",
            do="Compile with TORCHINDUCTOR_UNIQUE_KERNEL_NAMES=1, or with Triton 3.",
            then="a name of its own for each kernel",
            rows={Lack.CALL: rows},
        )


def _not_unique(who: str, rows: dict[Lack, Bool], weight: Weight) -> Claim:
    return Claim(
        slug="kernel-names-not-unique",
        what=f"kernels run as `triton_`, because unique kernel names are off: {who}",
        do="Compile with TORCHINDUCTOR_UNIQUE_KERNEL_NAMES=1.",
        then="a name of its own for each kernel",
        weight=weight,
        rows=rows,
    )


def _names_of_run(run: ProfiledRun) -> tuple[str, ...]:
    return run.trace.launches.names


def _is_old(run: ProfiledRun) -> bool:
    """Whether the versions that export kernel details had not come: neither marks nor ids."""
    return not run.has_marks and not any(compile_id(name) for name in run.trace.ranges.names)


def _has_triton_range(run: ProfiledRun) -> bool:
    """Whether a Triton kernel left a range."""
    host = run.match.context.host
    # The wrappers of Triton kernels in the code.
    triton = {
        call.wrapper
        for _, call in run.match.program.calls
        if call.backend not in (Backend.CPP, Backend.EXTERN, Backend.GLUE)
    }
    return any(
        symbol is not None and symbol in triton and is_kernel_symbol(symbol)
        for symbol in host.symbols
        if symbol is None or cpp_kernel(symbol) is None
    )
