"""The pytest plugin: what fails a test, what only leaves a note, and what it costs unused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pyarrow.dataset  # noqa: F401 -- loads once a process: pytester forgets what its runs load
import pytest
from histories.play import Weather, play
from histories.story import State, first_state, fused_otherwise, longer, slower

import kernelmap.history.compare.gate.verdict
import kernelmap.history.compare.lock.records
import kernelmap.history.compare.sides.opening  # noqa: F401 -- as above
from examples import examples
from kernelmap.pages.write import write_tables

pytest_plugins = ["pytester"]

ADDMM, GELU = "extern_kernels.addmm", "triton_poi_fused_gelu_view_1"
CODE = "def test_step(kernelmap_case): kernelmap_case.check('code')"
TIMES = "def test_step(kernelmap_case): kernelmap_case.check('times')"
BOTH = "def test_step(kernelmap_case): [kernelmap_case.check(each) for each in ('code', 'times')]"
QUIET = examples(50)
Record = Callable[..., None]
ROOT = Path(__file__).resolve().parent.parent
Run = Callable[..., pytest.RunResult]


@pytest.fixture(scope="module", autouse=True)
def _load_scipy() -> None:
    """Load it once before pytester runs, as the packages above, and not to collect these tests."""
    import_module("scipy.stats")


@pytest.fixture(scope="module")
def base(samples: Path) -> State:
    return longer(first_state(samples / "sim_mlp_train"), 20)


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Pytest in a folder of its own, with the plugin of this checkout and no other's."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini("[pytest]\naddopts = -p no:randomly -p no:cacheprovider")

    def run(*options: str) -> pytest.RunResult:
        return pytester.runpytest_inprocess(
            "-p", "no:kernelmap", "-p", "kernelmap.pytest_plugin", *options
        )

    return run


@pytest.fixture
def record(pytester: pytest.Pytester) -> Record:
    """Writes what a step of a state would leave: the folders `code` and `times`."""

    def record(state: State, seed: int, weather: Weather | None = None) -> None:
        for name, text in state.texts.items():
            place = pytester.path / "code" / name
            place.mkdir(parents=True, exist_ok=True)
            (place / "output_code.py").write_text(text, encoding="utf-8")
        tables = play(state.program, state.cost_list(), weather or Weather(), seed)
        write_tables(tables, pytester.path / "times")

    return record


def test_a_fusion_that_broke_fails_with_the_calls(
    pytester: pytest.Pytester, run: Run, record: Record, base: State
) -> None:
    """The lock is written, holds for the same code, and fails where a kernel became two.

    So do the times, once the two take longer, and they name the cause.
    """
    pytester.makepyfile(test_code=CODE, test_times=TIMES)
    record(base, 0)
    run("--kernelmap-baseline", "kept", "--kernelmap-update").assert_outcomes(passed=2)
    run("--kernelmap-baseline", "kept", "--kernelmap-strict").assert_outcomes(passed=2)
    record(fused_otherwise(base, GELU, 1.5)[0], 0)
    result = run("--kernelmap-baseline", "kept")

    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["the code is not what *.lock says:", "  - *gelu*", "  + *gelu*"])
    result.stdout.fnmatch_lines(["- call *gelu*: fused otherwise (1 call * 2 calls*slower*"])


@pytest.mark.parametrize("repeats", [1, 3])
def test_a_slowdown_fails_with_its_cause(
    pytester: pytest.Pytester, run: Run, record: Record, base: State, repeats: int
) -> None:
    """Against one recording and against repeats: the reason names the call and by how much."""
    pytester.makepyfile(BOTH)
    folders = [f"kept{number}" for number in range(repeats)]
    for seed, folder in enumerate(folders):
        record(base, seed)
        run("--kernelmap-baseline", folder, "--kernelmap-update").assert_outcomes(passed=1)
    given = [word for folder in folders for word in ("--kernelmap-baseline", folder)]
    record(slower(base, ADDMM, 1.1)[0], 9)
    result = run(*given)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"- call {ADDMM} * same code, 1.*x slower*", "gate: failed for *"])
    run(*given, "--kernelmap-max-regression", "20%").assert_outcomes(passed=1)


@pytest.mark.thorough
def test_quiet_runs_pass(pytester: pytest.Pytester, run: Run, record: Record, base: State) -> None:
    """Fifty recordings of the same code, noise and drift included, and one baseline."""
    pytester.makepyfile(TIMES)
    record(base, 0)
    run("--kernelmap-baseline", "kept", "--kernelmap-update").assert_outcomes(passed=1)
    for seed in range(1, 1 + QUIET):
        record(base, seed)
        run("--kernelmap-baseline", "kept").assert_outcomes(passed=1)


def test_what_is_inconclusive_fails_only_when_asked(
    pytester: pytest.Pytester, run: Run, base: State, record: Record
) -> None:
    """Three steps of half the speed: a note at the end of the run, with strict a failure."""
    pytester.makepyfile(TIMES)
    short = Weather(steps=3, noise=0.0)
    record(base, 0, short)
    run("--kernelmap-baseline", "kept", "--kernelmap-update")
    record(slower(base, ADDMM, 1.5)[0], 1, short)
    given = ("--kernelmap-baseline", "kept")

    plain, strict = run(*given), run(*given, "--kernelmap-strict")
    plain.assert_outcomes(passed=1)
    strict.assert_outcomes(failed=1)
    for result in (plain, strict):
        result.stdout.fnmatch_lines(["*inconclusive: call*", "gate: inconclusive for *"])


def test_a_test_without_a_baseline_says_so(
    pytester: pytest.Pytester, run: Run, record: Record, base: State
) -> None:
    """A new test passes with a note that names the missing file; with strict it fails."""
    pytester.makepyfile(BOTH)
    record(base, 0)
    plain = run("--kernelmap-baseline", "kept")

    plain.assert_outcomes(passed=1)
    plain.stdout.fnmatch_lines(
        [f"*test_step: no baseline kept/*{end}*" for end in (".lock", ".json")]
    )
    run("--kernelmap-baseline", "kept", "--kernelmap-strict").assert_outcomes(failed=1)


def test_every_check_has_a_baseline_of_its_own(
    pytester: pytest.Pytester, run: Run, record: Record, base: State
) -> None:
    """Ids that differ only in what a file name cannot hold, and checks of one test."""
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.parametrize("size", ["a/b", "a-b", "a:b"])
        def test_step(kernelmap_case, size):
            kernelmap_case.check("times")
            kernelmap_case.check("times")
        """
    )
    record(base, 0)
    run("--kernelmap-baseline", "kept", "--kernelmap-update").assert_outcomes(passed=3)

    assert len(list((pytester.path / "kept").iterdir())) == 6


