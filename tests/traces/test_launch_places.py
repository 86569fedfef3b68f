"""Launches without a call have the function of the Python frame that they came from."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kernelmap
from kernelmap.native import SWITCH
from kernelmap.traces import launch_places, load_trace
from kernelmap.traces.kineto.frame_names import is_library

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


def places(path: Path, files: Collection[str] = ()) -> list[str | None]:
    """Where every launch of a profile came from."""
    trace = load_trace(path)
    found = launch_places(trace, np.ones(len(trace.launches), dtype=bool), files)
    return [found.places[code].name if code >= 0 else None for code in found.code.tolist()]


def begun(line: int) -> list[Event]:
    """How a recording begins in line `line` of a script: what was open, with its lines of then."""
    return [
        frame(f"train.py({line}): <module>", 0, 1_000_000),
        frame("torch/profiler/profiler.py(1227): step", 1, 8),
        frame("torch/autograd/profiler.py(414): _start_trace", 2, 6),
    ]


NESTED = [
    *begun(3),
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

    module = "in <module> (train.py)"
    expected = ["in forward (model.py:12)", module, module, None]
    assert places(written(tmp_path, events, layout)) == expected
    assert places(written(tmp_path, events, layout, **base)) == expected


def test_a_script_is_the_users_whatever_it_is_called(tmp_path: Path) -> None:
    """A file named like a module of Python's own counts where it ran as a script."""
    events = [
        frame("profile.py(3): <module>", 0, 100),
        frame("helper.py(7): f", 1, 2),
        frame("profile.py(9): step", 10, 90),
        frame("types.py(1): f", 20, 80),
        *launch(30, 1),
    ]

    assert places(written(tmp_path, events)) == ["in step (profile.py:9)"]


def test_blocks_do_not_matter(tmp_path: Path) -> None:
    """Frames at the edges of what is read at a time are frames like others."""
    spans = range(200, 800_000, 200)
    events = [frame("model.py(1): forward", 0, 100)]
    events += [frame(f"model.py({at + 1}): forward", at, at + 100) for at in spans]
    for at in spans:
        events += launch(at + 50, at + 1)

    path = written(tmp_path, events)
    assert path.stat().st_size > 2 * (1 << 20)
    assert places(path) == [f"in forward (model.py:{at + 1})" for at in spans]


def test_what_needs_no_frame_reads_none(tmp_path: Path) -> None:
    """A file without frames, or one whose launches all have a call, is read once."""
    without = [event for event in NESTED if event["cat"] != "python_function"]
    path = written(tmp_path, without)
    trace = load_trace(path)
    path.unlink()
    everything = np.ones(len(trace.launches), dtype=bool)

    assert (launch_places(trace, everything).code == -1).all()
    path = written(tmp_path, NESTED)
    trace = load_trace(path)
    path.unlink()
    assert (launch_places(trace, ~everything).code == -1).all()


def test_a_file_is_looked_at_again_but_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the scanner, too: the second question is answered by the first look."""
    monkeypatch.setenv(SWITCH, "1")
    path = written(tmp_path, NESTED)
    trace = load_trace(path)
    everything = np.ones(len(trace.launches), dtype=bool)
    first = launch_places(trace, everything)
    path.unlink()

    assert (first.code >= 0).any()
    assert (launch_places(trace, everything).code == first.code).all()


def test_time_is_kept_function_by_function(tmp_path: Path) -> None:
    """Functions of eager launches and what has none add up to the window; launches name theirs."""
    correlation = kernelmap.correlate(written(tmp_path, NESTED))
    table = correlation.lines.set_index("file")
    rows = table.astype(object).where(table.notna(), None)

    assert rows["time_ns"].to_dict() == {
        "model.py": 1000,
        "train.py": 2000,
        "(unknown)": 1000,
    }
    assert rows["line"].tolist() == [None] * 3
    assert rows["code"].to_dict() == {
        "model.py": "in forward",
        "train.py": "in <module>",
        "(unknown)": None,
    }
    assert rows["function_line"].to_dict() == {"model.py": 12, "train.py": None, "(unknown)": None}
    source = correlation.tables.frame("launches")["source"].tolist()
    assert source[:2] == ["in forward (model.py:12)", "in <module> (train.py)"]
    assert any("in forward (model.py:12)" in line for line in correlation.explain("0").evidence)


def of_file(path: Path) -> Counter[tuple[str, str]]:
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
    sums: Counter[tuple[str, str]] = Counter()
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
                sums[name, f"in {rest.partition('): ')[2]}"] += round(event["dur"] * 1000)
    return sums


@pytest.mark.sampled
@pytest.mark.corpus
@pytest.mark.parametrize(
    "name",
    ["h100_bert_small_eager", "mi300x_vllm_decode_full.replay", "mi300x_vllm_decode_full.capture"],
)
def test_real_functions_are_those_of_the_file(corpus: Path, name: str) -> None:
    """Where all time is eager or unknown, functions have the time that the file's events give."""
    path = corpus / "kineto" / f"{name}.json.gz"
    correlation = kernelmap.correlate(path)
    table = correlation.lines

    assert table["line"].isna().all()
    assert table.groupby(["file", "code"])["time_ns"].sum().to_dict() == of_file(path)
    assert of_file(path).total() == correlation.attribution.total_ns


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
