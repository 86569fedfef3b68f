"""Every rule of the doctor: it fires where its fact is, and is silent where the fact is not."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from msgspec.structs import replace

from kernelmap.model import (
    Artifact,
    Backend,
    CacheOutcome,
    Compilation,
    CompiledGraph,
    Emitted,
    FailedGuard,
    FxNode,
    Notice,
    Occurrence,
    RangeDetail,
    SourceLine,
    Stage,
    Step,
    Trace,
    WrapperCall,
)
from kernelmap.model.advice import Lack, Weight
from kernelmap.model.program import Operands
from kernelmap.traces.assemble import assemble_trace
from speed.advice.diagnosed import diagnose, finding_of, slugs, time_of
from tiny import Timeline, graph, program
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace

A, B, C = "triton_poi_fused_a_0", "triton_poi_fused_b_1", "triton_poi_fused_c_2"
KEY = "fkey"
LINE = SourceLine(file="m.py", line=7, code="x + y")


def whole(name: str, *symbols: str, key: str | None = KEY) -> CompiledGraph:
    """A graph of which everything is known: its log, nodes, lines and modules."""
    plain = graph(name, *symbols, cache_key=key, compile_id="0/0")
    compilation = Compilation(compile_id="0/0", log="log", serial=0)
    return replace(
        plain,
        calls=tuple(
            replace(call, handle=call.index, nodes=("n",), lines=(LINE,)) for call in plain.calls
        ),
        nodes=(FxNode(name="n", stage=Stage.POST_GRAD, lines=(LINE,), module="L['self']"),),
        artifacts=tuple(Artifact),
        aot_id=name,
        emitted=(Emitted(compilation=compilation),),
    )


def without_detail(graph_: CompiledGraph, *kept: Artifact) -> CompiledGraph:
    """The same graph with no handles, nodes or lines, and only some artifacts."""
    calls = tuple(replace(call, handle=None, nodes=None, lines=()) for call in graph_.calls)
    return replace(graph_, calls=calls, nodes=(), artifacts=kept, emitted=())


FORWARD = whole("0_forward", A, "aten.mm", B)
BACKWARD = whole("0_backward", C, A, key="fback")


def steady(*graphs: CompiledGraph, runs: int = 3) -> Timeline:
    """Some runs of the graphs."""
    line = Timeline()
    for _ in range(runs):
        for compiled in graphs:
            line.invoke(compiled, key=compiled.cache_key)
    return line


def bare(trace: Trace) -> Trace:
    """The same trace, as a profile without ProfilerActivity.CPU has it."""
    launches = replace(trace.launches, api=np.full(len(trace.launches), -1))
    return replace(
        trace,
        ranges=trace.ranges.take_rows(slice(0)),
        apis=trace.apis.take_rows(slice(0)),
        launches=launches,
    )


def test_nothing_wrong_is_said_so() -> None:
    """Where all is exact and known there is no finding, and nothing adds up."""
    advice = diagnose(program(FORWARD, BACKWARD), steady(FORWARD, BACKWARD).trace())

    assert advice.findings == ()
    assert advice.totals == ()
    assert advice.changes == 0


def test_code_alone_asks_for_a_profile() -> None:
    """Without a profile nothing has a time."""
    advice = diagnose(program(FORWARD))

    assert slugs(advice) == ["profile-missing"]
    assert advice.findings[0].weight is Weight.LOST


def test_a_profile_without_the_host_side() -> None:
    """GPU rows alone are placed by their order: ProfilerActivity.CPU was not asked for."""
    advice = diagnose(program(FORWARD), bare(steady(FORWARD, runs=8).trace()))

    assert "ProfilerActivity.CPU" in finding_of(advice, "host-side-missing").do
    assert time_of(advice, "host-side-missing") == advice.total_ns
    assert "window-cut" not in slugs(advice)


def test_replays_are_told_apart_from_lost_api_calls() -> None:
    """Launches of one graph launch count for the replay, not for a window that was cut."""
    line = steady(FORWARD).launch(A, api="cudaGraphLaunch", count=3)
    advice = diagnose(program(FORWARD), line.trace())

    assert time_of(advice, "graph-replay") == 300
    assert "cudagraphs" in finding_of(advice, "graph-replay").do
    assert "window-cut" not in slugs(advice)


def test_captured_kernels_without_a_replay_are_lost_time() -> None:
    """Launches that went into a graph have no GPU row; a capture beside them says why."""
    rows: list[TraceRow] = [
        RangeRow("aten::mm", 0, 100),
        ApiRow("cudaStreamBeginCapture", 5, 8),
        ApiRow("cudaLaunchKernel", 10, 20, correlation=1),
        ApiRow("cudaLaunchKernel", 30, 40, correlation=2),
        LaunchRow("sgemm", 50, 90, correlation=2),
    ]
    advice = diagnose(program(), assemble_trace(raw_trace(rows)))
    replayed = [*rows, ApiRow("cudaGraphLaunch", 110, 120, correlation=3)]
    replayed += [LaunchRow("sgemm", 130, 150, correlation=3)]

    assert finding_of(advice, "captured-only").weight is Weight.LOST
    assert "activity-missing" not in slugs(advice)
    assert "captured-only" not in slugs(diagnose(program(), assemble_trace(raw_trace(replayed))))


@pytest.mark.parametrize(
    ("count", "weight"), [(3, Weight.LOST), (200, Weight.NOTE)], ids=["many", "few"]
)
def test_launches_without_gpu_activity(count: int, weight: Weight) -> None:
    """A launch on the host without a GPU row is time that the result lacks."""
    line = Timeline()
    for _ in range(count):
        line.eager("aten::add")
    line.rows.append(ApiRow("cudaLaunchKernel", line.now, line.now + 2, correlation=9_999))

    assert finding_of(diagnose(program(), line.trace()), "activity-missing").weight is weight


def test_launches_whose_api_call_lies_before_the_window() -> None:
    """Kernels without an api call, where others have one, were cut off."""
    line = Timeline().launch("sgemm", api=None, count=2)
    line.invoke(FORWARD, key=KEY)
    advice = diagnose(program(FORWARD), line.trace())

    assert time_of(advice, "window-cut") == 200
    assert "synchronize" in finding_of(advice, "window-cut").do


def test_an_invocation_that_the_window_cut() -> None:
    """Where the first invocation lacks statements and its graph range, the window began in it."""
    cut = Timeline().invoke(FORWARD, marked=False, skip=[0]).invoke(FORWARD, key=KEY)

    assert "window-cut" in slugs(diagnose(program(FORWARD), cut.trace()))
    assert "ranges-lost" not in slugs(diagnose(program(FORWARD), cut.trace()))


@pytest.mark.parametrize("lost", [0, 3])
def test_a_range_that_was_recorded_whole_was_not_cut(lost: int) -> None:
    """Statements that are missing in a whole graph range were lost, be it the first or the last."""
    line = Timeline()
    for number in range(4):
        line.invoke(FORWARD, key=KEY, skip=[0, 1] if number == lost else [])
    line.eager("aten::add")
    advice = diagnose(program(FORWARD), line.trace())

    assert "window-cut" not in slugs(advice)
    assert (time_of(advice, "ranges-lost") or 0) > 0


def test_an_api_call_that_was_lost_within_the_window() -> None:
    """An api call that is missing behind others of its stream was lost, and not cut off."""
    line = Timeline().invoke(FORWARD, key=KEY).launch("sgemm", api=None)
    line.invoke(FORWARD, key=KEY)
    advice = diagnose(program(FORWARD), line.trace())

    assert "window-cut" not in slugs(advice)
    assert "1 launch without the api call" in finding_of(advice, "ranges-lost").what


def test_ranges_that_were_lost_amid_others() -> None:
    """Where an invocation in the middle lacks ranges, the profiler lost events."""
    twice = whole("0_forward", A, A, B)
    line = Timeline().invoke(twice, key=KEY)
    line.invoke(twice, key=KEY, skip=[0]).invoke(twice, key=KEY)
    advice = diagnose(program(twice), line.trace())

    assert (time_of(advice, "ranges-lost") or 0) > 0
    assert "window-cut" not in slugs(advice)


def test_a_branch_is_left_over() -> None:
    """What no setting changes is named with its reason and the command that explains it."""
    forked = graph(
        "0_forward", A, A, B, cache_key=KEY, occurrence={A: Occurrence.BRANCH}, compile_id="0/0"
    )
    line = Timeline().invoke([A, B], key=KEY).invoke([A, B], key=KEY).invoke([A, B], key=KEY)
    advice = diagnose(program(forked), line.trace())

    assert "branch" in finding_of(advice, "not-exact").what
    assert (
        "`kernelmap explain 2" in finding_of(advice, "not-exact").do
    )  # one of the median duration


def test_no_code_at_all() -> None:
    """A profile alone names calls from itself; its kernels have no ops."""
    advice = diagnose(program(), steady(FORWARD).trace())

    assert slugs(advice) == ["trace-alone"]
    assert time_of(advice, "trace-alone", Lack.OP) == 600
    assert time_of(advice, "trace-alone", Lack.LINE) == 900


def test_code_of_a_graph_that_ran_is_missing() -> None:
    """Its calls have no line, and what is known by names alone may be it."""
    forward = replace(FORWARD, cache_key=None, emitted=())
    line = Timeline()
    for _ in range(3):
        line.invoke(forward, key="f1").invoke([C, C, "aten.bmm"], key="f2")
    advice = diagnose(program(forward), line.trace())

    assert time_of(advice, "code-missing", Lack.LINE) == 900
    assert time_of(advice, "code-missing") == 900
    assert "trace-alone" not in slugs(advice)


def test_code_from_a_shared_cache() -> None:
    """Borrowed code that was told by its kernels is at best inferred, and its log helps."""
    borrowed = replace(whole("0_forward", A, B, key=None), borrowed=True)
    advice = diagnose(program(borrowed), steady(borrowed).trace())
    keyed = replace(FORWARD, borrowed=True)

    assert time_of(advice, "cache-borrowed") == advice.total_ns
    assert slugs(diagnose(program(keyed), steady(keyed).trace())) == []


def test_code_of_several_runs() -> None:
    """Two graphs of one name that fit alike are ambiguous: one run's code is too much."""
    one = replace(FORWARD, cache_key=None, code="run_1/output_code.py")
    two = replace(one, id="run_2/0_forward", code="run_2/output_code.py")
    line = Timeline()
    for _ in range(3):
        line.invoke(one, key="fkey")
    advice = diagnose(program(one, two), line.trace())
    other = replace(two, id="1_forward", aot_id="1_forward")

    assert time_of(advice, "several-runs") == advice.total_ns
    assert "several-runs" in slugs(diagnose(program(one, two)))
    assert "several-runs" not in slugs(diagnose(program(one, other), line.trace()))


