"""What all tests share: where real inputs lie, golden texts, and what to skip without."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

import compiled_once
import printed_documents
from cpu_times import CpuTimes
from examples import is_quick, sample
from golden_text import Golden

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LEFT_OUT = pytest.StashKey[tuple[int, int]]()
"""How many tests were left out as `thorough`, and how many cases of tests that are `sampled`."""
ROOT = Path(__file__).resolve().parent.parent

# CI tries the same examples each time, so a red run names what a change broke. New examples are
# found on machines of people, and by `make test-long`.
settings.register_profile("steady", deadline=None, print_blob=True, derandomize=True)
_FRESH = settings(settings.get_profile("steady"), derandomize=False)
settings.register_profile("quick", _FRESH, max_examples=25)
settings.register_profile("long", _FRESH, max_examples=1000)
settings.load_profile("quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden texts")
    parser.addoption("--cpu-times", type=Path, metavar="FILE", help="measure what each test takes")


def pytest_configure(config: pytest.Config) -> None:
    """Let torch, wherever a test starts it, compile the same code once, and try out no compiler.

    Before its first program a process tries whether the compiler knows the instructions of the
    machine, which it takes for granted here.
    """
    os.environ.setdefault("TORCHINDUCTOR_VEC_ISA_OK", "1")
    if config.getoption("--cpu-times"):
        config.pluginmanager.register(CpuTimes(config, Path(config.getoption("--cpu-times"))))
    kept = getattr(config, "cache", None)  # None with -p no:cacheprovider
    if kept is not None:
        with suppress(OSError):  # a checkout that is read-only: every test compiles for itself
            compiled_once.put_first(kept.mkdir("compiled"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One worker more than cores for `-n auto`: one of them waits for a browser or a server."""
    return (os.cpu_count() or 1) + 1


def pytest_collection() -> None:
    """Collect no garbage while tests are collected: nearly all that is made then stays."""
    gc.disable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not for every run, and skip what this machine lacks, with the reason."""
    if is_quick() and config.args == _all_tests(config):
        _leave_out(config, items)
    lacking = {
        "corpus": None if _corpus().is_dir() else f"no corpus at {_corpus()} (KERNELMAP_CORPUS)",
        "browser": None if _chromium() else "no chromium on PATH",
        "torch": None if find_spec("torch") else "torch is not installed (make test TORCH=…)",
        "nsys": None
        if shutil.which("nsys") and find_spec("nvtx")
        else "no nsys on PATH, or no nvtx",
    }
    for item in items:
        for mark, reason in lacking.items():
            if reason and item.get_closest_marker(mark):
                item.add_marker(pytest.mark.skip(reason=reason))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker says what it left out: all of them leave out the same."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["left_out"] = session.config.stash.get(LEFT_OUT, (0, 0))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401 -- xdist's, which may be missing
    """Keep what a worker said."""
    said = getattr(node, "workeroutput", {}).get("left_out", (0, 0))
    node.config.stash[LEFT_OUT] = tuple(said)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say how many tests are for other runs."""
    tests, cases = config.stash.get(LEFT_OUT, (0, 0))
    if tests or cases:
        words = f"{tests} thorough tests and {cases} cases of sampled ones are left out"
        terminalreporter.write_line(f"{words} (make test THOROUGH=1)")


def _all_tests(config: pytest.Config) -> list[str]:
    """The arguments of a run in which no file or folder is named."""
    return list(config.getini("testpaths"))


def _leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is `thorough`, and three of four cases of what is `sampled`."""
    thorough = {item.nodeid for item in items if item.get_closest_marker("thorough")}
    sampled = {item.nodeid for item in items if item.get_closest_marker("sampled")} - thorough
    left_out = thorough | (sampled - sample(sampled))
    config.stash[LEFT_OUT] = (len(thorough), len(left_out) - len(thorough))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
    items[:] = [item for item in items if item.nodeid not in left_out]


def pytest_collection_finish() -> None:
    """Keep modules and tests out of garbage collections: they live to the end, and are many.

    Visiting them again and again takes a tenth of the time of tests that make many objects. What
    tests make is looked at as rarely as the program does (kernelmap/__main__.py).
    """
    gc.set_threshold(100_000)
    gc.enable()
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real inputs; tests that use it carry the mark `corpus`."""
    if not _corpus().is_dir():
        pytest.skip(f"no corpus at {_corpus()} (set KERNELMAP_CORPUS)")
    return _corpus()


@pytest.fixture(scope="session", autouse=True)
def _printed_documents_hold_to_their_schemas() -> Iterator[None]:
    """Whatever document a command prints in any test, its schema in the package describes it."""
    with printed_documents.checked():
        yield


@pytest.fixture(scope="session")
def samples() -> Path:
    """The shipped sample traces."""
    return ROOT / "sample_traces"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The chromium of a session; tests open contexts of their own, and carry the mark `browser`."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare a text with `golden/<name>` beside the test; --update-golden rewrites it."""

    def compare(name: str, text: str) -> None:
        path = request.path.parent / "golden" / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")

        assert text == path.read_text(encoding="utf-8")

    return compare


def _chromium() -> str | None:
    """The chromium on PATH; that without a window draws the same with a third less work."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


def _corpus() -> Path:
    return Path(os.environ.get("KERNELMAP_CORPUS", ROOT.parent / "shared" / "corpus"))
