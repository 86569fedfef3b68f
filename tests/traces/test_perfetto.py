"""Perfetto traces (.pftrace) are read like the JSON of the same run; others say what they are."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from kernelmap.errors import KernelmapError
from kernelmap.traces import is_trace, load_trace
from kernelmap.traces.assemble import RawTrace, assemble_trace
from kernelmap.traces.blocks import FileBlocks
from kernelmap.traces.kineto.reader import KinetoReader
from kernelmap.traces.perfetto.notes import KEYS
from kernelmap.traces.perfetto.packets import PacketStream
from kernelmap.traces.perfetto.reader import PerfettoReader
from kernelmap.traces.perfetto.slices import Edges, pair_slices
from kernelmap.traces.perfetto.state import _Interned
from kernelmap.traces.perfetto.wire import fields
from traces.kineto_text import Event, api, frame, kernel, note, op, pair, text, write
from worlds.pftrace import (
    BEGIN,
    CLEARED,
    END,
    annotation,
    field,
    message,
    of_json,
    packet,
    pftrace,
    slice_begin,
    slice_end,
    snapshot,
)

SAMPLES = Path(__file__).resolve().parents[2] / "sample_traces"
BASE = 1_700_000_000_000_000_000


def rows(raw: RawTrace) -> dict[str, Any]:
    """All rows of a reading, each table in order; names instead of their numbers."""
    trace = assemble_trace(raw)
    tables: dict[str, Any] = {}
    for name in ("launches", "apis", "ranges"):
        table = getattr(trace, name)
        columns = {
            column: value.tolist()
            for column in table.__struct_fields__
            if isinstance(value := getattr(table, column), np.ndarray)
        }
        columns["name_id"] = [table.names[at] for at in columns["name_id"]]
        # What stands between them in the file, and which number names have, is not of the run.
        for column in ("event", "device_name_id", "detail_id"):
            columns.pop(column, None)
        tables[name] = columns
    details = [raw.ranges.details[at] for at in raw.ranges.detail_id.tolist() if at >= 0]
    frames = trace.frames and [trace.frames.rows.names[at] for at in trace.frames.rows.name_id]
    return {**tables, "details": details, "frames": frames, "functions": functions(raw)}


def functions(raw: RawTrace) -> list[tuple[str, int, int]]:
    """Source frames that tell places: name, start, duration."""
    kept = raw.functions
    assert kept is not None
    start = kept.start_ns + (raw.frames_ns or 0)
    names = [kept.names[at] for at in kept.name_id.tolist()]
    return list(zip(names, start.tolist(), kept.dur_ns.tolist(), strict=True))


def both(folder: Path, events: list[Event]) -> tuple[RawTrace, RawTrace]:
    """What the two readers give for a run that is written in both forms."""
    around: Event = {"baseTimeNanoseconds": BASE}
    plain = write(folder / "run.json", text(events, around=around))
    packed = write(folder / "run.pftrace", gzip.compress(pftrace(events, BASE)))
    return KinetoReader().read(plain), PerfettoReader().read(packed)


def read(folder: Path, *packets: bytes) -> RawTrace:
    """What is read of these packets."""
    return PerfettoReader().read(write(folder / "t.pftrace", b"".join(packets)))


def refused(folder: Path, *packets: bytes) -> KernelmapError:
    """Why a file of these packets is not read."""
    with pytest.raises(KernelmapError) as caught:
        load_trace(write(folder / "t.pftrace", b"".join(packets)))
    return caught.value


ROLE = "torch/_inductor/utils.py(3041): copy_misaligned_inputs"
WORLD: list[Event] = [
    *pair(1),
    note("## Call CompiledFxGraph fabc ##", 99.123, 400, kernel_hash="h", num_warps=4),
    note("ProfilerStep#3", 1.5, 5000.25),
    op("triton_poi_fused_add_0", 300.5, 2, kernel_file="/a/b.py", kernel_hash="h", num_warps=8,
       **{"External id": 7, "Sequence number": 0, "Input Dims": [[1, 2], []], "x": {"y": None}}),
    frame(ROLE, 1, 2000),
    frame("train.py(12): main", 0.5, 3000),
    frame("torch/nn/modules/module.py(1): _call_impl", 0.75, 2999),
    *pair(2, "void at::native::f<float>(int)"),
    api("cudaGraphLaunch", 700, 5, 9),
    kernel("k", 800, 7, 9, **{"graph id": 3, "graph node id": 3 << 32 | 5}),
    # The runtime's clock and that of operators differ a little: the call outlasts its operator.
    op("aten::add", 900, 10, **{"External id": 8}),
    api("cudaLaunchKernel", 905, 5.02, 10),
    kernel("k", 950, 7, 10),
]  # fmt: skip


_COPIES = {"gpu_memcpy": "Memcpy", "gpu_memset": "Memset"}


def as_monitor(events: list[Event]) -> list[Event]:
    """The events as torch's cupti_monitor names them, in both forms.

    Of a graph node's id it writes the lower half, the graph apart; copies are not told by kind.
    """
    for event in events:
        args: Any = event["args"]
        if "graph node id" in args:
            args["graph node id"] &= 2**32 - 1
        event["name"] = _COPIES.get(str(event.get("cat")), event["name"])
    return events


def test_both_forms_of_a_run_give_the_same_rows(tmp_path: Path) -> None:
    """One run as JSON and as .pftrace: the same tables, to the nanosecond."""
    of_json, of_packets = both(tmp_path, as_monitor(json.loads(json.dumps(WORLD))))

    assert rows(of_packets) == rows(of_json)
    assert len(of_packets.launches) == 4
    assert of_packets.notices == of_json.notices == ()


times = st.integers(0, 10**7).map(lambda ns: ns / 1000)


@st.composite
def runs(draw: st.DrawFn) -> list[Event]:
    """Slices that overlap as they like, on one thread and one stream."""
    # Calls stand behind all operators, so a file goes back in time.
    events: list[Event] = [op("around", 0, 10**4), api("first", 0, 1, 99)]
    for at in range(draw(st.integers(1, 12))):
        make = draw(st.sampled_from([op, note, api, kernel, frame]))
        name = draw(st.sampled_from(["a", "b(1): c", "m.py(3): f", "aten::mm", "é"]))
        more = () if make in (op, note, frame) else (at + 1,)
        events.append(make(name, draw(times), draw(times), *more))  # type: ignore[operator]
    return events


@given(runs())
@settings(max_examples=examples(200))
def test_slices_keep_their_ends_however_they_overlap(
    tmp_path_factory: pytest.TempPathFactory, events: list[Event]
) -> None:
    """Begins and ends stand in one order with torch, so overlaps exchange no ends."""
    of_json, of_packets = both(tmp_path_factory.mktemp("runs"), events)

    assert rows(of_packets) == rows(of_json)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "sample", ["cuda_mlp_train", "cuda_two_threads", "cuda_graph_breaks", "cuda_captured_eager"]
)
def test_recordings_read_the_same_in_both_forms(tmp_path: Path, sample: str) -> None:
    """A recorded profile, written as torch would have as .pftrace, gives the rows of its JSON."""
    content = gzip.decompress((SAMPLES / sample / "rank_0" / "trace.json.gz").read_bytes())
    profile = json.loads(content)
    events = [event for event in profile["traceEvents"] if event.get("args") is not None]
    # torch's backend writes kind after kind; the order of the file is that of rows.
    profile["traceEvents"] = as_monitor(
        sorted(events, key=lambda event: _order(str(event.get("cat"))))
    )
    content = json.dumps(profile).encode()
    of_packets = PerfettoReader().read(write(tmp_path / "t.pftrace", of_json(content)))
    expected = KinetoReader().read(write(tmp_path / "t.json", content))

    assert rows(of_packets) == rows(expected)


def _order(category: str) -> int:
    kinds = ("cuda_runtime", "cuda_driver", "kernel", "gpu_memcpy", "gpu_memset")
    return kinds.index(category) + 1 if category in kinds else 0


def test_where_the_time_is_cut_off_the_rest_is_read(tmp_path: Path) -> None:
    """A file that was cut off in the middle gives whole events, and says what is missing."""
    whole = pftrace(WORLD, BASE)
    seen, refusals = set(), set()
    for end in range(0, len(whole), 37):
        path = write(tmp_path / "t.pftrace", whole[:end])
        try:
            raw = PerfettoReader().read(path)
        except KernelmapError as error:
            refusals.add(error.slug)
            continue
        slugs = {notice.slug for notice in raw.notices}
        seen |= slugs
        assert slugs <= {"trace-truncated", "events-without-duration"}
        trace = assemble_trace(raw)
        assert (trace.ranges.dur_ns >= 0).all()
    assert seen == {"trace-truncated", "events-without-duration"}
    assert refusals <= {"broken-trace", "no-trace-events"}


def test_a_packed_file_that_is_cut_off_says_so(tmp_path: Path) -> None:
    """The gzip stream ends too early: what it gave is used, with a notice."""
    content = gzip.compress(pftrace(WORLD * 50, BASE))
    raw = PerfettoReader().read(write(tmp_path / "t.pftrace", content[: len(content) * 9 // 10]))

    assert "trace-truncated" in {notice.slug for notice in raw.notices}
    assert len(raw.ranges)


@pytest.mark.parametrize("name", ["run.pftrace", "run.pftrace.gz", "run.bin", "run.json"])
def test_the_content_tells_the_format(tmp_path: Path, name: str) -> None:
    """Neither suffix nor packing decides who reads a file."""
    content = pftrace(WORLD, BASE)
    for data in (content, gzip.compress(content)):
        path = write(tmp_path / name, data)
        assert is_trace(path)
        assert len(load_trace(path).launches) == 4


@pytest.mark.parametrize(
    "content",
    [
        b"\n" * 300,
        b"\n \n\n{}\n",
        b"\n\nsome text, that begins with empty lines\n" * 9,
        b"\n\x05abcde\n\x03xyz",
        b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\x0a\x00" * 9,
    ],
)
def test_other_files_are_no_perfetto_traces(tmp_path: Path, content: bytes) -> None:
    """Line ends and texts look like packets for a byte or two, and are none."""
    assert not PerfettoReader().sniff(write(tmp_path / "t.pftrace", content))


def test_a_system_trace_says_what_it_is(tmp_path: Path) -> None:
    """A recording of Android or Linux without GPU work is named, with what to do."""
    switches = [packet((1, message((1, cpu))), time=5) for cpu in range(4)]
    stats = packet((35, message((1, 1))))
    chrome = packet(
        (12, message((1, message((1, 1), (2, "mojom"))))),
        (11, message((9, BEGIN), (11, 1), (3, 1), (23, "Receive"))),
        time=7,
        flags=CLEARED,
    )
    error = refused(tmp_path, snapshot(5), *switches, stats, chrome)

    assert error.slug == "no-trace-events"
    assert "Perfetto trace without operators" in error.message
    assert "4 of the Linux kernel's events" in error.message
    assert "mojom" in error.message
    assert "torch.profiler" in error.hint


def test_stages_of_graphics_are_left_out_with_a_notice(tmp_path: Path) -> None:
    """What a GPU drew is no kernel; a stage that names a kernel is one, whoever wrote it."""
    interned = message(
        (24, message((1, 1), (2, "Fragment"))),
        (24, message((1, 2), (2, "Dispatch"))),
        (1000, message((1, 5), (3, "my_kernel"))),
    )
    raw = read(
        tmp_path,
        packet((12, interned), flags=CLEARED),
        packet((53, message((2, 50), (14, 1))), time=10),
        packet((53, message((2, 60), (14, 2), (19, 5))), time=20),
    )

    assert [raw.launches.names[at] for at in raw.launches.name_id] == ["my_kernel"]
    assert raw.launches.dur_ns.tolist() == [60]
    assert [notice.slug for notice in raw.notices] == ["device-not-read"]
    assert "Fragment" in raw.notices[0].message


def test_numbers_of_texts_mean_what_their_sequence_says(tmp_path: Path) -> None:
    """Two sequences use one number for two names, and each begins anew when it is cleared."""

    def named(name: str) -> tuple[int, bytes]:
        return 12, message((1, message((1, 1), (2, "cpu_op"))), (2, message((1, 1), (2, name))))

    def slices(sequence: int, time: int, *fields: tuple[int, bytes], flags: int = 0) -> bytes:
        begin = message((9, BEGIN), (11, sequence), (3, 1), (10, 1))
        end = message((9, END), (11, sequence))
        return packet(*fields, (11, begin), sequence=sequence, time=time, flags=flags) + packet(
            (11, end), sequence=sequence, time=time + 5
        )

    raw = read(
        tmp_path,
        *(packet((60, message((1, at), (4, message((1, 1), (2, at)))))) for at in (1, 2)),
        slices(1, 10, named("first"), flags=CLEARED),
        slices(2, 20, named("second"), flags=CLEARED),
        slices(1, 30),
        slices(1, 40, named("third"), flags=CLEARED),
        slices(2, 50),
    )
    names = [raw.ranges.names[at] for at in raw.ranges.name_id]

    assert names == ["first", "second", "first", "third", "second"]
    assert raw.ranges.thread.tolist() == [1, 2, 1, 1, 2]


def test_defaults_clocks_and_interned_notes_are_read(tmp_path: Path) -> None:
    """What Perfetto's own SDK writes: a default track, a clock that counts on, numbered notes."""
    clocks = message(
        (1, message((1, 6), (2, 10**12))), (1, message((1, 64), (2, 5), (3, 1), (4, 1000)))
    )
    defaults = message((58, 64), (11, message((11, 7))))
    interned = message(
        (1, message((1, 1), (2, "cpu_op"))),
        (3, message((1, 9), (2, "External id"))),
    )
    begin = message((9, BEGIN), (3, 1), (23, "aten::mm"), (4, annotation(9, 41)))
    raw = read(
        tmp_path,
        packet((60, message((1, 7), (5, 8)))),
        packet((60, message((1, 8), (4, message((1, 3), (2, 4)))))),
        packet((59, defaults), (12, interned), flags=CLEARED),
        packet((6, clocks)),
        packet((11, begin), time=10),
        packet((11, message((9, END))), time=2),
    )

    assert raw.ranges.start_ns.tolist() == [10**12 + 10_000]
    assert raw.ranges.dur_ns.tolist() == [2000]
    assert raw.ranges.external.tolist() == [41]
    assert (raw.pids, raw.ranges.thread.tolist()) == (("3",), [4])


