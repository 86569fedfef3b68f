"""`kernelmap capture` around whole programs, and what `kernelmap correlate` then knows."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import kernelmap
from children import UNCOLLECTED, interruptible
from kernelmap.cli import main
from kernelmap.compiler import load_compiled
from kernelmap.errors import KernelmapError
from kernelmap.model import Backend
from kernelmap.model.bundle import MANIFEST, FileKind, State, read_manifest
from kernelmap.speed.work import works_of_calls

pytestmark = pytest.mark.torch

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "scripts" / "examples"
RUN = "from kernelmap.cli import main; main()"
EAGER = """
import os, signal, sys, torch
how = sys.argv[1]
weight = torch.nn.Parameter(torch.ones(2))
weight.grad = torch.ones(2)
optimizer = torch.optim.SGD([weight], lr=0.1)
for step in range(9):
    optimizer.step()
    if step == 4 and how == "raise": raise ValueError("in step 5")
    if step == 4 and how == "kill": os.kill(os.getpid(), signal.SIGKILL)
    if step == 4 and how == "interrupt": os.kill(os.getpid(), signal.SIGINT)
print("done", "TORCH_TRACE" in os.environ)
"""
FORKS = """
import os, sys, torch
weight = torch.nn.Parameter(torch.ones(2))
weight.grad = torch.ones(2)
optimizer = torch.optim.SGD([weight], lr=0.1)
def child(pid, how):
    if pid == 0:
        inner = os.getppid() != parent
        if how == "step": optimizer.step()
        if how == "nest" and not inner: child(os.fork(), how)
        if how == "leave": os.write(1, b"leave\\n"); os._exit(3)
        if how != "nest" or inner: sys.stdout.write(how + "\\n")
        sys.exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3
parent = os.getpid()
for step in range(4):  # two that are warm, one recorded, one after it
    optimizer.step()
    for how in sys.argv[1:]:
        child(os.fork(), how)
print("ended")
"""

SHORT = """
import torch, torch._functorch.config
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(16, 32), torch.nn.Linear(32, 4)
    def forward(self, x):
        hidden = torch.nn.functional.gelu(self.first(x))
        return torch.softmax(self.last(hidden), -1).square().mean()
