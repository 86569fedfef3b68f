"""Metrics for services: what their own readers take from the files is what was measured."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from histories.play import Weather, play
from histories.story import first_state, longer
from msgspec.structs import replace

from kernelmap.cli import main
from kernelmap.compare.comparison import Comparison, compare
from kernelmap.compare.metrics import FORMATS, Metric, metrics
from kernelmap.compare.side import side
from kernelmap.outputs.write import write

HOSTILE = 'a "quoted" \\ line\nwith # HELP and \udcff {} é'


@pytest.fixture(scope="module")
def comparison(samples: Path) -> Comparison:
    """A recording beside itself, with operators outside compiled code."""
    state = longer(first_state(samples / "sim_mlp_train"), 20)
    weather = Weather(outside={"aten::_foreach_add_": 60_000})
    recorded = side(play(state.program, state.cost_list(), weather, 1), "one")
    return compare(recorded, recorded)


@pytest.fixture(scope="module")
def measured(comparison: Comparison) -> Sequence[Metric]:
    return list(metrics(comparison))


def test_ops_and_calls_add_up_to_the_whole(measured: Sequence[Metric]) -> None:
    """The rows of one kind are parts of the whole, each under a name of its own."""
    (whole,) = [metric.time_ns for metric in measured if metric.kind == "total"]
    sums = {
        kind: sum(metric.time_ns for metric in measured if metric.kind == kind)
        for kind in ("op", "call")
    }
    names = [metric.name for metric in measured]

    assert abs(sums["op"] - whole) <= len(measured)
    assert 0.9 * whole < sums["call"] <= whole
    assert len(names) == len(set(names))


def test_prometheus_reads_what_was_measured(
    comparison: Comparison, measured: Sequence[Metric]
) -> None:
    """Its own parser: one gauge per kind, all labels, seconds to the nanosecond."""
    parser = pytest.importorskip("prometheus_client.parser")
    families = list(parser.text_string_to_metric_families(FORMATS["prometheus"](comparison)))
    samples = [sample for family in families for sample in family.samples]

    assert [(family.name, family.type) for family in families] == [
        (f"kernelmap_{kind}_seconds", "gauge") for kind in ("total", "op", "call")
    ]
    assert all(family.documentation for family in families)
    assert [(sample.labels, round(sample.value * 1e9)) for sample in samples] == [
        ({**metric.labels, "unit": "step"}, metric.time_ns) for metric in measured
    ]
    assert all(sample.timestamp is None for sample in samples)


def test_a_name_breaks_no_line(comparison: Comparison) -> None:
    """Quotes, backslashes, ends of lines and odd bytes in a call's name come back from a parser."""
    parser = pytest.importorskip("prometheus_client.parser")
    one = comparison.sides[1]
    graphs = tuple(replace(graph, id=f"{graph.id}{HOSTILE}") for graph in one.graphs)
    hostile = replace(comparison, sides=(one, replace(one, graphs=graphs)))
    text = FORMATS["prometheus"](hostile)
    families = list(parser.text_string_to_metric_families(text.encode().decode()))
    shown = HOSTILE.replace("\udcff", "\\udcff")

    assert {sample.labels["graph"] for sample in families[-1].samples} == {
        graph.id.removesuffix(HOSTILE) + shown for graph in graphs
    }
    for form in ("bmf", "pytest_benchmark"):
        written = FORMATS[form](hostile).encode(errors="backslashreplace")
        assert 'a \\"quoted' in written.decode()
        json.loads(written)


def test_pytest_benchmark_compares_what_was_measured(
    comparison: Comparison, measured: Sequence[Metric], tmp_path: Path
) -> None:
    """Its own command reads the file and one of twice the times, and writes the means of both."""
    pytest.importorskip("pytest_benchmark")
    document = json.loads(FORMATS["pytest_benchmark"](comparison))
    (tmp_path / "0001_one.json").write_text(json.dumps(document), encoding="utf-8")
    for benchmark in document["benchmarks"]:
        for key in ("min", "max", "mean", "median", "total"):
            benchmark["stats"][key] *= 2
    (tmp_path / "0002_two.json").write_text(json.dumps(document), encoding="utf-8")
    line = [sys.executable, "-m", "pytest_benchmark", "compare", "0001_one.json", "0002_two.json"]
    done = subprocess.run(  # noqa: S603 -- our own interpreter
        [*line, "--csv", "out.csv"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = [row.split(",") for row in (tmp_path / "out.csv").read_text("utf-8").splitlines()]
    at = rows[0].index("mean")
    means = sorted(float(row[at]) for row in rows[1:])
    expected = [
        1e-9 * float(np.mean(metric.rounds) if len(metric.rounds) else metric.time_ns)
        for metric in measured
    ]

    assert means == pytest.approx(sorted(factor * mean for mean in expected for factor in (1, 2)))


def test_rounds_are_steps(comparison: Comparison) -> None:
    """The statistics of the whole are those of its steps, and outliers are those beyond a fence."""
    whole = json.loads(FORMATS["pytest_benchmark"](comparison))["benchmarks"][0]
    steps = np.array(list(comparison.sides[1].by_step.values())) / 1e9
    stats = whole["stats"]

    assert whole["fullname"] == "total"
    assert stats["rounds"] == len(steps) == 20
    assert stats["median"] == pytest.approx(float(np.median(steps)))
    assert stats["total"] == pytest.approx(float(steps.sum()))
    assert stats["ops"] * stats["mean"] == pytest.approx(1)
    assert stats["min"] <= stats["ld15iqr"] <= stats["q1"] <= stats["q3"] <= stats["hd15iqr"]


def test_gate_writes_all_of_them(comparison: Comparison, tmp_path: Path) -> None:
    """One run, three files, and a summary that is added to, with the verdict and the causes."""
    write(comparison.sides[1].tables, tmp_path / "one")
    options = {form: f"--{form.replace('_', '-')}" for form in FORMATS}
    given = [word for form, option in options.items() for word in (option, f"{tmp_path}/{form}")]
    place = tmp_path / "comment.md"
    place.write_text("before\n", encoding="utf-8")
    one = str(tmp_path / "one")
    line = ["gate", "--baseline", one, one, *given, "--summary", str(place)]
    result = CliRunner().invoke(main, line, env={"GITHUB_STEP_SUMMARY": ""})

    assert result.exit_code == 0, result.output
    for form in options:
        assert (tmp_path / form).read_text("utf-8") == FORMATS[form](comparison)
    assert place.read_text("utf-8").startswith("before\n## kernelmap gate passed: `")
