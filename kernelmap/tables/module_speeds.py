"""What modules make with all modules in them: layers, and what runs nothing itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from kernelmap.model.module_paths import module_tree
from kernelmap.model.roofline import Speed


def with_holders(rows: Sequence[Speed], totals: Mapping[str, Speed]) -> tuple[Speed, ...]:
    """The rows, then one without time for each module that runs nothing itself, as many a layer."""
    own = {row.key[0] for row in rows}
    empty = Speed(
        key=(),
        calls=0,
        time_ns=0,
        known_ns=0,
        limited_ns=0,
        bytes=None,
        flops=None,
        limit_ns=None,
        headroom_ns=None,
        bound=None,
    )
    return (*rows, *(replace(empty, key=(name,)) for name in totals if name not in own))


def total_modules(rows: Sequence[Speed]) -> Mapping[str, Speed]:
    """Time and model FLOPs of each module and of all modules in it; rest rows are left out."""
    named = {str(row.key[0]): row for row in rows if not str(row.key[0]).startswith("(")}
    # The rows that each module holds, its own among them.
    held: dict[str, list[Speed]] = defaultdict(list)
    for path, around in module_tree(named).items():
        for outer in around:
            held[outer].append(named[path])
    return {name: _add_rows(name, inner) for name, inner in held.items()}


def _add_rows(name: str, rows: Sequence[Speed]) -> Speed:
    known = [row for row in rows if row.model_flops is not None]
    # One peak that is not known leaves a part of the numerator out, so there is none.
    at_peak = [row.at_peak_ns for row in known if row.at_peak_ns is not None]
    return Speed(
        key=(name,),
        calls=0,
        time_ns=sum(row.time_ns for row in rows),
        known_ns=0,
        limited_ns=0,
        bytes=None,
        flops=None,
        limit_ns=None,
        headroom_ns=None,
        bound=None,
        model_flops=sum(row.model_flops or 0 for row in known) if known else None,
        at_peak_ns=sum(at_peak) if known and len(at_peak) == len(known) else None,
        model_known_ns=sum(row.model_known_ns for row in known),
    )
