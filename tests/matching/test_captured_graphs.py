"""Replayed graphs beside their captures: several that fit, several streams, what is no capture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from kernelmap.attribution.time_buckets import NO_OPERATOR, outside_ops
from kernelmap.matching import Match, match_launches, match_like
from kernelmap.matching.explaining.explain import explain_launch
from kernelmap.matching.host_side.recording import silent_launches
from kernelmap.matching.references.learning import learned_sequences
from kernelmap.matching.references.several_streams import find_places
from kernelmap.model import CompiledProgram, Confidence, Method
from kernelmap.model.learnt import Learnt
from kernelmap.traces.assemble import assemble_trace
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace

KERNELS = ("gather", "norm", "gemm_a", "attention", "gemm_b", "add")
OPS = ("aten::embedding", "sgl::norm", "aten::mm", "vllm::attention", "aten::mm", "aten::add")


def captured(ops: Sequence[str], begin: int, *, kernels: Sequence[str] = KERNELS) -> list[TraceRow]:
    """A capture on HIP: an operator around each launching call, which states its kernel."""
    rows: list[TraceRow] = [ApiRow("hipStreamBeginCapture", begin, begin + 1)]
    for place, (op, kernel) in enumerate(zip(ops, kernels, strict=True)):
        now = begin + 10 + 10 * place
        rows.append(RangeRow(op, now, now + 8))
        rows.append(ApiRow("hipModuleLaunchKernel", now + 1, now + 3, device_name=kernel))
    end = begin + 10 + 10 * len(ops)
    return [*rows, ApiRow("hipStreamEndCapture", end, end + 1)]


def replayed(
    begin: int, *, kernels: Sequence[str] = KERNELS, correlation: int = 1
) -> list[TraceRow]:
    """One replay of a graph."""
    rows: list[TraceRow] = [ApiRow("hipGraphLaunch", begin, begin + 5, correlation=correlation)]
    for place, kernel in enumerate(kernels):
        now = begin + 20 + 50 * place
        rows.append(LaunchRow(kernel, now, now + 40, correlation=correlation))
    return rows


def matched(*parts: Sequence[TraceRow]) -> Match:
    """What is made of a trace without compiled code."""
    rows = [row for part in parts for row in part]
    return match_launches(CompiledProgram(graphs=()), assemble_trace(raw_trace(rows)))


def ops_of(match: Match) -> list[str]:
    """The operator of each launch."""
    outside = outside_ops(match.context.trace, match.matching)
    return [outside.names[code] for code in outside.code.tolist()]


def test_a_replay_has_the_operators_of_its_capture() -> None:
    """Eager launches of a replay are outside, never exact, and say from which capture they are."""
    match = matched(captured(OPS, 100), replayed(5_000))

    assert ops_of(match) == [op.replace("::", ".") for op in OPS]
    assert set(match.matching.confidence.tolist()) == {Confidence.OUTSIDE}
    assert set(match.matching.method.tolist()) == {Method.TRANSFER}
    evidence = "\n".join(explain_launch(match, 3).evidence)
    assert "captured outside of compiled code below vllm::attention" in evidence
    assert "6 of its 6 launches are here, in its order, all under its names" in evidence


def test_of_two_captures_that_fit_only_what_they_share_is_said() -> None:
    """Two graphs launch the same names from different operators: where they differ none is said."""
    others = [*OPS[:2], "aten::addmm", *OPS[3:]]
    match = matched(captured(OPS, 100), captured(others, 1_000), replayed(5_000))
    expected = [op.replace("::", ".") for op in OPS]
    expected[2] = NO_OPERATOR

    assert ops_of(match) == expected
    assert set(match.matching.confidence.tolist()) == {Confidence.OUTSIDE}


def test_a_replay_that_differs_from_every_capture_stays_unknown() -> None:
    """One other kernel, or another order, is another graph."""
    other = ("gather", "norm", "gemm_x", "attention", "gemm_b", "add")
    swapped = ("gather", "norm", "gemm_a", "gemm_b", "attention", "add")
    for kernels in (other, swapped):
        match = matched(captured(OPS, 100), replayed(5_000, kernels=kernels))
        assert set(match.matching.confidence.tolist()) == {Confidence.UNKNOWN}


def test_a_few_library_kernels_are_no_graph_to_recognize() -> None:
    """Three launches of libraries are in too many graphs."""
    match = matched(
        captured(OPS[:3], 100, kernels=KERNELS[:3]), replayed(5_000, kernels=KERNELS[:3])
    )

    assert set(match.matching.confidence.tolist()) == {Confidence.UNKNOWN}


def test_without_names_a_small_graph_is_not_recognized() -> None:
    """On CUDA a capture states no kernels: few launches say no more than how many there are."""
    for count, expected in ((2, Confidence.UNKNOWN), (8, Confidence.OUTSIDE)):
        nameless = [
            replace(row, device_name=None) if isinstance(row, ApiRow) else row
            for row in captured(OPS * count, 100, kernels=KERNELS * count)
        ]
        match = matched(nameless, replayed(50_000, kernels=KERNELS * count))
        assert set(match.matching.confidence.tolist()) == {expected}


def test_a_recording_that_lost_its_last_activities_is_no_capture() -> None:
    """Where most launching calls have their activity, the others were not captured."""
    rows: list[TraceRow] = []
    for number in range(1, 10):
        now = 100 * number
        rows.append(RangeRow("aten::mm", now, now + 50))
        rows.append(ApiRow("hipLaunchKernel", now + 1, now + 9, correlation=number))
        if number < 6:
            rows.append(LaunchRow("gemm", now + 20, now + 60, correlation=number))

    assert not list(silent_launches(assemble_trace(raw_trace(rows))))
    lost = [row for row in rows if not isinstance(row, LaunchRow) or row.correlation < 3]
    (silent,) = silent_launches(assemble_trace(raw_trace(lost)))
    assert len(silent) == 7


@given(
    names=st.lists(
        st.lists(st.sampled_from("abc"), min_size=1, max_size=6), min_size=1, max_size=3
    ),
    seed=st.randoms(use_true_random=False),
)
def test_streams_dealt_out_in_any_way_may_stand_where_they_stood(
    names: list[list[str]], seed: np.random.Generator
) -> None:
    """However streams were mixed when they were captured, each launch's true place is found."""
    # Launches are numbered stream after stream; the capture mixes the streams at random.
    flat = [name for stream in names for name in stream]
    numbers = iter(range(len(flat)))
    streams = [[next(numbers) for _ in stream] for stream in names]
    left = [list(stream) for stream in streams]
    order: list[int] = []
    while any(left):
        order.append(seed.choice([stream for stream in left if stream]).pop(0))
    places = find_places(streams, lambda launch, place: flat[launch] == flat[order[place]])

    assert places is not None
    assert all(place in places[launch] for place, launch in enumerate(order))
    assert all(flat[launch] == flat[order[at]] for launch, of in enumerate(places) for at in of)


