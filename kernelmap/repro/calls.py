"""One call of a program → its part of a script: what it runs, on what, and what is right."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler.python.source import dotted_name, literal_value, nodes_in, tree_of
from kernelmap.compiler.python.statements import split_assignment
from kernelmap.facts.communication import is_communication_operator
from kernelmap.memory.sizes import TensorSizes
from kernelmap.memory.stated import tensors_stated
from kernelmap.model import Backend, CompiledGraph, KernelDef, WrapperCall
from kernelmap.model.memory import GraphMemory
from kernelmap.repro.configurations import LaunchPlan, plan_launch
from kernelmap.repro.eager_check import EagerCheck, make_check
from kernelmap.repro.graph_nodes import GraphNode, NodeGraph, read_nodes
from kernelmap.repro.kernel_text import (
    TritonKernel,
    index_limits,
    is_address,
    is_loaded,
    read_triton_kernel,
)
from kernelmap.repro.literals import one_line, safe_name, write_argument
from kernelmap.repro.node_buffers import (
    Kind,
    NodeBuffers,
    find_node_buffers,
    kind_of_tensor,
    names_written_again,
)
from kernelmap.repro.operands import CallMemory, CallNames, CallTensor
from kernelmap.repro.recorded import RecordedCall
from kernelmap.repro.refusal import NotInInputsError
from kernelmap.repro.script import RESULT, CppKernel, MadeTensor, ScriptCall
from kernelmap.speed.work.generated_code import GeneratedCode, runtime_parameters

_TORCH_HAS = frozenset(
    {"mm", "bmm", "addmm", "baddbmm", "convolution", "_grouped_mm", "_scaled_mm", "_int_mm"}
)
"""Of what Inductor calls `extern_kernels`, the functions that are torch's own of the same name."""
_IN_DOUBLE = {"aten.mm", "aten.bmm", "aten.addmm", "aten.baddbmm", "aten.convolution"}
"""Library calls that are checked against the same operator on float64."""
_INDEXED = {"aten._grouped_mm": 2}
"""The operand that says where groups of rows end."""
_RUNS_WITH_STATE = "graphsafe_run_with_rng_state"
_OURS = ("aten", "prims", "inductor")
_NO_PROCESSES = "moves data between processes, which a script of one process cannot"


