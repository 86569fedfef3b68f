"""The source of a Triton kernel → its loads and stores with their indices, and its arithmetic.

The body is read statement by statement, never run; loops and branches are followed once. Inductor's
naming says which names are axes: `xindex` runs from 0 to `xnumel`. Kernels that somebody wrote by
hand name nothing so: their pointers are known, their indices are not.

Arithmetic counts where its operands are data: an operation or a function is one for every element
of the axes that its operands depend on, a reduction one for every element that goes in.

Left out: what the data are. Of index arithmetic on data (a gather) only the axes count that it
depends on. Comparisons, selections and casts are no arithmetic.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler.python.source import dotted_name, keyword_value, names_in, nodes_in
from kernelmap.speed.work.index_space import Affine, Below, Digit, Extents, count_points
from kernelmap.speed.work.triton_values import (
    Data,
    Mask,
    Offset,
    Pointer,
    Unknown,
    Value,
    as_mask,
    compare_values,
    compute_affine,
    digits_of,
    mix_values,
    move_pointer,
    value_of_constant,
)

_INDEX, _NUMEL, _MASK = "index", "numel", "mask"
_SIZE = "ks"  # how parameters are called that hold symbolic sizes
_LARGEST = 10**12  # elements of an axis: more is no size
_FLAT = "rindex"  # of several reduction axes: a sum of theirs, no axis
_REDUCED = "r"  # how the axes of reductions begin
_BEFORE_MASK = 2  # arguments of tl.store: the pointer and the value
HELPER = "_triton_helper_fn"  # functions that scans and reductions are given
_LANGUAGE = "tl"
_FUNCTION_OWNERS = (_LANGUAGE, "libdevice", "tl_math", "math")  # modules with functions of numbers
_CASTS = ("to", "broadcast_to")  # methods: what they give is the same index
_SAME = ("broadcast_to", "multiple_of", "max_contiguous", "cast", "advance")
_PLACES = ("arange", "program_id", "num_programs", "range")
_NO_ARITHMETIC = ("where", "device_assert", "reshape", "expand_dims", "trans", "rand")
REDUCTIONS = (
    *("sum", "sum2", "max", "max2", "min", "min2", "prod", "any", "reduce", "xor_sum"),
    *("argmax", "argmin", "max_with_index", "min_with_index", "welford", "welford_combine"),
)


class AccessKind(Enum):
    """What an access does to memory."""

    LOAD = auto()
    STORE = auto()
    ATOMIC = auto()


class Access(Struct, frozen=True, kw_only=True):
    """One load or store: the pointer argument, the index, the mask, and how far the axes run.

    Two are equal where they reach the same; `extents` are those of the kernel's axes. `text` is how
    an index is written that is no sum of digits: only the same text surely reaches the same. Of
    one that follows from what was loaded, `regular` is the part that does not, None for other
    indices: a row is gathered by `x0 + 512*tmp3`, an element by `tmp3`.
    """

    kind: AccessKind
    argument: str
    index: Offset
    mask: Mask
    extents: Extents
    regular: Affine | None = None
    text: str | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Access) and self._compared == other._compared

    def __hash__(self) -> int:
        return hash(self._compared)

    @property
    def _compared(self) -> tuple[object, ...]:
        return self.kind, self.argument, self.index, self.mask, self.text


class KernelBody(Struct, frozen=True):
    """All accesses of a kernel in program order, and how many operations its arithmetic makes.

    `operations` is None where the elements that it works on cannot be counted. `functions` has how
    often each function of a library runs, on indices as on data: each is many instructions.
    """

    accesses: tuple[Access, ...]
    operations: int | None
    functions: Mapping[str, int] = {}


def body_of(
    function: ast.FunctionDef, pointers: Iterable[str], sizes: Mapping[str, int]
) -> KernelBody:
    """What a kernel does.

    `pointers` names the arguments that are pointers, `sizes` has the numbers that a launch hands
    over: among them are sizes that the body does not state itself.
    """
    reader = _KernelReader(set(pointers))
    # What is known of each parameter before the body is read. How far an axis runs may be stated in
    # the body itself (`xnumel = 256`), so such a parameter stays open where the launch has no
    # number.
    for argument in (*function.args.posonlyargs, *function.args.args):
        if argument.arg in sizes and _is_size(argument.arg):
            reader.assign_name(argument.arg, Affine(sizes[argument.arg]))
        elif argument.arg not in reader.pointers and not argument.arg.endswith(_NUMEL):
            reader.assign_name(argument.arg, Data())  # a block size, a seed or a stride
    for statement in function.body:
        reader.follow_statement(statement)
    return KernelBody(tuple(reader.accesses), reader.operations, dict(reader.functions))


def index_of(
    node: ast.expr, axes: Mapping[str, str], extents: Mapping[str, int], sizes: Mapping[str, int]
) -> Offset:
    """What an index is whose names are axes or sizes; any other name is data.

    `axes` has the axis of each name, `extents` how far it runs. `div(a, b)` rounds down.
    """
    reader = _KernelReader(set(), extents=dict(extents))
    # A name that is neither axis nor size is data that may depend on any axis.
    everywhere = Data(frozenset(map(Digit, extents)))
    reader.names |= dict.fromkeys(names_in(node), everywhere)
    reader.names |= {name: Affine(0, ((Digit(axis), 1),)) for name, axis in axes.items()}
    reader.names |= {name: Affine(size) for name, size in sizes.items()}
    value = reader.value_of(_Divided().visit(node))
    return value if isinstance(value, Affine | Data) else Unknown()


class _Divided(ast.NodeTransformer):
    """`div(a, b)` → `a // b`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A division that rounds down."""
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="div"), args=[left, right]):
                return ast.BinOp(left, ast.FloorDiv(), right)
        return node


class _KernelReader(Struct):
    """One pass over the body; `names` has the value of each name so far.

    `extents` says how far each axis runs. `assumed` is what the mask of the access says that is
    being read. `loaded` has the names whose values follow from what was loaded.
    """

    pointers: set[str]
    extents: dict[str, int] = {}
    names: dict[str, Value] = {}
    accesses: list[Access] = []
    assumed: tuple[Below, ...] = ()
    operations: int | None = 0
    functions: dict[str, int] = {}
    loaded: set[str] = set()

    def follow_statement(self, statement: ast.stmt) -> None:
        """Follow one statement."""
        if isinstance(statement, ast.Assign):
            if self._follows_from_loads(statement.value):
                self.loaded.update(name for it in statement.targets for name in names_in(it))
            value = self.value_of(statement.value)
            for target in statement.targets:
                self._bind_name(target, value)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            self._bind_name(statement.target, self.value_of(statement.value))
        elif isinstance(statement, ast.AugAssign):
            value = self._combine(statement.target, statement.value, statement.op)
            self._bind_name(statement.target, value)
        elif isinstance(statement, ast.Expr):
            self.value_of(statement.value)
        else:
            for inner in _iter_statements_inside(statement):
                self.follow_statement(inner)

    def _bind_name(self, target: ast.expr, value: Value) -> None:
        """Give a value to a name; the names of a tuple get data that depend on the same axes."""
        if isinstance(target, ast.Name):
            self.assign_name(target.id, value)
        elif isinstance(target, ast.Tuple):
            for element in target.elts:
                self._bind_name(element, mix_values([value]))

    def assign_name(self, name: str, value: Value) -> None:
        """Note what a name holds; sizes and indices of axes are known by their names."""
        axis = name.removesuffix(_INDEX)
        # `xnumel = 256`: how far axis `x` runs. A size beyond measure is not believed.
        if name.endswith(_NUMEL) and isinstance(value, Affine) and not value.terms:
            if not 0 <= value.const <= _LARGEST:
                return
            self.extents[name.removesuffix(_NUMEL)] = value.const
        # `xindex = xoffset + …`: whatever the expression, it is the index of axis `x`.
        elif axis != name and axis in self.extents and not _is_sum(name, value):
            value = Affine(0, ((Digit(axis), 1),))
        self.names[name] = value

    def value_of(self, node: ast.expr) -> Value:
        """What an expression is; its loads, stores and operations are noted on the way."""
        match node:
            case ast.Constant():
                value = value_of_constant(node.value)
            case ast.Name():
                value = self._of_name(node.id)
            case ast.UnaryOp(op=ast.USub()):
                value = self._negate(self.value_of(node.operand))
            case ast.BinOp():
                value = self._combine(node.left, node.right, node.op)
            case ast.Compare(ops=[operator], comparators=[right]):
                value = compare_values(
                    self.value_of(node.left), self.value_of(right), operator, self.extents
                )
            case ast.Subscript():  # `[:, None]`
                value = self.value_of(node.value)
            case ast.Call():
                value = self._value_of_call(node)
            case _:
                value = mix_values([self.value_of(child) for child in _iter_operands(node)])
        return value

    def _of_name(self, name: str) -> Value:
        if name in self.names:
            return self.names[name]
        if name in self.pointers:
            return Pointer(name)
        if name.startswith(HELPER):
            return Data()
        # The mask of an axis says where it ends, which its extent says already.
        return Mask() if name.endswith(_MASK) else Unknown()

    def _negate(self, operand: Value) -> Value:
        return operand * -1 if isinstance(operand, Affine) else self._note_arithmetic([operand])

    def _combine(self, one: ast.expr, other: ast.expr, operator: ast.operator) -> Value:
        left, right = self.value_of(one), self.value_of(other)
        # `in_ptr0 + (x0 + 512*x1)`.
        if isinstance(left, Pointer):
            return move_pointer(left, right, operator, self.extents)
        # `rmask & xmask`.
        if isinstance(operator, ast.BitAnd) and (isinstance(left, Mask) or isinstance(right, Mask)):
            return as_mask(left) & as_mask(right)
        if isinstance(left, Affine) and isinstance(right, Affine):
            if isinstance(operator, ast.Mod) and Below(left, bound=right.const) in self.assumed:
                return left  # under its mask the remainder changes nothing
            # Index arithmetic. What is no sum of digits any more is data of the same axes.
            return compute_affine(left, right, operator, self.extents) or mix_values([left, right])
        return self._note_arithmetic([left, right])

    def _note_arithmetic(self, operands: Iterable[Value]) -> Data | Unknown:
        """What arithmetic gives; on data of an axis it is counted, once for every element."""
        values = list(operands)
        result = mix_values(values)
        # Only arithmetic on data that depend on an axis counts: indices and constants are no work.
        if not any(isinstance(value, Data) and value.digits for value in values):
            return result
        if isinstance(result, Unknown):
            self.operations = None
        elif self.operations is not None:
            self.operations += count_points(result.digits, self.extents)
        return result

    def _value_of_call(self, node: ast.Call) -> Value:
        owner, _, name = (dotted_name(node.func) or "").rpartition(".")
        # `tmp0.to(tl.float32)`, a method of a value.
        if isinstance(node.func, ast.Attribute) and owner != _LANGUAGE and node.func.attr in _CASTS:
            return self.value_of(node.func.value)
        if name in ("load", "store") or name.startswith("atomic_"):
            return self._note_access(name, node)
        # All arguments are read in any case, so that loads within them are noted.
        arguments = [self.value_of(argument) for argument in node.args]
        given = _without_arithmetic(name, arguments)
        if given is not None:
            return given
        result = self._note_arithmetic(arguments)
        if name in REDUCTIONS:
            return _reduce_value(result)
        if owner in _FUNCTION_OWNERS:
            self._note_function(f"{owner}.{name}", result)
        return result

    def _note_function(self, name: str, result: Data | Unknown) -> None:
        """A function of a library, which runs once for each element of the axes that it takes."""
        axes = {digit.axis for digit in digits_of(result)}
        # A value is computed for a whole axis, also where it depends on a digit of it only.
        if isinstance(result, Data) and axes <= self.extents.keys():
            often = prod(self.extents[axis] for axis in axes)
            self.functions[name] = self.functions.get(name, 0) + often

    def _follows_from_loads(self, node: ast.expr) -> bool:
        """Whether an expression loads, or takes what was loaded."""
        return any(
            (isinstance(part, ast.Attribute) and part.attr == "load")
            or (isinstance(part, ast.Name) and part.id in self.loaded)
            for part in nodes_in(node)
        )

    def _note_access(self, name: str, node: ast.Call) -> Value:
        """A load, a store or an atomic operation."""
        mask = self._mask_of_access(name, node)
        # The index is read under the mask of its own access.
        self.assumed = mask.conditions
        pointer = self.value_of(node.args[0]) if node.args else Unknown()
        self.assumed = ()
        for argument in node.args[1:]:
            self.value_of(argument)
        # The address does not begin with a pointer parameter, so nothing says what is accessed.
        if not isinstance(pointer, Pointer):
            return Unknown()
        kinds = {"load": AccessKind.LOAD, "store": AccessKind.STORE}
        by_data = bool(node.args) and self._follows_from_loads(node.args[0])
        self.accesses.append(
            Access(
                kind=kinds.get(name, AccessKind.ATOMIC),
                argument=pointer.argument,
                index=pointer.offset,
                mask=mask,
                extents=dict(self.extents),
                regular=self._regular_part(node.args[0]) if by_data else None,
                text=None if isinstance(pointer.offset, Affine) else ast.unparse(node.args[0]),
            )
        )
        if isinstance(pointer.offset, Unknown):
            self.operations = None  # how many elements it works on is not known
        return mix_values([pointer.offset])

    def _regular_part(self, pointer: ast.expr) -> Affine:
        """The sum of those summands of an index that are no data."""
        # The summands were read already, with what they count.
        reader = replace(self, accesses=[], functions={})
        values = map(reader.value_of, _iter_summands(pointer))
        return sum((value for value in values if isinstance(value, Affine)), Affine(0))

    def _mask_of_access(self, name: str, node: ast.Call) -> Mask:
        """What has to hold for an access: its second argument, of a store the third."""
        # By name or by place. `None` in its place is no mask.
        given = keyword_value(node, "mask")
        at = 1 if name == "load" else _BEFORE_MASK
        if given is None and len(node.args) > at:
            given = node.args[at]
        always = given is None or (isinstance(given, ast.Constant) and given.value is None)
        return Mask() if given is None or always else as_mask(self.value_of(given))


def _without_arithmetic(name: str, arguments: Sequence[Value]) -> Value | None:
    """What a function of Triton's language gives that computes nothing; None for one that does."""
    first = arguments[0] if arguments else Unknown()
    # The parameter of a block pointer is known, its index is not.
    if name == "make_block_ptr":
        return Pointer(first.argument, Unknown()) if isinstance(first, Pointer) else first
    if name == "full":
        return arguments[1] if len(arguments) > 1 else Data()
    if name in _SAME:
        return first
    if name in _NO_ARITHMETIC:
        return mix_values(arguments)
    constants: Mapping[str, Value] = {"zeros": Data(), **dict.fromkeys(_PLACES, Unknown())}
    return constants.get(name)


def _reduce_value(value: Data | Unknown) -> Data | Unknown:
    """What a reduction leaves: it no longer depends on the axes that it ran over."""
    if isinstance(value, Unknown):
        return value
    return Data(frozenset(d for d in value.digits if not d.axis.startswith(_REDUCED)))


def _is_size(name: str) -> bool:
    """Whether a parameter is how far an axis runs, or a size that indices are made of (`ks0`)."""
    return name.endswith(_NUMEL) or (name.startswith(_SIZE) and name[len(_SIZE) :].isdecimal())


def _is_sum(name: str, value: Value) -> bool:
    """Whether `rindex` was made of the axes of a reduction over several."""
    return name == _FLAT and isinstance(value, Affine) and bool(value.terms)


def _iter_operands(node: ast.expr) -> Iterator[ast.expr]:
    return (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))


def _iter_summands(node: ast.expr) -> Iterator[ast.expr]:
    """`in_ptr0 + (x0 + 64*tmp1)` → its three summands."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _iter_summands(node.left)
        yield from _iter_summands(node.right)
    else:
        yield node


def _iter_statements_inside(statement: ast.stmt) -> Iterator[ast.stmt]:
    for name in ("body", "orelse"):
        yield from getattr(statement, name, ())
