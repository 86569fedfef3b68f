"""Change the core in hundreds of places, one at a time, and name the changes that no test notices.

Each change is a mistake that a person could make: `<` for `<=`, `or` for `and`, a `not` that is
missing, an operand off by one, branches swapped, None given back, a statement left out. A fixed
sample is tried, drawn by a digest of the function's name and the change: the same one when modules
have moved and other code was edited. A survivor is a law that is missing, or a change that makes no
difference to anybody; it is a report, and the exit status says only whether the script ran.

First the tests of the core run once, a file at a time, to see which lines each of them reaches and
how long it takes. Then each change runs the tests that reach its lines until one fails or hangs, in
a fork of a process that has collected them all: those in a folder that bears the package's name,
then the others, the cheapest first, until `--seconds` of tests have run. Tests of a file share what
they make, so the others of these files count as well. Tests that start processes, or that a fresh
checkout skips, do not run: what only they notice survives here. mutmut and cosmic-ray would do, but
the one names changes by numbers and leaves decorated functions out, and the other starts pytest for
each change.

    python scripts/mutants.py --json before.json        # the core: half an hour
    python scripts/mutants.py --again before.json --json after.json    # the same ones, in minutes
    python scripts/mutants.py --code kernelmap/speed/wall --sample 40 --tests tests/speed/wall
    python scripts/mutants.py --code kernelmap/speed/wall --list      # only name them
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from argparse import Namespace
from collections import defaultdict
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from importlib import import_module
from inspect import isfunction
from itertools import groupby
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import coverage
import pytest
import usage
from mutations import Mutant, mutants_of

PROJECT = Path(__file__).resolve().parents[1]
CORE = (
    ("kernelmap/attribution",),
    tuple(
        f"kernelmap/matching/{folder}"
        for folder in ("host_side", "context", "evidence", "graphs", "references", "aligner")
    ),
    tuple(
        f"kernelmap/history/compare/{module}.py"
        for module in (
            "pairing/calls",
            "gate/judging",
            "gate/verdict",
            "numbers/drift",
            "numbers/statistics",
            "numbers/sums",
        )
    ),
)
"""What may be changed; each group gives as many changes as the others."""
TESTS = (
    "tests/attribution",
    "tests/matching",
    "tests/history/compare",
    "tests/model",
    "tests/tables",
    "tests/test_accuracy",
    "tests/test_annotated",
    "tests/test_eager_places",
    "tests/test_incomplete_steps",
    "tests/test_input_worlds",
    "tests/test_like",
    "tests/test_nsys",
    "tests/test_own_ops",
    "tests/test_pipeline",
    "tests/test_recorded_replays",
    "tests/test_thread_case",
    "tests/test_true_answers",
    "tests/test_which",
    "tests/test_worlds",
)
"""What their names begin with."""
ELSEWHERE = "torch", "browser", "packaging", "nsys", "s3", "corpus"
"""Marks of tests that a fresh checkout skips, or that take long for what they say of the core."""
_PATIENCE = 30.0
"""Seconds, and times as long as a test takes on an idle machine: then it hangs."""


@dataclass(slots=True)
class Reach:
    """Which tests reach a line, and how long each of them takes."""

    seconds: dict[str, float] = field(default_factory=dict)
    of_line: dict[tuple[str, int], set[str]] = field(default_factory=lambda: defaultdict(set))

    def tests_of(self, mutant: Mutant, limit: float, first: str) -> tuple[int, list[str]]:
        """How many tests reach a change; those to run, and the others of their files behind.

        `first` is the name of a test that noticed it before, in whatever file that is now.
        """
        direct = {
            test
            for line in mutant.lines
            for test in self.of_line.get((str(mutant.path), line), ())
            if test in self.seconds
        }
        files = {_file(test) for test in direct}
        near = [test for test in self.seconds if _file(test) in files]
        # Tests in a folder that is called like the package say most of it.
        packages = {f"/{folder}/" for folder in mutant.path.relative_to(PROJECT).parts[1:-1]}
        near.sort(
            key=lambda test: (
                _name(test) != first,
                not any(package in test for package in packages),
                test not in direct,
                self.seconds[test],
            )
        )
        spent, run = 0.0, list[str]()
        for test in near:
            spent += self.seconds[test]
            if run and spent > limit:
                break
            run.append(test)
        return len(direct), run


@dataclass(frozen=True, slots=True)
class Tried:
    """A change, and what came of it: which test noticed it, or none; `reached` by so many."""

    key: str
    place: str
    function: str
    change: str
    reached: int
    ran: int
    noticed: str

    def __str__(self) -> str:
        outcome = f"dies of {self.noticed}" if self.noticed else "SURVIVES"
        return f"{self.place} {self.function}: {self.change} ({self.reached} tests): {outcome}"


class Trial:
    """A plugin of pytest that tries changes instead of running the tests that were collected."""

    def __init__(self, mutants: Sequence[Mutant], options: Namespace, output: Any) -> None:  # noqa: ANN401
        self.tried = tried_of(options.json)
        self._before = {row.key: row.noticed for row in tried_of(options.again)}
        tried = {row.key for row in self.tried}
        self._mutants = [mutant for mutant in mutants if mutant.key not in tried]
        self._options, self._output = options, output
        self._items = dict[str, pytest.Item]()
        self._failed = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self) -> None:
        """Generate the same examples each time, and keep none."""
        from hypothesis import settings  # pytest wants to be the one that loads it

        quick = settings.get_profile("quick")
        settings.register_profile("mutants", quick, derandomize=True, database=None)
        settings.load_profile("mutants")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the tests of the core."""
        items[:] = [
            item
            for item in items
            if item.nodeid.startswith(tuple(self._options.tests))
            and not any(map(item.get_closest_marker, ELSEWHERE))
        ]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note that the test that is running failed."""
        self._failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """See what the tests reach; then try one change after the other."""
        self._items = {item.nodeid: item for item in session.items}
        session.config.pluginmanager.unregister(name="terminalreporter")
        reach = self._measure()
        print(f"{len(reach.seconds)} tests, {sum(reach.seconds.values()):.0f} s", file=self._output)
        for mutant in self._mutants:
            first = _name(self._before.get(mutant.key, ""))
            reached, tests = reach.tests_of(mutant, self._options.seconds, first)
            noticed = self._try(mutant, tests, reach.seconds)
            words = _place(mutant), mutant.place.function, mutant.change
            self.tried.append(Tried(mutant.key, *words, reached, len(tests), noticed))
            print(self.tried[-1], file=self._output, flush=True)
            if self._options.json:
                rows = list(map(asdict, self.tried))
                self._options.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
        return True

    def _measure(self) -> Reach:
        """Run all tests with nothing changed; a file's in one process, with what they share."""
        reach = Reach()
        for file, tests in groupby(self._items, key=_file):
            for message in _forked(self._run_measured, list(tests), defaultdict(lambda: 900.0)):
                test, seconds, failed, lines = message
                if not failed:
                    reach.seconds[test] = seconds
                for line in lines:
                    reach.of_line[line].add(test)
            spent = sum(reach.seconds[test] for test in reach.seconds if _file(test) == file)
            print(f"{file}: {spent:.1f} s", file=self._output, flush=True)
        return reach

    def _run_measured(self, tests: Sequence[str], connection: Connection) -> None:
        folders = {str(mutant.path.parent / "*") for mutant in self._mutants}
        measured = coverage.Coverage(data_file=None, config_file=False, include=sorted(folders))
        measured.set_option("run:disable_warnings", ["no-data-collected"])
        for test, following in zip(tests, [*tests[1:], ""], strict=True):
            measured.erase()
            measured.start()
            seconds, failed = self._run(test, following)
            measured.stop()
            data = measured.get_data()
            lines = [
                (path, line) for path in data.measured_files() for line in data.lines(path) or ()
            ]
            connection.send((test, seconds, failed, lines))

    def _try(self, mutant: Mutant, tests: list[str], seconds: Mapping[str, float]) -> str:
        """The test that notices a change; empty where none does."""
        # Tests of one file stand side by side: what they share is made once.
        place = {_file(test): at for at, test in reversed(list(enumerate(tests)))}
        tests = sorted(tests, key=lambda test: place[_file(test)])
        limits = {test: _PATIENCE * (1 + seconds[test]) for test in tests}

        def run(tests: Sequence[str], connection: Connection) -> None:
            swap(mutant)
            for test, following in zip(tests, [*tests[1:], ""], strict=True):
                _, failed = self._run(test, following)
                connection.send((test, failed))

        passed = 0
        with closing(_forked(run, tests, limits)) as messages:
            for test, failed in messages:
                if failed:
                    return str(test)
                passed += 1
        return f"{tests[passed]} (ended or too long)" if passed < len(tests) else ""

    def _run(self, test: str, following: str) -> tuple[float, bool]:
        item, self._failed = self._items[test], False
        begin = time.process_time()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=self._items.get(following))
        return time.process_time() - begin, self._failed