def test_complete_events_of_the_older_form_have_their_own_duration(tmp_path: Path) -> None:
    """Chrome's tracing wrote slices with a duration in microseconds, without an end."""
    legacy = message((2, ord("X")), (3, 12))
    event = message((11, 1), (22, "cpu_op"), (23, "aten::mm"), (6, legacy))
    raw = read(
        tmp_path,
        packet((60, message((1, 1), (4, message((1, 1), (2, 1)))))),
        slice_begin(1, 5, (22, "cpu_op"), (23, "around")),
        packet((11, event), time=10),
        slice_end(1, 90_000),
    )

    assert raw.ranges.dur_ns.tolist() == [89_995, 12_000]


def test_packed_packets_come_in_their_place(tmp_path: Path) -> None:
    """Perfetto may pack packets; damage inside, or packing inside of packing, is counted."""
    content = pftrace(WORLD, BASE)
    first, rest = _halves(content)
    raw = read(tmp_path, first, packet((50, zlib.compress(rest)), sequence=0))
    assert rows(raw) == rows(read(tmp_path, content))
    assert raw.notices == ()
    twice = packet((50, zlib.compress(packet((50, zlib.compress(rest))))), sequence=0)
    for damage in (packet((50, b"no zlib"), sequence=0), twice):
        raw = read(tmp_path, content, damage)
        assert [notice.slug for notice in raw.notices] == ["events-unreadable"]


