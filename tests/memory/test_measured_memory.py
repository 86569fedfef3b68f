"""What was measured of memory: the peaks of spans, and whose the bytes were; they add up."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from examples import examples
from kernelmap import Options
from kernelmap.matching import match_launches
from kernelmap.memory.measured.measure import RecordedMemory, measure_memory
from kernelmap.model import CompiledProgram, Confidence, Trace
from kernelmap.model.measured_memory import (
    HeldBytes,
    MeasuredMemory,
    MeasuredSpan,
    MemoryOwner,
    Since,
    SpanKind,
)
from kernelmap.model.memory import GraphMemory, MemoryBuffer, MemoryKind, MemoryStep
from tiny import Timeline, graph, program
from tiny_memory import Change, TinyAllocator, allocators, events_of

FORWARD = graph("0_forward", "triton_poi_fused_add_0", "aten.mm")
CODE = program(FORWARD)


def measured(
    trace: Trace,
    memory: TinyAllocator,
    code: CompiledProgram = CODE,
    memories: tuple[GraphMemory, ...] = (),
) -> MeasuredMemory:
    """All spans of a world."""
    matched = match_launches(code, trace)
    recorded = RecordedMemory(
        program=matched.program,
        trace=trace,
        matching=matched.matching,
        events=memory.events(trace),
    )
    return measure_memory(recorded, Options(), memories)


def begin_of(trace: Trace, name: str, number: int = 0) -> int:
    """When the range of a name begins, the one of several that `number` says."""
    rows = [row for row in range(len(trace.ranges)) if trace.ranges.name_of(row) == name]
    return int(trace.ranges.start_ns[rows[number]])


def owner_of(span: MeasuredSpan, size: int) -> MemoryOwner | None:
    """Whose a block of `size` bytes is at the peak of a span."""
    (held,) = [held for held in span.held if held.bytes == size]
    return held.owner


def test_what_is_handed_out_between_two_calls_is_for_the_later_one() -> None:
    """A wrapper makes room for results just before the call; what comes in a call is its own."""
    trace = Timeline().invoke(FORWARD).trace()
    first, second = begin_of(trace, "triton_poi_fused_add_0"), begin_of(trace, "aten::mm")
    memory = TinyAllocator(held=10_000)
    for size, at_ns in ((1, first - 5), (2, first + 3), (4, second - 1), (8, second + 2)):
        memory.alloc(size, at_ns)
    memory.alloc(16, second + 20)  # behind the last call, in the range of the graph

    (span,) = measured(trace, memory).of_kind(SpanKind.GRAPH)

    owners = [owner_of(span, size) for size in (1, 2, 4, 8, 16)]
    assert [owner and owner.call for owner in owners] == [0, 0, 1, 1, None]
    assert [owner and owner.is_during for owner in owners] == [False, True, False, True, False]
    assert [owner and owner.confidence for owner in owners] == [
        Confidence.INFERRED,
        Confidence.EXACT,
        Confidence.INFERRED,
        Confidence.EXACT,
        None,
    ]
    assert {owner and owner.graph for owner in owners} == {0}


def test_what_was_handed_out_before_the_graph_and_before_the_recording_is_told_apart() -> None:
    """A backward's peak names the forward's calls whose results it still holds."""
    backward = graph("0_backward", "triton_red_fused_sum_1")
    line = Timeline().invoke(FORWARD, key="ffw").invoke(backward, key="fbw")
    trace = line.trace()
    memory = TinyAllocator(held=1_000)
    saved = memory.alloc(200, begin_of(trace, "triton_poi_fused_add_0") - 2)
    memory.alloc(300, begin_of(trace, "triton_red_fused_sum_1") - 2)
    memory.free(saved, begin_of(trace, "triton_red_fused_sum_1") + 12)

    _, span = measured(trace, memory, program(FORWARD, backward)).of_kind(SpanKind.GRAPH)

    assert (span.before_bytes, span.peak_bytes, span.after_bytes) == (1_200, 1_500, 1_300)
    held = {(held.since, held.bytes): held.owner for held in span.held}
    assert set(held) == {(Since.EARLIER, 1_000), (Since.BEFORE, 200), (Since.WITHIN, 300)}
    before, within = held[Since.BEFORE, 200], held[Since.WITHIN, 300]
    assert before is not None
    assert within is not None
    assert (before.graph, before.call) == (0, 0)
    assert (within.graph, within.call) == (1, 2)


def test_a_run_of_which_a_call_is_not_known_makes_nothing_a_workspace() -> None:
    """Between which calls a block was is open then; what came in a call that is known is not."""
    trace = Timeline().invoke(FORWARD, skip=(1,)).trace()
    first = begin_of(trace, "triton_poi_fused_add_0")
    memory = TinyAllocator()
    memory.alloc(64, first - 4)
    memory.alloc(128, first + 2)
    matched = match_launches(CODE, trace)
    kept = matched.matching.call != 1
    assert kept.any()
    unsure = replace(
        matched.matching,
        confidence=np.where(kept, matched.matching.confidence, Confidence.AMBIGUOUS),
    )
    recorded = RecordedMemory(
        program=matched.program, trace=trace, matching=unsure, events=memory.events(trace)
    )

    found = measure_memory(recorded, Options(), (_memory(("buf0", 512, 0)),))

    (span,) = found.of_kind(SpanKind.GRAPH)
    stated = {held.bytes: held.owner.is_stated for held in span.held if held.owner}
    assert stated == {64: None, 128: False}


def test_sizes_of_another_run_make_nothing_a_workspace() -> None:
    """Of code of symbolic sizes blocks are buffers by their order, or nothing is said of them."""
    trace = Timeline().invoke(FORWARD).trace()
    first = begin_of(trace, "triton_poi_fused_add_0")
    memory = TinyAllocator()
    memory.alloc(1024, first - 5)
    memory.alloc(64, first - 4)
    for buffers, named in (
        ((("buf0", 512, 0), ("buf1", 4096, 0)), {(1024, "buf0", True), (64, "buf1", True)}),
        ((("buf0", 512, 0),), {(1024, None, None), (64, None, None)}),
    ):
        stated = replace(_memory(*buffers), sizes={"s0": 4})

        (span,) = measured(trace, memory, memories=(stated,)).of_kind(SpanKind.GRAPH)

        found = {
            (held.bytes, held.owner.buffer, held.owner.is_stated)
            for held in span.held
            if held.owner
        }
        merged = {(1088, None, None)} if len(buffers) == 1 else named
        assert found == merged
        assert span.code_growth_bytes is None


def _memory(*buffers: tuple[str, int | None, int]) -> GraphMemory:
    """Memory of FORWARD that asks for name, bytes, step: 1 and 3 are its calls, 4 is its end."""
    steps = [MemoryStep(line=at, code="", call=call) for at, call in enumerate((None, 0, None, 1))]
    return GraphMemory(
        graph="0_forward",
        steps=(*steps, MemoryStep(line=9, code="")),
        buffers=tuple(
            MemoryBuffer(
                name=name,
                storage=at,
                kind=MemoryKind.BUFFER,
                nbytes=nbytes,
                born=born,
                device="cuda",
            )
            for at, (name, nbytes, born) in enumerate(buffers)
        ),
    )


def test_a_block_is_the_buffer_that_the_code_asks_for_there() -> None:
    """By place and size; what no statement asks for says so, and of no code nothing is said."""
    trace = Timeline().invoke(FORWARD).trace()
    first, second = begin_of(trace, "triton_poi_fused_add_0"), begin_of(trace, "aten::mm")
    memory = TinyAllocator()
    sizes = ((512, first - 5), (64, first - 4), (512, second - 1), (2048, second + 2))
    for size, at_ns in (*sizes, (1024, second + 3)):
        memory.alloc(size, at_ns)
    # buf2 is asked for by the call itself; the last block is a workspace of the library.
    stated = _memory(("buf0", 512, 0), ("buf1", None, 2), ("buf2", 2048, 3), ("gone", 512, 4))

    (span,) = measured(trace, memory, memories=(stated,)).of_kind(SpanKind.GRAPH)
    (alone,) = measured(trace, memory).of_kind(SpanKind.GRAPH)

    named = sorted(
        (held.bytes, held.owner.buffer, held.owner.is_stated) for held in span.held if held.owner
    )
    assert named == [
        (64, None, False),
        (512, "buf0", True),
        (512, "buf1", True),
        (1024, None, False),
        (2048, "buf2", True),
    ]
    assert {held.owner.is_stated for held in alone.held if held.owner} == {None}
    assert span.peak_bytes == alone.peak_bytes


def test_eager_work_is_named_by_its_operator() -> None:
    """The outermost one, as for launches; an annotation where there is none."""
    trace = Timeline().invoke(FORWARD).eager("aten::linear").trace()
    memory = TinyAllocator()
    memory.alloc(7, begin_of(trace, "aten::linear") + 1)

    (span,) = measured(trace, memory).of_kind(SpanKind.RECORDING)

    assert span.at_peak == MemoryOwner(op="aten.linear")


def test_another_thread_counts_for_the_peak_and_not_for_the_graph() -> None:
    """An allocator has one total, whoever asks; only the thread of the run works for its calls."""
    trace = Timeline().invoke(FORWARD).trace()
    memory = TinyAllocator()
    memory.alloc(50, begin_of(trace, "triton_poi_fused_add_0") + 1, thread=9)

    (span,) = measured(trace, memory).of_kind(SpanKind.GRAPH)

    assert span.peak_bytes == 50
    assert span.held == (HeldBytes(since=Since.WITHIN, bytes=50, blocks=1, owner=MemoryOwner()),)


def test_a_graph_without_a_range_lasts_from_its_first_call_to_its_last() -> None:
    """Older torch opens no range around a graph: what lies before the first call is not its own."""
    line = Timeline().invoke(FORWARD, marked=False)
    trace = line.trace()
    first = begin_of(trace, "triton_poi_fused_add_0")
    memory = TinyAllocator()
    memory.alloc(1, first - 2)
    memory.alloc(2, first + 2)

    (span,) = measured(trace, memory).of_kind(SpanKind.GRAPH)

    assert span.start_ns == first
    assert {(held.since, held.bytes) for held in span.held} == {
        (Since.BEFORE, 1),
        (Since.WITHIN, 2),
    }


def test_bytes_that_no_event_explains_are_reported() -> None:
    """The profiler records the threads that it knows; the allocator's totals show the others."""
    trace = Timeline().invoke(FORWARD).trace()
    memory = TinyAllocator()
    memory.changes = [Change(1_001, 64, 7, 64, 0), Change(1_002, 32, 8, 1_096, 0)]

    found = measured(trace, memory)

    assert [notice.slug for notice in found.notices] == ["memory-events-missing"]
    assert "1,000 bytes" in found.notices[0].message
    (span,) = found.of_kind(SpanKind.RECORDING)
    assert {(held.since, held.bytes) for held in span.held} == {
        (Since.EARLIER, 1_000),
        (Since.WITHIN, 64 + 32),
    }


