"""A forward's results and its backward's arguments → what the backward is handed of which memory.

A forward returns what the user gets, then the tensors that it saves, then sizes. Its backward is
handed the sizes, the saved tensors in the same order, then gradients. So the k-th of them is known
from either side: views of one buffer, which the backward sees as several arguments, count once, and
what belongs to the caller is no memory of the backward's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernelmap.memory.start import HandedOver
from kernelmap.model import CompiledGraph
from kernelmap.model.memory import GraphMemory, MemoryKind

GRADIENTS = "tangents_"
INPUTS = "primals_"
"""How the arguments of forwards and backwards are called that are gradients, and inputs."""


def find_forwards(
    graph: CompiledGraph, forwards: Sequence[tuple[CompiledGraph, GraphMemory]]
) -> list[GraphMemory]:
    """The forwards that a backward may be of: those of its number, and of its compile id."""
    return [memory for forward, memory in forwards if may_be_pair(forward, graph)]


def may_be_pair(forward: CompiledGraph, backward: CompiledGraph) -> bool:
    """Whether two graphs have one number, and no two compile ids."""
    numbers = {(graph.aot_id or "").rpartition("_")[0] for graph in (forward, backward)}
    compile_ids = {forward.compile_id, backward.compile_id}
    return len(numbers) == 1 and (None in compile_ids or len(compile_ids) == 1)


def handed_to_backward(
    forward: GraphMemory, taken: Sequence[str]
) -> Mapping[str, HandedOver] | None:
    """What a forward tells of the tensors that a backward is handed, by their names.

    None where they are no pair.
    """
    saved = [name for name in taken if not name.startswith(GRADIENTS)]
    given = list(forward.returned)
    while given and given[-1] is None:
        given.pop()  # sizes
    results, kept = given[: len(given) - len(saved)], given[len(given) - len(saved) :]
    if len(given) < len(saved) or None in kept:
        return None
    buffers = [forward.buffers[at] for at in kept if at is not None]
    # Arguments of the forward keep their names in the backward; where it saved a copy of one, in
    # another layout, that copy has the name.
    if any(
        buffer.kind is MemoryKind.INPUT and name.startswith(INPUTS) and name != buffer.name
        for name, buffer in zip(saved, buffers, strict=True)
    ):
        return None
    of_user = {forward.buffers[at].storage for at in results if at is not None}
    return {
        name: HandedOver(
            storage=f"{forward.graph}/{buffer.storage}",
            kind=(
                MemoryKind.INPUT if buffer.held or buffer.storage in of_user else MemoryKind.SAVED
            ),
            origin=None if buffer.made_by is None else f"{forward.graph}/{buffer.made_by}",
            size=(buffer.nbytes, buffer.formula),
            device=buffer.device,
        )
        for name, buffer in zip(saved, buffers, strict=True)
    }
