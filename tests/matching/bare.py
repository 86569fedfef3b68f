"""Traces without a host side, written as words: what a test of alignment needs and no more.

`run("a b gemm c")` launches kernels k_a, k_b and k_c and a matrix product; other words are in
_LIBRARY or stand for themselves. `named` says what was found, launch by launch: the call's index,
`?` with all candidates, or a dash.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import tiny
from kernelmap.matching import match_launches
from kernelmap.matching.match import STRATEGIES, Match, Strategy
from kernelmap.model import NONE, CompiledGraph, CompiledProgram, Trace
from kernelmap.traces.assemble import assemble_trace
from trace_rows import LaunchRow, TraceRow, raw_trace

_LIBRARY = {
    "gemm": "ampere_sgemm_128x64_nn",
    "other_gemm": "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT",
    "fwd": "void pytorch_flash::flash_fwd_kernel<traits>(int)",
    "bwd": "void pytorch_flash::flash_bwd_kernel<traits>(int)",
    "fill": "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>>(int)",
    "prepares": "void at::cuda::detail::prepare_grouped_gemm_data<cutlass::bfloat16_t>(int)",
    "grouped": "_ZN7cutlass13device_kernelIN2at4cuda6detail25enable_3x_kernel_for_sm9xEEE",
    "eager": "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor>(int)",
    "foreign": "triton_poi_fused_of_other_code_0",
}


def graph(name: str, words: str) -> CompiledGraph:
    """A graph of one-letter kernels and operators (`mm`, `attention`)."""
    symbols = [f"k_{word}" if len(word) == 1 else f"aten.{word}" for word in words.split()]
    return tiny.graph(name, *symbols)


def run(words: str, *, shapes: str = "") -> Trace:
    """Launches in a row, 100 ns each; of `shapes`, one letter per launch, equal ones are equal."""
    names = words.split()
    rows: list[TraceRow] = [
        LaunchRow(
            f"k_{word}" if len(word) == 1 else _LIBRARY.get(word, word),
            200 * place,
            200 * place + 100,
            correlation=place + 1,
            grid=(ord(shapes[place]), 1, 1) if shapes else (NONE, NONE, NONE),
            block=(128, 1, 1),
        )
        for place, word in enumerate(names)
    ]
    return assemble_trace(raw_trace(rows))


def matched(
    words: str,
    *graphs: CompiledGraph,
    shapes: str = "",
    strategies: Sequence[Strategy] = STRATEGIES,
) -> Match:
    """What is made of the launches."""
    return match_launches(CompiledProgram(graphs=graphs), run(words, shapes=shapes), strategies)


def named(result: Match) -> list[str]:
    """The answers: `0/3` is call 3 of graph 0, `?` names several, `-` none."""
    return [_answer(result, row) for row in range(len(result.matching.call))]


def _answer(result: Match, row: int) -> str:
    call = int(result.matching.call[row])
    several = result.matching.candidates_of(row)
    if call < 0 and not several:
        return "-"
    ids = ",".join(_ids(result, several or [call]))
    return f"?{ids}" if call < 0 else ids


def _ids(result: Match, calls: Iterable[int]) -> list[str]:
    graphs = result.program.graphs
    owners = (result.program.calls[call] for call in calls)
    return [f"{graphs.index(owner)}/{call.index}" for owner, call in owners]
