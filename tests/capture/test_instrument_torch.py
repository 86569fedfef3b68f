"""Instrumentation of what torch itself compiles, loads from its cache, and cannot give us."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from children import TESTS, UNCOLLECTED

SCRIPT = """
import json, sys
from kernelmap.capture.instrument import instrumented
from capture.loaded_code import Heard

heard = Heard()
records = []

def tell(instrumentation):
    calls = {graph.name: [call.wrapper for call in graph.calls] for graph in instrumentation.graphs}
    ids = [graph.compile_id for graph in instrumentation.graphs]
    slugs = [notice.slug for notice in instrumentation.notices]
    records.append({"heard": heard.events[:], "calls": calls, "ids": ids, "slugs": slugs})
    heard.events.clear()

with instrumented(heard) as instrumentation:
    import torch  # after the hooks: a program may set variables before it imports torch

    def branched(x):
        first = lambda x: x.sin() + x.cos().sum()
        second = lambda x: x @ x
        x = torch.cond(x.sum() > 0, first, second, (x,))
        return torch.cond(x.sum() > 0, first, second, (x,))

    compiled = torch.compile(branched)
    compiled(torch.ones(4, 4))
    tell(instrumentation)
compiled(torch.ones(4, 4))
with instrumented(heard) as instrumentation:
    compiled(-torch.ones(4, 4))
    tell(instrumentation)
if sys.argv[1:] == ["cpp"]:
    torch._dynamo.reset()
    torch._inductor.config.cpp_wrapper = True
    with instrumented(heard) as instrumentation:
        torch.compile(lambda x: (x + 1).sum())(torch.ones(4))
        tell(instrumentation)
print(json.dumps(records))
"""
Records = list[dict[str, Any]]


def heard_in(cache: Path, *arguments: str) -> Records:
    """What a process hears, with `cache` for compiled code."""
    names = ("PATH", "HOME", "TMPDIR", "CC", "CXX", "TORCHINDUCTOR_VEC_ISA_OK")
    kept = {name: value for name, value in os.environ.items() if name in names}
    done = subprocess.run(  # noqa: S603 -- Python on the program above
        [sys.executable, "-c", SCRIPT, *arguments],
        env={
            **kept,
            "PYTHONPATH": os.pathsep.join([UNCOLLECTED["PYTHONPATH"], str(TESTS)]),
            "TORCHINDUCTOR_CACHE_DIR": str(cache),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    records: Records = json.loads(done.stdout)
    return records


def indexes(events: list[str]) -> list[int]:
    return [int(event) for event in events if event.isdecimal()]


@pytest.mark.thorough
@pytest.mark.torch
def test_what_torch_runs_is_heard(tmp_path: Path) -> None:
    """Branches, graphs that were loaded before, cached graphs are heard; C++ wrappers are said."""
    first, second, cpp = heard_in(tmp_path, "cpp")
    cached, _ = heard_in(tmp_path)

    wrappers = first["calls"]["0_inference"]
    half = len(wrappers) // 2
    assert wrappers[:half] == wrappers[half:]  # one branch function, called twice
    ones, minus = indexes(first["heard"]), indexes(second["heard"])
    product = wrappers.index("extern_kernels.mm")
    assert {product, product + half}.isdisjoint(ones)
    assert product in minus
    assert product + half not in minus  # (-1)(-1) summed is positive
    assert first["ids"] == ["0/0"]
    assert second["calls"] == first["calls"]
    assert cached == first
    assert first["slugs"] == []
    assert (cpp["heard"], cpp["slugs"]) == ([], ["graph-not-instrumented"])