def test_a_folder_of_code_and_profile_has_both(
    pytester: pytest.Pytester, run: Run, samples: Path
) -> None:
    """The profile that lies beside code need not be named: its times are part of the baseline."""
    folder = samples / "sim_mlp_train"
    pytester.makepyfile(f"def test_step(kernelmap_case): kernelmap_case.check({str(folder)!r})")
    run("--kernelmap-baseline", "kept", "--kernelmap-update").assert_outcomes(passed=1)

    kept = sorted(path.suffix for path in (pytester.path / "kept").iterdir())
    assert kept == [".json", ".lock"]
    run("--kernelmap-baseline", "kept").assert_outcomes(passed=1)


def test_what_cannot_be_read_fails_with_a_hint(pytester: pytest.Pytester, run: Run) -> None:
    """The error of kernelmap without a traceback through it; wrong options end the run."""
    pytester.makepyfile("def test_step(kernelmap_case):\n    kernelmap_case.check('nowhere')\n")
    result = run("--kernelmap-baseline", "kept")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["kernelmap: nowhere *", "*"])
    result.stdout.no_fnmatch_line("*pytest_plugin.py:*")
    assert run("--kernelmap-update").ret == pytest.ExitCode.USAGE_ERROR
    assert run("--kernelmap-max-regression", "lots").ret == pytest.ExitCode.USAGE_ERROR


def test_an_unused_plugin_loads_nothing(pytester: pytest.Pytester) -> None:
    """A run without a baseline calls the step once, and no package is loaded for it."""
    pytester.makepyfile(
        """
        import sys
        HEAVY = {"numpy", "pandas", "torch", "click", "msgspec", "kernelmap.history.compare"}
        def test_step(kernelmap_case):
            calls = []
            kernelmap_case.run(lambda: calls.append(1))
            kernelmap_case.check("nowhere")
            assert calls == [1]
            assert not HEAVY & set(sys.modules)
        """
    )
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:kernelmap"]
    done = subprocess.run(  # noqa: S603 -- our own interpreter
        [*line, "-p", "kernelmap.pytest_plugin"],
        env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
