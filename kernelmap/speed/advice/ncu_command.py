"""Calls that nothing explains → the command of Nsight Compute that counts what their kernels do.

It profiles the kernels of these calls, all their launches of one step: in the order of a step it
can be told which call each of them is of, where several calls run one kernel.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from kernelmap.matching.names.spelling import shorten_spelling
from kernelmap.matching.report_order import iter_places, tokens_of_launches
from kernelmap.model.trace import Activity, Bool, Int, Trace

OUTPUT = "counters.csv"
_PROGRAM = "python PROGRAM"
_WANTED = ("--set=detailed", "--section=WarpStateStats")
"""Bytes of DRAM, hit rates, tensor cores and registers are in the set, causes of stalls are not. So
the sample traces with counters were recorded."""
_MOST_NAMES = 5
_MOST_BESIDE = 2
"""Kernels that are taken besides to tell places apart. No recording needs more, and each of them
makes the measurement longer."""


class StepKernels(Struct, frozen=True, kw_only=True):
    """Kernels by the names that ncu filters by, and which of their launches a step has.

    `skip` launches of these kernels come before those of the step, counted from the beginning of
    the recording, and `count` are those of the step.
    """

    names: tuple[str, ...]
    skip: int
    count: int

    @property
    def command(self) -> str:
        """The command line of ncu, with the program still to be named."""
        pattern = "|".join(map(re.escape, self.names))
        return shlex.join(
            [
                "ncu",
                "--profile-from-start=off",
                "--graph-profiling=node",
                f"--kernel-name=regex:^({pattern})$",
                f"--launch-skip={self.skip}",
                f"--launch-count={self.count}",
                *_WANTED,
                "--csv",
                "--page=raw",
                f"--log-file={OUTPUT}",
                *_PROGRAM.split(),
            ]
        )


def find_step_kernels(
    trace: Trace, call: Int, counted: Bool, step: Int, calls: Sequence[int]
) -> StepKernels | None:
    """The kernels of `calls` and their launches in a step; None where they ran no kernels.

    `call`, `counted` and `step` are columns of the launches. Without steps all launches of the
    window are those of the step. Where the order of these kernels fits other places of the
    recording as well, at which other calls run, kernels that run seldom are taken besides: they
    tell the places apart.
    """
    launches = trace.launches
    is_kernel = np.equal(launches.activity, Activity.KERNEL)
    own = counted & is_kernel & np.isin(call, calls)
    if not own.any():
        return None
    short = [shorten_spelling(name) for name in launches.names]
    names = _names_of_calls(own, call, launches.name_id, launches.dur_ns, short, calls)
    # ncu starts one process, whose launches count: that with the most of these.
    process = Counter(launches.process[own].tolist()).most_common(1)[0][0]
    rows = np.flatnonzero(is_kernel & (launches.process == process))
    rows = rows[np.lexsort((launches.start_ns[rows], trace.launch_time_ns[rows]))]
    usual = _usual_step(step[rows], counted[rows])
    in_step = counted[rows] & (step[rows] == usual)
    name_id = launches.name_id[rows]
    # Kernels of the step by how often they run in it: the first that is added helps most.
    often = Counter(short[name] for name in name_id[in_step].tolist()).most_common()
    seldom = [name for name, _ in reversed(often) if name not in names]
    (tokens,) = tokens_of_launches(launches)
    for more in range(_MOST_BESIDE + 1):
        beside = seldom[:more]
        wanted = {*names, *beside}
        is_chosen = np.array([name in wanted for name in short])[name_id]
        chosen = np.flatnonzero(in_step[is_chosen])
        found = StepKernels(
            names=(*names, *beside), skip=int(chosen[0]), count=int(chosen[-1] - chosen[0] + 1)
        )
        step_rows = rows[is_chosen & in_step]
        if _is_one_order(trace, call, tokens, step_rows):
            return found
    return found


def _is_one_order(trace: Trace, call: Int, tokens: Int, rows: Int) -> bool:
    """Whether launches like these, in this order, are of the same calls wherever they are."""
    places = iter_places(trace, tokens, tokens[rows])
    return all((call[place] == call[rows]).all() for place in places)


def _names_of_calls(
    own: Bool, call: Int, name_id: Int, dur_ns: Int, short: Sequence[str], calls: Sequence[int]
) -> tuple[str, ...]:
    """The kernel with the most time of each call, in the order of the calls."""
    names: dict[str, None] = {}
    for position in calls:
        times: Counter[str] = Counter()
        for row in np.flatnonzero(own & (call == position)).tolist():
            times[short[int(name_id[row])]] += int(dur_ns[row])
        names.update(dict.fromkeys(name for name, _ in times.most_common(1)))
    return tuple(names)[:_MOST_NAMES]


def _usual_step(step: Int, counted: Bool) -> int:
    """The first step with as many of the launches as most steps have; -1 without steps."""
    numbers: Counter[int] = Counter(step[counted & (step >= 0)].tolist())
    if not numbers:
        return -1
    usual = Counter(numbers.values()).most_common(1)[0][0]
    return min(number for number, count in numbers.items() if count == usual)
