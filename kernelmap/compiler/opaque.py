"""Nodes that only a call of their own can run: custom operators, and Triton kernels of the user's.

What they compute is not known to the compiler, so no generated kernel computes a part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from kernelmap.compiler.node_index import operator_of
from kernelmap.model import Backend, WrapperCall

_USER_KERNEL = "triton_kernel_wrapper"
"""What the operator that launches a user's Triton kernel begins with, in any graph."""
# Operators of these are known to the compiler; those of any other namespace are custom.
_OF_TORCH = frozenset({"aten", "prims"})


class OpaqueNodes(Struct, frozen=True):
    """The nodes that only a call of their own can run: custom operators, users' Triton kernels.

    Inductor names them with the kernel that makes their input, too, and what made the input with
    them. `operators` are the custom operators that the graph's calls run.
    """

    operators: frozenset[str]

    @classmethod
    def of_graph(cls, calls: Iterable[WrapperCall]) -> OpaqueNodes:
        """What the calls of a graph run."""
        targets = {call.target for call in calls if call.backend is Backend.EXTERN and call.target}
        return cls(frozenset(t for t in targets if t.partition(".")[0] not in _OF_TORCH))

    def run_by(self, call: WrapperCall, targets: Mapping[str, str | None]) -> tuple[str, ...]:
        """The nodes of `targets` that `call` runs; all where that leaves none."""
        if call.backend is Backend.USER:
            # A user's Triton kernel runs nothing but its own node.
            kept = [name for name, target in targets.items() if _USER_KERNEL in (target or "")]
        elif call.backend in (Backend.EXTERN, Backend.GLUE):
            # A library call has its node by other means; its list is not cut down here.
            kept = []
        else:
            # A generated kernel runs no part of a custom operator or a user's kernel.
            kept = [name for name, target in targets.items() if not self._is_opaque(target)]
        return tuple(kept) or tuple(targets)

    def _is_opaque(self, target: str | None) -> bool:
        return _USER_KERNEL in (target or "") or operator_of(target) in self.operators
