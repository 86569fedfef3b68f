"""The scanner of packets in C gives what Python gives, cell by cell, whatever the bytes are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples, is_long
from kernelmap.native import SWITCH, part
from kernelmap.traces.perfetto import packets, plain_packets
from kernelmap.traces.perfetto.notes import KEYS
from kernelmap.traces.perfetto.reader import PerfettoReader
from traces.both_readers import difference
from traces.kineto_text import frame, note, op, pair, sample, write
from worlds.pftrace import CLEARED, annotation, field, message, packet, pftrace

scanner: Any = part("kernelmap.traces.perfetto._packets", 3)
pytestmark = pytest.mark.skipif(
    not packets.is_built(), reason="the scanner was not built: no C compiler, or no Python.h"
)

WORLD = pftrace(
    [
        *pair(1),
        op("x", 1, 2, **{"External id": 3, "b": True, "f": 0.5, "d": {"a": [1, -1]}, "n": None}),
        note("y", 1, 2, kernel_file="f", num_warps=4),
        frame("a.py(1): f", 1, 2),
        sample("Power (W)", 7, 1.5),
        sample("Cycles", 9, 3),
    ],
    5,
)
OTHERS = b"".join(
    (
        packet((11, message((9, 4), (11, 3), (30, -7)))),
        packet((11, message((9, 4), (11, 3), (44, 0.25)))),
        packet((11, message((11, 3), (6, message((2, ord("X")), (3, 12)))))),
        packet((11, message((9, 1), (3, 1), (3, 2), (4, annotation(5, 2**64 - 1))))),
        packet((11, message((9, 1), (4, message((1, 5), (17, 9))), (10, 2**63)))),
        packet((53, message((17, "n"), (11, -1), (6, message((1, "stream id"), (2, "007")))))),
        packet((41, 1), (50, b"x"), (10, 2**32 - 1), flags=CLEARED),
        packet((11, message((9, 1), (4, field(10, "kernel_file") + b"\x0b")))),
        packet((11, message((9, 1), (4, message((4, 1), (10, "num_warps")))))),
        packet((53, message((6, field(1, "num_warps") + b"\x0b"), (2, 5)))),
    )
)
SEEDS = [WORLD, OTHERS, OTHERS + WORLD]


def assert_alike(data: bytes, most: int = 1 << 16) -> None:
    """Both scan the same bytes alike: rows, bytes taken, reason to end."""
    expected = plain_packets.scan(data, KEYS.names, KEYS.first_detail, most)
    found = scanner.scan(data, KEYS.names, KEYS.first_detail, most)
    assert found[:2] == expected[:2]
    for (table, _), (count, ours), (expected_count, python) in zip(
        plain_packets.TABLES, found[2], expected[2], strict=True
    ):
        # A column that nothing is said in may be left out, or hold nothing.
        nothing = b"\xff" * 8 * count
        assert count == expected_count, table
        assert [each or nothing for each in ours] == [each or nothing for each in python], table


def test_the_tables_are_the_same() -> None:
    """Names and order of columns stand in both."""
    assert scanner.TABLES == plain_packets.TABLES


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 3)), max_size=60))
@settings(max_examples=examples(200))
def test_many_tracks_and_details(events: list[tuple[int, int]]) -> None:
    """More tracks and details than are remembered at once, some of them in damaged packets."""
    each = [
        packet((11, message(
            (9, 1 + of % 2), (11, 64 * track), (4, annotation("kernel_file", str(track * of))),
            (4, annotation("kernel_hash", "x" * of)),
        )))
        + (field(1, field(11, message((9, 1), (11, track))) + b"\x0b") if of == 3 else b"")
        for track, of in events
    ]  # fmt: skip
    assert_alike(b"".join(each))


def test_packets_that_agree_are_one_stretch() -> None:
    """So the scopes and clocks of a file cost nothing: torch's is a handful of stretches."""
    plain = packet((11, message((9, 1))), sequence=1)
    data = plain * 3 + packet((11, message((9, 1))), sequence=2) + plain + packet(flags=CLEARED) * 2
    stretches = packets.scan(data, KEYS, 100)[2]["stretches"]
    assert stretches["packet"].tolist() == [0, 3, 4, 5, 6]
    assert stretches["cleared"].tolist() == [0, 0, 0, 1, 1]


def test_columns_that_say_nothing_are_not_there() -> None:
    """Most columns of a file are such, and whoever writes or copies them pays for each row."""
    slices = packets.scan(packet((11, message((9, 1), (11, 7)))), KEYS, 9)[2]["slices"]
    assert not slices.has("duration_us")
    assert slices["duration_us"].tolist() == [-1]
    assert slices.has("track")


@pytest.mark.parametrize("seed", SEEDS)
def test_files_cut_at_every_byte(seed: bytes) -> None:
    """Wherever a piece ends."""
    for end in range(0, len(seed) + 1, 1 if is_long() else 7):
        assert_alike(seed[:end])
    for most in range(5):
        assert_alike(seed, most)


@given(st.sampled_from(SEEDS), st.data())
@settings(max_examples=examples(400))
def test_damaged_files(seed: bytes, data: st.DataObject) -> None:
    """Whatever some bytes become, are taken out or put in."""
    content = bytearray(seed)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        size = data.draw(st.integers(0, 3))
        content[at : at + size] = data.draw(st.binary(max_size=4))
        if not content:
            break
    assert_alike(bytes(content))


numbers = st.integers(0, 2**64 - 1) | st.integers(0, 140)


@st.composite
def messages(draw: st.DrawFn, depth: int = 3) -> bytes:
    """Fields of all forms with the numbers that mean something, in one another."""
    fields = []
    for _ in range(draw(st.integers(0, 4))):
        number = draw(st.sampled_from([1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 17, 21, 22, 23, 30,
                                       41, 44, 50, 52, 53, 58, 59, 60, 128]))  # fmt: skip
        form = draw(st.integers(0, 3 if depth else 2))
        if form == 0:
            fields.append(field(number, draw(numbers)))
        elif form == 1:
            fields.append(field(number, draw(st.floats())))
        elif form == 2:
            text = st.sampled_from([*KEYS.names, b"12", b"0", b"01", b"9" * 19, b"x"])
            fields.append(field(number, draw(text)))
        else:
            fields.append(field(number, draw(messages(depth - 1))))
    return b"".join(fields)


@given(st.lists(messages(), max_size=4))
@settings(max_examples=examples(500))
def test_any_messages(each: list[bytes]) -> None:
    """Whatever fields stand in whatever messages."""
    assert_alike(b"".join(field(1, content) for content in each))


@given(st.binary(max_size=60))
@settings(max_examples=examples(300))
def test_any_bytes(content: bytes) -> None:
    """Bytes that are nothing."""
    assert_alike(content)
    assert_alike(field(1, content))
    assert_alike(field(1, field(11, content)))


@pytest.mark.parametrize("block", [1, 7, 64, 1000, 1 << 20])
def test_pieces_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    """Wherever blocks and pieces end, and whoever scans them, the columns are the same."""
    path = write(tmp_path / "t.pftrace", WORLD)
    expected = PerfettoReader().read(path)
    monkeypatch.setattr(packets, "_MOST_PACKETS", max(block // 8, 1))
    for switch in ("0", "1"):
        monkeypatch.setenv(SWITCH, switch)
        assert difference(PerfettoReader(block=block).read(path), expected) is None
