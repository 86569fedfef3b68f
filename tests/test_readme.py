"""What README and guides ask people to do works: every example runs, every list is whole."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import BinaryIO

import pytest
import show_off
from click.testing import CliRunner

import kernelmap
from capture.bundle_world import recorded
from children import UNCOLLECTED
from debug_printer.printed_code import ADDMM, launches
from kernelmap.cli import COMMANDS, main
from kernelmap.compiler import load_compiled
from kernelmap.history.compare.lock.records import dump_lock, lock_of
from kernelmap.model import Confidence
from kernelmap.model.bundle import State, read_manifest
from worlds import World, simulate
from worlds.nsys import write_nsys

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDES = "".join(
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "CONTRIBUTING.md", "docs/start.md", "docs/compare.md")
)
TUTORIALS = "".join(
    (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for name in (
        "train",
        "inference",
        "cuda-graphs",
        "nsight-systems",
        "aotinductor",
        "production",
        "in-your-editor",
        "for-agents",
    )
)
README_BYTES = 8000
SAMPLE = ROOT / "sample_traces" / "sim_mlp_train"
PACKAGED = ROOT / "sample_traces" / "aoti_block"
TRAINING = """
import torch
model = torch.nn.Linear(8, 8)
batches = torch.randn(16, 4, 8)
def train_step(batch):
    torch.nn.functional.gelu(model(batch)).sum().backward()
