"""A Kineto file written anew: what is added, and that no value changes."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from examples import examples
from kernelmap.errors import KernelmapError
from kernelmap.model.annotations import EventFacts, Track
from kernelmap.model.notices import Notice
from kernelmap.traces.annotated import kineto_file as module
from kernelmap.traces.annotated.event_text import seen_ns
from kernelmap.traces.annotated.kineto_file import annotate, is_chrome_trace
from kernelmap.traces.blocks import FileBlocks, packed
from kernelmap.traces.chrome.json_layout import learn
from kernelmap.traces.kineto.events import text_ns
from kernelmap.traces.kineto.reader import KinetoReader
from traces.kineto_text import LAYOUTS, Event, frame, kernel, note, op, pair, text, write
from traces.odd_kineto import files

FACTS = {"call": "0_forward/3"}
Exact = Any
"""A JSON value with numbers as they are written, and objects as lists of (key, value)."""


def exactly(data: bytes) -> Exact:
    return json.loads(data, parse_int=str, parse_float=str, object_pairs_hook=list)


def exact_events(data: bytes) -> list[Exact]:
    return list(dict(exactly(data))["traceEvents"])


def facts(events: Sequence[Event], wanted: Sequence[int]) -> EventFacts:
    """FACTS for the events at `wanted`."""
    return EventFacts(
        event=np.array(sorted(wanted), dtype=np.int64),
        name_id=np.array(sorted(wanted), dtype=np.int64),
        names=[str(event["name"]) for event in events],
        facts=repeat(FACTS),
    )


def track(*slices: tuple[int, int], process: str = "calls") -> Track:
    return Track(
        process=process,
        thread="0_forward",
        sort=7,
        start_ns=np.array([start for start, _ in slices], dtype=np.int64),
        dur_ns=np.array([dur for _, dur in slices], dtype=np.int64),
        names=[f"call {at}" for at in range(len(slices))],
        facts=[FACTS] * len(slices),
    )


def annotated(path: Path, added: EventFacts, *tracks: Track) -> bytes:
    return noticed(path, added, *tracks)[0]


def noticed(path: Path, added: EventFacts, *tracks: Track) -> tuple[bytes, tuple[Notice, ...]]:
    handle = io.BytesIO()
    notices = annotate(path, handle, added, tracks)
    return handle.getvalue(), notices


def events_of(data: bytes) -> list[dict[str, Any]]:
    read_back = json.loads(data)
    return list(read_back["traceEvents"] if isinstance(read_back, dict) else read_back)


NAMES = st.text(max_size=6) | st.sampled_from(
    ['"args": {}', '\\"args', "{}", "}", "]", '"kernelmap"']
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | NAMES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)
KEYS = st.sampled_from(["x", "args ", "Args", "external"])
ANY_EVENTS = st.builds(
    lambda name, args, before, behind: {
        "ph": "X",
        **before,
        "cat": "cpu_op",
        "name": name,
        "ts": 1,
        "dur": 1,
        **({} if args is None else {"args": args}),
        **behind,
    },
    NAMES,
    st.none() | st.dictionaries(KEYS, VALUES, max_size=2),
    st.dictionaries(KEYS, st.dictionaries(st.just("args"), VALUES, max_size=1), max_size=1),
    st.dictionaries(KEYS, VALUES, max_size=1),
)


@given(
    st.lists(ANY_EVENTS, min_size=1, max_size=6),
    st.sets(st.integers(0, 5)),
    st.sampled_from(LAYOUTS),
    st.booleans(),
    st.integers(8, 4000),
)
def test_without_the_additions_the_values_are_the_original(
    tmp_path_factory: pytest.TempPathFactory,
    events: list[Event],
    chosen: set[int],
    layout: str,
    late: bool,
    block: int,
) -> None:
    """Whatever the layout, block size and order of keys: only what is added is new."""
    path = tmp_path_factory.mktemp("any") / "t.json"
    write(path, text(events, layout, late=late, around={"traceName": "]}", "x": {"y": 1}}))
    wanted = sorted(index for index in chosen if index < len(events))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FileBlocks", lambda path: FileBlocks(path, block))
        result = annotated(path, facts(events, wanted))

    assert exactly(result) == exactly(with_facts(path.read_bytes(), wanted))


def with_facts(content: bytes, wanted: Sequence[int]) -> bytes:
    """FACTS as the last argument of some events, put in by Python's JSON."""
    whole = json.loads(content)
    for at in wanted:
        whole["traceEvents"][at].setdefault("args", {})["kernelmap"] = FACTS
    return json.dumps(whole).encode()