def _place(mutant: Mutant) -> str:
    return f"{mutant.path.relative_to(PROJECT)}:{mutant.place.statement.lineno}"


def _file(test: str) -> str:
    return test.partition("::")[0]


def _name(test: str) -> str:
    return test.rpartition("::")[2].partition(" (")[0]


def _forked(run: Any, tests: list[str], limits: Mapping[str, float]) -> Generator[Any, None, None]:  # noqa: ANN401
    """What a forked process says of each test; it is ended when it is late, or no more is asked."""
    here, there = get_context("fork").Pipe(duplex=False)

    def child() -> None:
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            os.dup2(nowhere.fileno(), 1)
        here.close()
        run(tests, there)

    process = get_context("fork").Process(target=child)
    process.start()
    there.close()
    try:
        for test in tests:
            if not here.poll(limits[test]):
                return
            yield here.recv()
    except EOFError:  # it ended before its time
        return
    finally:
        process.kill()
        process.join()


def swap(mutant: Mutant) -> None:
    """Put the changed code into the function that is loaded, for all who hold it."""
    module = import_module(".".join(mutant.path.relative_to(PROJECT).with_suffix("").parts))
    function = _loaded(module, mutant)
    codes = [compile(mutant.mutated(), mutant.path, "exec")]
    for code in codes:
        codes += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
        if (code.co_name, code.co_firstlineno) == (
            function.__code__.co_name,
            function.__code__.co_firstlineno,
        ):
            function.__code__ = code
            return
    raise LookupError(mutant.place.function)


