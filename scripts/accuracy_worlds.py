"""Generated code played in simulated worlds: the rows of docs/accuracy.md, and their tallies.

Each row is a kind of world and what is known of the code in it. Some play the code of programs that
torch compiled (tests/worlds/situations.py), the others write programs of their own
(tests/worlds/hard.py). Library kernels, eager work and durations are invented.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests"), str(PROJECT / "scripts")]

from accuracy_scores import Tally, judge  # noqa: E402 -- after the line above
from gpu_cases.sample import TRUTH  # noqa: E402 -- as above

from kernelmap.compiler import load_compiled  # noqa: E402 -- as above
from kernelmap.errors import KernelmapError  # noqa: E402 -- as above
from kernelmap.matching import match_launches  # noqa: E402 -- as above
from kernelmap.matching.match import STRATEGIES, Strategy  # noqa: E402 -- as above
from kernelmap.model import CompiledProgram  # noqa: E402 -- as above
from worlds import simulate  # noqa: E402 -- as above
from worlds.hard import ROWS, Row  # noqa: E402 -- as above
from worlds.recordings import Recording, recorded  # noqa: E402 -- as above
from worlds.situations import SITUATIONS, Case, Situation, unique  # noqa: E402 -- as above
from worlds.world import World  # noqa: E402 -- as above

_ALIKE = 0.5
SAMPLES = PROJECT / "sample_traces"


@dataclass(frozen=True, slots=True)
class Played:
    """A world: a program as it runs and as it is given, and how the profile is recorded."""

    case: Case
    world: World
    recording: Recording

    def tally(self, folder: Path, strategies: Sequence[Strategy] = STRATEGIES) -> Tally:
        """Simulate, read back from disk, match, and compare with the truth."""
        simulated = simulate(self.case.runs, self.world)
        trace, truth = recorded(simulated, self.case.runs, self.recording, folder)
        given, runs = self.case.given, self.case.runs
        result = match_launches(given, trace, strategies)
        tally = judge(given, result, truth, f"{runs.files[:1]} {self.world.seed}")
        missing = {graph.id for graph in runs.graphs} - {graph.id for graph in given.graphs}
        tally.withheld = bool(missing)
        return tally


@dataclass(frozen=True, slots=True)
class Measure:
    """A row: its name, the worlds of a seed, and whether launches say nothing of their host."""

    name: str
    worlds: Callable[[int], Iterator[Played]]
    hostless: bool
    written: bool

    def tally(self, seeds: Iterable[int], strategies: Sequence[Strategy] = STRATEGIES) -> Tally:
        """All worlds of all seeds together."""
        total = Tally()
        with tempfile.TemporaryDirectory() as folder:
            for seed in seeds:
                for world in self.worlds(seed):
                    total += world.tally(Path(folder), strategies)
        return total


def measures(programs: Sequence[CompiledProgram], word: str = "") -> list[Measure]:
    """The rows with `word` in their name: over `programs`, then over programs of their own."""
    over = (
        Measure(
            situation.name,
            partial(_over_programs, situation, programs),
            _hostless(situation.world, situation.recording),
            written=False,
        )
        for situation in SITUATIONS
    )
    over_written = (
        Measure(
            written_row.name,
            partial(_written, written_row),
            _hostless(written_row.world, written_row.recording),
            written=True,
        )
        for written_row in ROWS
    )
    return [measure for measure in (*over, *over_written) if word in measure.name]


def _hostless(world: World, recording: Recording) -> bool:
    """Whether launches have no host side: none was recorded, or a replay has one for all."""
    return (
        not world.host or recording == "nsys bare" or (world.cuda_graphs and recording == "kineto")
    )


def _over_programs(
    situation: Situation, programs: Sequence[CompiledProgram], seed: int
) -> Iterator[Played]:
    for number, program in enumerate(programs):
        case = situation.cases(program, _other(programs, number))
        if case is not None:
            yield Played(case, replace(situation.world, seed=seed), situation.recording)


def _written(row: Row, seed: int) -> Iterator[Played]:
    yield Played(row.case(seed), row.played(seed), row.recording)


def _other(programs: Sequence[CompiledProgram], number: int) -> CompiledProgram:
    """The next program that differs: less than half of its kernels have names of this one's.

    Only the host side could distinguish two programs that run the same kernels.
    """
    kernels = _kernels(programs[number])
    following = [*programs[number + 1 :], *programs[:number]]
    return next(
        (it for it in following if len(_kernels(it) & kernels) < _ALIKE * len(_kernels(it))),
        programs[number],
    )


def _kernels(program: CompiledProgram) -> set[str]:
    return {kernel.name for graph in program.graphs for kernel in graph.kernels}


def programs_in(*folders: Path) -> list[CompiledProgram]:
    """Every program below `folders` that launches generated kernels on a GPU, once.

    Recordings with a truth are judged by that, and are played in no world.
    """
    program_of_wrappers: dict[tuple[str, ...], CompiledProgram] = {}
    for path in (it for folder in folders for it in sorted(folder.iterdir())):
        if (path / TRUTH).exists():
            continue
        try:
            program = load_compiled(path)
        except KernelmapError:
            continue
        calls = [call for graph in program.graphs for call in graph.calls]
        # C++ wrappers run without torch.compile's ranges: no world plays them.
        if any(call.recorded is not None for call in calls):
            continue
        if {call.backend for call in calls} - {"cpp", "extern", "glue"}:
            program_of_wrappers.setdefault(tuple(call.wrapper for call in calls), unique(program))
    return list(program_of_wrappers.values())
