"""What steps could save: one list, within the time of the steps, the same wherever it is shown."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import many_runs
from attribution.random_worlds import worlds
from examples import examples
from kernelmap import load
from kernelmap.attribution import attribute_time
from kernelmap.cli import main
from kernelmap.correlation import Correlation
from kernelmap.matching import match_launches
from kernelmap.model import Activity, CompiledProgram, RangeKind, Trace
from kernelmap.model.roofline import BESIDE_CALLS
from kernelmap.model.savings import Basis, Lever, Saving, Savings
from kernelmap.model.wall_time import IdleCause
from kernelmap.options import Options
from kernelmap.pages import savings as shown
from kernelmap.pages.page import PageTable, section_of
from kernelmap.pages.report.overview import data_of_overview
from kernelmap.pages.report.packed import PackedTexts
from kernelmap.pages.report.shared import Content
from kernelmap.pipeline import correlate
from kernelmap.speed.advice.savings import find_savings, measure_steps
from kernelmap.speed.advice.savings.busy import call_shares
from kernelmap.speed.advice.savings.items import by_cost
from kernelmap.speed.wall.measure import wall_time
from kernelmap.traces.assemble import assemble_trace
from speed.limits.measured_worlds import Measured, measured
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace

run = many_runs.run

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "sample_traces"
IDLE = ROOT / "docs" / "examples" / "idle.json.gz"
GPU_ONLY = SAMPLES / "thread_lift_fresh"
OF_WORK = (Lever.EXPOSED_COPY, Lever.EXPOSED_COMMUNICATION, Lever.HEADROOM)

FIRST = {
    "cuda_attention_train": ("launch-bound", "0_backward"),
    "cuda_autotune_inside": ("compiling", "linear_relu"),
    "cuda_cuda_graphs": ("graph-launching", "0_backward"),
    "cuda_decode_graphs": ("eager-operators", "aten.multinomial"),
    "cuda_foreach_optimizer": ("launch-bound", "0_inference"),
    "cuda_graph_breaks": ("launch-bound", "0_inference"),
    "cuda_language_train": ("launch-bound", "0_backward"),
    "cuda_max_autotune": ("launch-bound", "0_inference"),
    "cuda_routed": ("launch-bound", "0_inference"),
    "cuda_two_streams": ("launch-bound", "0_inference"),
    "cpu_graph_breaks": ("python", "TorchDynamo Cache Lookup"),
    "sim_fleet/rank_2.json.gz": ("exposed-communication", "AllGather"),
    "sim_fleet/rank_5.json.gz": ("loading-data", "DataLoader"),
    "sim_gpt_train": ("layout-copy", "models.py:122"),
}
"""The first advice for each sample: what to change, and where most of it is."""


def of(name: str) -> Correlation:
    return correlate(SAMPLES / name)


def places(saving: Saving) -> str:
    """All that a saving says of where it is."""
    return " ".join(f"{spot.what} {spot.source}" for spot in saving.spots[:3])


@pytest.mark.parametrize("name", FIRST)
def test_the_largest_lever_stands_first(name: str) -> None:
    """What a step could save most by is the first line, with its place."""
    slug, where = FIRST[name]
    first = of(name).savings.first

    assert first is not None
    assert first.slug == slug
    assert where in places(first)


@pytest.mark.parametrize("name", FIRST)
def test_the_first_line_is_known_without_the_work_of_calls(name: str) -> None:
    """What `correlate` says below its table is the first line of the list, in less time."""
    result = of(name)
    early = result.first_savings  # before the list is made

    assert early.first == result.savings.first
    assert early.headline == result.savings.headline


# The sum


def holds_together(savings: Savings) -> None:
    """The laws of every list."""
    saved = [saving.saves_ns for saving in savings.items]
    idle = [it for it in savings.items if it.slug in list(Lever) and it.slug not in OF_WORK]
    assert saved == sorted(saved, reverse=True)
    assert all(ns > 0 for ns in saved)
    assert sum(saved) <= savings.total_ns
    parts = savings.computing_ns + savings.exposed_ns + savings.idle_ns
    assert savings.basis is Basis.GPU_TIME or parts == savings.total_ns
    if savings.side == "gpu" and savings.basis is not Basis.GPU_TIME:
        fused = sum(it.saves_ns for it in idle if it.slug.startswith(("eager", "graph-break")))
        assert sum(it.saves_ns for it in idle) <= savings.idle_ns + fused
    for saving in savings.items:
        assert saving.finding
        assert saving.do
        assert saving.share == saving.saves_ns / savings.total_ns
        assert saving.step_ns == saving.saves_ns // max(1, savings.steps * savings.devices)
        assert sum(spot.time_ns for spot in saving.spots) in (0, saving.saves_ns)


@pytest.mark.sampled
def test_real_profiles_and_worlds_hold_together(run: Correlation) -> None:
    """Savings are disjoint: together they are never more than the steps took."""
    holds_together(run.savings)


@pytest.mark.sampled
@pytest.mark.parametrize("name", sorted(it.name for it in SAMPLES.iterdir() if it.is_dir()))
def test_samples_hold_together(name: str) -> None:
    """So it is in every sample."""
    if name == "sim_fleet":
        name = "sim_fleet/rank_0.json.gz"
    profiles = sorted((SAMPLES / name).glob("profile.json*"))
    holds_together(correlate(SAMPLES / name, *profiles).savings)


def correlated(program: CompiledProgram, trace: Trace) -> Correlation:
    trace = replace(trace, sources=())
    result = match_launches(program, trace)
    attribution = attribute_time(result.program, trace, result.matching, Options())
    return Correlation(inputs=(), trace=trace, match=result, attribution=attribution, notices=())


@settings(max_examples=examples(60))
@given(worlds())
def test_a_nanosecond_is_saved_once(world: tuple[CompiledProgram, Trace]) -> None:
    """Of any launches and ranges the sum is within the steps, the idle part within idle time."""
    holds_together(correlated(*world).savings)


@settings(max_examples=examples(30))
@given(world=measured())
def test_headroom_in_the_shadow_is_no_advice(world: Measured) -> None:
    """What is saved of calls, by any reason, is at most the time that steps wait for them."""
    trace = replace(world.trace, sources=())
    records = (world.match.program, trace, world.match, world.attribution)
    counted, reason = world.attribution.counted, world.match.matching.reason
    wall = wall_time(trace, counted, world.attribution.step, reason, with_cpu=True)
    step = measure_steps(*records, wall, lambda at: [None] * len(at.time_ns))
    savings = find_savings(*records, step, world.roofline)
    of_calls = [it for it in savings.items if it.slug not in set(Lever) - {Lever.HEADROOM}]
    holds_together(savings)
    if world.attribution.side == "gpu":
        rows = counted & (world.match.matching.call >= 0)
        assert sum(it.saves_ns for it in of_calls) <= int(step.exposed_ns[rows].sum())


def test_headroom_that_shortens_no_step_is_no_advice() -> None:
    """The demo's calls have 1.19 ms of headroom, all in the shadow of a host that launches."""
    result = of("cuda_language_train")

    assert result.speeds is not None
    assert sum(call.headroom_ns or 0 for call in result.speeds.calls) > 10**6
    assert {saving.slug for saving in result.savings.items} <= set(Lever) - {Lever.HEADROOM}


