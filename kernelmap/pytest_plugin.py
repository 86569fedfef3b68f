"""The pytest plugin: the fixture `kernelmap_case` holds a test's steps against a baseline.

    def test_training(kernelmap_case):
        step = make_step()
        kernelmap_case.run(step)

A plain run of pytest calls the step once and records nothing. `--kernelmap-baseline FOLDER` records
steps and fails the test where the code is not what the folder's lock says, or where `kernelmap
gate` would fail; `--kernelmap-update` writes the folder. Nothing of kernelmap is loaded before a
test checks a recording.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from kernelmap.capture import capture
from kernelmap.capture.plan import STEPS
from kernelmap.errors import KernelmapError
from kernelmap.options import share

if TYPE_CHECKING:
    from kernelmap.history.compare.opening import Opened

_NOTE = "kernelmap"  # the user property under which a report carries what did not fail
_COMPILING = 20  # steps that may compile before the recording has to begin


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin."""
    group = parser.getgroup("kernelmap", "times and fusions of compiled code")
    group.addoption(
        "--kernelmap-baseline",
        action="append",
        default=[],
        type=Path,
        metavar="FOLDER",
        help="Fail tests that use kernelmap_case where they differ from this folder;"
        " several folders are repeats.",
    )
    group.addoption(
        "--kernelmap-update",
        action="store_true",
        help="Write the folder of --kernelmap-baseline instead.",
    )
    group.addoption(
        "--kernelmap-max-regression",
        type=share,
        default="3%",
        metavar="SHARE",
        help="Fail where something takes longer by more than this, and not by chance (3%%).",
    )
    group.addoption(
        "--kernelmap-strict",
        action="store_true",
        help="Fail as well where the answer is inconclusive, or where a test has no baseline.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse options that cannot be followed."""
    folders = config.getoption("kernelmap_baseline")
    if config.getoption("kernelmap_update") and len(folders) != 1:
        raise pytest.UsageError("--kernelmap-update writes one folder: --kernelmap-baseline FOLDER")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List what did not fail and is worth a look: inconclusive answers and missing baselines."""
    lines = [
        f"{report.nodeid}: {text}"
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport) and report.when == "call"
        for key, text in report.user_properties
        if key == _NOTE
    ]
    if lines:
        terminalreporter.section("kernelmap")
        for line in lines:
            terminalreporter.write_line(line)


@pytest.fixture
def kernelmap_case(request: pytest.FixtureRequest, tmp_path: Path) -> TimedCase:
    """Records steps of a test, and fails it where they are slower or fused otherwise."""
    option = request.config.getoption
    return TimedCase(
        node=request.node,
        folder=tmp_path,
        baselines=tuple(option("kernelmap_baseline")),
        update=option("kernelmap_update"),
        regression=option("kernelmap_max_regression"),
        strict=option("kernelmap_strict"),
    )


@dataclass(kw_only=True)
class TimedCase:
    """One test beside its baseline; `regression` is a ratio, 0.03 for 3 %.

    A baseline folder holds `NAME.lock` and `NAME.json` of each check of a test; further checks of
    the same test have a number behind the name.
    """

    node: pytest.Item
    folder: Path
    baselines: tuple[Path, ...]
    update: bool
    regression: float
    strict: bool
    checks: int = field(default=0, init=False)

    def run(self, step: Callable[[], object], *, warmup: int = 2, steps: int = STEPS) -> None:
        """Call `step` until `steps` of them are recorded, and check the recording.

        Recording begins `warmup` steps after the last compilation. Without a baseline the step runs
        once. Fails the test as `check` does, and where nothing could be recorded.
        """
        if not self.baselines:
            step()
            return
        from kernelmap.model.bundle import State, read_manifest

        bundle = self.folder / f"kernelmap-bundle-{self.checks}"
        try:
            with capture(bundle, warmup=warmup, steps=steps) as recording:
                # As many steps as the recording needs at most, some that still compile included.
                for _ in range(warmup + steps + _COMPILING):
                    step()
                    recording.step()
                    if recording.done:
                        break
            manifest = read_manifest(bundle)
        except KernelmapError as error:
            _fail(error)
        if manifest.state is not State.COMPLETE:
            pytest.fail(
                f"kernelmap: the recording is {manifest.state}: {manifest.why}", pytrace=False
            )
        self.check(bundle)

    def check(self, *inputs: str | PathLike[str]) -> None:
        """Hold one recording against the baseline: a bundle, code with a profile, a saved result.

        Code alone is held against the lock only, a saved result against times only. Fails the test
        with the changes of the code and the reasons of the gate; where the answer is inconclusive,
        or nothing is there to compare with, it passes with a note unless `strict`.
        """
        if not self.baselines:
            return
        self.checks += 1
        paths = [Path(given) for given in inputs]
        try:
            problems, doubts = self._written(paths) if self.update else self._checked(paths)
        except KernelmapError as error:
            _fail(error)
        if self.strict:
            problems, doubts = [*problems, *doubts], []
        self.node.user_properties += [(_NOTE, text) for text in doubts]
        if problems:
            pytest.fail("\n".join(["kernelmap:", *problems]), pytrace=False)

    @property
    def name(self) -> str:
        """The name of the check that runs, in a baseline folder: one for each id of a test."""
        # The digest keeps ids apart whose readable part is cut off or the same.
        readable = re.sub(r"[^\w.-]+", "-", self.node.nodeid).strip("-")[-100:]
        number = "" if self.checks == 1 else f"-{self.checks}"
        return f"{readable}-{sha256(self.node.nodeid.encode()).hexdigest()[:8]}{number}"

    def _written(self, paths: Sequence[Path]) -> tuple[list[str], list[str]]:
        """Write the baseline; there is nothing to complain about."""
        from kernelmap.history.compare.lock import dump_lock, lock_of
        from kernelmap.pages.write import write_files, write_tables

        (folder,) = self.baselines
        folder.mkdir(parents=True, exist_ok=True)
        has_code, has_times = _contents(paths)
        if has_code:
            graphs, _, files = lock_of(paths)
            text = dump_lock(graphs).encode()
            write_files({folder / f"{self.name}.lock": lambda to: to.writelines([text])}, files)
        if has_times:
            opened = _opened(paths)
            place = folder / f"{self.name}.json"
            write_tables(opened.side.tables, place, launches=True, inputs=opened.files)
        return [], []

    def _checked(self, paths: Sequence[Path]) -> tuple[list[str], list[str]]:
        """What fails, and what is only to be said."""
        has_code, has_times = _contents(paths)
        problems: list[str] = []
        doubts: list[str] = []
        for suffix, is_there, compared in (
            (".lock", has_code, self._code),
            (".json", has_times, self._times),
        ):
            places = [folder / f"{self.name}{suffix}" for folder in self.baselines]
            # Of several baseline folders, those that lack this check are passed over.
            kept = [place for place in places if place.exists()]
            # A first check has nothing to compare with, which is no failure.
            if is_there and not kept:
                doubts.append(f"no baseline {places[0]}; --kernelmap-update writes it")
            elif is_there:
                failing, doubtful = compared(paths, kept)
                problems += failing
                doubts += doubtful
        return problems, doubts

    def _code(self, paths: Sequence[Path], kept: Sequence[Path]) -> tuple[list[str], list[str]]:
        from kernelmap.history.compare.lock_review import review_code

        # Several folders are repeats of one baseline: the first one's lock is asked.
        text = review_code(kept[0], paths).changes
        return ([f"the code is not what {kept[0]} says:", text.rstrip()] if text else []), []

    def _times(self, paths: Sequence[Path], kept: Sequence[Path]) -> tuple[list[str], list[str]]:
        from kernelmap.history.compare.gate import speak_verdict
        from kernelmap.history.compare.gate_limits import GateLimits
        from kernelmap.history.compare.gate_times import judge_recording

        older = [_opened([place]) for place in kept]
        limits = GateLimits(regression=self.regression)
        comparison, verdict = judge_recording(_opened(paths), older, limits)
        text = speak_verdict(comparison, verdict)
        if not verdict.passed:
            return [text], []
        return [], [] if verdict.conclusive else [text]


def _contents(paths: Sequence[Path]) -> tuple[bool, bool]:
    """Whether there is code among the inputs, and whether there are times."""
    from kernelmap.inputs import sort, traces_in_folder
    from kernelmap.tables.saved import is_saved

    if any(is_saved(path) for path in paths):
        return False, True
    inputs = sort(paths)
    beside = (traces_in_folder(path) for path in paths if path.is_dir())
    return bool(inputs.code), bool(inputs.traces) or any(beside)


def _opened(paths: Sequence[Path]) -> Opened:
    """A recording or a baseline; raises RefusedError where it bears no figures to compare."""
    from kernelmap.bearing import find_refusals, refuse
    from kernelmap.history.compare.opening import open_inputs

    opened = open_inputs(paths)
    for notice in find_refusals(opened.notices):
        raise refuse(notice, otherwise=f"It is {opened.side.title}.")
    return opened


def _fail(error: KernelmapError) -> NoReturn:
    pytest.fail(f"kernelmap: {error.message}\n{error.hint}", pytrace=False)
