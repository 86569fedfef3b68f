"""How `make test` draws a quarter of the cases of a law."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples, sample

TESTS = Path(__file__).resolve().parent
MARKED = """
import pytest

def test_plain(): pass

@pytest.mark.thorough
def test_dear(): pass

@pytest.mark.sampled
@pytest.mark.parametrize("case", range(8))
def test_law(case): pass
"""
IDS = st.lists(st.sampled_from([f"test_{name}[{case}]" for name in "ab" for case in range(30)]))


@settings(max_examples=examples(100))
@given(IDS)
def test_every_law_keeps_a_quarter_of_its_cases(ids: list[str]) -> None:
    """Rounded up, so that no law is left out; the order in which tests are collected is nothing."""
    kept = sample(set(ids))

    assert kept <= set(ids)
    assert kept == sample(sorted(set(ids), reverse=True))
    for name in "ab":
        cases = {test for test in ids if test.startswith(f"test_{name}[")}

        assert len(kept & cases) == -(-len(cases) // 4)


@pytest.mark.sampled
@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["here", "in workers"])
@pytest.mark.parametrize(
    ("options", "passed", "says"),
    [
        ([], 3, "1 thorough tests and 6 cases of sampled ones are left out"),
        (["--hypothesis-profile", "steady"], 10, None),
        (["of_tests/test_marked.py"], 10, None),
    ],
    ids=["quick", "all examples", "named"],
)
def test_what_is_left_out_is_said(
    workers: list[str], options: list[str], passed: int, says: str | None, tmp_path: Path
) -> None:
    """Of thorough tests all, of sampled ones three of four cases, unless all are asked for."""
    (tmp_path / "of_tests").mkdir()
    (tmp_path / "of_tests" / "test_marked.py").write_text(MARKED, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\ntestpaths = of_tests\nmarkers =\n    thorough\n    sampled\n", encoding="utf-8"
    )
    plugins = ("-p", "conftest", "-p", "no:kernelmap", "-p", "no:cacheprovider")
    done = subprocess.run(  # noqa: S603 -- this Python's pytest
        [sys.executable, "-m", "pytest", *plugins, *workers, *options],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert f"{passed} passed" in done.stdout, done.stdout + done.stderr
    assert ("left out" in done.stdout) == (says is not None)
    assert says is None or says in done.stdout