def _halves(content: bytes) -> tuple[bytes, bytes]:
    """The packets of a trace, cut in the middle of them."""
    ends = [each.after for each in fields(content)]
    middle = ends[len(ends) // 2]
    return content[:middle], content[middle:]


def test_a_damaged_packet_is_left_out_and_counted(tmp_path: Path) -> None:
    """A packet whose fields do not fill it is lost alone; behind a lost begin nothing is found."""
    content = pftrace(WORLD, BASE)
    broken = field(1, b"\x08")
    raw = read(tmp_path, content, broken)
    assert [notice.slug for notice in raw.notices] == ["events-unreadable"]
    assert rows(raw) == rows(read(tmp_path, content))
    raw = read(tmp_path, content, b"\x12\x00", content)
    assert [notice.slug for notice in raw.notices] == ["trace-damaged"]
    assert rows(raw) == rows(read(tmp_path, content))


@pytest.mark.parametrize(
    "lie",
    [
        b"\x0a" + b"\xff" * 9 + b"\x01",  # as long as can be written
        b"\x0a" + b"\x80" * 30,  # a length that does not end
        field(1, b"\x5a" + b"\xff" * 8 + b"\x7f"),  # a message in a packet that is longer than it
        field(1, field(11, field(4, b"\x52\xff\xff\xff\xff\x0f"))),
        field(1, message((50, zlib.compress(message((1, message((50, b"")))))))),
        field(1, b"\x0b" * 10_000),  # groups, which nobody writes
        field(1, field(11, b"") * 10_000),
    ],
)
def test_lengths_that_lie_cost_nothing(tmp_path: Path, lie: bytes) -> None:
    """No size that a file states makes the reader take memory or hang; what is whole is read."""
    content = pftrace(WORLD, BASE)

    assert len(read(tmp_path, content, lie).launches) == 4


def test_packed_packets_that_unpack_too_far_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few bytes that become very many end with an error that names the limit."""
    monkeypatch.setenv("KERNELMAP_LIMITS", "0.000001")
    bomb = packet((50, zlib.compress(b"\x0a\x00" * (8 << 20))), sequence=0)
    error = refused(tmp_path, snapshot(1), bomb)

    assert error.slug == "input-too-large"


def stack_pairs(is_begin: list[bool], track: list[int], time: list[int]) -> list[int]:
    """Perfetto's rule, an event at a time."""
    open_: dict[int, list[int]] = {}
    ends: dict[int, int] = {}
    for at in sorted(range(len(time)), key=lambda at: (time[at], at)):
        stack = open_.setdefault(track[at], [])
        if is_begin[at]:
            stack.append(at)
        elif stack:
            ends[stack.pop()] = at
    return [ends.get(at, -1) for at, begins in enumerate(is_begin) if begins]


def pairs_of(
    is_begin: list[bool], track: list[int], time: list[int], *, in_blocks: bool
) -> list[int]:
    """By begin the row of its end, as pair_slices finds it; ends are counted among all rows."""
    begun = np.array(is_begin, dtype=np.bool_)
    columns = [np.array(column, dtype=np.int64) for column in (track, time)]
    found = pair_slices(
        Edges(*(column[begun] for column in columns)),
        Edges(*(column[~begun] for column in columns)),
        np.cumsum(begun, dtype=np.int64)[~begun],
        in_blocks=in_blocks,
    )
    paired: list[int] = np.append(np.flatnonzero(~begun), -1)[found].tolist()
    return paired


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 2), st.integers(0, 6)), max_size=14))
@settings(max_examples=examples(500))
def test_ends_close_what_was_begun_last(events: list[tuple[bool, int, int]]) -> None:
    """Whatever begins and ends a file holds, in columns they are paired as with a stack."""
    is_begin, track, time = (
        (list(column) for column in zip(*events, strict=True)) if events else ([], [], [])
    )
    found = pairs_of(is_begin, track, time, in_blocks=False)

    assert found == stack_pairs(is_begin, track, time)