def test_streams_that_fit_in_no_way_are_not_placed() -> None:
    """Each stream keeps its own order."""
    capture = "abcd"
    streams = [[0, 1], [2, 3]]  # b a, and c d

    assert find_places(streams, lambda launch, place: "bacd"[launch] == capture[place]) is None


def test_nodes_that_were_seen_to_be_eager_teach_replays_elsewhere() -> None:
    """A run that knows what made its nodes is a teacher as its capture is."""
    made = captured(OPS, 100)
    replay = [
        replace(row, graph=3, graph_node=(3 << 32) + at)
        for at, row in enumerate(row for row in replayed(5_000) if isinstance(row, LaunchRow))
    ]
    launch = ApiRow("hipGraphLaunch", 5_000, 5_005, correlation=1)
    trace = assemble_trace(raw_trace([*made, launch, *replay]))
    makers = np.flatnonzero(
        [trace.apis.names[name] == "hipModuleLaunchKernel" for name in trace.apis.name_id.tolist()]
    )
    knowing = structs.replace(trace, launches=structs.replace(trace.launches, origin=makers))
    program = CompiledProgram(graphs=())
    seen = match_launches(program, knowing)
    sequences = [
        sequence
        for sequence in learned_sequences(seen.context, seen.matching)
        if sequence.label == "CUDA graph 3"
    ]
    learnt = Learnt(program=program, sequences=tuple(sequences), source="bundle")
    taught = match_like(program, assemble_trace(raw_trace(replayed(100))), [learnt])

    assert set(seen.matching.method.tolist()) == {Method.NONE}
    assert ops_of(taught) == ops_of(seen) == [op.replace("::", ".") for op in OPS]
    assert set(taught.matching.method.tolist()) == {Method.TRANSFER}


FIRST, LAST = (tuple(f"{kernel}_{end}" for kernel in KERNELS) for end in ("first", "last"))


def test_equal_pieces_between_others_are_those_of_their_place() -> None:
    """As many pieces as were captured between the first and the last: each is that of its place."""
    others = [*OPS[:2], "aten::addmm", *OPS[3:]]
    captures = (
        captured(OPS, 100, kernels=FIRST),
        captured(OPS, 300),
        captured(others, 500),
        captured(OPS, 700, kernels=LAST),
    )

    def third_operators(*pieces: Sequence[str]) -> list[str]:
        """The operator of the third launch of each replayed piece."""
        parts = [
            replayed(5_000 * (at + 1), kernels=kernels, correlation=at + 1)
            for at, kernels in enumerate(pieces)
        ]
        return ops_of(matched(*captures, *parts))[2::6]

    step = (FIRST, KERNELS, KERNELS, LAST)
    assert third_operators(*step, *step) == ["aten.mm", "aten.mm", "aten.addmm", "aten.mm"] * 2
    # One of them was not recorded: either may be it.
    assert third_operators(FIRST, KERNELS, LAST) == ["aten.mm", NO_OPERATOR, "aten.mm"]
    # The recording began or ended amid them.
    assert third_operators(KERNELS, KERNELS, LAST)[:2] == [NO_OPERATOR, NO_OPERATOR]
    assert third_operators(FIRST, KERNELS, KERNELS)[1:] == [NO_OPERATOR, NO_OPERATOR]
