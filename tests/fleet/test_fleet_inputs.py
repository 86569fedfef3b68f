"""Which file is of which rank, and what is said of files that are of none."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from kernelmap.errors import KernelmapError, UsageError
from kernelmap.fleet.inputs import place_by_rank
from kernelmap.fleet.notices import notices_of
from traces.small_rocm import tiny_run, write_json, write_rocpd


def trace(path: Path, *, rank: int | None = None, size: int | None = None) -> Path:
    """A Kineto file without events, as far as its beginning goes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stated = "" if rank is None else f'"distributedInfo": {{"backend": "nccl", "rank": {rank}'
    stated += f', "world_size": {size}' if size is not None else ""
    text = f'{{{stated}{"}, " if stated else ""}"traceEvents": []}}'
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def by_rank(folder: Path, pattern: str | None = None) -> dict[int, list[str]]:
    """The files of each rank, relative to the folder."""
    placed = place_by_rank([str(folder)], pattern)
    return {
        rank_files.rank: [str(Path(name).relative_to(folder)) for name in rank_files.files]
        for rank_files in placed.ranks
    }


def test_what_a_trace_states_goes_before_its_name(tmp_path: Path) -> None:
    """`distributedInfo` says the rank, whatever the file and its folder are called."""
    trace(tmp_path / "rank_7" / "rank_8.json", rank=3)

    assert by_rank(tmp_path) == {3: ["rank_7/rank_8.json"]}


def test_a_pattern_goes_before_names(tmp_path: Path) -> None:
    """A pattern of the user finds the rank in the path."""
    trace(tmp_path / "worker12" / "trace.json.gz")
    trace(tmp_path / "worker13" / "trace.json.gz")

    assert sorted(by_rank(tmp_path, r"worker(\d+)")) == [12, 13]


def test_names_say_ranks(tmp_path: Path) -> None:
    """Files and folders that are named after ranks are of them; logs stand beside traces."""
    trace(tmp_path / "rank_0.json")
    trace(tmp_path / "deep" / "rank1" / "trace.json.gz")
    (tmp_path / "dedicated_log_torch_trace_rank_0_abc.log").write_text("log")
    (tmp_path / "rank_0_torch.log.gz").write_bytes(b"packed")

    assert by_rank(tmp_path) == {
        0: ["dedicated_log_torch_trace_rank_0_abc.log", "rank_0.json", "rank_0_torch.log.gz"],
        1: ["deep/rank1"],
    }


def test_a_folder_of_a_bundle_is_read_whole(tmp_path: Path) -> None:
    """The folder of a rank in a bundle is one input, and so is its record of CUDA graphs."""
    for rank in (0, 1):
        folder = tmp_path / "bundle" / f"rank_{rank}"
        trace(folder / "trace.json.gz", rank=rank, size=4)
        (folder / "cuda_graphs.json").write_text("{}")
        (folder / "code").mkdir()
        (folder / "code" / "output_code.py").write_text("")
    placed = place_by_rank([str(tmp_path / "bundle")])

    assert by_rank(tmp_path / "bundle") == {
        rank: [f"rank_{rank}", f"rank_{rank}/cuda_graphs.json"] for rank in (0, 1)
    }
    assert placed.world_size == 4
    assert placed.absent == (2, 3)


def test_what_says_no_rank_is_listed(tmp_path: Path) -> None:
    """A trace or log without a rank is named with the reason, and so is a file that is neither."""
    trace(tmp_path / "rank_0.json")
    trace(tmp_path / "some.json")
    (tmp_path / "notes.txt").write_text("x")
    placed = place_by_rank([str(tmp_path), str(tmp_path / "notes.txt")])
    reasons = {Path(file.name).name: file.reason for file in placed.unplaced}

    assert set(reasons) == {"some.json", "notes.txt"}
    assert "rank" in reasons["some.json"]
    (notice,) = notices_of(placed, {}, read=1)
    assert "--rank-pattern" in str(notice.hint)
    assert reasons["notes.txt"] == "it is neither a trace nor a log"


def test_of_several_traces_of_a_rank_the_last_is_read(tmp_path: Path) -> None:
    """A profiler that wrote several windows names them by time; the others are listed."""
    trace(tmp_path / "rank_0.100.pt.trace.json")
    trace(tmp_path / "rank_0.200.pt.trace.json")
    placed = place_by_rank([str(tmp_path)])

    assert by_rank(tmp_path) == {0: ["rank_0.200.pt.trace.json"]}
    assert [Path(file.name).name for file in placed.unplaced] == ["rank_0.100.pt.trace.json"]
    (notice,) = notices_of(placed, {}, read=1)
    assert notice.hint is None  # no pattern gives that trace a rank of its own


def test_a_gap_in_the_ranks_is_absent(tmp_path: Path) -> None:
    """Where nothing says how many ranks there were, those below the highest are expected."""
    trace(tmp_path / "rank_0.json")
    trace(tmp_path / "rank_3.json")

    assert place_by_rank([str(tmp_path)]).absent == (1, 2)


def test_globs_and_urls_name_files(tmp_path: Path) -> None:
    """A glob and a URL of fsspec name the same files as their folder."""
    trace(tmp_path / "rank_0.json", rank=0)
    trace(tmp_path / "rank_1.json", rank=1)

    by_glob = place_by_rank([str(tmp_path / "rank_*.json")])
    by_url = place_by_rank([f"file://{tmp_path}"])

    assert [rank_files.rank for rank_files in by_glob.ranks] == [0, 1]
    assert [rank_files.rank for rank_files in by_url.ranks] == [0, 1]


def test_a_folder_without_a_file_is_said_to_be_empty(tmp_path: Path) -> None:
    """It is there, unlike a name that was spelled wrongly."""
    for name, said in ((tmp_path, "the folder holds no file"), (tmp_path / "no*", "no such file")):
        with pytest.raises(KernelmapError, match=said):
            place_by_rank([str(name)])


@pytest.mark.parametrize("pattern", ["worker(", "worker"])
def test_a_pattern_must_have_a_group(tmp_path: Path, pattern: str) -> None:
    """What is no expression, or has no group, is wrong usage."""
    trace(tmp_path / "rank_0.json")

    with pytest.raises(UsageError) as error:
        place_by_rank([str(tmp_path)], pattern)

    assert error.value.slug == "wrong-pattern"


def test_no_rank_at_all_is_wrong_usage(tmp_path: Path) -> None:
    """Inputs of which none says a rank end with how to say it."""
    trace(tmp_path / "some.json")

    with pytest.raises(UsageError) as error:
        place_by_rank([str(tmp_path)])

    assert error.value.slug == "no-ranks"
    with pytest.raises(KernelmapError):
        place_by_rank([str(tmp_path / "nowhere")])


def test_files_of_rocprofv3_are_traces_and_other_databases_are_not(tmp_path: Path) -> None:
    """A database and JSON of rocprofv3 are the traces of their ranks, whatever lies beside them."""
    for rank in (0, 1):
        (tmp_path / f"rank_{rank}").mkdir()
    write_rocpd(tmp_path / "rank_0" / "12_results.db", tiny_run())
    write_json(tmp_path / "rank_1" / "13_results.json", tiny_run())
    (tmp_path / "rank_1" / "cache.db").write_bytes(b"SQLite format 3\0 and something else")

    assert by_rank(tmp_path) == {0: ["rank_0"], 1: ["rank_1"]}
