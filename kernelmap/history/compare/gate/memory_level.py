"""Whether a change of memory may pass: the peak of each graph, by its code.

What the code states is no matter of chance, so nothing here may be noise. A small graph whose
memory doubled is no reason where the largest one takes a hundred times as much: growth counts
against the highest peak of any graph.
"""

from __future__ import annotations

from kernelmap.history.compare.gate.findings import Findings
from kernelmap.history.compare.memory.graphs import MemoryComparison
from kernelmap.history.compare.memory.peaks import PeakChange
from kernelmap.history.compare.memory.words import say_memory_change, say_peak
from kernelmap.pages.text import format_bytes, format_percent


def judge_memory(memory: MemoryComparison, limit: float | None, findings: Findings) -> None:
    """Add a reason for each peak that grew by more than `limit`; without one all are notes."""
    if not memory.is_known:
        if limit is not None:
            findings.doubts.append("memory: the code of a side is not known, so it is not judged")
        return
    highest = memory.before_bytes
    for peak in memory.changed:
        told = f"memory: {_say_with_cause(peak)}"
        if limit is not None and peak.change_bytes > highest * limit:
            findings.reasons.append(f"{told}; {format_percent(limit)} of the highest peak may pass")
        else:
            findings.notes.append(told)
    # A graph of its own is judged where it is the highest now.
    for graph in memory.new:
        if limit is not None and graph.peak_bytes > highest * (1 + limit):
            findings.reasons.append(
                f"memory: the new graph {graph.graph} takes {format_bytes(graph.peak_bytes)} at its"
                f" peak, the highest before was {format_bytes(highest)}"
            )


def _say_with_cause(peak: PeakChange) -> str:
    """The peak, with the buffer that changed it most in its own direction."""
    is_more = peak.change_bytes > 0
    causes = [one for one in peak.changes if (one.change_bytes > 0) is is_more]
    return f"{say_peak(peak)}; {say_memory_change(peak, causes[0])}" if causes else say_peak(peak)
