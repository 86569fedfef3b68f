"""What `explain` says of any launch and call is not contradicted by the evidence beside it.

The laws are held against real profiles and against simulated worlds that lack parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import many_runs
from kernelmap import Correlation, correlate
from kernelmap.matching import match_launches
from kernelmap.matching.explaining.explain import Explanation, explain_call
from kernelmap.model import Activity, Confidence, Reason
from tiny import Timeline, graph, program

pytestmark = pytest.mark.sampled

A, B = "triton_poi_fused_a_0", "triton_poi_fused_b_1"
run = many_runs.run


def explained(correlation: Correlation) -> Iterator[tuple[int, Explanation]]:
    """Two launches of every kind: decided alike, and with or without an api call."""
    matching, launches = correlation.matching, correlation.trace.launches
    columns = (matching.confidence, matching.method, matching.reason, launches.activity)
    kinds = np.stack([*columns, launches.api >= 0, launches.origin >= 0])
    _, first, of_kind = np.unique(kinds, axis=1, return_index=True, return_inverse=True)
    _, last = np.unique(of_kind.reshape(-1)[::-1], return_index=True)
    rows = {*first.tolist(), *(len(launches) - 1 - last).tolist()}
    return ((row, correlation.explain(str(row))) for row in sorted(rows))


def test_no_reason_contradicts_its_evidence(run: Correlation) -> None:
    """A launch with an api call or range has a host side; where all was seen, no number differs."""
    for row, explanation in explained(run):
        text = "\n".join(explanation.evidence)
        if "no host side" in explanation.verdict:
            assert "launched by" not in text, row
            assert "goes back to" not in text, row
            assert "inside range" not in text, row
        if "other numbers of ranges" in explanation.verdict:
            assert "all its statements were seen" not in text, row
            assert "inside range" in text, row
        if "no operator's range" in explanation.verdict:
            assert "launched by" in text or "goes back to" in text, row
            assert "inside range 'aten::" not in text, row
        assert "device -1" not in text, row
        assert "stream -1" not in text, row


def test_a_recorded_api_call_is_a_host_side(run: Correlation) -> None:
    """No launch lacks a host side whose api call, capture or range was recorded."""
    lacking = np.equal(run.matching.reason, Reason.NO_HOST_SIDE)
    lacking &= run.matching.call < 0
    launches = run.trace.launches

    assert not (lacking & (launches.api >= 0)).any()
    assert not (lacking & (launches.origin >= 0)).any()
    assert not (lacking & np.equal(launches.activity, Activity.CPU)).any()


def test_the_example_of_a_call_is_a_typical_one(run: Correlation) -> None:
    """The example has the median duration of its confidence, and most launches have that."""
    matching, launches = run.matching, run.trace.launches
    calls = np.unique(matching.call[matching.call >= 0]).tolist()
    for position in calls[:: max(1, len(calls) // 10)]:
        evidence = explain_call(run.match, position).evidence
        (example,) = [
            sentence for sentence in evidence if sentence.startswith("for example launch ")
        ]
        row = int(example.removeprefix("for example launch ").rstrip(":"))
        rows = np.flatnonzero(matching.call == position)
        alike = rows[matching.confidence[rows] == matching.confidence[row]]
        dur_ns = launches.dur_ns[alike]

        assert matching.call[row] == position
        assert len(alike) == max(np.bincount(matching.confidence[rows]))
        assert 2 * (dur_ns <= launches.dur_ns[row]).sum() >= len(alike)
        assert 2 * (dur_ns >= launches.dur_ns[row]).sum() >= len(alike)


def test_a_call_with_launches_is_of_a_graph_that_ran(run: Correlation) -> None:
    """No explanation counts launches of a graph that it has never seen to run."""
    matching = run.matching
    numbered = matching.call[(matching.call >= 0) & (matching.invocation >= 0)]
    calls = np.unique(numbered).tolist()
    for position in calls[:: max(1, len(calls) // 10)]:
        text = "\n".join(explain_call(run.match, position).evidence)

        assert "was not seen to run" not in text
        assert "ran 0 times" not in text


def test_a_graph_with_launches_is_not_said_to_be_idle(run: Correlation) -> None:
    """No notice says of a graph that it did not run while launches belong to its calls."""
    graphs = run.program.graphs
    owners = run.program.graph_of_call[np.unique(run.matching.call)].tolist()
    ran = {graphs[owner].id for owner in owners if owner >= 0}
    for notice in run.notices:
        if notice.slug == "graph-not-run":
            idle = notice.message.partition(": ")[2].split(", ")

            assert ran.isdisjoint(idle)


@pytest.mark.corpus
def test_what_another_run_names_is_not_from_the_profile_alone(corpus: Path) -> None:
    """If --like names calls, no text says that the profile alone does, or that code was given."""
    profiles = corpus / "kineto"
    correlation = correlate(
        profiles / "mi300x_vllm_decode_full.replay.json.gz",
        like=profiles / "mi300x_vllm_decode_full.capture.json.gz",
    )
    slugs = {finding.slug for finding in correlation.advice.findings} | {
        notice.slug for notice in correlation.notices
    }
    texts = [finding.what + finding.do for finding in correlation.advice.findings]
    texts += [notice.message for notice in correlation.notices]

    assert "transfer" in set(correlation.launches["method"])
    assert "code-missing" in slugs
    assert not {"trace-alone", "cache-borrowed"} & slugs
    assert not any("alone" in text for text in texts)


def test_the_example_is_no_outlier() -> None:
    """A first launch that took a thousand times as long is not the example of its call."""
    compiled = graph("0_inference", A, B)
    line = Timeline()
    for _ in range(5):
        line.invoke(compiled)
    trace = line.trace()
    trace.launches.dur_ns[0] = 10**6
    evidence = explain_call(match_launches(program(compiled), trace), 0).evidence

    assert "for example launch 0:" not in evidence


def test_the_example_has_the_usual_confidence() -> None:
    """Where most launches of a call are exact, an inferred one is not the example."""
    compiled = graph("0_inference", A, B)
    line = Timeline().invoke(compiled, skip=[0])
    for _ in range(2):
        line.invoke(compiled)
    result = match_launches(program(compiled), line.trace())
    numbers = result.matching.confidence[result.matching.call == 0].tolist()

    assert numbers == [Confidence.INFERRED, Confidence.EXACT, Confidence.EXACT]
    assert "for example launch 2:" in explain_call(result, 0).evidence


def test_what_runs_on_the_cpu_has_no_device(samples: Path) -> None:
    """A C++ kernel ran on the CPU, on no device and in no stream."""
    launch = correlate(samples / "cpu_mlp_train").explain("0")

    assert " on the CPU" in launch.evidence[0]
    assert "stream" not in launch.evidence[0]
