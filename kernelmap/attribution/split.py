"""A call → the ops and nodes that it works for, and the op that each node is part of.

* a library call belongs to its own op; what else its comment lists are the ops of its inputs;
* a template belongs to its anchor (the matrix product, convolution or attention); epilogues are
  involved, not charged;
* other generated kernels belong to the nodes that do work; aliasing nodes and ops (views, reshapes,
  permutes) count only when alone. Combo and foreach kernels list their whole group and share alike;
* C++ kernels carry no list. Inductor makes their name of their ops: sorted, without doubles, joined
  by underscores (at most ten, so a long name may leave some out). Taking the name apart needs the
  names of all ATen operators; where two readings are equally short, none is taken. Names of Triton
  kernels are not read: equal kernels share a name, and the call's comment is more exact;
* a kernel whose list is empty, as Inductor leaves that of a fused foreach kernel, has the ops that
  its nodes call;
* user kernels, and calls of which neither list nor nodes are known, belong to what they call.

How the time is divided among them: divide.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernelmap.attribution.alias_ops import ALIAS_OPS
from kernelmap.model import Backend, CompiledGraph, FxNode, Stage, WrapperCall
from kernelmap.model.names import aten_operators

_ANCHORS = ("mm", "conv", "attention", "matmul", "linear")
_PREFIX = "cpp_fused_"


def ops_of_call(graph: CompiledGraph, call: WrapperCall) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ops that a call may be charged to, and all that it is part of."""
    listed = tuple(dict.fromkeys(call.origins.aten)) if call.origins else _ops_spelled(call)
    # A library call is charged to one op and involves no other.
    if call.backend in (Backend.EXTERN, Backend.GLUE):
        library_op = _library_op(call, listed)
        return (library_op,), (library_op,)
    # A fused foreach kernel has an empty list, but nodes.
    listed = listed or _called_by_nodes(graph, call)
    # What is known of these is what they call, no more.
    if call.backend is Backend.USER or not listed:
        library_op = _own_name(graph, call)
        return (library_op,), (library_op,)
    if call.backend is Backend.TEMPLATE:
        return (_op_of_template(listed),), listed
    return tuple(op for op in listed if op not in ALIAS_OPS) or listed, listed


def working_nodes(
    call: WrapperCall, nodes: Mapping[str, FxNode], ops: Sequence[str]
) -> tuple[str, ...]:
    """The post-grad nodes that a call with these `ops` runs, by name; none without a mapping."""
    mapped = call.nodes or ()
    # Views do no work, unless there is nothing else.
    working = tuple(name for name in mapped if not _is_alias(nodes.get(name))) or mapped
    # One op has all of the time, so only nodes that call it share it: no epilogue of a template
    # does.
    if call.backend in (Backend.EXTERN, Backend.GLUE, Backend.TEMPLATE):
        return tuple(name for name in working if target_op(nodes.get(name)) in ops) or working
    return working


def working_listed(call: WrapperCall) -> tuple[FxNode, ...]:
    """The nodes that the comment of a call lists and that do work; all of them where none does."""
    return tuple(node for node in call.listed if not _is_alias(node)) or call.listed


def ops_of_nodes(ops: Sequence[str], nodes: Sequence[FxNode | None]) -> list[tuple[str, ...]]:
    """For each of a call's nodes those of the call's `ops` that it counts for, in equal parts.

    A node counts for the op that it calls. One that calls no op of the list is a piece of an op
    that the compiler decomposed (`aten.erf` of `aten.gelu`); nothing states of which one, so it
    counts for all ops that no node calls. Where a backward computes nodes of the forward again,
    these are no pieces of an op such as `aten.gelu_backward`, and the backward's own are.
    """
    # The op of the list that each node calls itself, None where it calls none of them.
    known = set(ops)
    called = [next((op for op in _names_of_op(node) if op in known), None) for node in nodes]
    # Ops that no node calls were decomposed: the other nodes are pieces of them.
    left = known.difference(called)
    decomposed = tuple(op for op in ops if op in left) or tuple(ops)
    # In a backward, nodes of the forward that are computed again count for forward ops, its own
    # for the backward's.
    again = [node is not None and _is_of_forward(node) for node in nodes]
    own_pieces = tuple(op for op in decomposed if "_backward" in op) or decomposed
    if not any(again):
        own_pieces = decomposed
    again_pieces = tuple(op for op in decomposed if "_backward" not in op) or decomposed
    return [
        (op,) if op is not None else (again_pieces if is_again else own_pieces)
        for op, is_again in zip(called, again, strict=True)
    ]


def _is_of_forward(node: FxNode) -> bool:
    """Whether a node comes from Dynamo's graph; a backward's own nodes don't."""
    return node.stage is Stage.PRE_GRAD or bool(node.pre_grad)


def _called_by_nodes(graph: CompiledGraph, call: WrapperCall) -> tuple[str, ...]:
    """The ops that the post-grad nodes of a call call."""
    ops = (target_op(graph.post_grad.get(name)) for name in call.nodes or ())
    return tuple(dict.fromkeys(op for op in ops if op is not None))


def _ops_spelled(call: WrapperCall) -> tuple[str, ...]:
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


def _op_of_template(listed: Sequence[str]) -> str:
    """The op that a template was written for."""
    for op in listed:
        if any(word in op for word in _ANCHORS):
            return op
    return listed[0]


def _is_alias(node: FxNode | None) -> bool:
    return any(name in ALIAS_OPS for name in _names_of_op(node))


def _names_of_op(node: FxNode | None) -> tuple[str, ...]:
    """What the op that a node calls may be called in comments; nothing where that is not known.

    Dynamo's graph calls operators as the user does: `view`, `torch.transpose`.
    """
    target = target_op(node)
    if node is None or node.target is None or target is None:
        return ()
    word = node.target.rpartition(".")[2]
    return (target, f"aten.{word}") if node.stage is Stage.PRE_GRAD else (target,)


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
    readings = _shortest_readings(body) if number.isdecimal() and body else ()
    return tuple(f"aten.{op}" for op in readings[0]) if len(readings) == 1 else None


def _shortest_readings(body: str) -> tuple[tuple[str, ...], ...]:
    """The shortest ways to read `body` as sorted operator names, two of them at most."""
    operators = aten_operators()
    # By position in the text: the shortest readings of what comes before it. Two are kept, enough
    # to see that there is more than one.
    best: dict[int, list[tuple[str, ...]]] = {0: [()]}
    ends = [i for i, character in enumerate(body) if character == "_"] + [len(body)]
    for end in ends:
        longer: list[tuple[str, ...]] = []
        for start, readings in list(best.items()):
            op = body[start:end]
            if op in operators:
                # Inductor sorts the names and drops doubles, so each has to come after the one
                # before.
                longer += [(*r, op) for r in readings if not r or r[-1] < op]
        if longer:
            shortest = min(map(len, longer))
            best[end + 1] = sorted({r for r in longer if len(r) == shortest})[:2]
    return tuple(best.get(len(body) + 1, ()))