def test_one_reason_takes_nothing_from_the_others() -> None:
    """Code of several runs explains its own launches; others that lack a call still count apart."""
    one = replace(FORWARD, cache_key=None, code="run_1/output_code.py")
    two = replace(one, id="run_2/0_forward", code="run_2/output_code.py")
    line = Timeline().invoke(one, key="fkey").launch(A, api=None)
    advice = diagnose(program(one, two), line.trace())
    (total,) = [total for total in advice.totals if total.lack is Lack.CALL]

    assert total.time_ns == advice.total_ns
    assert time_of(advice, "several-runs") == len(FORWARD.calls) * 100


def test_ranks_are_no_several_runs() -> None:
    """Logs of two ranks may each have a graph of one name."""
    graphs = [
        replace(
            FORWARD,
            id=f"rank_{rank}/0_forward",
            emitted=(
                Emitted(
                    compilation=Compilation(
                        compile_id="0/0", log=f"rank_{rank}", serial=0, rank=rank
                    )
                ),
            ),
        )
        for rank in range(2)
    ]

    assert "several-runs" not in slugs(diagnose(program(*graphs)))


def test_code_that_never_ran() -> None:
    """Beside code that ran it is a note; alone it is the wrong code."""
    beside = diagnose(program(FORWARD, whole("1_forward", C, key="f1")), steady(FORWARD).trace())
    alone = diagnose(program(whole("5_forward", C, C, key="f5")), steady(FORWARD).trace())

    assert finding_of(beside, "graph-not-run").weight is Weight.NOTE
    assert beside.changes == 0
    assert finding_of(alone, "graph-not-run").weight is Weight.CHANGE


