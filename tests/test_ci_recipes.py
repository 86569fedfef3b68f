"""The recipes of docs/ci.md, run as they stand: what a service would read is what was measured."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Self

import numpy as np
import pytest
from histories.play import Weather, play
from histories.story import first_state, longer

from kernelmap.history.compare.gate.findings import GateLimits
from kernelmap.history.compare.gate.verdict import judge_comparison
from kernelmap.history.compare.gate.written import dumps_gate
from kernelmap.history.compare.numbers.comparison import compare_sides
from kernelmap.history.compare.sides.side import side_of_result
from listening import Listener

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "ci.md").read_text(encoding="utf-8")
PROGRAMS: Mapping[str, str] = dict(
    re.findall(
        r"^### ([\w& -]+)\n(?:(?!^#).)*?^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
    )
)
SHELL = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
LONGEST = 25  # lines; what is longer is no recipe
HOSTILE = 'a "quoted" \\ line\nwith # HELP and {} é'


@pytest.fixture(scope="module")
def document(samples: Path) -> str:
    """The JSON of a gate whose recording has a graph of an odd name, and operators outside."""
    state = longer(first_state(samples / "sim_mlp_train"), 20)
    weather = Weather(outside={"aten::_foreach_add_": 60_000})
    recorded = side_of_result(play(state.program, state.cost_list(), weather, 1), "one")
    comparison = compare_sides(recorded, recorded)
    text = dumps_gate(comparison, judge_comparison(comparison, GateLimits()), failed=False)
    return text.replace('"graph": "0_forward"', f'"graph": {json.dumps(HOSTILE)}')


@pytest.fixture
def gate(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The same, read, with `gate.json` in the folder where one stands."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gate.json").write_text(document, encoding="utf-8")
    read: dict[str, Any] = json.loads(document)
    return read


def follow(recipe: str) -> None:
    """Run the program of one recipe in the current folder."""
    exec(compile(PROGRAMS[recipe], recipe, "exec"), {})  # noqa: S102 -- our own page


def test_the_recipes_are_found_and_short() -> None:
    """The pattern above still fits the page."""
    assert list(PROGRAMS) == [
        "Bencher",
        "pytest-benchmark",
        "Prometheus",
        "OpenTelemetry",
        "Weights & Biases",
    ]
    assert all(len(text.splitlines()) <= LONGEST for text in PROGRAMS.values())


def test_bencher_gets_every_time(gate: dict[str, Any]) -> None:
    """Ns by name; the whole lies between its fastest and its slowest step."""
    follow("Bencher")
    metrics = json.loads(Path("bmf.json").read_text("utf-8"))
    whole = metrics["total"]["latency"]

    assert {name: metric["latency"]["value"] for name, metric in metrics.items()} == {
        time["name"]: time["mean_ns"] for time in gate["times"]
    }
    assert whole["lower_value"] < whole["value"] < whole["upper_value"]


def test_pytest_benchmark_compares_every_time(gate: dict[str, Any]) -> None:
    """Its own command reads the file and one of twice the times, and writes the means of both."""
    pytest.importorskip("pytest_benchmark")
    follow("pytest-benchmark")
    document = json.loads(Path("0001_gate.json").read_text("utf-8"))
    for benchmark in document["benchmarks"]:
        for key in ("min", "max", "mean", "median", "total"):
            benchmark["stats"][key] *= 2
    Path("0002_twice.json").write_text(json.dumps(document), encoding="utf-8")
    line = [sys.executable, "-m", "pytest_benchmark", "compare", "0001_gate.json"]
    done = subprocess.run(  # noqa: S603 -- our own interpreter
        [*line, "0002_twice.json", "--csv", "out.csv"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = csv.DictReader(Path("out.csv").read_text("utf-8").splitlines())
    means = sorted(float(row["mean"]) for row in rows)
    expected = [1e-9 * np.mean(time["samples_ns"] or [time["mean_ns"]]) for time in gate["times"]]

    assert means == pytest.approx(sorted(factor * mean for mean in expected for factor in (1, 2)))


def test_prometheus_text_has_every_time(gate: dict[str, Any]) -> None:
    """A gauge per kind, and no quote, backslash or end of line in a name ends its label."""
    follow("Prometheus")
    text = Path("kernelmap.prom").read_text("utf-8")
    sample = re.compile(r'(\w+)\{((?:\w+="(?:[^"\\\n]|\\[\\"n])*",?)+)\} (\S+)')
    read = {}
    for line in text.splitlines():
        if match := sample.fullmatch(line):
            labels = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match[2])
            key = match[1], *(_unescaped(value) for name, value in labels if name != "unit")
            read[key] = round(float(match[3]) * 1e9)
        else:
            assert re.fullmatch(r"# TYPE kernelmap_(total|op|call)_seconds gauge", line)

    assert text.endswith("\n")
    assert read == {
        (f"kernelmap_{time['kind']}_seconds", *time["labels"].values()): time["mean_ns"]
        for time in gate["times"]
    }
    assert any(HOSTILE in key for key in read)


def _unescaped(label: str) -> str:
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], label)


def test_a_collector_gets_every_time(gate: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """One post of JSON as OTLP over HTTP has it: gauges with labels, in seconds."""
    collector = Listener(200, "/v1/metrics")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", collector.url)
    try:
        follow("OpenTelemetry")
    finally:
        collector.close()
    ((path, body),) = collector.posts
    (resource,) = json.loads(body)["resourceMetrics"]
    (scope,) = resource["scopeMetrics"]
    read = {
        (
            metric["name"],
            *(it["value"]["stringValue"] for it in point["attributes"] if it["key"] != "unit"),
        ): round(point["asDouble"] * 1e9)
        for metric in scope["metrics"]
        for point in metric["gauge"]["dataPoints"]
    }

    assert path == "/v1/metrics"
    assert resource["resource"]["attributes"] == [
        {"key": "service.name", "value": {"stringValue": "kernelmap"}}
    ]
    assert read == {
        (f"kernelmap.{time['kind']}", *time["labels"].values()): time["mean_ns"]
        for time in gate["times"]
    }


class _WandbRun:
    """What the recipe asks of a run of W&B."""

    def __init__(self) -> None:
        self.logged: dict[str, Any] = {}
        self.summary: dict[str, float] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def log(self, values: Mapping[str, Any]) -> None:
        self.logged.update(values)


def test_wandb_gets_every_time(gate: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A table as wide as its columns; a stand-in takes it, since the package is large."""
    run, wandb = _WandbRun(), ModuleType("wandb")
    monkeypatch.setattr(wandb, "init", lambda **_: run, raising=False)
    monkeypatch.setattr(wandb, "Table", SimpleNamespace, raising=False)
    monkeypatch.setitem(sys.modules, "wandb", wandb)
    follow("Weights & Biases")
    table = run.logged["kernelmap"]
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.data]

    assert [(row["name"], row["mean_ns"]) for row in rows] == [
        (time["name"], time["mean_ns"]) for time in gate["times"]
    ]
    assert run.summary["kernelmap_total_seconds"] == rows[0]["mean_ns"] / 1e9


