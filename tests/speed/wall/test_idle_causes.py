"""Why a device is idle: planted causes are named, with their lines, and nothing else is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from examples import examples
from kernelmap.correlation import Correlation
from kernelmap.model import SourceLine
from kernelmap.model.compilations import Compilation, GraphBreak
from kernelmap.model.matching import HostMoments
from kernelmap.model.names import compile_id, is_region
from kernelmap.model.wall_time import DeviceStep, StepPart
from kernelmap.pipeline import correlate
from kernelmap.speed.wall.measure import wall_time
from kernelmap.speed.wall.rows import wall_rows
from kernelmap.traces import moment_places
from worlds.hosts import (
    PHASES,
    Cause,
    Host,
    burst,
    in_wrapper,
    item,
    python,
    short_kernels,
    synchronize,
)

CLOSE_NS = 15_000  # per phase: where one cause ends and the next begins
AFTER_WAIT_NS = 150_000  # Python behind a synchronization, of which longer Python takes its share
PLANTED = {
    "item": "synchronization",
    "synchronize": "synchronization",
    "short_kernels": "launching",
    "loader": "loading-data",
    "compilation": "compiling",
    "compiled": "guards",
    "broken": "graph-break",
    "python": "unknown",
    "on_host": "unknown",
    "in_wrapper": "unknown",
    "registering": "unknown",
    "other_device": "waiting",
}
"""What each phase plants while the device has nothing to do."""


def play(seed: int, phases: Sequence[int]) -> Host:
    host = Host(Random(seed))  # noqa: S311 -- a simulation, not a secret
    host.begin()
    burst(host, 1)
    for line, phase in enumerate(phases, 10):
        PHASES[phase](host, line)
    burst(host, 2)
    host.wait("cudaDeviceSynchronize")
    return host


def measured(result: Correlation, device: int) -> Counter[Cause]:
    """Idle time by cause and line; queued work has the line of its launch, which does not count."""
    times: Counter[Cause] = Counter()
    for piece in result.wall_times:
        if piece.part is StepPart.IDLE and piece.step.id == device and piece.cause is not None:
            word = piece.cause.word
            times[word, None if word == "waiting" else piece.source] += piece.time_ns
    return times


def without_lines(times: Counter[Cause], cause: str) -> Counter[Cause]:
    """The same, one line for all of a cause."""
    merged: Counter[Cause] = Counter()
    for (word, line), ns in times.items():
        merged[word, None if word == cause else line] += ns
    return merged


@settings(max_examples=examples(60))
@given(seed=st.integers(0, 2**32), phases=st.lists(st.integers(0, len(PHASES) - 1), max_size=9))
def test_every_idle_nanosecond_has_its_planted_cause(
    tmp_path_factory: pytest.TempPathFactory, seed: int, phases: list[int]
) -> None:
    """The idle time of every cause and line is what the simulated host spent on it.

    Of Python without an event the cause is exact and the line is that of its middle.
    """
    host = play(seed, phases)
    result = correlate(host.write(tmp_path_factory.mktemp("host") / "trace.json"))

    attributed = without_lines(measured(result, 0), "unknown")
    truth = without_lines(host.truth(0), "unknown")
    close_ns = CLOSE_NS * (len(phases) + 2)
    close_ns += AFTER_WAIT_NS * sum(
        PHASES[one] in (item, synchronize) and PHASES[other] in (python, in_wrapper)
        for one, other in pairwise(phases)
    )
    assert attributed.total() == truth.total()
    assert (attributed - truth).total() <= close_ns, (attributed - truth, truth - attributed)


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("seed", range(3))
def test_a_planted_cause_has_its_line(tmp_path: Path, name: str, seed: int) -> None:
    """Most of the idle time after the device ran dry has the planted cause and its line."""
    phase = next(phase for phase in PHASES if phase.__name__ == name)
    before = [PHASES.index(synchronize)] if name not in ("item", "synchronize") else []
    host = play(seed, [*before, PHASES.index(phase)])
    begins = f"(train.py:{10 + len(before)})"
    result = correlate(host.write(tmp_path / "trace.json"))

    cause, truth = PLANTED[name], host.truth(0)
    line = next((line for word, line in truth if word == cause and begins in str(line)), None)
    expected = truth[cause, None if cause == "waiting" else line]
    attributed = measured(result, 0)[cause, None if cause == "waiting" else line]
    assert expected > 0
    assert abs(attributed - expected) <= CLOSE_NS + (AFTER_WAIT_NS if phase is python else 0)


@settings(max_examples=examples(30))
@given(
    seed=st.integers(0, 2**32),
    phases=st.lists(st.integers(0, len(PHASES) - 1), min_size=1, max_size=6),
    lost=st.floats(0.05, 0.6),
    cut=st.tuples(st.floats(0, 0.5), st.floats(0.5, 1)),
)
def test_lost_events_make_causes_unknown_and_never_wrong(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    phases: list[int],
    lost: float,
    cut: tuple[float, float],
) -> None:
    """Without some api calls no cause gains time but `unknown`; the parts still add up."""
    host = play(seed, phases)
    rng = Random(seed)  # noqa: S311 -- as above
    kept = [row for row in host.events if row["cat"] != "cuda_runtime" or rng.random() >= lost]
    result = correlate(host.write(tmp_path_factory.mktemp("lost") / "trace.json", kept))

    truth, attributed = causes(host.truth(0)), causes(measured(result, 0))
    close_ns = CLOSE_NS * (len(phases) + 2)
    gained = +Counter(
        {word: attributed[word] - truth[word] for word in attributed if word != "unknown"}
    )
    assert gained.total() <= close_ns + AFTER_WAIT_NS * len(phases), gained
    assert adds_up(result)

    first = min(float(str(row["ts"])) for row in host.events)
    last = max(float(str(row["ts"])) for row in host.events)
    begin, end = (first + part * (last - first) for part in cut)
    inside = [row for row in host.events if begin <= float(str(row["ts"])) <= end]
    if any(row["cat"] == "kernel" for row in inside):
        place = tmp_path_factory.mktemp("cut") / "trace.json"
        assert adds_up(correlate(host.write(place, inside)))


def causes(times: Counter[Cause]) -> Counter[str]:
    merged: Counter[str] = Counter()
    for (word, _), ns in times.items():
        merged[word] += ns
    return merged


def adds_up(result: Correlation) -> bool:
    """Whether the rows of each step are the step, to the nanosecond."""
    parts: Counter[DeviceStep] = Counter()
    for piece in result.wall_times:
        parts[piece.step] += piece.time_ns
    return all(ns == step.end_ns - step.start_ns for step, ns in parts.items()) and bool(parts)


def test_without_a_host_side_idleness_is_unknown(tmp_path: Path) -> None:
    """Kernels alone: the device is idle between them, and the words say why no cause is known."""
    host = play(1, [PHASES.index(short_kernels)])
    kernels = [row for row in host.events if row["cat"] in ("kernel", "gpu_memcpy")]
    result = correlate(host.write(tmp_path / "trace.json", kernels))

    idle = [piece for piece in result.wall_times if piece.part is StepPart.IDLE]
    assert {piece.cause.word for piece in idle if piece.cause} == {"unknown"}
    assert {piece.what for piece in idle} == {"the host side is not recorded"}


def test_a_line_of_the_log_says_more_than_the_function_around_it(tmp_path: Path) -> None:
    """Of a graph break the log states the statement; of guards it knows the function alone."""
    host = play(0, [PHASES.index(phase) for phase in PHASES if phase.__name__ == "broken"])
    result = correlate(host.write(tmp_path / "trace.json"))
    ids = {compile_id(name) for name in result.trace.ranges.names if is_region(name)}
    compiled = tuple(
        Compilation(
            compile_id=id_,
            log="log",
            serial=serial,
            function="compiled",
            line=SourceLine(file="net.py", line=3),
            graph_breaks=(GraphBreak(reason="print", line=SourceLine(file="net.py", line=7)),),
        )
        for serial, id_ in enumerate(sorted(filter(None, ids)))
    )
    sources: dict[str, set[str | None]] = defaultdict(set)
    for has_frames in (True, False):
        rows = wall_rows(
            wall_time(result.trace, result.attribution.counted, result.attribution.step),
            replace(result.program, compilations=compiled),
            result.trace,
            result.matching,
            result.attribution,
            partial(moment_places, result.trace) if has_frames else nowhere,
        )
        for row in rows:
            if row.cause is not None and str(row.cause.word) in ("graph-break", "guards"):
                sources[f"{row.cause.word} {has_frames}"].add(row.source)

    assert sources["graph-break True"] == sources["graph-break False"] == {"net.py:7"}
    assert sources["guards True"] == {"in compiled (train.py:10)"}
    assert sources["guards False"] == {"in compiled (net.py:3)"}


def nowhere(moments: HostMoments) -> list[None]:
    """No frame says anything."""
    return [None] * len(moments.time_ns)
