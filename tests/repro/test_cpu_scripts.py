"""Scripts of C++ kernels and of library calls run on a CPU, and their results are right."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from kernelmap.repro.answer import make_script, read_source

RUNNER = """
import contextlib, importlib.util, io, json, sys

told = {}
for path in sys.argv[1:]:
    spec = importlib.util.spec_from_file_location("case", path)
    module = importlib.util.module_from_spec(spec)
    out, code = io.StringIO(), None
    with contextlib.redirect_stdout(out):
        spec.loader.exec_module(module)
        module.measure = lambda function, config: function()
        try:
            module.main()
        except SystemExit as error:
            code = error.code
    told[path] = [code, out.getvalue()]
print(json.dumps(told))
"""

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no torch")


def run_all(scripts: dict[str, str], folder: Path) -> dict[str, tuple[int, str]]:
    """The exit code and the output of each script, of one process: torch starts once."""
    paths = []
    for name, text in scripts.items():
        path = folder / f"{name.replace('/', '_')}.py"
        path.write_text(text, encoding="utf-8")
        paths.append(str(path))
    done = subprocess.run(  # noqa: S603 -- our own code, in an interpreter of its own
        [sys.executable, "-c", RUNNER, *paths], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    return {name: tuple(told[path]) for name, path in zip(scripts, paths, strict=True)}


@needs_torch
@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "sample", ["cpu_graph_breaks", "cpu_mlp_train", "cpu_dynamic_recompile", "cpu_block"]
)
def test_each_call_of_a_cpu_runs_and_is_right(sample: str, samples: Path, tmp_path: Path) -> None:
    """Every kernel and library call of the recording: what has a check passes it."""
    source = read_source(samples / sample)
    made = {
        call: make_script(source, (call,))
        for call in map(source.program.call_id, range(len(source.program.calls)))
    }
    told = run_all({call: script.text for call, script in made.items()}, tmp_path)
    assert {call: said for call, (code, said) in told.items() if code != 0} == {}
    unchecked = [call for call, (_, said) in told.items() if "right " not in said]
    assert unchecked == [call for call, script in made.items() if script.unchecked]


@needs_torch
@pytest.mark.thorough
def test_two_neighbours_run_one_after_the_other(samples: Path, tmp_path: Path) -> None:
    """The second is checked on what the first one wrote."""
    source = read_source(samples / "cpu_graph_breaks")
    script = make_script(source, ("0_inference/0", "0_inference/1"))
    ((code, said),) = run_all({"both": script.text}, tmp_path).values()
    assert code == 0
    assert said.count("right ") == 2


@needs_torch
@pytest.mark.thorough
def test_a_script_says_where_it_cannot_run(samples: Path, tmp_path: Path) -> None:
    """Without Triton or a GPU it ends with a sentence, and no traceback."""
    path = tmp_path / "case.py"
    source = read_source(samples / "cuda_graph_breaks")
    path.write_text(make_script(source, ("0_inference/1",)).text, encoding="utf-8")
    hidden = "import sys; sys.modules['triton'] = None; import runpy; runpy.run_path(sys.argv[1])"
    done = subprocess.run(  # noqa: S603 -- our own code, in an interpreter of its own
        [sys.executable, "-c", hidden, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "needs torch with Triton, on a machine with a GPU" in done.stderr
    assert "Traceback" not in done.stderr
