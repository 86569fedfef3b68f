"""A damaged byte costs the event that it stands in; what is lost is said, and nothing else is."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.errors import KernelmapError
from kernelmap.model.paths import RATIO, UNPACKED, VARIABLE
from kernelmap.traces import load_trace
from kernelmap.traces.blocks import FileBlocks
from kernelmap.traces.chrome import json_repair
from kernelmap.traces.chrome.json_repair import mend
from kernelmap.traces.kineto.reader import KinetoReader
from traces.kineto_text import LAYOUTS, Event, frame, op, pair, text, write

pytestmark = pytest.mark.sampled

NUMBER = 40
EVENTS = [event for at in range(NUMBER) for event in pair(at + 1)]
LINES = b"".join(b'{"name": "k%d", "ts": %d},\n' % (at % 7, at * 37) for at in range(2000))
PACKED = gzip.compress(LINES, mtime=0)
TRAILER = 8


def flipped(content: bytes, at: int, bit: int) -> bytes:
    return content[:at] + bytes((content[at] ^ 1 << bit,)) + content[at + 1 :]


def rows(path: Path, block: int) -> tuple[int, bool]:
    """How many of the events are read, and whether a notice says that something is missing."""
    raw = KinetoReader(block=block).read(path)
    read = len(raw.launches) + len(raw.apis) + len(raw.ranges)
    return read, any(notice.gap for notice in raw.notices)


@given(st.sampled_from(LAYOUTS), st.sampled_from([200, 1 << 20]), st.data())
def test_a_flipped_bit_costs_an_event(
    tmp_path_factory: pytest.TempPathFactory, layout: str, block: int, data: st.DataObject
) -> None:
    """Wherever among the events a bit is flipped, at most the two that it stands between go."""
    content = text(EVENTS, layout, around={"traceName": "x"}).encode()
    begin, end = content.index(b"[") + 1, content.rindex(b"]")
    at = data.draw(st.integers(begin, end - 1))
    path = tmp_path_factory.mktemp("flip") / "t.json"
    write(path, flipped(content, at, data.draw(st.integers(0, 7))))

    read, _ = rows(path, block)

    assert read >= len(EVENTS) - 2


@pytest.mark.parametrize("odd", ['"args": 0', '"name": "m.py(1): "f"'], ids=["value", "frame"])
@pytest.mark.parametrize("block", [200, 1 << 20])
def test_an_odd_event_moves_no_other(odd: str, block: int, tmp_path: Path) -> None:
    """Events that are laid out in several ways keep their numbers when one of them is odd."""
    spaced = [json.dumps(event) for event in (*pair(1), frame("m.py(1): f", 1, 1))]
    compact = [json.dumps(event, separators=(",", ":")) for event in (*pair(2), *pair(3))]
    strange = f'{{"ph": "X", "cat": "python_function", "ts": 1, "dur": 1, {odd}}}'
    listed = [*spaced, *compact, strange, *spaced]
    path = write(tmp_path / "t.json", f"[{','.join(listed)}]")

    launches = KinetoReader(block=block).read(path).launches

    assert launches.event.tolist() == [2, 6, 9, 13]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("block", [200, 1 << 20])
def test_what_stands_behind_damage_is_read(tmp_path: Path, layout: str, block: int) -> None:
    """A bracket or a quote that is gone merges no more than the events it stood between."""
    content = text(EVENTS, layout).encode()
    for sign in (b"{", b"}", b'"', b",", b":"):
        at = content.index(sign, len(content) // 2)
        path = write(tmp_path / "t.json", content[:at] + b"\x07" + content[at + 1 :])

        read, said = rows(path, block)

        assert read >= len(EVENTS) - 2
        assert read == len(EVENTS) or said


@given(st.data(), st.sampled_from([1, 100, 1 << 20]))
def test_packed_text_is_kept_up_to_its_damage(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, size: int
) -> None:
    """A flipped bit of a gzip stream leaves what was inflated before it, and is always said."""
    at = data.draw(st.integers(10, len(PACKED) - 1))
    path = write(
        tmp_path_factory.mktemp("gz") / "t.gz", flipped(PACKED, at, data.draw(st.integers(0, 7)))
    )
    # What zlib gives for the bytes in front of the damage, with those that it still holds back.
    before = zlib.decompressobj(31).decompress(PACKED[: min(at, len(PACKED) - TRAILER)])

    blocks = FileBlocks(path, size)
    inflated = b"".join(blocks)

    assert inflated.startswith(before)
    assert blocks.cut or blocks.damage or inflated == LINES
    assert inflated == LINES or at < len(PACKED) - TRAILER


@given(st.data(), st.integers(2, 4), st.sampled_from([100, 1 << 20]))
def test_damage_costs_the_rest_of_its_member(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, number: int, size: int
) -> None:
    """Members in front of a damaged one, and all behind it, are whole; what is lost is said."""
    members = [LINES.replace(b"k", b"%d" % at) for at in range(number)]
    packed = [gzip.compress(member, mtime=0) for member in members]
    hurt = data.draw(st.integers(0, number - 2))
    at = data.draw(st.integers(10, len(packed[hurt]) - 1))
    packed[hurt] = flipped(packed[hurt], at, data.draw(st.integers(0, 7)))
    path = write(tmp_path_factory.mktemp("gz") / "t.gz", b"".join(packed))

    blocks = FileBlocks(path, size)
    inflated = b"".join(blocks)

    assert inflated.startswith(b"".join(members[:hurt]))
    assert inflated.endswith(b"".join(members[hurt + 1 :]))
    assert blocks.damage or inflated == b"".join(members)
    assert blocks.cut is None


def test_events_behind_a_damaged_member_are_read(tmp_path: Path) -> None:
    """The damage costs the events of its member, and a notice says that some are missing."""
    content = text(EVENTS).encode()
    third = len(content) // 3
    parts = [content[:third], content[third : 2 * third], content[2 * third :]]
    packed = [gzip.compress(part) for part in parts]
    packed[1] = packed[1][: len(packed[1]) // 2] + b"\xff" * 20 + packed[1][len(packed[1]) // 2 :]
    trace = load_trace(write(tmp_path / "t.json.gz", b"".join(packed)))

    assert (
        trace.launches.names[-1]
        == load_trace(write(tmp_path / "whole.json", content)).launches.names[-1]
    )
    assert len(trace.launches) >= 2 * NUMBER // 3 - 2
    assert "trace-damaged" in {notice.slug for notice in trace.notices if notice.gap}


def test_what_only_begins_like_a_member_is_passed_over(tmp_path: Path) -> None:
    """Behind damage, and in bounded time however often it stands there."""
    path = write(tmp_path / "t.gz", PACKED[:-40] + b"\xff" * 40 + b"\x1f\x8b\x08\x00" * 100_000)
    blocks = FileBlocks(path)

    assert LINES.startswith(b"".join(blocks)[:1000])
    assert blocks.cut


def test_what_is_given_up_is_said(tmp_path: Path) -> None:
    """Where every one of very many members is damaged, the text is cut off."""
    member = gzip.compress(b"[],", mtime=0)
    path = write(tmp_path / "t.gz", flipped(member, len(member) - TRAILER, 0) * 5000)
    blocks = FileBlocks(path)

    assert 0 < b"".join(blocks).count(b"[],") < 5000
    assert blocks.cut


@pytest.mark.parametrize("size", [1, 100, 1 << 20])
def test_a_wrong_checksum_costs_nothing(tmp_path: Path, size: int) -> None:
    """All of the text is there, also that of members behind it."""
    damaged = flipped(PACKED, len(PACKED) - TRAILER, 0)
    blocks = FileBlocks(write(tmp_path / "t.gz", damaged + b"\0" * 9 + PACKED), size)

    assert b"".join(blocks) == LINES * 2
    assert blocks.damage
    assert blocks.cut is None


def test_a_wrong_checksum_is_a_gap(tmp_path: Path) -> None:
    """All launches are there, and a notice says that values may be wrong."""
    packed = gzip.compress(text(EVENTS).encode())
    trace = load_trace(write(tmp_path / "t.json.gz", flipped(packed, len(packed) - TRAILER, 3)))

    assert len(trace.launches) == NUMBER
    assert [(notice.slug, notice.gap) for notice in trace.notices] == [("trace-damaged", True)]


@pytest.mark.sampled
@pytest.mark.parametrize("cat", ["cpu_op", "user_annotation", "cuda_runtime", "kernel"])
def test_no_flip_hides_what_an_event_is(tmp_path: Path, cat: str) -> None:
    """In phase or category, keys or values: the event is read all the same, or missed aloud."""
    here: Event = {**EVENTS[0], "cat": cat, "name": "here"}
    content = text([*EVENTS[:9], here, *EVENTS[9:12]]).encode()
    end = content.index(b'"name": "here"')
    begin = content.rindex(b'"ph"', 0, end)
    whole, _ = rows(write(tmp_path / "t.json", content), 1 << 20)
    for at in range(begin, end):
        for bit in range(8):
            path = write(tmp_path / "t.json", flipped(content, at, bit))
            read, said = rows(path, 1 << 20)

            assert read == whole or said, flipped(content, at, bit)[begin:end]


FOREIGN: list[Event] = [
    {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "ts": 1, "dur": 9},
    {"ph": "X", "cat": "gpu_user_annotation", "name": "x", "ts": 1, "dur": 9},
    {"ph": "X", "cat": "dynamo_timed", "name": "x", "ts": 1, "dur": 9},
    {"ph": "X", "cat": "kernels", "name": "x", "ts": 1, "dur": 9},
    {"ph": "X", "cat": "", "name": "x", "ts": 1, "dur": 9},
    {"ph": "X", "name": "without category", "ts": 1, "dur": 9, "args": {"depth": 3}},
    {"ph": "b", "cat": "nccl", "name": "x", "ts": 1, "dur": 9},
    {"ph": "i", "cat": "cpu_op", "name": "an instant", "ts": 1},
    {"ph": "C", "name": "memory", "ts": 1, "args": {"value": 3}},
]


def test_events_of_other_writers_are_no_damage(tmp_path: Path) -> None:
    """What is merged into a profile, whatever its phases and categories, is left out silently."""
    path = write(tmp_path / "t.json", text([*EVENTS, *FOREIGN]))

    assert rows(path, 1 << 20) == (len(EVENTS), False)


def test_no_sample_has_unclear_events(samples: Path) -> None:
    """None that a profiler or the simulator wrote; test_trace_corpus.py says so of the corpus."""
    reader = KinetoReader()
    read = [path for path in sorted(samples.rglob("*.json*")) if reader.sniff(path)]

    assert len(read) > 5
    for path in read:
        slugs = {notice.slug for notice in reader.read(path).notices}
        assert "events-unclear" not in slugs, path


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_mended_is_mended_once(
    tmp_path: Path, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many lists in events end as the list of events does, and whatever follows it."""
    mended: list[int] = []

    def counted(text: bytes) -> tuple[bytes, frozenset[str]]:
        mended.append(len(text))
        return mend(text)

    monkeypatch.setattr(json_repair, "mend", counted)
    lists = {"Input Dims": [[4, 8], []], "Ev Idx": 3}
    events = [op("aten::mm", at, 1, **lists) for at in range(300)]
    whole = text(events, layout, late=True, around={"traceName": "x", "more": [1, 2, {"a": []}]})
    for tail in (whole[:-9], whole.replace('"more"', '"mo\x07re'), whole + "]}"):
        mended.clear()
        read, _ = rows(write(tmp_path / "t.json", tail), 1 << 20)

        assert read >= len(events) - 1
        assert sum(mended) <= 3 * len(whole)


