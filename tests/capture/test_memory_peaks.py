"""What torch's allocator counts in recorded steps goes into the bundle, and comes back."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

import kernelmap
from capture.bundle_world import recorded
from kernelmap.capture.memory_peaks import MemoryPeaks
from kernelmap.model.bundle import MANIFEST, CountedStep, read_manifest


@dataclass
class FakeCuda:
    """The part of `torch.cuda` that counts; `levels` are bytes in use, by GPU."""

    initialized: bool = True
    levels: dict[int, int] = field(default_factory=lambda: {0: 1_000, 1: 0})
    peaks: dict[int, int] = field(default_factory=dict)
    broken: bool = False

    def is_initialized(self) -> bool:
        return self.initialized

    def device_count(self) -> int:
        assert self.initialized, "asking would make the program use a GPU"
        return len(self.levels)

    def memory_reserved(self, device: int) -> int:
        return 2 * self.levels[device]

    def memory_allocated(self, device: int) -> int:
        return self.levels[device]

    def reset_peak_memory_stats(self, device: int) -> None:
        if self.broken:
            raise RuntimeError("this allocator does not count")
        self.peaks[device] = self.levels[device]

    def max_memory_allocated(self, device: int) -> int:
        return self.peaks[device]

    def max_memory_reserved(self, device: int) -> int:
        return 2 * self.peaks[device]

    def use(self, size: int, device: int = 0) -> None:
        self.levels[device] += size
        self.peaks[device] = max(self.peaks.get(device, 0), self.levels[device])


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> FakeCuda:
    fake = FakeCuda()
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=fake))
    return fake


def test_each_whole_step_has_its_own_peak(cuda: FakeCuda) -> None:
    """A step that comes later does not have the peak of the one before; unused GPUs have no row."""
    peaks = MemoryPeaks()
    for step, size in ((4, 500), (5, 20)):
        peaks.begin_step(step)
        cuda.use(size)
        cuda.use(-size)
        peaks.end_step()
    peaks.begin_step(6)  # never ends

    assert peaks.rows == [
        {
            "step": step,
            "device": 0,
            "start_bytes": 1_000,
            "peak_bytes": 1_000 + size,
            "end_bytes": 1_000,
            "reserved_bytes": 2_000 + 2 * size,
        }
        for step, size in ((4, 500), (5, 20))
    ]


def test_a_program_without_a_gpu_is_not_made_to_use_one(cuda: FakeCuda) -> None:
    """And has no rows."""
    cuda.initialized = False
    peaks = MemoryPeaks()
    peaks.begin_step(1)
    peaks.end_step()

    assert peaks.rows == []


def test_an_allocator_that_does_not_count_ends_no_recording(cuda: FakeCuda) -> None:
    """Users may bring their own."""
    cuda.broken = True
    peaks = MemoryPeaks()
    peaks.begin_step(1)
    peaks.end_step()

    assert peaks.rows == []


ROWS = [
    {"step": step, "device": 0, "start_bytes": 1, "peak_bytes": 10 + step, "end_bytes": 2}
    | {"reserved_bytes": 64}
    for step in (1, 2)
]


def test_a_bundle_keeps_what_was_counted(tmp_path: Path) -> None:
    """From process.json into the manifest, and from there into the answer."""
    bundle = recorded(tmp_path / "bundle", memory=ROWS)

    (process,) = read_manifest(bundle).processes
    result = kernelmap.memory_of(bundle)

    assert process.memory == tuple(CountedStep(**row) for row in ROWS)
    counted = json.loads(result.render("json"))["counted"]
    assert [(row["process"], row["step"], row["peak_bytes"]) for row in counted] == [
        ("rank_0", 1, 11),
        ("rank_0", 2, 12),
    ]
    assert "Counted by torch while it was captured" in result.render("markdown")


def test_a_bundle_of_a_cpu_says_nothing_of_it(tmp_path: Path) -> None:
    """The manifest is what it was before."""
    bundle = recorded(tmp_path / "bundle", memory=None)

    assert "memory" not in (bundle / MANIFEST).read_text()
    (process,) = read_manifest(bundle).processes
    assert process.memory is None


@pytest.mark.parametrize("memory", [7, [1], [{"step": 1}], ["x", {**ROWS[0], "device": "0"}]])
def test_damaged_rows_are_left_out(tmp_path: Path, memory: object) -> None:
    """A row needs all of its numbers."""
    bundle = recorded(tmp_path / "bundle", memory=memory)

    (process,) = read_manifest(bundle).processes

    assert process.memory is None


def test_entries_of_a_manifest_that_are_no_tables_are_left_out(tmp_path: Path) -> None:
    """As all values of another type than the expected one."""
    bundle = recorded(tmp_path / "bundle")
    manifest = bundle / MANIFEST
    # `settings` are the first of what stands behind the manifest's own values.
    kept = manifest.read_text().partition("[settings]")[0]
    manifest.write_text(f"{kept}processes = [7]\n[settings]\n")

    assert read_manifest(bundle).processes == ()


@pytest.mark.torch
def test_a_recording_counts_the_steps_that_it_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first recorded step to the last whole one."""
    from kernelmap.capture import memory_peaks

    def begin(device: int, step: int) -> dict[str, int]:
        return {"step": step, "device": device, "start_bytes": 1}

    def end(_: int, begun: dict[str, int]) -> dict[str, int]:
        return {**begun, "peak_bytes": 3, "end_bytes": 2, "reserved_bytes": 4}

    monkeypatch.setattr(memory_peaks, "_devices_in_use", lambda: [0])
    monkeypatch.setattr(memory_peaks, "_begin_on", begin)
    monkeypatch.setattr(memory_peaks, "_end_on", end)

    with kernelmap.capture(tmp_path / "b", warmup=1, steps=2) as run:
        for _ in range(5):
            run.step()

    (process,) = read_manifest(tmp_path / "b").processes
    assert process.memory is not None
    steps = [row.step for row in process.memory]
    assert steps == list(range(process.first_step or 0, (process.last_step or 0) + 1))
    assert len(steps) == 2
