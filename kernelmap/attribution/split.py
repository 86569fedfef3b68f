"""Gives the ops and nodes that a call's time belongs to: the `equal` rule, without any time.

* a library call belongs to its own op; what else its comment lists are the ops of its inputs;
* a template belongs to its anchor (the matrix product, convolution or attention); epilogues are
  involved, not charged;
* other generated kernels are shared equally by the ops that do work; aliasing ops (views, reshapes,
  permutes) count only when alone. Combo and foreach kernels list their whole group and share alike;
* C++ kernels carry no list. Inductor makes their name of their ops: sorted, without doubles, joined
  by underscores (at most ten, so a long name may leave some out). Taking the name apart needs the
  names of all ATen operators; where two readings are equally short, none is taken. Names of Triton
  kernels are not read: equal kernels share a name, and the call's comment is more exact;
* user kernels, and calls whose list is empty, belong to what they call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from kernelmap.attribution.alias_ops import ALIAS_OPS
from kernelmap.model import Backend, CompiledGraph, CompiledProgram, FxNode, Stage, WrapperCall
from kernelmap.model.names import aten_operators

_ANCHORS = ("mm", "conv", "attention", "matmul", "linear")
_PREFIX = "cpp_fused_"


class Split(Struct, frozen=True, kw_only=True):
    """A call's ops and nodes: equal parts for the charged, and all that the call is part of.

    `listed` are the charged ones among the nodes that the comment of a call without nodes lists.
    """

    charged: tuple[str, ...]
    involved: tuple[str, ...]
    charged_nodes: tuple[str, ...]
    involved_nodes: tuple[str, ...]
    listed: tuple[FxNode, ...] = ()

    def owners(self, graph: CompiledGraph) -> tuple[FxNode | None, ...]:
        """The nodes that share the call's time: by name, else as its comment lists them."""
        named = tuple(graph.post_grad.get(name) for name in self.charged_nodes)
        return named or self.listed


def splits(program: CompiledProgram) -> tuple[Split, ...]:
    """One split per call, parallel to `program.calls`."""
    return tuple(split(graph, call) for graph, call in program.calls)


def split(graph: CompiledGraph, call: WrapperCall) -> Split:
    """The split of one call of `graph`."""
    charged, involved = _ops(graph, call)
    mapped, nodes = call.nodes or (), graph.post_grad
    working = _working_nodes(mapped, nodes)
    if call.backend in (Backend.EXTERN, Backend.GLUE, Backend.TEMPLATE):
        charged_nodes = [name for name in working if target_op(nodes.get(name)) in charged]
        working = tuple(charged_nodes) or working
    return Split(
        charged=charged,
        involved=involved,
        charged_nodes=working,
        involved_nodes=mapped,
        listed=_working_listed(call),
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
        library_op = _library_op(call, listed)
        return (library_op,), (library_op,)
    if call.backend is Backend.USER or not listed:
        library_op = _own_name(graph, call)
        return (library_op,), (library_op,)
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


def _working_listed(call: WrapperCall) -> tuple[FxNode, ...]:
    """The listed nodes that do work; all where none does."""
    return tuple(node for node in call.listed if not _is_alias(node)) or call.listed


def _is_alias(node: FxNode) -> bool:
    """Dynamo's graph calls operators as the user does: `view`, `torch.transpose`."""
    word = f"aten.{(node.target or '').rpartition('.')[2]}"
    return target_op(node) in ALIAS_OPS or (node.stage is Stage.PRE_GRAD and word in ALIAS_OPS)


def target_op(node: FxNode | None) -> str | None:
    """`aten.view` for a node whose target is `aten.view.default`; None where that is not known.

    Comments write operators that take functions without their namespace: `flex_attention`.
    """
    if node is None or node.target is None:
        return None
    target = node.target.removeprefix("torch.ops.").removeprefix("higher_order.")
    space, _, rest = target.partition(".")
    return f"{space}.{rest.partition('.')[0]}" if rest else space


def ops_of(name: str) -> tuple[str, ...] | None:
    """The ops in a C++ kernel's name, None where it spells none or is ambiguous.

    >>> ops_of("cpp_fused_add_native_dropout_native_layer_norm_view_1")
    ('aten.add', 'aten.native_dropout', 'aten.native_layer_norm', 'aten.view')
    """
    if not name.startswith(_PREFIX):
        return None
    body, _, number = name[len(_PREFIX) :].rpartition("_")
    readings = _readings(body) if number.isdecimal() and body else ()
    return tuple(f"aten.{op}" for op in readings[0]) if len(readings) == 1 else None


def _readings(body: str) -> tuple[tuple[str, ...], ...]:
    """The shortest ways to read `body` as sorted operator names, two of them at most."""
    operators = aten_operators()
    best: dict[int, list[tuple[str, ...]]] = {0: [()]}
    ends = [i for i, character in enumerate(body) if character == "_"] + [len(body)]
    for end in ends:
        longer: list[tuple[str, ...]] = []
        for start, readings in list(best.items()):
            op = body[start:end]
            if op in operators:
                longer += [(*r, op) for r in readings if not r or r[-1] < op]
        if longer:
            shortest = min(map(len, longer))
            best[end + 1] = sorted({r for r in longer if len(r) == shortest})[:2]
    return tuple(best.get(len(body) + 1, ()))
