"""Memory snapshots of torch: what is read of them, the peak, and which lines held the bytes."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

import kernelmap
from examples import examples
from kernelmap.errors import KernelmapError
from kernelmap.memory.measured.code_lines import with_calls
from kernelmap.memory.measured.snapshot_peak import find_snapshot_peaks
from kernelmap.model import Confidence
from kernelmap.model.measured_memory import MemoryOwner, PlaceBytes, Since, SnapshotPeak
from kernelmap.model.memory_snapshot import AllocatorAction
from kernelmap.model.paths import VARIABLE
from kernelmap.traces.memory_snapshot.reader import (
    is_memory_snapshot,
    read_memory_snapshot,
)
from tiny import graph, program
from tiny_snapshot import TinySnapshot, snapshots

SAMPLES = Path(__file__).parents[2] / "sample_traces"
CODE_FILE = "/tmp/torchinductor_me/ab/c" + "a" * 51 + ".py"  # noqa: S108 -- a name


def peak_of(snapshot: TinySnapshot, folder: Path) -> SnapshotPeak:
    """The peak of the one device that has anything."""
    peaks = find_snapshot_peaks(read_memory_snapshot(snapshot.dump(folder / "snapshot.pickle")))
    (peak,) = [peak for peak in peaks if peak.device == snapshot.device]
    return peak


def shown(row: PlaceBytes) -> tuple[str, str | None, int, int | None]:
    """When, where, how many bytes, in how many blocks."""
    frame = row.place.frame if row.place else None
    return row.since, f"{frame.file}:{frame.line}" if frame else None, row.bytes, row.blocks


def test_the_peak_is_told_by_the_users_line(tmp_path: Path) -> None:
    """Innermost first, torch's own frames passed over; what was freed by then is not there."""
    snapshot = TinySnapshot()
    gone = snapshot.alloc(9_000, "model.py:10:forward")
    snapshot.free(gone)
    torch = "/lib/python3/site-packages/torch/nn/functional.py:7:linear"
    kept = snapshot.alloc(5_000, torch, "model.py:12:forward", "train.py:3:step")
    snapshot.alloc(5_000, torch, "model.py:12:forward", "train.py:9:step")
    snapshot.alloc(100)
    snapshot.free(kept)

    peak = peak_of(snapshot, tmp_path)

    assert (peak.begin_bytes, peak.peak_bytes, peak.end_bytes) == (0, 10_100, 5_100)
    assert [shown(row) for row in peak.places] == [
        (Since.WITHIN, "model.py:12", 10_000, 2),
        (Since.WITHIN, None, 100, 1),
    ]


def test_a_history_that_begins_with_memory_in_use_says_so(tmp_path: Path) -> None:
    """What is still there has its line; of what was freed meanwhile the bytes are known."""
    snapshot = TinySnapshot()
    snapshot.alloc(1_000, "train.py:1:load")
    freed = snapshot.alloc(300, "train.py:2:load")
    snapshot.forget(2)
    snapshot.alloc(50, "model.py:5:forward")
    snapshot.free(freed)

    peak = peak_of(snapshot, tmp_path)

    assert (peak.begin_bytes, peak.peak_bytes, peak.end_bytes) == (1_300, 1_350, 1_050)
    assert [shown(row) for row in peak.places] == [
        (Since.EARLIER, "train.py:1", 1_000, 1),
        (Since.EARLIER, None, 300, 1),
        (Since.WITHIN, "model.py:5", 50, 1),
    ]


def test_an_allocation_that_failed_is_named(tmp_path: Path) -> None:
    """With what it asked for, and what the device had left."""
    snapshot = TinySnapshot(device=2)
    snapshot.alloc(10, "model.py:5:forward")
    frames = [{"filename": "model.py", "line": 8, "name": "forward"}]
    snapshot.event("oom", size=1 << 40, device_free=77, frames=frames)

    (failed,) = peak_of(snapshot, tmp_path).failed

    assert (failed.asked_bytes, failed.free_bytes) == (1 << 40, 77)
    assert failed.place is not None
    assert failed.place.frame is not None
    assert failed.place.frame.line == 8


