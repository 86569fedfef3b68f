"""What was planted is named in the first line of a comparison, and of a gate's comment."""

from __future__ import annotations

from pathlib import Path

import planted_changes
import pytest
from histories.story import State, first_state

from examples import is_quick


@pytest.fixture(scope="module")
def base(samples: Path) -> State:
    return first_state(samples / "sim_attention_autotune")


@pytest.mark.parametrize("kind", planted_changes.KINDS)
def test_the_first_line_names_what_was_planted(kind: str, base: State) -> None:
    """In every draw, by `kernelmap diff` and by the comment, of two recordings of ten steps.

    Of a kernel that became a tenth slower, a fusion that was lost, a call that is new, and a
    setting that changed what the autotuner chose; 1 % of noise is on every launch.
    """
    draws = list(planted_changes.draws(base, kind, 3 if is_quick() else 20, runs=1, steps=10))

    assert [draw.diff for draw in draws if not draw.named[0]] == []
    assert [draw.comment for draw in draws if not draw.named[1]] == []


def test_no_first_line_names_what_is_not_there(base: State) -> None:
    """Without a change of code there is none in the first line, whatever the noise was."""
    for draw in range(3 if is_quick() else 20):
        line = planted_changes.first_line_of_noise(base, draw, runs=1, steps=10)
        assert line == "nothing stands out from noise"
