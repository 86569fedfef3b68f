"""Steps of autograd's backward in a trace, and the operators of the forward that they undo.

Autograd runs each node of its graph in a range of its own, `autograd::engine::evaluate_function:
AddmmBackward0`, with the sequence number that the operator of the forward noted. Steps that have no
forward (a gradient is added up) have no number.
"""

from __future__ import annotations

import numpy as np

from kernelmap.model.columns import by_name, distinct_values, nearest_ancestor
from kernelmap.model.trace import NONE, Int, Ranges

_STEP = "autograd::engine::evaluate_function: "


def backward_step(ranges: Ranges, rows: Int) -> Int:
    """The innermost step of a backward at or around each of `rows`, -1 without one; (rows,)."""
    is_step = by_name(ranges.name_id, [name.startswith(_STEP) for name in ranges.names])
    return nearest_ancestor(ranges.parent, is_step, rows)


def forward_operator(ranges: Ranges, steps: Int) -> Int:
    """The operator that made the node of each step of a backward, -1 where it is not known.

    Of the operators with its sequence number the last one before the step made it: an operator
    notes the number that the next node will have, and counts up when it makes one. Threads count
    apart, so where several have an operator of that number, nothing says which is meant.
    """
    forward = np.full(len(steps), NONE, dtype=np.int64)
    if not len(steps):
        return forward
    # All ranges that bear a sequence number of one of the steps; -1 is no number.
    wanted = np.isin(ranges.sequence, distinct_values(ranges.sequence[steps])) & (
        ranges.sequence >= 0
    )
    operators = np.flatnonzero(wanted)
    # A step and what it runs as itself (`AddmmBackward0`) bear the number of their forward.
    # The appended -1 is the number for rows without a step around them, whose index is -1.
    around = np.append(ranges.sequence, NONE)[backward_step(ranges, operators)]
    operators = operators[around != ranges.sequence[operators]]
    # Rows by process and number, each list in the order of time.
    keys = (ranges.start_ns, ranges.sequence, ranges.process)
    operators = operators[np.lexsort([key[operators] for key in keys])]
    rows: dict[tuple[int, int], list[int]] = {}
    for row in operators.tolist():
        rows.setdefault((int(ranges.process[row]), int(ranges.sequence[row])), []).append(row)
    for at, step in enumerate(steps.tolist()):
        # Candidates are the operators with the step's number that began before it. If they are of
        # one thread, the last of them made the node.
        alike = rows.get((int(ranges.process[step]), int(ranges.sequence[step])), [])
        before = [row for row in alike if ranges.start_ns[row] < ranges.start_ns[step]]
        if len({int(ranges.thread[row]) for row in before}) == 1:
            forward[at] = before[-1]
    return forward
