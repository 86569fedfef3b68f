"""How often the gate catches what was planted, and how often it cries wolf.

Twice. Simulated: real generated code (a sample), its calls' medians as true costs, 20 invocations
with 2 % noise on each side. Each trial plants one regression of 5 % in one call that has 2 % of the
whole time at least, or none; the gate judges with --max-regression 2%.

Recorded: the noise of a real GPU, from step to step and from process to process
(histories/recorded.py). Five clean pairs of each recording among the samples, with the limits that
the gate has by default; then in each recording every op of several calls below --min-time becomes
7 % and 10 % slower in all of them. Beside the default stands the gate without families
(--by call --by total).

    python scripts/gate_power.py [TRIALS]      # 200 of each kind

Prints the rates; exits with 1 where fewer than 99 % of the simulated are caught, more than 1 % are
false alarms, or a clean pair of recordings raises one.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT)]

from histories.play import Weather, play  # noqa: E402 -- after the line above
from histories.recorded import (  # noqa: E402 -- as above
    PROCESSES,
    Deviations,
    Recorded,
    from_process_to_process,
)
from histories.story import State, first_state, longer, slower  # noqa: E402 -- as above

from kernelmap.attribution.alias_ops import ALIAS_OPS  # noqa: E402 -- as above
from kernelmap.history.compare.gate.baselines import make_baseline  # noqa: E402 -- as above
from kernelmap.history.compare.gate.findings import GateLimits  # noqa: E402 -- as above
from kernelmap.history.compare.gate.verdict import Verdict, judge_comparison  # noqa: E402 -- as above
from kernelmap.history.compare.numbers.comparison import compare_sides  # noqa: E402 -- as above
from kernelmap.history.compare.sides.side import side_of_result  # noqa: E402 -- as above

SAMPLES = PROJECT / "sample_traces"
SAMPLE = SAMPLES / "sim_attention_autotune"
LIMITS = GateLimits(regression=0.02, time_ns=0)
WEATHER = Weather(steps=20, noise=0.02, drift=0.0)
TRIALS, FACTOR, LEAST = 200, 1.05, 0.02
_SCALE = 20  # longer calls, so that whole nanoseconds do not count

PAIRS, STEPS, FACTORS = 5, 20, (1.07, 1.10)
RULES = {"by call and total": GateLimits(levels=("call", "total")), "by default": GateLimits()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """Of `trials` with a planted regression, and as many without."""

    trials: int
    caught: int
    alarms: int

    @property
    def good(self) -> bool:
        """Whether both rates are as promised."""
        return self.caught >= 0.99 * self.trials and self.alarms <= 0.01 * self.trials


def main() -> None:
    """Run the trials and print the rates."""
    parser = usage.parser(__doc__)
    parser.add_argument("trials", nargs="?", type=int, default=TRIALS, help="of each kind")
    trials = parser.parse_args().trials
    rates = power(trials)
    print("simulated: 2 % noise, 20 invocations, --max-regression 2%")
    print(f"caught: {rates.caught} of {trials} regressions of 5 % ({rates.caught / trials:.1%})")
    print(f"false alarms: {rates.alarms} of {trials} trials ({rates.alarms / trials:.1%})")
    recordings, processes = recorded(sorted(SAMPLES.glob("cuda_*")))
    is_quiet = True
    for repeats in (1, 2):
        print(f"recorded: {len(recordings)} recordings, {STEPS} steps, {repeats} as baseline")
        alarms = clean_pairs(recordings, processes, PAIRS, repeats)
        is_quiet &= alarms["by default"] == 0
        _print(alarms, "clean pairs failed", PAIRS * len(recordings))
        for factor in FACTORS:
            caught, number = slower_families(recordings, processes, factor, repeats)
            _print(caught, f"families {factor - 1:.0%} slower caught", number)
    sys.exit(0 if rates.good and is_quiet else 1)


def _print(counts: Mapping[str, int], what: str, number: int) -> None:
    for rule, count in counts.items():
        print(f"  {what}, {rule}: {count} of {number}")


def power(trials: int) -> Power:
    """Both rates; the planted call changes from trial to trial."""
    base = longer(first_state(SAMPLE), _SCALE)
    costs = base.cost_list()
    total = sum(cost.ns for cost in costs)
    names = [call.wrapper for _, call in base.program.calls]
    large = [
        names[at]
        for at, cost in enumerate(costs)
        if cost.ns >= LEAST * total and names.index(names[at]) == at
    ]
    caught = alarms = 0
    for trial in range(trials):
        name = large[trial % len(large)]
        verdict = _gated(base, slower(base, name, FACTOR)[0], 4 * trial)
        caught += not verdict.passed and any(
            f"call {name} " in reason or reason.startswith(("op ", "kernel "))
            for reason in verdict.reasons
        )
        alarms += not _gated(base, base, 4 * trial + 2).passed
    return Power(trials=trials, caught=caught, alarms=alarms)


def _gated(before: State, after: State, seed: int) -> Verdict:
    sides = [
        side_of_result(play(state.program, state.cost_list(), WEATHER, seed + at), "simulated")
        for at, state in enumerate((before, after))
    ]
    return judge_comparison(compare_sides(*sides), LIMITS)


def recorded(folders: Sequence[Path]) -> tuple[list[Recorded], Deviations]:
    """Recordings with their noise, and what calls differ by from process to process."""
    twins = [Recorded.of(SAMPLES / name).side for name in PROCESSES]
    return [Recorded.of(folder) for folder in folders], from_process_to_process(twins)


def clean_pairs(
    recordings: Sequence[Recorded], processes: Deviations, pairs: int, repeats: int = 1
) -> dict[str, int]:
    """How many pairs of which nothing changed fail, by rule."""
    alarms = dict.fromkeys(RULES, 0)
    for recording in recordings:
        for pair in range(pairs):
            rng = np.random.default_rng([7, pair])
            for rule, verdict in _verdicts(recording, processes, rng, repeats, {}).items():
                alarms[rule] += not verdict.passed
    return alarms


def slower_families(
    recordings: Sequence[Recorded], processes: Deviations, factor: float, repeats: int = 1
) -> tuple[dict[str, int], int]:
    """How many slower ops make the gate fail, by rule, and how many there were."""
    caught, number = dict.fromkeys(RULES, 0), 0
    for recording in recordings:
        for at, calls in enumerate(ops_of_small_calls(recording).values()):
            rng = np.random.default_rng([11, at])
            planted = dict.fromkeys(calls, factor)
            number += 1
            for rule, verdict in _verdicts(recording, processes, rng, repeats, planted).items():
                caught[rule] += not verdict.passed
    return caught, number


def ops_of_small_calls(recording: Recorded) -> dict[str, list[str]]:
    """The calls below --min-time of every op that reaches it with two of them or more."""
    steps, least_ns = recording.side.steps or 1, GateLimits().time_ns
    times: dict[str, dict[str, float]] = defaultdict(dict)
    for graph in recording.side.graphs:
        for call in graph.calls:
            if call.samples and call.time_ns < least_ns * steps:
                for op in set(call.ops) - ALIAS_OPS:
                    times[op][call.id] = call.time_ns / steps
    return {
        op: list(calls)
        for op, calls in sorted(times.items())
        if len(calls) > 1 and sum(calls.values()) >= least_ns
    }


def _verdicts(
    recording: Recorded,
    processes: Deviations,
    rng: np.random.Generator,
    repeats: int,
    planted: Mapping[str, float],
) -> dict[str, Verdict]:
    base = make_baseline([recording.again(STEPS, processes, rng) for _ in range(repeats)])
    after = recording.again(STEPS, processes, rng, planted)
    comparison = compare_sides(base.side, after, floor=base.floor)
    return {rule: judge_comparison(comparison, limits) for rule, limits in RULES.items()}


if __name__ == "__main__":
    main()
