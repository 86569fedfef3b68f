"""The generated kernels of all graphs in the order in which their calls run: what alignment seeks.

A *spot* is a call of a generated kernel: its device name is known from the code, so a launch under
that name may stand there. Spots are numbered through all graphs, those of one graph in a row.
Library calls lie between spots; which launches are theirs is decided later (library_calls.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kernelmap.matching.names.device_names import names_of_call
from kernelmap.model import (
    Backend,
    CompiledProgram,
    Occurrence,
    WrapperCall,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spots:
    """Columns over spots, all of the same length.

    `call` is a position in `CompiledProgram.calls`, `graph` one in `graphs`. `before` and `after`
    count the spots of the graph that have to run before and after this one, `loop` is the first
    spot of the loop that this one stands in, -1 outside of loops. `certain` is False in branches
    and loops. `choice` says whether the kernel is chosen among several at run time, `alone` whether
    a library call runs between this spot and the next, or nothing follows.
    """

    call: tuple[int, ...]
    graph: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    certain: tuple[bool, ...]
    loop: tuple[int, ...]
    choice: tuple[bool, ...]
    alone: tuple[bool, ...]
    by_name: Mapping[str, tuple[int, ...]]

    def __len__(self) -> int:
        return len(self.call)


def spots_of(program: CompiledProgram) -> Spots:
    """The spots of every graph of `program`."""
    call: list[int] = []
    graph: list[int] = []
    certain: list[bool] = []
    loop: list[int] = []
    choice: list[bool] = []
    alone: list[bool] = []
    by_name: dict[str, list[int]] = defaultdict(list)
    for number, owner in enumerate(program.graphs):
        for each in owner.calls:
            kernel = owner.kernel_of(each)
            if each.kernel is None and each.target is not None and graph[-1:] == [number]:
                alone[-1] = True
            if kernel is None or each.backend is Backend.CPP:
                continue
            spot = len(call)
            for name in names_of_call(owner, each):
                by_name[name].append(spot)
            loop.append(_loop(each, spot, loop, number, graph))
            choice.append(bool(kernel.members))
            alone.append(False)
            call.append(program.first_call[number] + each.index)
            graph.append(number)
            certain.append(each.occurrence is Occurrence.ONCE)
        if alone:
            alone[-1] = True
    before = _counted_before(graph, certain)
    after = _counted_before(graph[::-1], certain[::-1])[::-1]
    return Spots(
        call=tuple(call),
        graph=tuple(graph),
        before=before,
        after=after,
        certain=tuple(certain),
        loop=tuple(loop),
        choice=tuple(choice),
        alone=tuple(alone),
        by_name={name: tuple(spots) for name, spots in by_name.items()},
    )


def longest_row(own: Sequence[int], spots: Spots) -> int:
    """How many of the spots `own`, in ascending order, stand in a row with nothing in between."""
    longest = length = 1
    for one, other in pairwise(own):
        follows = other == one + 1 and not spots.alone[one]
        length = length + 1 if follows else 1
        longest = max(longest, length)
    return longest


def _loop(call: WrapperCall, spot: int, loop: list[int], number: int, graph: list[int]) -> int:
    """Where the run of loop statements began that this one continues."""
    if call.occurrence is not Occurrence.LOOP:
        return -1
    continues = bool(loop) and graph[-1] == number and loop[-1] >= 0
    return loop[-1] if continues else spot


def _counted_before(graph: list[int], certain: list[bool]) -> tuple[int, ...]:
    counts: list[int] = []
    total = 0
    for spot, number in enumerate(graph):
        if spot == 0 or graph[spot - 1] != number:
            total = 0
        counts.append(total)
        total += certain[spot]
    return tuple(counts)
