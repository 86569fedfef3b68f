"""NVTX marks: pushed and popped in pairs, and seen to arrive under a real nsys."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from capture.loaded_code import kernels, load
from kernelmap.capture.instrument import Instrumentation
from kernelmap.capture.nvtx import NvtxMarks, main, unheard
from kernelmap.compiler import load_compiled
from kernelmap.model.marks import MarkedCall, MarkedGraph, decode_mark

ROOT = Path(__file__).resolve().parents[2]
CODE = f"""# AOT ID: ['0_forward']
{kernels("triton_a")}
def call(args):
    # [Provenance debug handles] triton_a:3
    triton_a.run(stream=0)
    aten.mm()
"""
TRAINING = """
import sys
sys.path.insert(0, sys.argv[1])
import torch
from train_block import Training

torch.set_num_threads(1)
training = Training(7)
for _ in range(2):
    training.step()
sys.exit(5)
"""


class Written:
    """A domain that writes down what is pushed, and `.` for each pop."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.strings = 0

    def prepared(self, text: str) -> object:
        self.strings += 1
        return text

    def push(self, prepared: object) -> None:
        self.events.append(str(prepared))

    def pop(self) -> None:
        self.events.append(".")


def test_ranges_stand_around_graph_and_calls(tmp_path: Path) -> None:
    """Each range says which graph and call it is, as the compile side numbers them."""
    written = Written()
    module = load(tmp_path, CODE, [])
    instrumentation = Instrumentation(NvtxMarks(written))
    instrumentation.add(module)
    instrumentation.on()
    module.call([])

    (graph,) = load_compiled(Path(str(module.__file__))).graphs
    digest = str(graph.digest)
    assert [decode_mark(event) for event in written.events] == [
        MarkedGraph(digest=digest, name="0_forward", compile_id=None),
        MarkedCall(digest=digest, index=0, wrapper="triton_a", handle=3),
        None,
        MarkedCall(digest=digest, index=1, wrapper="aten.mm", handle=None),
        None,
        None,
    ]


def test_texts_are_prepared_once(tmp_path: Path) -> None:
    """However often a graph runs, its strings are registered once."""
    written = Written()
    module = load(tmp_path, CODE, [])
    instrumentation = Instrumentation(NvtxMarks(written))
    instrumentation.add(module)
    instrumentation.on()
    for _ in range(3):
        module.call([])

    assert written.strings == 3


def test_marks_that_nobody_records_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a tool there is a notice that names the command; with one there is none."""
    monkeypatch.delenv("NVTX_INJECTION64_PATH", raising=False)
    alone = unheard()
    monkeypatch.setenv("NVTX_INJECTION64_PATH", "libToolsInjection64.so")

    assert alone is not None
    assert "nsys profile" in str(alone.hint)
    assert unheard() is None


@pytest.mark.parametrize("arguments", [[], ["-m"], ["-c"]])
def test_no_program_shows_the_usage(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """`python -m kernelmap.capture.nvtx` alone says how to call it."""
    assert main(arguments) == 2
    assert "usage:" in capsys.readouterr().err


def test_a_program_loads_its_own_libraries_first(tmp_path: Path) -> None:
    """Before the program does so nothing loads numpy or torch, whose settings it may still make."""
    pytest.importorskip("nvtx", reason="nvtx is not installed")
    (tmp_path / "program.py").write_text(
        "import sys\nprint(*{'numpy', 'torch', 'nvtx'} & {*sys.modules}, sys.argv)\n1 / 0\n"
    )
    command = [sys.executable, "-m", "kernelmap.capture.nvtx", "program.py", "--lr"]
    done = subprocess.run(  # noqa: S603 -- our own code
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout == "['program.py', '--lr']\n"
    assert done.returncode == 1
    assert "kernelmap/capture" not in done.stderr
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.torch
@pytest.mark.nsys
def test_marks_arrive_under_nsys(tmp_path: Path) -> None:
    """A compiled step on the CPU: nsys has a range per graph and call, all of which name code."""
    script = tmp_path / "train.py"
    script.write_text(TRAINING)
    report = tmp_path / "report"
    command = ["nsys", "profile", "-t", "nvtx", "-s", "none", "--cpuctxsw=none"]
    command += ["-o", str(report), "--export=sqlite", sys.executable]
    command += ["-m", "kernelmap.capture.nvtx", str(script), str(ROOT / "scripts" / "examples")]
    cache = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache"), "INDUCTOR_PROVENANCE": "1"}
    path = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "TMPDIR")}
    done = subprocess.run(  # noqa: S603 -- the nsys on PATH, on a program of this file
        command, env={**path, **cache, "PYTHONPATH": str(ROOT)}, capture_output=True, check=False
    )
    with sqlite3.connect(f"{report}.sqlite") as file:
        rows = file.execute(
            "select n.text, s.value from NVTX_EVENTS n left join StringIds s on s.id = n.textId "
            "where n.eventType = 59 order by n.start"
        ).fetchall()
    marks = [decode_mark(text or value) for text, value in rows]

    graphs = {graph.digest: graph for graph in load_compiled(tmp_path / "cache").graphs}
    kinds = [mark.name for mark in marks if isinstance(mark, MarkedGraph)]
    assert kinds == ["0_forward", "0_backward"] * 2
    calls = [mark for mark in marks if isinstance(mark, MarkedCall)]
    for mark in calls:
        call = graphs[mark.digest].calls[mark.index]
        assert (mark.wrapper, mark.handle) == (call.wrapper, call.handle)
        assert mark.handle is not None
    assert len(calls) == 2 * sum(len(graph.calls) for graph in graphs.values())
    assert done.returncode == 5
