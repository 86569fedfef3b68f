"""The command for Nsight Compute selects the launches of one step, and what it gives is used."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kernelmap
from kernelmap.correlation import Correlation
from kernelmap.counter_reports import read_reports
from kernelmap.matching.names.spelling import shorten_spelling
from kernelmap.model import Activity
from kernelmap.speed.advice.ncu_command import find_step_kernels
from traces.small_ncu import NcuRow, raw_page

SAMPLES = Path(__file__).parents[3] / "sample_traces"
RECORDED = (
    "cuda_wide_conv",
    "cuda_wide_llama",
    "cuda_reason_pairs",
    "cuda_equal_layers",
    "cuda_layers_own_code",
    "cuda_conv_train",
    "cuda_decode_graphs",
    "cuda_graph_breaks",
)


@cache
def correlated(sample: str) -> Correlation:
    return kernelmap.correlate(SAMPLES / sample)


def command_of(c: Correlation) -> tuple[list[str], set[int]]:
    """The words of the command line for the calls with the most headroom, and those calls."""
    assert c.speeds is not None
    largest = sorted(c.speeds.calls, key=lambda speed: -(speed.headroom_ns or 0))[:5]
    calls = [speed.call for speed in largest]
    counted, step = c.attribution.counted, c.attribution.step
    kernels = find_step_kernels(c.trace, c.matching.call, counted, step, calls)
    assert kernels is not None
    return shlex.split(kernels.command), set(calls)


def launches_of_ncu(c: Correlation, words: Sequence[str]) -> list[int]:
    """What ncu would profile of the recorded launches, in the order of the host, by its options."""
    options = dict(word.split("=", 1) for word in words if word.startswith("--") and "=" in word)
    pattern = re.compile(options["--kernel-name"].removeprefix("regex:"))
    launches = c.trace.launches
    order = np.lexsort((launches.start_ns, c.trace.launch_time_ns))
    kernels = [row for row in order.tolist() if launches.activity[row] == Activity.KERNEL]
    matching = [
        row
        for row in kernels
        if pattern.search(shorten_spelling(launches.names[launches.name_id[row]]))
    ]
    skip, count = int(options["--launch-skip"]), int(options["--launch-count"])
    return matching[skip : skip + count]


@pytest.mark.sampled
@pytest.mark.parametrize("sample", RECORDED)
def test_the_skip_count_selects_one_step(sample: str) -> None:
    """What is left of the filter after the skipped launches is all of one step, and no other."""
    c = correlated(sample)
    words, _ = command_of(c)
    rows = launches_of_ncu(c, words)
    steps = c.attribution.step[rows]
    assert len(rows) > 0
    assert len(set(steps.tolist())) == 1
    # None of the step's launches of these kernels is left out.
    pattern = re.compile(next(it for it in words if "kernel-name" in it).split("regex:")[1])
    launches = c.trace.launches
    has_name = np.array([bool(pattern.search(shorten_spelling(it))) for it in launches.names])
    of_step = (
        has_name[launches.name_id]
        & np.equal(c.attribution.step, steps[0])
        & np.equal(launches.activity, Activity.KERNEL)
        & c.attribution.counted
    )
    assert sorted(rows) == np.flatnonzero(of_step).tolist()


@pytest.mark.sampled
@pytest.mark.parametrize("sample", RECORDED)
def test_what_the_command_gives_answers_what_is_open(sample: str, tmp_path: Path) -> None:
    """The launches that ncu would list are paired, and each open call has its own counters."""
    c = correlated(sample)
    launches = c.trace.launches
    words, wanted = command_of(c)
    rows = launches_of_ncu(c, words)
    report = tmp_path / "counters.csv"
    report.write_text(
        raw_page(
            *(
                NcuRow(
                    name=launches.names[launches.name_id[row]],
                    grid=str(tuple(launches.grid[row].tolist())),
                    block=str(tuple(launches.block[row].tolist())),
                    metrics={"launch__registers_per_thread": (str(at), "")},
                )
                for at, row in enumerate(rows)
            )
        )
    )
    read = read_reports(c.program, c.trace, c.matching, [report])
    assert read.notices == ()
    assert read.counted is not None
    calls = c.matching.call[rows].tolist()
    for at, row in enumerate(rows):
        kind = read.counted.kind[row]
        assert kind >= 0
        # Its own counters, or those of an equal launch of the same call.
        registers = read.counted.kinds[kind].registers
        assert registers is not None
        assert c.matching.call[rows[int(registers)]] == c.matching.call[row], at
    assert wanted <= set(calls)


def test_nothing_is_asked_where_counters_are_there() -> None:
    """With a report of the whole step each call has counters: there is nothing to ask for."""
    sample = SAMPLES / "cuda_wide_conv"
    open_ = kernelmap.correlate(sample).advice.counters
    assert open_ is not None
    assert open_.then.endswith("counters.csv --roofline")
    c = kernelmap.correlate(sample, sample / "ncu_basic_raw.csv.gz")
    assert c.advice.counters is None
