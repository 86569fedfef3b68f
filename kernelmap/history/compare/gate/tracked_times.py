"""The newer side of a comparison as times that a service draws over many runs.

They are the time of the whole, of each original op and of each call of generated code. A call is
named by its graph, its name without the compiler's number, and its fingerprint: so its series goes
on when the compiler numbers it otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from msgspec import Struct

from kernelmap.history.compare.numbers.comparable import per_unit
from kernelmap.history.compare.numbers.comparison import Comparison
from kernelmap.history.compare.numbers.statistics import Times, by_steps, sum_of_calls
from kernelmap.history.compare.sides.side import CallSide, GraphSide
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.schema import TABLES

_NO_SAMPLES: Times = np.zeros(0, np.float64)


class TrackedTime(Struct, frozen=True, kw_only=True):
    """One time, in JSON as it is here. `kind` is total, op or call.

    `labels` tell it from others of its kind, and `name` is all of it in words: `op aten.mm`.
    `mean_ns` is per unit of the comparison. `samples_ns` are the steps of the whole, and the
    invocations of a call; empty for an op, and where a recording does not have them.
    """

    kind: str
    name: str
    labels: Mapping[str, str]
    mean_ns: int
    samples_ns: tuple[int, ...] = ()


def list_tracked_times(comparison: Comparison) -> Iterator[TrackedTime]:
    """What took time on the newer side: the whole, then ops, then calls."""
    side, units = comparison.sides[1], comparison.unit.after
    yield _tracked("total", {}, per_unit(side.total_ns, units), by_steps(side))
    for row in rows_of_frame(TABLES["ops"], side.tables.frame("ops")):
        time_ns = row["time_ns"]
        if isinstance(time_ns, int) and time_ns:
            yield _tracked("op", {"op": str(row["name"])}, per_unit(time_ns, units))
    for graph in side.graphs:
        for call in graph.calls:
            if call.time_ns:
                mean_ns = per_unit(call.time_ns, units)
                yield _tracked("call", _labels_of_call(graph, call), mean_ns, sum_of_calls([call]))


def _tracked(
    kind: str, labels: Mapping[str, str], mean_ns: int, samples: Times = _NO_SAMPLES
) -> TrackedTime:
    return TrackedTime(
        kind=kind,
        name=" ".join([kind, *labels.values()]),
        labels=labels,
        mean_ns=mean_ns,
        samples_ns=tuple(round(sample) for sample in samples.tolist()),
    )


def _labels_of_call(graph: GraphSide, call: CallSide) -> Mapping[str, str]:
    return {
        "graph": graph.id,
        "call": call.piece.name,
        "fingerprint": call.piece.fingerprint or call.id,
    }
