"""A folder of traces is the ranks of one run where that shows, and says so where it does not."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

import kernelmap
from kernelmap import KernelmapError, correlate
from kernelmap.traces import load_trace
from traces.kineto_text import pair, text, write

TENSORBOARD = ("node1_101.1700000000000000000.pt.trace.json", "node1_102.17.pt.trace.json")
RANKS = ("rank_0.pt.trace.json.gz", "rank_1.pt.trace.json.gz")
FOLDERS = ("rank0/trace.json", "rank1/trace.json")


def traces(folder: Path, names: tuple[str, ...], *, stated: tuple[int, ...] = ()) -> Path:
    """Traces of these names, each of other events; `stated` are the ranks that they state."""
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        around = {"distributedInfo": {"backend": "nccl", "rank": stated[number]}} if stated else {}
        content = text(pair(number + 1), around={"schemaVersion": 1, **around}).encode()
        write(folder / name, gzip.compress(content) if name.endswith(".gz") else content)
    return folder


@pytest.mark.parametrize(
    ("names", "stated", "ranks"),
    [
        (RANKS, (), [0, 1]),
        (RANKS, (5, 6), [5, 6]),
        (FOLDERS, (), [0, 1]),
        (TENSORBOARD, (1, 0), [1, 0]),
        (TENSORBOARD, (), [None, None]),
        (("a.json", "b.json"), (2, 3), [2, 3]),
    ],
)
def test_the_traces_of_a_folder_are_ranks(
    names: tuple[str, ...], stated: tuple[int, ...], ranks: list[int | None], tmp_path: Path
) -> None:
    """What a file states wins over its name; TensorBoard's names tell processes apart."""
    trace = correlate(traces(tmp_path, names, stated=stated)).trace

    assert [process.rank for process in trace.processes] == ranks
    assert trace.sources == tuple(sorted(str(tmp_path / name) for name in names))


@pytest.mark.parametrize(
    ("names", "stated"),
    [
        (("a.json", "b.json"), ()),
        (("a.json", "b.json"), (0, 0)),
        (("node1_101.17.pt.trace.json", "node1_101.18.pt.trace.json"), ()),
        (("rank_0.json", "other.json"), ()),
    ],
)
def test_traces_that_may_be_of_several_runs_are_not_taken(
    names: tuple[str, ...], stated: tuple[int, ...], tmp_path: Path
) -> None:
    """Two cycles of one process, or names that say nothing: the error names the files."""
    with pytest.raises(KernelmapError, match="the folders hold 2") as caught:
        correlate(traces(tmp_path, names, stated=stated))

    assert (caught.value.slug, "ranks" in caught.value.hint) == ("no-trace", True)


def test_code_and_all_ranks_in_one_folder(samples: Path, tmp_path: Path) -> None:
    """The folder alone says what its code and both traces say by name, to the doctor as well."""
    folder = tmp_path / "run"
    shutil.copytree(samples / "sim_mlp_train", folder)
    profile = gzip.decompress((folder / "profile.json.gz").read_bytes())
    (folder / "profile.json.gz").unlink()
    for rank in (b"0", b"1"):
        stated = b'{"distributedInfo": {"rank": ' + rank + b"}, "
        write(folder / f"{rank.decode()}.json", stated + profile.lstrip()[1:])
    both = correlate(folder)

    assert [process.rank for process in both.trace.processes] == [0, 1]
    assert set(both.calls.columns) == set(correlate(samples / "sim_mlp_train").calls.columns)
    assert kernelmap.doctor(folder).total_ns == both.advice.total_ns


def test_a_copy_of_one_trace_is_no_second_rank(tmp_path: Path) -> None:
    """Two names do not make two ranks of the same events."""
    folder = traces(tmp_path, RANKS[:1])
    shutil.copy(folder / RANKS[0], folder / RANKS[1])
    trace = load_trace(folder / RANKS[0], folder / RANKS[1])

    assert [process.rank for process in trace.processes] == [0]
    assert [notice.slug for notice in trace.notices] == ["repeated-trace"]


@pytest.mark.parametrize(("kept", "whole"), [(0.9, True), (0.05, False)])
def test_a_packed_trace_that_was_cut_off_is_to_be_copied_again(
    kept: float, whole: bool, tmp_path: Path
) -> None:
    """Whether or not events came through, the message says what happened and what to do."""
    events = [event for number in range(1, 200) for event in pair(number, f"k{number}")]
    packed = gzip.compress(text(events).encode(), compresslevel=1)
    path = write(tmp_path / "t.json.gz", packed[: int(len(packed) * kept)])
    path = write(path, packed[:12]) if not whole else path
    if whole:
        (notice,) = [n for n in load_trace(path).notices if n.slug == "trace-truncated"]
        says = (notice.message, notice.hint or "")
    else:
        with pytest.raises(KernelmapError) as caught:
            correlate(path)
        says = (caught.value.message, caught.value.hint)

    assert "is cut off" in says[0]
    assert "Copy it again" in says[1]


def test_a_packed_trace_without_its_events_is_cut_off_too(tmp_path: Path) -> None:
    """The start alone looks like other JSON; that it ends too early says why."""
    content = ('{"deviceProperties": ["' + "x y z" * 9000 + '"], ' + text(pair())[1:]).encode()
    packed = gzip.compress(content, compresslevel=0)

    with pytest.raises(KernelmapError, match="is cut off") as caught:
        correlate(write(tmp_path / "t.json.gz", packed[:20000]))
    assert "Copy it again" in caught.value.hint


@pytest.mark.parametrize("alone", [True, False])
def test_devices_that_are_no_gpu_are_named(alone: bool, tmp_path: Path) -> None:
    """What ran on them is counted and said, beside other work and where there is none."""
    work = {"ph": "X", "cat": "mtia_ccp_events", "name": "k", "pid": 0, "tid": 1, "ts": 1, "dur": 5}
    range_ = {**work, "cat": "user_annotation", "name": "step"}
    path = write(tmp_path / "t.json", text([work, work, range_, *([] if alone else pair())]))
    if alone:
        with pytest.raises(KernelmapError, match="2 events of MTIA devices"):
            load_trace(path)
    else:
        (notice,) = load_trace(path).notices
        assert (notice.slug, notice.gap) == ("device-not-read", True)
        assert "2 events of MTIA devices" in notice.message
