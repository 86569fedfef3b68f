"""Steps of a simulated serving engine: told apart by kind and batch, and what is advised."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

import kernelmap
from examples import seeds
from kernelmap.options import Options
from worlds.engine import BATCHES, TOKENS, Engine, capture, replay

MARKS = ("vLLM", "SGLang")


def some_steps(seed: int) -> list[int | str]:
    """Steps of a server: stretches of decode steps, prefills between them."""
    draw = random.Random(seed)  # noqa: S311 -- a made-up world
    steps: list[int | str] = []
    for _ in range(5):
        steps += ["prefill"] * draw.randint(0, 2)
        steps += [draw.choice(BATCHES)] * draw.randint(1, 5)
    return steps


def longest_run(steps: Sequence[int | str]) -> tuple[int, int]:
    """The first and the last of the longest stretch of equal steps; the first of several."""
    best, first = (0, 0), 0
    for at, step in enumerate(steps):
        first = first if steps[first] == step else at
        if at - first > best[1] - best[0]:
            best = first, at
    return best


@pytest.mark.parametrize("hip", [False, True], ids=["cuda", "hip"])
@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize("seed", seeds(3))
def test_steps_are_told_apart(tmp_path: Path, seed: int, marks: str, hip: bool) -> None:
    """Every kernel of a step counts for its kind and batch, and the sampler's for no step."""
    engine = Engine(layers=3, hip=hip, marks=marks, seed=seed)
    steps = some_steps(seed)
    path = tmp_path / "steps.json"
    truth = replay(path, engine, steps)
    result = kernelmap.correlate(path, options=Options(wall=False, work=False))
    rows = {(row["kind"], row["batch"]): row for row in result.tables.rows("step_kinds")}

    ran = Counter(steps)
    of_steps = {
        (("prefill", 1) if step == "prefill" else ("decode", step)): (number, step)
        for step, number in ran.items()
    }
    assert rows.keys() == {*of_steps, ("(in no step)", None)}
    for key, (number, step) in of_steps.items():
        graphs = engine.prefill() if step == "prefill" else engine.decode(int(step))
        launches = sum(map(len, graphs))
        assert (rows[key]["steps"], rows[key]["launches"]) == (number, number * launches)
        says_tokens = marks == "vLLM" or step == "prefill"
        tokens = number * (TOKENS if step == "prefill" else int(step))
        assert rows[key]["tokens"] == (tokens if says_tokens else None)
    assert rows["(in no step)", None]["launches"] == len(steps)
    assert sum(int(str(row["launches"])) for row in rows.values()) == len(truth)

    first, last = longest_run(steps)
    lengths = [
        int(str(row["run_last"])) - int(str(row["run_first"]))
        for row in rows.values()
        if row["run_first"] is not None
    ]
    assert max(lengths) == last - first


def advised(path: Path, *like: Path) -> str:
    """All that is advised for a profile."""
    advice = kernelmap.doctor(path, options=Options(like=like))
    saved = kernelmap.correlate(path, options=Options(like=like)).savings
    return " ".join([*(it.do for it in advice.findings), *(it.do for it in saved.items)])


@pytest.mark.parametrize(
    ("marks", "told"),
    [
        ("vLLM", ("--enforce-eager", "cudagraph_mode", "capture_torch_profiler")),
        ("SGLang", ("--disable-cuda-graph", "--enable-profile-cuda-graph")),
    ],
)
def test_an_engine_is_advised_in_its_own_options(
    tmp_path: Path, marks: str, told: tuple[str, ...]
) -> None:
    """Where an engine captures its graphs itself, torch's settings for them are not named."""
    path = tmp_path / "steps.json"
    replay(path, Engine(layers=3, marks=marks), ["prefill", 8, 8, 8, 8])
    words = advised(path)
    assert [word for word in told if word not in words] == []
    for torchs in ("max-autotune", "reduce-overhead", "triton.cudagraphs", "kernelmap capture"):
        assert torchs not in words


def test_a_profile_of_the_captures_is_asked_for_once(tmp_path: Path) -> None:
    """With the captures given by --like, no more of them are asked for."""
    engine = Engine(layers=3, marks="vLLM")
    path, taught = tmp_path / "steps.json", tmp_path / "capture.json"
    replay(path, engine, [8, 8, 8])
    capture(taught, engine, [8])
    assert "capture_torch_profiler" in advised(path)
    assert "capture_torch_profiler" not in advised(path, taught)


def test_a_program_without_an_engine_keeps_torchs_words(tmp_path: Path) -> None:
    """Operators of two engines, and no step of either: nobody knows which one ran."""
    path = tmp_path / "steps.json"
    replay(path, Engine(layers=3), [8, 8, 8])
    assert "max-autotune-no-cudagraphs" in advised(path)


def test_a_prefill_is_no_slow_first_step(tmp_path: Path) -> None:
    """A first step is compared with steps of its kind: a prefill takes longer than decode steps."""
    path = tmp_path / "steps.json"
    replay(path, Engine(layers=3, marks="vLLM"), ["prefill", 1, 1, 1, 1, 1])
    findings = [it.slug for it in kernelmap.doctor(path).findings]
    assert "first-step-slow" not in findings
