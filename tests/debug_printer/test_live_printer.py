"""The installed torch under the variables that we print: it filters, and is read back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from children import UNCOLLECTED
from kernelmap.cli import main
from kernelmap.debug_printer import read_left_over, settings_for_calls
from kernelmap.debug_printer.launches import EndKind
from kernelmap.model.printed import When

pytestmark = [
    pytest.mark.torch,
    pytest.mark.thorough,
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
]
SCRIPT = Path(__file__).with_name("printed_model.py")
PACKAGE, LOG = "model.pt2", "run.log"

Compiled = Callable[[int], Path]


def started(folder: Path, what: str, settings: Mapping[str, str]) -> int:
    """The exit code of the script; what it prints goes to the log."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("AOT_")}
    environment = (
        inherited
        | UNCOLLECTED
        | {
            "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache"),
            "INDUCTOR_PROVENANCE": "1",
            **settings,
        }
    )
    with (folder / LOG).open("wb") as log:
        done = subprocess.run(  # noqa: S603 -- our own script
            [sys.executable, "-u", SCRIPT, folder, what],
            stdout=log,
            stderr=subprocess.PIPE,
            env=environment,
            check=False,
        )
    assert what == "run" or done.returncode == 0, done.stderr.decode()
    return done.returncode


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    """A package per level, level 2 with a filter: the variables are those that we print."""
    made: dict[int, Path] = {}

    def compiled(level: int) -> Path:
        if level not in made:
            folder = tmp_path_factory.mktemp(f"level{level}")
            chosen = {"AOT_INDUCTOR_DEBUG_INTERMEDIATE_VALUE_PRINTER": "3"}
            if level != 3:
                code = _without_printer(compiled(3), folder)
                names = ["aten.log", "aten.topk"] if level == 2 else []
                chosen = dict(settings_for_calls(code, kernels=names, level=level).variables)
            started(folder, "compile", chosen)
            made[level] = folder
        return made[level]

    return compiled


@pytest.fixture(scope="module")
def whole(package: Compiled) -> list[str]:
    """What level 3 prints of two runs to their end, by lines."""
    folder = package(3)
    assert started(folder, "run", {}) == 0
    return (folder / LOG).read_text("utf-8").splitlines(keepends=True)


def _without_printer(compiled: Path, folder: Path) -> Path:
    """The code as it was before anybody asked for the printer: names have to be worked out."""
    with zipfile.ZipFile(compiled / PACKAGE) as package:
        for name in package.namelist():
            if name.endswith((".cpp", "kernel_information.json")):
                lines = package.read(name).decode().splitlines(keepends=True)
                plain = [line for line in lines if not line.lstrip().startswith('printf("[ ')]
                (folder / "code").mkdir(exist_ok=True)
                (folder / "code" / Path(name).name).write_text("".join(plain), encoding="utf-8")
    return folder / "code"


def test_level_2_prints_the_chosen_kernels_alone(package: Compiled) -> None:
    """The filter lets two kernels through, values are read back, and the NaN has its call."""
    folder = package(2)
    assert started(folder, "run", {}) == 0
    log = read_left_over(folder / PACKAGE, log=folder / LOG).log
    assert log is not None
    names = [kernel for kernel, _ in log.heard]
    bad = log.first_bad

    assert len(names) == 2
    assert "log" in names[0]
    assert "topk" in names[1]
    assert dict(log.heard) == dict.fromkeys(names, 2)
    assert (log.levels, log.runs) == ((2,), 2)
    assert all(row.times == 2 and row.last.elements for row in log.values)
    assert bad is not None
    assert (bad.bad, bad.kernel, bad.when, bad.run) == ("NaN", names[0], When.AFTER, 2)
    assert bad.suspects == bad.calls == (1,)


def test_level_1_files_are_opened_and_linked(package: Compiled) -> None:
    """Every file belongs to one call and one argument; the second run's NaN are counted."""
    folder = package(1)
    assert started(folder, "run", {}) == 0
    left = read_left_over(folder / PACKAGE, saved=folder, log=folder / LOG, load=True)
    files = left.files or ()
    after = [file for file in files if file.file.when is When.AFTER and file.name.calls == (1,)]

    assert left.notices == ()
    assert {len(file.name.calls) for file in files} == {1}
    assert {file.name.calls[0] for file in files} == {0, 1, 3, 4, 5}
    assert all(file.facts is not None for file in files)
    assert any(file.facts and file.facts.nans == file.facts.elements == 64 for file in after)
    assert left.log is not None
    assert len(left.log.values) == len(files)
    assert left.log.end is not None
    assert (left.log.end.kind, left.log.end.calls) == (EndKind.COMPLETE, (5,))


def test_level_3_names_where_a_program_was_killed(package: Compiled) -> None:
    """SIGABRT within an operator that prints nothing: the calls around it, and itself."""
    folder = package(3)
    assert started(folder, "run", {"PRINTED_ABORT": "1"}) == -signal.SIGABRT
    log = read_left_over(folder / PACKAGE, log=folder / LOG).log
    assert log is not None
    end = log.end
    assert end is not None

    assert (log.levels, end.kind) == ((3,), EndKind.BETWEEN)
    assert (end.calls, end.silent, end.next) == ((1,), (2,), 3)


def test_level_3_is_cut_at_every_line(package: Compiled, whole: list[str], tmp_path: Path) -> None:
    """Whichever line a whole log is cut behind, the last launch is the one that it names."""
    said = [line for line in whole if "_launch: " in line]
    order = [0, 1, 3, 4, 5] * 2

    assert len(said) == 2 * len(order)
    for cut in range(1, len(said) + 1):
        (tmp_path / LOG).write_text("".join(said[:cut]), encoding="utf-8")
        log = read_left_over(package(3) / PACKAGE, log=tmp_path / LOG).log
        assert log is not None
        assert log.end is not None

        assert log.end.calls == (order[(cut - 1) // 2],)
        assert (log.end.kind is EndKind.INSIDE) == bool(cut % 2)
        assert log.end.run == 1 + (cut > len(order))


def test_the_command_says_it_in_words(package: Compiled, whole: list[str], tmp_path: Path) -> None:
    """From the package and the log of a run that was cut off to the sentence."""
    log = tmp_path / LOG
    log.write_text("".join(line for line in whole[:7] if "_launch: " in line), encoding="utf-8")
    result = CliRunner().invoke(
        main,
        ["inspect", str(package(3) / PACKAGE), "--printed", str(log)],
        env={"COLUMNS": "400"},
    )

    assert result.exit_code == 0
    assert "it died in call model/4 (cpp_fused__softmax" in result.stdout
    assert "ops aten._softmax" in result.stdout
    assert f"line {SCRIPT.name}:" in result.stdout