NUMBERS = (
    *("1.50", "-0", "-0.0", "1e5", "1E+2", "1e999", "0.1000000000000000055511151231257827"),
    *(
        "9007199254740993",
        "18446744073709551616",
        "1700000000000000.123",
        "123456789012345678901.5",
    ),
)


@pytest.mark.parametrize("wanted", [(), (0,), (1,)])
def test_numbers_keep_their_digits(wanted: Sequence[int], tmp_path: Path) -> None:
    """No number is rounded, also where no float or integer of 64 bits holds it."""
    events = [op("a", 1, 1, **{f"n{at}": f"@{at}@" for at in range(len(NUMBERS))}), note("b", 1, 1)]
    content = text([*events, {"ph": "i", "name": "c", "s": "@0@"}])
    for at, digits in enumerate(NUMBERS):
        content = content.replace(f'"@{at}@"', digits)
    path = write(tmp_path / "t.json", content)
    after = exact_events(annotated(path, facts(events, wanted)))
    args = dict(dict(after[0])["args"])

    assert [args[f"n{at}"] for at in range(len(NUMBERS))] == list(NUMBERS)
    assert after[2] == exact_events(content.encode())[2]


def test_of_a_key_that_is_there_twice_the_last_counts(tmp_path: Path) -> None:
    """An event that gets facts says what JSON readers take it to say; others stay as they are."""
    events = [op("a", 1, 1, x=1), op("a", 2, 1, x=2)]
    content = text(events).replace('"x":', '"x": 0, "x":').replace('"ts":', '"ts": 0, "ts":')
    path = write(tmp_path / "t.json", content)
    result = annotated(path, facts(events, [0]))

    assert json.loads(result) == json.loads(with_facts(content.encode(), [0]))
    assert exact_events(result)[1] == exact_events(content.encode())[1]


def test_no_number_becomes_null(tmp_path: Path) -> None:
    """NaN and infinity are no JSON: they are read, and so written, as null, and it is told."""
    events = [op("a", 1, 1, x="@"), *pair(1)]
    path = write(tmp_path / "t.json", text(events).replace('"@"', "NaN"))
    result, notices = noticed(path, facts(events, [0]))

    assert events_of(result)[0]["args"]["x"] is None
    assert [notice.slug for notice in notices] == ["annotated-mended"]