class CallsOfGraph:
    """Makes the parts of a script for calls of one graph; what both need is found once."""

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

    def _names_at(self, call: WrapperCall) -> CallNames:
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
            call.index: self._names_written(call)
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

    def _names_written(self, call: WrapperCall) -> tuple[str, ...]:
        """The wrapper's names of what a generated kernel writes, in the order of their making."""
        kernel, statement = self.graph.kernel_of(call), self.code.statement_of(call)
        if kernel is None or statement is None:
            return ()
        names = [
            argument.id
            for parameter, argument in zip(
                self._parameters_of(kernel), statement.call.args, strict=False
            )
            if isinstance(argument, ast.Name) and _is_written(parameter, kernel)
        ]
        return tuple(sorted(dict.fromkeys(names), key=_number_of_buffer))

    def _parameters_of(self, kernel: KernelDef) -> Sequence[str]:
        function = self.code.functions.get(kernel.name)
        if function is not None:
            return runtime_parameters(function)
        source = self.code.cpp.get(kernel.name)
        return parameters_of_cpp(source) if source is not None else ()

    def make_part(
        self, call: WrapperCall, recorded: RecordedCall
    ) -> tuple[ScriptCall, list[MadeTensor]]:
        """The part of one call, and the memory that it works with. Raises NotInInputsError."""
        if call.backend is Backend.CPP:
            return self._make_cpp(call, recorded)
        kernel = self.graph.kernel_of(call)
        if kernel is not None and kernel.members:
            kernel = self.graph.kernel_by_name.get(kernel.members[0])
        if kernel is not None:
            return self._make_triton(call, kernel, recorded)
        return self._make_library(call, recorded)

    def _title(self, call: WrapperCall) -> str:
        return f"{call.wrapper} (call {self.graph.call_id(call)})"

    def _make_triton(
        self, call: WrapperCall, kernel: KernelDef, recorded: RecordedCall
    ) -> tuple[ScriptCall, list[MadeTensor]]:
        source = read_triton_kernel(self.graph, kernel)
        handed = self._read_arguments(call, source.parameters, source.signature, source.body)
        plan = plan_launch(source, handed.sizes, handed.extra, recorded, self.graph.text or "")
        return self._finish_kernel(call, handed, recorded, triton=source, plan=plan)

    def _make_cpp(
        self, call: WrapperCall, recorded: RecordedCall
    ) -> tuple[ScriptCall, list[MadeTensor]]:
        definition = cpp_definition(self.graph, call.kernel or "")
        if definition is None:
            raise NotInInputsError(
                "runs a C++ kernel whose source the inputs do not have in Python code",
                "Give output_code.py: of a C++ wrapper no script is made.",
            )
        parameters = parameters_of_cpp(definition.source)
        handed = self._read_arguments(call, parameters, {}, definition.source)
        return self._finish_kernel(call, handed, recorded, cpp=definition)

    def _read_arguments(
        self,
        call: WrapperCall,
        parameters: Sequence[str],
        signature: Mapping[str, str],
        source: str,
    ) -> _Handed:
        """What a kernel is handed, by its parameters. Raises NotInInputsError."""
        names = self._names_at(call)
        given = names.statement.call.args
        handed, limits = _Handed(), index_limits(source)
        for parameter, argument in zip(parameters, given, strict=False):
            tensor = names.tensor_of(argument)
            if tensor is None:
                number = names.number_of(argument)
                if number is not None:
                    handed.sizes[parameter] = number
                text = str(number) if number is not None else _number_text(argument)
                handed.arguments.append(text)
                continue
            memory = names.memory_of(tensor, signature.get(parameter))
            limit = limits.get(parameter)
            if limit is None and is_address(parameter, source):
                limit = 1
            handed.made.append(MadeTensor(memory=memory, below=limit))
            handed.arguments.append(_variable(tensor, memory, argument, handed.views))
            name = argument.id if isinstance(argument, ast.Name) else tensor.memory
            handed.read[name] = tensor
            if is_loaded(parameter, source):
                handed.loaded.add(name)
        numbers = [names.number_of(one) for one in given[len(parameters) :]]
        handed.extra.extend(number for number in numbers if number is not None)
        return handed

    def _finish_kernel(
        self,
        call: WrapperCall,
        handed: _Handed,
        recorded: RecordedCall,
        *,
        triton: TritonKernel | None = None,
        plan: LaunchPlan | None = None,
        cpp: CppKernel | None = None,
    ) -> tuple[ScriptCall, list[MadeTensor]]:
        check, unchecked = self._check(call, handed)
        part = ScriptCall(
            title=self._title(call),
            arguments=tuple(handed.arguments),
            views=handed.views,
            recorded=recorded,
            triton=triton,
            plan=plan,
            cpp=cpp,
            written=tuple(
                handed.read[name].memory
                for name in self._names_written(call)
                if name in handed.read
            ),
            check=check,
            unchecked=unchecked,
        )
        return part, handed.made

    def _make_library(
        self, call: WrapperCall, recorded: RecordedCall
    ) -> tuple[ScriptCall, list[MadeTensor]]:
        target = call.target or ""
        if is_communication_operator(target):
            raise NotInInputsError(_NO_PROCESSES)
        names = self._names_at(call)
        node = names.statement.call
        called, given, imports, notes = _called_function(node, target)
        made: list[MadeTensor] = []
        views: dict[str, CallTensor] = {}
        tensors: list[str] = []

        def write(argument: ast.expr, place: int) -> str:
            tensor = names.tensor_of(argument)
            if tensor is not None:
                memory = names.memory_of(tensor)
                ends = None
                if _INDEXED.get(target) == place:
                    first = names.tensor_of(given[0])
                    ends = max(first.shape) if first is not None else None
                made.append(MadeTensor(memory=memory, ends=ends))
                variable = _variable(tensor, memory, argument, views)
                tensors.append(variable)
                return variable
            if isinstance(argument, ast.List | ast.Tuple):
                inside = ", ".join(write(one, -1) for one in argument.elts)
                return f"[{inside}]"
            number = names.number_of(argument)
            if number is not None and not isinstance(argument, ast.Constant):
                return str(number)
            return write_argument(argument, lambda _: None)

        arguments = [write(one, at) for at, one in enumerate(given)]
        options = [
            (keyword.arg, write(keyword.value, -1))
            for keyword in node.keywords
            if keyword.arg is not None and keyword.arg.isidentifier() and keyword.arg != "rng_state"
        ]
        text = ", ".join([*arguments, *(f"{name}={value}" for name, value in options)])
        check, unchecked = self._check_library(target, arguments, options, called, _dtype_of(made))
        part = ScriptCall(
            title=self._title(call),
            arguments=tuple(arguments),
            views=views,
            recorded=recorded,
            expression=f"{called}({text})",
            results=_results_of(names),
            written=_written_by(names),
            check=check,
            unchecked=unchecked,
            imports=imports,
            notes=notes,
        )
        return part, made

    def _check_library(
        self,
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

    def _check(self, call: WrapperCall, handed: _Handed) -> tuple[EagerCheck | None, str]:
        """The check of a generated kernel by the nodes of the graph, or why there is none."""
        if call.backend is Backend.USER:
            return None, "is a kernel of the user's, of which no node says what it computes"
        if self.nodes is None:
            return None, "has no text of its graph beside it, which a TORCH_TRACE log has"
        try:
            check = self._check_by_nodes(call, handed, self.nodes)
            return self._with_layouts(check, handed, self.nodes), ""
        except NotInInputsError as error:
            reason = error.reason
        # Another call of the kernel computes the same of other buffers.
        for other in self.graph.calls:
            if other.kernel == call.kernel and other is not call:
                same = self._check_like(call, other, handed)
                if same is not None:
                    return self._with_layouts(same, handed, self.nodes), ""
        if call.backend is Backend.COMBO:
            return None, "is a kernel of several parts, and nothing says which writes which buffer"
        return None, reason

    def _with_layouts(self, check: EagerCheck, handed: _Handed, nodes: NodeGraph) -> EagerCheck:
        """A node may be a transposed view of what the buffer is: its memory is compared."""
        layouts = {}
        for node, name in check.results:
            made, tensor = nodes.nodes[node], handed.read.get(name)
            if tensor is None or made.shape is None or made.stride is None:
                continue
            if made.shape != tensor.shape and name not in check.split:
                layouts[name] = (made.shape, made.stride)
        return replace(check, layouts=layouts)

    def _check_by_nodes(self, call: WrapperCall, handed: _Handed, nodes: NodeGraph) -> EagerCheck:
        written, read = self._names_written(call), handed.read
        check = make_check(nodes, self.buffers, read, handed.loaded, written, self.before)
        lines = [
            line
            for node, name in check.inputs
            if (line := self._input_line(nodes.nodes[node], name, read[name])) is not None
        ]
        return replace(check, lines=(*lines, *check.lines))

    def _check_like(
        self, call: WrapperCall, other: WrapperCall, handed: _Handed
    ) -> EagerCheck | None:
        """The check of another call of the same kernel, with the buffers of this one.

        Both have to be handed tensors of the same shapes and the same numbers.
        """
        nodes = self.nodes
        if nodes is None:
            return None
        try:
            sites = [self._names_at(one) for one in (other, call)]
            renamed, read = _renamed_buffers(sites[0], sites[1])
            loaded = [name for name, own in renamed.items() if own in handed.loaded]
            written = self._names_written(other)
            check = make_check(nodes, self.buffers, renamed, loaded, written, self.before)
        except (NotInInputsError, ValueError):
            return None
        inputs = tuple((node, renamed[name]) for node, name in check.inputs)
        lines = [
            line
            for (node, theirs), (_, ours) in zip(check.inputs, inputs, strict=True)
            if (
                line := self._input_line(
                    nodes.nodes[node], ours, read[ours], self.buffers.split.get(theirs)
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
                for name, place in self.buffers.split.items()
                if name in renamed
            },
        )

    def _input_line(
        self, node: GraphNode, name: str, tensor: CallTensor, place: int | None = None
    ) -> str | None:
        """A node as a view of the memory that holds it: both may have another shape."""
        own, variable = safe_name(node.name), safe_name(name)
        place = self.buffers.split.get(name) if place is None else place
        if place is not None:  # partial sums of it
            return f"{own} = {variable}.squeeze().sum({place}).reshape({node.shape})"
        if node.shape not in (None, tensor.shape):
            return f"{own} = {variable}.as_strided({node.shape}, {node.stride})"
        return None if own == variable else f"{own} = {variable}"


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


class _Handed(Struct):
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


def _variable(
    tensor: CallTensor, memory: CallMemory, argument: ast.expr, views: dict[str, CallTensor]
) -> str:
    """The script's variable for an argument; a view gets one of its own."""
    given = argument.id if isinstance(argument, ast.Name) else f"{tensor.memory}_view"
    if tensor.whole and memory.shape == tensor.shape and given == tensor.memory:
        return safe_name(given)
    name, count = safe_name(given), 1
    while name in views and views[name] != tensor:
        count += 1
        name = f"{safe_name(given)}{count}"
    views[name] = tensor
    return name


def _dtype_of(made: Sequence[MadeTensor]) -> str:
    return made[0].memory.dtype if made else "float32"


def _results_of(names: CallNames) -> tuple[tuple[int | None, str], ...]:
    """What the wrapper calls the results of an operator that gives them back, by their places."""
    statement = names.statement
    if statement.result is None or any(one.arg == "out" for one in statement.call.keywords):
        return ()
    items = names.code.tensors.items.get(statement.result, ())
    return tuple(items) or ((None, statement.result),)


def _written_by(names: CallNames) -> tuple[str, ...]:
    """The memory that a library call writes: its `out`, or what it gives back."""
    outs = [one.value for one in names.statement.call.keywords if one.arg == "out"]
    tensors = [tensor for one in outs if (tensor := names.tensor_of(one)) is not None]
    return (*(one.memory for one in tensors), *(name for _, name in _results_of(names)))


def _number_text(node: ast.expr) -> str:
    """A number that a kernel is handed and that is none of its sizes: a float, a truth value."""
    value = literal_value(node)
    if isinstance(value, bool | int | float):
        return write_argument(node, lambda _: None)
    raise NotInInputsError(
        f"is handed `{one_line(ast.unparse(node))[:60]}`, whose value only a run knows",
        "Give the numbers of its symbols with --size, such as --size s0=128.",
    )


def _called_function(
    node: ast.Call, target: str
) -> tuple[str, list[ast.expr], tuple[str, ...], tuple[str, ...]]:
    """The function of a library call as the script names it, its arguments, imports and notes."""
    called, given = dotted_name(node.func) or "", list(node.args)
    if called.endswith(_RUNS_WITH_STATE) and given:
        called, given = dotted_name(given[0]) or "", given[1:]
    parts = called.split(".")
    if not all(part.isidentifier() for part in parts):
        raise NotInInputsError(f"is no call of a function by its name ({one_line(target)})")
    if parts[0] == "extern_kernels" and len(parts) == 2:  # noqa: PLR2004 -- module and name
        if parts[1] in _TORCH_HAS:
            return f"torch.{parts[1]}", given, (), ()
        line = "from torch._inductor.select_algorithm import extern_kernels"
        return called, given, (line,), ()
    if parts[:2] == ["torch", "ops"] and len(parts) > 3:  # noqa: PLR2004 -- namespace and operator
        notes = (
            ()
            if parts[2] in _OURS
            else (f"It runs {called}: first import the module that registers this operator.",)
        )
        return called, given, (), notes
    if parts[0] in ("aten", "prims"):
        return called, given, (), ()
    raise NotInInputsError(
        f"runs `{called[:60]}`, which is neither a kernel of its code nor an operator of torch"
    )


def parameters_of_cpp(source: str) -> tuple[str, ...]:
    """The names of the parameters of the function that a C++ kernel exports."""
    head = source.partition('extern "C"')[2].partition("(")[2].partition(")")[0]
    return tuple(part.split()[-1].lstrip("*") for part in head.split(",") if part.split())


def cpp_definition(graph: CompiledGraph, name: str) -> CppKernel | None:
    """`NAME = async_compile.cpp_pybinding(['float*', …], r'''…''')` of generated Python."""
    tree = tree_of(graph.text or "")
    for statement in tree.body if tree is not None else ():
        pair = split_assignment(statement)
        match pair:
            case (str() as made, ast.Call(args=[types, ast.Constant(value=str() as source)])):
                listed = literal_value(types)
                if (
                    made == name
                    and isinstance(listed, list)
                    and all(isinstance(t, str) for t in listed)
                ):
                    return CppKernel(name=name, types=tuple(listed), source=source)
    return None