def test_nothing_readable_is_one_error(tmp_path: Path) -> None:
    """Where not one event can be read there is no trace."""
    content = text(pair()).replace('"ph":', '"ph" 5:')

    with pytest.raises(KernelmapError) as caught:
        load_trace(write(tmp_path / "t.json", content))

    assert caught.value.slug == "broken-trace"


BEGINNINGS = (b'{"traceEvents": [', b'{"traceEvents": [{"name": "', b'{"x": "', b"")


@pytest.mark.parametrize("begin", BEGINNINGS)
@pytest.mark.parametrize("unit", [b" ", b"a", b"[", b"\0", b"1,"])
def test_a_small_file_does_not_become_a_large_text(
    tmp_path: Path, begin: bytes, unit: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packed text that unpacks to far more than any trace does is refused, if it is much."""
    most = 1 << 20
    monkeypatch.setenv(VARIABLE, str(most / UNPACKED.most))
    path = write(tmp_path / "t.json.gz", gzip.compress(begin + unit * (2 * most // len(unit))))
    assert path.stat().st_size * RATIO < most

    with pytest.raises(KernelmapError) as caught:
        for _ in FileBlocks(path):
            pass

    assert caught.value.slug == "input-too-large"
    monkeypatch.setenv(VARIABLE, "off")
    assert sum(map(len, FileBlocks(path))) >= 2 * most


def test_honest_text_of_any_size_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What unpacks as traces do has no limit."""
    monkeypatch.setenv(VARIABLE, "1e-9")
    path = write(tmp_path / "t.gz", PACKED)

    assert b"".join(FileBlocks(path)) == LINES