# One list


def listed(savings: object) -> list[tuple[str, int, str]]:
    items = msgspec.to_builtins(savings)["items"]
    return [(it["slug"], it["saves_ns"], it["finding"]) for it in items]


def output(*arguments: str) -> str:
    ran = CliRunner().invoke(main, list(arguments))
    assert ran.exit_code == 0, ran.output
    return ran.stdout


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["cuda_language_train", "cuda_decode_graphs", "sim_gpt_train"])
def test_all_answers_have_one_list(name: str, tmp_path: Path) -> None:
    """Doctor, roofline, wall time, what is saved, and the report: the same items in one order."""
    place, result = str(SAMPLES / name), of(name)
    expected = listed(result.savings)
    saved = result.write(tmp_path / "result.json")
    folder = result.write(tmp_path / "tables")
    report: Any = data_of_overview(Content(tables=result.tables, records=result), PackedTexts())
    in_report = report["savings"]["items"]

    assert listed(json.loads(output("doctor", place, "--format", "json"))["savings"]) == expected
    assert (
        listed(json.loads(output("correlate", "--roofline", place, "--format", "json"))["savings"])
        == expected
    )
    by_wall = tmp_path / "by_wall.json"
    output("correlate", place, "--by", "wall", "-o", str(by_wall))
    assert listed(json.loads(by_wall.read_text())["savings"]) == expected
    assert listed(load(saved).tables.savings) == listed(load(folder).tables.savings) == expected
    assert [it["what"] for it in in_report] == [text for *_, text in expected[: len(in_report)]]


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["cuda_language_train", "cuda_decode_graphs"])
def test_pages_show_the_list_in_its_order(name: str) -> None:
    """Doctor has all that is worth a look, the others the head and how much more there is."""
    place, result = str(SAMPLES / name), of(name)
    slugs = [it.slug for it in result.savings.items]
    for command in (["doctor"], ["correlate", "--roofline"], ["correlate", "--by", "wall"]):
        text = output(*command, place)
        block = text.partition(shown.TITLE)[2].partition("\n\nW")[0]
        found = re.findall(r"^ *\d+ ([a-z0-9-]+) · at most", block, re.MULTILINE)
        assert found == slugs[: len(found)]
        assert len(found) == (shown.HEAD if command != ["doctor"] else len(found)) >= shown.HEAD
        left = len(slugs) - len(found)
        assert (f"… {left} more · at most" in block) == bool(left)


