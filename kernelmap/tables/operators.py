"""The table of operators outside of compiled code: their input shapes, and the Python around them.

A row adds up launches of one operator that was handed tensors of the same shapes by the same
function. What ran in calls has one row, so that the table adds up to the window.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kernelmap.attribution.records import Attribution, Origin
from kernelmap.attribution.time_buckets import AMBIGUOUS, OUTSIDE, UNKNOWN
from kernelmap.model import NONE, Confidence, Matching
from kernelmap.model.matching import LaunchInputs
from kernelmap.model.trace import Launches
from kernelmap.tables.rows import Cell, Row, rows_of
from kernelmap.tables.schema import OPERATORS

IN_CALLS = "(compiled code)"

_RESTS = {
    Confidence.EXACT: (IN_CALLS, Origin.COMPILED),
    Confidence.INFERRED: (IN_CALLS, Origin.COMPILED),
    Confidence.AMBIGUOUS: (AMBIGUOUS, Origin.COMPILED),
    Confidence.OUTSIDE: (OUTSIDE, Origin.OUTSIDE),
    Confidence.UNKNOWN: (UNKNOWN, Origin.NONE),
}
"""The row of a launch of which no operator is known, and where it ran."""


class _Operator(NamedTuple):
    """What tells a row from others."""

    name: str
    origin: Origin
    input_shapes: str | None
    python_call: str | None


def rows_of_operators(
    launches: Launches, matching: Matching, attribution: Attribution, inputs: LaunchInputs
) -> list[Row]:
    """A row per operator, shapes and function, longest first, and rows of all other time."""
    total_ns = attribution.total_ns
    records: list[dict[str, Cell]] = [
        {
            "name": key.name,
            "origin": key.origin,
            "input_shapes": key.input_shapes,
            "python_call": key.python_call,
            "launches": number,
            "time_ns": time_ns,
            "share": time_ns / total_ns if total_ns else None,
        }
        for key, (number, time_ns) in _sum_groups(launches, matching, attribution, inputs)
    ]
    return rows_of(OPERATORS, records)


def _sum_groups(
    launches: Launches, matching: Matching, attribution: Attribution, inputs: LaunchInputs
) -> list[tuple[_Operator, tuple[int, int]]]:
    """Launches and time by operator, the longest first; of equal times names decide."""
    rows = np.flatnonzero(attribution.counted)
    without = matching.call[rows] < 0
    # Four numbers per launch: its confidence, and where it is of no call, its operator, function
    # and shapes; (4, launches).
    ops, places = attribution.outside_op, attribution.launch_places
    keys = np.stack(
        [
            np.where(without, matching.confidence[rows], Confidence.EXACT),
            np.where(without, ops.code[rows], NONE),
            np.where(without, places.code[rows], NONE),
            np.where(without, inputs.code[rows], NONE),
        ]
    )
    distinct, group = np.unique(keys, axis=1, return_inverse=True)
    weight = np.ones(len(rows), np.int64)
    if launches.stands_for is not None:
        weight = launches.stands_for[rows]
    # Launches and time of each group; (2, groups).
    sums = np.zeros((2, distinct.shape[1]), np.int64)
    np.add.at(sums[0], group.reshape(-1), weight)
    np.add.at(sums[1], group.reshape(-1), launches.dur_ns[rows])
    # Two numbers may have one text, so the texts are added up.
    by_key: dict[_Operator, tuple[int, int]] = {}
    for (confidence, op, place, shapes), (number, time_ns) in zip(
        distinct.T.tolist(), sums.T.tolist(), strict=True
    ):
        rest, origin = _RESTS[confidence]
        key = _Operator(
            name=ops.names[op] if op >= 0 else rest,
            origin=origin,
            input_shapes=inputs.texts[shapes] if shapes >= 0 else None,
            python_call=places.places[place].name if place >= 0 else None,
        )
        of_key, of_key_ns = by_key.get(key, (0, 0))
        by_key[key] = of_key + number, of_key_ns + time_ns
    return sorted(by_key.items(), key=lambda item: (-item[1][1], *map(str, item[0])))
