"""One profile under several names counts once; what differs counts as it is."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest

from kernelmap.model.trace import Trace
from kernelmap.traces import load_trace
from traces.kineto_text import COMPACT, INDENTED, kernel, op, pair, text

EVENTS = [*pair(1), *pair(2), *pair(3)]


def plain(folder: Path) -> Path:
    path = folder / "plain.json"
    path.write_text(text(EVENTS, COMPACT))
    return path


def copied(path: Path) -> Path:
    path.with_name("copy.json").write_bytes(path.read_bytes())
    return path.with_name("copy.json")


def packed(path: Path) -> Path:
    path.with_name("packed").write_bytes(gzip.compress(path.read_bytes()))
    return path.with_name("packed")


def linked(path: Path) -> Path:
    path.with_name("link.json").symlink_to(path)
    return path.with_name("link.json")


def hard(path: Path) -> Path:
    path.with_name("hard.json").hardlink_to(path)
    return path.with_name("hard.json")


def spelled(path: Path) -> Path:
    path.with_name("indented.json").write_text(text(EVENTS, INDENTED))
    return path.with_name("indented.json")


def total(trace: Trace) -> tuple[int, int, int]:
    return len(trace.launches), len(trace.ranges), int(trace.launches.dur_ns.sum())


@pytest.mark.parametrize("again", [copied, packed, linked, hard, spelled], ids=lambda f: f.__name__)
def test_a_profile_under_two_names_counts_once(
    again: Callable[[Path], Path], tmp_path: Path
) -> None:
    """However the second name came about, no launch is counted twice, and it is said."""
    first = plain(tmp_path)
    second = again(first)
    for order in permutations((first, second, first)):
        trace = load_trace(*order)

        assert total(trace) == total(load_trace(first))
        assert len(trace.sources) == 1
        slugs = [notice.slug for notice in trace.notices]
        # A link is the same file, which needs no word.
        assert slugs == ([] if again is linked else ["repeated-trace"])


def test_ranks_that_ran_alike_both_count(tmp_path: Path) -> None:
    """Files that differ in one time, or only in their rank, are two profiles."""
    first = plain(tmp_path)
    later = tmp_path / "later.json"
    later.write_text(text([*EVENTS, op("aten::add", 900, 1), kernel("k", 950, 1, 9)], COMPACT))
    shifted = tmp_path / "shifted.json"
    events = json.loads(json.dumps(EVENTS))
    events[-1]["ts"] += 1
    shifted.write_text(text(events, COMPACT))
    ranked = tmp_path / "ranked.json"
    ranked.write_text(first.read_text().replace("{", '{"distributedInfo": {"rank": 1},', 1))
    trace = load_trace(first, later, shifted, ranked)

    assert len(trace.sources) == 4
    assert trace.notices == ()
