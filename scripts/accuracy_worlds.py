"""How right we are where we know it: generated code played in simulated worlds, by situation.

    python scripts/accuracy_worlds.py                    # the shipped samples, about a minute
    python scripts/accuracy_worlds.py FOLDER...          # and every program in the folders
    python scripts/accuracy_worlds.py --only replay      # situations whose name has the word
    python scripts/accuracy_worlds.py --seeds 41 42      # other seeds than the page's
    python scripts/accuracy.py FOLDER...                 # into docs/accuracy.md

Each situation is a world (tests/worlds/situations.py) and what is known of its code. Shares are of
time, over all programs and seeds together. Nothing here was recorded: library kernels, eager work
and durations are invented.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from kernelmap.compiler import load_compiled  # noqa: E402 -- after the line above
from kernelmap.errors import KernelmapError  # noqa: E402 -- as above
from kernelmap.matching import match  # noqa: E402 -- as above
from kernelmap.model import CompiledProgram, Confidence  # noqa: E402 -- as above
from worlds import simulate  # noqa: E402 -- as above
from worlds.recordings import recorded  # noqa: E402 -- as above
from worlds.situations import (  # noqa: E402 -- as above
    SITUATIONS,
    Case,
    Situation,
    unique,
)

_ALIKE = 0.5
SAMPLES = PROJECT / "sample_traces"
SEEDS = range(1, 4)


Seen = tuple[Confidence, bool, bool]
"""What was said of a launch, whether a given call made it, and whether what was said is true."""


@dataclass(frozen=True, slots=True)
class Score:
    """Nanoseconds of launches by what was said of them.

    Of an ambiguous launch it is true that the call is among those named, of one outside of calls
    or unknown that no given call made it.
    """

    times: Counter[Seen]

    def share(self, confidence: Confidence) -> float | None:
        """The share of compiled time that got `confidence`; None without compiled time."""
        compiled = self._sum(inside=True)
        return self._sum(confidence, inside=True) / compiled if compiled else None

    def right(self, confidence: Confidence) -> float | None:
        """The share of what got `confidence`, outside launches included, that is true."""
        said = self._sum(confidence)
        return self._sum(confidence, true=True) / said if said else None

    @property
    def covered(self) -> float | None:
        """The share of compiled time that got a call."""
        shares = [self.share(each) for each in (Confidence.EXACT, Confidence.INFERRED)]
        return sum(share or 0.0 for share in shares) if shares[0] is not None else None

    @property
    def claimed(self) -> float | None:
        """The share of all other time that was given to a call."""
        other = self._sum(inside=False)
        said = sum(
            self._sum(each, inside=False) for each in (Confidence.EXACT, Confidence.INFERRED)
        )
        return said / other if other else None

    def _sum(
        self,
        confidence: Confidence | None = None,
        *,
        inside: bool | None = None,
        true: bool | None = None,
    ) -> int:
        wanted = (confidence, inside, true)
        return sum(
            time
            for seen, time in self.times.items()
            if all(want in (None, has) for want, has in zip(wanted, seen, strict=True))
        )


def score(situation: Situation, case: Case, seed: int, folder: Path) -> Counter[Seen]:
    """Simulate, read back from disk, match, and compare with the truth."""
    simulated = simulate(case.runs, replace(situation.world, seed=seed))
    trace, truth = recorded(simulated, case.runs, situation.recording, folder)
    result = match(case.given, trace)
    given = {graph.id for graph in case.given.graphs}
    # Graphs that only the trace knows are no answer here.
    calls = [(graph.id, call.index) for graph, call in result.program.calls]
    times: Counter[Seen] = Counter()
    for row, true in enumerate(truth):
        inside = true.call is not None and true.graph in given
        call = int(result.matching.call[row])
        named = [calls[it] for it in ([call] if call >= 0 else result.matching.candidates_of(row))]
        confidence = Confidence(int(result.matching.confidence[row]))
        if call >= 0 and named[0][0] not in given:
            confidence, named = Confidence.UNKNOWN, []
        right = (true.graph, true.call) in named if named else not inside
        times[confidence, inside, right] += true.dur_ns
    return times


def measured(
    situation: Situation, programs: Sequence[CompiledProgram], seeds: Iterable[int]
) -> Score:
    """The score of one situation over all programs and seeds."""
    total: Counter[Seen] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            for number, program in enumerate(programs):
                case = situation.cases(program, _other(programs, number))
                if case is not None:
                    total += score(situation, case, seed, Path(folder))
    return Score(total)


def _other(programs: Sequence[CompiledProgram], number: int) -> CompiledProgram:
    """The next program that is another one: less than half of its kernels bear the same names.

    Nothing but the host side tells programs apart that run the same.
    """
    own = _kernels(programs[number])
    following = [*programs[number + 1 :], *programs[:number]]
    return next(
        (it for it in following if len(_kernels(it) & own) < _ALIKE * len(_kernels(it))),
        programs[number],
    )


def _kernels(program: CompiledProgram) -> set[str]:
    return {kernel.name for graph in program.graphs for kernel in graph.kernels}


_COLUMNS = (
    "situation",
    "exact",
    "right",
    "inferred",
    "right",
    "ambiguous",
    "true call named",
    "no call",
    "outside claimed",
)
HEAD = (f"| {' | '.join(_COLUMNS)} |", f"|---|{'---:|' * (len(_COLUMNS) - 1)}")


def row(situation: Situation, found: Score) -> str:
    """One line of the table."""
    judged = (Confidence.EXACT, Confidence.INFERRED, Confidence.AMBIGUOUS)
    cells = [share for each in judged for share in (found.share(each), found.right(each))]
    none = [found.share(each) for each in (Confidence.OUTSIDE, Confidence.UNKNOWN)]
    cells += [sum(share or 0.0 for share in none), found.claimed]
    return f"| {situation.name} | {' | '.join(map(_percent, cells))} |"


def table(
    programs: Sequence[CompiledProgram],
    seeds: Sequence[int],
    situations: Iterable[Situation] = SITUATIONS,
) -> Iterator[str]:
    """The lines of the table, as they are measured."""
    yield from HEAD
    for situation in situations:
        yield row(situation, measured(situation, programs, seeds))


def programs_in(*folders: Path) -> list[CompiledProgram]:
    """Every program below `folders` that launches generated kernels on a GPU, once."""
    found: dict[tuple[str, ...], CompiledProgram] = {}
    for path in sorted(it for folder in folders for it in folder.iterdir()):
        try:
            program = load_compiled(path)
        except KernelmapError:
            continue
        calls = [call for graph in program.graphs for call in graph.calls]
        # C++ wrappers run without torch.compile's ranges: no world plays them.
        if any(call.recorded is not None for call in calls):
            continue
        if {call.backend for call in calls} - {"cpp", "extern", "glue"}:
            found.setdefault(tuple(call.wrapper for call in calls), unique(program))
    return list(found.values())


HEADING = "## In simulated worlds\n"
_INTRODUCTION = """
Generated code of {programs} programs, played by `tests/worlds` with {seeds} seeds each: profiles in
which it is known what launched every kernel. A third of the launches is eager work of the same
kinds, the first invocation autotunes, the window cuts the first and the last step, and 1 % of the
events is lost. Nothing was recorded: library kernels, eager work and durations are invented.

