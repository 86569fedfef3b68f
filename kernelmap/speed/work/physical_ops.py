"""The source of a Triton kernel → what it does step by step: loads, operations, reductions, stores.

A step is what the source writes as one operation on values (`tmp2 = tmp0 * tmp1`), in its order.
What changes no value is no step: another block shape, another name, the mask of a reduction. A
value that a loop carries is one reduction, whatever the loop does with it in a round.

Left out: indices and masks, except where one is a value; branches and loops are followed once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler.python.source import dotted_name, last_word, names_in, nodes_in
from kernelmap.model.work import OpKind, PhysicalOp
from kernelmap.speed.work.triton_source import HELPER, REDUCTIONS

# All other names of the body are indices, masks and sizes.
_VALUE = ("tmp", "_tmp", "accum")  # how Inductor's names of values begin
_MASK = "mask"
_SHAPE_ONLY = ("broadcast_to", "reshape", "expand_dims", "trans", "view")
_CONSTANTS = ("full", "zeros")
_REDUCES = (*REDUCTIONS, "welford_reduce", "online_softmax_reduce", "associative_scan")
_LANGUAGES = ("tl", "triton_helpers", "libdevice", "tl_math", "math")
_LOOPS = (ast.For, ast.While)
_WORDS: Mapping[type[ast.AST], str] = {
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.USub: "neg",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.Invert: "not",
    ast.LtE: "le",
    ast.GtE: "ge",
    ast.NotEq: "ne",
}
_STORES = ("store", "atomic_")
_POINTER_AND_VALUE = 2


class KernelStep(Struct, frozen=True):
    """A step with what identifies its value: the steps that it works on, None for a literal.

    `access` counts the loads and stores of the kernel from 0. `is_plain` is False where the value
    depends on something else than loads and literals.
    """

    op: PhysicalOp
    inputs: tuple[int | None, ...] = ()
    access: int | None = None
    is_plain: bool = True


def steps_of_kernel(function: ast.FunctionDef) -> tuple[KernelStep, ...]:
    """What the kernel does, in order, under the names of its own parameters."""
    arguments = (*function.args.posonlyargs, *function.args.args)
    reader = _Steps({argument.arg for argument in arguments}, _names_carried(function.body))
    reader.follow_statements(function.body)
    return tuple(reader.steps)


def with_names(taken: Iterable[KernelStep], names: Mapping[str, str]) -> tuple[KernelStep, ...]:
    """The steps of one launch; `names` has the wrapper's names of what it hands over."""
    return tuple(
        step
        if step.op.buffer is None
        else replace(step, op=replace(step.op, buffer=names.get(step.op.buffer, step.op.buffer)))
        for step in taken
    )


def in_words(op: PhysicalOp) -> str:
    """A step as a line.

    >>> in_words(PhysicalOp(kind=OpKind.COMPUTE, operation="mul", result="a", operands=("b", "2")))
    'a = mul(b, 2)'
    """
    given = ", ".join(op.operands)
    if op.kind is OpKind.STORE:
        return f"{op.operation} {given} to {op.buffer}"
    made = f"load({op.buffer}){op.operation.removeprefix('load')}"
    made = made if op.kind is OpKind.LOAD else f"{op.operation}({given})"
    return f"{op.result} = {made}"


class _StepValue(Struct, frozen=True):
    """An operand: the step that makes it, or None and how it is written."""

    text: str
    step: int | None = None
    is_plain: bool = True