def test_a_cpp_wrapper_without_ranges() -> None:
    """Its calls are placed by name at best; the kernel profile is off."""
    plain = whole("model", A, B)
    calls = (replace(call, recorded=False, operands=Operands()) for call in plain.calls)
    silent = replace(plain, calls=tuple(calls))
    line = Timeline()
    for _ in range(3):
        begin = line.now
        line.run(A, ranged=False).run(B, ranged=False).enclose("aten::other", begin)
    advice = diagnose(program(silent), line.trace())

    assert time_of(advice, "calls-without-ranges") == 600
    assert "calls-without-ranges" in slugs(diagnose(program(silent)))
    assert "calls-without-ranges" not in slugs(diagnose(program(plain)))


def tuned(*, steps: bool) -> Trace:
    """A first invocation with benchmarks of A, then three plain ones."""
    line = Timeline()
    line.invoke([A, A, A, A, "aten.mm", B], key=None)
    end = line.now
    for _ in range(3):
        line.invoke(FORWARD, key=None)
    trace = line.trace()
    marks = (
        Step(number=0, start_ns=0, end_ns=end, process=0),
        Step(number=1, start_ns=end, end_ns=line.now, process=0),
    )
    return replace(trace, steps=marks if steps else ())


def test_autotuning_inside_the_window() -> None:
    """Benchmarks are no part of a usual step, and make the first calls uncertain."""
    advice = diagnose(program(FORWARD), tuned(steps=True))

    assert time_of(advice, "autotuning-inside", Lack.STEADY) == 300
    assert (time_of(advice, "autotuning-inside") or 0) > 0
    assert "--steps 1:1" in finding_of(advice, "autotuning-inside").do
    assert "steps-unmarked" not in slugs(advice)


