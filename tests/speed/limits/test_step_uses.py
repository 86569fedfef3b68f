"""Model FLOPs by the kind of an engine's steps: all kinds together have what all steps have."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

import kernelmap
from kernelmap.model.roofline import ModelUse, Roofline
from kernelmap.model.trace import StepKind
from kernelmap.pages.limits import say_model_use
from kernelmap.speed.limits.measure import measure_roofline, with_wall_times
from kernelmap.speed.limits.step_uses import use_by_kind_and_batch
from kernelmap.speed.wall.measure import wall_time
from kernelmap.speed.work import works_of_calls

ANY_DEVICE = Path(__file__).parent / "any_device.toml"


def measured(samples: Path, *kinds: StepKind | None, engine: str | None = "vLLM") -> Roofline:
    """A recording of ten equal steps, marked as an engine's steps of these kinds in turn."""
    run = kernelmap.correlate(samples / "sim_gpt_train")
    marked = [
        replace(step, engine=engine, kind=kinds[step.number % len(kinds)])
        for step in run.trace.steps
    ]
    trace = replace(run.trace, steps=tuple(marked))
    works = works_of_calls(run.program)
    attribution = run.attribution
    roof = measure_roofline(run.program, trace, run.matching, attribution, works, ANY_DEVICE)
    return with_wall_times(roof, wall_time(trace, attribution.counted, attribution.step).steps)


def test_kinds_add_up_to_all_steps(samples: Path) -> None:
    """Every third step is a prefill: of equal steps it has its share of the operations."""
    roof = measured(samples, StepKind.PREFILL, StepKind.DECODE, StepKind.DECODE)
    uses, whole = roof.use_by_kind, roof.model_use

    assert list(uses) == ["prefill", "decode"]
    assert (uses["prefill"].steps, uses["decode"].steps) == (4, 6)
    assert whole.flops > 0
    for name in ("flops", "total_ns", "known_ns", "steps", "wall_ns"):
        assert sum(getattr(use, name) for use in uses.values()) == getattr(whole, name), name
    assert uses["prefill"].flops * 6 == uses["decode"].flops * 4


def test_each_kind_says_its_own_utilization(samples: Path) -> None:
    """The lines of the kinds stand behind those of all steps; a kind that is not said has one."""
    roof = measured(samples, StepKind.DECODE, None)
    lines = list(say_model_use(roof))

    assert [line.split("MFU")[0] for line in lines[::2]] == ["", "decode: ", "(kind not said): "]
    assert all(isinstance(use, ModelUse) and use.mfu for use in roof.use_by_kind.values())


def test_steps_of_no_engine_have_no_kinds(samples: Path) -> None:
    """Steps of torch.profiler are told as one."""
    assert measured(samples, None, engine=None).use_by_kind == {}


def test_batches_of_a_kind_add_up_to_it(samples: Path) -> None:
    """Steps of one kind with two batches have together what the kind has, and the device's time."""
    run = kernelmap.correlate(samples / "sim_gpt_train")
    marked = [
        replace(step, engine="vLLM", kind=StepKind.DECODE, batch=1 + step.number % 2)
        for step in run.trace.steps
    ]
    trace = replace(run.trace, steps=tuple(marked))
    attribution = run.attribution
    works = works_of_calls(run.program)
    roof = measure_roofline(run.program, trace, run.matching, attribution, works, ANY_DEVICE)
    wall = wall_time(trace, attribution.counted, attribution.step)
    uses = use_by_kind_and_batch(trace, wall.steps, wall.idle, roof.find_uses)
    whole = with_wall_times(roof, wall.steps).model_use

    assert [(key.kind, key.batch) for key in uses] == [("decode", 1), ("decode", 2)]
    models = [use.model for use in uses.values() if use.model is not None]
    for name in ("flops", "total_ns", "known_ns", "steps", "wall_ns"):
        assert sum(getattr(model, name) for model in models) == getattr(whole, name), name
    assert [use.step_ns for use in uses.values()] == [model.wall_ns for model in models]
    busy_ns = sum(use.busy_ns for use in uses.values())
    assert busy_ns + wall.idle.total_ns == whole.wall_ns
    assert 0 < busy_ns < whole.wall_ns


def test_without_the_work_of_calls_steps_have_no_model_flops(samples: Path) -> None:
    """How long the device was busy is known all the same."""
    run = kernelmap.correlate(samples / "sim_gpt_train")
    marked = tuple(replace(step, engine="vLLM") for step in run.trace.steps)
    trace = replace(run.trace, steps=marked)
    wall = wall_time(trace, run.attribution.counted, run.attribution.step)
    (use,) = use_by_kind_and_batch(trace, wall.steps, wall.idle, None).values()

    assert use.model is None
    assert use.step_ns == use.busy_ns + wall.idle.total_ns
