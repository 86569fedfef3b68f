"""How often the gate catches what was planted, and how often it cries wolf.

Simulated: real generated code (a sample), its calls' medians as true costs, 20 invocations with 2 %
noise on each side. Each trial plants one regression of 5 % in one call that has 2 % of the whole
time at least, or none; the gate judges per call and as a whole with --max-regression 2%.

    python scripts/gate_power.py [TRIALS]      # 200 of each kind

Prints both rates; exits with 1 where fewer than 99 % are caught or more than 1 % are false alarms.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT)]

from histories.play import Weather, play  # noqa: E402 -- after the line above
from histories.story import State, first_state, longer, slower  # noqa: E402 -- as above

from kernelmap.compare.comparison import compare  # noqa: E402 -- as above
from kernelmap.compare.gate import (  # noqa: E402 -- as above
    Limits,
    Verdict,
    judge,
)
from kernelmap.compare.side import side  # noqa: E402 -- as above

SAMPLE = PROJECT / "sample_traces" / "sim_attention_autotune"
LIMITS = Limits(regression=0.02, time_ns=0)
WEATHER = Weather(steps=20, noise=0.02, drift=0.0)
TRIALS, FACTOR, LEAST = 200, 1.05, 0.02
_SCALE = 20  # longer calls, so that whole nanoseconds do not count


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
    sys.exit(0 if rates.good else 1)


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
        caught += any(f"call {name} " in reason for reason in verdict.reasons)
        alarms += not _gated(base, base, 4 * trial + 2).passed
    return Power(trials=trials, caught=caught, alarms=alarms)


def _gated(before: State, after: State, seed: int) -> Verdict:
    sides = [
        side(play(state.program, state.cost_list(), WEATHER, seed + at), "simulated")
        for at, state in enumerate((before, after))
    ]
    return judge(compare(*sides), LIMITS)


if __name__ == "__main__":
    main()
