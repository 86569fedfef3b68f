"""Times for OpenTelemetry and W&B: what their own packages hold afterwards is what was measured."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from histories.play import Weather, play
from histories.story import first_state, longer

from kernelmap.cli import main
from kernelmap.compare.comparison import Comparison, compare
from kernelmap.compare.exporters import COLUMNS, NotSent, observe, send_otlp, table
from kernelmap.compare.metrics import Metric, metrics
from kernelmap.compare.side import side
from kernelmap.errors import UsageError
from kernelmap.outputs.write import write
from listening import Listener

Labels = tuple[tuple[str, str], ...]


@pytest.fixture(scope="module")
def comparison(samples: Path) -> Comparison:
    """A recording beside itself."""
    state = longer(first_state(samples / "sim_mlp_train"), 20)
    recorded = side(play(state.program, state.cost_list(), Weather(), 1), "one")
    return compare(recorded, recorded)


def measured(comparison: Comparison) -> dict[tuple[str, Labels], float]:
    def key(metric: Metric) -> tuple[str, Labels]:
        labels = {**metric.labels, "unit": comparison.unit.word}
        return f"kernelmap.{metric.kind}", tuple(sorted(labels.items()))

    return {key(metric): metric.time_ns / 1e9 for metric in metrics(comparison)}


@pytest.fixture(params=[200])
def collector(request: pytest.FixtureRequest) -> Iterator[Listener]:
    made = Listener(request.param, "/v1/metrics")
    yield made
    made.close()


def test_the_sdk_holds_what_was_measured(comparison: Comparison) -> None:
    """Its reader in memory has a gauge per kind with all labels, in seconds."""
    sdk = pytest.importorskip("opentelemetry.sdk.metrics")
    reader = sdk.export.InMemoryMetricReader()
    provider = sdk.MeterProvider([reader], shutdown_on_exit=False)
    observe(comparison, provider.get_meter("test"))
    exported = {
        (metric.name, tuple(sorted(point.attributes.items()))): point.value
        for resource in reader.get_metrics_data().resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
        for point in metric.data.data_points
    }

    assert exported == measured(comparison)


def test_a_collector_gets_what_was_measured(comparison: Comparison, collector: Listener) -> None:
    """What arrives over HTTP, read with OpenTelemetry's own protocol, is complete."""
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    service = pytest.importorskip("opentelemetry.proto.collector.metrics.v1.metrics_service_pb2")
    send_otlp(comparison, collector.url)
    import gzip

    received = {}
    for _, body in collector.posts:
        plain = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
        request = service.ExportMetricsServiceRequest.FromString(plain)
        for resource in request.resource_metrics:
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    for point in metric.gauge.data_points:
                        labels = {
                            attribute.key: attribute.value.string_value
                            for attribute in point.attributes
                        }
                        received[metric.name, tuple(sorted(labels.items()))] = point.as_double

    assert received == measured(comparison)


@pytest.mark.parametrize("collector", [400], indirect=True)
def test_a_refusal_is_said(comparison: Comparison, collector: Listener) -> None:
    """A collector that does not take the metrics is no silent success."""
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")

    with pytest.raises(NotSent, match="did not take"):
        send_otlp(comparison, collector.url)


def test_a_gate_passes_where_no_service_answers(
    samples: Path, tmp_path: Path, collector: Listener
) -> None:
    """What cannot be sent is a note; the exit code is that of the verdict."""
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    state = longer(first_state(samples / "sim_mlp_train"), 20)
    write(play(state.program, state.cost_list(), Weather(), 1), tmp_path / "one")
    collector.close()
    words = ["gate", "--baseline", str(tmp_path / "one"), str(tmp_path / "one")]
    done = CliRunner().invoke(main, [*words, "--otlp", "http://127.0.0.1:9/v1/metrics"])

    assert done.exit_code == 0, done.output
    assert "note: not sent: " in done.stderr


def test_a_package_that_lacks_is_named(
    comparison: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says what to install."""
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.metrics", None)

    with pytest.raises(UsageError, match="not installed") as caught:
        send_otlp(comparison, "http://127.0.0.1:9")
    assert "[otel]" in caught.value.hint


def test_rows_of_the_table_are_the_metrics(comparison: Comparison) -> None:
    """W&B's table has a row per metric, and its columns are as many as are named."""
    rows = table(comparison)

    assert [row[COLUMNS.index("mean_ns")] for row in rows] == [
        metric.time_ns for metric in metrics(comparison)
    ]
    assert {len(row) for row in rows} == {len(COLUMNS)}
    assert rows[0][:2] == ("total", "total")


def test_wandb_keeps_the_table_offline(samples: Path, tmp_path: Path) -> None:
    """A real run of W&B without a network: the table that it would send is on the disk, whole."""
    pytest.importorskip("wandb", reason="wandb is not installed")
    state = longer(first_state(samples / "sim_mlp_train"), 20)
    recorded = play(state.program, state.cost_list(), Weather(), 1)
    write(recorded, tmp_path / "one")
    one = side(recorded, "one")
    done = subprocess.run(  # noqa: S603 -- our own command
        [
            *(sys.executable, "-m", "kernelmap", "gate"),
            *("--baseline", tmp_path / "one", tmp_path / "one", "--wandb", "kernels"),
        ],
        cwd=tmp_path,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path),
            "PYTHONPATH": str(samples.parent),
            "WANDB_MODE": "offline",
            "WANDB_SILENT": "true",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (place,) = tmp_path.glob("wandb/offline-run-*/files/media/table/*.table.json")
    kept = json.loads(place.read_text("utf-8"))

    assert kept["columns"] == list(COLUMNS)
    assert kept["data"] == [list(row) for row in table(compare(one, one))]
