"""What torch.profiler writes of memory (`profile_memory=True`) becomes columns, in any layout."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from examples import examples
from kernelmap.model.allocations import pair_blocks
from kernelmap.traces import load_trace
from kernelmap.traces.memory_events import ReadMemory, read_memory_events
from tiny_memory import Change, TinyAllocator, allocators, kineto_event
from traces.kineto_text import COMPACT, LAYOUTS, Event, pair, text, write

BASE = 1_700_000_000_000_000_000
SAMPLES = Path(__file__).parents[2] / "sample_traces"


def read(folder: Path, events: list[Event], layout: str = COMPACT, **rest: bool) -> ReadMemory:
    """What is read of a file of these events beside an operator, a call and a kernel."""
    around: Event = {"baseTimeNanoseconds": BASE}
    path = write(folder / "t.json", text([*pair(), *events], layout, around=around, **rest))
    return read_memory_events(load_trace(path))


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_event_keeps_what_it_says(tmp_path: Path, layout: str, late: bool) -> None:
    """Bytes, address, totals, device and thread; times on the clock of the launches."""
    memory = TinyAllocator(held=4096)
    block = memory.alloc(512, 120_500, thread=1)
    memory.free(block, 130_000, thread=9)

    found = read(tmp_path, memory.kineto(), layout, late=late)

    assert found.notices == ()
    events = found.events
    assert (events.time_ns - BASE).tolist() == [120_500, 130_000]
    assert events.bytes.tolist() == [512, -512]
    assert events.address.tolist() == [block, block]
    assert events.allocated.tolist() == [4608, 4096]
    assert events.reserved.tolist() == [memory.reserved, memory.reserved]
    assert (events.process.tolist(), events.thread.tolist()) == ([0, 0], [1, 9])
    assert events.device.tolist() == [0, 0]


def test_an_event_knows_the_range_around_it(tmp_path: Path) -> None:
    """The innermost of its own thread: `pair` has an operator from 100 to 150 on thread 1."""
    memory = TinyAllocator()
    for at_ns, thread in ((99_000, 1), (100_000, 1), (120_000, 2), (149_999, 1), (151_000, 1)):
        memory.alloc(8, at_ns, thread=thread)

    found = read(tmp_path, memory.kineto())

    assert found.events.range.tolist() == [-1, 0, -1, 0, -1]


def test_memory_of_the_host_is_no_device(tmp_path: Path) -> None:
    """The profiler numbers kinds of devices: 0 is the CPU, 1 CUDA, 6 HIP."""
    host = TinyAllocator(device=-1)
    host.alloc(8, 1_000)
    amd = kineto_event(Change(2_000, 64, 5, 64, 0), **{"Device Type": 6, "Device Id": 3})

    found = read(tmp_path, [*host.kineto(), amd])

    assert found.events.device.tolist() == [-1, 3]
    assert found.events.reserved.tolist() == [-1, 0]


def test_what_a_damaged_event_says_is_left_out_and_counted(tmp_path: Path) -> None:
    """Without a time, bytes, a device or the total an event says nothing that could be used."""
    change = Change(1_000, 64, 5, 64, 0)
    odd: list[Event] = [
        kineto_event(change, Bytes="64"),
        kineto_event(change, Bytes=0),
        kineto_event(change, Bytes=2**60),
        kineto_event(change, **{"Total Allocated": None}),
        kineto_event(change, **{"Device Type": True}),
        {**kineto_event(change), "ts": "soon"},
        {**kineto_event(change), "args": None},
        {**kineto_event(change), "args": [1]},
    ]

    # The last one is no record of arguments at all, and its stretch is read event by event.
    found = read(tmp_path, [kineto_event(change), *odd])

    assert found.events.bytes.tolist() == [64]
    assert [notice.slug for notice in found.notices] == ["memory-events-unclear"]
    assert ": 7 memory events" in found.notices[0].message


def test_a_file_without_them_has_none(tmp_path: Path) -> None:
    """Most profiles have none: that is no error."""
    found = read(tmp_path, [])

    assert len(found.events) == 0
    assert found.notices == ()


@settings(max_examples=examples(25))
@given(allocators())
def test_a_file_gives_the_changes_that_went_into_it(
    tmp_path_factory: pytest.TempPathFactory, memory: TinyAllocator
) -> None:
    """All of them, in the order of time."""
    found = read(tmp_path_factory.mktemp("memory"), memory.kineto()).events

    assert found.bytes.tolist() == [change.bytes for change in memory.changes]
    assert found.allocated.tolist() == [change.allocated for change in memory.changes]


def test_sources_do_not_meet_and_their_order_does_not_matter(tmp_path: Path) -> None:
    """Two ranks have allocators of their own, though both number their device 0."""
    paths = []
    for rank, size in enumerate((100, 200)):
        memory = TinyAllocator()
        memory.alloc(size, 1_000 + rank)
        events = [*pair(rank + 1), *memory.kineto()]
        paths.append(write(tmp_path / f"rank_{rank}.json", text(events, COMPACT)))

    one, other = (read_memory_events(load_trace(*order)) for order in (paths, paths[::-1]))

    assert one.events.bytes.tolist() == other.events.bytes.tolist() == [100, 200]
    assert one.events.source.tolist() == other.events.source.tolist() == [0, 1]
    assert len(list(one.events.iter_allocators())) == 2


@pytest.mark.parametrize(
    ("sample", "peak"),
    [
        ("mlp", 99_122_176),
        ("llama", 75_512_832),
        ("graphs", 9_453_568),
        ("checkpointed", 169_019_904),
    ],
)
def test_recordings_of_a_gpu_show_the_peak_that_torch_counted(sample: str, peak: int) -> None:
    """The largest total is `max_memory_allocated` of a step, as measured.json of the sample has."""
    folder = SAMPLES / f"cuda_memory_{sample}" / "rank_0"

    events = read_memory_events(load_trace(folder / "trace.json.gz")).events

    assert int(events.allocated[events.device == 0].max()) == peak
    assert not pair_blocks(events).is_lost.any()