def block_pairs(is_begin: list[bool], track: list[int], time: list[int]) -> list[int] | None:
    """By begin the row of its end where all rows are blocks; None where they are not."""
    begins = [at for at, begin in enumerate(is_begin) if begin]
    ends = [at for at, begin in enumerate(is_begin) if not begin]
    if not begins or not is_begin[0] or len(ends) > len(begins) or time == sorted(time):
        return None
    # Runs of begins and ends take turns; of all blocks but the last one they have one length.
    runs = [len(list(run)) for _, run in itertools.groupby(is_begin)]
    blocks = list(itertools.zip_longest(runs[0::2], runs[1::2], fillvalue=0))
    if any(of_begins != of_ends for of_begins, of_ends in blocks[:-1]):
        return None
    each = zip(begins, ends, strict=False)
    if any(track[begin] != track[end] or time[begin] > time[end] for begin, end in each):
        return None
    return [*ends, *[-1] * (len(begins) - len(ends))]


@given(
    st.lists(
        st.tuples(st.integers(1, 3), st.integers(0, 1), st.integers(0, 3), st.integers(0, 4)),
        min_size=1,
        max_size=4,
    ),
    st.integers(0, 2),
    st.lists(st.integers(0, 30), max_size=1),
)
@settings(max_examples=examples(500))
def test_blocks_are_paired_as_they_stand(
    blocks: list[tuple[int, int, int, int]], cut: int, changed: list[int]
) -> None:
    """Blocks, the last one cut off, or rows that are nearly blocks."""
    rows_ = [
        (kind, track, time + 2 * row + 3 * (not kind))
        for count, track, time, _ in blocks
        for kind in (True, False)
        for row in range(count)
    ]
    rows_ = rows_[: len(rows_) - cut]
    for at in changed:
        if at < len(rows_):
            rows_[at] = (not rows_[at][0], *rows_[at][1:])
    is_begin, track, time = (list(column) for column in zip(*rows_, strict=True)) if rows_ else (
        [], [], []
    )  # fmt: skip
    expected = block_pairs(is_begin, track, time)

    found = pairs_of(is_begin, track, time, in_blocks=True)

    assert found == (stack_pairs(is_begin, track, time) if expected is None else expected)