@settings(max_examples=examples(50))
@given(snapshots())
def test_every_byte_of_the_peak_is_at_one_place(
    tmp_path_factory: pytest.TempPathFactory, snapshot: TinySnapshot
) -> None:
    """However much of the history is forgotten; and the end is what is there."""
    peak = peak_of(snapshot, tmp_path_factory.mktemp("snapshot")) if snapshot.live else None
    if peak is None:
        return
    sizes = {"alloc": 1, "free_requested": -1}
    changes = [
        sizes.get(str(event["action"]), 0) * int(str(event.get("size", 0)))
        for event in snapshot.trace
    ]
    end = sum(size for size, _ in snapshot.live.values())
    levels = [end - sum(changes[at:]) for at in range(len(changes) + 1)]

    assert peak.end_bytes == end
    assert peak.begin_bytes == levels[0]
    assert peak.peak_bytes == max(levels)
    assert sum(row.bytes for row in peak.places) == peak.peak_bytes
    assert all(row.bytes > 0 and row.blocks for row in peak.places)


def test_lines_of_generated_code_become_calls(tmp_path: Path) -> None:
    """Room before a call is for it; a text that fits only by its lines makes nothing exact."""
    text = "\n".join(
        [
            *(f"# {at}" for at in range(8)),
            "buf0 = empty_strided_cuda((4,), (1,), torch.float32)",
            "triton_poi_fused_add_0.run(x, buf0)",
            "del x",
            "buf1 = empty_strided_cuda((4,), (1,), torch.float32)",
            "extern_kernels.mm(buf0, y, out=buf1)",
        ]
    )
    code = graph("0_forward", "triton_poi_fused_add_0", "aten.mm")
    calls = tuple(replace(call, line=line) for call, line in zip(code.calls, (10, 13), strict=True))
    code = replace(code, text=text, calls=calls)
    snapshot = TinySnapshot()
    for size, line in ((1, 9), (2, 12), (4, 13)):
        snapshot.alloc(size, f"{CODE_FILE}:{line}:call", "model.py:5:forward")

    (peak,) = with_calls(program(code), [peak_of(snapshot, tmp_path)])

    owners = {row.bytes: row.place.owner for row in peak.places if row.place}
    assert owners == {
        size: MemoryOwner(graph=0, call=call, is_during=during, confidence=Confidence.INFERRED)
        for size, call, during in ((1, 0, False), (2, 1, False), (4, 1, True))
    }
    # Two graphs that fit alike decide nothing.
    twins = program(code, replace(code, id="1_forward"))
    (peak,) = with_calls(twins, [peak_of(snapshot, tmp_path)])
    assert {row.place.owner for row in peak.places if row.place} == {None}


def test_what_a_partition_allocates_elsewhere_is_for_no_one_call(tmp_path: Path) -> None:
    """As CUDA graphs do that copy their inputs."""
    text = "(buf1,) = self.partitions[0](args)\nextern_kernels.mm(buf0, y, out=buf1)"
    code = graph("0_forward", "aten.mm")
    code = replace(code, text=text, calls=(replace(code.calls[0], line=2),))
    snapshot = TinySnapshot()
    snapshot.alloc(1, f"{CODE_FILE}:1:call")

    (peak,) = with_calls(program(code), [peak_of(snapshot, tmp_path)])

    assert [row.place and row.place.owner for row in peak.places] == [MemoryOwner(graph=0)]


@pytest.mark.parametrize("sample", ["mlp", "llama", "graphs", "checkpointed"])
def test_snapshots_of_a_gpu_add_up_and_agree_with_the_code(sample: str) -> None:
    """The end is what torch counts; the user's line on the stack is one of the call's own lines."""
    folder = SAMPLES / f"cuda_memory_{sample}"
    counted = json.loads((folder / "measured.json").read_text())
    correlation = kernelmap.correlate(folder)
    snapshot = read_memory_snapshot(folder / "memory_snapshot.pickle.gz")

    (peak,) = with_calls(correlation.program, find_snapshot_peaks(snapshot))

    assert sum(row.bytes for row in peak.places) == peak.peak_bytes
    assert peak.end_bytes == counted["steps"][0]["after"]["asked"]
    assert peak.reserved_bytes == counted["steps"][0]["after"]["reserved"]
    lines_of = correlation.attribution.call_lines
    compared = 0
    for row in peak.places:
        owner, frame = (row.place.owner, row.place.frame) if row.place else (None, None)
        if owner is None or owner.call is None or frame is None:
            continue
        named = {(line.file, line.line) for line in lines_of[owner.call]}
        if frame.file in {file for file, _ in named}:
            compared += 1
            # While a CUDA graph is captured, the compiled function's frame stands at its begin.
            assert sample == "graphs" or (frame.file, frame.line) in named
    assert compared >= 3