def test_autotuning_without_steps() -> None:
    """Without ProfilerStep ranges the first step cannot be left out."""
    advice = diagnose(program(FORWARD), tuned(steps=False))

    assert "steps-unmarked" in slugs(advice)
    assert "--steps" not in finding_of(advice, "autotuning-inside").do


def test_a_key_of_none_is_reported_where_it_costs() -> None:
    """Two graphs fit in part and by names: a key would have named the graph."""
    one, two = whole("0_forward", A, B, key=None), whole("1_forward", A, B, C, key=None)
    line = Timeline().invoke(one, key=None).invoke([A, B], key=None)
    costs = diagnose(program(one, two), line.trace())
    costless = diagnose(program(one), line.trace())

    assert (time_of(costs, "cache-key-none") or 0) == 400
    assert "cache-key-none" not in slugs(costless)
    assert finding_of(diagnose(program(one)), "cache-key-none").weight is Weight.NOTE


def bypassed(graph_: CompiledGraph) -> CompiledGraph:
    """The same graph, whose log says that the cache was bypassed."""
    compilation = Compilation(compile_id="0/0", log="log", serial=0)
    emitted = Emitted(compilation=compilation, cache=CacheOutcome.BYPASS, bypass="a custom pass")
    return replace(graph_, emitted=(emitted,))


def test_a_bypass_of_the_cache_is_not_a_cache_that_is_off() -> None:
    """Where the log says why the cache was bypassed, so does the advice: no cache is off."""
    one, two = whole("0_forward", A, B, key=None), whole("1_forward", A, B, C, key=None)
    line = Timeline().invoke(one, key=None).invoke([A, B], key=None)
    for trace in (line.trace(), None):
        finding = finding_of(
            diagnose(program(bypassed(one), bypassed(two)), trace), "cache-key-none"
        )

        assert "the cache was bypassed (a custom pass)" in finding.what
        assert "caches were off" not in finding.what
        assert "TORCHINDUCTOR_FORCE_DISABLE_CACHES" not in finding.do
    silent = finding_of(diagnose(program(one, two), line.trace()), "cache-key-none")
    assert "caches were off or bypassed" in silent.what