def test_a_damaged_note_between_details_says_nothing(tmp_path: Path) -> None:
    """A note that nobody asks for is passed over unread, also where its value is damaged."""
    details = (
        (4, annotation("kernel_file", "/a/b.py")),
        (4, field(10, "who knows") + b"\x0b"),
        (4, annotation("num_warps", 8)),
    )
    raw = read(
        tmp_path,
        packet((60, message((1, 1), (4, message((1, 1), (2, 1)))))),
        slice_begin(1, 10, (22, "cpu_op"), (23, "triton_"), *details),
        slice_end(1, 30),
    )

    assert raw.ranges.details[0].kernel_file == "/a/b.py"
    assert raw.ranges.details[0].num_warps == 8


def test_names_are_numbered_in_the_order_of_the_file(tmp_path: Path) -> None:
    """Also where thousands of events come before the last new name."""
    names = [f"{at}" for at in (*range(3), *[0] * 5000, *range(9, 0, -1), *range(20, 5020))]
    packets = [
        slice_begin(1, at, (22, "cpu_op"), (23, name)) + slice_end(1, at + 1)
        for at, name in enumerate(names)
    ]
    raw = read(tmp_path, packet((60, message((1, 1), (4, message((1, 1), (2, 1)))))), *packets)

    assert list(raw.ranges.names) == list(dict.fromkeys(names))
    assert [raw.ranges.names[at] for at in raw.ranges.name_id.tolist()] == names


