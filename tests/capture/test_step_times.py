"""Steps that nobody records are timed: they say how much longer a profiler makes a step."""

from __future__ import annotations

import json
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import kernelmap
from capture.bundle_world import recorded
from kernelmap.capture.plan import Plan
from kernelmap.capture.session import record_session
from kernelmap.capture.step_times import TIMED_STEPS, StepTimes
from kernelmap.model.bundle import PROCESS, RecordedProcess, State, read_manifest

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # torch's own, as it loads itself
]

torch: Any
"""Loaded when the first of these tests runs: whoever collects or leaves them out does without."""

_SLEEP_NS = 5_000_000


@pytest.fixture(scope="module", autouse=True)
def _load_torch() -> None:
    global torch  # noqa: PLW0603 -- helpers use it, too
    torch = import_module("torch")


def _record(folder: Path, steps: int, *, compiles_in: int | None = None) -> RecordedProcess:
    """A program of so many steps that sleep, of which the third and the fourth are recorded."""
    handler = import_module("torch._dynamo.callback").callback_handler
    with record_session(folder, Plan(warmup=2, steps=2), force=False) as run:
        for step in range(steps):
            if step == compiles_in:
                handler.run_start_callbacks(_args_of_compilation())
                handler.run_end_callbacks(_args_of_compilation())
            time.sleep(_SLEEP_NS / 1e9)
            run.step()
    (process,) = read_manifest(folder).processes
    return process


def _args_of_compilation() -> object:
    callback = import_module("torch._dynamo.callback")
    return callback.CallbackArgs(callback.CallbackTrigger.DYNAMO, "0")


def test_steps_before_and_after_the_recording_are_timed(tmp_path: Path) -> None:
    """Steps after the last recorded one are timed, but for the first, until there are enough."""
    process = _record(tmp_path / "bundle", steps=4 + 1 + TIMED_STEPS + 3)

    assert process.state is State.COMPLETE
    assert process.recorded_steps == 2
    assert len(process.after_ns) == TIMED_STEPS
    assert process.step_clock == "host"
    assert min(*process.before_ns, *process.after_ns) >= _SLEEP_NS
    assert process.unprofiled_ns is not None


def test_a_program_that_ends_sooner_has_the_steps_there_were(tmp_path: Path) -> None:
    """Of two steps after the recording one is timed; the recording is as whole as before."""
    process = _record(tmp_path / "bundle", steps=4 + 2)

    assert process.state is State.COMPLETE
    assert len(process.after_ns) == 1
    assert process.steps_made == 4


def test_a_step_that_compiles_is_not_timed(tmp_path: Path) -> None:
    """It is no step like others: what was timed before it is forgotten, and it is not timed."""
    process = _record(tmp_path / "bundle", steps=4 + 4, compiles_in=6)

    assert len(process.after_ns) == 1  # the last one alone follows a step without compilation


def test_marks_that_were_forgotten_are_no_step() -> None:
    """Times are those between marks that follow one another."""
    times = StepTimes()
    times.mark()
    times.forget()
    times.mark()
    assert times.steps == 0
    times.mark()

    assert times.steps == 1
    assert len(times.measure()[0]) == 1


def test_the_smaller_median_counts() -> None:
    """What disturbs a step makes it longer, so that the shorter steps say what one takes."""
    process = RecordedProcess(
        name="rank_0", state=State.COMPLETE, before_ns=(90, 95), after_ns=(30, 20, 500)
    )

    assert process.unprofiled_ns == 30


def test_a_result_knows_what_steps_took_without_the_profiler(tmp_path: Path) -> None:
    """The manifest keeps the times, and the summary of a correlation has their mean."""
    bundle = recorded(tmp_path / "bundle", before_ns=[9000], after_ns=[5000, 6000, 8000])
    unprofiled = kernelmap.correlate(bundle).tables.summary.unprofiled

    assert not (bundle / "rank_0" / PROCESS).exists()
    assert unprofiled is not None
    assert (unprofiled.mean_ns, unprofiled.before, unprofiled.after) == (6000, 1, 3)


def test_odd_times_in_a_manifest_are_left_out(tmp_path: Path) -> None:
    """What is no whole number is no time."""
    bundle = recorded(tmp_path / "bundle", after_ns=[5000, "x", True, 1.5])

    assert read_manifest(bundle).processes[0].after_ns == (5000,)
    assert json.dumps(read_manifest(bundle).processes[0].before_ns) == "[]"