@pytest.mark.parametrize(("times", "fires"), [(2, False), (3, True), (8, True)])
def test_a_function_that_is_compiled_again_and_again(times: int, *, fires: bool) -> None:
    """The guard that failed is named from the third compilation on, with what all of them took."""
    guard = FailedGuard(earlier="0/0", guard="L['n'] == 2", detail="0/0: L['n'] == 2")
    compilations = tuple(
        Compilation(
            compile_id=f"0/{number}",
            log="log",
            serial=number,
            function="f",
            line=SourceLine(file="m.py", line=7),
            failed_guards=(guard,) if number else (),
            compile_ns=2_000_000_000,
            backward_ns=None if number else 500_000_000,
        )
        for number in range(times)
    )
    advice = diagnose(replace(program(FORWARD), compilations=compilations))

    assert ("recompiles" in slugs(advice)) is fires
    if fires:
        assert finding_of(advice, "recompiles").weight is Weight.CHANGE
        words = f"f (m.py:7) was compiled {times} times in {2 * times}.50 s"
        assert words in finding_of(advice, "recompiles").what
        assert "L['n'] == 2" in finding_of(advice, "recompiles").what


def test_a_profile_without_its_host_side_is_not_called_eager() -> None:
    """Where nothing says what launched a kernel, nothing says that it is all eager code."""
    unknown = diagnose(program(), Timeline().launch("sgemm", api=None).trace())
    eager = diagnose(program(), Timeline().eager("aten::mm").trace())

    assert "all eager" not in finding_of(unknown, "nothing-compiled").what
    assert "all eager" in finding_of(eager, "nothing-compiled").what


def test_shapes_that_were_not_recorded_are_reported_where_they_cost() -> None:
    """The same with keys that no log explains: a content hash would have proved the graph."""
    one, two = whole("0_forward", A, B, key=None), whole("1_forward", A, B, C, key=None)
    line = Timeline().invoke(one, key="f1").invoke(one, key="f1")
    hashed = Timeline()
    for _ in range(2):
        begin = len(hashed.rows)
        hashed.invoke(one, key="f1")
        hashed.rows[begin:] = [
            dataclasses.replace(row, detail=RangeDetail(kernel_hash="cother", backend="triton"))
            if isinstance(row, RangeRow) and row.name == B
            else row
            for row in hashed.rows[begin:]
        ]

    assert time_of(diagnose(program(one, two), line.trace()), "record-shapes-off") == 400
    assert "record-shapes-off" not in slugs(diagnose(program(one), line.trace()))
    assert "record-shapes-off" not in slugs(diagnose(program(one, two), hashed.trace()))


def test_graph_ranges_of_newer_versions() -> None:
    """On the bare thread nothing proves where a graph begins."""
    line = Timeline()
    for _ in range(3):
        line.invoke(FORWARD, marked=False)
    plain = whole("0_forward", A, "aten.mm", B, key=None)
    advice = diagnose(program(plain), line.trace())

    assert time_of(advice, "graph-ranges-missing") == advice.total_ns
    assert "record-shapes-off" not in slugs(advice)
    assert slugs(diagnose(program(FORWARD), steady(FORWARD).trace())) == []


@pytest.mark.parametrize(
    ("device", "slug"),
    [("triton_", "kernel-names-not-unique"), ("triton__0d1d", "legacy-kernel-names")],
)
def test_device_names_that_say_nothing(device: str, slug: str) -> None:
    """Only the order distinguishes kernels that run under one name."""
    line = Timeline()
    for _ in range(4):
        line.launch(device, api=None)
    advice = diagnose(program(FORWARD), line.trace())
    named = diagnose(program(FORWARD), Timeline().launch(A, api=None).trace())

    assert slug in slugs(advice)
    assert not {"kernel-names-not-unique", "legacy-kernel-names"} & set(slugs(named))


