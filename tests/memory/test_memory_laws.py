"""What holds of the memory of every graph, of the samples and of the corpus."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from kernelmap.errors import KernelmapError
from kernelmap.memory import memory_of_program
from kernelmap.model.memory import GraphMemory, MemoryKind
from read_once import compiled

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = sorted(path.parent.name for path in ROOT.glob("sample_traces/*/RUN.toml"))
REAL = ("gpu_marked", "inductor", "torch_trace")


def _memories(path: Path) -> tuple[GraphMemory, ...]:
    try:
        return memory_of_program(compiled(path))
    except KernelmapError:
        return ()  # a folder without code


def _check_laws(memory: GraphMemory) -> None:
    last = len(memory.steps) - 1
    assert (memory.bytes_after >= 0).all()
    by_kind = [memory.bytes_of_kind(kind) for kind in MemoryKind]
    assert (np.sum(by_kind, axis=0) == memory.bytes_after).all()
    assert all((of_kind >= 0).all() for of_kind in by_kind)
    for step, total in enumerate(memory.bytes_after.tolist()):
        assert sum(own for _, own in memory.alive_after(step)) == total
    returned = {memory.buffers[at].storage for at in memory.returned if at is not None}
    left = {one for one, _ in memory.alive_after(last) if not one.held}
    assert {one.storage for one in left} <= returned, {one.name for one in left}
    _check_holders(memory)


def _check_holders(memory: GraphMemory) -> None:
    """The holders of one storage follow one another without a gap."""
    by_storage: dict[int, list[tuple[int, int | None]]] = {}
    for buffer in memory.buffers:
        assert buffer.freed is None or buffer.freed >= buffer.born
        by_storage.setdefault(buffer.storage, []).append((buffer.born, buffer.freed))
        if buffer.reuses is not None:
            before = memory.buffers[buffer.reuses]
            assert (before.storage, before.freed) == (buffer.storage, buffer.born)
    for spans in by_storage.values():
        spans.sort()
        assert all(one[1] == other[0] for one, other in pairwise(spans))


@pytest.mark.parametrize("name", SAMPLES)
def test_bytes_add_up_and_end_with_what_is_returned(name: str) -> None:
    """Never below zero; kinds and buffers add up; at the end only results and inputs are left."""
    for memory in _memories(ROOT / "sample_traces" / name):
        _check_laws(memory)


def _real_code(corpus: Path) -> Iterator[Path]:
    for folder in REAL:
        yield from (corpus / folder).iterdir()


@pytest.mark.corpus
def test_the_same_of_code_that_nobody_here_wrote(corpus: Path) -> None:
    """The laws hold for every graph of the corpus, and sizes of nearly all buffers are known."""
    memories = [memory for path in _real_code(corpus) for memory in _memories(path)]

    for memory in memories:
        _check_laws(memory)
    buffers = sum(len(memory.buffers) for memory in memories)
    assert buffers > 500
    assert sum(len(memory.unsized) for memory in memories) < buffers / 100


def test_every_call_of_a_sample_is_a_step() -> None:
    """No call is lost on the way: those of the graph are those of the steps, in order."""
    for name in SAMPLES:
        folder = ROOT / "sample_traces" / name
        memories = {memory.graph: memory for memory in _memories(folder)}
        graphs = compiled(folder).graphs if memories else ()
        for graph in graphs:
            if graph.id in memories:
                steps = memories[graph.id].steps
                assert [s.call for s in steps if s.call is not None] == [
                    call.index for call in graph.calls
                ], (name, graph.id)