def test_a_snapshot_is_known_by_its_content(tmp_path: Path) -> None:
    """Plain or packed, whatever it is called; other pickles are none."""
    plain = TinySnapshot().dump(tmp_path / "a.json")
    packed = tmp_path / "b.bin"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    other = tmp_path / "c.pickle"
    other.write_bytes(pickle.dumps({"weights": [1.0]}))
    text = tmp_path / "d.pickle"
    text.write_text("segments device_traces")

    assert [is_memory_snapshot(path) for path in (plain, packed, other, text)] == [
        True,
        True,
        False,
        False,
    ]
    assert not is_memory_snapshot(tmp_path)
    assert not is_memory_snapshot(tmp_path / "missing")
    assert read_memory_snapshot(packed).events.action.tolist() == []


class _Writes:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return self.path.write_text, ("it ran",)


def test_a_pickle_that_would_run_something_is_refused(tmp_path: Path) -> None:
    """Hidden in what else looks like a snapshot; the error says what it is, and what to do."""
    target, path = tmp_path / "ran", tmp_path / "snapshot.pickle"
    path.write_bytes(pickle.dumps({**TinySnapshot().data(), "more": _Writes(target)}))

    with pytest.raises(KernelmapError) as caught:
        read_memory_snapshot(path)

    assert caught.value.slug == "pickle-not-plain"
    assert "_dump_snapshot" in (caught.value.hint or "")
    assert not target.exists()


@pytest.mark.parametrize(
    ("data", "slug"),
    [
        (pickle.dumps({"segments": [], "device_traces": None}), "snapshot-damaged"),
        (pickle.dumps(["segments", "device_traces"]), "snapshot-damaged"),
        (pickle.dumps(TinySnapshot().data())[:-9], "snapshot-damaged"),
        (gzip.compress(pickle.dumps(TinySnapshot().data()))[:-12], "snapshot-damaged"),
        (b"", "snapshot-damaged"),
    ],
    ids=["no traces", "a list", "cut off", "cut gzip", "empty"],
)
def test_what_is_no_snapshot_is_a_clear_error(tmp_path: Path, data: bytes, slug: str) -> None:
    """A next step stands beside it."""
    path = tmp_path / "snapshot.pickle"
    path.write_bytes(data)

    with pytest.raises(KernelmapError) as caught:
        read_memory_snapshot(path)

    assert (caught.value.slug, bool(caught.value.hint)) == (slug, True)


def test_a_snapshot_beyond_the_limit_is_not_taken_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by its bytes nor by its values."""
    snapshot = TinySnapshot()
    for _ in range(40):
        snapshot.alloc(5, "model.py:1:forward")
    path = snapshot.dump(tmp_path / "snapshot.pickle")

    for times, slug in (("0.000001", "input-too-large"), ("0.00001", "snapshot-damaged")):
        monkeypatch.setenv(VARIABLE, times)
        with pytest.raises(KernelmapError) as caught:
            read_memory_snapshot(path)
        assert caught.value.slug == slug


def test_odd_values_count_as_absent(tmp_path: Path) -> None:
    """A snapshot that somebody changed gives no error and no nonsense."""
    snapshot = TinySnapshot()
    snapshot.alloc(600, "model.py:1:forward")
    data = snapshot.data()
    data["segments"] = [
        7,
        {"blocks": None},
        {"device": "x", "blocks": [3, {"size": -1, "state": "active_allocated"}]},
        *data["segments"],  # type: ignore[misc]
    ]
    trace = data["device_traces"][0]  # type: ignore[index]
    trace += [None, {"action": 5}, {"action": "alloc", "size": 2**90, "addr": "x"}]
    trace.append({"action": "alloc", "size": 4, "addr": 1, "frames": [1, {"filename": 2}]})
    trace.append({"action": "free_requested", "size": 4, "addr": 1, "frames": "no"})
    path = tmp_path / "snapshot.pickle"
    path.write_bytes(pickle.dumps(data))

    read = read_memory_snapshot(path)

    assert read.blocks.asked.tolist() == [600]
    assert read.events.action.tolist() == [
        AllocatorAction.ALLOC,
        AllocatorAction.OTHER,
        AllocatorAction.ALLOC,
        AllocatorAction.ALLOC,
        AllocatorAction.FREE_REQUESTED,
    ]
    (peak,) = find_snapshot_peaks(read)
    assert peak.peak_bytes == 604
    assert sum(row.bytes for row in peak.places) == 604
