"""What `which` answers: for launches, kernels and operators, and what it must not claim.

The laws are held against real profiles and against simulated worlds that lack parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import many_runs
from kernelmap import Correlation, correlate
from kernelmap.errors import UsageError
from kernelmap.matching.context.notices import REASONS
from kernelmap.matching.explaining.hits import Hit
from kernelmap.model import Activity, Confidence, Reason
from kernelmap.pages import answers
from kernelmap.pages.render import markdown
from kernelmap.pipeline import which

pytestmark = pytest.mark.sampled

NO_KERNEL = "is no kernel of compiled code"
_ASKED = 40  # names of one run
run = many_runs.run


def asked(correlation: Correlation) -> Iterator[tuple[str, tuple[Hit, ...]]]:
    """Names on the device, evenly chosen, with their answers."""
    launches = correlation.trace.launches
    names = [launches.names[name_id] for name_id in np.unique(launches.name_id).tolist()]
    return ((name, correlation.which(name)) for name in names[:: max(1, len(names) // _ASKED)])


def title(name: str, hits: tuple[Hit, ...]) -> str:
    return markdown.render_markdown(answers.page_of_hits(name, hits)).partition("\n")[0]


def test_what_is_unknown_is_not_denied(run: Correlation) -> None:
    """A name is no kernel of compiled code only where all its launches were seen outside of it."""
    matching, launches = run.matching, run.trace.launches
    for name, hits in asked(run):
        rows = np.flatnonzero(launches.name_id == launches.names.index(name))
        seen = set(matching.confidence[rows].tolist())
        if NO_KERNEL in title(name, hits):
            assert seen == {Confidence.OUTSIDE}, name
            assert not any("autotuner" in text for hit in hits for text in hit.evidence), name


def test_every_launch_of_a_name_is_reported(run: Correlation) -> None:
    """The launches of the answer are at least those that bear the name."""
    launches = run.trace.launches
    for name, hits in asked(run):
        if any(hit.launches is None for hit in hits):
            continue
        bearing = int((launches.name_id == launches.names.index(name)).sum())

        assert sum(hit.launches or 0 for hit in hits) >= bearing, name


def test_mostly_is_a_majority(run: Correlation) -> None:
    """Place and neighbors of a hit are those of more than half of its launches."""
    launches = run.trace.launches
    gpu = np.flatnonzero(launches.activity != Activity.CPU)
    step = run.attribution.step
    place: dict[int, tuple[int, int]] = {}
    for owner in {(p, s) for p, s in zip(launches.process[gpu], step[gpu], strict=True) if s >= 0}:
        rows = gpu[(launches.process[gpu] == owner[0]) & (step[gpu] == owner[1])]
        rows = rows[np.argsort(launches.start_ns[rows], kind="stable")]
        place |= {row: (at, len(rows)) for at, row in enumerate(rows.tolist(), 1)}
    for name, hits in asked(run):
        named = np.flatnonzero(launches.name_id == launches.names.index(name))
        if len(hits) != 1 or hits[0].launches != len(named) or hits[0].where is None:
            continue
        places = Counter(place.get(row) for row in named.tolist())
        position = hits[0].where.position
        usual, number = places.most_common(1)[0]

        assert position == (usual if 2 * number > len(named) else None), name


def test_no_reason_stands_for_other_reasons(run: Correlation) -> None:
    """Every reason is listed if launches of one name lack a call for several reasons."""
    matching, launches = run.matching, run.trace.launches
    for name, hits in asked(run):
        evidence = "\n".join(text for hit in hits for text in hit.evidence)
        rows = np.flatnonzero(launches.name_id == launches.names.index(name))
        rows = rows[(matching.call[rows] < 0) & (matching.reason[rows] != Reason.NONE)]
        for reason in np.unique(matching.reason[rows]).tolist():
            assert REASONS[Reason(reason)] in evidence, name


@pytest.mark.sampled
def test_any_operator_that_ran_is_answered(run: Correlation) -> None:
    """Every op of the table of ops has an answer, in the spelling of tables and of profiles."""
    names = [name for name in run.ops["name"].tolist() if "." in name and " " not in name]
    for name in names[:: max(1, len(names) // 8)]:
        hits = run.which(name)

        assert hits, name
        assert run.which(name.replace(".", "::", 1)), name


def test_the_calls_of_an_op_are_those_that_work_for_it(samples: Path) -> None:
    """`which aten.gelu` names the fused kernels that have it among their ops."""
    correlation = correlate(samples / "sim_mlp_train")
    calls = correlation.calls
    for name in ("aten.gelu", "aten.native_layer_norm", "aten.addmm"):
        works = calls[[isinstance(ops, list) and name in ops for ops in calls["ops"]]]
        hits = [hit for hit in correlation.which(name) if hit.calls]

        assert {call for hit in hits for call in hit.calls} == set(works["call"]), name
        assert sum(hit.launches or 0 for hit in hits) == works["launches"].sum(), name
        assert "is an op of" in title(name, correlation.which(name)), name


def test_code_alone_answers_for_ops(samples: Path) -> None:
    """Without a profile the calls of an op are those whose comment or name has it."""
    hits = which("aten.gelu", samples / "sim_mlp_train" / "model__0_forward_1.0")

    assert {hit.graph for hit in hits} == {"0_forward"}
    assert all("aten.gelu" in hit.ops for hit in hits)


@pytest.mark.corpus
def test_a_library_call_is_answered_without_code(corpus: Path) -> None:
    """What code calls extern_kernels.mm is aten::mm in a profile, and bears its launches."""
    correlation = correlate(corpus / "kineto" / "mi300x_torch_compile_triton.json.gz")
    spellings = ("extern_kernels.mm", "aten::mm", "aten.mm", "torch.ops.aten.mm.default", "mm")
    seen = {tuple((h.wrapper, h.launches) for h in correlation.which(name)) for name in spellings}

    assert seen == {(("aten::mm", 7),)}


@pytest.mark.corpus
def test_an_operator_outside_of_compiled_code_is_answered(corpus: Path) -> None:
    """An eager operator has its launches, whatever operator lies around it."""
    correlation = correlate(corpus / "kineto" / "h100_bert_small_eager.json.gz")
    hits = correlation.which("aten.addmm")

    assert {hit.graph for hit in hits} == {"(outside)"}
    assert {hit.wrapper for hit in hits} == {"aten::linear"}  # the outermost operator around it
    assert sum(hit.launches or 0 for hit in hits) > 0


@pytest.mark.corpus
def test_without_code_an_op_of_fused_kernels_is_not_denied(corpus: Path) -> None:
    """Only code tells the ops of fused kernels, so without any the message says so."""
    with pytest.raises(UsageError, match="no launch bears it") as caught:
        which("aten.relu", corpus / "kineto" / "mi300x_torch_compile_triton.json.gz")

    assert "of the code" not in caught.value.message
    assert "code" in (caught.value.hint or "")


def test_an_answer_says_the_time_of_its_launches(samples: Path) -> None:
    """The time of each answer is that of its launches, its share that of all time there is."""
    correlation = correlate(samples / "cuda_language_train")
    launches = correlation.trace.launches
    whole_ns = int(launches.dur_ns[~launches.on_cpu].sum())
    rows = correlation.launches.groupby("call")["dur_ns"].sum()
    for name in ("mm", "aten.add", "triton_poi_fused__to_copy_2"):
        hits = [hit for hit in correlation.which(name) if hit.calls]

        assert [hit.time_ns for hit in hits] == [
            sum(int(rows[call]) for call in hit.calls) for hit in hits
        ]
        assert [hit.share for hit in hits] == [(hit.time_ns or 0) / whole_ns for hit in hits]
        assert [hit.time_ns or 0 for hit in hits] == sorted(
            (hit.time_ns or 0 for hit in hits), reverse=True
        )
        shown = markdown.render_markdown(answers.page_of_hits(name, hits))
        assert all(heading in shown for heading in ("| time |", "| share |", "| launches |"))


def test_an_answer_without_a_profile_has_no_time(samples: Path) -> None:
    """Code alone knows neither time nor launches, and shows no empty column of them."""
    hits = which("aten.gelu", samples / "sim_mlp_train" / "model__0_forward_1.0")
    shown = markdown.render_markdown(answers.page_of_hits("aten.gelu", hits))

    assert {hit.time_ns for hit in hits} == {None}
    assert not any(heading in shown for heading in ("time", "share", "launches"))
