"""How right we are where we know it: generated code played in simulated worlds, by situation.

    python scripts/accuracy_worlds.py                      # the shipped samples, about a minute
    python scripts/accuracy_worlds.py FOLDER... --seeds 3  # and every program in the folders
    python scripts/accuracy_worlds.py --only replay        # situations whose name has the word

Each situation is a world (tests/worlds) and what is known of its code. Shares are of time, over all
programs and seeds together. Nothing here was recorded: library kernels and durations are invented.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from kernelmap.compiler import load_compiled  # noqa: E402 -- after the line above
from kernelmap.errors import KernelmapError  # noqa: E402 -- as above
from kernelmap.matching import match  # noqa: E402 -- as above
from kernelmap.model import CompiledGraph, CompiledProgram, Confidence  # noqa: E402 -- as above
from kernelmap.traces import load_trace  # noqa: E402 -- as above
from worlds import World, simulate  # noqa: E402 -- as above

_ALIKE = 0.5
SAMPLES = PROJECT / "sample_traces"
NOISY = World(drop=0.01, cut=True)
BARE = replace(NOISY, host=False)
LEGACY = replace(BARE, names="legacy")
REPLAY = replace(NOISY, replay="one stream")


@dataclass(frozen=True, slots=True)
class Case:
    """A program as it runs, and the code of it that is given."""

    runs: CompiledProgram
    given: CompiledProgram


@dataclass(frozen=True, slots=True)
class Situation:
    """A world, and what is known of its code; `cases` gives none for a program that cannot be so.

    `cases` takes the program and another one that may run beside it.
    """

    name: str
    world: World
    cases: Callable[[CompiledProgram, CompiledProgram], Case | None]


@dataclass(slots=True)
class Score:
    """Nanoseconds of compiled and other launches, by what was said of them."""

    compiled: int = 0
    outside: int = 0
    exact: int = 0
    exact_right: int = 0
    inferred: int = 0
    inferred_right: int = 0
    ambiguous: int = 0
    ambiguous_right: int = 0
    claimed: int = 0
    covered: int = 0

    def add(self, other: Score) -> None:
        """Add the times of another score."""
        for name in _TIMES:
            setattr(self, name, getattr(self, name) + getattr(other, name))


_TIMES = tuple(Score.__dataclass_fields__)


def _whole(program: CompiledProgram, _: CompiledProgram) -> Case:
    return Case(program, program)


def _one_name(program: CompiledProgram, _: CompiledProgram) -> Case:
    """New Triton with unique kernel names off: every kernel runs as `triton_`."""
    return _whole(legacy(program), program)


def _legacy(program: CompiledProgram, _: CompiledProgram) -> Case:
    named = legacy(program)
    return Case(named, named)


def _missing(program: CompiledProgram, other: CompiledProgram) -> Case:
    """The code of another program that ran is not given."""
    return Case(both(program, other), program)


def _missing_legacy(program: CompiledProgram, other: CompiledProgram) -> Case:
    return _missing(legacy(program), legacy(other))


def _half(program: CompiledProgram, _: CompiledProgram) -> Case | None:
    """Only the first graph's code is given."""
    if len(program.graphs) == 1:
        return None
    return Case(program, replace(program, graphs=program.graphs[:1]))


def _idle(program: CompiledProgram, other: CompiledProgram) -> Case:
    """Code is given that never ran."""
    return Case(program, both(program, other))


def _idle_legacy(program: CompiledProgram, other: CompiledProgram) -> Case:
    return _idle(legacy(program), legacy(other))


def _shared(program: CompiledProgram, _: CompiledProgram) -> Case | None:
    """Two graphs name their kernels alike."""
    if len(program.graphs) == 1:
        return None
    named = sharing_names(program)
    return Case(named, named)


def _together(program: CompiledProgram, other: CompiledProgram) -> Case:
    """Two programs in one process."""
    return Case(both(program, other), both(program, other))


SITUATIONS = (
    Situation("host ranges", NOISY, _whole),
    Situation("host ranges, no cache key", replace(NOISY, graph_ranges="none"), _whole),
    Situation("GPU only, unique names", BARE, _whole),
    Situation("replay, capture seen", REPLAY, _whole),
    Situation("replay, capture seen, two streams", replace(REPLAY, replay="two streams"), _whole),
    Situation("replay, capture not seen", replace(REPLAY, capture=False), _whole),
    Situation(
        "replay, capture not seen, two streams",
        replace(REPLAY, capture=False, replay="two streams"),
        _whole,
    ),
    Situation("GPU only, legacy names", LEGACY, _legacy),
    Situation(
        "replay, capture not seen, legacy names",
        replace(REPLAY, capture=False, names="legacy"),
        _legacy,
    ),
    Situation("GPU only, one name for all kernels", BARE, _one_name),
    Situation("unique: another program's code missing", BARE, _missing),
    Situation("unique: a graph's code missing", BARE, _half),
    Situation("unique: code given that never ran", BARE, _idle),
    Situation("unique: graphs share names", BARE, _shared),
    Situation("unique: another thread between", replace(BARE, other_thread=0.2), _whole),
    Situation("unique: order changes", replace(BARE, shuffle=True), _together),
    Situation("unique: 5 % lost", replace(BARE, drop=0.05), _whole),
    Situation("legacy: another program's code missing", LEGACY, _missing_legacy),
    Situation("legacy: code given that never ran", LEGACY, _idle_legacy),
    Situation("legacy: another thread between", replace(LEGACY, other_thread=0.2), _legacy),
    Situation("legacy: 5 % lost", replace(LEGACY, drop=0.05), _legacy),
)


