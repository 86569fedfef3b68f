"""A run of the real compiler: every way to keep its code gives the same graphs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from children import UNCOLLECTED
from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledGraph

SCRIPT = """
import torch
def f(x):
    return torch.relu(x.sin() + 1) @ x
x = torch.randn(8, 8, requires_grad=True)
torch.compile(f)(x).sum().backward()
print("done")
"""


@pytest.mark.thorough
@pytest.mark.torch
def test_text_log_cache_and_debug_folder_agree(tmp_path: Path) -> None:
    """Printed text, log, cache and torch_compile_debug hold the same calls and lines."""
    (tmp_path / "f.py").write_text(SCRIPT, encoding="utf-8")
    settings = {
        "TORCH_LOGS": "output_code,kernel_code,post_grad_graphs,recompiles",
        "TORCH_TRACE": str(tmp_path / "trace"),
        "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache"),
        "TORCH_COMPILE_DEBUG": "1",
        "INDUCTOR_PROVENANCE": "1",
    }
    done = subprocess.run(
        [sys.executable, "f.py"],
        env=os.environ | UNCOLLECTED | settings,
        cwd=tmp_path,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    (tmp_path / "printed.txt").write_bytes(done.stdout)
    carriers = ("printed.txt", "trace", "cache", "torch_compile_debug")
    programs = {name: load_compiled(tmp_path / name) for name in carriers}
    text, log, cache, folder = (program.graphs for program in programs.values())

    assert [graph.kind for graph in log] == ["forward", "backward"]
    assert all(program.notices == () for program in programs.values())
    for carried in (text, cache, folder):
        assert list(map(statements, carried)) == list(map(statements, log))
    assert [graph.compile_id for graph in text] == [graph.compile_id for graph in log]
    assert [graph.cache_key for graph in cache] == [graph.cache_key for graph in log]
    for cached, logged in zip(cache, log, strict=True):
        assert [call.lines for call in cached.calls] == [call.lines for call in logged.calls]
        # Without Dynamo's graph fewer names tell of which graph they are.
        pairs = zip(cached.calls, logged.calls, strict=True)
        assert all(of_cache.nodes in (None, of_log.nodes) for of_cache, of_log in pairs)
    assert all(call.nodes for call in cache[0].calls)


def statements(graph: CompiledGraph) -> list[tuple[str, int | None, int | None]]:
    """What the code says of each call."""
    return [(call.wrapper, call.line, call.handle) for call in graph.calls]
