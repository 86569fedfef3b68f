"""The scanner in C and Python read alike: columns, repairs and errors, whatever the file holds."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from threading import enumerate as enumerate_threads

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from examples import examples, is_long, is_quick
from kernelmap.native import SWITCH
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.blocks import BLOCK, watched
from kernelmap.traces.columns import ColumnParts
from kernelmap.traces.kineto import native_scan as native
from kernelmap.traces.kineto.events import EVENTS
from kernelmap.traces.kineto.reader import KinetoReader
from kernelmap.traces.kineto.values import EventKind
from traces.both_readers import difference, needs_native, read, same
from traces.kineto_text import KINETO, LAYOUTS, frame, note, op, pair, text, write
from traces.odd_kineto import ROLES, damaged, events, files

pytestmark = needs_native

ROLE = "torch/_inductor/utils.py(3041): copy_misaligned_inputs"
SMALL = [
    *pair(1),
    note("## Call CompiledFxGraph fabc ##", 5, 3.25, kernel_hash="h", num_warps=4),
    frame(ROLE, 1, 2),
    frame("m.py(1): forward", 1, 2),
    op('a "quoted" \u00e9 name', 300.5, 2, **{"Input Dims": [[1, 2], []], "x": {"y": None}}),
    *pair(2),
]


def between_brackets(content: bytes) -> bytes:
    """What stands between the brackets of the list of a file that `text` wrote."""
    return content[content.index(b"[") + 1 : content.rindex(b"]")]


def stride(layout: str, usual: int) -> int:
    """Every byte of what profilers write, some of a file that is spelled otherwise.

    `quick` takes some of both, `long` every byte. The step is prime, so that it does not keep pace
    with anything in the file.
    """
    return 1 if is_long() or (layout == KINETO and not is_quick()) else usual


@given(files(), st.sampled_from([1, 7, 64, 1000, 1 << 20]))
@settings(max_examples=examples(100))
def test_generated_files(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, block: int
) -> None:
    """Any spelling, any order, any damage: one result, one list of notices, one error."""
    same(write(tmp_path_factory.mktemp("odd") / "t.json", content), block)


@pytest.mark.sampled
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_file_cut_at_every_byte(tmp_path: Path, layout: str) -> None:
    """Wherever a file ends, both say the same of it."""
    content = text([*pair(1), frame(ROLE, 1, 2)], layout, around={"traceName": "x"}).encode()
    for end in range(0, len(content), stride(layout, 5)):
        same(write(tmp_path / "t.json", content[:end]), 64 if end % 2 else BLOCK)


@pytest.fixture(params=[0, 1, 2, 5])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """So many threads scan, whatever the machine has."""
    count: int = request.param
    monkeypatch.setattr(native, "thread_count", lambda: count)
    return count


@pytest.mark.sampled
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_file_split_at_every_byte(tmp_path: Path, layout: str, threads: int) -> None:
    """Wherever blocks end, and however many stretches are under way, the columns are the same."""
    plain = write(tmp_path / "t.json", text(SMALL, layout))
    packed = write(tmp_path / "t.json.gz", gzip.compress(plain.read_bytes(), mtime=0))
    expected = read(plain, natively=False)
    step = stride(layout, 7) if threads == 2 else 21
    for block in range(1, plain.stat().st_size + 2, step):
        for path in (plain, packed)[: 1 + (block % 5 == 0)]:
            raw = read(path, natively=True, block=block)
            assert isinstance(raw, RawTrace)
            assert difference(expected, replace(raw, source=str(plain))) is None


@pytest.mark.sampled
@pytest.mark.parametrize("damage", [b"", b"\xff", b'"', b"}", b"]}"])
def test_stretches_under_way_when_one_is_broken(
    tmp_path: Path, damage: bytes, threads: int
) -> None:
    """What damage does to one stretch changes nothing for those that were begun behind it."""
    content = text(SMALL, KINETO).encode()
    for at in range(0, len(content), 61 if threads == 2 else 183):
        same(write(tmp_path / "t.json", content[:at] + damage + content[at + 1 :]), 120)


@pytest.mark.usefixtures("threads")
def test_threads_end_with_the_reading(tmp_path: Path) -> None:
    """Whether the file is read to its end or refused, no thread is left behind."""
    for content in (text(SMALL), text([]), text(SMALL)[:90]):
        before = set(enumerate_threads())
        read(write(tmp_path / "t.json", content), natively=True, block=64)
        assert set(enumerate_threads()) <= before


def test_an_answer_holds_until_the_next(threads: int) -> None:
    """Texts of a stretch stay valid while others are read, and are those of its scanner."""
    stretches = [between_brackets(text([op(f"n{at}", at, 1)]).encode()) for at in range(40)]
    names: list[str | None] = []
    waiting = list(stretches)
    scanned = native.Ahead(native.Scan.__call__)
    with scanned:
        for stretch in stretches:
            while waiting and len(stretches) - len(waiting) <= len(names) + threads:
                scanned.begin(waiting.pop(0))
            answer = scanned(stretch)
            assert answer is not None
            numbers = answer.tables["ranges"]["name"].tolist()
            names += [answer.scan.text(number) for number in numbers]
    assert names == [f"n{at}" for at in range(40)]


@pytest.mark.parametrize("layout", LAYOUTS)
@given(st.data())
@settings(max_examples=examples(30))
def test_damaged_files(
    tmp_path_factory: pytest.TempPathFactory, layout: str, data: st.DataObject
) -> None:
    """Flipped bits, bytes that are no UTF-8, lost brackets: the same repairs."""
    content = data.draw(damaged(text(SMALL, layout).encode()))
    same(
        write(tmp_path_factory.mktemp("bad") / "t.json", content),
        data.draw(st.sampled_from([50, 1 << 20])),
    )


@given(st.lists(events(), max_size=3), st.booleans(), st.data())
@settings(max_examples=examples(150))
def test_the_scanner_is_nowhere_laxer(listed: list[str], whole: bool, data: st.DataObject) -> None:
    """What it accepts, the decoder accepts, as so many events; on that its equality rests.

    The scanner has mostly read such events before, and remembers how they are laid out.
    """
    stretch = ",".join(listed).encode("utf-8", "surrogatepass")
    scan = native.Scan()
    for _ in range(data.draw(st.integers(0, 2))):
        scan(stretch)
    if not whole:
        stretch = data.draw(damaged(stretch))
    scanned = scan(stretch)

    if scanned is not None:
        assert len(EVENTS.decode(b"[%s]" % stretch)) == scanned.total


FRAMES = st.builds(
    '{{"ph":"X","cat":{},"name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{}}}'.format,
    st.sampled_from(['"python_function"'] * 9 + ['"Python_Function"', r'"python\u005ffunction"']),
    st.sampled_from(
        [
            '"m.py(1): f"',
            '"m.py(3): <module>"',
            '"torch/a.py(3): g"',
            '"profile.py(3): <module>"',
            '"profile.py(9): f"',
            r'"C:\\m.py(4): f"',
            r'"m.py(5)\u003a f"',
            '"<built-in function f>"',
            "null",
        ]
    ),
    st.sampled_from(["10"] * 9 + ['"10"', "null", "7"]),
    st.sampled_from(["1"] * 9 + ["2", '"1"', "null", '"x"', "true", "[]"]),
    st.one_of(st.integers(0, 250), st.sampled_from(["109.9996", '"6"', "110.0", "null", 2**43])),
    st.one_of(st.integers(0, 250), st.sampled_from(["50.0625", '"99"', "-1", "null", 2**53])),
    st.sampled_from(["{}"] * 9 + ['{"thread id":2}', '{"thread id":"1"}', "null"]),
)


# A half nanosecond, in a frame with an escaped category.
ESCAPED = (
    r'{"ph":"X","cat":"python\u005ffunction","name":"m.py(1): f","pid":10,"tid":1,'
    r'"ts":60,"dur":50.0625,"args":{}}'
)

WITHOUT_TIME = (
    '{"ph":"X","cat":"python_function","name":"m.py(1): f","pid":10,"tid":1,"ts":null,"dur":0}'
)


@given(st.lists(FRAMES, max_size=8), st.sampled_from([7, 1 << 20]))
@example([ESCAPED, json.dumps(frame("m.py(3): <module>", 0, 0))], 7)
@example([WITHOUT_TIME], 7)
@settings(max_examples=examples(100))
def test_frames_are_kept_alike(
    tmp_path_factory: pytest.TempPathFactory, frames: list[str], block: int
) -> None:
    """However a frame says where it ran, both readers keep it alike, and launches get its line."""
    launches = [event for at in (1, 2, 3) for event in pair(at)]
    content = "[" + ",".join([*frames, *map(json.dumps, launches)]) + "]"
    same(write(tmp_path_factory.mktemp("lines") / "t.json", content), block)


@pytest.mark.parametrize("natively", [False, True])
def test_frames_that_profilers_write_are_kept(tmp_path: Path, *, natively: bool) -> None:
    """The user's functions are kept while a file is read: no second look is needed for them."""
    raw = read(write(tmp_path / "t.json", text(SMALL)), natively=natively)

    assert isinstance(raw, RawTrace)
    assert raw.functions is not None
    assert raw.functions.names == ("m.py(1): forward",)