@pytest.mark.parametrize("wanted", [(), (0,)])
def test_the_result_is_utf_8(wanted: Sequence[int], tmp_path: Path) -> None:
    """Bytes that are no UTF-8 get a mark wherever they stand, so that viewers can read the file."""
    events = [op("a", 1, 1, x="@"), *pair(1)]
    content = text(events, around={"y": "@"}).encode().replace(b"@", b"\xff")
    result, notices = noticed(write(tmp_path / "t.json", content), facts(events, wanted))

    assert json.loads(result.decode())["y"] == "\ufffd"
    assert events_of(result)[0]["args"]["x"] == "\ufffd"
    assert [notice.slug for notice in notices] == ["annotated-mended"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_file_is_never_held_whole(layout: str, tmp_path: Path) -> None:
    """What is read is written soon: a file of any size takes the memory of a few blocks."""
    events = [event for at in range(400) for event in pair(at)]
    path, block = write(tmp_path / "t.json", text(events, layout)), 4096
    given = 0

    class Counted(FileBlocks):
        def __iter__(self) -> Iterator[bytes]:
            nonlocal given
            for some in super().__iter__():
                given += len(some)
                yield some

    class Handle(io.BytesIO):
        before, most = 0, 0

        def write(self, data: Any) -> int:  # noqa: ANN401 -- as BytesIO has it
            self.most = max(self.most, given - self.before)
            self.before = given
            return super().write(data)

    handle = Handle()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FileBlocks", lambda path: Counted(path, block))
        annotate(path, handle, facts(events, range(len(events))), ())

    assert given == path.stat().st_size > 20 * block
    assert handle.most <= 4 * block


@pytest.mark.parametrize("first", ["ph", "name", "pid"])
def test_our_events_begin_as_those_of_the_file(first: str, tmp_path: Path) -> None:
    """A reader tells the events of the result apart by how they begin, and reads it in pieces."""
    events = [{first: event[first], **event} for event in (*pair(1), *pair(2))]
    path = write(tmp_path / "t.json", text(events, layout="indented"))
    result = annotated(path, facts(events, [2]), track((1_000, 10), (2_000, 10)))
    listed = result[result.index(b"[") + 1 : result.rindex(b"]")]
    layout = learn(listed)

    assert layout is not None
    assert len(list(layout.pieces(listed))) == len(events_of(result)) == len(events) + 6


@given(files())
@settings(max_examples=examples(60))
def test_facts_go_into_the_launches_of_any_file(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    """However odd or damaged a file is, facts stand where the reader of columns saw a launch."""
    path = write(tmp_path_factory.mktemp("odd") / "t.json", content)
    try:
        launches = KinetoReader().read(path).launches
    except KernelmapError:
        return
    launches = launches.take_rows(np.argsort(launches.event))
    added = EventFacts(
        event=launches.event,
        name_id=launches.name_id,
        names=launches.names,
        facts=({"launch": at} for at in range(len(launches))),
    )
    try:
        result, notices = noticed(path, added)
    except KernelmapError as error:
        assert error.slug == "annotate-unreadable-start"  # noqa: PT017 -- only some files raise it
        return
    every_args = [event.get("args") for event in events_of(result)]
    has_facts = {
        at: args["kernelmap"]["launch"]
        for at, args in enumerate(every_args)
        if isinstance(args, dict) and "kernelmap" in args
    }

    if "annotated-in-part" not in {notice.slug for notice in notices}:
        assert has_facts == dict(zip(launches.event.tolist(), range(len(launches)), strict=True))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_objects_in_the_first_event_are_no_events(layout: str, tmp_path: Path) -> None:
    """However small the blocks are, what looks like two events inside of one does not part it."""
    events = [{"ph": "X", "name": "a", "ts": 1, "dur": 1, "x": [{}, {"": None}, {"": 1}]}]
    path = write(tmp_path / "t.json", text(events * 2, layout))
    for block in range(1, 400, 7):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "FileBlocks", lambda path, size=block: FileBlocks(path, size))
            assert exactly(annotated(path, facts(events, []))) == exactly(path.read_bytes())


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("bare", [False, True])
def test_tracks_stand_behind_the_events(layout: str, bare: bool, tmp_path: Path) -> None:
    """Tracks follow the last event, name themselves, and count from the file's base time."""
    events = [*pair(1), *pair(2)]
    content = text(events, layout, around={"baseTimeNanoseconds": 1_000_000}, late=True)
    if bare:
        content = content[content.index("[") : content.rindex("]") + 1] + "\n"
    path = write(tmp_path / "t.json", content)
    result = annotated(path, facts(events, []), track((1_002_500, 250), (1_004_000, 1)))
    read_back = events_of(result)
    tracks = read_back[len(events) :]
    base = 1_000_000 if not bare else 0

    assert read_back[: len(events)] == events
    assert [it["ph"] for it in tracks] == ["M", "M", "M", "M", "X", "X"]
    assert {it["pid"] for it in tracks} == {2_000_000_000}
    assert tracks[0]["args"] == {"name": "calls"}
    assert tracks[2]["args"] == {"name": "0_forward"}
    assert [(it["name"], it["ts"], it["dur"]) for it in tracks[4:]] == [
        ("call 0", (1_002_500 - base) / 1000, 0.25),
        ("call 1", (1_004_000 - base) / 1000, 0.001),
    ]
    assert tracks[5]["args"] == {"kernelmap": {"call": "0_forward/3"}}


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5000)), min_size=1, max_size=20),
    st.sampled_from([0, 1_413_245_000_111, 2**52, 1_700_000_000_000_000_000]),
)
def test_no_slice_reaches_into_the_next(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int]], origin: int
) -> None:
    """To our reader and as Perfetto's floats, a slice ends where the next begins or before."""
    slices, now = [], origin
    for gap, dur in steps:
        slices.append((now + gap, dur))
        now += gap + dur
    path = write(tmp_path_factory.mktemp("slices") / "t.json", text(pair(1)))
    raw = annotated(path, facts([], []), track(*slices)).decode()
    shown = re.findall(r'"pid":20+,"tid":1,"ts":([0-9.]+),"dur":([0-9.]+)', raw)

    assert len(shown) == len(slices)
    for read in (seen_ns, lambda it: round(float(it) * 1000), lambda it: text_ns(it.encode()) or 0):
        ends = [read(ts) + read(dur) for ts, dur in shown]
        assert all(end <= read(ts) for end, (ts, _) in zip(ends, shown[1:], strict=False))


