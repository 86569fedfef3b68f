"""What could be won stands beside what is missing: the calls with the largest headroom, and why."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given, settings

import kernelmap
from examples import examples
from kernelmap.options import Options
from kernelmap.pages import documents
from kernelmap.pages.advice import page_of_advice, say_verdict
from kernelmap.pages.render import markdown
from kernelmap.speed.advice.headrooms import largest_headrooms
from speed.limits.measured_worlds import Measured, measured

LIMITS = Path(__file__).parents[3] / "docs" / "examples" / "limits.toml"


@settings(max_examples=examples(30))
@given(measured())
def test_they_are_the_largest_of_the_roofline(world: Measured) -> None:
    """No call that is left out has more; all have at least 1 % of the window, and a limit."""
    named = largest_headrooms(world.match.program, world.roofline)
    everything = sorted((speed.headroom_ns or 0 for speed in world.roofline.calls), reverse=True)
    sizes = [headroom.headroom_ns for headroom in named]
    worth = [ns for ns in everything if ns and ns >= 0.01 * world.roofline.total_ns]

    assert sizes == worth[:5]
    assert sum(sizes) <= world.roofline.total_ns
    assert largest_headrooms(world.match.program, None) == ()
    if not any(world.roofline.devices.values()):
        assert named == ()


def test_doctor_names_them_with_their_reasons(samples: Path) -> None:
    """They stand in words and in JSON; the other findings and the verdict do not change."""
    folder = samples / "sim_gpt_train"
    plain = kernelmap.doctor(folder)
    advice = kernelmap.doctor(folder, options=Options(device_limits=LIMITS))
    answer = json.loads(documents.of_advice(advice))
    shown = markdown.render_markdown(page_of_advice(advice))
    reasons = kernelmap.correlate(folder).roofline(LIMITS).reasons

    assert plain.headrooms == ()
    assert (advice.findings, say_verdict(advice)) == (plain.findings, say_verdict(plain))
    assert [headroom["call"] for headroom in answer["headrooms"]] == [
        headroom.call for headroom in advice.headrooms
    ]
    assert any(headroom.reasons for headroom in advice.headrooms)
    for headroom in advice.headrooms:
        assert headroom.call in shown
        assert set(headroom.evidence) <= set(reasons["evidence"])