# What is said


def test_what_the_recording_lacks_stands_after() -> None:
    """It costs no step any time, so it is never the first thing that a diagnosis says."""
    text = output("doctor", str(SAMPLES / "cuda_language_train"))

    first, saved, lacks = (
        text.index(part) for part in ("The GPU computes 3.4 %", shown.TITLE, "lazy-backward")
    )
    assert first < saved < text.index("What the recording lacks") < lacks


def test_correlate_ends_with_the_finding_and_the_first_advice() -> None:
    """A reader of the default table sees the largest lever at once, below the ledger."""
    text = " ".join(output("correlate", str(SAMPLES / "cuda_language_train")).split())
    closing = text.partition("outside ")[2]

    assert "The GPU computes 3.4 % of 53.79 ms." in text
    assert "Largest saving: launch-bound, at most 13.29 ms a step, 74.1 %." in text
    assert 'torch.compile(mode="reduce-overhead").' in closing


def test_what_is_not_known_is_not_said() -> None:
    """Without a host side nobody knows how long steps wait: GPU time, and no word of steps."""
    result = correlate(GPU_ONLY / "output_code.py", GPU_ONLY / "profile_gpu_only.json.gz")
    savings = result.savings
    text = output(
        "doctor", str(GPU_ONLY / "output_code.py"), str(GPU_ONLY / "profile_gpu_only.json.gz")
    )

    assert savings.basis is Basis.GPU_TIME
    assert savings.headline is None
    assert shown.closing_note(savings) is None
    assert "What would save GPU time" in text
    assert "the host side is not recorded" in " ".join(text.split())


def said(name: str) -> str:
    """All that is advised for a sample."""
    return " ".join(f"{saving.finding} {saving.do}" for saving in of(name).savings.items)


@pytest.mark.parametrize("name", ["cuda_cuda_graphs", "cuda_decode_graphs"])
def test_a_program_with_cuda_graphs_is_not_told_to_use_them(name: str) -> None:
    """There it is what lies between replays, and inputs that are copied before each."""
    assert "reduce-overhead" not in said(name)
    assert "mark_static_address" in said(name)
    assert "replays of CUDA graphs" in said(name)


def test_a_profile_with_stacks_is_not_told_to_record_them() -> None:
    """Its functions are named instead."""
    assert "with_stack" in said("cuda_language_train")
    assert "with_stack" not in " ".join(it.do for it in correlate(*stacked()).savings.items)


def stacked() -> tuple[Path, ...]:
    return (IDLE,)


def test_a_graph_break_is_named_with_its_line_and_reason() -> None:
    """Each is a thing to mend, and CUDA graphs would be pieces between them."""
    savings = of("cuda_graph_breaks").savings
    breaks = [it for it in savings.items if it.slug == Lever.GRAPH_BREAK]

    assert {"106", "108"} == {it.finding.partition("models.py:")[2][:3] for it in breaks}
    assert all("graph_break()" in it.finding for it in breaks)
    assert savings.first is not None
    assert "Mend the graph breaks first (models.py:106, models.py:108)" in savings.first.do


def test_a_graph_break_of_torch_itself_is_not_for_the_user_to_take_away() -> None:
    """A compiled optimizer breaks in torch's own code, where nobody can mend it."""
    (broken,) = [
        it for it in of("cuda_foreach_optimizer").savings.items if it.slug == Lever.GRAPH_BREAK
    ]

    assert "optimizer.py:80" in broken.finding
    assert "torch's own code" in broken.do


def test_a_graph_of_two_kernels_is_not_told_that_one_launch_saves_all() -> None:
    """Its wait is the host's way to each run, that a CUDA graph of two cannot shorten."""
    first = of("cuda_user_triton").savings.first

    assert first is not None
    assert first.slug == Lever.LAUNCH_BOUND
    assert first.do.startswith("Each run of the compiled code launches so few kernels")


