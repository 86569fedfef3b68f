"""What a diagnosis says of time adds up, whatever ran."""

from __future__ import annotations

from hypothesis import given, settings

from attribution.random_worlds import worlds
from examples import examples
from kernelmap.attribution import attribute_time
from kernelmap.attribution.rollup import NO_LINE, NO_NODE
from kernelmap.matching import match_launches
from kernelmap.model import CompiledProgram, Confidence, Trace
from kernelmap.model.advice import Lack, Weight
from kernelmap.options import Options
from speed.advice.diagnosed import diagnose

World = tuple[CompiledProgram, Trace]
NOT_EXACT = ("inferred", "ambiguous", "unknown")


@settings(max_examples=examples(40))
@given(worlds())
def test_the_findings_add_up_to_the_time_that_is_not_exact(world: World) -> None:
    """Each launch without an exact call counts for one finding: no more, no less, to the ns."""
    compiled, trace = world
    advice = diagnose(compiled, trace)
    matching = match_launches(compiled, trace).matching
    sure = (Confidence.EXACT, Confidence.OUTSIDE)
    unsure = sum(
        dur
        for dur, confidence in zip(
            trace.launches.dur_ns.tolist(), matching.confidence.tolist(), strict=True
        )
        if confidence not in sure
    )
    call_gaps = [
        gap for finding in advice.findings for gap in finding.gaps if gap.lack is Lack.CALL
    ]

    assert sum(gap.time_ns or 0 for gap in call_gaps) == unsure
    assert sum(advice.confidence.get(confidence, 0) for confidence in NOT_EXACT) == unsure
    assert sum(sum(gap.now.values()) for gap in call_gaps) == unsure


@settings(max_examples=examples(40))
@given(worlds())
def test_every_lack_adds_up(world: World) -> None:
    """In each kind of lack, findings and what none explains make the total, to the ns."""
    advice = diagnose(*world)
    for total in advice.totals:
        gaps = [
            gap for finding in advice.findings for gap in finding.gaps if gap.lack is total.lack
        ]

        assert total.time_ns is not None
        assert total.unexplained_ns is not None
        assert sum(gap.time_ns or 0 for gap in gaps) + total.unexplained_ns == total.time_ns
        assert all((gap.time_ns or 0) <= (gap.involved_ns or 0) <= total.time_ns for gap in gaps)
        assert total.time_ns <= (advice.total_ns or 0)
        assert total.lack is not Lack.CALL or total.unexplained_ns == 0


@settings(max_examples=examples(40))
@given(worlds())
def test_what_has_no_line_or_node_is_what_the_tables_say(world: World) -> None:
    """Time without a node equals the table's row; time without any line is at most the table's."""
    compiled, trace = world
    result = match_launches(compiled, trace)
    split = attribute_time(result.program, trace, result.matching, Options())
    totals = {total.lack: total.time_ns for total in diagnose(compiled, trace).totals}
    no_node = sum(row.time_ns for row in split.nodes if row.name == NO_NODE)
    no_line = sum(row.time_ns for row in split.lines if row.file == NO_LINE)

    assert totals.get(Lack.NODE, 0) == no_node
    assert (totals.get(Lack.LINE) or 0) <= no_line


@settings(max_examples=examples(40))
@given(worlds())
def test_the_worst_comes_first(world: World) -> None:
    """Lost time, then changes by their share, then notes."""
    findings = diagnose(*world).findings
    order = [
        (finding.weight, -(finding.worst.share or 0) if finding.worst else 0)
        for finding in findings
    ]

    assert order == sorted(order)
    assert all(finding.do and finding.then and finding.what for finding in findings)


@settings(max_examples=examples(40))
@given(worlds())
def test_calls_add_up_without_a_profile(world: World) -> None:
    """Code alone is weighed by its calls, and nothing is said of time."""
    compiled, _ = world
    advice = diagnose(compiled)

    assert (advice.side, advice.total_ns, advice.confidence) == (None, None, {})
    for total in advice.totals:
        gaps = [
            gap for finding in advice.findings for gap in finding.gaps if gap.lack is total.lack
        ]
        assert sum(gap.calls for gap in gaps) + total.unexplained_calls == total.calls
        assert all(gap.time_ns is None for gap in gaps)
    assert advice.findings[0].weight is Weight.LOST
