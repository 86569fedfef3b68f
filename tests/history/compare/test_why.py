"""One program compiled by two versions: one sentence per cause, with its time.

Three public threads are rebuilt small, by what they tell of kernels and times: a fused softmax that
became two kernels (pytorch 177118), CUDA graphs that take longer to launch (pytorch 174575), and a
release with several causes at once (torch-xpu-ops 4917).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from kernelmap.history.compare.numbers.comparison import compare_sides
from kernelmap.history.compare.sides.opening import open_side
from kernelmap.history.compare.sides.pieces import Piece
from kernelmap.history.compare.sides.side import CallSide, ComparedSide, RestSide
from kernelmap.history.compare.texts.first_line import find_first_line
from kernelmap.history.compare.texts.why import say_why

RUNS = 20
SOFTMAX = ("aten.add", "aten.mul", "prims.prepare_softmax_online", "aten.sub", "aten.exp")
OLD, NEW = {"torch": "2.10.0"}, {"torch": "2.11.0"}


@pytest.fixture(scope="module")
def frame(samples: Path) -> ComparedSide:
    """A side whose calls the tests replace."""
    return open_side(str(samples / "cuda_mlp_train")).side


def call(
    name: str,
    ops: Sequence[str],
    us: float,
    *,
    backend: str = "triton",
    seed: int = 1,
    **more: object,
) -> CallSide:
    """A call that works for `ops` and takes `us` in each of the runs, give or take 1 %."""
    times = [
        round(1_000 * us * spread)
        for spread in np.random.default_rng(seed).lognormal(0, 0.01, RUNS)
    ]
    parts = tuple(f"{op}.default f32[64, 64]" for op in ops)
    made = CallSide(
        id=name,
        name=name,
        piece=Piece(fingerprint=f"{name}{ops}", name=name, parts=parts, ops=tuple(ops)),
        backend=backend,
        launches=RUNS,
        time_ns=sum(times),
        ops=tuple(ops),
        samples={("1", None, run): time for run, time in enumerate(times)},
        sampled=RUNS,
    )
    return replace(made, **more)


def side(
    frame: ComparedSide,
    calls: Sequence[CallSide],
    versions: Mapping[str, str],
    rests: Sequence[RestSide] = (),
) -> ComparedSide:
    """One recording of a graph with these calls in order, a run a step."""
    placed = tuple(replace(each, id=f"0_forward/{at}") for at, each in enumerate(calls))
    graph = replace(frame.graphs[0], id="0_forward", invocations=RUNS, calls=placed)
    total = sum(each.time_ns for each in calls) + sum(rest.time_ns for rest in rests)
    window = replace(frame.summary, total_ns=total, launches=len(calls) * RUNS)
    return replace(
        frame,
        graphs=(graph,),
        rests=tuple(rests),
        steps=RUNS,
        by_step=dict.fromkeys(range(RUNS), total // RUNS),
        summary=window,
        versions=versions,
        clock_ns=(),
        replayed=0,
        replaying_ns=0,
    )


def why(before: ComparedSide, after: ComparedSide) -> list[str]:
    return say_why(compare_sides(before, after))


def test_a_fusion_that_was_split(frame: ComparedSide) -> None:
    """Thread 177118: one persistent kernel became a reduction and a pointwise kernel."""
    matmul = call("extern_kernels.mm", ["aten.mm"], 40, backend="extern")
    before = [matmul, call("triton_per_fused__softmax_16", SOFTMAX, 30)]
    after = [
        matmul,
        call("triton_red_fused_prepare_softmax_12", SOFTMAX[:3], 25),
        call("triton_poi_fused__softmax_13", SOFTMAX[3:], 17),
    ]
    (sentence,) = why(side(frame, before, OLD), side(frame, after, NEW))

    assert sentence.startswith(
        "1 fusion was split: 1 kernel became 2, triton_per_fused__softmax_16 → "
        "triton_red_fused_prepare_softmax_12 and triton_poi_fused__softmax_13: +12."
    )
    assert sentence.endswith(" µs a step")


def test_graphs_that_take_longer_to_launch(frame: ComparedSide) -> None:
    """Thread 174575: the same kernels in the same time, and steps that wait for graph launches."""
    calls = [call("triton_poi_fused_add_0", ["aten.add"], 500)]
    versions = {"torch": "2.9.0", "cuda": "12.8"}, {"torch": "2.10.0", "cuda": "13.0"}
    before, after = (
        replace(
            side(frame, calls, stated), clock_ns=(step,) * RUNS, replayed=90, replaying_ns=launching
        )
        for stated, step, launching in (
            (versions[0], 1_000_000, RUNS * 60_000),
            (versions[1], 1_500_000, RUNS * 420_000),
        )
    )
    comparison = compare_sides(before, after)

    assert say_why(comparison) == [
        "launching CUDA graphs is 7.00x slower on the host (60.00 µs → 420.0 µs): +360.0 µs a step"
    ]
    assert find_first_line(comparison).startswith(
        "torch 2.9.0 → 2.10.0, cuda 12.8 → 13.0; a step is 1.50x slower on the clock "
        "(1.00 ms → 1.50 ms), while the GPU works as long as before; "
    )


def test_a_release_with_several_causes(frame: ComparedSide) -> None:
    """Thread 4917: fusions, the library, Triton, and eager operators, each with its own time."""
    norm = ["aten._native_batch_norm_legit_no_training", "aten.relu"]

    def eager(us: float) -> RestSide:
        times = {step: round(1_000 * us * (1 + 0.01 * (step % 3))) for step in range(RUNS)}
        return RestSide(
            name="aten.index_put",
            outside=True,
            launches=RUNS,
            time_ns=sum(times.values()),
            by_step=times,
        )

    before = [
        call(
            "extern_kernels.convolution",
            ["aten.convolution"],
            60,
            device_names=("gen9_conv",),
            backend="extern",
        ),
        call("triton_poi_fused_batch_norm_1", norm, 50),
        call("triton_pow_mul", ["aten.pow", "aten.mul", "aten.sqrt"], 20),
    ]
    after = [
        call(
            "extern_kernels.convolution",
            ["aten.convolution"],
            80,
            device_names=("reorder_conv",),
            seed=2,
            backend="extern",
        ),
        call("triton_poi_fused_batch_norm_1", norm, 72, seed=3),
        call("triton_pow", ["aten.pow"], 20),
        call("triton_mul", ["aten.mul", "aten.sqrt"], 25),
    ]
    sentences = why(
        side(frame, before, {"torch": "2.13.0", "triton": "3.7.1"}, [eager(30)]),
        side(frame, after, {"torch": "2.14.0", "triton": "3.7.2"}, [eager(45)]),
    )

    assert [sentence.rpartition(":")[0] for sentence in sentences] == [
        "1 fusion was split: 1 kernel became 2, triton_pow_mul → triton_pow and triton_mul",
        "the same code at another speed in 1 call: triton_poi_fused_batch_norm_1, 1.44x slower",
        "another kernel of the library in 1 call: gen9_conv → reorder_conv",
        "1 operator outside compiled code at another speed: aten.index_put",
    ]


def test_an_opaque_operator_in_the_way(frame: ComparedSide) -> None:
    """One kernel is two around a call that nothing is fused into; its own time counts too."""
    before = [call("triton_poi_a_0", ["aten.add", "aten.gelu", "aten.mul"], 10)]
    after = [
        call("triton_poi_add_0", ["aten.add"], 8),
        call("torch.ops.mylib.gelu.default", ["mylib.gelu"], 12, backend="extern"),
        call("triton_poi_mul_1", ["aten.mul"], 7),
    ]
    (sentence,) = why(side(frame, before, OLD), side(frame, after, NEW))

    assert sentence.startswith(
        "torch.ops.mylib.gelu.default is opaque and stands in the way: "
        "1 kernel became 2 around it, triton_poi_a_0 → triton_poi_add_0 and triton_poi_mul_1: +17."
    )


def test_another_template_and_another_configuration(frame: ComparedSide) -> None:
    """A library's product that a template does now, and a kernel with more warps."""
    before = [
        call("extern_kernels.mm", ["aten.mm"], 40, backend="extern"),
        call("triton_red_fused_sum_0", ["aten.sum"], 20, config="XBLOCK=8 num_warps=4"),
    ]
    after = [
        call("triton_tem_fused_mm_0", ["aten.mm"], 60, backend="template"),
        call("triton_red_fused_sum_0", ["aten.sum"], 25, config="XBLOCK=8 num_warps=8", seed=2),
    ]
    comparison = compare_sides(side(frame, before, OLD), side(frame, after, NEW))
    sentences = [sentence.rpartition(":")[0] for sentence in say_why(comparison)]

    assert sentences == [
        "another template, extern_kernels.mm → triton_tem_fused_mm_0",
        "another configuration in 1 call: triton_red_fused_sum_0, num_warps=4 → num_warps=8",
    ]
    assert {each.cause.value for each in comparison.sums} >= {
        "other template",
        "configuration changed",
    }


def test_nothing_is_said_of_equal_versions_or_noise(frame: ComparedSide) -> None:
    """Without another version the table says it; with one, noise is no cause."""
    calls = [call("triton_poi_fused_add_0", ["aten.add"], 50)]
    again = [call("triton_poi_fused_add_0", ["aten.add"], 50, seed=5)]
    slower = [call("triton_poi_fused_add_0", ["aten.add"], 90, seed=5)]

    assert why(side(frame, calls, OLD), side(frame, slower, OLD)) == []
    assert why(side(frame, calls, OLD), side(frame, again, NEW)) == []
    assert len(why(side(frame, calls, OLD), side(frame, slower, NEW))) == 1