def test_facts_that_are_there_already_are_refused(tmp_path: Path) -> None:
    """Only where they are arguments of events that get facts; elsewhere they are somebody's own."""
    events = [*pair(1), op("kernelmap", 9, 1, x={"kernelmap": 1})]
    path = write(tmp_path / "t.json", text(events))
    again = write(tmp_path / "again.json", annotated(path, facts(events, [2, 3])))

    assert slug_of(again, facts(events, [2])) == "already-annotated"
    assert events_of(annotated(again, facts(events, [0])))[0]["args"]["kernelmap"] == FACTS


def test_packed_files_are_read_and_written(tmp_path: Path) -> None:
    """Gzip in and out; the same input gives the same bytes."""
    events = pair(1)
    plain = write(tmp_path / "t.json", text(events))
    zipped = write(tmp_path / "t.json.gz", gzip.compress(plain.read_bytes()))
    results = []
    for _ in range(2):
        handle = io.BytesIO()
        with packed(handle) as sink:
            annotate(zipped, sink, facts(events, [2]), ())
        results.append(handle.getvalue())

    assert results[0] == results[1]
    assert gzip.decompress(results[0]) == annotated(plain, facts(events, [2]))


@pytest.mark.parametrize(
    ("old", "new", "mended"),
    [
        ('"k"', '"a "b" k"', 'a "b" k'),
        ('"k"', '"C:\\path\\k"', "C:\\path\\k"),
        ('"k"', '"k\x01"', "k\x01"),
    ],
)
def test_a_broken_event_is_written_mended(old: str, new: str, mended: str, tmp_path: Path) -> None:
    """What could only be read mended is written so, is JSON, and is told."""
    events = [*pair(1), *pair(2, "other")]
    path = write(tmp_path / "t.json", text(events).replace(old, new))
    named = [*events[:2], {**events[2], "name": mended}, *events[3:]]
    result, notices = noticed(path, facts(named, [2, 5]))
    read_back = events_of(result)

    assert read_back[2]["name"] == mended
    assert [at for at, it in enumerate(read_back) if "kernelmap" in it["args"]] == [2, 5]
    assert [notice.slug for notice in notices] == ["annotated-mended"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_cut_file_is_closed(layout: str, tmp_path: Path) -> None:
    """Of a file cut anywhere behind an event, the whole events and the tracks make a whole file."""
    events = [op("a", 1, 1), op("b", 2, 1), op("c", 3, 1)]
    whole = text(events, layout).encode()
    for end in range(whole.index(b'"b"'), len(whole) - 2):
        path = write(tmp_path / "t.json", whole[:end])
        result, notices = noticed(path, facts(events, [0]), track((5000, 10)))
        read_back = events_of(result)

        assert [it["name"] for it in read_back if it.get("cat") == "cpu_op"] in (
            ["a"],
            ["a", "b"],
            ["a", "b", "c"],
        )
        assert read_back[-1]["name"] == "call 0"
        assert [notice.slug for notice in notices] == ["annotated-mended"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_trailing_comma_goes(layout: str, tmp_path: Path) -> None:
    """A comma behind the last event is left out; all values are there."""
    events = pair(1)
    whole = text(events, layout)
    end = whole.rindex("}", 0, whole.rindex("]")) + 1
    path = write(tmp_path / "t.json", whole[:end] + "," + whole[end:])

    assert exactly(annotated(path, facts(events, []))) == exactly(whole.encode())


@pytest.mark.parametrize("late", [False, True])
def test_what_stands_around_is_written_mended(late: bool, tmp_path: Path) -> None:
    """Broken facts before or behind the events are JSON in the result, and nothing is lost."""
    events = pair(1)
    content = text(events, late=late, around={"a": "@", "traceName": "x"}).replace('"@"', "0,5")
    path = write(tmp_path / "t.json", content)
    result, (notice,) = noticed(path, facts(events, []))

    assert json.loads(result) == {"a": 0.5, "traceName": "x", "traceEvents": events}
    assert notice.slug == "annotated-mended"


def test_what_is_damaged_behind_the_events_goes(tmp_path: Path) -> None:
    """Nothing readable stands there, so the file is closed behind the events."""
    events = pair(1)
    path = write(tmp_path / "t.json", text(events, late=True, around={"a": [1, 2]})[:-8] + "[[[")

    assert json.loads(annotated(path, facts(events, []))) == {"traceEvents": events}


def test_source_frames_are_mended_or_emptied(tmp_path: Path) -> None:
    """Frames that the reader passes over are JSON in the result, mended where that can be done."""
    events = [frame("good", 1, 1), frame("odd", 2, 1), frame("hopeless", 3, 1), *pair(1)]
    content = text(events).replace('"odd"', '"o"d"d"').replace('"name": "hopeless"', '"name": !')
    path = write(tmp_path / "t.json", content)
    result, (notice,) = noticed(path, facts(events, [5]))
    read_back = events_of(result)

    assert [it.get("name") for it in read_back[:3]] == ["good", 'o"d"d', None]
    assert "kernelmap" in read_back[5]["args"]
    assert "1 source frames" in notice.message


def test_odd_values_stay(tmp_path: Path) -> None:
    """Fields that the reader cannot use are JSON, so they stay in the file."""
    events = [note("a", 1, 1), {**kernel("k", 2, 1, 1), "pid": [1, {"x": 2}]}]
    path = write(tmp_path / "t.json", text(events))

    assert events_of(annotated(path, facts(events, [1])))[1]["pid"] == [1, {"x": 2}]


def test_arguments_that_are_no_object_get_none(tmp_path: Path) -> None:
    """Nothing is changed in an event that has no room for facts, and the notice counts it."""
    events: list[Event] = [{**kernel("k", 2, 1, 1), "args": None}]
    path = write(tmp_path / "t.json", text(events))
    result, (notice,) = noticed(path, facts(events, [0]))

    assert exactly(result) == exactly(path.read_bytes())
    assert notice.slug == "annotated-in-part"


def test_facts_are_left_out_of_the_right_events(tmp_path: Path) -> None:
    """An event without room gets none, those around it their own."""
    events = [kernel("k", at, 1, 1) for at in range(5)]
    events[2]["args"] = None
    path = write(tmp_path / "t.json", text(events))
    added = replace(facts(events, range(5)), facts=[{"number": at} for at in range(5)])
    after = [it["args"] or {} for it in events_of(annotated(path, added))]

    assert [args.get("kernelmap", {}).get("number") for args in after] == [0, 1, None, 3, 4]


def slug_of(path: Path, added: EventFacts) -> str:
    with pytest.raises(KernelmapError) as caught:
        annotated(path, added)
    assert caught.value.hint
    return caught.value.slug


def test_what_cannot_be_annotated_is_refused(tmp_path: Path) -> None:
    """Annotated files, files that changed and broken beginnings end in an error."""
    events = pair(1)
    path = write(tmp_path / "t.json", text(events))
    again = write(tmp_path / "again.json", annotated(path, facts(events, [2])))
    odd = write(tmp_path / "odd.json", '{"a": !!, ' + text(events)[1:])
    other = facts([*events[:2], {**events[2], "name": "other"}], [2])

    assert slug_of(again, facts(events, [2])) == "already-annotated"
    assert slug_of(odd, facts(events, [2])) == "annotate-unreadable-start"
    assert slug_of(path, other) == "trace-changed"
    assert slug_of(path, replace(facts(events, [2]), event=np.array([9]))) == "trace-changed"
    assert is_chrome_trace(path)