torch.manual_seed(0)
model = Model()
compiled = torch.compile(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    optimizer.zero_grad()
    compiled(torch.randn(32, 16)).backward()
    optimizer.step()
for parameter in model.parameters():
    parameter.detach().clone()
print(torch._functorch.config.force_non_lazy_backward_lowering)
"""


class Bench:
    """A folder to work in, with a cache of Inductor's that all its programs share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "eager.py").write_text(EAGER)
        (folder / "short.py").write_text(SHORT)

    def capture(
        self, bundle: str, *program: str, options: tuple[str, ...] = (), **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Capture this Python's run of a program."""
        command = [sys.executable, *program] if program[0] != "sh" else list(program)
        given = ("-o", bundle, "--steps", "4", *options)
        cache = {"TORCHINDUCTOR_CACHE_DIR": str(self.folder / "cache")}
        return subprocess.run(  # noqa: S603 -- our own code
            [sys.executable, "-c", RUN, "capture", *given, "--", *command],
            cwd=self.folder,
            env={**os.environ, **UNCOLLECTED, **cache, **more},
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=interruptible,
        )


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("bench"))


@pytest.fixture(scope="module")
def block(bench: Bench) -> Path:
    """The block of the examples, captured with a cold cache."""
    done = bench.capture("block", str(EXAMPLES / "train_block.py"))

    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "steps 3 to 6 recorded, by optimizer step" in done.stderr
    assert "next: kernelmap correlate block" in done.stderr
    return bench.folder / "block"


def test_forward_and_backward_are_exact(block: Path) -> None:
    """Every launch of the recorded steps belongs to one call, with its ops and its source line."""
    correlation = kernelmap.correlate(block)
    calls = correlation.calls[correlation.calls["call"].notna()]

    assert set(correlation.launches["confidence"]) == {"exact", "outside"}
    assert sorted(correlation.graphs["kind"].dropna()) == ["backward", "forward"]
    assert calls["launches"].eq(4).all()
    assert calls["ops"].map(len).gt(0).all()
    assert set(correlation.lines["file"]) - {None} <= {
        str(EXAMPLES / "train_block.py"),
        "(no source line known)",
        "(outside compiled code)",
    }
    assert correlation.lines["backward_ns"].sum() > 0
    assert {step.number for step in correlation.trace.steps} == {3, 4, 5, 6}
    assert [n for n in correlation.notices if n.slug.startswith("bundle")] == []


def test_the_manifest_knows_what_ran_and_no_more(block: Path) -> None:
    """Versions, steps and settings; no environment, no host, and no half-written file."""
    manifest = read_manifest(block)
    (process,) = manifest.processes
    text = (block / MANIFEST).read_text()

    assert (manifest.state, manifest.exit_code) == (State.COMPLETE, 0)
    assert manifest.command == (sys.executable, str(EXAMPLES / "train_block.py"))
    assert (process.graphs, process.compiled_inside, process.steps_made) == (2, 0, 7)
    assert process.torch is not None
    assert process.threads
    assert process.interop_threads
    assert os.environ["PATH"] not in text
    assert os.uname().nodename not in text.replace(str(EXAMPLES), "").split('"')
    assert list(block.rglob("*.partial")) == []
    assert list(block.rglob("process.json")) == []


@pytest.mark.thorough
def test_a_second_run_finds_the_cache_and_needs_none_later(bench: Bench, block: Path) -> None:
    """Cache hits log code and keys again, so the bundle is whole when the cache is gone."""
    done = bench.capture("warm", str(EXAMPLES / "train_block.py"))
    log = next((bench.folder / "warm").rglob("*.log")).read_text()
    # A cache of its own from here on: nobody else's code is needed to read a bundle.
    shutil.move(bench.folder / "cache", bench.folder / "cache-elsewhere")
    correlation = kernelmap.correlate(bench.folder / "warm")
    shutil.move(bench.folder / "cache-elsewhere", bench.folder / "cache")
    cold = kernelmap.correlate(block)

    assert done.returncode == 0, done.stderr
    assert "fx_graph_cache_hit" in log
    assert "fx_graph_cache_miss" not in log
    assert set(correlation.launches["confidence"]) == {"exact", "outside"}
    said = ["call", "ops", "nodes", "source", "launches"]
    warm, before = (
        run.calls.loc[run.calls["call"].notna(), said].sort_values("call")
        for run in (correlation, cold)
    )
    assert warm.to_dict("records") == before.to_dict("records")


@pytest.mark.thorough
def test_graph_breaks_and_a_recompilation_are_exact(bench: Bench) -> None:
    """Three graphs with their backwards, the first in two versions; both ran in the window."""
    done = bench.capture("breaks", str(EXAMPLES / "breaks_and_recompile.py"))
    correlation = kernelmap.correlate(bench.folder / "breaks")

    assert done.returncode == 0, done.stderr
    assert set(correlation.launches["confidence"]) == {"exact", "outside"}
    assert correlation.graphs["kind"].value_counts().to_dict() == {"forward": 4, "backward": 4}
    graphs = correlation.graphs[correlation.graphs["graph"] != "(outside compiled code)"]
    assert sorted(graphs["invocations"]) == [2, 2, 2, 2, 4, 4, 4, 4]
    assert len([n for n in correlation.notices if n.gap]) == 0


@pytest.mark.thorough
def test_children_that_are_forked_after_a_step_end(bench: Bench) -> None:
    """Before, inside and after the window: with their exit code and all that they printed.

    They leave at once, exit, make a step of their own, or fork a child themselves.
    """
    (bench.folder / "forks.py").write_text(FORKS)
    kinds = ("leave", "exit", "step", "nest")
    done = bench.capture("forked", "forks.py", *kinds, options=("--steps", "1"))
    manifest = read_manifest(bench.folder / "forked")

    printed = "".join(f"{kind}\n" for kind in kinds)
    assert (done.returncode, done.stdout) == (0, printed * 4 + "ended\n"), done.stderr
    assert manifest.state is State.COMPLETE
    assert [process.name for process in manifest.processes] == ["rank_0"]


@pytest.mark.parametrize(
    ("how", "code", "says"),
    [
        ("raise", 1, "the program ended after 2 of 4 recorded steps"),
        pytest.param(
            *("interrupt", 130, "the program ended after 2 of 4 recorded steps"),
            marks=pytest.mark.thorough,
        ),
        ("kill", 137, "the process was killed while it recorded from step 3 on"),
    ],
)
def test_a_program_that_fails_leaves_a_statement(
    bench: Bench, how: str, code: int, says: str
) -> None:
    """Its exit code and traceback pass through; what was recorded is kept, or said to be lost."""
    done = bench.capture(how, "eager.py", how, options=("--warmup", "3"))
    manifest = read_manifest(bench.folder / how)
    read = CliRunner().invoke(main, ["correlate", str(bench.folder / how)])

    assert done.returncode == code
    assert ("ValueError: in step 5" in done.stderr) == (how == "raise")
    assert "kernelmap/capture" not in done.stderr
    assert (manifest.state, manifest.exit_code) == (State.PARTIAL, code)
    assert says in str(manifest.why)
    assert bool(list((bench.folder / how).rglob("trace.json.gz"))) == (how != "kill")
    assert read.exit_code == 3
    assert "Traceback" not in read.stderr
    if how == "kill":
        assert says in read.stderr


def test_ranks_share_a_bundle(bench: Bench) -> None:
    """Each process of a launcher has a folder by its rank; the launcher itself has none."""
    rank_command = f"{sys.executable} eager.py x"
    done = bench.capture(
        "ranks", "sh", "-c", f"RANK=0 {rank_command} & RANK=1 {rank_command}; wait"
    )
    manifest = read_manifest(bench.folder / "ranks")

    assert done.returncode == 0, done.stderr
    assert [(p.name, p.rank, p.state) for p in manifest.processes] == [
        ("rank_0", 0, State.COMPLETE),
        ("rank_1", 1, State.COMPLETE),
    ]
    assert manifest.state is State.COMPLETE
    assert {file.path for file in manifest.files} == {
        "rank_0/trace.json.gz",
        "rank_1/trace.json.gz",
    }


@pytest.mark.thorough
def test_spawned_processes_are_recorded(bench: Bench) -> None:
    """What a Python program starts is recorded as what a launcher starts; it names itself by id."""
    (bench.folder / "spawns.py").write_text(
        "import runpy, torch.multiprocessing\n"
        "def work(rank):\n"
        "    runpy.run_path('eager.py', run_name='__main__')\n"
        "if __name__ == '__main__':\n"
        "    torch.multiprocessing.spawn(work, nprocs=2)\n"
    )
    done = bench.capture("spawned", "spawns.py", "x")
    manifest = read_manifest(bench.folder / "spawned")

    assert done.returncode == 0, done.stderr
    assert [process.rank for process in manifest.processes] == [None, None]
    assert all(process.name.startswith("process_") for process in manifest.processes)
    assert manifest.state is State.COMPLETE
    assert [file.kind for file in manifest.files] == [FileKind.TRACE] * 2


@pytest.mark.thorough
def test_a_capture_needs_no_second_try(bench: Bench) -> None:
    """A program of fewer steps than are wanted gives a bundle of which `doctor` wants nothing.

    What the program does after its last step is no step, and the backward has its nodes.
    """
    done = bench.capture("few", "short.py", options=("--steps", "40"))
    manifest = read_manifest(bench.folder / "few")
    (process,) = manifest.processes
    correlation = kernelmap.correlate(bench.folder / "few")

    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
    assert "code is compiled anew unless an earlier capture left it in the cache" in done.stderr
    assert "--no-provenance keeps the program's own cache" in done.stderr
    assert "the program made no more of the 40 asked for" in done.stderr
    assert (manifest.state, manifest.why, process.why) == (State.COMPLETE, None, None)
    assert (process.first_step, process.last_step, process.recorded_steps) == (3, 7, 5)
    assert set(correlation.launches["step"]) == {3, 4, 5, 6, 7}
    assert correlation.summary.step_count == 5
    # A busy machine may be slow for a moment, which is nothing that a capture could mend.
    asked = {finding.slug for finding in kernelmap.doctor(bench.folder / "few").findings}
    assert asked <= {"slow-launches"}


@pytest.mark.thorough
def test_a_capture_may_keep_the_cache(bench: Bench) -> None:
    """Nothing is set that changes the code, but what a CPU needs to show its kernels."""
    option = ("--no-provenance",)
    done = bench.capture("kept", "short.py", options=option)
    manifest = read_manifest(bench.folder / "kept")

    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr
    assert "provenance" not in done.stderr
    assert manifest.settings == {"TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE": "1"}
    assert manifest.state is State.COMPLETE
    assert set(kernelmap.correlate(bench.folder / "kept").launches["confidence"]) >= {"exact"}


@pytest.mark.thorough
def test_a_capture_keeps_why_nothing_was_fused(bench: Bench) -> None:
    """Each value that one kernel writes and another reads has the scheduler's reason for it.

    Also where an earlier capture left the code in the cache. Nothing of it is printed.
    """
    for again in ((), ("--force",)):
        done = bench.capture("why", "short.py", options=("--why", *again))
        assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
        assert "fuse " not in done.stderr
    manifest = read_manifest(bench.folder / "why")
    program = load_compiled(bench.folder / "why")
    works = iter(works_of_calls(program))
    pairs = 0
    for graph in program.graphs:
        made = [(call, next(works).operands or ()) for call in graph.calls]
        kernels = [operands for call, operands in made if call.backend is Backend.CPP]
        for at, operands in enumerate(kernels):
            written = {operand.name for operand in operands if operand.written}
            for later in kernels[at + 1 :]:
                results = {operand.name for operand in later if operand.written}
                for name in written & {each.name for each in later if not each.written}:
                    reasons = [
                        pair.reason
                        for pair in graph.not_fused
                        if name in pair.first and results & pair.second
                    ]
                    assert reasons, (graph.id, name)
                    pairs += 1
        named = {name for pair in graph.not_fused for name in pair.first | pair.second}
        assert all(name.startswith("buf") for name in named)

    assert pairs > 0
    (file,) = [file for file in manifest.files if file.kind is FileKind.SCHEDULER]
    assert file.path == "rank_0/scheduler.log.gz"
    assert file.bytes < 100_000
    assert "kernelmap_" not in (bench.folder / "why" / MANIFEST).read_text()
    correlation = kernelmap.correlate(bench.folder / "why")
    assert [notice.slug for notice in correlation.notices if notice.gap] == []


@pytest.mark.thorough
def test_a_program_without_compiled_code_has_no_decisions(bench: Bench) -> None:
    """It is said, since --why was asked for."""
    done = bench.capture("eager-why", "eager.py", "x", options=("--why",))

    assert "note: the scheduler decided nothing" in done.stderr
    assert list((bench.folder / "eager-why").rglob("scheduler*")) == []


def test_a_program_that_is_too_short_says_so(bench: Bench) -> None:
    """It reports that nothing was compiled or recorded, and where the user's log lies."""
    logs = bench.folder / "own-logs"
    done = bench.capture(
        "short", "eager.py", "x", options=("--warmup", "20"), TORCH_TRACE=str(logs)
    )
    with pytest.raises(KernelmapError) as raised:
        kernelmap.correlate(bench.folder / "short")

    assert (done.returncode, done.stdout) == (0, "done True\n")
    assert f"TORCH_TRACE is set: its new logs in {logs} are copied" in done.stderr
    assert "no compiled function ran" in done.stderr
    assert "no step was recorded: the program ended after 9 steps" in raised.value.message
    assert raised.value.slug == "bundle-without-trace"