class _Steps(Struct):
    """One pass over the body; `parameters` are the kernel's, `values` what names hold.

    `carried` has the names that a loop carries from round to round, and those made of them, with
    the values that a round adds.
    """

    parameters: AbstractSet[str]
    carried: dict[str, tuple[_StepValue, ...]]
    steps: list[KernelStep] = []
    values: dict[str, _StepValue] = {}
    accesses: int = 0

    def follow_statements(self, body: Iterable[ast.stmt], *, in_loop: bool = False) -> None:
        """Follow statements in order."""
        for statement in body:
            match statement:
                case ast.Assign(targets=[target], value=value):
                    # Statements about indices and masks are no steps.
                    names = names_in(target)
                    if all(name.startswith(_VALUE) for name in names):
                        self._bind_names(names, value, in_loop=in_loop)
                case ast.Expr(value=ast.Call() as call):
                    self._note_store(call)
                case _:
                    inner = in_loop or isinstance(statement, _LOOPS)
                    for part in ("body", "orelse"):
                        self.follow_statements(getattr(statement, part, ()), in_loop=inner)

    def _bind_names(self, names: Sequence[str], node: ast.expr, *, in_loop: bool) -> None:
        """Give the value of an expression to names."""
        used = [part for part in dict.fromkeys(names_in(node)) if part.startswith(_VALUE)]
        # `_tmp4 = where(rmask, _tmp4 + tmp2, _tmp4)` in a loop: what a round adds is noted, and the
        # reduction behind the loop takes it.
        if in_loop and any(name in self.carried for name in used):
            added = self._iter_added_values(used)
            for name in names:
                self.carried[name] = tuple(dict.fromkeys((*self.carried.get(name, ()), *added)))
            return
        value = self._value_of(node, ", ".join(names))
        # Several names for the parts of one result, as a Welford reduction has: each has its own
        # text.
        for name in names:
            self.values[name] = replace(value, text=name) if names[1:] else value

    def _iter_added_values(self, names: Iterable[str]) -> Iterator[_StepValue]:
        """The values of names; of one that a loop carries, those that its rounds add."""
        for name in names:
            if name in self.carried:
                yield from self.carried[name]
            elif name in self.values:
                yield self.values[name]

    def _value_of(self, node: ast.expr, name: str | None = None) -> _StepValue:
        """What an expression is; its steps are noted on the way, the last one under `name`."""
        match node:
            case ast.Name(id=used):
                value = self.values.get(used) or _StepValue(used, is_plain=False)
            case ast.Subscript():
                value = self._value_of(node.value, name)
            case ast.Call(func=ast.Attribute(value=inner, attr=word)) if _is_method(node):
                value = self._value_of_method(word, inner, node.args, name)
            case ast.Call():
                value = self._value_of_function(node, name)
            case ast.UnaryOp() | ast.BinOp() | ast.Compare() | ast.BoolOp() if _has_value(node):
                value = self._note_step(_word_of_operator(node), list(_operands_of(node)), name)
            case _:
                value = _literal_of(node)
        return value

    def _value_of_method(
        self, word: str, inner: ast.expr, arguments: Sequence[ast.expr], name: str | None
    ) -> _StepValue:
        """`tmp0.to(tl.float32)`."""
        if word in _SHAPE_ONLY:
            return self._value_of(inner, name)
        if word == "to" and arguments:
            return self._cast_value(
                inner, (dotted_name(arguments[0]) or "").rpartition(".")[2], name
            )
        return self._note_step(word, [inner, *arguments], name)

    def _value_of_function(self, node: ast.Call, name: str | None) -> _StepValue:
        """`tl.load(…)`, `libdevice.exp(tmp0)`."""
        word = last_word(node)
        given = node.args
        if word == "load":
            buffer = self._buffer_of_address(given[:1])
            op = PhysicalOp(kind=OpKind.LOAD, operation=word, result=name, buffer=buffer)
            value = self._add_step(KernelStep(op, access=self._number_access()))
        elif word in _SHAPE_ONLY and given:
            value = self._value_of(given[0], name)
        # `tl.where(xmask, tmp2, 0)` fills what lies beyond the axes and changes no value.
        elif word == "where" and given and _is_padding(given[0]):
            value = self._value_of(given[1], name)
        elif word in _CONSTANTS:
            value = _literal_of(given[1]) if word == "full" and len(given) > 1 else _StepValue("0")
        elif word == "float" or not given:
            value = _literal_of(node)
        else:
            value = self._note_step(word, [part for part in given if _is_operand(part)], name)
        return value

    def _cast_value(self, node: ast.expr, dtype: str, name: str | None) -> _StepValue:
        """A value of another dtype: a part of the step that makes it, if it is made right here."""
        before = len(self.steps)
        # `tl.load(…).to(tl.float32)` is one step, `load to float32`.
        if isinstance(node, ast.Call | ast.Subscript):
            value = self._value_of(node, name)
            if value.step is not None and value.step >= before:
                made = self.steps[value.step]
                op = replace(made.op, operation=f"{made.op.operation} to {dtype}")
                self.steps[value.step] = replace(made, op=op)
                return value
        return self._note_step(f"to {dtype}", [node], name)

    def _note_step(self, word: str, operands: Sequence[ast.expr], name: str | None) -> _StepValue:
        """An operation on values, or a reduction of what a loop carried."""
        is_reduction = word in _REDUCES
        # Operands in order; what a loop carries stands for all that its rounds added.
        values: list[_StepValue] = []
        is_carried = False
        for node in operands:
            if isinstance(node, ast.Name) and node.id in self.carried:
                is_carried = True
                values += self.carried[node.id]
            elif not (is_reduction and isinstance(node, ast.Constant)):
                values.append(self._value_of(node))
        # A value that rounds added in several places is one operand.
        if is_reduction:
            values = list(dict.fromkeys(values))
        op = PhysicalOp(
            kind=OpKind.REDUCE if is_reduction else OpKind.COMPUTE,
            operation=word,
            result=name,
            operands=tuple(value.text for value in values),
        )
        is_plain = not (is_reduction or is_carried) and all(value.is_plain for value in values)
        return self._add_step(
            KernelStep(op, tuple(value.step for value in values), is_plain=is_plain)
        )

    def _note_store(self, node: ast.Call) -> None:
        word = last_word(node)
        if len(node.args) < _POINTER_AND_VALUE or not word.startswith(_STORES):
            return
        stored = node.args[1]
        # A value that a loop carried may be stored without a reduction behind the loop.
        carried = isinstance(stored, ast.Name) and stored.id in self.carried
        values = (
            tuple(self._iter_added_values(names_in(stored)))
            if carried
            else (self._value_of(stored),)
        )
        op = PhysicalOp(
            kind=OpKind.STORE,
            operation=word,
            operands=tuple(value.text for value in values),
            buffer=self._buffer_of_address(node.args[:1]),
        )
        inputs = tuple(value.step for value in values)
        self._add_step(KernelStep(op, inputs, access=self._number_access(), is_plain=False))

    def _add_step(self, step: KernelStep) -> _StepValue:
        number = len(self.steps)
        self.steps.append(step)
        return _StepValue(step.op.result or f"step {number}", number, step.is_plain)

    def _number_access(self) -> int:
        self.accesses += 1
        return self.accesses - 1

    def _buffer_of_address(self, pointer: Iterable[ast.expr]) -> str | None:
        """The parameter that an address lies in: the first one that it names."""
        names = (name for node in pointer for name in names_in(node))
        return next((name for name in names if name in self.parameters), None)


