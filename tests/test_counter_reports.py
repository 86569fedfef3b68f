"""Counters of Nsight Compute reach the calls of the profile beside them, and no other call."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kernelmap
from examples import crossed
from kernelmap.correlation import Correlation
from kernelmap.counter_reports import read_reports
from kernelmap.matching.names.spelling import shorten_spelling
from kernelmap.matching.report_order import pair_report, tokens_of_launches
from kernelmap.model import Activity, Confidence
from kernelmap.model.trace import Int
from kernelmap.traces import load_trace
from tiny import Timeline, graph, program
from traces.small_ncu import NcuRow, raw_page

SAMPLES = Path(__file__).parents[1] / "sample_traces"
COUNTED = ("cuda_reason_pairs", "cuda_wide_llama", "cuda_wide_conv", "cuda_memory_graphs")
PAGES = ("basic_raw", "basic_details", "detailed_raw", "detailed_details")


@cache
def profile_of(sample: str) -> Correlation:
    """The profile of a sample with its code."""
    return kernelmap.correlate(SAMPLES / sample)


@cache
def true_calls_of_step(sample: str) -> Int:
    """The call of each kernel of the last step in the order of the host, -1 for none, by truth."""
    c = profile_of(sample)
    truth = json.loads((SAMPLES / sample / "truth.json").read_text())
    known = dict(zip(truth["events"], truth["call"], strict=True))
    positions = {
        (graph_.digest, call.index): at for at, (graph_, call) in enumerate(c.program.calls)
    }
    launches = c.trace.launches
    order = np.lexsort((launches.start_ns, c.trace.launch_time_ns))
    kernels = order[launches.activity[order] == Activity.KERNEL]
    numbers = [known.get(int(event), -1) for event in launches.event[kernels]]
    return np.array(
        [positions[tuple(truth["calls"][number])] if number >= 0 else -1 for number in numbers]
    )


def rows_of_page(sample: str, page: str) -> tuple[list[list[str]], list[list[str]]]:
    """The header with the units, and a row per launch, of a raw page."""
    text = gzip.decompress((SAMPLES / sample / f"ncu_{page}.csv.gz").read_bytes()).decode()
    rows = list(csv.reader(io.StringIO(text)))
    return rows[:2], rows[2:]


def write_page(path: Path, rows: list[list[str]]) -> Path:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows(rows)
    path.write_text(out.getvalue())
    return path


@pytest.mark.parametrize(("sample", "page"), crossed(COUNTED, PAGES))
def test_every_launch_of_a_step_is_paired(sample: str, page: str) -> None:
    """All launches of the report of a whole step have the call that the truth says, or none."""
    c = profile_of(sample)
    path = SAMPLES / sample / f"ncu_{page}.csv.gz"
    report = load_trace(path)
    pairing = pair_report(c.trace, c.matching, report, pytest.fail)
    assert pairing.is_paired.all()
    truth = true_calls_of_step(sample)[-len(report.launches) :]
    given = pairing.call >= 0
    np.testing.assert_array_equal(pairing.call[given], truth[given])
    # What is left is what the profile itself gives no single call.
    assert given.sum() == (truth >= 0).sum() or sample == "cuda_reason_pairs"
    assert set(pairing.confidence) <= {Confidence.INFERRED, Confidence.AMBIGUOUS}
    read = read_reports(c.program, c.trace, c.matching, [path])
    assert read.notices == ()
    assert read.counted is not None


@pytest.mark.sampled
@pytest.mark.parametrize("sample", COUNTED)
def test_a_report_alone_is_a_profile(sample: str) -> None:
    """Launches are paired by their order alone: rightly, none is exact, and all are counted."""
    path = SAMPLES / sample / "ncu_detailed_raw.csv.gz"
    c = kernelmap.correlate(SAMPLES / sample / "rank_0" / "code", path)
    digests = [(graph_.digest, call.index) for graph_, call in c.program.calls]
    of_profile = profile_of(sample).program.calls
    truth = [
        (of_profile[at][0].digest, of_profile[at][1].index) if at >= 0 else None
        for at in true_calls_of_step(sample)[-len(c.trace.launches) :].tolist()
    ]
    for at, call in enumerate(c.matching.call.tolist()):
        if call >= 0:
            assert digests[call] == truth[at]
    assert not c.matching.with_confidence(Confidence.EXACT).any()
    assert c.counted is not None
    assert (c.counted.kind >= 0).all()
    assert "ncu-times" in [notice.slug for notice in c.notices]


@pytest.mark.sampled
@pytest.mark.parametrize("sample", COUNTED)
@pytest.mark.parametrize("skipped", [1, 5])
def test_a_part_of_a_step_is_found_in_it(sample: str, skipped: int, tmp_path: Path) -> None:
    """`--launch-skip` and `--launch-count` leave a part of the step: what is given is right."""
    c = profile_of(sample)
    head, rows = rows_of_page(sample, "basic_raw")
    part = rows[skipped : skipped + 12]
    report = load_trace(write_page(tmp_path / "part.csv", [*head, *part]))
    pairing = pair_report(c.trace, c.matching, report, pytest.fail)
    truth = true_calls_of_step(sample)[-len(rows) :][skipped : skipped + 12]
    given = pairing.is_paired & (pairing.call >= 0)
    np.testing.assert_array_equal(pairing.call[given], truth[given])
    assert pairing.is_paired.mean() > 0.9


@pytest.mark.sampled
@pytest.mark.parametrize("sample", COUNTED)
@pytest.mark.parametrize("pattern", ["triton", "^(nvjet|sm\\d+_xmma|triton_poi)"])
def test_a_filter_by_name_leaves_the_order(sample: str, pattern: str, tmp_path: Path) -> None:
    """`--kernel-name regex:…` leaves launches out between others: the rest is still in order."""
    c = profile_of(sample)
    head, rows = rows_of_page(sample, "basic_raw")
    name = head[0].index("Kernel Name")
    kept = [at for at, row in enumerate(rows) if re.search(pattern, shorten_spelling(row[name]))]
    report = load_trace(write_page(tmp_path / "some.csv", [*head, *(rows[at] for at in kept)]))
    pairing = pair_report(c.trace, c.matching, report, pytest.fail)
    assert pairing.is_paired.all()
    truth = true_calls_of_step(sample)[-len(rows) :][kept]
    given = pairing.call >= 0
    np.testing.assert_array_equal(pairing.call[given], truth[given])


def _page(tmp_path: Path, *names: str) -> Path:
    path = tmp_path / "report.csv"
    path.write_text(
        raw_page(
            *(
                NcuRow(
                    name=name,
                    grid="(1, 1, 1)",
                    block="(1, 1, 1)",
                    metrics={
                        "gpu__time_duration.sum": ("1,000", "ns"),
                        "launch__registers_per_thread": (str(10 + at), ""),
                    },
                )
                for at, name in enumerate(names)
            )
        )
    )
    return path


ADD, MUL = "triton_poi_fused_add_0", "triton_poi_fused_mul_0"
Tell = Callable[[Path], list[float | None]]


@pytest.fixture
def registers() -> Tell:
    """The registers that each launch of one run of a graph (add, add, mul) is given by a report."""
    world = program(graph("0_forward", ADD, ADD, MUL))
    trace = Timeline().invoke(world.graphs[0]).invoke(world.graphs[0]).trace()
    from kernelmap.matching import match_launches

    matched = match_launches(world, trace)

    def tell(path: Path) -> list[float | None]:
        counted = read_reports(world, trace, matched.matching, [path]).counted
        assert counted is not None
        return [counted.kinds[kind].registers if kind >= 0 else None for kind in counted.kind[:3]]

    return tell


def test_one_kernel_of_two_calls_is_told_by_what_runs_beside_it(
    registers: Tell, tmp_path: Path
) -> None:
    """Two calls of one kernel: in the order of a step each has its own launch of the report."""
    assert registers(_page(tmp_path, ADD, ADD, MUL)) == [10, 11, 12]
    assert registers(_page(tmp_path, ADD, MUL, ADD)) == [12, 10, 11]


def test_a_launch_that_fits_two_calls_is_not_given_to_either(
    registers: Tell, tmp_path: Path
) -> None:
    """A report of one launch of a kernel that two calls run says of neither what it needs."""
    assert registers(_page(tmp_path, ADD)) == [None, None, None]
    assert registers(_page(tmp_path, MUL)) == [None, None, 10]


def test_times_of_a_report_are_never_those_of_the_profile() -> None:
    """Where a profile stands beside it, nothing of the ledger or the tables' times changes."""
    sample = SAMPLES / "cuda_wide_llama"
    plain = profile_of("cuda_wide_llama")
    counted = kernelmap.correlate(sample, sample / "ncu_basic_raw.csv.gz")
    assert counted.attribution.total_ns == plain.attribution.total_ns
    assert counted.attribution.ledger == plain.attribution.ledger
    assert counted.trace.sources == plain.trace.sources
    np.testing.assert_array_equal(counted.matching.call, plain.matching.call)


