"""What one call is handed → how its results are checked: by nodes of the graph, or on float64."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.model import Backend, WrapperCall
from kernelmap.repro.eager_check import EagerCheck, make_check
from kernelmap.repro.graph_nodes import GraphNode, NodeGraph
from kernelmap.repro.known_graph import KnownGraph
from kernelmap.repro.literals import safe_name
from kernelmap.repro.operands import CallNames, CallTensor
from kernelmap.repro.refusal import NotInInputsError
from kernelmap.repro.script import RESULT, MadeTensor

_IN_DOUBLE = {"aten.mm", "aten.bmm", "aten.addmm", "aten.baddbmm", "aten.convolution"}
"""Library calls that are checked against the same operator on float64."""


class HandedOver(Struct):
    """What a kernel is handed: arguments as text, and what they are made of.

    `read` has the tensors by the wrapper's names, `loaded` those that it loads from, `sizes` whole
    numbers by parameter, `extra` are those behind the last parameter.
    """

    arguments: list[str] = []
    views: dict[str, CallTensor] = {}
    made: list[MadeTensor] = []
    read: dict[str, CallTensor] = {}
    loaded: set[str] = set()
    sizes: dict[str, int] = {}
    extra: list[int] = []


class KernelChecks:
    """Makes the checks of generated kernels of one graph."""

    def __init__(self, known: KnownGraph) -> None:
        self._known = known

    def check_kernel(self, call: WrapperCall, handed: HandedOver) -> tuple[EagerCheck | None, str]:
        """The check of a generated kernel by the nodes of the graph, or why there is none."""
        if call.backend is Backend.USER:
            return None, "is a kernel of the user's, of which no node says what it computes"
        if self._known.nodes is None:
            return None, "has no text of its graph beside it, which a TORCH_TRACE log has"
        try:
            check = self._check_by_nodes(call, handed, self._known.nodes)
            return self._with_layouts(check, handed, self._known.nodes), ""
        except NotInInputsError as error:
            reason = error.reason
        # Another call of the kernel computes the same of other buffers.
        for other in self._known.graph.calls:
            if other.kernel == call.kernel and other is not call:
                same = self._check_like(call, other, handed)
                if same is not None:
                    return self._with_layouts(same, handed, self._known.nodes), ""
        if call.backend is Backend.COMBO:
            return None, "is a kernel of several parts, and nothing says which writes which buffer"
        return None, reason

    def _with_layouts(self, check: EagerCheck, handed: HandedOver, nodes: NodeGraph) -> EagerCheck:
        """A node may be a transposed view of what the buffer is: its memory is compared."""
        layouts = {}
        for node, name in check.results:
            made, tensor = nodes.nodes[node], handed.read.get(name)
            if tensor is None or made.shape is None or made.stride is None:
                continue
            if made.shape != tensor.shape and name not in check.split:
                layouts[name] = (made.shape, made.stride)
        return replace(check, layouts=layouts)

    def _check_by_nodes(
        self, call: WrapperCall, handed: HandedOver, nodes: NodeGraph
    ) -> EagerCheck:
        written, read = self._known.names_written(call), handed.read
        check = make_check(
            nodes, self._known.buffers, read, handed.loaded, written, self._known.before
        )
        lines = [
            line
            for node, name in check.inputs
            if (line := self._input_line(nodes.nodes[node], name, read[name])) is not None
        ]
        return replace(check, lines=(*lines, *check.lines))

    def _check_like(
        self, call: WrapperCall, other: WrapperCall, handed: HandedOver
    ) -> EagerCheck | None:
        """The check of another call of the same kernel, with the buffers of this one.

        Both have to be handed tensors of the same shapes and the same numbers.
        """
        nodes = self._known.nodes
        if nodes is None:
            return None
        try:
            sites = [self._known.names_at(one) for one in (other, call)]
            renamed, read = _renamed_buffers(sites[0], sites[1])
            loaded = [name for name, own in renamed.items() if own in handed.loaded]
            written = self._known.names_written(other)
            check = make_check(
                nodes, self._known.buffers, renamed, loaded, written, self._known.before
            )
        except (NotInInputsError, ValueError):
            return None
        inputs = tuple((node, renamed[name]) for node, name in check.inputs)
        lines = [
            line
            for (node, theirs), (_, ours) in zip(check.inputs, inputs, strict=True)
            if (
                line := self._input_line(
                    nodes.nodes[node], ours, read[ours], self._known.buffers.split.get(theirs)
                )
            )
            is not None
        ]
        return replace(
            check,
            lines=(*lines, *check.lines),
            inputs=inputs,
            results=tuple((node, renamed[name]) for node, name in check.results),
            split={
                renamed[name]: place
                for name, place in self._known.buffers.split.items()
                if name in renamed
            },
        )

    def _input_line(
        self, node: GraphNode, name: str, tensor: CallTensor, place: int | None = None
    ) -> str | None:
        """A node as a view of the memory that holds it: both may have another shape."""
        own, variable = safe_name(node.name), safe_name(name)
        place = self._known.buffers.split.get(name) if place is None else place
        if place is not None:  # partial sums of it
            return f"{own} = {variable}.squeeze().sum({place}).reshape({node.shape})"
        if node.shape not in (None, tensor.shape):
            return f"{own} = {variable}.as_strided({node.shape}, {node.stride})"
        return None if own == variable else f"{own} = {variable}"


def check_library(
    target: str,
    arguments: Sequence[str],
    options: Sequence[tuple[str, str]],
    called: str,
    dtype: str,
) -> tuple[EagerCheck | None, str]:
    """A product is held against the same one on float64; any other is eager PyTorch itself."""
    if target not in _IN_DOUBLE:
        return None, "is an operator of eager PyTorch itself"
    doubled = [
        f"{one}.double()" if one.isidentifier() and one != "None" else one for one in arguments
    ]
    others = [f"{name}={value}" for name, value in options if name not in ("out", "out_dtype")]
    out = dict(options).get("out")
    line = f"in_double = {called}({', '.join([*doubled, *others])})"
    return EagerCheck(
        lines=(line,), inputs=(), results=(("in_double", out or RESULT),), dtype=dtype
    ), ""


def _renamed_buffers(
    other: CallNames, own: CallNames
) -> tuple[dict[str, str], dict[str, CallTensor]]:
    """By name of a buffer that another call is handed the one in its place, and those tensors.

    Raises ValueError where the two calls do not do the same.
    """
    renamed: dict[str, str] = {}
    read: dict[str, CallTensor] = {}
    for theirs, ours in zip(other.statement.call.args, own.statement.call.args, strict=True):
        if not isinstance(theirs, ast.Name) or not isinstance(ours, ast.Name):
            if ast.dump(theirs) != ast.dump(ours):
                raise ValueError(ast.dump(ours))
            continue
        tensors = other.tensor_of(theirs), own.tensor_of(ours)
        shapes = [(one.shape, one.stride) for one in tensors if one is not None]
        if len(shapes) != len(tensors) or shapes[0] != shapes[1] or tensors[1] is None:
            raise ValueError(ours.id)
        if renamed.setdefault(theirs.id, ours.id) != ours.id:
            raise ValueError(ours.id)
        read[ours.id] = tensors[1]
    return renamed, read
