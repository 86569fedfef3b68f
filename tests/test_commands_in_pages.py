"""Commands and Python of pages that build on one another: they run in the order of their page.

tests/test_readme.py runs those of the README, of the guides and of the tutorials, each by itself,
and in `make test` each command once; these are in the thorough run.
Left out here are lines that start a server, a recording, or a program that is not kernelmap.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import kernelmap
from capture.bundle_world import recorded
from debug_printer.printed_code import ADDMM, launches
from kernelmap.cli import main
from kernelmap.history.compare.lock.records import dump_lock, lock_of

pytestmark = pytest.mark.thorough
ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "sample_traces"
PAGES = ("ci", "debug-printer", "fleet", "memory", "store")
PYTHON_PAGES = ("memory", "roofline", "store", "wall")
ELSEWHERE = re.compile(r"kernelmap (dashboard|capture)\b|/data/|--load\b|&&")
"""Servers, recordings, folders of a cluster, what needs torch, and shell (test_ci_recipes.py)."""
HOOK = "http://127.0.0.1:9/"  # nobody listens


def blocks(page: str, *languages: str) -> list[str]:
    """The fenced blocks of a page in these languages; "" is a block that names none."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [block for language, block in fenced if language in languages]


def command_lines(page: str) -> list[str]:
    """The `kernelmap …` lines of blocks for a shell, without what stands behind a `#`."""
    lines = [
        line.partition("  #")[0].strip()
        for block in blocks(page, "sh", "")
        for line in block.splitlines()
    ]
    return [line for line in lines if line.startswith("kernelmap ") and not ELSEWHERE.search(line)]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the readers of these pages have: recordings, code, a package, ranks, kept runs."""
    mlp = SAMPLES / "sim_mlp_train"
    for name in ("before", "after"):
        (tmp_path / name).symlink_to(mlp)
    for name in ("bundle", "new"):
        recorded(tmp_path / name)
    shutil.copytree(SAMPLES / "sim_fleet", tmp_path / "traces")
    (tmp_path / "torch_compile_debug").symlink_to(mlp)
    (tmp_path / "sample_traces").symlink_to(SAMPLES)
    shutil.copy(next(mlp.glob("model__0_forward*")) / "output_code.py", tmp_path)
    small, with_lines = map(kernelmap.correlate, (mlp, SAMPLES / "cuda_language_train"))
    for kept in (with_lines, small, small):
        kernelmap.Store(tmp_path / ".kernelmap").record(kept, branch="main")
    lock = dump_lock(lock_of([mlp])[0])
    (tmp_path / "kernels.lock").write_text(lock, encoding="utf-8")
    packed = shutil.make_archive(str(tmp_path / "model"), "zip", SAMPLES / "aoti_block/classifier")
    Path(packed).rename(tmp_path / "model.pt2")
    (tmp_path / "run.log").write_text(launches(0), encoding="utf-8")
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp" / f"aoti_torchbefore_launch_{ADDMM}_buf0_cpu.pt").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.usefixtures("workplace")
def test_the_commands_of_a_page_run_one_after_the_other(page: str) -> None:
    """Each ends well and prints or writes something; only `gate` may say that something is slower.

    Ranks are read in this process, as a cluster would take longer to start than to read eight.
    """
    lines = command_lines(page)
    assert lines
    for line in lines:
        words = shlex.split(line.replace("$HOOK", HOOK))[1:]
        more = ["--workers", "0"] if words[0] == "fleet" else []
        result = CliRunner().invoke(main, [*words, *more])

        assert result.exit_code in ({0, 1} if words[0] == "gate" else {0}), (line, result.output)
        assert result.stdout or "wrote " in result.stderr, line


@pytest.mark.parametrize("page", PYTHON_PAGES)
def test_the_python_of_a_page_runs(page: str, workplace: Path) -> None:
    """As it stands, with kernelmap imported where the page takes that for granted."""
    shutil.copy(SAMPLES / "sim_mlp_train" / "profile.json.gz", workplace / "profile.json")
    for block in blocks(page, "python"):
        exec(compile(block, f"{page}.md", "exec"), {"kernelmap": kernelmap})  # noqa: S102 -- our own example
