"""What `TORCH_LOGS=fusion,ir_pre_fusion` prints → pairs of kernels that were not fused, and why.

`ir_pre_fusion` says which buffers an operation of the scheduler writes:
`op6.writes = [MemoryDep('buf6', c0, {c0: 3136})]`. `fusion` goes through pairs of operations in
rounds: `cannot fuse op6_op7 with op8: no shared data`, where a name with several parts is what is
fused already. The last round has the last word on a pair. The code of a graph is printed when its
scheduling is done, and bears the buffers' names. torch up to 2.4 called operations by their
buffers, `buf6`, so that nothing else is needed there.

Left out: pairs of which the buffers are not known, and why a pair was never tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from kernelmap.model.program import NotFused

_BEGINS = "attempting fusion (1/"
_WRITES = re.compile(r" *(op\d+)\.writes = (.*)")
_BUFFER = re.compile(r"'(\w+)'")
_REFUSED = re.compile(r" *cannot fuse (\w+) with (\w+): (.+)")
_LONGEST = 300
"""Characters of a reason that are kept; some list all dependencies of both operations."""


class FusionLog(Struct):
    """The decisions on one graph, as they are printed."""

    writes: dict[str, tuple[str, ...]] = {}
    reasons: dict[tuple[str, str], str] = {}

    def take_lines(self, lines: Iterable[str]) -> None:
        """Use lines of both artifacts, without their prefixes."""
        for line in lines:
            if _BEGINS in line:
                # Decisions that were printed before are of a graph whose code was not printed.
                self.reasons = {}
            elif written := _WRITES.match(line):
                self.writes[written[1]] = tuple(_BUFFER.findall(written[2]))
            elif refused := _REFUSED.match(line):
                pair = refused[1], refused[2]
                # A pair that is tried again moves to the end: the last rounds made the code.
                self.reasons.pop(pair, None)
                self.reasons[pair] = refused[3].strip()[:_LONGEST]

    def decisions(self) -> tuple[NotFused, ...]:
        """The pairs of which the buffers are known, in the order in which they were decided."""
        pairs = (
            NotFused(first=self._written_by(first), second=self._written_by(second), reason=reason)
            for (first, second), reason in self.reasons.items()
        )
        return tuple(pair for pair in pairs if pair.first and pair.second)

    def _written_by(self, name: str) -> frozenset[str]:
        """The buffers that `op6_op7` writes; empty where those of a part are not known."""
        parts = re.findall(r"op\d+|buf\d+", name)
        written = [self.writes.get(part, (part,) if part[0] == "b" else ()) for part in parts]
        return frozenset(buffer for each in written for buffer in each if all(written))