def test_packed_files_come_in_pieces_as_large_as_others(tmp_path: Path) -> None:
    """A packed file is read little by little, and each piece costs something by itself."""
    content = b"".join(packet((900, os.urandom(1000)), time=at) for at in range(3000))
    block = 1 << 20
    pieces = [
        len(list(PacketStream(FileBlocks(write(tmp_path / "run.pftrace", data), block), KEYS)))
        for data in (content, gzip.compress(content))
    ]

    assert pieces[0] == 3
    assert pieces[1] in (3, 4)


def test_a_damaged_detail_says_nothing(tmp_path: Path) -> None:
    """What Inductor exports is looked at where it is asked for: damage there costs that one."""
    details = (
        (4, field(10, "kernel_file") + b"\x0b"),
        (4, annotation("num_warps", 8)),
    )
    raw = read(
        tmp_path,
        packet((60, message((1, 1), (4, message((1, 1), (2, 1)))))),
        slice_begin(1, 10, (22, "cpu_op"), (23, "triton_"), *details),
        slice_end(1, 30),
    )

    assert not [notice for notice in raw.notices if notice.gap]
    assert raw.ranges.details[0].kernel_file is None
    assert raw.ranges.details[0].num_warps == 8


@given(
    st.dictionaries(st.integers(-2, 9) | st.integers(-(2**63), 2**63 - 1), st.integers(0, 5)),
    st.lists(st.integers(-3, 12) | st.integers(-(2**63), 2**63 - 1), min_size=1),
)
@settings(max_examples=examples(300))
def test_interned_numbers_are_looked_up(known: dict[int, int], asked: list[int]) -> None:
    """Dense numbers by their place, others by search: what is not interned is -1."""
    interned = _Interned()
    interned.to_fill().update(known)

    found = interned.look_up(np.array(asked, dtype=np.int64))

    assert found.tolist() == [known.get(iid, -1) for iid in asked]


def test_files_in_order_of_time_are_paired_by_time(tmp_path: Path) -> None:
    """Two slices, one in the other, are no block of torch's, though they look like one."""
    packets = (
        packet((60, message((1, 1), (4, message((1, 1), (2, 1)))))),
        slice_begin(1, 10, (22, "cpu_op"), (23, "outer")),
        slice_begin(1, 20, (22, "cpu_op"), (23, "inner")),
        slice_end(1, 30),
        slice_end(1, 40),
    )
    raw = read(tmp_path, *packets)

    assert raw.ranges.dur_ns.tolist() == [30, 10]
    again = read(tmp_path, snapshot(5), *packets)
    assert again.ranges.dur_ns.tolist() == [30, 10]


def test_names_of_gpus_are_read_where_a_file_has_them(tmp_path: Path) -> None:
    """Perfetto has a packet for GPUs; torch 2.14 does not write it, later ones may."""
    gpus = packet((128, message((1, message((1, "NVIDIA H100"))))))
    raw = read(tmp_path, pftrace(WORLD, BASE), gpus)

    assert raw.gpus == ((0, "NVIDIA H100"),)