def test_without_events_nothing_was_measured() -> None:
    """That is an empty answer, no error."""
    trace = Timeline().invoke(FORWARD).trace()

    assert measured(trace, TinyAllocator()) == MeasuredMemory(spans=())


@settings(max_examples=examples(50))
@given(allocators(most=24), st.integers(0, 2))
def test_every_byte_of_a_peak_is_in_one_row(memory: TinyAllocator, graphs: int) -> None:
    """Rows add up to the peak and none is negative; the peak is the largest total in the span."""
    line = Timeline()
    for _ in range(graphs):
        line.invoke(FORWARD).eager("aten::linear")
    trace = line.eager("aten::add").trace()
    events = memory.events()

    found = measured(trace, memory)

    assert found.notices == ()
    assert len(found.of_kind(SpanKind.GRAPH)) == graphs
    for span in found.spans:
        assert sum(held.bytes for held in span.held) == span.peak_bytes
        assert all(held.bytes > 0 for held in span.held)
        inside = (span.start_ns <= events.time_ns) & (events.time_ns < span.end_ns)
        totals = events.allocated[inside].tolist()
        assert span.peak_bytes == max([span.before_bytes, *totals])
        assert span.after_bytes == [span.before_bytes, *totals][-1]
        assert span.before_bytes + events.bytes[inside].sum() == span.after_bytes
        assert span.allocations + span.frees == len(totals)


@settings(max_examples=examples(25))
@given(allocators(most=10), allocators(device=1, most=10))
def test_devices_are_measured_apart(one: TinyAllocator, other: TinyAllocator) -> None:
    """What an allocator says does not depend on the events of another."""
    trace = Timeline().invoke(FORWARD).trace()
    both = TinyAllocator()
    both.changes = [*one.changes, *other.changes]

    together = measured(trace, both).of_kind(SpanKind.GRAPH)
    alone = [measured(trace, memory).of_kind(SpanKind.GRAPH) for memory in (one, other)]

    for span in together:
        assert span in [*alone[0], *alone[1]]
    assert events_of(both.changes).time_ns.tolist() == sorted(
        change.at_ns for change in both.changes
    )