def test_code_that_was_compiled_without_unique_names() -> None:
    """Code alone shows it, before anything is recorded."""
    kernels = tuple(replace(kernel, function="triton_") for kernel in FORWARD.kernels)
    advice = diagnose(program(replace(FORWARD, kernels=kernels)))

    assert finding_of(advice, "kernel-names-not-unique").weight is Weight.NOTE
    assert "kernel-names-not-unique" not in slugs(diagnose(program(FORWARD)))


def test_code_without_provenance() -> None:
    """No handle, no mapping, no stack traces: calls have neither nodes nor lines."""
    plain = without_detail(FORWARD)
    advice = diagnose(program(plain), steady(FORWARD).trace())

    assert slugs(advice) == ["provenance-off"]
    assert time_of(advice, "provenance-off", Lack.LINE) == 900
    assert "INDUCTOR_PROVENANCE=1" in finding_of(advice, "provenance-off").do


def test_lines_that_comments_tell_are_not_asked_for() -> None:
    """Calls whose comments lead to lines and modules lack nodes alone, which is a note."""
    line = SourceLine(file="m.py", line=3, code="y = f(x)")
    node = FxNode(name="y", stage=Stage.PRE_GRAD, target="f", lines=(line,), module="layers.0")
    plain = without_detail(FORWARD)
    calls = tuple(replace(call, listed=(node,)) for call in plain.calls)
    advice = diagnose(program(replace(plain, calls=calls)), steady(FORWARD).trace())
    finding = finding_of(advice, "provenance-off")

    assert (finding.weight, finding.then) == (Weight.NOTE, "nodes")
    assert [gap.lack for gap in finding.gaps] == [Lack.NODE]


def test_a_backward_that_was_compiled_lazily() -> None:
    """It has stack traces and handles, and no node mapping: its kernels have no nodes."""
    lazy = replace(
        BACKWARD,
        calls=tuple(replace(call, nodes=None) for call in BACKWARD.calls),
        artifacts=(Artifact.STACKS, Artifact.POST_GRAD),
    )
    advice = diagnose(program(FORWARD, lazy), steady(FORWARD, BACKWARD).trace())
    forward = replace(lazy, kind="forward")

    assert time_of(advice, "lazy-backward", Lack.NODE) == 600
    assert time_of(advice, "lazy-backward", Lack.LINE) == 0
    assert "force_non_lazy_backward_lowering" in finding_of(advice, "lazy-backward").do
    assert "lazy-backward" not in slugs(diagnose(program(forward), steady(BACKWARD).trace()))


@pytest.mark.parametrize(("cache", "said"), [(CacheOutcome.HIT, True), (CacheOutcome.MISS, False)])
def test_a_lazy_backward_from_the_cache_needs_another_cache(
    cache: CacheOutcome, said: bool
) -> None:
    """Compiling early is of no use where the cache gives what an earlier run compiled late."""
    compilation = Compilation(compile_id="0/0", log="log", serial=0)
    lazy = replace(
        BACKWARD,
        calls=tuple(replace(call, nodes=None) for call in BACKWARD.calls),
        artifacts=(Artifact.STACKS, Artifact.POST_GRAD),
        emitted=(Emitted(compilation=compilation, cache=cache),),
    )
    advice = diagnose(program(FORWARD, lazy), steady(FORWARD, BACKWARD).trace())

    assert ("TORCHINDUCTOR_CACHE_DIR" in finding_of(advice, "lazy-backward").do) == said


@pytest.mark.parametrize(("artifacts", "said"), [((Artifact.MAPPING,), False), ((), True)])
def test_a_backward_that_came_with_its_forward_need_not_run(
    artifacts: tuple[Artifact, ...], said: bool
) -> None:
    """A capture compiles it early; where nobody asks for gradients that is nothing to mend."""
    forward, backward = (replace(graph, compile_id="0/0") for graph in (FORWARD, BACKWARD))
    spare = replace(backward, artifacts=artifacts)
    advice = diagnose(program(forward, spare), steady(forward).trace())

    assert ("graph-not-run" in slugs(advice)) == said


