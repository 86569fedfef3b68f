"""(program, trace, matching) → Attribution: the window's time, split."""

from __future__ import annotations

import numpy as np

from kernelmap.attribution import rollup, totals
from kernelmap.attribution.busy import busy_ns
from kernelmap.attribution.lines import call_lines, lines
from kernelmap.attribution.pots import outside_ops, pots
from kernelmap.attribution.records import Attribution
from kernelmap.attribution.split import splits
from kernelmap.attribution.window import window
from kernelmap.model import CompiledProgram, Matching, Trace
from kernelmap.options import Options


def attribute(
    program: CompiledProgram, trace: Trace, matching: Matching, options: Options
) -> Attribution:
    """Split the time of the window that `options` choose over calls, ops, nodes and lines.

    UsageError where the trace has no such steps.
    """
    chosen = window(trace, options)
    counted = chosen.counted
    outside = outside_ops(trace, matching)
    found = pots(matching, trace.launches.dur_ns, counted, outside)
    shares = splits(program)
    of_calls = call_lines(program, shares)
    inside = trace.launches.take(counted)
    everything = np.zeros(len(inside), dtype=np.int64)
    return Attribution(
        side=chosen.side,
        counted=counted,
        step=chosen.step,
        total_ns=sum(pot.time_ns for pot in found),
        busy_ns=int(busy_ns(trace, inside, everything, groups=1)[0]),
        calls=totals.calls(program, trace, matching, counted, found),
        kernels=totals.kernels(program, trace, matching, counted, shares),
        ops=rollup.ops(program, found, shares),
        modules=rollup.modules(program, found, shares),
        nodes=rollup.nodes(program, found, shares),
        lines=lines(program, found, of_calls),
        graphs=totals.graphs(program, trace, matching, counted),
        ledger=totals.ledger(trace, matching, chosen),
        call_ops=tuple(split.involved for split in shares),
        call_nodes=tuple(split.involved_nodes for split in shares),
        call_lines=tuple(each.involved for each in of_calls),
        outside_op=outside,
    )
