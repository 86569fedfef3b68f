"""The steps of a graph's kernels → the values that one kernel computes and a later one again.

Two values are one where the same operations in the same order make them from the same elements of
the same memory. Elements are compared by their indices, whatever axes a kernel runs over: a row sum
and a column sum of one product compute the product twice. Memory is a buffer between two writes.

Left out: casts and what needs no load, which cost next to nothing; what depends on a reduction, on
a mask or on an index beside those of the loads.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler.python.source import names_in
from kernelmap.model import CompiledGraph, WrapperCall
from kernelmap.model.work import OpKind, PhysicalOp, Repeated, Work
from kernelmap.speed.work.generated_code import GeneratedCode
from kernelmap.speed.work.index_space import Affine, split_into_elementary
from kernelmap.speed.work.physical_ops import KernelStep, steps_of_kernel, with_names
from kernelmap.speed.work.triton import KernelLaunch
from kernelmap.speed.work.triton_source import Access

_CAST = "to "
_Key: TypeAlias = "tuple[object, ...]"


class Computed(Struct, kw_only=True, eq=False):
    """One call: its steps, and which of them an earlier call took already, by that call's index.

    `values` numbers what each step makes: equal numbers are equal operations on equal memory,
    whatever its elements; None for what is not compared.
    """

    launch: KernelLaunch
    steps: tuple[KernelStep, ...]
    values: tuple[int | None, ...]
    before: dict[int, int] = {}

    def ops(self, first: int) -> tuple[PhysicalOp, ...]:
        """The steps; `first` is the position of the graph's first call in the program."""
        return tuple(
            replace(step.op, computed_before=first + self.before[at])
            if at in self.before
            else step.op
            for at, step in enumerate(self.steps)
        )


def steps_of_graph(
    graph: CompiledGraph,
    code: GeneratedCode,
    launches: Iterable[KernelLaunch],
    works: Sequence[Work],
) -> tuple[Computed, ...]:
    """The steps of a graph's generated kernels, in program order; `works` is parallel to calls."""
    kernels = tuple(_number_values(graph, code, launches, works))
    # Which calls make each value, whatever its elements. Only what several make is compared
    # further.
    users: dict[int, set[int]] = defaultdict(set)
    for kernel in kernels:
        for value in kernel.values:
            if value is not None:
                users[value].add(kernel.launch.call.index)
    # The first call that makes a value of these elements; later ones repeat it.
    makers: dict[_Key, int] = {}
    for kernel in kernels:
        index = kernel.launch.call.index
        for at, value in enumerate(kernel.values):
            if value is not None and len(users[value]) > 1 and _costs_something(kernel.steps[at]):
                elements = _elements_of_value(kernel, at)
                before = index if elements is None else makers.setdefault((value, elements), index)
                if before != index:
                    kernel.before[at] = before
    return kernels


def find_repeated(
    kernels: Iterable[Computed], works: Sequence[Work], first: int
) -> Iterator[Repeated]:
    """What calls compute although an earlier call did, in program order.

    `works` is parallel to the graph's calls, `first` the position of its first call in the program.
    """
    for kernel in kernels:
        index = kernel.launch.call.index
        only = _only_for(kernel, works[index])
        # One row per earlier call, with the steps that it took already.
        for before in sorted(set(kernel.before.values())):
            places = [at for at, maker in kernel.before.items() if maker == before]
            loaded = {
                kernel.steps[load].op.buffer
                for at in places
                for load in _loads_of_value(kernel, at)
            }
            # A tensor counts for the first of these calls only, so that no bytes are saved twice.
            names = [name for name in only if name in loaded]
            yield Repeated(
                call=first + index,
                before=first + before,
                operations=tuple(kernel.steps[at].op.operation for at in places),
                loads=tuple((name, only.pop(name)) for name in names),
            )


def _number_values(
    graph: CompiledGraph,
    code: GeneratedCode,
    launches: Iterable[KernelLaunch],
    works: Sequence[Work],
) -> Iterator[Computed]:
    """Number the values of all kernels; a write begins new contents of its memory."""
    of_calls = {launch.call.index: launch for launch in launches}
    numbers: dict[_Key, int] = {}
    # How often each memory was written so far: the same buffer before and after a write holds
    # different values.
    writes: dict[str, int] = defaultdict(int)
    for call in graph.calls:
        launch = of_calls.get(call.index)
        if launch is not None:
            taken = with_names(launch.function.answer_once(steps_of_kernel), launch.names)
            values: list[int | None] = []
            for step in taken:
                key = _key_of_value(step, launch, code, values, writes)
                values.append(None if key is None else numbers.setdefault(key, len(numbers)))
            yield Computed(launch=launch, steps=taken, values=tuple(values))
        # What the call writes counts for the calls behind it.
        for name in _iter_written(call, code, works[call.index]):
            writes[code.tensors.root_of(name)] += 1


