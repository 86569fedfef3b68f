"""Which ops and nodes a call's time belongs to: the `equal` rule, call by call, without any time.

* a library call belongs to its own op; what else its comment lists are the ops of its inputs;
* a template belongs to its anchor (the matrix product, convolution or attention); epilogues are
  involved, not charged;
* other generated kernels are shared equally by the ops that do work; aliasing ops (views, reshapes,
  permutes) count only when alone. Combo and foreach kernels list their whole group and share alike;
* C++ kernels carry no list; their name spells it;
* user kernels, and calls whose list is empty, belong to what they call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kernelmap.attribution.alias_ops import ALIAS_OPS
from kernelmap.attribution.kernel_names import ops_of
from kernelmap.model import Backend, CompiledGraph, CompiledProgram, FxNode, WrapperCall

_ANCHORS = ("mm", "conv", "attention", "matmul", "linear")


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A call's ops and nodes: equal parts for the charged, and all that the call is part of."""

    charged: tuple[str, ...]
    involved: tuple[str, ...]
    charged_nodes: tuple[str, ...]
    involved_nodes: tuple[str, ...]


def splits(program: CompiledProgram) -> tuple[Split, ...]:
    """One split per call, parallel to `program.calls`."""
    return tuple(split(graph, call) for graph, call in program.calls)


def split(graph: CompiledGraph, call: WrapperCall) -> Split:
    """The split of one call of `graph`."""
    charged, involved = _ops(graph, call)
    mapped, nodes = call.nodes or (), graph.post_grad
    working = _working_nodes(mapped, nodes)
    if call.backend in (Backend.EXTERN, Backend.GLUE, Backend.TEMPLATE):
        own = [name for name in working if target_op(nodes.get(name)) in charged]
        working = tuple(own) or working
    return Split(
        charged=charged,
        involved=involved,
        charged_nodes=working,
        involved_nodes=mapped,
    )


def parts(time_ns: int, count: int) -> list[int]:
    """`time_ns` in `count` whole parts that add up to it and differ by at most 1 ns.

    >>> parts(10, 3)
    [4, 3, 3]
    """
    share, rest = divmod(time_ns, count)
    return [share + (number < rest) for number in range(count)]


def _ops(graph: CompiledGraph, call: WrapperCall) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ops that are charged, and all that are involved."""
    listed = tuple(dict.fromkeys(call.origins.aten)) if call.origins else _spelled(call)
    if call.backend in (Backend.EXTERN, Backend.GLUE):
        own = _library_op(call, listed)
        return (own,), (own,)
    if call.backend is Backend.USER or not listed:
        own = _own_name(graph, call)
        return (own,), (own,)
    if call.backend is Backend.TEMPLATE:
        return (_anchor(listed),), listed
    return tuple(op for op in listed if op not in ALIAS_OPS) or listed, listed


def _spelled(call: WrapperCall) -> tuple[str, ...]:
    """The ops that the name of a kernel without a comment spells."""
    return (ops_of(call.wrapper) or ()) if call.backend is Backend.CPP else ()


def _library_op(call: WrapperCall, listed: Sequence[str]) -> str:
    """The op of a library call: itself where its comment names it, else the op it stands for.

    A decomposed op keeps its name in the comment (`extern_kernels.mm` for aten.addmm): the list is
    sorted by data flow, so the call's own op comes last.
    """
    target = call.target or call.wrapper
    if target in listed or call.origins is None or not call.origins.ordered:
        return target
    working = [op for op in listed if op not in ALIAS_OPS]
    return working[-1] if working else target


def _own_name(graph: CompiledGraph, call: WrapperCall) -> str:
    kernel = graph.kernel_of(call)
    if call.backend is Backend.USER and kernel is not None:
        return kernel.function
    return call.target or call.wrapper


def _anchor(listed: Sequence[str]) -> str:
    """The op that a template was written for."""
    for op in listed:
        if any(word in op for word in _ANCHORS):
            return op
    return listed[0]


def _working_nodes(names: Iterable[str], nodes: Mapping[str, FxNode]) -> tuple[str, ...]:
    names = tuple(names)
    return tuple(n for n in names if target_op(nodes.get(n)) not in ALIAS_OPS) or names


def target_op(node: FxNode | None) -> str | None:
    """`aten.view` for a node whose target is `aten.view.default`; None where that is not known."""
    if node is None or node.target is None:
        return None
    space, _, rest = node.target.removeprefix("torch.ops.").partition(".")
    return f"{space}.{rest.partition('.')[0]}" if rest else space