DEEP = 3000
ODD = {
    "deep": b'{"ph":"X","args":{"a":' + b"[" * DEEP + b"]" * DEEP + b"}}",
    "objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "digits": b'{"ph":"X","cat":"cpu_op","name":"a","ts":' + b"9" * 5000 + b',"dur":1}',
    "long key": b'{"' + b"k" * 5000 + b'":1}',
    "no key": b'{"":1,"ph":"X"}',
    "quote at the end": b'{"ph":"X"},"',
    "nothing": b"",
    "white": b" \n\t ",
    "commas": b",,,",
    "scalars": b'1, "a", null',
}


@pytest.mark.sampled
@pytest.mark.parametrize("odd", ODD)
def test_odd_events_between_others(tmp_path: Path, odd: str) -> None:
    """Deep nesting, giant numbers and things that are no events cost what they cost in Python."""
    content = text(pair(1)).encode()
    begin = content.index(b"[") + 1
    for inside in (ODD[odd] + b", ", ODD[odd]):
        path = write(tmp_path / "t.json", content[:begin] + inside + content[begin:])
        same(path)
        same(path, 100)


@given(
    st.lists(
        st.tuples(
            st.one_of(st.integers(0, 2**44), st.integers(0, 10**7)),
            st.text("0123456789", min_size=1, max_size=14),
            st.sampled_from(["", "5", "4999999", "50000001"]),
        ),
        min_size=1,
        max_size=4,
    )
)
@example([(8796093022207, "0004", "999"), (3, "000", "5")])
def test_times_are_rounded_alike(
    tmp_path_factory: pytest.TempPathFactory, times: list[tuple[int, str, str]]
) -> None:
    """A time is rounded alike whatever its digits and the other times of its file."""
    rows = [
        f'{{"ph":"X","cat":"cpu_op","name":"a","ts":{a}.{b}{c},"dur":1.{b}{c}}}'
        for a, b, c in times
    ]
    same(write(tmp_path_factory.mktemp("times") / "t.json", f"[{','.join(rows)}]"))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_profilers_write_is_scanned(layout: str) -> None:
    """Nothing plain is handed back to Python: that is what makes the scanner worth having."""
    scanned = native.Scan()(between_brackets(text(SMALL, layout).encode()))

    assert scanned is not None
    assert {name: len(rows) for name, rows in scanned.tables.items()} == {
        "ranges": 4,
        "apis": 2,
        "launches": 2,
        "frames": 2,
    }
    assert scanned.total == len(SMALL)