def _names_carried(body: Sequence[ast.stmt]) -> dict[str, tuple[_StepValue, ...]]:
    """The names that loops carry: given a value before a loop, and another one in it."""
    if not any(isinstance(statement, _LOOPS) for statement in body):
        return {}
    before: set[str] = set()
    inside: set[str] = set()
    for statement in body:
        # Names that statements assign, apart for loops and for what stands before or behind them.
        names = inside if isinstance(statement, _LOOPS) else before
        names |= {
            part.id
            for part in nodes_in(statement)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
    return {name: () for name in before & inside if name.startswith(_VALUE)}


def _literal_of(node: ast.expr) -> _StepValue:
    """What is written out; an index is no value that another kernel can have."""
    is_number = not any(name not in ("float", "tl") for name in names_in(node))
    return _StepValue(ast.unparse(node), is_plain=is_number)


def _is_method(node: ast.Call) -> bool:
    """Whether a function belongs to a value, not to a module."""
    return isinstance(node.func, ast.Attribute) and dotted_name(node.func.value) not in _LANGUAGES


def _has_value(node: ast.expr) -> bool:
    return any(name.startswith(_VALUE) for name in names_in(node))


def _is_operand(node: ast.expr) -> bool:
    """Whether an argument is a value, not a shape, an axis' flag or a helper function."""
    if isinstance(node, ast.List | ast.Tuple):
        return False
    return not (isinstance(node, ast.Name) and node.id.startswith(HELPER))


def _is_padding(condition: ast.expr) -> bool:
    """Whether a selection only fills what lies beyond the axes."""
    names = names_in(condition)
    return bool(names) and all(name.endswith(_MASK) for name in names)


def _word_of_operator(node: ast.expr) -> str:
    """The name of an operator."""
    match node:
        case ast.BinOp(op=operator) | ast.UnaryOp(op=operator):
            return _WORDS.get(type(operator), type(operator).__name__.lower())
        case ast.Compare(ops=[operator]):
            return _WORDS.get(type(operator), type(operator).__name__.lower())
    return type(node).__name__.lower()


def _operands_of(node: ast.expr) -> list[ast.expr]:
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