def test_a_whole_process_is_told_to_mark_its_steps() -> None:
    """Without steps the window holds imports and compiling, of which Python is the most."""
    first = correlate(SAMPLES / "cuda_mlp_train" / "nsys.sqlite").savings.first

    assert first is not None
    assert first.slug == Lever.PYTHON
    assert "mark steps (torch.cuda.profiler.start()" in first.do


def test_the_optimizer_is_a_thing_by_itself() -> None:
    """Eager launches within its step can be fused into one kernel, which others cannot."""
    (optimizer,) = [
        it for it in of("cuda_language_train").savings.items if it.slug == Lever.EAGER_OPTIMIZER
    ]

    assert "AdamW(…, fused=True)" in optimizer.do


def test_waits_behind_copies_are_cut_by_what_saves_them() -> None:
    """Static inputs save the copying, and not the host's way to the CUDA graph behind it."""
    items = {it.slug: it for it in of("cuda_cuda_graphs").savings.items}

    assert items["static-inputs"].saves_ns < items["graph-launching"].saves_ns
    assert {spot.what for spot in items["graph-launching"].spots} == {"0_forward", "0_backward"}


# Tiny worlds


def kernel(number: int, called: int, start: int, end: int, name: str = "k") -> list[TraceRow]:
    return [
        ApiRow("cudaLaunchKernel", called, called + 1_000, correlation=number),
        LaunchRow(name, start, end, correlation=number),
    ]


def step(end: int) -> RangeRow:
    return RangeRow("ProfilerStep#1", 0, end, kind=RangeKind.ANNOTATION)


def savings_of(rows: list[TraceRow]) -> Savings:
    return correlated(CompiledProgram(graphs=()), assemble_trace(raw_trace(rows))).savings


def test_the_edges_of_a_window_without_steps_are_of_the_recording() -> None:
    """What the host did before the first launch and after the last is no advice; in a step it is.

    The range around everything is an operator that launches nothing of its own.
    """
    rows: list[TraceRow] = [
        RangeRow("mine", 0, 100),
        *kernel(1, 5_000_000, 5_010_000, 5_020_000),
        RangeRow("mine", 9_000_000, 9_000_100),
    ]
    marked = [step(9_000_100), *rows]

    assert all(it.slug != Lever.PYTHON for it in savings_of(rows).items)
    first = savings_of(marked).first
    assert first is not None
    assert first.slug == Lever.PYTHON


def test_a_launch_behind_what_is_not_recorded_waits_for_nothing_of_the_program() -> None:
    """A device that runs what was launched before the recording is not idle for want of a launch.

    Here the first launch of a marked step runs 5 ms after it was issued: it was in the queue.
    """
    rows: list[TraceRow] = [step(9_000_000), *kernel(1, 1_000, 5_000_000, 5_020_000)]
    rows += kernel(2, 6_000_000, 8_000_000, 8_010_000)
    found = [(it.slug, it.saves_ns) for it in savings_of(rows).items]
    # What is behind the second launch counts as before.
    assert all(saves_ns < 3_000_000 for _, saves_ns in found)
    assert found


COPIES = ["Memcpy HtoD (Pinned -> Device)", "Memcpy HtoD (Pageable -> Device)"]


@pytest.mark.parametrize(("name", "word"), [*zip(COPIES, ("pinned already", "Pin"), strict=True)])
def test_an_exposed_copy_says_what_memory_it_is_of(name: str, word: str) -> None:
    """Pinned memory is to be copied ahead, pageable memory to be pinned first."""
    rows: list[TraceRow] = [
        step(300_000),
        ApiRow("cudaMemcpyAsync", 1_000, 2_000, correlation=1),
        LaunchRow(name, 10_000, 110_000, correlation=1, activity=Activity.MEMCPY),
        *kernel(2, 3_000, 110_000, 120_000),
        ApiRow("cudaDeviceSynchronize", 5_000, 290_000, correlation=9),
    ]
    (copy,) = [it for it in savings_of(rows).items if it.slug == Lever.EXPOSED_COPY]

    assert copy.saves_ns == 100_000
    assert word in copy.do