def test_layouts_may_change_within_a_file() -> None:
    """Events of several layouts, in turns, with long keys and many of them: none is handed back."""
    listed: list[dict[str, object]] = [
        {"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 1, "args": {"External id": 7}},
        {"ph": "s", "id": 1, "ts": 1, "cat": "ac2g", "name": "ac2g"},
        {"ts": 3, "dur": 1, "ph": "X", "name": "b", "cat": "cpu_op", "pid": 1, "tid": 2},
        {
            "ph": "X",
            "cat": "kernel",
            "name": "k",
            "ts": 1,
            "dur": 1,
            "args": {
                "a key that is longer than most are": 1,
                **{f"key {at}": at for at in range(40)},
            },
        },
        {"ph": "X", "cat": "cpu_op", "name": "c", "ts": 4, "dur": 1, "args": {}},
    ]
    spacings = ((",", ":"), (", ", ": "), (" ,\n ", " :  "), (",", ": "))
    texts = [json.dumps(event, separators=how) for event in listed for how in spacings]
    scan = native.Scan()
    for order in (texts, texts[::-1], texts[::3], texts):
        scanned = scan(",\n".join(order).encode())

        assert scanned is not None
        assert scanned.total == len(order)
        names = [scan.text(number) for number in scanned.tables["ranges"]["name"].tolist()]
        assert names == [
            event["name"] for event in map(json.loads, order) if event.get("cat") == "cpu_op"
        ]


def test_the_samples_are_scanned_wholly(samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No shipped recording has a stretch that Python has to read."""
    handed_back = []
    scan = native.Scan.__call__

    def watched(self: native.Scan, text: bytes) -> native.Scanned | None:
        scanned = scan(self, text)
        handed_back.extend([text] * (scanned is None))
        return scanned

    monkeypatch.setattr(native.Scan, "__call__", watched)
    for path in sorted(samples.glob("*/profile.json.gz")):
        assert isinstance(read(path, natively=True), RawTrace)
    assert not handed_back


def test_samples_are_equal(samples: Path) -> None:
    """Every shipped recording, in blocks of two sizes."""
    paths = sorted(samples.glob("*/profile.json.gz"))
    for path in paths:
        same(path)
        same(path, 1 << 12)
    assert paths


@pytest.mark.thorough
@pytest.mark.corpus
def test_the_corpus_is_equal(corpus: Path) -> None:
    """Every real trace, in blocks of two sizes."""
    paths = sorted((corpus / "kineto").glob("*.json.gz"))
    for path in paths:
        same(path)
        same(path, 1 << 16)
    assert paths


def test_a_damaged_stream_is_read_alike(tmp_path: Path) -> None:
    """A packed file that is cut, or has another checksum, gives the same notices."""
    packed = gzip.compress(text(SMALL).encode(), mtime=0)
    for content in (packed, packed[:-1], packed[:-30], packed[:-8] + bytes(8), packed * 2):
        same(write(tmp_path / "t.json.gz", content))


def test_the_switch_leaves_all_to_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With KERNELMAP_NO_NATIVE=1 the scanner is never made."""
    path = write(tmp_path / "t.json", text(SMALL))
    monkeypatch.setattr(native, "Scan", None)
    monkeypatch.setenv(SWITCH, "1")

    assert not native.runs_native()
    assert len(KinetoReader().read(path).launches) == 2


@pytest.mark.parametrize("name", ROLES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_frames_with_a_role_are_kept(tmp_path: Path, name: str, layout: str) -> None:
    """Frames of generated code, in methods too, are kept in every layout by both."""
    raw = same(write(tmp_path / "t.json", text([*pair(1), *[frame(name, 1, 2)] * 3], layout)))

    assert isinstance(raw, RawTrace)
    assert raw.frames is not None
    assert len(raw.frames) == 3


def test_every_kind_of_event_has_a_place() -> None:
    """A category that gets columns has a table in the scanner."""
    assert set(native.TABLE_OF) == {kind for kind in EventKind if kind > EventKind.NOTHING}


def test_texts_that_collide_stay_apart(tmp_path: Path) -> None:
    """Many names stay distinct, among them long ones and ones with equal beginnings."""
    rows = [op(f"{'n' * (at % 70)}{at}", at, 1) for at in range(5000)]
    raw = same(write(tmp_path / "t.json", text(rows)))

    assert isinstance(raw, RawTrace)
    assert raw.ranges.names == tuple(row["name"] for row in rows)


def test_wrong_uses_are_errors() -> None:
    """What Python's side might get wrong one day raises, and does not crash."""
    _scanner = pytest.importorskip("kernelmap.traces.kineto._scanner")
    scanner = _scanner.Scanner(1, (b"x",))
    with pytest.raises(IndexError):
        scanner.text(5)
    with pytest.raises(ValueError, match="no such table"):
        scanner.set_category(b"x", 1, len(_scanner.TABLES))
    with pytest.raises(ValueError, match="no such table"):
        scanner.set_category(b"x", 1000, 0)
    with pytest.raises(TypeError):
        _scanner.Scanner(1, ("x",))
    with pytest.raises(TypeError):
        scanner.scan("{}")


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("name", ["t.json", "t.json.gz"])
@pytest.mark.parametrize("natively", [False, True])
def test_progress_is_bytes_read_of_bytes_to_read(tmp_path: Path, name: str, natively: bool) -> None:
    """Progress counts bytes of the file as stored, never goes back, and ends at the end."""
    content = text([event for at in range(200) for event in pair(at)]).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(content, mtime=0) if name.endswith("gz") else content)
    shown: list[tuple[Path, int, int]] = []
    with watched(lambda *of: shown.append(of)):
        read(path, natively=natively, block=1000)
    read(path, natively=natively)

    done = [read_ for _, read_, _ in shown]
    assert len(shown) == -(-len(content) // 1000)
    assert done == sorted(done)
    assert done[-1] == path.stat().st_size
    assert {(of, size) for of, _, size in shown} == {(path, path.stat().st_size)}


COLUMNS = st.lists(
    st.one_of(st.integers(-129, 128), st.integers(-(2**63), 2**63 - 1)), max_size=4
).map(lambda numbers: np.array(numbers, dtype=np.int64))


@given(
    st.lists(COLUMNS, max_size=80),
    st.lists(st.integers(0, 2), max_size=3),
    st.sampled_from([1, 2, 32]),
)
def test_packed_columns_are_what_was_put_in(
    pieces: list[np.ndarray[tuple[int], np.dtype[np.int64]]], later: list[int], at_once: int
) -> None:
    """However many pieces there are and whatever their numbers, they come back in order, int64."""
    parts = ColumnParts(packed_at_once=at_once)
    for piece in pieces:
        parts.add(one=piece, sizes=np.stack([piece, piece[::-1], piece], axis=1))
    parts.add(one=np.array(later, dtype=np.int64))
    taken, sizes = parts.take("one"), parts.take("sizes")

    assert taken.dtype == np.int64
    assert taken.tolist() == [*(number for piece in pieces for number in piece.tolist()), *later]
    assert sizes.reshape(-1, 3)[:, 1].tolist() == [
        number for piece in pieces for number in piece[::-1].tolist()
    ]