def test_code_with_handles_whose_log_was_not_given() -> None:
    """A torch_compile_debug folder has the mapping, and no lines."""
    plain = replace(
        FORWARD,
        calls=tuple(replace(call, lines=()) for call in FORWARD.calls),
        nodes=(),
        artifacts=(Artifact.MAPPING,),
        emitted=(),
    )
    advice = diagnose(program(plain), steady(FORWARD).trace())
    cpp = replace(plain, calls=tuple(replace(call, recorded=True) for call in plain.calls))

    assert slugs(advice) == ["log-missing"]
    assert time_of(advice, "log-missing", Lack.LINE) == 900
    assert "log-missing" not in slugs(diagnose(program(cpp)))


def test_a_mapping_of_the_time_before_handles() -> None:
    """It says nothing of library calls."""
    plain = without_detail(FORWARD, Artifact.MAPPING, Artifact.POST_GRAD)
    advice = diagnose(program(plain), steady(FORWARD).trace())

    assert slugs(advice) == ["handles-missing"]
    assert slugs(diagnose(program(FORWARD), steady(FORWARD).trace())) == []


COMPILING = "_compile.compile_inner (dynamo_timed)"
RECORDING = "CUDAGraphNode.record (dynamo_timed)"


@pytest.mark.parametrize(("name", "fires"), [(COMPILING, True), (RECORDING, False)])
def test_compilation_inside_the_window(name: str, fires: bool) -> None:
    """Dynamo's ranges show it; the step that holds one is no usual step."""
    line = Timeline().invoke(FORWARD, key=KEY)
    line.enclose(name, 1_000)
    end = line.now
    line.invoke(FORWARD, key=KEY).invoke(FORWARD, key=KEY)
    steps = (
        Step(number=4, start_ns=0, end_ns=end, process=0),
        Step(number=5, start_ns=end, end_ns=line.now, process=0),
    )
    advice = diagnose(program(FORWARD), replace(line.trace(), steps=steps))

    assert ("compiled-inside" in slugs(advice)) is fires
    assert not fires or time_of(advice, "compiled-inside", Lack.STEADY) == 300


def test_a_bundle_that_compiled_inside_says_so() -> None:
    """What the recording itself noticed needs no range."""
    said = Notice(slug="bundle-compiled-inside", message="rank_0: 1 compilation lies inside")
    advice = diagnose(program(FORWARD), steady(FORWARD).trace(), said)

    assert slugs(advice) == ["bundle-compiled-inside"]
    assert advice.findings[0].weight is Weight.CHANGE


@pytest.mark.parametrize(
    ("first", "number", "fires"), [(9_000, 0, True), (1_100, 0, False), (9_000, 3, False)]
)
def test_a_first_step_that_took_longer(first: int, number: int, fires: bool) -> None:
    """Step 0, recorded and slow, holds the start of the profiler; later ones had a warm-up."""
    line, steps = Timeline(), []
    for at in range(4):
        begin = line.now
        line.invoke(FORWARD, key=KEY)
        line.now = begin + (first if at == 0 else 1_000)
        steps.append(Step(number=number + at, start_ns=begin, end_ns=line.now, process=0))
    advice = diagnose(program(FORWARD), replace(line.trace(), steps=tuple(steps)))

    assert slugs(advice) == ["first-step-slow"] * fires
    assert not fires or time_of(advice, "first-step-slow", Lack.STEADY) == 300
    assert not fires or "--steps 1:3" in advice.findings[0].do


def test_steps_that_were_asked_for_and_are_missing() -> None:
    """What --steps names and the profile lacks is said."""
    line = Timeline().invoke(FORWARD, key=KEY)
    steps = (Step(number=3, start_ns=0, end_ns=line.now, process=0),)
    trace = replace(line.trace(), steps=steps)

    assert slugs(diagnose(program(FORWARD), trace, steps=(3, 5))) == ["steps-missing"]
    assert slugs(diagnose(program(FORWARD), trace, steps=(3, 3))) == []