@settings(max_examples=examples(30))
@given(lengths=st.lists(st.integers(1, 50), min_size=1, max_size=8))
def test_fusing_a_run_of_kernels_keeps_the_longest(lengths: list[int]) -> None:
    """Eager kernels in a row can become one, which takes at least as long as the longest."""
    rows: list[TraceRow] = [step(10_000_000)]
    start = 100_000
    for number, length in enumerate(lengths, 1):
        end = start + length * 1_000
        rows += kernel(number, number * 2_000, start, end, name="elementwise")
        rows.append(RangeRow("aten::mul", number * 2_000 - 100, number * 2_000 + 1_100))
        start = end
    rows.append(ApiRow("cudaDeviceSynchronize", 50_000, start + 10, correlation=900))
    result = correlated(CompiledProgram(graphs=()), assemble_trace(raw_trace(rows)))
    (eager,) = [it for it in result.savings.items if it.slug == Lever.EAGER_OPERATORS]
    waits = [row.time_ns for row in result.wall_times if row.cause is IdleCause.LAUNCHING]

    assert eager.saves_ns == sum(waits) + (sum(lengths) - max(lengths)) * 1_000
    assert ("could be fused" in eager.finding) == (len(lengths) > 1)


# Remedies


NAMED = re.findall(
    r"torch(?:\.\w+)+",
    (ROOT / "kernelmap/speed/advice/savings/remedies.py").read_text(encoding="utf-8"),
)


@pytest.mark.parametrize("name", sorted(set(NAMED)))
def test_every_name_of_torch_is_one(name: str) -> None:
    """No remedy names what torch does not have."""
    torch: Any = pytest.importorskip("torch")
    pytest.importorskip("torch._dynamo")
    found: Any = torch
    for part in name.split(".")[1:]:
        __import__("importlib").import_module("torch._inductor.config")
        assert hasattr(found, part), name
        found = getattr(found, part)


def test_reasons_beside_calls_are_no_second_list() -> None:
    """The roofline's table of reasons keeps them; its page does not advise by them again."""
    result = of("cuda_language_train").roofline()
    why = section_of(result.page(), "roofline_reasons")
    assert isinstance(why, PageTable)
    slugs = {str(row.cells[0]) for row in why.rows}

    assert {slug.value for slug in BESIDE_CALLS} & set(result.reasons["slug"])
    assert not {slug.value for slug in BESIDE_CALLS} & slugs


def test_order_is_by_time() -> None:
    """Whatever the cause, the larger one stands first."""
    for name in ("cuda_language_train", "cuda_routed", "sim_gpt_train"):
        assert all(
            one.saves_ns >= other.saves_ns for one, other in pairwise(of(name).savings.items)
        )


def test_a_saving_has_the_lines_that_it_concerns() -> None:
    """Calls are ids in the JSON, and a count with one of them on a page."""
    savings = of("cuda_language_train").savings
    first = savings.first

    assert isinstance(first, Saving)
    assert len(first.calls) == 185
    assert shown.calls_in_words(first, savings).startswith("185, such as 0_")


def test_the_calls_of_a_saving_come_by_their_cost() -> None:
    """All of them, the one with the most time first, and of equal ones the first in the code."""
    assert by_cost([(3, 5), (1, 9), (3, 5), (2, 10), (0, 0)]) == [2, 3, 1, 0]

    result = of("cuda_cuda_graphs")
    roofline = result.speeds_in_steps
    assert roofline is not None
    costs: Counter[tuple[str, str]] = Counter()
    for share in call_shares(roofline):
        graph, call = result.program.calls[share.call]
        costs[share.reason or "headroom", graph.call_id(call)] += share.saves_ns
    of_calls = {slug for slug, _ in costs}
    several = [it for it in result.savings.items if it.slug in of_calls and len(it.calls) > 1]
    assert several
    for saving in several:
        own = [costs[saving.slug, call] for call in saving.calls]
        assert own == sorted(own, reverse=True)


def test_a_step_that_one_of_two_processes_took_is_one_step(tmp_path: Path) -> None:
    """A process without a step of its own does not make the steps of the other none."""

    def event(pid: int, name: str, start: int, dur: int, category: str = "cpu_op") -> object:
        place = {"pid": pid, "tid": pid, "ts": start, "dur": dur, "args": {}}
        return {"ph": "X", "cat": category, "name": name, **place}

    events = [
        event(1, "ProfilerStep#1", 100, 50, "user_annotation"),
        event(1, "cpp_fused_add_0", 110, 10),
        event(1, "ProfilerStep#2", 160, 50, "user_annotation"),
        event(1, "aten::add", 165, 2),
        event(1, "aten::mm", 170, 10),
        event(2, "aten::relu", 180, 5),
    ]
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps({"traceEvents": events}))

    shown = CliRunner().invoke(main, ["doctor", str(trace)])

    assert shown.exit_code == 0, shown.output
    assert "1 step of " in shown.output