def _key_of_value(
    step: KernelStep,
    launch: KernelLaunch,
    code: GeneratedCode,
    values: Sequence[int | None],
    writes: Mapping[str, int],
) -> _Key | None:
    """What a value is made of; None where that cannot be compared."""
    if step.op.kind is OpKind.LOAD:
        # A load is known by its expression and by how often the memory in it was written. One under
        # a mask is not compared: where the mask does not hold, its value is another.
        access = _access_of_step(launch, step)
        node = launch.given.get(access.argument) if access is not None else None
        if access is None or node is None or access.mask.conditions or not access.mask.whole:
            return None
        contents = [(name, writes[code.tensors.root_of(name)]) for name in names_in(node)]
        return step.op.operation, ast.unparse(node), *contents
    if step.op.kind is not OpKind.COMPUTE or not step.is_plain:
        return None
    # An operation is known by its name and by the numbers of the values that it works on, literals
    # as they are written.
    operands: list[object] = []
    for text, at in zip(step.op.operands, step.inputs, strict=True):
        if at is not None and values[at] is None:
            return None
        operands.append(text if at is None else values[at])
    return step.op.operation, *operands


def _access_of_step(launch: KernelLaunch, step: KernelStep) -> Access | None:
    """The access of a load or store; None where the index of it or of one before is not known."""
    at = step.access
    if at is None or at >= len(launch.body.accesses):
        return None
    access = launch.body.accesses[at]
    return access if launch.names.get(access.argument, access.argument) == step.op.buffer else None


def _iter_written(call: WrapperCall, code: GeneratedCode, work: Work) -> Iterator[str]:
    """The names of the tensors that a call writes, or may write."""
    statement = code.statement_of(call)
    if work.operands is not None:
        yield from (operand.name for operand in work.operands if operand.written)
    elif statement is not None:
        yield from names_in(statement.call)


def _costs_something(step: KernelStep) -> bool:
    """Whether a step costs something: a cast does not."""
    return step.op.kind is OpKind.COMPUTE and not step.op.operation.startswith(_CAST)


def _loads_of_value(kernel: Computed, at: int) -> list[int]:
    """The loads that a value is made of, in the order in which its operations take them."""
    seen: dict[int, None] = {}
    todo = [at]
    while todo:
        place = todo.pop()
        if place not in seen:
            seen[place] = None
            todo += [one for one in reversed(kernel.steps[place].inputs) if one is not None]
    return [place for place in seen if kernel.steps[place].op.kind is OpKind.LOAD]


def _elements_of_value(kernel: Computed, at: int) -> _Key | None:
    """Which elements a value is made of, the same for whatever axes the kernel runs over.

    An axis is how far the index of each load moves with it, and how far it runs; axes that move
    all indices as one longer axis would are one. None where an index is no sum of digits that nest.
    """
    indices: list[Affine] = []
    extents: dict[str, int] = {}
    for load in _loads_of_value(kernel, at):
        access = _access_of_step(kernel.launch, kernel.steps[load])
        if access is None or not isinstance(access.index, Affine):
            return None
        indices.append(access.index)
        extents |= access.extents
    # The indices of all loads in digits that vary freely, the same digits for all of them.
    split = split_into_elementary(indices, extents) if indices else None
    if split is None:
        return None
    sums, extents_of = split
    factors = [dict(index.terms) for index in sums]
    # Each digit by what it moves: how far apart its neighbours lie in each load, and how many there
    # are. The names of axes do not matter, so two kernels can be compared.
    axes = sorted(
        (tuple(of_load.get(digit, 0) for of_load in factors), extent)
        for digit, extent in extents_of.items()
        if extent > 1 and any(digit in of_load for of_load in factors)
    )
    # `(1,) 8` and `(8,) 4` move the index as one axis of 32 would.
    joined: list[tuple[tuple[int, ...], int]] = []
    for distances, extent in axes:
        longer = joined[-1] if joined else None
        if longer is not None and tuple(one * longer[1] for one in longer[0]) == distances:
            joined[-1] = (longer[0], longer[1] * extent)
        else:
            joined.append((distances, extent))
    return (*joined, *(index.const for index in sums))


def _only_for(kernel: Computed, work: Work) -> dict[str, int]:
    """The tensors that a kernel reads for nothing but what is computed again, with their bytes."""
    # Back from what is stored, not further than values that an earlier call made: what is loaded on
    # the way is needed in any case.
    needed: set[int] = set()
    todo = [at for at, step in enumerate(kernel.steps) if step.op.kind is OpKind.STORE]
    while todo:
        place = todo.pop()
        if place not in needed and place not in kernel.before:
            needed.add(place)
            todo += [one for one in kernel.steps[place].inputs if one is not None]
    others = {kernel.steps[at].op.buffer for at in needed}
    loaded = {step.op.buffer for step in kernel.steps if step.op.kind is OpKind.LOAD} - others
    return {
        operand.name: operand.bytes.most
        for operand in work.operands or ()
        if not operand.written and operand.name in loaded
    }
