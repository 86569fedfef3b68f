"""Ten changes of real code that cost memory are named with buffer and line; ten others with none.

The code is what torch 2.13 wrote for the programs of scripts/planted_memory.py.
"""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

import pytest
from planted_memory import PAIRS

from kernelmap.compiler import load_compiled
from kernelmap.history.compare.memory.codes import CodeMemory, compare_codes, read_code_memory
from kernelmap.history.compare.memory.graphs import MemoryComparison
from kernelmap.history.compare.memory.reasons import MemoryReason

RECORDED = Path(__file__).parent / "memory_pairs"
PLANTED = [name for name, pair in PAIRS.items() if pair.reason is not None]
WITHOUT = [name for name, pair in PAIRS.items() if pair.reason is None]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The logs of all programs, unpacked: `PAIR/before.log`."""
    folder = tmp_path_factory.mktemp("memory_pairs")
    for packed in RECORDED.rglob("*.log.gz"):
        log = folder / packed.relative_to(RECORDED).with_suffix("")
        log.parent.mkdir(exist_ok=True)
        log.write_bytes(gzip.decompress(packed.read_bytes()))
    return folder


@cache
def memory_of_log(log: Path) -> CodeMemory:
    return read_code_memory(load_compiled(log))


def compared(
    logs: Path, name: str, sides: tuple[str, str] = ("before", "after")
) -> MemoryComparison:
    return compare_codes(*(memory_of_log(logs / name / f"{side}.log") for side in sides))


def test_there_are_ten_of_both() -> None:
    """And all of them are recorded."""
    assert (len(PLANTED), len(WITHOUT)) == (10, 10)
    assert {path.name for path in RECORDED.iterdir()} == {*PLANTED, *WITHOUT}


@pytest.mark.parametrize("name", PLANTED)
def test_the_first_change_is_what_was_planted(name: str, logs: Path) -> None:
    """Its reason and its source line; forward and backward agree where both have it."""
    changed = compared(logs, name).changed
    first = [peak.changes[0] for peak in changed]

    assert changed
    assert {change.reason for change in first} == {MemoryReason(str(PAIRS[name].reason))}
    lines = {change.buffer.place for change in first} - {None}
    assert lines == {f"model.py:{PAIRS[name].line}"}
    assert all(change.change_bytes > 0 for change in first)


@pytest.mark.parametrize("name", WITHOUT)
def test_nothing_is_said_where_no_memory_changed(name: str, logs: Path) -> None:
    """Other operators, other lines, other numbers of kernels: the peak is what it was."""
    assert compared(logs, name).changed == ()


@pytest.mark.parametrize("name", PLANTED)
def test_the_way_back_names_the_same_buffer(name: str, logs: Path) -> None:
    """The same bytes with the other sign, at the same place."""
    there, back = compared(logs, name), compared(logs, name, ("after", "before"))

    for one, other in zip(there.changed, back.changed, strict=True):
        assert one.change_bytes == -other.change_bytes
        first, last = one.changes[0], other.changes[0]
        assert (first.before, first.after) == (last.after, last.before)
        assert first.change_bytes == -last.change_bytes


@pytest.mark.parametrize("name", PLANTED)
def test_changes_and_room_are_the_change_of_the_peak(name: str, logs: Path) -> None:
    """To the byte, of every graph."""
    for peak in compared(logs, name).changed:
        total = sum(change.change_bytes for change in peak.changes)
        assert total + peak.room_bytes == peak.change_bytes
