"""How often the first line of a comparison names what was planted.

Simulated: the code of a sample, the medians of its recording as true costs, and 1 % of noise on
every launch. Four kinds of change are planted, each in 20 draws with seeds: one kernel's calls
become a tenth slower, one fusion is broken up, one call is added, one setting of the compiler makes
the autotuner choose other configurations. A draw counts where the first line of `kernelmap diff`
names it, and where that of the gate's comment does.

    python scripts/planted_changes.py [--sample NAME] [--runs N] [--steps N] [--draws N]

Prints a line per kind, and the first lines of the first draw; exits with 1 where one is missed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import replace as with_fields
from pathlib import Path
from random import Random

import usage
from msgspec.structs import replace

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT)]

from histories.play import Weather, play  # noqa: E402 -- after the line above
from histories.story import (  # noqa: E402 -- as above
    State,
    first_state,
    fused_otherwise,
    one_more,
    tuned_otherwise,
)

from kernelmap.attribution.alias_ops import ALIAS_OPS  # noqa: E402 -- as above
from kernelmap.history.compare.gate.baselines import make_baseline  # noqa: E402 -- as above
from kernelmap.history.compare.gate.findings import GateLimits  # noqa: E402 -- as above
from kernelmap.history.compare.gate.verdict import judge_comparison  # noqa: E402 -- as above
from kernelmap.history.compare.gate.written import write_comment  # noqa: E402 -- as above
from kernelmap.history.compare.numbers.comparison import Comparison, compare_sides  # noqa: E402 -- as above
from kernelmap.history.compare.sides.side import ComparedSide, side_of_result  # noqa: E402 -- as above
from kernelmap.history.compare.texts.show import short_page  # noqa: E402 -- as above
from kernelmap.pages.render import terminal  # noqa: E402 -- as above
from kernelmap.tables.fingerprints import fingerprint_program  # noqa: E402 -- as above

SAMPLE, RUNS, STEPS, DRAWS = "cuda_language_train", 5, 10, 20
_NOISE = 0.01
_SETTING = ("coordinate_descent_tuning", "False", "True")
_LEAST = 0.01  # of the time: a tenth of less is below what the recordings' own means differ by


@dataclass(frozen=True, slots=True, kw_only=True)
class Planting:
    """What was planted: the code after it, the words of a line that names it, and settings."""

    state: State
    words: tuple[str, ...]
    settings: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """The first lines of one draw, and whether each names what was planted."""

    planting: Planting
    diff: str
    comment: str

    @property
    def named(self) -> tuple[bool, bool]:
        """By `diff`, and by the comment."""
        lines = (self.diff, self.comment)
        diff, said = (all(word in line for word in self.planting.words) for line in lines)
        return diff, said


def main() -> None:
    """Plant, compare, and print how often it was named."""
    parser = usage.parser(__doc__)
    parser.add_argument("--sample", default=SAMPLE, help="whose code and times")
    parser.add_argument("--runs", type=int, default=RUNS, help="recordings of each side")
    parser.add_argument("--steps", type=int, default=STEPS, help="of each recording")
    parser.add_argument("--draws", type=int, default=DRAWS, help="of each kind")
    chosen = parser.parse_args()
    base = first_state(PROJECT / "sample_traces" / chosen.sample)
    print(
        f"simulated: {chosen.sample}, 1 % noise, {chosen.runs} runs of {chosen.steps} steps a side"
    )
    missed = 0
    for kind in KINDS:
        results = list(draws(base, kind, chosen.draws, chosen.runs, chosen.steps))
        diff, said = (sum(result.named[at] for result in results) for at in (0, 1))
        print(f"{kind}: {diff} of {chosen.draws} by diff, {said} by the comment")
        print(f"    {results[0].diff}\n    {results[0].comment}")
        missed += 2 * chosen.draws - diff - said
        for result in results:
            if not all(result.named):
                print(f"    missed {result.planting.words}: {result.diff} | {result.comment}")
    noise = [
        first_line_of_noise(base, draw, chosen.runs, chosen.steps) for draw in range(chosen.draws)
    ]
    quiet = noise.count("nothing stands out from noise")
    print(f"nothing planted: {quiet} of {chosen.draws} say so")
    missed += chosen.draws - quiet
    sys.exit(1 if missed else 0)


def draws(base: State, kind: str, number: int, runs: int, steps: int) -> Iterator[Draw]:
    """So many draws of one kind, seeded by their number."""
    for draw in range(number):
        random = Random(draw)  # noqa: S311 -- a seed makes draws equal, nothing is secret
        planting = KINDS[kind](base, random)
        before = _recorded(base, _seeds(kind, draw, 0, runs), steps)
        after = _recorded(planting.state, _seeds(kind, draw, runs, runs), steps)
        if planting.settings is not None:
            name, old, _ = _SETTING
            before = replace(before, settings={name: old})
            after = replace(after, settings=planting.settings)
        comparison = compare_sides(before, after)
        verdict = judge_comparison(comparison, GateLimits(time_ns=0))
        yield Draw(
            planting=planting,
            diff=_first_line(comparison),
            comment=write_comment(comparison, verdict).split("\n")[0],
        )


def first_line_of_noise(base: State, draw: int, runs: int, steps: int) -> str:
    """The first line where nothing was planted."""
    first = 10_000 * len(KINDS) + 100 * draw
    seeds = (range(first, first + runs), range(first + runs, first + 2 * runs))
    before, after = (_recorded(base, numbers, steps) for numbers in seeds)
    return _first_line(compare_sides(before, after))


def _first_line(comparison: Comparison) -> str:
    return terminal.render_text(short_page(comparison), 120).plain.split("\n")[0]


def _seeds(kind: str, draw: int, first: int, number: int) -> range:
    start = 10_000 * list(KINDS).index(kind) + 100 * draw + first
    return range(start, start + number)


def _recorded(state: State, seeds: range, steps: int) -> ComparedSide:
    """Recordings of one state, several pooled as a gate pools those of its baseline."""
    weather = Weather(steps=steps, noise=_NOISE)
    costs = state.cost_list()
    sides = [
        side_of_result(play(state.program, costs, weather, seed), f"run {seed}") for seed in seeds
    ]
    return make_baseline(sides).side


def _slower(base: State, random: Random) -> Planting:
    """All calls of one kernel take a tenth longer."""
    name = random.choice(_kernels(base))
    of = [call.wrapper for _, call in base.program.calls]
    slow = {key for key, wrapper in zip(base.keys, of, strict=True) if _bare(wrapper) == name}
    costs = {
        key: with_fields(cost, ns=round(1.1 * cost.ns)) if key in slow else cost
        for key, cost in base.costs.items()
    }
    state = State(texts=base.texts, costs=costs)
    return Planting(state=state, words=(name, "slower", "same code"))


def _fusion_lost(base: State, random: Random) -> Planting:
    """One fused kernel becomes two, which take 1.6 times as long together."""
    calls = zip(base.program.calls, base.keys, strict=True)
    names = [call.wrapper for (_, call), key in calls if base.keys.count(key) == 1]
    candidates = [name for name in names if name.startswith("triton_")]
    random.shuffle(candidates)
    for name in candidates:
        with suppress(ValueError):  # it has no two nodes to take apart
            state, planted = fused_otherwise(base, name, 1.6)
            if _do_work(state, planted.after):
                return Planting(state=state, words=("fused otherwise", name))
    raise ValueError("no kernel of the sample can be taken apart")


def _do_work(state: State, wrappers: Sequence[str]) -> bool:
    """Whether each of several calls computes something: Inductor makes no kernel of views alone."""
    prints = zip(state.program.calls, fingerprint_program(state.program).calls, strict=True)
    works = [
        any(".".join(part.split(".")[:2]) not in ALIAS_OPS for part in made.parts or ())
        for (_, call), made in prints
        if made is not None and call.wrapper in wrappers
    ]
    return len(works) > 1 and all(works)


def _call_added(base: State, random: Random) -> Planting:
    """One kernel is called once more."""
    names = {call.wrapper for _, call in base.program.calls if call.wrapper.startswith("triton_")}
    name = random.choice(sorted(names))
    return Planting(state=one_more(base, name)[0], words=("new call", name))


def _setting_changed(base: State, random: Random) -> Planting:
    """The autotuner chooses otherwise for a third of the kernels, each a few percent slower."""
    names = sorted({call.wrapper for _, call in base.program.calls if "triton_" in call.wrapper})
    state = base
    for name in random.sample(names, max(1, len(names) // 3)):
        state, _ = tuned_otherwise(state, name, "XBLOCK=8 num_warps=8", random.uniform(1.02, 1.2))
    name, _, new = _SETTING
    return Planting(state=state, words=(f"{name} off → on",), settings={name: new})


def _kernels(base: State) -> list[str]:
    """Kernels by their names without numbers, of those that take a hundredth of the time."""
    sums: dict[str, int] = {}
    for (_, call), cost in zip(base.program.calls, base.cost_list(), strict=True):
        sums[_bare(call.wrapper)] = sums.get(_bare(call.wrapper), 0) + cost.ns
    return sorted(name for name, ns in sums.items() if ns >= _LEAST * sum(sums.values()))


def _bare(wrapper: str) -> str:
    front, _, number = wrapper.rpartition("_")
    return front if front and number.isdecimal() else wrapper


KINDS: Mapping[str, Callable[[State, Random], Planting]] = {
    "one kernel 10 % slower": _slower,
    "one fusion lost": _fusion_lost,
    "one new call": _call_added,
    "one setting changed": _setting_changed,
}
"""What is planted, by what it is called."""

if __name__ == "__main__":
    main()
