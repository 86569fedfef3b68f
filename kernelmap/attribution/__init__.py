"""Splits the window's time: (CompiledProgram, Trace, Matching) → Attribution.

In: the program, the trace, and the call of each launch. Out: whole nanoseconds per call, op, node,
module, line and graph, and the ledger; each table adds up to the window.
"""

from kernelmap.attribution.attribute import attribute_time
from kernelmap.attribution.records import Attribution

__all__ = ["Attribution", "attribute_time"]