def test_the_webhook_is_a_command(tmp_path: Path) -> None:
    """The line of the page, with curl in the place of a gate's own client, posts what it reads."""
    if shutil.which("curl") is None:
        pytest.skip("curl is missing")
    (line,) = [line for block in SHELL for line in block.splitlines() if "$HOOK" in line]
    command = line.split("--on-change ")[1].strip('"')
    hook = Listener(200)
    try:
        subprocess.run(  # noqa: S603 -- our own page
            ["bash", "-c", command],  # noqa: S607 -- any bash
            input='{"format": "kernelmap.alert"}',
            env={"HOOK": hook.url, "PATH": "/usr/bin:/bin"},
            cwd=tmp_path,
            text=True,
            check=True,
        )
    finally:
        hook.close()

    assert hook.posts == [("/hook", b'{"format": "kernelmap.alert"}')]


def test_only_a_new_verdict_is_told(tmp_path: Path) -> None:
    """The three lines of shell tell the first failure and the first pass after it."""
    (script,) = [block for block in SHELL if "verdict.txt" in block]
    standins = tmp_path / "standins"
    standins.mkdir()
    for name, text in (("kernelmap", 'exit "$CODE"'), ("python", 'echo "$2" >> told')):
        (standins / name).write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
        (standins / name).chmod(0o755)
    for code in (0, 1, 1, 0, 0):
        subprocess.run(  # noqa: S603 -- our own page
            ["bash", "-ec", script],  # noqa: S607 -- any bash
            env={"PATH": f"{standins}:/usr/bin:/bin", "CODE": str(code)},
            cwd=tmp_path,
            check=True,
        )

    assert (tmp_path / "told").read_text("utf-8") == "the gate failed\nthe gate passed\n"