`exact`, `inferred`, `ambiguous` and `no call` are shares of the compiled GPU time; `right` is the
share of what was said, about whatever launch, that is true. `outside claimed` is the share of all
other GPU time that was given to a call. A program without the code that ran, or with two calls
that nothing tells apart, cannot be covered. `tests/test_accuracy.py` holds every row to a goal.

"""


def section(folders: Iterable[Path]) -> str:
    """What docs/accuracy.md says of worlds: of the samples' code and that in `folders`."""
    programs = programs_in(SAMPLES, *folders)
    lines = "\n".join(table(programs, SEEDS))
    return HEADING + _INTRODUCTION.format(programs=len(programs), seeds=len(SEEDS)) + lines + "\n"


def _percent(share: float | None) -> str:
    """Rounded, but nothing is called whole that is not, nor nothing that is something."""
    if share is None:
        return "-"
    digits = next((it for it in (1, 2, 3) if share in (0, 1) or 0 < round(share, it + 2) < 1), 3)
    return f"{100 * share:.{digits}f} %" if share not in (0, 1) else f"{100 * share:.0f} %"


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path, help="folders of folders with code")
    parser.add_argument("--seeds", type=int, nargs="*", default=SEEDS)
    parser.add_argument("--only", default="", help="situations whose name has this word")
    chosen = parser.parse_args()
    programs = programs_in(SAMPLES, *chosen.folders)
    wanted = [each for each in SITUATIONS if chosen.only in each.name]
    for line in table(programs, chosen.seeds, wanted):
        print(line, flush=True)


if __name__ == "__main__":
    main()
