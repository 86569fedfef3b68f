"""Memory in the gate, in the lock, and in `kernelmap diff` of two codes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kernelmap.cli import main
from kernelmap.errors import KernelmapError
from kernelmap.history.compare.gate.findings import Findings
from kernelmap.history.compare.gate.memory_level import judge_memory
from kernelmap.history.compare.lock.changes import memory_changes
from kernelmap.history.compare.lock.records import dump_lock, load_lock, lock_of
from kernelmap.history.compare.memory.graphs import GraphPair, MemoryComparison, compare_memory
from kernelmap.history.compare.pairing.buffers import CallGroup
from kernelmap.history.compare.sides.held import HeldGraph, held_graphs
from kernelmap.tables.lifetimes import rows_of_lifetimes
from memory_worlds import MemoryWorld, program_of

RECORDED = Path(__file__).parent / "memory_pairs"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def unpacked(name: str, folder: Path) -> list[Path]:
    """The code of both sides of a recorded pair."""
    places = []
    for side in ("before", "after"):
        place = folder / name / side / "torch_trace.log"
        place.parent.mkdir(parents=True)
        place.write_bytes(gzip.decompress((RECORDED / name / f"{side}.log.gz").read_bytes()))
        places.append(place.parent)
    return places


def held(*sizes: int) -> tuple[HeldGraph, ...]:
    """Graphs that take one product of that many bytes each."""
    worlds = [
        MemoryWorld(f"{number}_inference")
        .take("x", 40)
        .call("aten.mm", "x", makes={"buf0": size})
        .give("buf0")
        for number, size in enumerate(sizes)
    ]
    return held_graphs(rows_of_lifetimes(*program_of(*worlds)))


def compared(before: tuple[HeldGraph, ...], after: tuple[HeldGraph, ...]) -> MemoryComparison:
    same = (CallGroup(before=(0,), after=(0,), same=True),)
    names = {one.graph for one in before} & {one.graph for one in after}
    pairs = [GraphPair(before=name, after=name, groups=same) for name in sorted(names)]
    return compare_memory(before, after, pairs)


@pytest.mark.parametrize(
    ("before", "after", "fails"),
    [
        ((960,), (960,), 0),
        ((960,), (976,), 0),  # 1.6 % of 1,000
        ((960,), (1_000,), 1),
        ((960, 40), (960, 80), 1),  # 4 % of the highest peak
        ((960, 40), (960, 56), 0),  # its own peak grew by a fifth, the highest by nothing
        ((960,), (480,), 0),
        ((960,), (960, 1_920), 1),  # a new graph that is the highest
        ((960,), (960, 480), 0),
    ],
)
def test_growth_counts_against_the_highest_peak(
    before: tuple[int, ...], after: tuple[int, ...], fails: int
) -> None:
    """2 % may pass."""
    findings = Findings()
    judge_memory(compared(held(*before), held(*after)), 0.02, findings)

    assert len(findings.reasons) == fails
    assert all("buf0 of model.py:1" in text for text in findings.reasons if "new graph" not in text)


def test_without_a_limit_memory_is_a_note() -> None:
    """And where a side does not know its memory, a limit leaves a doubt."""
    noted, doubted, silent = Findings(), Findings(), Findings()
    judge_memory(compared(held(400), held(800)), None, noted)
    judge_memory(MemoryComparison(), 0.02, doubted)
    judge_memory(MemoryComparison(), None, silent)

    assert (len(noted.reasons), len(noted.notes)) == (0, 1)
    assert len(doubted.doubts) == 1
    assert not (silent.reasons)
    assert not (silent.notes)
    assert not (silent.doubts)


def test_a_lock_holds_the_peak_and_what_is_alive_there(tmp_path: Path) -> None:
    """The text comes back as it was, and older locks say nothing of memory."""
    before, _ = unpacked("reuse_lost", tmp_path)
    graphs, _, _ = lock_of([before])
    text = dump_lock(graphs)

    assert load_lock(text) == graphs
    assert graphs[0].memory is not None
    assert f"memory {graphs[0].memory.peak_bytes}" in text
    older = "".join(
        line
        for line in text.replace("lock 2", "lock 1").splitlines(keepends=True)
        if not line.strip().startswith(("memory", "held"))
    )
    assert [graph.memory for graph in load_lock(older)] == [None]
    assert memory_changes(load_lock(older), graphs, {}) == ()


@pytest.mark.parametrize(
    "line", ["memory a lot", "memory 1\n  memory 2", "held 1  a  b  c", "memory 1\n    held 1  a"]
)
def test_broken_memory_of_a_lock_is_an_error_that_names_the_line(line: str) -> None:
    """As of any other line."""
    with pytest.raises(KernelmapError, match=r"line \d") as caught:
        load_lock(f"# kernelmap lock 2\ngraph a - 0123456789ab\n  {line}\n")
    assert caught.value.slug == "bad-lock"


def test_a_gate_without_a_gpu_fails_where_memory_grows_and_no_kernel_changed(
    tmp_path: Path,
) -> None:
    """A buffer that is not reused any more: no call computes something else."""
    before, after = unpacked("reuse_lost", tmp_path)
    lock = tmp_path / "kernels.lock"
    assert run("inspect", before, "--lock", lock).exit_code == 0

    same, grown = run("gate", "--lock", lock, before), run("gate", "--lock", lock, after)
    allowed = run("gate", "--lock", lock, after, "--max-memory", "50%")

    assert (same.exit_code, grown.exit_code, allowed.exit_code) == (0, 1, 0)
    assert "the peak of memory grew: 235 MB → 336 MB, +101 MB (42.9 %)" in grown.stdout
    assert "buf0 of model.py:12" in grown.stdout
    assert "which may pass" in allowed.stdout


def test_a_gate_says_that_memory_fell_and_passes(tmp_path: Path) -> None:
    """A lock that says more than the code takes is no reason to fail."""
    before, after = unpacked("reuse_lost", tmp_path)
    lock = tmp_path / "kernels.lock"
    assert run("inspect", after, "--lock", lock).exit_code == 0
    less = run("gate", "--lock", lock, before)

    assert less.exit_code == 0
    assert "the peak of memory fell: 336 MB → 235 MB" in less.stdout


def test_codes_without_a_profile_are_compared_by_their_memory(tmp_path: Path) -> None:
    """In words, and as JSON."""
    before, after = unpacked("later_free", tmp_path)
    shown = run("diff", before, after)
    document = json.loads(run("diff", before, after, "--format", "json").stdout)
    same = run("diff", before, before)

    assert shown.exit_code == 0
    assert "lives longer" in shown.stdout
    assert "buf0 of model.py:12" in shown.stdout
    assert document["format"] == "kernelmap.memory_diff"
    (graph,) = document["memory"]["graphs"]
    assert graph["changes"][0]["source"].endswith("model.py:12")
    assert (
        graph["change_bytes"]
        == sum(change["change_bytes"] for change in graph["changes"]) + graph["room_bytes"]
    )
    assert "no peak changed" in same.stdout


def test_a_profile_on_one_side_alone_is_asked_for_on_the_other(
    tmp_path: Path, samples: Path
) -> None:
    """Time is what a profile is compared by."""
    before, _ = unpacked("equal", tmp_path)
    answer = run("diff", samples / "sim_mlp_train", before)

    assert answer.exit_code != 0
    assert "no profile was given" in answer.stderr
