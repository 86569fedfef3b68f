"""The steps of two kernels → whether the second finishes the reduction that the first began.

The compiler splits a reduction that has few results and many elements: the first kernel reduces
stretches, the second the results of those. Both compute the same nodes of the graph; the second
does nothing with what it loads but reduce it.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from kernelmap.model.work import Intermediate, OpKind
from kernelmap.speed.work.generated_code import GeneratedCode
from kernelmap.speed.work.repeated import Computed

_CAST = "to "


def with_finishers(
    value: Intermediate, kernels: Mapping[int, Computed], code: GeneratedCode
) -> Intermediate:
    """The value with the calls that finish the reduction whose partial results it holds.

    `kernels` has the steps of calls by their positions in the program.
    """
    # The first kernel has to store results of a reduction only.
    writer = kernels.get(value.writer)
    if writer is None or not _is_reduced(writer, code.tensors.root_of(value.name), code):
        return value
    finishers = tuple(
        reader
        for reader, _ in value.loads
        if reader in kernels
        and _same_nodes(writer, kernels[reader])
        and _only_reduces(kernels[reader], code.tensors.root_of(value.name), code)
    )
    return replace(value, finishers=finishers)


def _is_reduced(kernel: Computed, memory: str, code: GeneratedCode) -> bool:
    """Whether all that a kernel stores in some memory are results of reductions."""
    stored = [
        kernel.steps[at].op.kind
        for step in kernel.steps
        if step.op.kind is OpKind.STORE and code.tensors.root_of(step.op.buffer or "") == memory
        for at in step.inputs
        if at is not None
    ]
    return bool(stored) and all(kind is OpKind.REDUCE for kind in stored)


def _only_reduces(kernel: Computed, memory: str, code: GeneratedCode) -> bool:
    """Whether a kernel does nothing with what it loads from some memory but reduce it."""
    # The loads of that memory, and below also casts of them, which change no value.
    loaded = {
        at
        for at, step in enumerate(kernel.steps)
        if step.op.kind is OpKind.LOAD and code.tensors.root_of(step.op.buffer or "") == memory
    }
    uses = set()
    for at, step in enumerate(kernel.steps):
        if loaded.intersection(one for one in step.inputs if one is not None):
            if step.op.operation.startswith(_CAST):
                loaded.add(at)
            else:
                uses.add(step.op.kind)
    return uses == {OpKind.REDUCE}


def _same_nodes(writer: Computed, reader: Computed) -> bool:
    """Whether both compute a node of the graph; so where the code does not say what they do."""
    of_writer, of_reader = (
        {node.name for node in kernel.launch.kernel.fragment} for kernel in (writer, reader)
    )
    return not of_writer or not of_reader or not of_writer.isdisjoint(of_reader)
