"""Launches without a call have the source line of the Python frame that they came from."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kernelmap
from kernelmap.native import SWITCH
from kernelmap.traces import launch_lines, load_trace
from kernelmap.traces.frame_names import is_library

Event = dict[str, Any]
LAYOUTS = {
    "lines": json.JSONEncoder(indent=2, separators=(", ", ": ")),
    "compact": json.JSONEncoder(separators=(",", ":")),
    "spaced": json.JSONEncoder(),
}


def frame(name: str, begin: int, end: int, tid: int = 1) -> Event:
    """A Python frame, as torch's profiler writes it."""
    args = {"Python id": begin}
    return host(name, begin, end, tid, cat="python_function", args=args)


def host(
    name: str, begin: int, end: int, tid: int = 1, *, cat: str = "cpu_op", args: Event | None = None
) -> Event:
    times = {"ts": begin, "dur": end - begin}
    return {"ph": "X", "cat": cat, "name": name, "pid": 7, "tid": tid, **times, "args": args or {}}


def launch(at: int, number: int, tid: int = 1) -> list[Event]:
    """An api call and its kernel."""
    link = {"correlation": number, "device": 0, "stream": 7}
    return [
        host("cudaLaunchKernel", at, at + 1, tid, cat="cuda_runtime", args=link),
        {**host("k", at + 5, at + 6, cat="kernel", args=link), "pid": 0, "tid": 7},
    ]


def written(folder: Path, events: list[Event], layout: str = "lines", **around: int) -> Path:
    path = folder / "profile.json"
    document = {"schemaVersion": 1, "traceEvents": events, **around}
    path.write_text(LAYOUTS[layout].encode(document))
    return path


def lines(path: Path) -> list[str | None]:
    """The line of every launch of a profile."""
    trace = load_trace(path)
    located = launch_lines(trace, np.ones(len(trace.launches), dtype=bool))
    spelled = [f"{line.file}:{line.line} {line.code}" for line in located.lines]
    return [spelled[code] if code >= 0 else None for code in located.code.tolist()]


