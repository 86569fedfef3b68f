"""Which calls does the name of an operator stand for: library calls, and kernels that work for it.

Takes the name as code, profilers and tables write it; gives calls. Left out: launches of no call
below the operator's ranges, which are divided like those of a kernel's name (which_launched.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kernelmap.model import CompiledGraph, CompiledProgram, WrapperCall

_EXTERN, _TORCH = "extern_kernels", "torch.ops."

OPERATOR, ORIGINAL_OP = "operator", "original op"
OP_RULES = (OPERATOR, ORIGINAL_OP)
AROUND = "operator around launches"


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Calls of one wrapper in one graph that run the operator, or work for it.

    `ops` are all original ops of calls that work for it.
    """

    rule: str
    graph: CompiledGraph
    calls: tuple[WrapperCall, ...]
    evidence: str
    ops: tuple[str, ...] = ()


def meant(name: str) -> Callable[[str], bool]:
    """Whether an operator, as tables write it, is what `name` means.

    >>> [meant(name)("aten.mm") for name in ("aten::mm", "extern_kernels.mm", "mm", "aten.bmm")]
    [True, True, True, False]
    >>> meant("torch.ops.aten.relu.default")("aten.relu")
    True
    """
    plain = name.removeprefix(_TORCH).replace("::", ".", 1)
    space, dot, routine = plain.partition(".")
    if not dot:
        return lambda op: op.rpartition(".")[2] == plain
    space = "aten" if space == _EXTERN else space
    names = {f"{space}.{routine}", f"{space}.{routine.partition('.')[0]}"}
    return names.__contains__


def by_operator(
    name: str, program: CompiledProgram, ops: Sequence[tuple[str, ...]] = ()
) -> Iterator[Named]:
    """The calls that run the operator `name` or work for it, by graph and wrapper.

    `ops` are the original ops of each call of the program; where they are missing, those that its
    comment lists. A wrapper's own name means its calls alone.
    """
    means = meant(name)
    own = [
        (graph, call)
        for graph, call in program.calls
        if call.kernel is None and call.wrapper == name
    ]
    found: dict[tuple[str, str, str, str], list[tuple[CompiledGraph, WrapperCall]]] = {}
    works: dict[tuple[str, str, str, str], dict[str, None]] = {}
    for at, (graph, call) in enumerate(program.calls):
        if own and (call.kernel is not None or call.wrapper != name):
            continue
        target = call.target or ""
        listed = ops[at] if ops else call.origins.aten if call.origins and call.kernel else ()
        if own or (call.kernel is None and means(target)):
            key = (OPERATOR, graph.id, call.wrapper, f"{call.wrapper} runs the operator {target}")
        elif op := next(filter(means, listed), None):
            text = f"{op} is among the original ops of {call.wrapper}"
            key = (ORIGINAL_OP, graph.id, call.wrapper, text)
            works.setdefault(key, {}).update(dict.fromkeys(listed))
        else:
            continue
        found.setdefault(key, []).append((graph, call))
    for key, calls in found.items():
        rule, _, _, evidence = key
        yield Named(
            rule=rule,
            ops=tuple(works.get(key, ())),
            graph=calls[0][0],
            calls=tuple(call for _, call in calls),
            evidence=evidence,
        )
