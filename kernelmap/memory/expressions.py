"""What expressions of a wrapper do to memory: their values, and the calls in them.

What a library call gives back is a tensor or several, which shows where the code uses it.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from kernelmap.compiler.python.no_work import is_known_idle
from kernelmap.compiler.python.source import dotted_name, last_word, literal_value, names_in
from kernelmap.compiler.python.statements import LocalFunctions
from kernelmap.facts.dtypes import TORCH_DTYPES
from kernelmap.facts.result_dtypes import gives_logsumexp, gives_pair, have_one_dtype
from kernelmap.memory.allocations import (
    gives_number,
    is_allocation,
    made_by_allocation,
    names_same_memory,
    sizes_in_pool,
    sizes_of_sum,
    sizes_of_view,
)
from kernelmap.memory.ledger import Ledger
from kernelmap.memory.sizes import TensorSizes
from kernelmap.memory.start import THERE_BEFORE, StartMemory
from kernelmap.memory.stated import StatedTensors, dense_strides, sizes_of_result
from kernelmap.memory.values import CallResult, ItemList, Storage, Value, storages_in
from kernelmap.model import CompiledGraph, WrapperCall
from kernelmap.model.memory import MemoryKind

INPUT_LISTS = ("args", "inputs")
"""What a graph is handed, as Python and C++ name it."""
_CONSTANT_LIST = "constants_"  # of a C++ model
_CONSTANT = re.compile(r"_?constant\d+|_frozen_param\d+|_tensor_constant\d+")
_MOST_ITEMS = 10_000  # of a list that is made at once
_POOL = "alloc_from_pool"


class Evaluator(Struct, eq=False, kw_only=True):
    """Gives the value of each expression, and notes what its calls use and make.

    `functions` has the syntax trees of the code's own functions by name, `local` says which of them
    a call runs, `run_function` runs one. `frames` has the names of each function that is being run,
    the innermost last. `used` are the storages that the statement mentions, `target` is the name
    that it gives to its value, None where it gives none.
    """

    graph: CompiledGraph
    stated: StatedTensors
    start: StartMemory
    ledger: Ledger
    functions: Mapping[str, ast.FunctionDef]
    local: LocalFunctions
    run_function: Callable[[ast.FunctionDef, Sequence[Value]], Value]
    frames: list[dict[str, Value]] = []
    used: dict[int, Storage] = {}
    target: str | None = None
    calls_by_line: dict[int, deque[WrapperCall]] = {}

    def __post_init__(self) -> None:
        calls_by_line: dict[int, deque[WrapperCall]] = defaultdict(deque)
        for call in self.graph.calls:
            calls_by_line[call.line or 0].append(call)
        self.calls_by_line = calls_by_line

    def evaluate(self, node: ast.expr) -> Value:
        """The value of an expression that the code uses: a call's result is taken for a tensor."""
        value = self.evaluate_raw(node)
        if isinstance(value, CallResult) and (None in value.made or not value.made):
            value = self.storage_of(value, name_of(node))
        for storage in storages_in(value):
            self.used[storage.number] = storage
        return value

    def evaluate_raw(self, node: ast.expr) -> Value:
        """The value of an expression; None for what has no memory of its own."""
        value: Value = None
        match node:
            case ast.Name(id=name):
                value = self._look_up(name)
            case ast.Call():
                value = self._evaluate_call(node)
            case ast.Tuple(elts=items) | ast.List(elts=items):
                value = self.ledger.make_list([self.evaluate(item) for item in items])
            case ast.Subscript(value=base, slice=place):
                value = self._evaluate_item(base, place)
            case ast.BinOp(left=ast.List(elts=items), op=ast.Mult(), right=times):
                count = literal_value(times)
                places = count if type(count) is int and 0 < count < _MOST_ITEMS else len(items)
                value = self.ledger.make_list([None] * places)
            case ast.Starred(value=inner):
                value = self.evaluate(inner)
            case ast.IfExp(body=one, orelse=other):
                value = self.evaluate(one) or self.evaluate(other)
            case ast.BinOp():
                for name in names_in(node):
                    self.evaluate(ast.Name(name))
        return value

    def _look_up(self, name: str) -> Value:
        value = self.frames[-1].get(name)
        if value is None and name not in self.frames[-1]:
            is_constant = name in self.stated.constants or _CONSTANT.fullmatch(name)
            return self.start.make_constant(name) if is_constant else None
        return value

    def _evaluate_item(self, base: ast.expr, place: ast.expr) -> Value:
        if self.is_list_from_outside(base):
            return self.unpack_item(name_of(base), self.target or "")
        value, at = self.evaluate_raw(base), literal_value(place)
        if type(at) is not int:
            return value if isinstance(value, Storage) else None  # workspace_0[0:512]
        return self.item_of(value, at, self.target or "")

    def _evaluate_call(self, node: ast.Call) -> Value:
        body = self.local.of(node.func)
        function = self.functions.get(body.name) if body is not None else None
        if function is not None:
            return self.run_function(function, [self.evaluate(one) for one in node.args])
        owner = self._evaluate_owner(node.func)
        word = node.func.attr if isinstance(node.func, ast.Attribute) else last_word(node)
        if isinstance(owner, ItemList):
            return self._call_list(owner, word, node)
        if word.endswith(_POOL) and node.args:
            return self._allocate_in_pool(node)
        if is_allocation(word):
            sizes, device = made_by_allocation(node)
            return self._allocate(node, sizes, device)
        return self._use_values(node, owner, word)

    def _allocate(self, node: ast.Call, sizes: TensorSizes | None, device: str | None) -> Storage:
        """New memory, which gets its name when it is bound to one."""
        return self.ledger.allocate(
            "", MemoryKind.BUFFER, sizes=sizes, device=device, line=node.lineno
        )

    def _use_values(self, node: ast.Call, owner: Value, word: str) -> Value:
        """What a function does with memory that it is handed: it views it, looks at it or works."""
        given = [self.evaluate(one) for one in node.args]
        given += [self.evaluate(keyword.value) for keyword in node.keywords]
        if names_same_memory(word) or names_same_memory(_operator_of(node)):
            return owner if owner is not None else (given[0] if given else None)
        if owner is not None:
            is_idle = gives_number(word)
        else:
            is_idle = (written := dotted_name(node.func)) is not None and is_known_idle(written)
        return None if is_idle else self._take_call(node, owner)

    def _evaluate_owner(self, function: ast.expr) -> Value:
        """The value whose method is called; None for functions of modules."""
        if not isinstance(function, ast.Attribute):
            return None
        owner = function.value
        if isinstance(owner, ast.Name) and owner.id not in self.frames[-1]:
            return None
        return self.evaluate(owner)

    def _call_list(self, listed: ItemList, method: str, node: ast.Call) -> Value:
        given = [self.evaluate(one) for one in node.args]
        if method == "clear":
            self.ledger.clear_list(listed)
        elif method == "append" and given:
            self.ledger.refer(given[0])
            listed.items.append(given[0])
        elif method == "pop" and listed.items:
            item = listed.items.pop()
            self.ledger.release(item)
            return item
        return None

    def _allocate_in_pool(self, node: ast.Call) -> Value:
        """`alloc_from_pool(pool1, 0, torch.float32, (8, 16), (16, 1))`."""
        pool = self.storage_of(self.evaluate(node.args[0]), name_of(node.args[0]))
        if pool is None:
            return None
        pool.holder.kind = MemoryKind.POOL
        return self.ledger.allocate(
            "",
            MemoryKind.BUFFER,
            sizes=sizes_in_pool(node),
            device=pool.device,
            line=node.lineno,
            pool=pool,
        )

    def _take_call(self, node: ast.Call, owner: Value) -> Value:
        """A call of the graph uses memory, and may give back new one."""
        call = self._next_call(node.lineno)
        index = call.index if call is not None else None
        if call is not None:
            self.ledger.take_step(call.index)
        self._note_dtypes(call, node)
        for storage in self.used.values():
            self._note_use(storage, index)
        alike = list(self.used.values())
        if call is not None and have_one_dtype(call.target or ""):
            self.ledger.alike.append(alike)
        first = alike[0] if alike else None
        operator = _operator_of(node)
        # `all_reduce_` and `copy_` give back what they were given.
        if operator.endswith("_") or any(keyword.arg == "out" for keyword in node.keywords):
            return owner if owner is not None else first
        if operator == "sum" and isinstance(owner, Storage):
            sizes = sizes_of_sum(node, owner.sizes)
            return self._allocate(node, sizes, owner.device)
        if operator == "clone" and first is not None:
            return self._allocate(node, first.holder.sizes or first.sizes, first.device)
        if self.target is None:
            return None
        result = CallResult(
            step=self.ledger.now,
            call=index,
            line=node.lineno,
            operator=_operator_run(node, call),
            operand=first,
            alike=alike,
        )
        self.ledger.temporary.append(result)
        self._make_unnamed_results(node, result)
        return result

    def _make_unnamed_results(self, node: ast.Call, result: CallResult) -> None:
        """Results that are there though the code may never take them: `buf5[1]` of a sort.

        C++ names all of them.
        """
        if gives_pair(result.operator):
            self.ledger.pairs.append(result.results)
        if _dotted_parts(node.func)[:2] != ["torch", "ops"]:
            return
        if gives_pair(result.operator):
            for place in range(2):
                self.ledger.item_of_result(result, place, f"{self.target}[{place}]")
        elif gives_logsumexp(result.operator):
            query = next((one for one in node.args if not _dotted_parts(one)[1:]), None)
            sizes = self._sizes_of_operand(query) if query is not None else None
            if sizes is not None and len(sizes.shape) > 1:
                rows = sizes.shape[:-1]
                storage = self.ledger.item_of_result(result, 1, f"{self.target}[1]")
                made = TensorSizes(shape=rows, stride=dense_strides(rows), dtype="float32")
                self._complete_sizes(storage, made)

    def _sizes_of_operand(self, node: ast.expr) -> TensorSizes | None:
        """The sizes of a view, or of what a name stands for."""
        if isinstance(node, ast.Call):
            return sizes_of_view(node)
        value = self.frames[-1].get(name_of(node))
        known = value.holder.sizes or value.sizes if isinstance(value, Storage) else None
        return known or self.stated.sizes.get(name_of(node))

    def _next_call(self, line: int) -> WrapperCall | None:
        """The call of a line: of a function that is called twice the next, of a loop the same."""
        waiting = self.calls_by_line.get(line)
        if not waiting:
            return None
        return waiting.popleft() if len(waiting) > 1 else waiting[0]

    def _note_use(self, storage: Storage, call: int | None) -> None:
        if call is None:
            return
        holder = storage.holder
        if holder.made_by is None and holder.kind not in THERE_BEFORE:
            holder.made_by = call
        holder.last_use = call
        if storage.pool is not None:
            self._note_use(storage.pool, call)

    def _note_dtypes(self, call: WrapperCall | None, node: ast.Call) -> None:
        """Tensors without a dtype have that of the signature of a kernel that takes them."""
        kernel = self.graph.kernel_of(call) if call is not None else None
        types = [kind for _, kind in kernel.signature or ()] if kernel is not None else []
        for argument, kind in zip(node.args, types, strict=False):
            dtype = TORCH_DTYPES.get(kind.removeprefix("*").removeprefix("k"))
            value = self.frames[-1].get(name_of(argument))
            if kind.startswith("*") and dtype is not None and isinstance(value, Storage):
                value.complete_dtype(dtype)

    # Results of calls, and lists from outside.

    def item_of(self, value: Value, place: int, name: str) -> Value:
        """One item of a list, or one of the tensors that a call gave back."""
        if isinstance(value, ItemList):
            return value.items[place] if -len(value.items) <= place < len(value.items) else None
        if isinstance(value, CallResult):
            storage = self.ledger.item_of_result(value, place, name)
            if storage.holder.name.endswith("]"):  # until now nobody had taken it
                storage.holder.name = name
            self._complete_sizes(storage, self.stated.sizes.get(name))
            return storage
        return value

    def storage_of(self, value: Value, name: str) -> Storage | None:
        """The memory of a value that the code uses as a tensor."""
        if isinstance(value, Storage):
            return value
        if not isinstance(value, CallResult):
            return None
        storage = self.ledger.item_of_result(value, None, name)
        self._complete_sizes(storage, self.stated.sizes.get(storage.holder.name))
        if storage.sizes is None and value.call is not None:
            self._complete_sizes(storage, sizes_of_result(self.graph, self.graph.calls[value.call]))
        return storage

    def _complete_sizes(self, storage: Storage, sizes: TensorSizes | None) -> None:
        if sizes is not None:
            storage.complete_sizes(sizes)
            storage.holder.sizes = storage.holder.sizes or sizes

    def unpack_item(self, list_name: str, name: str) -> Storage | None:
        """The item of a list from outside that gets this name."""
        if list_name == _CONSTANT_LIST:
            return self.start.make_constant(name)
        return self.start.make_argument(name)

    def is_list_from_outside(self, node: ast.expr) -> bool:
        """Whether it is what the graph is handed, or the constants of a model."""
        if not isinstance(node, ast.Name):
            return False
        # In a partition `args` is the list that it was handed.
        is_entry = len(self.frames) == 1 and self.frames[0].get(node.id) is None
        return node.id == _CONSTANT_LIST or (node.id in INPUT_LISTS and is_entry)


def name_of(node: ast.expr) -> str:
    """The name that an expression is, else nothing."""
    return node.id if isinstance(node, ast.Name) else ""


def _operator_of(node: ast.Call) -> str:
    """`all_reduce_` of `torch.ops._c10d_functional.all_reduce_.default(…)`, `sum` of `buf1.sum()`.

    An operator of torch's is written with its overload.
    """
    parts = _dotted_parts(node.func)
    is_operator = parts[:2] == ["torch", "ops"] and len(parts) > len(
        ("torch", "ops", "space", "op")
    )
    return parts[-2] if is_operator else parts[-1]


def _operator_run(node: ast.Call, call: WrapperCall | None) -> str:
    """`aten.mm`: what a call runs, or what it hands an operator that it is to run for it."""
    handed = _dotted_parts(node.args[0]) if node.args else []
    if handed[:2] == ["torch", "ops"]:
        return ".".join(handed[2:4])
    return (call.target if call is not None else None) or ""


def _dotted_parts(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Attribute):
        return (dotted_name(node) or f"?.{node.attr}").split(".")
    return (dotted_name(node) or "").split(".")