NESTED = [
    frame("train.py(3): <module>", 0, 100),
    frame("model.py(12): forward", 10, 60),
    frame("nn.Module: Linear_0", 12, 50),
    frame("torch/nn/modules/linear.py(130): forward", 14, 48),
    frame("<built-in function linear>", 16, 46),
    frame("contextlib.py(81): inner", 18, 44),
    host("aten::linear", 20, 40),
    *launch(30, 1),
    host("aten::add", 70, 80),
    *launch(75, 2),
    *launch(130, 3),
    *launch(32, 4, tid=2),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("frames_last", [False, True])
def test_the_innermost_function_of_the_users_code_counts(
    tmp_path: Path, layout: str, frames_last: bool
) -> None:
    """Not torch's, Python's own or built-in functions; nor what ran elsewhere or later."""
    events = sorted(NESTED, key=lambda e: e["cat"] == "python_function") if frames_last else NESTED
    base = {"baseTimeNanoseconds": 1_700_000_000_000_000_000}

    expected = ["model.py:12 in forward", "train.py:3 in <module>", None, None]
    assert lines(written(tmp_path, events, layout)) == expected
    assert lines(written(tmp_path, events, layout, **base)) == expected


def test_a_script_is_the_users_whatever_it_is_called(tmp_path: Path) -> None:
    """A file named like a module of Python's own counts where it ran as a script."""
    events = [
        frame("profile.py(3): <module>", 0, 100),
        frame("profile.py(9): step", 10, 90),
        frame("types.py(1): f", 20, 80),
        *launch(30, 1),
    ]

    assert lines(written(tmp_path, events)) == ["profile.py:9 in step"]


def test_blocks_do_not_matter(tmp_path: Path) -> None:
    """Frames at the edges of what is read at a time are frames like others."""
    spans = range(0, 800_000, 200)
    events = [frame(f"model.py({at + 1}): forward", at, at + 100) for at in spans]
    for at in range(0, 800_000, 200):
        events += launch(at + 50, at + 1)

    path = written(tmp_path, events)
    assert path.stat().st_size > 2 * (1 << 20)
    assert lines(path) == [f"model.py:{at + 1} in forward" for at in range(0, 800_000, 200)]


def test_what_needs_no_frame_reads_none(tmp_path: Path) -> None:
    """A file without frames, or one whose launches all have a call, is read once."""
    without = [event for event in NESTED if event["cat"] != "python_function"]
    path = written(tmp_path, without)
    trace = load_trace(path)
    path.unlink()
    everything = np.ones(len(trace.launches), dtype=bool)

    assert (launch_lines(trace, everything).code == -1).all()
    path = written(tmp_path, NESTED)
    trace = load_trace(path)
    path.unlink()
    assert (launch_lines(trace, ~everything).code == -1).all()


def test_a_file_is_looked_at_again_but_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the scanner, too: the second question is answered by the first look."""
    monkeypatch.setenv(SWITCH, "1")
    path = written(tmp_path, NESTED)
    trace = load_trace(path)
    everything = np.ones(len(trace.launches), dtype=bool)
    first = launch_lines(trace, everything)
    path.unlink()

    assert (first.code >= 0).any()
    assert (launch_lines(trace, everything).code == first.code).all()


def test_time_is_kept_line_by_line(tmp_path: Path) -> None:
    """Lines of eager launches and what has none add up to the window; launches name theirs."""
    correlation = kernelmap.correlate(written(tmp_path, NESTED))
    table = correlation.lines.set_index("file")["time_ns"].to_dict()

    assert table == {
        "model.py": 1000,
        "train.py": 1000,
        "(outside compiled code)": 1000,
        "(unknown)": 1000,
    }
    source = correlation.tables.frame("launches")["source"].tolist()
    assert source[:2] == ["model.py:12", "train.py:3"]
    assert any("model.py:12" in line for line in correlation.explain("0").evidence)


def of_file(path: Path) -> Counter[tuple[str, int]]:
    """GPU time by innermost function of the user's code, event by event, in a few lines."""
    with gzip.open(path) as file:
        events = [e for e in json.load(file)["traceEvents"] if e.get("ph") == "X"]
    frames = [e for e in events if e["cat"] == "python_function" and "): " in e["name"]]
    frames = [e for e in frames if not is_library(e["name"].partition("(")[0])]
    frames = [e for e in frames if e["name"][0] != "<"]
    apis = {
        e["args"]["correlation"]: e
        for e in events
        if e["cat"] in {"cuda_runtime", "cuda_driver"} and "correlation" in e["args"]
    }
    sums: Counter[tuple[str, int]] = Counter()
    inner: dict[int, Event | None] = {}
    for event in events:
        if event["cat"] in {"kernel", "gpu_memcpy", "gpu_memset"}:
            number = event["args"]["correlation"]
            api = apis[number]
            if number not in inner:
                open_ = [
                    e
                    for e in frames
                    if e["tid"] == api["tid"] and e["ts"] <= api["ts"] < e["ts"] + e["dur"]
                ]
                inner[number] = max(open_, key=lambda e: e["ts"], default=None)
            innermost = inner[number]
            if innermost is not None:
                name, _, rest = innermost["name"].partition("(")
                sums[name, int(rest.partition(")")[0])] += round(event["dur"] * 1000)
    return sums


@pytest.mark.sampled
@pytest.mark.corpus
@pytest.mark.parametrize(
    "name",
    ["h100_bert_small_eager", "mi300x_vllm_decode_full.replay", "mi300x_vllm_decode_full.capture"],
)
def test_real_lines_are_those_of_the_file(corpus: Path, name: str) -> None:
    """Where all time is eager or unknown, lines have the time that the file's events give."""
    path = corpus / "kineto" / f"{name}.json.gz"
    correlation = kernelmap.correlate(path)
    table = correlation.lines[correlation.lines["line"].notna()]

    places = zip(table["file"], table["line"].astype(int), strict=True)
    counted = of_file(path)
    assert dict(zip(places, table["time_ns"], strict=True)) == counted
    assert counted.total() == correlation.attribution.total_ns


@pytest.mark.corpus
def test_unknown_launches_keep_their_operator(corpus: Path) -> None:
    """Launches in a region whose code is missing name the operator around them, as unknown."""
    correlation = kernelmap.correlate(corpus / "kineto" / "v100_cudagraphs.json.gz")
    launches = correlation.tables.frame("launches")
    unknown = launches[launches["confidence"] == "unknown"]
    ops = correlation.ops[
        (correlation.ops["origin"] == "none") & ~correlation.ops["name"].str.startswith("(")
    ]

    assert set(unknown["op"].dropna()) == set(ops["name"])
    by_op = unknown.groupby("op")["dur_ns"].sum().to_dict()
    assert dict(zip(ops["name"], ops["time_ns"], strict=True)) == by_op
    assert len(ops) > 0
