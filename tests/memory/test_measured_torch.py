"""Programs on the CPU, recorded with memory events: what their code says is what was measured.

Where they differ, a row says why: what no statement of the code asks for (a library's workspace,
what a sort needs), or what the wrapper alone held and so freed (a gradient that autograd's runtime
made contiguous).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import kernelmap
from kernelmap import profiling
from kernelmap.tables.rows import Row

pytestmark = [
    pytest.mark.torch,
    pytest.mark.thorough,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # torch's own, as it loads itself
]

Step = Callable[[], object]
torch: Any
"""Loaded when the first of these tests runs: whoever collects or leaves them out does without."""


@pytest.fixture(scope="module", autouse=True)
def _load_torch() -> None:
    global torch  # noqa: PLW0603 -- helpers use it, too
    torch = import_module("torch")


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No rank is known, no handler has written anything, and nothing was compiled."""
    monkeypatch.delenv("RANK", raising=False)
    monkeypatch.setattr(profiling, "_taken", set())
    torch.compiler.reset()


def runs_of_graphs(program: Callable[[], Step], folder: Path) -> list[Row]:
    """The rows of the runs of graphs in a window of two steps."""
    from torch._inductor import config

    with config.patch({"cpp.enable_kernel_profile": True}):
        step = program()
        for _ in range(2):
            step()
        with torch.profiler.profile(
            profile_memory=True, on_trace_ready=kernelmap.trace_handler(folder)
        ):
            for _ in range(2):
                step()
    return [
        row for row in kernelmap.memory_of(folder).in_use.rows["measured"] if row["kind"] == "graph"
    ]


def _products() -> Step:
    x, w = torch.randn(64, 128), torch.randn(128, 128)
    run = torch.compile(lambda a, b: ((a @ b).relu() @ b).relu() @ b)
    return lambda: run(x, w)


def _classifier() -> Step:
    layer = torch.nn.Linear(128, 1000)
    x, y = torch.randn(32, 128), torch.randint(0, 1000, (32,))
    run = torch.compile(lambda a, b: torch.nn.functional.cross_entropy(layer(a), b))

    def step() -> None:
        layer.zero_grad(set_to_none=True)
        run(x, y).backward()

    return step


def _with_a_break() -> Step:
    def program(a: Any, b: Any) -> Any:  # noqa: ANN401 -- tensors of a module that is loaded later
        first = a @ b
        torch._dynamo.graph_break()  # noqa: SLF001 -- as programs do it
        return (first.relu() @ b.t()).sum()

    x, w = torch.randn(64, 256), torch.randn(256, 512)
    run = torch.compile(program)
    return lambda: run(x, w)


@pytest.mark.parametrize("program", [_products, _classifier, _with_a_break])
def test_the_peak_of_the_code_is_the_measured_one(
    program: Callable[[], Step], tmp_path: Path
) -> None:
    """To the byte; nothing else is handed out in a run.

    Of a backward to 1 KB: whether autograd holds a gradient that it hands over, no code says, and
    here that gradient is the four bytes of a loss.
    """
    rows = runs_of_graphs(program, tmp_path / "bundle")

    assert len(rows) >= 2
    for row in rows:
        growth = int(str(row["peak_bytes"])) - int(str(row["start_bytes"]))
        beyond = abs(growth - int(str(row["code_growth_bytes"])))
        assert beyond <= (1024 if str(row["graph"]).endswith("_backward") else 0)
        assert row["beside_bytes"] == row["unread_bytes"] == row["eager_bytes"] == 0


def test_what_a_sort_needs_beside_its_results_is_not_in_the_code(tmp_path: Path) -> None:
    """The difference of the two peaks is that row, or less where both peaks are elsewhere."""

    def program() -> Step:
        x = torch.randn(64, 256)
        run = torch.compile(lambda a: a.sort(-1)[0].cumsum(-1))
        return lambda: run(x)

    rows = runs_of_graphs(program, tmp_path / "bundle")

    for row in rows:
        growth = int(str(row["peak_bytes"])) - int(str(row["start_bytes"]))
        beside = int(str(row["beside_bytes"]))
        assert 0 < growth - int(str(row["code_growth_bytes"])) <= beside
