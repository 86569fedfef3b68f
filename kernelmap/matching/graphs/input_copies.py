"""Which operators of a group copy the inputs of its graph, as place and absence from the code tell.

Inductor writes a kernel of its own for a clone, a fill or a copy of a list of tensors: an operator
of that name is no statement unless the code at hand says so. A plain copy may be a statement (of an
input that lives elsewhere), so it counts only before all other operators, and where code is given
that does not run it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kernelmap.matching.host_side.beside_code import COPYING

_NEVER_CALLED = frozenset({"aten.clone", "aten._foreach_copy_"})
_BEFORE_THE_CODE = _NEVER_CALLED | {"aten.fill_"}


def input_copies(symbols: Sequence[str], own: Collection[str] | None) -> frozenset[int]:
    """Places in `symbols`, in host order, of what copies inputs.

    `own` are the symbols of the graph's code, None where the code is not given.
    """
    run = own or ()
    first = COPYING if own is not None else _BEFORE_THE_CODE
    places = set()
    leading = True
    for place, symbol in enumerate(symbols):
        copies = symbol not in run and symbol in (first if leading else _NEVER_CALLED)
        leading &= copies
        if copies:
            places.add(place)
    return frozenset(places)


def may_copy_inputs(symbols: Sequence[str]) -> bool:
    """Whether one of `symbols`, calls of a graph without code, may be a copy of an input."""
    return not COPYING.isdisjoint(symbols)
