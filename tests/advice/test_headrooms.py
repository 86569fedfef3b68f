"""What could be won stands beside what is missing: the calls with the largest headroom, and why."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given, settings

import kernelmap
from kernelmap.advice.advise import headrooms
from kernelmap.options import Options
from kernelmap.outputs import documents, markdown
from kernelmap.present.advice import page, verdict
from roofline.measured_worlds import Measured, measured

LIMITS = Path(__file__).parents[2] / "docs" / "examples" / "limits.toml"


@settings(max_examples=30)
@given(measured())
def test_they_are_the_largest_of_the_roofline(world: Measured) -> None:
    """No other call has more; none is below a hundredth of the window, none is of no limit."""
    named = headrooms(world.match.program, world.roofline)
    everything = sorted((speed.headroom_ns or 0 for speed in world.roofline.calls), reverse=True)
    sizes = [each.headroom_ns for each in named]
    worth = [ns for ns in everything if ns and ns >= 0.01 * world.roofline.total_ns]

    assert sizes == worth[:5]
    assert sum(sizes) <= world.roofline.total_ns
    assert headrooms(world.match.program, None) == ()
    if not any(world.roofline.devices.values()):
        assert named == ()


def test_doctor_names_them_with_their_reasons(samples: Path) -> None:
    """In words and in JSON; what is missing, and the verdict, stay as they are without them."""
    folder = samples / "sim_gpt_train"
    plain = kernelmap.doctor(folder)
    advice = kernelmap.doctor(folder, options=Options(device_limits=LIMITS))
    answer = json.loads(documents.of_advice(advice))
    shown = markdown.render(page(advice))
    reasons = kernelmap.correlate(folder).roofline(LIMITS).reasons

    assert plain.headrooms == ()
    assert (advice.findings, verdict(advice)) == (plain.findings, verdict(plain))
    assert [each["call"] for each in answer["headrooms"]] == [
        each.call for each in advice.headrooms
    ]
    assert any(each.reasons for each in advice.headrooms)
    for each in advice.headrooms:
        assert each.call in shown
        assert set(each.evidence) <= set(reasons["evidence"])
