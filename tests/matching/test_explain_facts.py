"""`explain` says what code and trace state of a launch: sizes, grid, warps, sequence numbers."""

from __future__ import annotations

from msgspec.structs import replace

from kernelmap.matching import match_launches
from kernelmap.matching.explaining.explain import explain_call, explain_launch
from kernelmap.model import CompiledProgram, RangeDetail, RangeKind
from kernelmap.traces.assemble import assemble_trace
from tiny import graph
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace

KERNEL = "triton_poi_fused_add_0"


def test_what_was_stated_is_reported() -> None:
    """Each fact stands in a sentence of the evidence; absent ones leave no gap."""
    made = graph("0_forward", KERNEL)
    kernels = tuple(replace(k, heuristic="pointwise", size_hints=(64, 32)) for k in made.kernels)
    calls = tuple(replace(call, numels=(60, 30)) for call in made.calls)
    program = CompiledProgram(graphs=(replace(made, kernels=kernels, calls=calls),))
    detail = RangeDetail(kernel_kwargs="XBLOCK=128", backend="triton", num_warps=4, num_stages=1)
    annotation = RangeKind.ANNOTATION
    rows: list[TraceRow] = [
        RangeRow("CompiledFunction", 0, 100, sequence=12),
        RangeRow("## Call CompiledFxGraph fkey ##", 1, 90, kind=annotation),
        RangeRow(KERNEL, 2, 50, detail=detail),
        ApiRow("cuLaunchKernel", 5, 8, correlation=1),
        LaunchRow(KERNEL, 20, 30, correlation=1, grid=(8, 1, 1), block=(128, 1, 1)),
        LaunchRow("other", 40, 45),
    ]
    result = match_launches(program, assemble_trace(raw_trace(rows)))
    launch = explain_launch(result, 0).evidence
    call = explain_call(result, 0).evidence
    bare = explain_launch(result, 1).evidence

    assert "stream 7, grid 8 x 1 x 1, block 128 x 1 x 1" in launch[0]
    assert any("with XBLOCK=128, num_warps=4, num_stages=1; it stands" in e for e in launch)
    assert "inside range 'CompiledFunction' (event 0, sequence 12)" in launch
    assert "the code states heuristic pointwise, size hints 64 x 32, sizes 60 x 30" in call
    assert "grid" not in bare[0]
