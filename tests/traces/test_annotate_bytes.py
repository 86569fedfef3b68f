"""A Kineto file written anew: what is added, and that nothing else changes."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kernelmap.errors import KernelmapError
from kernelmap.model.annotations import Decimals, EventFacts, TextColumns, Texts, TextTable, Track
from kernelmap.native import SWITCH
from kernelmap.traces import annotate as module
from kernelmap.traces import native
from kernelmap.traces.annotate import annotate, is_chrome_trace
from kernelmap.traces.blocks import Blocks, packed
from kernelmap.traces.event_text import exact_text, exact_times, seen_ns
from kernelmap.traces.filling import rows_of
from kernelmap.traces.kineto import KinetoReader
from kernelmap.traces.kineto_events import text_ns
from traces.kineto_text import KINETO, LAYOUTS, Event, frame, kernel, note, op, pair, text, write

FACTS = b'{"call":"0_forward/3"}'
OURS = b'"kernelmap": ' + FACTS


def added_to(event: Event, layout: str) -> bytes:
    """What is put into an event, behind what it has; Kineto writes `args` in any case."""
    if "args" not in event and layout != KINETO:
        return b', "args": {%s}' % OURS
    return b", " * bool(event.get("args")) + OURS


def same_facts(begin: int, end: int) -> TextColumns:
    """FACTS, for each of some rows."""
    return (Texts(np.zeros(end - begin, dtype=np.int64), TextTable([FACTS])),)


def facts(events: Sequence[Event], wanted: Sequence[int]) -> EventFacts:
    """FACTS for the events at `wanted`."""
    return EventFacts(
        event=np.array(sorted(wanted), dtype=np.int64),
        name_id=np.array(sorted(wanted), dtype=np.int64),
        names=[str(event["name"]) for event in events],
        facts=same_facts,
    )


def track(*slices: tuple[int, int], process: str = "calls") -> Track:
    return Track(
        process=process,
        thread="0_forward",
        sort=7,
        start_ns=np.array([start for start, _ in slices], dtype=np.int64),
        dur_ns=np.array([dur for _, dur in slices], dtype=np.int64),
        names=Texts(
            np.arange(len(slices)),
            TextTable([b'"call %d"' % at for at in range(len(slices))]),
        ),
        facts=same_facts,
    )


def annotated(path: Path, added: EventFacts, *tracks: Track) -> bytes:
    handle = io.BytesIO()
    annotate(path, handle, added, tracks)
    return handle.getvalue()


def events_of(data: bytes) -> list[dict[str, Any]]:
    read_back = json.loads(data)
    return list(read_back["traceEvents"] if isinstance(read_back, dict) else read_back)


NAMES = st.text(max_size=6) | st.sampled_from(
    ['"args": {}', '\\"args', "{}", "}", "]", '"kernelmap"']
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | NAMES,
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
    st.tuples(st.integers(8, 4000), st.booleans()),
)
def test_without_the_additions_the_bytes_are_the_original(
    tmp_path_factory: pytest.TempPathFactory,
    events: list[Event],
    chosen: set[int],
    layout: str,
    late: bool,
    reader: tuple[int, bool],
) -> None:
    """Whatever the layout, block size, order of keys and reader: only what is added is new."""
    block, natively = reader
    path = tmp_path_factory.mktemp("any") / "t.json"
    write(path, text(events, layout, late=late, around={"traceName": "]}", "x": {"y": 1}}))
    wanted = sorted(index for index in chosen if index < len(events))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SWITCH, "0" if natively else "1")
        patch.setattr(module, "Blocks", lambda path, *_: Blocks(path, block))
        result = annotated(path, facts(events, wanted))
        places = KinetoReader(block=block).read(path).event_places
        copied = annotated(path, replace(facts(events, wanted), places=places))

    assert (places is not None) == (natively and native.is_built())
    assert result == copied
    without, at = result, 0
    for piece in [added_to(events[index], layout) for index in wanted]:
        at = without.index(piece, at)
        without = without[:at] + without[at + len(piece) :]
    assert without == path.read_bytes()
    read_back = events_of(result)
    assert [
        at for at, it in enumerate(read_back) if "kernelmap" in (it.get("args") or {})
    ] == wanted
    for event in read_back:
        args = event.get("args", {})
        if args.pop("kernelmap", None) and not args:
            del event["args"]
    expected = [{k: v for k, v in it.items() if k != "args" or v} for it in map(dict, events)]
    assert [{k: v for k, v in it.items() if k != "args" or v} for it in read_back] == expected


@pytest.mark.parametrize("layout", LAYOUTS)
def test_objects_in_the_first_event_are_no_events(layout: str, tmp_path: Path) -> None:
    """However small the blocks are, what looks like two events inside of one does not part it."""
    events = [{"ph": "X", "name": "a", "ts": 1, "dur": 1, "x": [{}, {"": None}, {"": 1}]}]
    path = write(tmp_path / "t.json", text(events * 2, layout))
    for block in range(1, 400, 7):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "Blocks", lambda path, *_, size=block: Blocks(path, size))
            assert annotated(path, facts(events, [])) == path.read_bytes()


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
    shown = re.findall(r'"pid": 20+, "tid": 1, "ts": ([0-9.]+), "dur": ([0-9.]+)', raw)

    assert len(shown) == len(slices)
    for read in (seen_ns, lambda it: round(float(it) * 1000), lambda it: text_ns(it.encode()) or 0):
        ends = [read(ts) + read(dur) for ts, dur in shown]
        assert all(end <= read(ts) for end, (ts, _) in zip(ends, shown[1:], strict=False))


@given(
    st.lists(
        st.integers(-(2**61), 2**61)
        | st.integers(-(2**53) // 10 - 9, 2**53 // 10 + 9)
        | st.integers(0, 5000),
        min_size=1,
        max_size=9,
    )
)
def test_times_in_columns_have_the_text_of_each(times: list[int]) -> None:
    """However far from 0, and whichever of them stand together."""
    texts, seen = exact_times(np.array(times))

    assert rows_of(texts) == [exact_text(time).encode() for time in times]
    assert seen.tolist() == [seen_ns(exact_text(time)) for time in times]


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    """What reading noted of another content puts nothing into the wrong event."""
    events = pair(1)
    path = write(tmp_path / "t.json", text(events))
    places = KinetoReader().read(path).event_places
    longer = [{**events[0], "name": "longer than before"}, *events[1:]]
    write(path, text(longer))
    added = replace(facts(longer, [2]), places=places)

    assert events_of(annotated(path, added))[2]["args"]["kernelmap"] == json.loads(FACTS)
    assert slug_of(path, replace(facts(events, [0]), places=places)) == "trace-changed"


def test_a_file_that_changes_meanwhile_is_refused(tmp_path: Path) -> None:
    """A writer that goes on while the file is copied is noticed."""
    events = pair(1)
    path = write(tmp_path / "t.json", text(events))
    places = KinetoReader().read(path).event_places
    if places is None:
        pytest.skip("no scanner was built")

    def late(begin: int, end: int) -> TextColumns:
        write(path, text(events) + " ")
        return same_facts(begin, end)

    assert slug_of(path, replace(facts(events, [2]), facts=late, places=places)) == "trace-changed"


def test_facts_that_are_there_already_are_found_where_they_stand(tmp_path: Path) -> None:
    """Whoever knows the places sees them too, and only in the events that get facts."""
    events = [*pair(1), op("kernelmap", 9, 1, x={"kernelmap": 1})]
    path = write(tmp_path / "t.json", text(events))
    added = replace(facts(events, [2, 3]), places=KinetoReader().read(path).event_places)
    again = write(tmp_path / "again.json", annotated(path, facts(events, [2])))
    places = KinetoReader().read(again).event_places

    assert annotated(path, added) == annotated(path, facts(events, [2, 3]))
    assert slug_of(again, replace(facts(events, [2]), places=places)) == "already-annotated"
    assert annotated(again, replace(facts(events, [0]), places=places)).count(OURS) == 2


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
    handle = io.BytesIO()
    notices = annotate(path, handle, facts(named, [2, 5]), ())

    read_back = events_of(handle.getvalue())
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
        handle = io.BytesIO()
        notices = annotate(path, handle, facts(events, [0]), (track((5000, 10)),))
        read_back = events_of(handle.getvalue())

        assert [it["name"] for it in read_back if it.get("cat") == "cpu_op"] in (
            ["a"],
            ["a", "b"],
            ["a", "b", "c"],
        )
        assert read_back[-1]["name"] == "call 0"
        assert [notice.slug for notice in notices] == ["annotated-mended"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_trailing_comma_goes(layout: str, tmp_path: Path) -> None:
    """A comma behind the last event is left out; the rest is as it was."""
    events = pair(1)
    whole = text(events, layout)
    end = whole.rindex("}", 0, whole.rindex("]")) + 1
    path = write(tmp_path / "t.json", whole[:end] + "," + whole[end:])

    assert annotated(path, facts(events, [])).decode() == whole


@pytest.mark.parametrize("late", [False, True])
def test_what_stands_around_is_written_mended(late: bool, tmp_path: Path) -> None:
    """Broken facts before or behind the events are JSON in the result, and nothing is lost."""
    events = pair(1)
    content = text(events, late=late, around={"a": "@", "traceName": "x"}).replace('"@"', "0,5")
    path = write(tmp_path / "t.json", content)
    handle = io.BytesIO()
    (notice,) = annotate(path, handle, facts(events, []), ())

    assert json.loads(handle.getvalue()) == {"a": 0.5, "traceName": "x", "traceEvents": events}
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
    handle = io.BytesIO()
    (notice,) = annotate(path, handle, facts(events, [5]), ())
    read_back = events_of(handle.getvalue())

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
    handle = io.BytesIO()
    (notice,) = annotate(path, handle, facts(events, [0]), ())
    places = KinetoReader().read(path).event_places
    known = replace(facts(events, [0]), places=places)

    assert handle.getvalue() == path.read_bytes()
    assert notice.slug == "annotated-in-part"
    assert annotate(path, io.BytesIO(), known, ()) == (notice,)


def test_facts_are_left_out_of_the_right_events(tmp_path: Path) -> None:
    """An event without room gets none, those around it their own."""
    events = [kernel("k", at, 1, 1) for at in range(5)]
    events[2]["args"] = None
    path = write(tmp_path / "t.json", text(events))
    places = KinetoReader().read(path).event_places

    def counted(begin: int, end: int) -> TextColumns:
        return Texts(np.zeros(end - begin, dtype=np.int64), TextTable([b""])), Decimals(
            np.arange(begin, end)
        )

    added = replace(facts(events, range(5)), facts=counted)
    result = annotated(path, replace(added, places=places))
    read_back = [(it["args"] or {}).get("kernelmap") for it in events_of(result)]

    assert read_back == [0, 1, None, 3, 4]
    assert result == annotated(path, added)


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
