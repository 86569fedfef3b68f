"""`--profiler nsys`: how nsys is called, and what becomes of its report; played by a script."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from kernelmap.capture.command import capture_command, check_interpreter
from kernelmap.capture.plan import Plan, Profiler
from kernelmap.capture.window_profiler import NsysRange
from kernelmap.errors import KernelmapError
from kernelmap.model.bundle import FileKind, State, read_manifest

NSYS = """#!/bin/sh
echo "$@" >> "$NSYS_SAID"
if [ "$1" = export ]; then
    for word in "$@"; do case "$word" in --output=*) out="${word#--output=}" ;; esac; done
    [ -n "$NSYS_FAILS" ] && { echo "no such schema" >&2; exit 9; }
    printf 'SQLite format 3' > "$out"
    exit 0
fi
shift
while [ "$1" != sh ]; do
    [ "$1" = --output ] && out="$2"
    shift
done
"$@"
code=$?
printf 'report' > "$out.nsys-rep"
exit $code
"""
PROGRAM = """mkdir -p "$(dirname "$NSYS_SAID")/b/rank_0"
echo '{"state": "complete", "first_step": 2, "last_step": 5}' > b/rank_0/process.json
exit 4
"""


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the nsys on PATH, a script, writes down how it was called."""
    tool = tmp_path / "bin" / "nsys"
    tool.parent.mkdir()
    tool.write_text(NSYS)
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    monkeypatch.setenv("NSYS_SAID", str(tmp_path / "said"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "said"


def capture(tmp_path: Path) -> list[str]:
    heard: list[str] = []
    captured = capture_command(
        ["sh", "-c", PROGRAM],
        tmp_path / "b",
        Plan(profiler=Profiler.NSYS),
        say=heard.append,
    )

    assert captured.exit_code == 4
    return heard


@pytest.mark.parametrize("gpu", [True, False])
def test_a_report_and_its_sqlite_are_in_the_bundle(
    tmp_path: Path, said: Path, monkeypatch: pytest.MonkeyPatch, *, gpu: bool
) -> None:
    """Nsys traces nodes of CUDA graphs; with a GPU only the capture range, else everything."""
    monkeypatch.setattr("kernelmap.capture.nsys.has_gpu", lambda: gpu)
    heard = capture(tmp_path)
    profile, export = said.read_text().splitlines()[0], said.read_text().splitlines()[-1]
    manifest = read_manifest(tmp_path / "b")

    assert profile.startswith("profile --trace=cuda,nvtx,osrt --cuda-graph-trace=node")
    assert ("--capture-range=cudaProfilerApi --capture-range-end=stop" in profile) == gpu
    assert export.startswith("export --type=sqlite")
    assert manifest.state is State.COMPLETE
    assert {(file.path, file.kind) for file in manifest.files} == {
        ("nsys/report.nsys-rep", FileKind.REPORT),
        ("nsys/report.sqlite", FileKind.TRACE),
    }
    assert bool(heard) != gpu


def test_a_failed_export_leaves_the_report(
    tmp_path: Path, said: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What nsys said stands in the bundle, which is partial; no half database is left."""
    monkeypatch.setenv("NSYS_FAILS", "1")
    capture(tmp_path)
    manifest = read_manifest(tmp_path / "b")

    assert said.exists()
    assert manifest.state is State.PARTIAL
    assert "nsys export failed: no such schema" in str(manifest.why)
    assert [file.kind for file in manifest.files] == [FileKind.REPORT]


def test_without_nsys_nothing_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One error with the way to get it, and no folder."""
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(KernelmapError) as raised:
        capture_command(["sh"], tmp_path / "b", Plan(profiler=Profiler.NSYS))
    assert raised.value.slug == "nsys-missing"
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("python", [sys.executable, "other"])
def test_a_python_that_lacks_a_package_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: str
) -> None:
    """The program's own Python is asked, whichever it is."""
    other = tmp_path / "other"
    other.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    check_interpreter(python, ("json", "kernelmap"))
    with pytest.raises(KernelmapError, match="no_such_package") as raised:
        check_interpreter(python, ("json", "no_such_package"))
    assert raised.value.slug == "package-missing"


def test_the_capture_range_holds_whole_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The GPU is idle when the range opens and closes, and each step has a range of its name."""
    told: list[str] = []
    runtime = SimpleNamespace(
        cudaProfilerStart=lambda: told.append("start"), cudaProfilerStop=lambda: told.append("stop")
    )
    marks = SimpleNamespace(range_push=told.append, range_pop=lambda: told.append("pop"))
    cuda = SimpleNamespace(
        is_available=lambda: True,
        synchronize=lambda: told.append("wait"),
        cudart=lambda: runtime,
        nvtx=marks,
    )
    torch = ModuleType("torch")
    vars(torch)["cuda"] = cuda
    monkeypatch.setitem(sys.modules, "torch", torch)
    window = NsysRange()
    window.record(3)
    window.next(4)
    window.stop()

    assert " ".join(told) == "wait start ProfilerStep#3 pop ProfilerStep#4 pop wait stop"
