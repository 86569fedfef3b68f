"""The statements of a graph, run for what they do to memory alone.

Names stand for storages, as in Python; a call of a function of the code itself (a partition, a
branch) runs that function's statements. What a library call gives back is a tensor or several,
which shows where the code uses it.

Of an `if` all branches run, each from the same start; what the last one leaves is what goes on.
The body of a loop runs once.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from kernelmap.compiler.python.no_work import is_known_idle
from kernelmap.compiler.python.source import dotted_name, literal_value
from kernelmap.compiler.python.statements import (
    LocalFunctions,
    header_expressions,
    occurrence_inside,
    stronger_occurrence,
)
from kernelmap.facts.dtypes import TORCH_DTYPES
from kernelmap.facts.result_dtypes import have_one_dtype
from kernelmap.memory.allocations import (
    gives_number,
    is_allocation,
    is_view,
    kind_of_buffer,
    made_by_allocation,
    names_same_memory,
    sizes_in_pool,
    sizes_of_sum,
    sizes_of_view,
)
from kernelmap.memory.ledger import CallResult, ItemList, Ledger, Storage, Value, storages_in
from kernelmap.memory.sizes import TensorSizes
from kernelmap.memory.stated import StatedTensors, last_word, sizes_of_result
from kernelmap.model import CompiledGraph, Occurrence, WrapperCall
from kernelmap.model.memory import MemoryKind, MemoryStep

_MOST_STEPS = 200_000
_DEEPEST = 50  # functions that call each other
_MOST_ITEMS = 10_000  # of a list that is made at once
_LONGEST = 300  # characters of a statement that are kept
_POOL = "alloc_from_pool"
INPUT_LISTS = ("args", "inputs")
"""What a graph is handed, as Python and C++ name it."""
_CONSTANT_LIST = "constants_"  # of a C++ model
_CONSTANT = re.compile(r"_?constant\d+|_frozen_param\d+|_tensor_constant\d+")
_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try)
_MADE_HERE = frozenset({MemoryKind.BUFFER, MemoryKind.WORKSPACE})
_NEVER_FREED = frozenset({MemoryKind.INPUT, MemoryKind.CONSTANT})
_THERE_BEFORE = _NEVER_FREED | {MemoryKind.SAVED, MemoryKind.GRADIENT}

KindOfInput = Callable[[str], MemoryKind]


class HandedOver(Struct, frozen=True, kw_only=True):
    """What is known of an argument of a graph from the graph that returned it.

    `storage` is the same for arguments that are views of one memory; `size` has its bytes, or else
    their formula. `origin` is the call that made it, `graph/index`.
    """

    storage: str
    kind: MemoryKind
    origin: str | None
    size: tuple[int | None, str | None]
    device: str | None


class _Returned(Struct, frozen=True):
    """A `return` was reached, with what it gives back."""

    value: Value


class Follower(Struct, eq=False, kw_only=True):
    """One run over the statements of a graph.

    `functions` has the syntax trees of the code's own functions by name, `local` says which of them
    a call runs, `numbers` are names of arguments that are no tensors. `handed` has what another
    graph tells of arguments. `frames` has the names of
    each function that is being run, the innermost last. `handed_in` are the inputs in order.
    """

    graph: CompiledGraph
    stated: StatedTensors
    functions: Mapping[str, ast.FunctionDef]
    local: LocalFunctions
    numbers: frozenset[str]
    kind_of_input: KindOfInput
    handed: Mapping[str, HandedOver] = {}
    ledger: Ledger = field(default_factory=Ledger)
    handed_in: dict[str, Storage | None] = {}
    gaps: dict[str, None] = {}
    frames: list[dict[str, Value]] = []
    titles: list[str] = []
    lines: list[str] = []
    calls_by_line: dict[int, deque[WrapperCall]] = {}
    constants: dict[str, Storage] = {}
    shared: dict[str, Storage] = {}
    used: dict[int, Storage] = {}
    target: str = ""
    occurrence: Occurrence = Occurrence.ONCE

    def __post_init__(self) -> None:
        self.lines = (self.graph.text or "").split("\n")
        calls_by_line: dict[int, deque[WrapperCall]] = defaultdict(deque)
        for call in self.graph.calls:
            calls_by_line[call.line or 0].append(call)
        self.calls_by_line = calls_by_line

    # Functions, and the statements in them.

    def follow_entry(self, entry: ast.FunctionDef) -> list[Storage | None]:
        """Run the graph from its start; gives the memory of each of its results."""
        self.ledger.steps.append(self._make_step(entry))
        self._enter_function(entry, {})
        done = self._follow_body(entry.body)
        returned: list[Storage | None] = []
        for value in _items_of(done.value) if done is not None else ():
            storage = self._storage_of(value, "")
            returned.append(storage)
            if storage is not None and storage.holder.kind in _MADE_HERE:
                storage.holder.kind = MemoryKind.OUTPUT
        self._leave_function()
        return returned

    def _run_function(self, function: ast.FunctionDef, given: Sequence[Value]) -> Value:
        """What a function of the code gives back for these arguments."""
        if len(self.frames) > _DEEPEST or len(self.ledger.steps) > _MOST_STEPS:
            self.gaps["the code calls functions so often that not all of it was followed"] = None
            return None
        # What calls it stands before its own statements.
        self.ledger.take_step()
        parameters = [one.arg for one in function.args.args]
        before = self.used, self.target
        self._enter_function(function, dict(zip(parameters, given, strict=False)))
        done = self._follow_body(function.body)
        self._leave_function()
        self.used, self.target = before
        if done is None:
            return None
        self.ledger.release(done.value)
        return done.value

    def _enter_function(self, function: ast.FunctionDef, names: dict[str, Value]) -> None:
        for value in names.values():
            self.ledger.refer(value)
        self.frames.append(names)
        self.titles.append(function.name)

    def _leave_function(self) -> None:
        """A function's own names end with it."""
        self.titles.pop()
        for value in self.frames.pop().values():
            self.ledger.drop(value)

    def _follow_body(self, body: Sequence[ast.stmt]) -> _Returned | None:
        """Run statements in order, until one returns."""
        deleted = False
        for at, statement in enumerate(body):
            # The second half of `buf3 = buf1; del buf1  # reuse` was looked at with the first.
            if deleted:
                deleted = False
                continue
            if isinstance(statement, _COMPOUND):
                done = self._follow_compound(statement)
            else:
                self.ledger.begin_step(self._make_step(statement))
                self.used = {}
                following = body[at + 1] if at + 1 < len(body) else None
                deleted = self._follow_reuse(statement, following)
                done = None if deleted else self._follow_simple(statement)
            if done is not None:
                return done
            self.ledger.end_step()
        return None

    def _follow_compound(self, statement: ast.stmt) -> _Returned | None:
        before = self.occurrence
        for expression in header_expressions(statement):
            self.ledger.begin_step(self._make_step(expression))
            self._evaluate(expression)
            self.ledger.end_step()
        self.occurrence = stronger_occurrence(before, occurrence_inside(statement))
        bodies = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
        bodies = [body for body in bodies if body]
        # One of the branches of an `if` runs, all bodies of other statements do.
        if isinstance(statement, ast.If):
            *others, last = bodies
            for body in others:
                self._try_branch(body)
            bodies = [last]
        done = None
        for body in bodies:
            done = done or self._follow_body(body)
        self.occurrence = before
        return done

    def _try_branch(self, body: Sequence[ast.stmt]) -> None:
        """Run a branch that is not the last, on copies of all names; what it made is freed."""
        kept, copies = self.frames, dict[int, Value]()
        self.frames = [
            {name: self._copy_value(value, copies) for name, value in frame.items()}
            for frame in kept
        ]
        done = self._follow_body(body)
        if done is not None:
            self.ledger.release(done.value)
        for frame in self.frames:
            for value in frame.values():
                self.ledger.drop(value)
        self.ledger.end_step()
        self.frames = kept

    def _copy_value(self, value: Value, copies: dict[int, Value]) -> Value:
        """The value with one more reference; of a list a copy, the same for all who refer to it."""
        if isinstance(value, ItemList):
            if id(value) not in copies:
                items = [self._copy_value(item, copies) for item in value.items]
                copies[id(value)] = ItemList(items)
            value = copies[id(value)]
        self.ledger.refer(value)
        return value

    def _make_step(self, node: ast.stmt | ast.expr) -> MemoryStep:
        line = getattr(node, "lineno", 0)
        text = self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""
        inner = self.titles[1:]
        return MemoryStep(
            line=line or None,
            code=text[:_LONGEST],
            occurrence=self.occurrence,
            function=inner[-1] if inner else None,
        )

    def _follow_simple(self, statement: ast.stmt) -> _Returned | None:
        match statement:
            case ast.Delete(targets=targets):
                for target in targets:
                    self._delete(target)
            case ast.Assign(
                targets=[ast.Tuple(elts=names)], value=ast.Name(id=listed) as value
            ) if self._is_list_from_outside(value):
                for name in map(_name_of, names):
                    self._bind(name, self._unpacked_input(listed, name))
            case ast.Assign(targets=[target], value=value):
                self.target = target.id if isinstance(target, ast.Name) else ""
                self._assign(target, self._evaluate_raw(value))
            case ast.Expr(value=value):
                self.target = ""
                self._evaluate_raw(value)
            case ast.Return(value=value) if value is not None:
                returned = self._evaluate(value)
                self.ledger.refer(returned)
                return _Returned(returned)
            case ast.Return():
                return _Returned(None)
        return None

    def _follow_reuse(self, statement: ast.stmt, following: ast.stmt | None) -> bool:
        """Whether two statements are `buf3 = buf1; del buf1  # reuse`, which hands memory on."""
        match statement, following:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value),
                ast.Delete(targets=[ast.Name(id=source)]),
            ) if statement.lineno == following.lineno and _name_below_views(value) == source:
                pass
            case _:
                return False
        storage = self._storage_of(self.frames[-1].get(source), source)
        if storage is None or storage.held:
            return False
        sizes = sizes_of_view(value) if isinstance(value, ast.Call) else None
        self.ledger.hand_on(storage, name, sizes, statement.lineno)
        self.ledger.refer(storage)
        self._bind(name, storage)
        self.ledger.drop(storage)
        self._delete(ast.Name(source))
        return True

    # Names.

    def _bind(self, name: str, value: Value) -> None:
        """Give a value a name; what the name stood for before loses it."""
        if isinstance(value, CallResult):
            value.name = value.name or name
            # What has its sizes checked under this name is one tensor, there from now on.
            if name in self.stated.sizes:
                self._storage_of(value, name)
        self.ledger.refer(value)
        before = self.frames[-1].get(name)
        self.frames[-1][name] = value
        self.ledger.drop(before)
        if isinstance(value, Storage) and not value.holder.name:
            value.holder.name = name
            value.holder.kind = kind_of_buffer(name)

    def _delete(self, target: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.ledger.drop(self.frames[-1].pop(target.id, None))
        elif isinstance(target, ast.Tuple | ast.List):
            for item in target.elts:
                self._delete(item)

    def _assign(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(id=name):
                self._bind(name, value)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                for at, one in enumerate(targets):
                    self._assign(one, self._item_of(value, at, _name_of(one)))
            case ast.Subscript(value=base, slice=place):
                listed = self._evaluate_raw(base)
                if isinstance(listed, ItemList):
                    self._set_item(listed, literal_value(place), value)

    def _set_item(self, listed: ItemList, place: object, value: Value) -> None:
        """`buf1[0] = true_graph_0_buf0`."""
        if isinstance(place, int) and place < len(listed.items):
            value = self._storage_of(value, "") or value
            self.ledger.refer(value)
            self.ledger.drop(listed.items[place])
            listed.items[place] = value

    def _item_of(self, value: Value, place: int, name: str) -> Value:
        """One item of a list, or one of the tensors that a call gave back."""
        if isinstance(value, ItemList):
            return value.items[place] if -len(value.items) <= place < len(value.items) else None
        if isinstance(value, CallResult):
            storage = self.ledger.item_of_result(value, place, name)
            self._complete_sizes(storage, self.stated.sizes.get(name))
            return storage
        return value

    def _storage_of(self, value: Value, name: str) -> Storage | None:
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

    # What is handed in, and what is there from the start.

    def _make_input(self, name: str) -> Storage | None:
        """The memory of an argument of the graph; None for one that is no tensor."""
        sizes, handed = self.stated.sizes.get(name), self.handed.get(name)
        if handed is not None:
            return self._make_handed(name, handed)
        if not self.stated.is_tensor(name, self.numbers):
            self.handed_in[name] = None
            return None
        # Several inputs may be views of one memory: the first of them stands for all.
        whole = self.stated.shared.get(name)
        storage = self.shared.get(whole or "")
        if storage is None:
            storage = self._make_at_start(
                name,
                self.kind_of_input(name),
                self.stated.sizes.get(whole or "") or sizes,
                self.stated.devices.get(whole or name),
            )
            if whole is not None:
                self.shared[whole] = storage
        self.handed_in[name] = storage
        return storage

    def _make_handed(self, name: str, handed: HandedOver) -> Storage:
        """The memory of an argument that another graph returned."""
        storage = self.shared.get(handed.storage)
        if storage is None:
            sizes = self.stated.sizes.get(name)
            device = self.stated.devices.get(name) or handed.device
            storage = self._make_at_start(name, handed.kind, sizes, device)
            storage.whole = handed.size if handed.size != (None, None) else None
            storage.origin = handed.origin
            self.shared[handed.storage] = storage
        self.handed_in[name] = storage
        return storage

    def _make_constant(self, name: str) -> Storage:
        """A tensor of the module itself."""
        if name not in self.constants:
            sizes, device = self.stated.sizes.get(name), self.stated.devices.get(name)
            self.constants[name] = self._make_at_start(name, MemoryKind.CONSTANT, sizes, device)
            self.ledger.refer(self.constants[name])
        return self.constants[name]

    def _make_at_start(
        self, name: str, kind: MemoryKind, sizes: TensorSizes | None, device: str | None
    ) -> Storage:
        storage = self.ledger.allocate(name, kind, sizes=sizes, device=device, born=0)
        storage.held = kind in _NEVER_FREED or (
            kind is MemoryKind.GRADIENT and not self.stated.frees_gradients
        )
        return storage

    def _unpacked_input(self, list_name: str, name: str) -> Storage | None:
        """The item of a list from outside that gets this name."""
        if list_name == _CONSTANT_LIST:
            return self._make_constant(name)
        return self._make_input(name)

    def _is_list_from_outside(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Name):
            return False
        # In a partition `args` is the list that it was handed.
        is_entry = len(self.frames) == 1 and self.frames[0].get(node.id) is None
        return node.id == _CONSTANT_LIST or (node.id in INPUT_LISTS and is_entry)

    # Expressions.

    def _evaluate(self, node: ast.expr) -> Value:
        """The value of an expression that the code uses: a call's result is taken for a tensor."""
        value = self._evaluate_raw(node)
        if isinstance(value, CallResult) and (None in value.made or not value.made):
            value = self._storage_of(value, _name_of(node))
        for storage in storages_in(value):
            self.used[storage.number] = storage
        return value

    def _evaluate_raw(self, node: ast.expr) -> Value:
        """The value of an expression; None for what has no memory of its own."""
        value: Value = None
        match node:
            case ast.Name(id=name):
                value = self._look_up(name)
            case ast.Call():
                value = self._evaluate_call(node)
            case ast.Tuple(elts=items) | ast.List(elts=items):
                value = self.ledger.make_list([self._evaluate(item) for item in items])
            case ast.Subscript(value=base, slice=place):
                value = self._evaluate_item(base, place)
            case ast.BinOp(left=ast.List(elts=items), op=ast.Mult(), right=times):
                count = literal_value(times)
                places = count if type(count) is int and 0 < count < _MOST_ITEMS else len(items)
                value = self.ledger.make_list([None] * places)
            case ast.Starred(value=inner):
                value = self._evaluate(inner)
            case ast.IfExp(body=one, orelse=other):
                value = self._evaluate(one) or self._evaluate(other)
            case ast.BinOp(left=one, right=other):
                self._evaluate(one)
                self._evaluate(other)
        return value

    def _look_up(self, name: str) -> Value:
        value = self.frames[-1].get(name)
        if value is None and name not in self.frames[-1]:
            is_constant = name in self.stated.constants or _CONSTANT.fullmatch(name)
            return self._make_constant(name) if is_constant else None
        return value

    def _evaluate_item(self, base: ast.expr, place: ast.expr) -> Value:
        if self._is_list_from_outside(base):
            return self._unpacked_input(_name_of(base), self.target)
        value, at = self._evaluate_raw(base), literal_value(place)
        if type(at) is not int:
            return value if isinstance(value, Storage) else None  # workspace_0[0:512]
        return self._item_of(value, at, self.target)

    def _evaluate_call(self, node: ast.Call) -> Value:
        body = self.local.of(node.func)
        function = self.functions.get(body.name) if body is not None else None
        if function is not None:
            return self._run_function(function, [self._evaluate(one) for one in node.args])
        owner = self._evaluate_owner(node.func)
        word = node.func.attr if isinstance(node.func, ast.Attribute) else last_word(node)
        if isinstance(owner, ItemList):
            return self._call_list(owner, word, node)
        if word.endswith(_POOL):
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
        given = [self._evaluate(one) for one in node.args]
        given += [self._evaluate(keyword.value) for keyword in node.keywords]
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
        return self._evaluate(owner)

    def _call_list(self, listed: ItemList, method: str, node: ast.Call) -> Value:
        given = [self._evaluate(one) for one in node.args]
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
        pool = self._storage_of(self._evaluate(node.args[0]), _name_of(node.args[0]))
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
        waiting = self.calls_by_line.get(node.lineno)
        call = waiting.popleft() if waiting else None
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
        if not self.target:
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
        return result

    def _note_use(self, storage: Storage, call: int | None) -> None:
        if call is None:
            return
        holder = storage.holder
        if holder.made_by is None and holder.kind not in _THERE_BEFORE:
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
            value = self.frames[-1].get(_name_of(argument))
            if kind.startswith("*") and dtype is not None and isinstance(value, Storage):
                value.complete_dtype(dtype)


def _items_of(value: Value) -> Iterator[Value]:
    """The items of a list; of anything else that it is."""
    yield from value.items if isinstance(value, ItemList) else [value]


def _name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _name_below_views(node: ast.expr) -> str:
    """`buf1` of `reinterpret_tensor(buf1, (8, 16), (16, 1), 0)`."""
    while isinstance(node, ast.Call) and is_view(node):
        node = node.args[0]
    return _name_of(node)


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
