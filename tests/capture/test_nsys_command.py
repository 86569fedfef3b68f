"""`--profiler nsys`: how nsys is called, and what becomes of its report; played by a script."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from kernelmap.capture import command as capturing
from kernelmap.capture import window as windows
from kernelmap.capture.command import capture_command, check_interpreter
from kernelmap.capture.plan import Plan, Profiler
from kernelmap.capture.running import under_nsys
from kernelmap.capture.window import NsysRange
from kernelmap.errors import KernelmapError
from kernelmap.model.bundle import FileKind, State, read_manifest
from kernelmap.model.marks import DOMAIN, RECORDED, MarkedGraph, decode_mark

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
        Plan(profiler=Profiler.NSYS, steps=4),
        say=heard.append,
    )

    assert captured.exit_code == 4
    return heard


@pytest.mark.parametrize("gpu", [True, False])
def test_a_report_and_its_sqlite_are_in_the_bundle(
    tmp_path: Path, said: Path, monkeypatch: pytest.MonkeyPatch, *, gpu: bool
) -> None:
    """Nsys traces nodes of CUDA graphs; of a launcher it records everything, and that is said."""
    monkeypatch.setattr(capturing, "has_gpu", lambda: gpu)
    heard = capture(tmp_path)
    profile, export = said.read_text().splitlines()[0], said.read_text().splitlines()[-1]
    manifest = read_manifest(tmp_path / "b")

    assert profile.startswith("profile --trace=cuda,nvtx,osrt --cuda-graph-trace=node")
    assert "--capture-range" not in profile
    assert export.startswith("export --type=sqlite")
    assert manifest.state is State.COMPLETE
    assert {(file.path, file.kind) for file in manifest.files} == {
        ("nsys/report.nsys-rep", FileKind.REPORT),
        ("nsys/report.sqlite", FileKind.TRACE),
    }
    assert "code is compiled anew" in heard[0]
    assert ["several processes" in line for line in heard[1:]] == ([True] if gpu else [True, False])


def test_of_one_process_only_a_range_is_recorded() -> None:
    """The range that the recording opens, by the name that it has there."""
    command = under_nsys("nsys", ["python"], Path("/b"), ranged=True)

    assert "--capture-range=nvtx" in command
    assert f"--nvtx-capture={RECORDED}@{DOMAIN}" in command
    assert "--capture-range-end=stop" in command


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


class Written:
    """A domain that writes down what begins and ends in it."""

    def __init__(self) -> None:
        self.written: list[str] = []

    def prepared(self, text: str) -> object:
        return text

    def push(self, prepared: object) -> None:
        self.written.append(str(prepared))

    def pop(self) -> None:
        self.written.append("pop")

    def begin(self, prepared: object) -> object:
        self.written.append(f"begin {prepared}")
        return prepared

    def end(self, begun: object) -> None:
        self.written.append(f"end {begun}")


@pytest.fixture
def domain(monkeypatch: pytest.MonkeyPatch) -> Written:
    """What an nsys would see of a torch that uses a GPU."""
    written = Written()
    waited = SimpleNamespace(
        is_initialized=lambda: True, synchronize=lambda: written.written.append("wait")
    )
    torch = ModuleType("torch")
    vars(torch)["cuda"] = waited
    monkeypatch.setitem(sys.modules, "torch", torch)
    # Another test of this process may have loaded the real one.
    monkeypatch.delitem(sys.modules, "torch._inductor.codecache", raising=False)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.setattr(windows, "open_domain", lambda _: written)
    return written


def test_steps_stand_at_the_end_of_what_is_recorded(
    domain: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recording begins with the compiler; the GPU is idle before the first and after the last."""
    window = NsysRange()
    monkeypatch.setitem(sys.modules, "torch._inductor.codecache", ModuleType("codecache"))
    window.install(lambda action: action())
    window.next(2)
    window.record(3)
    window.next(4)
    window.stop()
    window.stop()

    said = "begin recorded, wait, ProfilerStep#3, pop, ProfilerStep#4, pop, wait, end recorded"
    assert ", ".join(domain.written) == said


def test_a_program_that_compiles_nothing_is_recorded_from_its_first_step(domain: Written) -> None:
    """Without a compiler the range begins with the window."""
    window = NsysRange()
    window.install(lambda action: action())
    before = list(domain.written)
    window.record(3)
    window.stop()

    assert before == []
    assert domain.written[0] == "begin recorded"


@pytest.mark.torch
@pytest.mark.nsys
def test_a_real_nsys_records_from_compilation_to_the_last_step(tmp_path: Path) -> None:
    """Without a GPU: every graph is marked from its first run on, and four steps have names."""
    block = Path(__file__).resolve().parents[2] / "scripts" / "examples" / "train_block.py"
    captured = capture_command(
        [sys.executable, str(block)], tmp_path / "b", Plan(profiler=Profiler.NSYS, steps=4)
    )
    with closing(sqlite3.connect(tmp_path / "b" / "nsys" / "report.sqlite")) as file:
        rows = file.execute(
            "select coalesce(n.text, s.value), n.eventType from NVTX_EVENTS n left join StringIds s"
            " on s.id = n.textId where n.eventType in (59, 60) order by n.start"
        ).fetchall()
    texts = [text for text, _ in rows]
    steps = [text for text in texts if text.startswith("ProfilerStep")]
    graphs = [text for text in texts if isinstance(decode_mark(text), MarkedGraph)]
    assert captured.manifest is not None
    (process,) = captured.manifest.processes

    assert (captured.exit_code, captured.manifest.state) == (0, State.COMPLETE)
    assert ("recorded", 60) in rows
    assert steps == [f"ProfilerStep#{n}" for n in range(3, 7)]
    assert (process.first_step, process.last_step) == (3, 6)
    assert len(graphs) == 2 * int(process.steps_made or 0)
