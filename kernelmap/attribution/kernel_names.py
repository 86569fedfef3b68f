"""The original ops that a descriptive kernel name spells: `cpp_fused_add_native_layer_norm_1`.

C++ kernels have no comment that lists their ops, but Inductor makes their name of them: sorted,
without doubles, joined by underscores (at most ten, so a long name may leave some out). Taking it
apart needs the names of all ATen operators; where two ways of reading it are as short, none is
taken. Not for Triton kernels: equal kernels share a name there, and the call's comment knows
better.
"""

from __future__ import annotations

from kernelmap.model.operators import aten_operators

_PREFIX = "cpp_fused_"


def ops_of(name: str) -> tuple[str, ...] | None:
    """The ops in a C++ kernel's name, None where it spells none or is ambiguous.

    >>> ops_of("cpp_fused_add_native_dropout_native_layer_norm_view_1")
    ('aten.add', 'aten.native_dropout', 'aten.native_layer_norm', 'aten.view')
    """
    if not name.startswith(_PREFIX):
        return None
    body, _, number = name[len(_PREFIX) :].rpartition("_")
    readings = _readings(body) if number.isdecimal() and body else ()
    return tuple(f"aten.{op}" for op in readings[0]) if len(readings) == 1 else None


def _readings(body: str) -> tuple[tuple[str, ...], ...]:
    """The shortest ways to read `body` as sorted operator names, two of them at most."""
    known = aten_operators()
    best: dict[int, list[tuple[str, ...]]] = {0: [()]}
    ends = [i for i, character in enumerate(body) if character == "_"] + [len(body)]
    for end in ends:
        found: list[tuple[str, ...]] = []
        for start, readings in list(best.items()):
            op = body[start:end]
            if op in known:
                found += [(*r, op) for r in readings if not r or r[-1] < op]
        if found:
            shortest = min(map(len, found))
            best[end + 1] = sorted({r for r in found if len(r) == shortest})[:2]
    return tuple(best.get(len(body) + 1, ()))
