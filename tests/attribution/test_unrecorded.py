"""Launches of the host without an activity on the GPU are counted and said."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import kernelmap
from kernelmap.attribution.window import Unrecorded, apis_inside, find_unrecorded
from kernelmap.cli import main
from kernelmap.model import Activity
from kernelmap.options import Options
from kernelmap.traces.assemble import assemble_trace
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace

WORDS = ("LaunchKernel", "Memcpy", "Memset", "GraphLaunch")


def of_rows(*rows: TraceRow, steps: tuple[int, int] | None = None) -> Unrecorded:
    """What a hand-written trace lacks; everything on the GPU counts."""
    trace = assemble_trace(raw_trace(rows))
    options = Options(steps=steps)
    return find_unrecorded(trace, apis_inside(trace, options), trace.launches.dur_ns >= 0)


def capture(at: int, *correlations: int) -> list[TraceRow]:
    """A stream capture that begins at a time and launches one kernel per correlation id."""
    end = at + 10 * len(correlations) + 10
    return [
        ApiRow("cudaStreamBeginCapture", at, at + 5),
        *(
            ApiRow("cudaLaunchKernel", at + 10 * n, at + 10 * n + 5, correlation=c)
            for n, c in enumerate(correlations, 1)
        ),
        ApiRow("cudaStreamEndCapture", end, end + 5),
    ]


def replay(at: int, correlation: int, *names: str) -> list[TraceRow]:
    """A graph launch and the kernels that it ran."""
    return [
        ApiRow("cudaGraphLaunch", at, at + 5, correlation=correlation),
        *(
            LaunchRow(name, at + 10 * n, at + 10 * n + 5, correlation=correlation)
            for n, name in enumerate(names, 1)
        ),
    ]


def test_a_process_that_replays_and_lost_its_launches_captured_nothing() -> None:
    """As many lost launches in a row as a graph has kernels are no capture of that graph."""
    lost = [ApiRow("cudaLaunchKernel", 10 * n, 10 * n + 5, correlation=n) for n in range(1, 4)]
    counted = of_rows(*lost, *replay(100, 9, "a", "b", "c"))

    assert counted.lost == {Activity.KERNEL: 3}
    assert not counted.may_be_captured


def test_a_launch_without_an_activity_is_lost() -> None:
    """Kernels, copies and graph replays that left nothing on the GPU are counted by kind."""
    counted = of_rows(
        ApiRow("cudaLaunchKernel", 0, 5, correlation=1),
        LaunchRow("k", 10, 20, correlation=1),
        ApiRow("cudaLaunchKernel", 30, 35, correlation=2),
        ApiRow("cudaMemcpyAsync", 40, 45, correlation=3),
        ApiRow("cudaGraphLaunch", 50, 55, correlation=4),
        ApiRow("cudaStreamSynchronize", 60, 65, correlation=5),
    )

    assert counted.launching == 4
    assert counted.lost == {Activity.KERNEL: 1, Activity.MEMCPY: 1, Activity.GRAPH: 1}
    assert counted.captured == 0


def test_two_rows_of_one_launch_are_one_launch() -> None:
    """A driver call below a runtime call has the same correlation id: its kernel is theirs."""
    counted = of_rows(
        ApiRow("cudaLaunchKernel", 0, 9, correlation=1),
        ApiRow("cuLaunchKernel", 2, 5, correlation=1),
        LaunchRow("k", 10, 20, correlation=1),
    )

    assert not counted.missing


@pytest.mark.parametrize(
    ("call", "lost"),
    [
        ("urEnqueueKernelLaunch", Activity.KERNEL),
        ("urEnqueueKernelLaunchWithArgsExp", Activity.KERNEL),
        ("urEnqueueUSMFill", Activity.MEMSET),
        ("urEnqueueUSMMemcpy", Activity.MEMCPY),
        ("urEnqueueCommandBufferExp", Activity.GRAPH),
        ("hipExtLaunchMultiKernelMultiDevice", Activity.KERNEL),
        ("hipLaunchByPtr", Activity.KERNEL),
        ("hipGraphLaunch", Activity.GRAPH),
        ("cudaLaunch_v3020", Activity.KERNEL),
    ],
)
def test_lost_launches_are_missed_whoever_made_the_device(call: str, lost: Activity) -> None:
    """A call of any runtime that left nothing on the device is counted, by what it launches."""
    other: list[TraceRow] = [
        ApiRow("cudaLaunchKernel", 20, 25, correlation=2),
        LaunchRow("k", 30, 40, correlation=2),
    ]

    assert of_rows(ApiRow(call, 0, 5, correlation=1), *other).lost == {lost: 1}
    assert of_rows(ApiRow(call, 0, 5, correlation=1)).lost == {lost: 1}


def test_without_links_nothing_is_said_to_be_lost() -> None:
    """Where no activity of a process has an api call, its calls may all have run."""
    counted = of_rows(
        ApiRow("urEnqueueKernelLaunch", 0, 5), LaunchRow("k", 10, 20), LaunchRow("k", 20, 30)
    )

    assert (counted.launching, counted.missing) == (1, 0)


@pytest.mark.parametrize(
    "call", ["cudaLaunchHostFunc", "cudaGraphAddMemcpyNode", "cudaGraphAddMemsetNode"]
)
def test_what_launches_nothing_is_not_missed(call: str) -> None:
    """A function of the host and a node of a graph leave no activity, so none is lost."""
    assert of_rows(ApiRow(call, 0, 5, correlation=1)).launching == 0


def test_a_launch_within_a_launch_is_one() -> None:
    """Intel's driver call lies in the runtime's: what either launched is launched, and once."""
    calls = [
        ApiRow("urEnqueueKernelLaunch", 0, 9, correlation=1),
        ApiRow("zeCommandListAppendLaunchKernel", 2, 5, correlation=2),
        ApiRow("urEnqueueKernelLaunch", 10, 19, correlation=3),
        ApiRow("zeCommandListAppendLaunchKernel", 12, 15, correlation=4),
    ]
    kernels = [LaunchRow("k", 20, 30, correlation=1), LaunchRow("k", 30, 40, correlation=4)]

    assert (of_rows(*calls, *kernels).launching, of_rows(*calls, *kernels).missing) == (2, 0)
    assert of_rows(*calls, kernels[0]).lost == {Activity.KERNEL: 1}


def test_what_was_captured_runs_when_it_is_replayed() -> None:
    """Captured launches are missing only where no replay of about as many activities is there."""
    first, second = capture(0, 1, 2, 3), capture(100, 11, 12, 13)

    assert of_rows(*first).captured == 3
    assert of_rows(*first).missing == 0
    assert of_rows(*first, *replay(200, 20, "a", "b", "c")).captured == 0
    assert of_rows(*first, *second, *replay(200, 20, "a", "b", "c")).captured == 3
    both = [*replay(200, 20, "a", "b", "c"), *replay(300, 30, "d", "e", "f")]
    assert of_rows(*first, *second, *both).captured == 0


def test_replaying_one_graph_twice_is_no_replay_of_another() -> None:
    """Replays of the same kernels are one graph, so they stand for one capture."""
    twice = [*replay(200, 20, "a", "b"), *replay(300, 30, "b", "a")]

    assert of_rows(*capture(0, 1, 2), *capture(100, 11, 12), *twice).captured == 2


def test_a_capture_that_the_window_cuts_off_is_a_capture() -> None:
    """Launches before an end without a beginning, or after a beginning without an end, count."""
    whole = capture(0, 1, 2)

    assert of_rows(*whole[1:]).captured == of_rows(*whole[:-1]).captured == 2


def test_only_the_steps_that_are_counted_count() -> None:
    """A launch in another step is not missing from the result of this one."""
    rows: list[TraceRow] = [
        RangeRow("ProfilerStep#1", 0, 100),
        RangeRow("ProfilerStep#2", 100, 200),
        ApiRow("cudaLaunchKernel", 50, 55, correlation=1),
        ApiRow("cudaLaunchKernel", 150, 155, correlation=2),
        LaunchRow("k", 160, 170, correlation=2),
    ]

    assert of_rows(*rows).missing == of_rows(*rows, steps=(1, 1)).missing == 1
    assert of_rows(*rows, steps=(2, 2)).missing == 0


def kineto_count(path: Path) -> int:
    """Launching api calls of a Kineto file whose correlation id no GPU event has."""
    with gzip.open(path) as file:
        events = [e for e in json.load(file)["traceEvents"] if e.get("ph") == "X"]
    on_gpu = {"kernel", "gpu_memcpy", "gpu_memset"}
    ran = {e["args"].get("correlation") for e in events if e.get("cat") in on_gpu}
    host = [e for e in events if e.get("cat") in {"cuda_runtime", "cuda_driver"}]
    launches = [e for e in host if any(word in e["name"] for word in WORDS)]
    return sum(e["args"]["correlation"] not in ran for e in launches)


def nsys_count(path: Path) -> int:
    """The same of an nsys export, by SQL."""
    names = " OR ".join(f"s.value LIKE '%{word}%'" for word in WORDS)
    tables = [f"CUPTI_ACTIVITY_KIND_{kind}" for kind in ("KERNEL", "MEMCPY", "MEMSET")]
    ran = " UNION ".join(f"SELECT globalPid, correlationId FROM {table}" for table in tables)  # noqa: S608 -- named above
    query = f"""
        SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId
        WHERE ({names}) AND (r.globalTid & ~0xFFFFFF, r.correlationId) NOT IN ({ran})
    """  # noqa: S608 -- named above
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as base:
        return int(base.execute(query).fetchone()[0])


@pytest.mark.sampled
@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "counted", "replayed"),
    [
        ("kineto/h100_bert_small_eager.json.gz", kineto_count, 0),
        ("kineto/mi250_minitoy_train.json.gz", kineto_count, 0),
        ("kineto/mi300x_torch_compile_triton.json.gz", kineto_count, 0),
        ("kineto/mi300x_flux_compiled_and_graphs.json.gz", kineto_count, 994),
        ("kineto/mi300x_vllm_decode_full.capture.json.gz", kineto_count, 0),
        ("kineto/v100_cudagraphs.json.gz", kineto_count, 0),
        ("nsys/h100_2gpu_1s_2026.2.sqlite", nsys_count, 0),
    ],
)
def test_the_number_is_that_of_the_file(
    corpus: Path, name: str, counted: Callable[[Path], int], replayed: int
) -> None:
    """Real traces: what is said to be missing is what the file lacks, less what was replayed."""
    result = kernelmap.correlate(corpus / name)

    said = result.unrecorded.captured + result.unrecorded.missing
    assert said == counted(corpus / name) - replayed
    slugs = {"captured-only", "activity-missing"}
    assert any(notice.slug in slugs and notice.gap for notice in result.notices) == (said > 0)


@pytest.mark.corpus
def test_correlate_says_the_number_and_strict_fails(corpus: Path) -> None:
    """`correlate` names the captured launches itself; `--strict` then exits with 1.

    As hardly anything but captures is in this profile, figures are only for who asks anyway.
    """
    trace = str(corpus / "kineto" / "mi300x_vllm_decode_full.capture.json.gz")
    assert CliRunner().invoke(main, ["correlate", trace, "--strict"]).exit_code == 3
    ran = CliRunner().invoke(main, ["correlate", trace, "--strict", "--anyway"])

    assert ran.exit_code == 1
    assert "421 launches went into a CUDA or HIP graph" in ran.stderr
