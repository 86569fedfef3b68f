"""One call of a program → its part of a script: what it runs, on what, and what is right."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from kernelmap.compiler.python.source import dotted_name, literal_value, tree_of
from kernelmap.compiler.python.statements import split_assignment
from kernelmap.facts.communication import is_communication_operator
from kernelmap.model import Backend, CompiledGraph, KernelDef, WrapperCall
from kernelmap.model.memory import GraphMemory
from kernelmap.repro.call_checks import HandedOver, KernelChecks, check_library
from kernelmap.repro.configurations import LaunchPlan, plan_launch
from kernelmap.repro.kernel_text import (
    TritonKernel,
    index_limits,
    is_address,
    is_loaded,
    read_triton_kernel,
)
from kernelmap.repro.known_graph import KnownGraph, parameters_of_cpp
from kernelmap.repro.library_tries import LibraryOperand, plan_library_tries
from kernelmap.repro.literals import one_line, safe_name, write_argument
from kernelmap.repro.operands import CallMemory, CallNames, CallTensor
from kernelmap.repro.recorded import RecordedCall
from kernelmap.repro.refusal import NotInInputsError
from kernelmap.repro.script import CppKernel, MadeTensor, ScriptCall
from kernelmap.repro.tries import plan_tries
from kernelmap.speed.work.generated_code import GeneratedCode

_TORCH_HAS = frozenset(
    {"mm", "bmm", "addmm", "baddbmm", "convolution", "_grouped_mm", "_scaled_mm", "_int_mm"}
)
"""Of what Inductor calls `extern_kernels`, the functions that are torch's own of the same name."""
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
        self._known = KnownGraph(graph, code, memory)
        self._checks = KernelChecks(self._known)

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
        part, made = self._finish_kernel(call, handed, recorded, triton=source, plan=plan)
        return replace(part, tries=plan_tries(plan, recorded)), made

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
    ) -> HandedOver:
        """What a kernel is handed, by its parameters. Raises NotInInputsError."""
        names = self._known.names_at(call)
        given = names.statement.call.args
        handed, limits = HandedOver(), index_limits(source)
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
        handed: HandedOver,
        recorded: RecordedCall,
        *,
        triton: TritonKernel | None = None,
        plan: LaunchPlan | None = None,
        cpp: CppKernel | None = None,
    ) -> tuple[ScriptCall, list[MadeTensor]]:
        check, unchecked = self._checks.check_kernel(call, handed)
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
                for name in self._known.names_written(call)
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
        names = self._known.names_at(call)
        node = names.statement.call
        called, given, imports, notes = _called_function(node, target)
        made: list[MadeTensor] = []
        views: dict[str, CallTensor] = {}
        operands: list[LibraryOperand] = []

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
                operands.append(
                    LibraryOperand(variable=variable, tensor=tensor, dtype=memory.dtype)
                )
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
        check, unchecked = check_library(target, arguments, options, called, _dtype_of(made))
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
            tries=plan_library_tries(target, operands, recorded),
        )
        return part, made


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