"""


def blocks(language: str, text: str = GUIDES) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def shell_lines(text: str) -> list[str]:
    """The lines of the blocks for a shell, without what stands behind a `#`."""
    return [
        line.partition("  #")[0].strip()
        for block in blocks("sh", text)
        for line in block.splitlines()
    ]


LINES = shell_lines(GUIDES + TUTORIALS)
COMMAND_LINES = [
    line for line in dict.fromkeys(LINES) if re.match(r"(\.venv/bin/)?kernelmap ", line)
]
FIRST = {shlex.split(line)[1]: line for line in reversed(COMMAND_LINES)}
"""The first line that shows each command; `make test` runs these, and those of the README."""
CAPTURING = [block for block in blocks("python") if "kernelmap.capture(" in block]
PYTHON = [block for block in blocks("python") if "kernelmap.correlate(" in block]
RECORDING = [block for block in blocks("python") if "export_chrome_trace(" in block]
HANDLED = [block for block in blocks("python") if "kernelmap.trace_handler(" in block]


@pytest.fixture(scope="module")
def at_nsys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An Nsight Systems export of the sample, and a table beside it."""
    path = tmp_path_factory.mktemp("nsys") / "run.sqlite"
    write_nsys(path, [simulate(load_compiled(SAMPLE), World(invocations=4))])
    sums = "Time (%),Total Time (ns),Instances,Name\n100.0,5000,4,sgemm\n"
    path.with_name("kernels.txt").write_text(sums, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def kept_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two runs of the sample."""
    folder = tmp_path_factory.mktemp("runs")
    for _ in range(2):
        kernelmap.Store(folder).record(kernelmap.correlate(SAMPLE), branch="main")
    return folder


@pytest.fixture
def workplace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_nsys: Path, kept_runs: Path
) -> Path:
    """A folder with what the README's reader has: the samples, and a run of their own."""
    (tmp_path / "sample_traces").symlink_to(ROOT / "sample_traces")
    (tmp_path / "captures").symlink_to(ROOT / "sample_traces" / "cuda_captured_eager" / "captures")
    engine = ROOT / "sample_traces" / "cuda_captured_eager"
    (tmp_path / "profile").mkdir()
    shutil.copy(engine / "rank_0" / "trace.json.gz", tmp_path / "profile" / "STEPS.json.gz")
    captured = engine / "captures" / "capture_bs_4.json.gz"
    shutil.copy(captured, tmp_path / "profile" / "CAPTURE.json.gz")
    without_profile = shutil.ignore_patterns("profile*")
    shutil.copytree(SAMPLE, tmp_path / "torch_trace", ignore=without_profile)
    shutil.copy(SAMPLE / "profile.json.gz", tmp_path)
    shutil.copy(SAMPLE / "profile.json.gz", tmp_path / "production.json.gz")
    shutil.copy(at_nsys, tmp_path)
    shutil.copy(at_nsys.with_name("kernels.txt"), tmp_path)
    shutil.copy(PACKAGED / "profile.json.gz", tmp_path / "model_profile.json.gz")
    packed = shutil.make_archive(str(tmp_path / "model"), "zip", PACKAGED / "classifier")
    Path(packed).rename(tmp_path / "model.pt2")
    recorded(tmp_path / "bundle")
    for name in ("before", "after"):
        (tmp_path / name).symlink_to(SAMPLE)
    for checkout in ("base", "changed"):  # their code without a profile
        (tmp_path / checkout).mkdir()
        (tmp_path / checkout / "torch_compile_debug").symlink_to(tmp_path / "torch_trace")
    lock = dump_lock(lock_of([SAMPLE])[0])
    (tmp_path / "kernels.lock").write_text(lock, encoding="utf-8")
    _printed(tmp_path)
    shutil.copytree(kept_runs, tmp_path / ".kernelmap")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _printed(folder: Path) -> None:
    """What a run of the package with the debug printer leaves: a log, and a saved tensor."""
    (folder / "run.log").write_text(launches(0), encoding="utf-8")
    (folder / "tmp").mkdir()
    (folder / "tmp" / f"aoti_torchbefore_launch_{ADDMM}_buf0_cpu.pt").touch()


GUIDED = [
    pytest.param(
        line,
        marks=[] if line in {*shell_lines(README), *FIRST.values()} else [pytest.mark.thorough],
    )
    for line in COMMAND_LINES
    if " capture " not in line and not re.search(" [<|] ", line)  # pipes: tests/cli/
]
FEW = dict.fromkeys(["history", "compare", "items", "item", "runs", "run", "coverage"], 3)
"""How many views of every page of the dashboard are written; people get up to 120."""


@pytest.mark.parametrize("line", GUIDED)
@pytest.mark.usefixtures("workplace")
def test_a_command_of_the_guides_runs(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each one ends well and prints or writes something; a server is interrupted at once."""
    words = shlex.split(line)[1:]
    if "dashboard" in line:
        pytest.importorskip("waitress", reason="waitress is not installed")
        monkeypatch.setattr("waitress.server.TcpWSGIServer.run", _interrupted)
        monkeypatch.setattr("kernelmap.dashboard.export.LIMITS", FEW)
        words += [] if "--export" in words else ["--port", "0"]  # its own may be taken here
    if words[0] == "lsp":
        pytest.importorskip("pygls", reason="pygls is not installed")
        monkeypatch.setattr("pygls.lsp.server.LanguageServer.start_io", _say_that_it_started)
    if "mcp" in words:
        pytest.importorskip("mcp", reason="mcp is not installed")
        monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
        words[-1] = "0"  # the port: its own may be taken here
    result = CliRunner().invoke(main, words)

    assert result.exit_code == 0, result.output
    assert result.stdout or "wrote " in result.stderr or "http" in result.stderr


def _interrupted(_: object) -> None:
    raise KeyboardInterrupt


def _say_that_it_started(_: object, __: object, stdout: BinaryIO) -> None:
    stdout.write(b"started")


@pytest.mark.parametrize("block", PYTHON)
def test_the_python_example_runs(
    block: str, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As it stands, in a folder with code and profile; the report is there afterwards."""
    exec(compile(block, "README.md", "exec"), {})  # noqa: S102 -- our own example

    assert "aten.mm" in capsys.readouterr().out
    assert (workplace / "report.html").stat().st_size > 0


def test_examples_were_found() -> None:
    """The patterns above still fit the guides; a command in a block of another kind is no test."""
    # A path alone asks the most likely question.
    commands = {word for line in COMMAND_LINES if "/" not in (word := shlex.split(line)[1])}

    assert commands == set(COMMANDS)
    assert len(RECORDING) == len(CAPTURING) == 1
    assert len(PYTHON) == README.count("kernelmap.correlate(") + 1  # that of the guide


def test_the_readme_is_short() -> None:
    """It is read in two minutes; what is longer is a page of docs/."""
    assert len(README.encode()) <= README_BYTES


@pytest.mark.torch
@pytest.mark.skipif(not shutil.which("g++"), reason="Inductor needs a C++ compiler, g++ is missing")
@pytest.mark.parametrize("block", RECORDING)
def test_a_profile_recorded_as_advised_is_exact(block: str, tmp_path: Path) -> None:
    """The recording example, run with the variables beside it, leaves nothing to guess."""
    line = next(line for line in LINES if re.match(r"TORCH_TRACE=.* python train\.py$", line))
    switches = dict(word.split("=", 1) for word in line.split() if "=" in word)
    (tmp_path / "train.py").write_text(TRAINING + block, encoding="utf-8")
    subprocess.run(
        [sys.executable, "train.py"],
        cwd=tmp_path,
        env={
            **os.environ,
            **UNCOLLECTED,
            **switches,
            "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache"),
        },
        check=True,
        capture_output=True,
    )
    c = kernelmap.correlate(tmp_path / "torch_trace", tmp_path / "profile.json.gz")
    lines = c.lines[c.lines["line"].notna()]

    assert set(c.launches["confidence"]) == {"exact", "outside"}
    assert all("cache key" in str(c.explain(call).evidence) for call in ("0_forward/0",))
    assert set(lines["file"].str.rpartition("/")[2]) == {"train.py"}
    assert (lines["backward_ns"] > 0).any()
    assert {"cpp", "extern"} <= set(c.calls["backend"])
    assert "aten.gelu" in set(c.ops["name"])


@pytest.mark.torch
@pytest.mark.thorough
@pytest.mark.skipif(not shutil.which("g++"), reason="Inductor needs a C++ compiler, g++ is missing")
@pytest.mark.parametrize("block", HANDLED)
def test_a_handler_of_the_guides_writes_reports(block: str, tmp_path: Path) -> None:
    """In a program with the switches beside the example: both windows, and nothing to guess."""
    (tmp_path / "train.py").write_text(TRAINING + block, encoding="utf-8")
    switches = {"INDUCTOR_PROVENANCE": "1", "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE": "1"}
    subprocess.run(
        [sys.executable, "train.py"],
        cwd=tmp_path,
        env={
            **os.environ,
            **UNCOLLECTED,
            **switches,
            "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache"),
        },
        check=True,
        capture_output=True,
    )

    for name in ("report", "report_2"):
        c = kernelmap.correlate(tmp_path / f"{name}_bundle")
        lines = c.lines[c.lines["line"].notna()]
        assert (tmp_path / f"{name}.html").is_file()
        assert set(c.launches["confidence"]) == {"exact", "outside"}
        assert set(lines["file"].str.rpartition("/")[2]) == {"train.py"}


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's own, as it loads itself
@pytest.mark.parametrize("block", CAPTURING)
def test_the_capture_in_code_runs(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it stands, around any step; the bundle is complete afterwards."""
    monkeypatch.chdir(tmp_path)
    exec(compile(TRAINING + block, "README.md", "exec"), {})  # noqa: S102 -- our own example

    assert read_manifest(tmp_path / "bundle").state is State.COMPLETE


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("make ")])
def test_make_targets_exist(line: str) -> None:
    """`make X` names a rule of the Makefile."""
    target = line.split()[1]

    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def demo_words() -> list[str]:
    """The words of the command that `make demo` runs."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    sample = re.search(r"^SAMPLE = (.+)$", text, re.MULTILINE)
    line = re.search(r"^\t\.venv-demo/bin/kernelmap (correlate .+)$", text, re.MULTILINE)
    assert sample
    assert line
    return shlex.split(line[1].replace("$(SAMPLE)", sample[1]))


def test_the_demo_prints_what_the_readme_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`make demo` runs the command of the README's first block and writes the report besides."""
    shown = re.search(r"<!-- output of: kernelmap (.*) -->", README)
    assert shown
    words = demo_words()
    written = words.index("-o")
    alone = [*words[:written], *words[written + 2 :]]
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    texts = [
        CliRunner().invoke(main, [*alone, *more]).stdout
        for more in ([], ["-o", str(tmp_path / "report.html")])
    ]

    assert [word for word in alone if word not in ("--format", "table")] == shlex.split(shown[1])
    assert texts[0] == texts[1]  # that the README has it as well is scripts/make_docs.py's part


@pytest.mark.parametrize(
    "line", [it for it in LINES if "venv" in it and "kernelmap correlate" not in it]
)
def test_pip_lines_are_what_make_does(line: str) -> None:
    """Whoever has no make types the Makefile's own commands."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    text = re.sub(r"\.venv-(demo|test)", ".venv", text.replace(" --quiet", ""))
    recipes = [it.strip() for it in text.replace("$(PYTHON)", "python3").splitlines()]

    assert any(f"{recipe} ".startswith(f"{line} ") for recipe in recipes)


def test_the_samples_are_listed_as_what_they_are() -> None:
    """Every sample stands in docs/samples.md, recorded or simulated as its RUN.toml says."""
    page = (ROOT / "docs" / "samples.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `sample_traces/(\w+)` \| (\w+) \|", page, re.MULTILINE))
    kinds = {
        run.parent.name: tomllib.loads(run.read_text(encoding="utf-8"))["kind"]
        for run in (ROOT / "sample_traces").glob("*/RUN.toml")
    }

    assert listed == kinds
    assert set(kinds.values()) == {"recorded", "simulated"}
    assert {path.name for path in (ROOT / "sample_traces").iterdir()} == kinds.keys()


def test_the_confidences_are_listed() -> None:
    """The table of confidences has all of them, strongest first."""
    words = "|".join(confidence.name.lower() for confidence in Confidence)

    assert re.findall(rf"^\| ({words}) \|", README, re.MULTILINE) == words.split("|")


@pytest.mark.parametrize("name", show_off.PICTURES)
def test_the_pictures_are_small(name: str) -> None:
    """A picture is a PNG of the size that its script draws, is shown, and loads fast."""
    data = (show_off.IMAGES / name).read_bytes()

    texts = (README, *(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")))

    assert any(f"images/{name})" in text for text in texts)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == (show_off.WIDTH, show_off.HEIGHT)
    assert len(data) <= show_off.MOST_BYTES
