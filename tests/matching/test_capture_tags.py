"""Marks around graphs and calls: what lies in a graph's mark, and in that of no call."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from kernelmap.matching import match_launches
from kernelmap.model import CompiledGraph, CompiledProgram, Confidence, RangeKind, Reason
from kernelmap.model.marks import MarkedCall, MarkedGraph, encode_mark
from kernelmap.traces.assemble import assemble_trace
from tiny import graph, program
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace

DIGEST = "f" * 16
A, B, FOREIGN = "triton_poi_fused_a_0", "triton_red_fused_b_1", "vectorized_elementwise_kernel"
ONE = replace(graph("0_forward", A, B), digest=DIGEST)


def ran(given: CompiledProgram, *names: str) -> list[tuple[Confidence, Reason]]:
    """Confidence and reason of kernels in a graph's mark, those of the code each in its call's."""
    rows: list[TraceRow] = [
        RangeRow(encode_mark(MarkedGraph(digest=DIGEST)), 0, 900, kind=RangeKind.ANNOTATION)
    ]
    index = {call.wrapper: call.index for call in ONE.calls}
    for number, name in enumerate(names, 1):
        begin = 100 * number
        if name in index:
            mark = MarkedCall(digest=DIGEST, index=index[name], wrapper=name)
            rows.append(RangeRow(encode_mark(mark), begin, begin + 30, kind=RangeKind.ANNOTATION))
        rows.append(ApiRow("cudaLaunchKernel", begin + 5, begin + 10, correlation=number))
        rows.append(LaunchRow(name, 1000 + begin, 1020 + begin, correlation=number))
    columns = match_launches(given, assemble_trace(raw_trace(rows))).matching
    return [
        (Confidence(confidence), Reason(reason))
        for confidence, reason in zip(columns.confidence, columns.reason, strict=True)
    ]


EXACT = (Confidence.EXACT, Reason.NONE)


@pytest.mark.parametrize(
    ("given", "names", "beside"),
    [
        (ONE, (A, FOREIGN, B), (Confidence.OUTSIDE, Reason.GLUE)),
        (ONE, (A, FOREIGN), (Confidence.UNKNOWN, Reason.COUNT_DIFFERS)),
        (replace(ONE, code=None), (A, FOREIGN, B), (Confidence.UNKNOWN, Reason.COUNT_DIFFERS)),
    ],
    ids=["all calls were seen", "one was not seen", "no code was given"],
)
def test_what_lies_beside_marked_calls_is_outside_only_where_all_were_seen(
    given: CompiledGraph, names: tuple[str, ...], beside: tuple[Confidence, Reason]
) -> None:
    """Else it may be the call whose mark is missing; and the marked calls stay exact."""
    answers = ran(program(given), *names)

    assert answers.pop(names.index(FOREIGN)) == beside
    assert set(answers) == {EXACT}
