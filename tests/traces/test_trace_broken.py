"""Broken files: what has one meaning is mended, what is whole is used, the rest is one error."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import some
from kernelmap.errors import KernelmapError
from kernelmap.model.trace import Trace
from kernelmap.traces import is_trace, load_trace
from kernelmap.traces.chrome.json_repair import mend
from kernelmap.traces.kineto.reader import KinetoReader
from traces.kineto_text import KINETO, LAYOUTS, frame, op, pair, text, write

EVENTS = [*pair(1), *pair(2), *pair(3)]


def load(tmp_path: Path, content: str | bytes) -> Trace:
    return load_trace(write(tmp_path / "t.json", content))


def slugs(trace: Trace) -> list[str]:
    return [notice.slug for notice in trace.notices]


def names(trace: Trace) -> list[str]:
    return [trace.launches.names[at] for at in trace.launches.name_id]


NAMES = {
    "unescaped quotes": (b'foo("x", "y") at "z"', 'foo("x", "y") at "z"'),
    "Windows path": (rb"C:\Users\me\temp", r"C:\Users\me\temp"),
    "control bytes": (b"a\x01b\nc", "a\x01b\nc"),
    "no UTF-8": (b"a\xffb", "a\ufffdb"),
    "lone surrogate": (rb"a\ud83d b", "a\ufffd b"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("block", [100, 1 << 20])
@pytest.mark.parametrize("case", NAMES)
def test_broken_names_are_mended(tmp_path: Path, case: str, layout: str, block: int) -> None:
    """A name with one possible reading is read so, and its neighbors stay."""
    written, meant = NAMES[case]
    content = text([*pair(1), *pair(2, "NAME"), *pair(3)], layout).encode()
    path = write(tmp_path / "t.json", content.replace(b"NAME", written))

    raw = KinetoReader(block=block).read(path)

    assert [raw.launches.names[at] for at in raw.launches.name_id] == ["k", meant, "k"]
    assert [notice.slug for notice in raw.notices] == ["trace-repaired"]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("value", "broken"),
    [
        ('"blocks per SM": 5', '"blocks per SM": 0,015152'),
        ("5", "NaN"),
        ("5", "-inf"),
        ("5", "nan"),
    ],
)
def test_broken_numbers_are_mended(tmp_path: Path, layout: str, value: str, broken: str) -> None:
    """Decimal commas and numbers that JSON doesn't know harm nothing."""
    events = [{**event, "args": {"blocks per SM": 5, **event["args"]}} for event in EVENTS]  # type: ignore[dict-item]  # args are dicts
    content = text(events, layout).replace('"blocks per SM":5', '"blocks per SM": 5')
    content = content.replace('"blocks per SM": 5', '"blocks per SM": 5'.replace(value, broken))

    trace = load(tmp_path, content)

    assert trace.launches.api.tolist() == [0, 1, 2]
    assert slugs(trace) == ["trace-repaired"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_trailing_comma(tmp_path: Path, layout: str) -> None:
    """A comma behind the last event is no event."""
    content = text(EVENTS, layout, late=True, around={"traceName": "x"})
    at = content.rindex("]")

    trace = load(tmp_path, content[:at].rstrip() + "," + content[at:])

    assert len(trace.launches) == 3
    assert slugs(trace) == ["trace-repaired"]


@pytest.mark.parametrize("late", [False, True])
def test_windows_paths_around_the_events(tmp_path: Path, *, late: bool) -> None:
    """A traceName with lone backslashes doesn't cost the base time beside it."""
    content = text(EVENTS, late=late, around={"traceName": "NAME]}", "baseTimeNanoseconds": 10**18})

    trace = load(tmp_path, content.replace("NAME", r"C:\Users\x"))

    assert trace.origin_ns == 10**18 + 100_000
    assert slugs(trace) == ["trace-repaired"]


def test_source_frames_need_no_mending(tmp_path: Path) -> None:
    """A broken event that isn't needed stops nothing."""
    content = text([*pair(1), frame("FRAME", 1, 1), *pair(2)], KINETO)

    assert len(load(tmp_path, content.replace('"FRAME"', '"<lambda "x": ":')).launches) == 2


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_cut_is_survived(tmp_path: Path, layout: str) -> None:
    """Wherever a file is cut, whole events in front of the cut are used, and a notice says so."""
    content = text([*pair(1), *pair(2)], layout, late=True, around={"traceName": "x"})
    whole = [content.index('"k"', at) for at in _places_of(content, '"k"')]
    for cut in some(range(whole[0], len(content.rstrip()))):
        path = write(tmp_path / "t.json", content[:cut])
        complete = sum(content.find("}", content.find("}", at) + 1) < cut for at in whole)
        if complete == 0:
            continue

        trace = load_trace(path)

        assert len(trace.launches) == complete
        assert slugs(trace) == ["trace-truncated"]
        assert trace.notices[0].gap


def _places_of(content: str, what: str) -> list[int]:
    places, at = [], content.find(what)
    while at >= 0:
        places.append(at)
        at = content.find(what, at + 1)
    return places


def test_a_cut_gzip_stream(tmp_path: Path) -> None:
    """What a cut gzip stream still holds is used."""
    events = [event for at in range(1, 400) for event in pair(at)]
    packed = gzip.compress(text(events).encode())

    trace = load(tmp_path, packed[: len(packed) // 2])

    assert 0 < len(trace.launches) < 399
    assert slugs(trace) == ["trace-truncated"]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("block", [100, 1 << 20])
def test_what_has_no_reading_costs_itself_and_is_named(
    tmp_path: Path, layout: str, block: int
) -> None:
    """An event that can't be mended is left out, counted, and named by line and byte."""
    content = text(EVENTS, layout, late=True, around={"traceName": "x"})
    at = _places_of(content, '"dur"')[4] + len('"dur"')
    content = content[:at] + " 5 5 :" + content[at:]
    path = write(tmp_path / "t.json", content)

    raw = KinetoReader(block=block).read(path)

    broken = content.index("5 5 :")
    begin = content.rindex('"ph"', 0, broken)
    (notice,) = raw.notices
    assert notice.slug == "events-unreadable"
    assert notice.gap
    assert f" 1 of {len(EVENTS)} events" in notice.message
    assert [len(raw.ranges), len(raw.apis), len(raw.launches)] == [3, 2, 3]
    byte = int(notice.message.partition("byte ")[2].partition(")")[0])
    line = int(notice.message.partition("line ")[2].partition(" ")[0])
    assert content[byte:begin].strip() in {"{", ""}
    assert line == content[:byte].count("\n") + 1


CPU_ONLY = text([op("aten::mm", 1, 2)])
UNUSABLE = {
    "empty": (b"", "empty-trace"),
    "blank": (b" \n", "empty-trace"),
    "html": (b"<!DOCTYPE html><html>404</html>", "unknown-trace"),
    "pickle": (pickle.dumps({"segments": []}), "unknown-trace"),
    "zip": (b"PK\x03\x04rest", "unknown-trace"),
    "sqlite": (b"SQLite format 3\0rest", "nsys-damaged"),
    "protobuf": (b"\x0a\x12\x08\x01", "unknown-trace"),
    "text": (b"hello", "unknown-trace"),
    "other json": (json.dumps({"segments": [], "device_traces": []}).encode(), "unknown-trace"),
    "other list": (json.dumps([{"ph": "B", "ts": 1}]).encode(), "unknown-trace"),
    "cut gzip": (gzip.compress(CPU_ONLY.encode())[:12], "empty-trace"),
    "no events": (text([]).encode(), "no-trace-events"),
    "no list": (b'{"traceEvents": null}', "no-trace-events"),
    "only frames": (text([frame("f", 1, 1)]).encode(), "no-trace-events"),
    "only host": (CPU_ONLY.encode(), "no-gpu-activity"),
}


@pytest.mark.parametrize("case", UNUSABLE)
def test_what_cannot_be_used_is_one_error(tmp_path: Path, case: str) -> None:
    """Each kind of unusable file has its slug, names the file and says what to do next."""
    content, slug = UNUSABLE[case]
    path = write(tmp_path / "t.json", content)

    with pytest.raises(KernelmapError) as caught:
        load_trace(path)

    assert caught.value.slug == slug
    assert str(path) in caught.value.message
    assert caught.value.hint
    assert is_trace(path) is (slug in {"no-trace-events", "no-gpu-activity", "nsys-damaged"})


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    """A missing file can't be read, a folder is no trace, and nothing is nothing."""
    for paths, slug in [
        ((tmp_path / "missing",), "unreadable-path"),
        ((tmp_path,), "unknown-trace"),
        ((), "no-trace"),
    ]:
        with pytest.raises(KernelmapError) as caught:
            load_trace(*paths)

        assert caught.value.slug == slug
    assert not is_trace(tmp_path)


def test_files_of_one_run(tmp_path: Path) -> None:
    """Ranks are read together, in any order, each file once."""
    paths = [
        write(tmp_path / f"{rank}.json", text(EVENTS, around={"distributedInfo": {"rank": rank}}))
        for rank in (1, 0)
    ]

    one, other = load_trace(*paths), load_trace(*reversed(paths), paths[0])

    assert one.sources == other.sources == tuple(sorted(map(str, paths)))
    assert [process.rank for process in one.processes] == [0, 1]
    assert one.launches.api.tolist() == other.launches.api.tolist() == list(range(6))


SCALARS = st.none() | st.text() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)


@given(st.dictionaries(st.text(), st.recursive(SCALARS, st.lists), max_size=4))
def test_mending_leaves_good_json_alone(fields: dict[str, object]) -> None:
    """What decodes before mending decodes to the same after."""
    written = json.dumps(fields).encode()

    assert json.loads(mend(written)[0]) == json.loads(written)


@given(st.data())
def test_damage_gives_a_trace_or_one_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Whatever bytes are changed, a file gives a trace that says so or a KernelmapError."""
    content = text(EVENTS, data.draw(st.sampled_from(LAYOUTS)), around={"traceName": "x"}).encode()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(len(content), start + 40)))
    noise = data.draw(st.text('{}[]",:\\ x1\n', max_size=6)).encode() + data.draw(
        st.binary(max_size=2)
    )
    path = write(
        tmp_path_factory.mktemp("damage") / "t.json", content[:start] + noise + content[end:]
    )

    outcome = "a trace"
    try:
        load_trace(path)
    except KernelmapError as error:
        outcome = error.slug

    assert outcome in {
        "a trace",
        "broken-trace",
        "no-trace-events",
        "no-gpu-activity",
        "unknown-trace",
    }


@given(st.sampled_from(LAYOUTS), st.integers(0, 8), st.text('{}[]",:\\ x1', min_size=1, max_size=6))
def test_no_event_is_lost_in_silence(
    tmp_path_factory: pytest.TempPathFactory, layout: str, at: int, noise: str
) -> None:
    """Bytes put between events cost no launch without an error or a notice of a gap."""
    content = text(EVENTS, layout, late=True, around={"traceName": "x"})
    place = content.rindex("{", 0, _places_of(content, '"ph"')[at])
    path = write(
        tmp_path_factory.mktemp("noise") / "t.json", content[:place] + noise + content[place:]
    )

    try:
        trace = load_trace(path)
    except KernelmapError:
        return

    assert len(trace.launches) == 3 or any(notice.gap for notice in trace.notices)


DEEP = "[" * 5000 + "]" * 5000


@pytest.mark.parametrize("block", [100, 1 << 20])
@pytest.mark.parametrize("field", ["args", "grid", "name"])
def test_an_event_without_bottom_keeps_its_time(tmp_path: Path, field: str, block: int) -> None:
    """Only values nested by the thousand are dropped, and they are counted."""
    deep = {"args": '{"Dims":DEEP}', "grid": '{"grid":DEEP}', "name": '{},"extra":DEEP'}[field]
    content = text(EVENTS, "compact").replace('"args":{', f'"args":{deep},"old":{{', 1)
    path = write(tmp_path / "t.json", content.replace("DEEP", DEEP))
    raw = KinetoReader(block=block).read(path)

    assert len(raw.launches) + len(raw.apis) + len(raw.ranges) == len(EVENTS)
    (notice,) = raw.notices
    assert notice.slug == "trace-repaired"
    assert "nested too deeply in 1 event " in notice.message


@pytest.mark.parametrize("place", ["before", "after"])
def test_metadata_without_bottom_hides_no_event(tmp_path: Path, place: str) -> None:
    """Around the events the same holds: base time and rank are still read."""
    around: dict[str, object] = {"baseTimeNanoseconds": 5000, "odd": "DEEP"}
    content = text(EVENTS, "compact", late=place == "after", around=around)
    trace = load(tmp_path, content.replace('"DEEP"', DEEP))

    assert slugs(trace) == ["trace-repaired"]
    assert len(trace.launches) == 3
    assert trace.origin_ns >= 5000


@given(st.recursive(st.integers() | st.text(max_size=3), lambda it: st.lists(it, max_size=3)))
def test_shallow_values_stay(value: object) -> None:
    """Only what no decoder follows is dropped."""
    given_text = json.dumps({"x": value}).encode()

    assert mend(given_text) == (given_text, frozenset())


def test_lists_inside_of_events_are_mended_a_few_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many lists end as the events do, what may stand behind them is mended a few times."""
    sizes: list[int] = []

    def counted(content: bytes) -> tuple[bytes, frozenset[str]]:
        sizes.append(len(content))
        return mend(content)

    monkeypatch.setattr("kernelmap.traces.chrome.json_repair.mend", counted)
    monkeypatch.setattr("kernelmap.traces.chrome.json_stream._MENDABLE", 100_000)
    events = [op("aten::mm", ["a", {}], 5, number=number) for number in range(300)]
    content = text([*pair(1), *events, *pair(2)])
    trace = load(tmp_path, content)

    assert len(trace.launches) == 2
    assert len(events) * len(content) > 50 * sum(sizes)
