"""The g++ in front of the real one gives what that gives, and calls it only where it has to."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import compiled_once

pytestmark = pytest.mark.skipif(os.name != "posix", reason="stands before g++ on POSIX only")

REAL = """#!/bin/sh
echo "$@" >> "$COUNTED"
[ "$1" = --version ] && echo "version 1" && exit
grep -q error "$1" && echo "no C++" >&2 && exit 3
cat "$1" > "$3"
"""
Compile = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def count(tmp_path: Path) -> Callable[[], int]:
    """How often the real compiler was called."""
    (tmp_path / "counted").write_text("")
    return lambda: len((tmp_path / "counted").read_text().splitlines())


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compile:
    """`g++` as processes find it, with a real one that counts and copies."""
    real = tmp_path / "real" / "g++"
    real.parent.mkdir()
    real.write_text(REAL)
    real.chmod(0o755)
    monkeypatch.setenv("COUNTED", str(tmp_path / "counted"))
    monkeypatch.setenv("PATH", f"{real.parent}{os.pathsep}{os.environ['PATH']}")
    (tmp_path / "kept").mkdir()
    for _ in range(2):  # a worker inherits the PATH of the process that started it
        compiled_once.put_first(tmp_path / "kept")
    assert os.environ["PATH"].count(str(tmp_path / "kept")) == 1

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        line = ["g++", *map(str, arguments)]
        return subprocess.run(line, capture_output=True, text=True, check=False)  # noqa: S603 -- ours

    return run


def test_the_same_text_is_compiled_once(
    compiler: Compile, count: Callable[[], int], tmp_path: Path
) -> None:
    """Wherever it lies; another text, or another command, is compiled for itself."""
    for folder, text in (("a", "int x;"), ("b", "int x;"), ("c", "int y;")):
        (tmp_path / folder).mkdir()
        source, target = tmp_path / folder / f"{folder}.cpp", tmp_path / folder / "made.so"
        source.write_text(text)

        assert compiler(source, "-o", target, "-O3").returncode == 0
        assert target.read_text() == text
    assert count() == 2
    compiler(source, "-o", target, "-O0")
    assert count() == 3


@pytest.mark.parametrize("text", ["error", '#include "beside.h"'], ids=["broken", "includes"])
def test_what_is_not_known_is_compiled_every_time(
    compiler: Compile, count: Callable[[], int], tmp_path: Path, text: str
) -> None:
    """Broken C++ fails as before; code with an include may have changed without its text."""
    source = tmp_path / "a.cpp"
    source.write_text(text)
    done = [compiler(source, "-o", tmp_path / "a.so") for _ in range(2)]

    assert {process.returncode for process in done} == {3 if text == "error" else 0}
    assert {process.stderr for process in done} == {"no C++\n" if text == "error" else ""}
    assert count() == 2


def test_other_questions_go_to_the_compiler(compiler: Compile, count: Callable[[], int]) -> None:
    """A question for the version is not answered from the cache."""
    assert compiler("--version").stdout == "version 1\n"
    assert count() == 1