def legacy(program: CompiledProgram) -> CompiledProgram:
    """The program as torch before 2.4 wrote it: every function is called `triton_`."""

    def renamed(graph: CompiledGraph) -> CompiledGraph:
        kernels = (
            replace(k, function="triton_") if k.function.startswith("triton_") else k
            for k in graph.kernels
        )
        return replace(graph, kernels=tuple(kernels))

    return replace(program, graphs=tuple(map(renamed, program.graphs)))


def unique(program: CompiledProgram) -> CompiledProgram:
    """The program as Inductor writes it by default: a function is called as its kernel."""

    def renamed(graph: CompiledGraph) -> CompiledGraph:
        kernels = (
            replace(k, function=k.name) if k.function == "triton_" else k for k in graph.kernels
        )
        return replace(graph, kernels=tuple(kernels))

    return replace(program, graphs=tuple(map(renamed, program.graphs)))


def sharing_names(program: CompiledProgram) -> CompiledProgram:
    """The same program, its second graph's kernels named like the first one's."""
    first, second, *rest = program.graphs
    names = dict(
        zip([k.name for k in second.kernels], [k.name for k in first.kernels], strict=False)
    )

    def renamed(graph: CompiledGraph) -> CompiledGraph:
        return replace(
            graph,
            kernels=tuple(
                replace(k, name=names.get(k.name, k.name), function=names.get(k.name, k.name))
                for k in graph.kernels
            ),
            calls=tuple(
                replace(
                    c,
                    wrapper=names.get(c.wrapper, c.wrapper),
                    kernel=names.get(c.kernel, c.kernel) if c.kernel else None,
                )
                for c in graph.calls
            ),
        )

    return replace(program, graphs=(first, renamed(second), *rest))


def both(program: CompiledProgram, other: CompiledProgram) -> CompiledProgram:
    """Two programs as one; the graphs of the second get names of their own."""
    others = (replace(graph, id=f"other_{graph.id}") for graph in other.graphs)
    return replace(program, graphs=(*program.graphs, *others))


def score(case: Case, world: World, folder: Path) -> Score:
    """Simulate, read back from disk, match, and compare with the truth."""
    simulated = simulate(case.runs, world)
    path = folder / "trace.json"
    simulated.write_kineto(path)
    trace = load_trace(path)
    result = match(case.given, trace)
    ids = [(graph.id, call.index) for graph, call in result.program.calls]
    given = {graph.id for graph in case.given.graphs}
    found = Score()
    truth = {each.event: each for each in simulated.truth}
    matching = result.matching
    for row, event in enumerate(trace.launches.event.tolist()):
        true, dur = truth[event], int(trace.launches.dur_ns[row])
        inside = true.call is not None and true.graph in given
        call = int(matching.call[row])
        right = call >= 0 and ids[call] == (true.graph, true.call)
        found.compiled += dur * inside
        found.outside += dur * (not inside)
        if call >= 0 and ids[call][0] in given:
            found.claimed += dur * (not inside)
            found.covered += dur * inside
            kind = "exact" if matching.confidence[row] == Confidence.EXACT else "inferred"
            setattr(found, kind, getattr(found, kind) + dur)
            setattr(found, f"{kind}_right", getattr(found, f"{kind}_right") + dur * right)
        elif named := [ids[each] for each in matching.candidates_of(row)]:
            found.ambiguous += dur
            found.ambiguous_right += dur * ((true.graph, true.call) in named)
    return found


def measured(
    situation: Situation, programs: Sequence[CompiledProgram], seeds: Iterable[int]
) -> Score:
    """The score of one situation over all programs and seeds."""
    total = Score()
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            for number, program in enumerate(programs):
                case = situation.cases(program, _other(programs, number))
                if case is not None:
                    total.add(score(case, replace(situation.world, seed=seed), Path(folder)))
    return total


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


HEAD = (
    "| situation | coverage | right when exact | right when inferred | outside claimed "
    "| ambiguous | true among candidates |",
    "|---|---:|---:|---:|---:|---:|---:|",
)


def row(situation: Situation, found: Score) -> str:
    """One line of the table."""
    cells = (
        _share(found.covered, found.compiled),
        _share(found.exact_right, found.exact),
        _share(found.inferred_right, found.inferred),
        _share(found.claimed, found.outside, digits=2),
        _share(found.ambiguous, found.compiled),
        _share(found.ambiguous_right, found.ambiguous),
    )
    return f"| {situation.name} | {' | '.join(cells)} |"


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
    for path in sorted(it for folder in folders for it in folder.iterdir() if it.is_dir()):
        try:
            program = load_compiled(path)
        except KernelmapError:
            continue
        calls = [call for graph in program.graphs for call in graph.calls]
        if {call.backend for call in calls} - {"cpp", "extern", "glue"}:
            found.setdefault(tuple(call.wrapper for call in calls), unique(program))
    return list(found.values())


def _share(part: int, whole: int, digits: int = 1) -> str:
    return f"{100 * part / whole:.{digits}f} %" if whole else "-"


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path, help="folders of folders with code")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="", help="situations whose name has this word")
    chosen = parser.parse_args()
    programs = programs_in(SAMPLES, *chosen.folders)
    print(f"{len(programs)} programs", file=sys.stderr)
    wanted = [it for it in SITUATIONS if chosen.only in it.name]
    for line in table(programs, range(1, chosen.seeds + 1), wanted):
        print(line, flush=True)


if __name__ == "__main__":
    main()
