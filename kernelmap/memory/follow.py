"""The statements of a graph, run for what they do to memory alone.

Names stand for storages, as in Python; a call of a function of the code itself (a partition, a
branch) runs that function's statements.

Of an `if` all branches run, each from the same start; what the last one leaves is what goes on,
where there is no `else` what was there before. The body of a loop runs twice.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from kernelmap.compiler.python.source import literal_value
from kernelmap.compiler.python.statements import (
    LocalFunctions,
    header_expressions,
    occurrence_inside,
    stronger_occurrence,
)
from kernelmap.memory.allocations import is_view, kind_of_buffer, sizes_of_view
from kernelmap.memory.expressions import Evaluator, name_of
from kernelmap.memory.ledger import Ledger
from kernelmap.memory.start import StartMemory
from kernelmap.memory.values import CallResult, ItemList, Storage, Value
from kernelmap.model import CompiledGraph, Occurrence
from kernelmap.model.memory import MemoryKind, MemoryStep

_MOST_STEPS = 200_000
_DEEPEST = 50  # functions that call each other
_LONGEST = 300  # characters of a statement that are kept
_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try)
_MADE_HERE = frozenset({MemoryKind.BUFFER, MemoryKind.WORKSPACE})


class _Returned(Struct, frozen=True):
    """A `return` was reached, with what it gives back."""

    value: Value


class Follower:
    """One run over the statements of a graph.

    `titles` are the names of the functions that are being run, the innermost last. `gaps` are
    sentences about what was not followed.
    """

    def __init__(
        self,
        graph: CompiledGraph,
        start: StartMemory,
        functions: Mapping[str, ast.FunctionDef],
        local: LocalFunctions,
    ) -> None:
        """`functions` and `local` are the code's own functions, and what calls them."""
        self.ledger: Ledger = start.ledger
        self.expressions = Evaluator(
            graph=graph,
            stated=start.stated,
            start=start,
            ledger=start.ledger,
            functions=functions,
            local=local,
            run_function=self._run_function,
        )
        self.lines = (graph.text or "").split("\n")
        self.titles: list[str] = []
        self.occurrence = Occurrence.ONCE
        self.gaps: dict[str, None] = {}

    # Functions, and the statements in them.

    def follow_entry(self, entry: ast.FunctionDef) -> list[Storage | None]:
        """Run the graph from its start; gives the memory of each of its results."""
        self.ledger.steps.append(self._make_step(entry))
        self._enter_function(entry, {})
        done = self._follow_body(entry.body)
        returned: list[Storage | None] = []
        for value in _items_of(done.value) if done is not None else ():
            storage = self.expressions.storage_of(value, "")
            returned.append(storage)
            if storage is not None and storage.holder.kind in _MADE_HERE:
                storage.holder.kind = MemoryKind.OUTPUT
        self._leave_function()
        return returned

    def _run_function(self, function: ast.FunctionDef, given: Sequence[Value]) -> Value:
        """What a function of the code gives back for these arguments."""
        if len(self.expressions.frames) > _DEEPEST or len(self.ledger.steps) > _MOST_STEPS:
            self.gaps["the code calls functions so often that not all of it was followed"] = None
            return None
        # What calls it stands before its own statements.
        self.ledger.take_step()
        parameters = [one.arg for one in function.args.args]
        before = self.expressions.used, self.expressions.target
        self._enter_function(function, dict(zip(parameters, given, strict=False)))
        done = self._follow_body(function.body)
        self._leave_function()
        self.expressions.used, self.expressions.target = before
        if done is None:
            return None
        self.ledger.release(done.value)
        return done.value

    def _enter_function(self, function: ast.FunctionDef, names: dict[str, Value]) -> None:
        for value in names.values():
            self.ledger.refer(value)
        self.expressions.frames.append(names)
        self.titles.append(function.name)

    def _leave_function(self) -> None:
        """A function's own names end with it."""
        self.titles.pop()
        for value in self.expressions.frames.pop().values():
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
                self.expressions.used = {}
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
            self.expressions.evaluate(expression)
            self.ledger.end_step()
        self.occurrence = stronger_occurrence(before, occurrence_inside(statement))
        bodies = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
        bodies = [body for body in bodies if body]
        if isinstance(statement, ast.If):
            *others, last = bodies if statement.orelse or _is_certain(statement) else (*bodies, [])
            for body in others:
                self._try_branch(body)
            bodies = [last]
        # What an iteration hands to the next one is there in the second.
        elif isinstance(statement, ast.For | ast.While) and before is not Occurrence.LOOP:
            bodies = [statement.body, *bodies]
        done = None
        for body in bodies:
            done = done or self._follow_body(body)
        self.occurrence = before
        return done

    def _try_branch(self, body: Sequence[ast.stmt]) -> None:
        """Run a branch that is not the last, on copies of all names; what it made is freed."""
        kept, copies = self.expressions.frames, dict[int, Value]()
        self.expressions.frames = [
            {name: self._copy_value(value, copies) for name, value in frame.items()}
            for frame in kept
        ]
        done = self._follow_body(body)
        if done is not None:
            self.ledger.release(done.value)
        for frame in self.expressions.frames:
            for value in frame.values():
                self.ledger.drop(value)
        self.ledger.end_step()
        self.expressions.frames = kept

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
            ) if self.expressions.is_list_from_outside(value):
                for name in map(name_of, names):
                    self._bind(name, self.expressions.unpack_item(listed, name))
            case ast.Assign(targets=[target], value=value):
                self.expressions.target = name_of(target)
                self._assign(target, self.expressions.evaluate_raw(value))
            case ast.Expr(value=value):
                self.expressions.target = None
                self.expressions.evaluate_raw(value)
            case ast.Return(value=value) if value is not None:
                returned = self.expressions.evaluate(value)
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
        storage = self.expressions.storage_of(self.expressions.frames[-1].get(source), source)
        if storage is None or storage.held:
            return False
        sizes = sizes_of_view(value) if isinstance(value, ast.Call) else None
        self.ledger.hand_on(storage, name, sizes, statement.lineno)
        self.ledger.refer(storage)
        self._bind(name, storage)
        self.ledger.drop(storage)
        self._delete(ast.Name(source))
        return True

    def _bind(self, name: str, value: Value) -> None:
        """Give a value a name; what the name stood for before loses it."""
        if isinstance(value, CallResult):
            value.name = value.name or name
            # What has its sizes checked under this name is one tensor, there from now on.
            if name in self.expressions.stated.sizes:
                self.expressions.storage_of(value, name)
        self.ledger.refer(value)
        before = self.expressions.frames[-1].get(name)
        self.expressions.frames[-1][name] = value
        self.ledger.drop(before)
        if isinstance(value, Storage) and not value.holder.name:
            value.holder.name = name
            value.holder.kind = kind_of_buffer(name)

    def _delete(self, target: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.ledger.drop(self.expressions.frames[-1].pop(target.id, None))
        elif isinstance(target, ast.Tuple | ast.List):
            for item in target.elts:
                self._delete(item)

    def _assign(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(id=name):
                self._bind(name, value)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                for at, one in enumerate(targets):
                    self._assign(one, self.expressions.item_of(value, at, name_of(one)))
            case ast.Subscript(value=base, slice=place):
                listed = self.expressions.evaluate_raw(base)
                if isinstance(listed, ItemList):
                    self._set_item(listed, literal_value(place), value)

    def _set_item(self, listed: ItemList, place: object, value: Value) -> None:
        """`buf1[0] = true_graph_0_buf0`."""
        if isinstance(place, int) and place < len(listed.items):
            value = self.expressions.storage_of(value, "") or value
            self.ledger.refer(value)
            self.ledger.drop(listed.items[place])
            listed.items[place] = value


def _is_certain(branch: ast.If) -> bool:
    """Whether its test is literally true: so C++ in a block is translated."""
    return isinstance(branch.test, ast.Constant) and branch.test.value is True


def _items_of(value: Value) -> Iterator[Value]:
    """The items of a list; of anything else that it is."""
    yield from value.items if isinstance(value, ItemList) else [value]


def _name_below_views(node: ast.expr) -> str:
    """`buf1` of `reinterpret_tensor(buf1, (8, 16), (16, 1), 0)`."""
    while isinstance(node, ast.Call) and is_view(node):
        node = node.args[0]
    return name_of(node)