def test_a_report_beside_a_profile_in_a_folder_is_no_second_profile(tmp_path: Path) -> None:
    """The folder of a run may hold its report: the profile in it is the one that is meant."""
    sample = SAMPLES / "cuda_reason_pairs"
    shutil.copytree(sample / "rank_0" / "code", tmp_path / "code")
    shutil.copy(sample / "ncu_basic_raw.csv.gz", tmp_path)
    alone = kernelmap.correlate(tmp_path)
    assert alone.trace.sources == (str(tmp_path / "ncu_basic_raw.csv.gz"),)
    assert alone.counted is not None
    shutil.copy(sample / "rank_0" / "trace.json.gz", tmp_path)
    both = kernelmap.correlate(tmp_path)
    assert both.trace.sources == (str(tmp_path / "trace.json.gz"),)


def test_tokens_are_alike_however_a_tool_demangles() -> None:
    """A kernel of the profile and of the report are one kind by their own name, grid and block."""
    sample = SAMPLES / "cuda_wide_conv"
    report = load_trace(sample / "ncu_basic_raw.csv.gz").launches
    profile = profile_of("cuda_wide_conv").trace.launches
    of_profile, of_report = tokens_of_launches(profile, report)
    assert set(of_report.tolist()) <= set(of_profile.tolist())
    assert set(of_profile[profile.activity != Activity.KERNEL].tolist()) <= {-1}
