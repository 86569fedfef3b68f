"""A training loop that torch's profiler recorded with stacks: eager time is where the code says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import kernelmap
from kernelmap.correlation import Correlation

pytestmark = [pytest.mark.torch, pytest.mark.thorough]

PROGRAM = """
import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

torch.manual_seed(0)
weight = torch.nn.Parameter(torch.randn(64, 128))
bias = torch.nn.Parameter(torch.randn(64))
optimizer = torch.optim.SGD([weight, bias], lr=0.1)


@torch.compile
def body(x):
    return torch.relu(x + bias) * 2


def head(x):
    with record_function("in head"):
        return torch.log_softmax(x @ weight, -1)


def clip():
    with record_function("in clip"):
        torch.nn.utils.clip_grad_norm_([weight, bias], 1.0)


def train_step(x):
    loss = head(body(x)).square().mean()
    loss.backward()
    clip()
    optimizer.step()
    optimizer.zero_grad()


train_step(torch.randn(32, 64))
with profile(
    activities=[ProfilerActivity.CPU],
    with_stack=True,
    schedule=schedule(wait=0, warmup=1, active=2, repeat=1),
    on_trace_ready=lambda done: done.export_chrome_trace("trace.json"),
) as profiler:
    for _ in range(3):
        train_step(torch.randn(32, 64))
        with record_function("in <module>"):
            torch.zeros(9).cos()
        profiler.step()
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Correlation, Path]:
    folder = tmp_path_factory.mktemp("eager")
    (folder / "net").mkdir()
    program = folder / "net" / "train.py"
    program.write_text(PROGRAM)
    done = subprocess.run(  # noqa: S603 -- our own code
        [sys.executable, str(program)],
        cwd=folder,
        env={
            **os.environ,
            "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache"),
            "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE": "1",
            "INDUCTOR_PROVENANCE": "1",
            "TORCH_TRACE": str(folder / "log"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return kernelmap.correlate(folder / "log", folder / "trace.json"), program


@pytest.fixture(scope="module")
def lines(recorded: tuple[Correlation, Path]) -> pd.DataFrame:
    return recorded[0].lines


def test_a_statement_is_claimed_for_compiled_code_alone(lines: pd.DataFrame) -> None:
    """Eager time is that of functions; the line is the one that was compiled."""
    statements = lines[lines["line"].notna()]

    assert set(statements["code"]) == {"return torch.relu(x + bias) * 2"}
    assert {"in head", "in clip", "in train_step", "in <module>"} <= set(lines["code"].dropna())


def test_a_functions_line_is_where_it_begins(
    recorded: tuple[Correlation, Path], lines: pd.DataFrame
) -> None:
    """Of the script's own frame, which was open when recording began, no line is said."""
    texts = recorded[1].read_text().splitlines()
    begins = dict(zip(lines["code"], lines["function_line"], strict=True))

    for function in ("head", "clip", "train_step"):
        assert texts[begins[f"in {function}"] - 1] == next(
            text for text in texts if text.startswith(f"def {function}(")
        )
    assert pd.isna(begins["in <module>"])


def test_the_file_has_one_name(recorded: tuple[Correlation, Path], lines: pd.DataFrame) -> None:
    """What the profiler calls train.py is the file whose whole path the compiler writes."""
    assert set(lines["file"]) - {"(no source line known)"} == {str(recorded[1])}


def test_backward_stands_at_its_forward(lines: pd.DataFrame) -> None:
    """The head's gradients are the head's time, clipping has none, and no row is a backward()."""
    backward = dict(zip(lines["code"], lines["backward_ns"], strict=True))

    assert backward["in head"] > 0
    assert backward["in clip"] == backward["in <module>"] == 0


def test_each_operator_is_in_the_function_around_it(recorded: tuple[Correlation, Path]) -> None:
    """The program says with ranges of its own what runs in which function."""
    correlation, _ = recorded
    trace, known = correlation.trace, correlation.attribution.launch_places
    checked = 0
    for row, at in enumerate(trace.launches.range.tolist()):
        while at >= 0 and not trace.ranges.name_of(at).startswith("in "):
            at = int(trace.ranges.parent[at])  # noqa: PLW2901 -- outward
        if at >= 0:
            checked += 1
            assert known.places[known.code[row]].code == trace.ranges.name_of(at)
    assert checked > 20


def test_a_launch_of_the_backward_has_its_forwards_function(
    recorded: tuple[Correlation, Path],
) -> None:
    """Read off the file once more: the operator of that number, and the frame around it."""
    correlation, _ = recorded
    events = json.loads(Path(correlation.trace.sources[0]).read_text())["traceEvents"]
    heads = [e for e in events if str(e.get("name")).endswith("): head")]
    numbers = {
        e["args"]["Sequence number"]
        for e in events
        if "Sequence number" in e.get("args", {}) and e["args"].get("Fwd thread id") == 0
        if any(f["ts"] <= e["ts"] < f["ts"] + f["dur"] for f in heads)
    }
    steps = [
        e
        for e in events
        if "evaluate_function" in str(e.get("name")) and e["args"].get("Sequence number") in numbers
    ]
    spans = [(e["ts"], e["ts"] + e["dur"]) for e in steps]
    inside = [
        e
        for e in events
        if e.get("cat") == "cpu_op"
        and any(s <= e["ts"] and e["ts"] + e["dur"] <= t for s, t in spans)
    ]
    known, launches = correlation.attribution.launch_places, correlation.trace.launches
    found = {
        known.places[code].code for code in known.code[known.is_backward].tolist() if code >= 0
    }
    in_head = sum(
        known.code[row] >= 0 and known.places[known.code[row]].code == "in head"
        for row in range(len(launches))
        if known.is_backward[row]
    )

    assert "in head" in found
    assert in_head == len(inside)
