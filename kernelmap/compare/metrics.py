"""The newer side of a comparison as metrics, in the formats of services that track them.

`bmf` is Bencher Metric Format, latencies in ns per unit: `{"total": {"latency": {"value": …}},
"op aten.mm": …, "call 0_forward extern_kernels.mm 0f3a…": …}`; `pytest_benchmark` is the JSON of
that plugin, and `prometheus` the text that a node exporter's textfile collector reads, both in
seconds. A call is named by what it computes, so its series goes on when the compiler numbers it
otherwise.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from msgspec import Struct

from kernelmap.compare.comparable import per_unit
from kernelmap.compare.comparison import Comparison
from kernelmap.compare.statistics import Times, by_steps, together
from kernelmap.outputs.json import indented
from kernelmap.version import VERSION
from kernelmap.views.frames import rows
from kernelmap.views.schema import TABLES

HELP = {
    "total": "Mean time of one unit.",
    "op": "Mean time of an original op in one unit.",
    "call": "Mean time of a call of generated code in one unit.",
}
_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


class Metric(Struct, frozen=True, kw_only=True):
    """The time of the whole, of an op or of a call: mean ns per unit.

    `labels` tell it from others of its `kind`. `rounds` is ns of each step, for a call ns of each
    invocation; empty where a recording does not have them.
    """

    kind: str
    labels: Mapping[str, str]
    time_ns: int
    rounds: Times

    @property
    def name(self) -> str:
        """`op aten.mm`: the kind and the labels."""
        return " ".join([self.kind, *self.labels.values()])


def metrics(comparison: Comparison) -> Iterator[Metric]:
    """What took time: the whole, then ops, then calls."""
    side, units = comparison.sides[1], comparison.unit.after
    none = np.zeros(0, np.float64)
    whole_ns = per_unit(side.total_ns, units)
    yield Metric(kind="total", labels={}, time_ns=whole_ns, rounds=by_steps(side))
    for row in rows(TABLES["ops"], side.tables.frame("ops")):
        time_ns = row["time_ns"]
        if isinstance(time_ns, int) and time_ns:
            labels = {"op": str(row["name"])}
            yield Metric(kind="op", labels=labels, time_ns=per_unit(time_ns, units), rounds=none)
    for graph in side.graphs:
        for call in graph.calls:
            if call.time_ns:
                labels = {
                    "graph": graph.id,
                    "call": call.piece.name,
                    "fingerprint": call.piece.fingerprint or call.id,
                }
                time_ns = per_unit(call.time_ns, units)
                yield Metric(kind="call", labels=labels, time_ns=time_ns, rounds=together([call]))


def bmf(comparison: Comparison) -> str:
    """Bencher Metric Format, ending in a newline; the whole has its fastest and slowest step."""
    documents = {}
    for metric in metrics(comparison):
        latency: dict[str, float] = {"value": metric.time_ns}
        if metric.kind == "total" and len(metric.rounds):
            latency["lower_value"] = float(np.min(metric.rounds))
            latency["upper_value"] = float(np.max(metric.rounds))
        documents[metric.name] = {"latency": latency}
    return json.dumps(documents, indent=2, ensure_ascii=False) + "\n"


def pytest_benchmark(comparison: Comparison) -> str:
    """The JSON that `pytest-benchmark compare` reads, ending in a newline.

    A round is a step, for a call one invocation; where a metric has none its mean is the one round.
    """
    return indented(
        {
            "machine_info": {"python_implementation": platform.python_implementation()},
            "commit_info": {},
            "benchmarks": [
                {
                    "group": metric.kind,
                    "name": metric.name,
                    "fullname": metric.name,
                    "params": None,
                    "param": None,
                    "extra_info": {"unit": comparison.unit.word},
                    "options": {},
                    "stats": _stats(metric),
                }
                for metric in metrics(comparison)
            ],
            "version": f"kernelmap {VERSION}",
        }
    )


def _stats(metric: Metric) -> dict[str, float | str]:
    """In seconds, and outliers by the plugin's rules."""
    rounds = (metric.rounds if len(metric.rounds) else np.array([metric.time_ns])) / 1e9
    q1, median, q3 = (float(cut) for cut in np.quantile(rounds, (0.25, 0.5, 0.75)))
    mean, deviation, reach = float(np.mean(rounds)), float(np.std(rounds)), 1.5 * (q3 - q1)
    low, high = rounds[rounds >= q1 - reach], rounds[rounds <= q3 + reach]
    far = int(np.sum(abs(rounds - mean) > deviation))
    outside = 2 * len(rounds) - len(low) - len(high)
    return {
        "min": float(np.min(rounds)),
        "max": float(np.max(rounds)),
        "mean": mean,
        "stddev": deviation,
        "rounds": len(rounds),
        "median": median,
        "iqr": q3 - q1,
        "q1": q1,
        "q3": q3,
        "iqr_outliers": outside,
        "stddev_outliers": far,
        "outliers": f"{far};{outside}",
        "ld15iqr": float(np.min(low)),
        "hd15iqr": float(np.max(high)),
        "ops": 1 / mean if mean else 0.0,
        "total": float(np.sum(rounds)),
        "iterations": 1,
    }


def prometheus(comparison: Comparison) -> str:
    """Prometheus text: a gauge per kind, `kernelmap_op_seconds{op="aten.mm",unit="step"} 0.001`."""
    lines: list[str] = []
    kind = None
    for metric in metrics(comparison):
        name = f"kernelmap_{metric.kind}_seconds"
        if metric.kind != kind:
            kind = metric.kind
            lines += [f"# HELP {name} {HELP[kind]}", f"# TYPE {name} gauge"]
        labels = {**metric.labels, "unit": comparison.unit.word}
        shown = ",".join(f'{key}="{_escaped(value)}"' for key, value in labels.items())
        lines.append(f"{name}{{{shown}}} {metric.time_ns / 1e9!r}")
    return "\n".join([*lines, ""])


def _escaped(label: str) -> str:
    """As the format wants it; what UTF-8 cannot hold (odd bytes of a name) becomes escapes."""
    return label.encode(errors="backslashreplace").decode().translate(_ESCAPED)


FORMATS: Mapping[str, Callable[[Comparison], str]] = {
    "bmf": bmf,
    "pytest_benchmark": pytest_benchmark,
    "prometheus": prometheus,
}
"""What writes each file of metrics, by its option of `gate`."""