def _loaded(module: object, mutant: Mutant) -> FunctionType:
    """The function itself, below what decorates it."""
    loaded: Any = module
    for name in mutant.place.function.split("."):
        loaded = vars(loaded)[name]
    while not isfunction(loaded) or hasattr(loaded, "__wrapped__"):
        inner = ("__wrapped__", "__func__", "fget", "func")
        loaded = next(getattr(loaded, name) for name in inner if hasattr(loaded, name))
    return loaded


def drawn(options: Namespace, again: Collection[str]) -> list[Mutant]:
    """The changes to try: those of a list that can still be made, or as many of each group."""
    groups = [options.code] if options.code else CORE
    chosen = list[Mutant]()
    for group in groups:
        files = [
            file
            for path in map(PROJECT.joinpath, group)
            for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])
        ]
        mutants = [mutant for file in files for mutant in mutants_of(file)]
        if again:
            chosen += [mutant for mutant in mutants if mutant.key in again]
            continue
        named = [mutant for mutant in mutants if options.only in mutant.place.function]
        chosen += sorted(named, key=lambda mutant: mutant.key)[: options.sample // len(groups)]
    return sorted(chosen, key=lambda mutant: mutant.key)


def tried_of(path: Path | None) -> list[Tried]:
    """A list that was written before; empty where there is none."""
    if path is None or not path.exists():
        return []
    return [Tried(**row) for row in json.loads(path.read_text("utf-8"))]


def summary(tried: Sequence[Tried], before: Sequence[Tried]) -> Iterator[str]:
    """How many survive; of a list that was tried before, which survive only now, and which died."""
    alive = {row.key for row in tried if not row.noticed}
    yield f"{len(alive)} of {len(tried)} survive"
    if before:
        was_alive = {row.key for row in before if not row.noticed}
        gone = {row.key for row in before} - {row.key for row in tried}
        yield f"before: {len(was_alive)} of {len(before)}; {len(gone)} can no longer be made"
        yield from (f"only now: {row}" for row in tried if row.key in alive - was_alive)
        yield from (f"no longer: {row}" for row in tried if row.key in was_alive - alive)


def main() -> None:
    """Try the changes that are asked for, and print what became of them."""
    parser = usage.parser(__doc__)
    parser.add_argument(
        "--code", nargs="+", metavar="PATH", help="what is changed, if not the core"
    )
    parser.add_argument(
        "--tests", nargs="+", default=TESTS, metavar="PATH", help="who should see it"
    )
    parser.add_argument("--sample", type=int, default=300, metavar="N", help="so many (300)")
    parser.add_argument("--seconds", type=float, default=20, help="of tests for one change (20)")
    parser.add_argument("--only", default="", metavar="WORD", help="in the name of its function")
    parser.add_argument("--json", type=Path, help="the list; one that is there is gone on with")
    parser.add_argument(
        "--again", type=Path, help="a list: its changes, compared with what it says"
    )
    parser.add_argument("--list", action="store_true", help="only name the changes")
    options = parser.parse_args()
    before = tried_of(options.again)
    mutants = drawn(options, {tried.key for tried in before})
    if options.list:
        for mutant in mutants:
            print(_place(mutant), mutant.place.function, mutant.change)
        return
    os.chdir(PROJECT)
    sys.dont_write_bytecode = True
    output = os.fdopen(os.dup(1), "w")
    trial = Trial(mutants, options, output)
    with tempfile.TemporaryDirectory() as folder:
        pytest.main(
            ["-q", "-p", "no:randomly", "-p", "no:cacheprovider", f"--basetemp={folder}/t", "-n0"],
            plugins=[trial],
        )
    print(*summary(trial.tried, before), sep="\n")


if __name__ == "__main__":
    main()
