"""The newer side of a comparison handed to services: OpenTelemetry metrics, a table of W&B.

Both need a package that is not installed with kernelmap (the extras `otel` and `wandb`), loaded
when it is used. Where W&B sends a run is W&B's own setting (WANDB_MODE, WANDB_BASE_URL).
"""

from __future__ import annotations

import logging
from importlib import import_module
from types import ModuleType
from typing import Any

from kernelmap.compare.comparison import Comparison
from kernelmap.compare.metrics import HELP, metrics
from kernelmap.errors import UsageError
from kernelmap.installing import install_command
from kernelmap.version import VERSION

_SECONDS = 10  # how long a service may take to answer
_HTTP = "opentelemetry.exporter.otlp.proto.http.metric_exporter"
COLUMNS = ("kind", "name", "graph", "fingerprint", "mean_ns", "unit", "rounds")
"""The columns of W&B's table; an op and the whole have no graph and no fingerprint."""


class NotSent(Exception):  # noqa: N818 -- what became of it, said and not raised further
    """The service could not be reached, or refused."""


def observe(comparison: Comparison, meter: Any) -> None:  # noqa: ANN401 -- OpenTelemetry's Meter
    """Set the gauges `kernelmap.total`, `kernelmap.op` and `kernelmap.call` of a meter, in s."""
    gauges = {
        kind: meter.create_gauge(f"kernelmap.{kind}", unit="s", description=text)
        for kind, text in HELP.items()
    }
    for metric in metrics(comparison):
        labels = {key: _plain(text) for key, text in metric.labels.items()}
        labels["unit"] = comparison.unit.word
        gauges[metric.kind].set(metric.time_ns / 1e9, labels)


def send_otlp(comparison: Comparison, endpoint: str) -> None:
    """Send the gauges to a collector, as OTLP over HTTP to the whole address of its metrics.

    Raises UsageError where the extra is not installed, and NotSent.
    """
    sdk = _loaded("opentelemetry.sdk.metrics", "otel")
    export = _loaded("opentelemetry.sdk.metrics.export", "otel")
    resources = _loaded("opentelemetry.sdk.resources", "otel")
    reader = export.InMemoryMetricReader()
    resource = resources.Resource.create({"service.name": "kernelmap"})
    provider = sdk.MeterProvider([reader], resource, shutdown_on_exit=False)
    observe(comparison, provider.get_meter("kernelmap", VERSION))
    exporter = _loaded(_HTTP, "otel").OTLPMetricExporter(endpoint=endpoint, timeout=_SECONDS)
    quiet = logging.getLogger("opentelemetry")
    before, quiet.disabled = quiet.disabled, True  # what is wrong is said once, by the gate
    try:
        done = exporter.export(reader.get_metrics_data())
    except OSError as error:
        raise NotSent(f"{endpoint}: {error}") from error
    finally:
        quiet.disabled = before
        exporter.shutdown()
    if done is not export.MetricExportResult.SUCCESS:
        raise NotSent(f"{endpoint} did not take the metrics")


def log_wandb(comparison: Comparison, project: str) -> None:
    """Log a table `kernelmap` and the whole as a new run of a W&B project.

    Raises UsageError where the extra is not installed, and NotSent.
    """
    wandb = _loaded("wandb", "wandb")
    try:
        with wandb.init(project=project, job_type="kernelmap") as run:
            rows = [list(row) for row in table(comparison)]
            run.log({"kernelmap": wandb.Table(columns=list(COLUMNS), data=rows)})
            run.summary["kernelmap_total_seconds"] = next(metrics(comparison)).time_ns / 1e9
    except wandb.Error as error:
        raise NotSent(f"W&B: {error}") from error


def table(comparison: Comparison) -> list[tuple[str | int | None, ...]]:
    """The rows of W&B's table, the whole first; times are ns per unit."""
    return [
        (
            metric.kind,
            _plain(metric.labels.get("call") or metric.labels.get("op") or "total"),
            metric.labels.get("graph"),
            metric.labels.get("fingerprint"),
            metric.time_ns,
            comparison.unit.word,
            len(metric.rounds),
        )
        for metric in metrics(comparison)
    ]


def _plain(text: str) -> str:
    """What UTF-8 cannot hold (odd bytes of a name) as escapes."""
    return text.encode(errors="backslashreplace").decode()


def _loaded(name: str, extra: str) -> ModuleType:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise UsageError(
            "no-exporter",
            f"{name.partition('.')[0]} is not installed; this export needs it",
            f"Install it: {install_command(extra)}",
        ) from error
