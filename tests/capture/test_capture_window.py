"""When to record, as laws over any life of a program."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kernelmap.capture.window import Phase, RecordingWindow

LIVES = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=40)
"""Per step: whether it compiles, and whether the program's own profiler is on."""


def lived(window: RecordingWindow, life: list[tuple[bool, bool]]) -> list[Phase]:
    """The phase in which each step ran."""
    phases = [window.begin()]
    for compiles, profiled in life:
        if compiles:
            window.compiled()
        phases.append(window.step_ended(free=not profiled or window.phase is not Phase.WAITING))
    return phases[:-1]


@given(LIVES, st.integers(1, 5), st.integers(1, 5))
def test_the_window_follows_warm_steps(
    life: list[tuple[bool, bool]], warmup: int, steps: int
) -> None:
    """The `warmup` steps before the window compiled nothing; it is whole and in one piece."""
    window = RecordingWindow(warmup=warmup, steps=steps)
    phases = lived(window, life)
    recorded = [at for at, phase in enumerate(phases) if phase is Phase.RECORDING]

    first = min(recorded, default=0)
    assert recorded == list(range(first, first + len(recorded)))
    assert len(recorded) <= steps
    assert window.recorded == len(recorded)
    if recorded:
        before = life[recorded[0] - warmup : recorded[0]]
        assert len(before) == warmup
        assert not any(compiles for compiles, _ in before)
        assert window.first == recorded[0]
        assert window.compiled_inside == sum(life[at][0] for at in recorded)


@given(LIVES, st.integers(2, 5))
def test_a_profiler_is_prepared_right_before_it_records(
    life: list[tuple[bool, bool]], warmup: int
) -> None:
    """With two warm-up steps the last one prepares, and preparation is never given up."""
    phases = lived(RecordingWindow(warmup=warmup, steps=2), life)
    changes = {pair for pair in pairwise(phases) if pair[0] is not pair[1]}

    assert changes <= {
        (Phase.WAITING, Phase.PREPARED),
        (Phase.PREPARED, Phase.RECORDING),
        (Phase.RECORDING, Phase.DONE),
    }


def test_a_late_compilation_starts_the_count_anew() -> None:
    """A recompilation in the last warm-up step puts the window off."""
    window = RecordingWindow(warmup=2, steps=1)
    phases = lived(window, [(True, False), (False, False), (True, False), *[(False, False)] * 4])

    assert phases[4:] == [Phase.PREPARED, Phase.RECORDING, Phase.DONE]


def test_without_warm_up_the_first_step_is_recorded() -> None:
    """--warmup 0 records from the start, compilation included."""
    window = RecordingWindow(warmup=0, steps=2)
    phases = lived(window, [(True, False), (False, False), (False, False)])

    assert phases == [Phase.RECORDING, Phase.RECORDING, Phase.DONE]
    assert window.compiled_inside == 1


def test_the_program_s_own_profiler_goes_first() -> None:
    """While it is on nothing begins, and the steps are counted."""
    window = RecordingWindow(warmup=1, steps=1)
    phases = lived(window, [*[(False, True)] * 3, (False, False), (False, False)])

    assert phases[:4] == [Phase.WAITING] * 4
    assert window.held == 3
