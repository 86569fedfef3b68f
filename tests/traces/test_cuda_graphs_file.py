"""cuda_graphs.json: whose it is, what stands in it, and what is said where it cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernelmap.model import Trace
from kernelmap.model.trace import CapturedCall, CapturedGraph, CapturedRun
from kernelmap.traces import is_captures, with_captures
from kernelmap.traces.assemble import assemble_trace
from trace_rows import LaunchRow, RangeRow, TraceRow, raw_trace

CALLS = [
    {"index": 0, "wrapper": "triton_a", "handle": 1, "nodes": [51539607552]},
    {"index": 1, "wrapper": "extern_kernels.mm", "handle": None, "nodes": None},
]
RUN = {"digest": "3f2ab4c5d6e7f801", "name": "0_forward", "calls": CALLS}


def put(path: Path, **changed: object) -> Path:
    """A record with two captures, the second of which failed."""
    whole = {"graph_id": 12, "complete": True, "runs": [RUN]}
    captures = [whole, {**whole, "complete": False}]
    head = {"format": "kernelmap.cuda_graphs", "version": 1, "pid": 7, "captures": captures}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(head | changed))
    return path


def trace(*places: Path, pid: str = "7") -> Trace:
    """A trace file in each of `places`, all of processes with one pid."""
    rows: list[TraceRow] = [RangeRow("aten::mm", 0, 9, pid=pid), LaunchRow("sgemm", 1, 5, pid=pid)]
    raws = [raw_trace(rows, source=str(place / "trace.json.gz")) for place in places]
    return assemble_trace(*raws)


def test_a_record_is_that_of_its_process(tmp_path: Path) -> None:
    """The captures that succeeded, with the ids of nodes as the driver told them."""
    path = put(tmp_path / "cuda_graphs.json")
    result = with_captures(trace(tmp_path), [path])

    assert is_captures(path)
    assert result.notices == ()
    assert result.captured == (
        CapturedGraph(
            process=0,
            source=str(path),
            runs=(
                CapturedRun(
                    digest="3f2ab4c5d6e7f801",
                    name="0_forward",
                    calls=(
                        CapturedCall(index=0, wrapper="triton_a", handle=1, nodes=(51539607552,)),
                        CapturedCall(index=1, wrapper="extern_kernels.mm"),
                    ),
                ),
            ),
        ),
    )
    assert result.captured[0].has_node_ids


def test_of_equal_pids_the_one_beside_it_counts(tmp_path: Path) -> None:
    """Ranks in containers of their own may share a pid; their folders tell them apart."""
    ranks = [tmp_path / "rank_0", tmp_path / "rank_1"]
    paths = [put(rank / "cuda_graphs.json") for rank in ranks]
    result = with_captures(trace(*ranks), paths)
    loose = with_captures(trace(*ranks), [put(tmp_path / "cuda_graphs.json")])

    sources = [
        result.sources[result.processes[capture.process].trace] for capture in result.captured
    ]
    assert sources == [str(rank / "trace.json.gz") for rank in ranks]
    assert loose.captured == ()
    assert "2 processes of the traces have its pid" in loose.notices[0].message


def test_a_record_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    """A bundle, its own file and a link to that file hold the same captures."""
    path = put(tmp_path / "cuda_graphs.json")
    link = tmp_path / "link.json"
    link.symlink_to(path)
    result = with_captures(trace(tmp_path), [path, link, path])

    assert result.captured == with_captures(trace(tmp_path), [path]).captured
    assert len(result.captured) == 1


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"pid": 8}, "0 processes of the traces have its pid, 8"),
        ({"version": 2}, "version 2, known is 1"),
        ({"captures": [{"complete": True}]}, "it cannot be read"),
        ({"captures": [{"complete": True, "runs": [{"digest": 1}]}]}, "it cannot be read"),
    ],
)
def test_what_cannot_be_used_is_a_gap(
    tmp_path: Path, changed: dict[str, object], says: str
) -> None:
    """The trace is used without the record."""
    result = with_captures(trace(tmp_path), [put(tmp_path / "cuda_graphs.json", **changed)])

    (notice,) = result.notices
    assert result.captured == ()
    assert (notice.slug, notice.gap) == ("cuda-graphs-unusable", True)
    assert says in notice.message


def test_a_record_that_is_gone_is_a_gap(tmp_path: Path) -> None:
    """Deleted between the first look and the reading."""
    result = with_captures(trace(tmp_path), [tmp_path / "gone.json"])

    assert [notice.slug for notice in result.notices] == ["cuda-graphs-unusable"]


@pytest.mark.parametrize("text", ["", "{", '{"format": "kernelmap.correlation"}', "[1]"])
def test_nothing_else_is_taken_for_one(tmp_path: Path, text: str) -> None:
    """By content, never by name."""
    path = tmp_path / "cuda_graphs.json"
    path.write_text(text)

    assert not is_captures(path)
    assert not is_captures(tmp_path)
