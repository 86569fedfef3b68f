"""What a call is handed: its arguments → the memory behind each, in numbers.

Which names a graph gives to which memory, and how large that is, says kernelmap.memory; here views
are followed back to it. A view is a shape, strides and an offset in the memory of one name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from msgspec import Struct

from kernelmap.compiler.python.source import last_word, nodes_in
from kernelmap.compiler.python.statements import split_assignment
from kernelmap.facts.dtypes import TORCH_DTYPES
from kernelmap.memory.allocations import is_view, names_same_memory
from kernelmap.memory.sizes import TensorSizes, whole_number_of
from kernelmap.model import CompiledGraph, WrapperCall
from kernelmap.model.memory import GraphMemory, MemoryBuffer
from kernelmap.repro.refusal import NotInInputsError
from kernelmap.speed.work.generated_code import CallStatement, GeneratedCode

_GIVE_SIZES = (
    "Give the numbers of its symbols with --size, such as --size s0=128, or a profile that was"
    " recorded with record_shapes=True."
)
_DEEPEST = 100  # views of views


class CallTensor(Struct, frozen=True, kw_only=True):
    """A tensor that a call is handed: a view of the memory that has the name `memory`.

    `offset` counts elements from the beginning of that memory. `whole` says that it is all of it.
    """

    memory: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int = 0
    whole: bool = True

    @property
    def reach(self) -> int:
        """How many elements of the memory there have to be."""
        if 0 in self.shape:
            return 0
        steps = zip(self.shape, self.stride, strict=True)
        return self.offset + 1 + sum((size - 1) * step for size, step in steps)


class CallMemory(Struct, frozen=True, kw_only=True):
    """Memory that a call works with, as the statement that allocates it states it."""

    name: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: str
    on_cpu: bool = False

    @property
    def numel(self) -> int:
        """How many elements it has room for."""
        return CallTensor(memory=self.name, shape=self.shape, stride=self.stride).reach


class _Assigned(Struct, frozen=True):
    """A statement that gives a name to a value."""

    line: int
    value: ast.expr


class CallNames:
    """The names of one graph as they stand at one of its calls.

    `statement` is the call's, `symbols` are the numbers of sizes, `stated` is what the code says of
    its inputs and results.
    """

    def __init__(
        self,
        graph: CompiledGraph,
        call: WrapperCall,
        code: GeneratedCode,
        memory: GraphMemory,
        stated: Mapping[str, TensorSizes],
    ) -> None:
        """Raises NotInInputsError where the code has no statement for the call."""
        statement = code.statement_of(call)
        if statement is None:
            raise NotInInputsError("has no statement that can be read in its code")
        self.graph = graph
        self.call = call
        self.code = code
        self.stated = stated
        self.device = memory.device or ""  # of what nothing states another one of
        self.statement: CallStatement = statement
        self.buffers: Mapping[str, MemoryBuffer] = {one.name: one for one in memory.buffers}
        self._assigned: dict[str, list[_Assigned]] = {}
        self.symbols = dict(memory.sizes)
        self._note_assignments()

    def _note_assignments(self) -> None:
        """What names stand for above the call, in the function that it stands in."""
        for statement in _function_around(self.code.body, self.statement.call.lineno):
            pair = split_assignment(statement)
            line = getattr(statement, "lineno", 0)
            if pair is None or line >= self.statement.call.lineno:
                continue
            name, value = pair
            self._assigned.setdefault(name, []).append(_Assigned(line, value))
            number = whole_number_of(value, self.symbols)
            if number is not None:
                self.symbols[name] = number

    def number_of(self, node: ast.expr) -> int | None:
        """The whole number that an argument is, with the sizes that are known."""
        return whole_number_of(node, self.symbols)

    def tensor_of(self, node: ast.expr) -> CallTensor | None:
        """The tensor that an argument is, None for what is none. Raises NotInInputsError."""
        return self._follow(node, self.statement.call.lineno, 0)

    def memory_of(self, tensor: CallTensor, kind: str | None = None) -> CallMemory:
        """The memory of a tensor; `kind` is the type of a kernel's parameter (`*bf16`)."""
        name = tensor.memory
        buffer = self.buffers.get(name)
        shape, stride = self._whole_of(name) or (tensor.shape, tensor.stride)
        known = self.code.tensors.by_name(name)
        dtype = TORCH_DTYPES.get((kind or "").removeprefix("*").removeprefix("k"))
        dtype = dtype or (buffer.dtype if buffer is not None else None)
        dtype = dtype or (known.dtype if known is not None else None)
        stated = self.stated.get(name)
        dtype = dtype or (stated.dtype if stated is not None else None)
        if dtype is None:
            raise NotInInputsError(f"is handed `{name}`, whose dtype nothing states")
        whole = CallMemory(
            name=name,
            shape=shape,
            stride=stride,
            dtype=dtype,
            on_cpu=((buffer.device if buffer else None) or self.device).startswith("cpu"),
        )
        if whole.numel < tensor.reach:  # stated for what held the memory before, or after
            flat = (tensor.reach,)
            return CallMemory(name=name, shape=flat, stride=(1,), dtype=dtype, on_cpu=whole.on_cpu)
        return whole

    def _follow(self, node: ast.expr, line: int, depth: int) -> CallTensor | None:
        if depth > _DEEPEST:
            return None
        if isinstance(node, ast.Name):
            return self._follow_name(node.id, line, depth)
        if isinstance(node, ast.Call) and is_view(node):
            base = self._follow(node.args[0], line, depth + 1)
            shape, stride = (self._numbers(one) for one in (*node.args[1:3], None, None)[:2])
            if base is None or shape is None or stride is None:
                return None
            offset = self.number_of(node.args[3]) if len(node.args) > len("tss") else 0
            return CallTensor(
                memory=base.memory,
                shape=shape,
                stride=stride,
                offset=base.offset + (offset or 0),
                whole=False,
            )
        return None

    def _follow_name(self, name: str, line: int, depth: int) -> CallTensor | None:
        assigned = self._last(name, line)
        value = assigned.value if assigned is not None else None
        line = assigned.line if assigned is not None else line
        below: CallTensor | None = None
        if isinstance(value, ast.Name) or (isinstance(value, ast.Call) and is_view(value)):
            below = self._follow(value, line, depth + 1)
        # `copy_if_misaligned(arg0_1)`
        elif isinstance(value, ast.Call) and names_same_memory(last_word(value)) and value.args:
            below = self._follow(value.args[0], line, depth + 1)
        # The result of a call may be stated under a second name only: `buf35 = buf34`.
        if below is not None:
            return below
        whole = self._whole_of(name)
        if whole is not None:
            return CallTensor(memory=name, shape=whole[0], stride=whole[1])
        if name in self.buffers:
            raise NotInInputsError(*self._unknown_size(name))
        return None

    def _unknown_size(self, name: str) -> tuple[str, str]:
        buffer = self.buffers[name]
        open_sizes = [size for size in buffer.shape or () if isinstance(size, str)]
        if open_sizes:
            return (
                f"is handed `{name}`, whose size {open_sizes[0]} only a run knows",
                _GIVE_SIZES,
            )
        return f"is handed `{name}`, whose size nothing states", ""

    def _whole_of(self, name: str) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Shape and strides of the memory of a name, where all of them are numbers."""
        buffer, known = self.buffers.get(name), self.code.tensors.by_name(name)
        for one in (buffer, known):
            if one is None or one.shape is None or one.stride is None:
                continue
            shape = tuple(size for size in one.shape if isinstance(size, int))
            stride = tuple(step for step in one.stride if isinstance(step, int))
            if len(shape) == len(one.shape) == len(stride) == len(one.stride):
                return shape, stride
        sizes = self.stated.get(name)
        if sizes is None:
            return None
        numbers = [self.number_of(size) for size in (*sizes.shape, *sizes.stride)]
        found = tuple(number for number in numbers if number is not None)
        count = len(sizes.shape)
        return (found[:count], found[count:]) if len(found) == len(numbers) else None

    def _last(self, name: str, line: int) -> _Assigned | None:
        """The last statement above a line that gave `name` its value."""
        above = [one for one in self._assigned.get(name, ()) if one.line < line]
        return above[-1] if above else None

    def _numbers(self, node: ast.expr | None) -> tuple[int, ...] | None:
        if not isinstance(node, ast.Tuple | ast.List):
            return None
        numbers = [self.number_of(item) for item in node.elts]
        known = tuple(number for number in numbers if number is not None)
        if len(known) == len(numbers):
            return known
        missing = node.elts[numbers.index(None)]
        raise NotInInputsError(
            f"has a size `{ast.unparse(missing)[:60]}` that only a run knows",
            _GIVE_SIZES,
        )


def _function_around(body: Iterable[ast.AST], line: int) -> list[ast.stmt]:
    """All simple statements of the innermost function that a line stands in."""
    statements = [one for one in body if isinstance(one, ast.stmt)]
    inner: list[ast.stmt] = statements
    for node in (node for statement in statements for node in nodes_in(statement)):
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0):
            inner = node.body  # nodes come from the outside in
    return [one for statement in inner for one in nodes_in(statement) if isinstance(one, ast.stmt)]
