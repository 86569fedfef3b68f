"""A graph with its code and memory → what all of its calls need, each found once."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cached_property

from kernelmap.compiler.python.source import nodes_in
from kernelmap.memory.sizes import TensorSizes
from kernelmap.memory.stated import tensors_stated
from kernelmap.model import CompiledGraph, KernelDef, WrapperCall
from kernelmap.model.memory import GraphMemory
from kernelmap.repro.graph_nodes import NodeGraph, read_nodes
from kernelmap.repro.node_buffers import (
    Kind,
    NodeBuffers,
    find_node_buffers,
    kind_of_tensor,
    names_written_again,
)
from kernelmap.repro.operands import CallNames
from kernelmap.speed.work.generated_code import GeneratedCode, runtime_parameters


class KnownGraph:
    """One graph: its nodes, the sizes that its code states, and which node each buffer holds."""

    def __init__(self, graph: CompiledGraph, code: GeneratedCode, memory: GraphMemory) -> None:
        self.graph = graph
        self.code = code
        self.memory = memory

    @cached_property
    def nodes(self) -> NodeGraph | None:
        """The nodes of the graph's text; None where no log has it."""
        text = self.graph.post_grad_text
        return None if text is None else read_nodes(text.text, self.memory.sizes)

    @cached_property
    def stated(self) -> Mapping[str, TensorSizes]:
        """Sizes of inputs and of results, as the code checks them."""
        nodes = [node for statement in self.code.body for node in nodes_in(statement)]
        return tensors_stated(self.graph, self.code.body, nodes).sizes

    def names_at(self, call: WrapperCall) -> CallNames:
        """What the names at a call stand for."""
        return CallNames(self.graph, call, self.code, self.memory, self.stated)

    @cached_property
    def kinds(self) -> Mapping[str, Kind]:
        """Dtype and shape of each buffer, as far as they are numbers."""
        return {
            one.name: kind_of_tensor(one.dtype, [s for s in one.shape if isinstance(s, int)])
            for one in self.memory.buffers
            if one.shape is not None and all(isinstance(size, int) for size in one.shape)
        }

    @cached_property
    def buffers(self) -> NodeBuffers:
        """Which node each buffer holds."""
        written = {
            call.index: self.names_written(call)
            for call in self.graph.calls
            if call.kernel is not None
        }
        if self.nodes is None:
            return NodeBuffers()
        return find_node_buffers(self.graph, self.code, self.nodes, written, self.kinds)

    @cached_property
    def before(self) -> Mapping[str, str]:
        """The name that memory had before it was handed on."""
        return names_written_again(self.code)

    def names_written(self, call: WrapperCall) -> tuple[str, ...]:
        """The wrapper's names of what a generated kernel writes, in the order of their making."""
        kernel, statement = self.graph.kernel_of(call), self.code.statement_of(call)
        if kernel is None or statement is None:
            return ()
        names = [
            argument.id
            for parameter, argument in zip(
                self.parameters_of(kernel), statement.call.args, strict=False
            )
            if isinstance(argument, ast.Name) and _is_written(parameter, kernel)
        ]
        return tuple(sorted(dict.fromkeys(names), key=_number_of_buffer))

    def parameters_of(self, kernel: KernelDef) -> Sequence[str]:
        """The parameters of a generated kernel's function, those of Triton without constants."""
        function = self.code.functions.get(kernel.name)
        if function is not None:
            return runtime_parameters(function)
        source = self.code.cpp.get(kernel.name)
        return parameters_of_cpp(source) if source is not None else ()


def _is_written(parameter: str, kernel: KernelDef) -> bool:
    """Whether a kernel writes what a parameter points to, by Inductor's names of parameters."""
    mutated = kernel.meta.get("mutated_arg_names")
    return parameter.startswith(("out_ptr", "in_out_ptr")) or (
        isinstance(mutated, list | tuple) and parameter in mutated
    )


def _number_of_buffer(name: str) -> tuple[str, int]:
    """`buf10` follows `buf9`."""
    letters = name.rstrip("0123456789")
    digits = name[len(letters) :]
    return letters, int(digits) if digits and len(digits) < 10 else 0  # noqa: PLR2004 -- no name has more


def parameters_of_cpp(source: str) -> tuple[str, ...]:
    """The names of the parameters of the function that a C++ kernel exports."""
    head = source.partition('extern "C"')[2].partition("(")[2].partition(")")[0]
    return tuple(part.split()[-1].lstrip("*") for part in head.split(",") if part.split())
