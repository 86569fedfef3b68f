"""What several answers about speed are made of is made once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kernelmap.correlation import Correlation
from kernelmap.options import Options
from kernelmap.pipeline import correlate
from kernelmap.speed import answers
from kernelmap.speed.limits import measure

SAMPLES = Path(__file__).parents[2] / "sample_traces"


def counted(monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> list[str]:
    """Have calls of a module's function noted; the list grows with each."""
    calls: list[str] = []
    real: Callable[..., object] = getattr(module, name)

    def noting(*given: object, **named: object) -> object:
        calls.append(name)
        return real(*given, **named)

    monkeypatch.setattr(module, name, noting)
    return calls


def ask_doctor(result: Correlation) -> object:
    """What `doctor` asks."""
    return result.advice


def ask_wall_time(result: Correlation) -> object:
    """What `correlate --by wall` asks."""
    return result.wall_times


@pytest.mark.parametrize(
    "asked", [(ask_doctor, ask_wall_time), (ask_wall_time, ask_doctor)], ids=["doctor", "wall"]
)
def test_steps_are_cut_once_for_all_answers(
    asked: tuple[Callable[[Correlation], object], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wall time, savings and advice take the same pieces, in either order; then these go."""
    cut = counted(monkeypatch, answers, "wall_time")
    waited = counted(monkeypatch, measure, "find_waiting")
    result = correlate(SAMPLES / "cuda_graph_breaks", options=Options(memory=False))
    for ask in asked:
        ask(result)
    assert (len(cut), len(waited)) == (1, 1)
    assert "_wall" not in vars(result._speed)  # noqa: SLF001 -- what stays in memory