def test_cpp_kernels_that_left_no_range() -> None:
    """Their time is not in the result: worse than anything that is."""
    plain = whole("0_forward", "aten.mm")
    cpp = WrapperCall(
        index=1, wrapper="cpp_fused_a_0", backend=Backend.CPP, line=9, kernel="cpp_fused_a_0"
    )
    mixed = replace(plain, calls=(*plain.calls, cpp))
    line = Timeline().invoke(plain, key=KEY).invoke(plain, key=KEY)
    advice = diagnose(program(mixed), line.trace())

    assert advice.findings[0].slug == "cpp-kernels-unseen"
    assert advice.findings[0].weight is Weight.LOST
    assert "cpp-kernels-unseen" not in slugs(diagnose(program(plain), line.trace()))


def test_a_profile_of_eager_code() -> None:
    """Without code it may be meant so; with code it was another run."""
    trace = Timeline().eager("aten::add").eager("aten::mm").trace()

    assert finding_of(diagnose(program(), trace), "nothing-compiled").weight is Weight.NOTE
    assert finding_of(diagnose(program(FORWARD), trace), "nothing-compiled").weight is Weight.CHANGE
    assert slugs(diagnose(program(FORWARD), steady(FORWARD).trace())) == []


@pytest.mark.parametrize(
    ("slug", "gap", "weight"),
    [
        ("trace-truncated", True, Weight.LOST),
        ("trace-damaged", True, Weight.LOST),
        ("events-unreadable", True, Weight.LOST),
        ("log-payload-damaged", True, Weight.CHANGE),
        ("events-without-duration", True, Weight.CHANGE),
        ("compilation-failed", False, Weight.NOTE),
    ],
)
def test_what_readers_found(slug: str, gap: bool, weight: Weight) -> None:
    """A gap of the input is a finding under its own slug, with something to do."""
    said = Notice(slug=slug, message="it is so", gap=gap)
    advice = diagnose(program(FORWARD), steady(FORWARD).trace(), said)

    assert [(finding.slug, finding.weight) for finding in advice.findings] == [(slug, weight)]
    assert advice.findings[0].do


def test_remarks_without_a_gap_are_no_findings() -> None:
    """What a reader repaired needs no action."""
    said = Notice(slug="repeated-events", message="written twice; each counts once")

    assert slugs(diagnose(program(FORWARD), steady(FORWARD).trace(), said)) == []


def test_a_reason_that_another_one_explains_is_a_note() -> None:
    """Its launches count once, for the reason above it; it may be enough to change that."""
    line = Timeline()
    for _ in range(4):
        line.launch("triton_", api=None)
    advice = diagnose(program(FORWARD), line.trace())
    note = finding_of(advice, "kernel-names-not-unique")
    (gap,) = note.gaps

    assert slugs(advice)[0] == "host-side-missing"
    assert note.weight is Weight.NOTE
    assert (gap.time_ns, gap.involved_ns) == (0, 400)


@pytest.mark.parametrize(
    ("found", "lines", "said"),
    [((Artifact.STACKS,), (), True), ((), (), False), ((Artifact.STACKS,), (LINE,), False)],
    ids=["stacks without a line", "no stacks", "a line"],
)
def test_a_module_of_torch_itself_has_no_lines(
    found: tuple[Artifact, ...], lines: tuple[SourceLine, ...], said: bool
) -> None:
    """Stacks were read and hold no line of the user: only compiling code of one's own brings them.

    A backward of which the forward has lines is the user's, so there it would not help.
    """

    def made(graph_: CompiledGraph, lines: tuple[SourceLine, ...]) -> CompiledGraph:
        calls = tuple(replace(call, lines=lines) for call in graph_.calls)
        nodes = tuple(replace(node, lines=lines) for node in graph_.nodes)
        return replace(graph_, calls=calls, nodes=nodes, artifacts=found)

    forward, backward = made(FORWARD, lines), made(BACKWARD, ())
    advice = diagnose(program(forward, backward), steady(forward, backward).trace())
    assert ("lines-of-torch" in slugs(advice)) == said
