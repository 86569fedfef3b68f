"""Call sites: the calls of all graphs that may launch something, in program order.

Graphs that launch the same are one *class*: no sequence of launches tells them apart, so they share
their sites. Which of them ran is decided afterwards, by their place in the step (segments.py).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from kernelmap.facts.families import Family, operator_family
from kernelmap.matching.names.grids import Sizes, sizes_of
from kernelmap.matching.names.symbols import names_of_call
from kernelmap.model import NONE, Backend, CompiledGraph, CompiledProgram, Occurrence, WrapperCall
from kernelmap.model.program import copied_input
from kernelmap.model.trace import Bool, Int


class Sites(Struct, frozen=True, kw_only=True, dict=True):
    """Columns over call sites, those of one class in a row.

    `of` is the class, `offset` the call's index in its graph. `certain` says whether it runs once
    in every invocation, `branch` whether it is one of a branch, `loop` is the first site of the
    loop around it (-1: none), `choice` whether a kernel is chosen at run time. `names` are the
    device names of a generated call, empty for a library call, which has an operator, its `target`,
    and that one's `family`. `members` are, per class, the graphs (positions in the program) that
    launch the same. `other_half` is, per class, that of the backward or forward graph of the same
    compilation, -1 where there is none or a class has several graphs; `backward` masks the former.
    `first_call` has the position of each graph's call 0.
    """

    of: Int
    offset: Int
    certain: Bool
    branch: Bool
    loop: Int
    choice: Bool
    names: tuple[frozenset[str], ...]
    sizes: tuple[Sizes | None, ...]
    family: tuple[Family | None, ...]
    target: tuple[str, ...]
    members: tuple[tuple[int, ...], ...]
    other_half: Int
    backward: Bool
    first_call: Int

    def __len__(self) -> int:
        return len(self.offset)

    @cached_property
    def generated(self) -> Bool:
        """Mask of the calls of generated kernels."""
        return np.array([bool(names) for names in self.names], dtype=bool)

    @cached_property
    def has_code(self) -> Bool:
        """Mask of the classes that launch generated kernels; shape (classes,)."""
        mask = np.zeros(len(self.members), dtype=bool)
        mask[self.of[self.generated]] = True
        return mask

    @cached_property
    def bounds(self) -> Int:
        """Where the sites of each class begin, and their number at last; shape (classes + 1,)."""
        return np.searchsorted(self.of, np.arange(len(self.members) + 1))

    @cached_property
    def shows(self) -> Int:
        """The first site of each class at which a generated kernel has to run; (classes,).

        Where none has to, it is that of the class's beginning.
        """
        bounds = self.bounds
        sure = self.generated & self.certain
        first_sites = []
        for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            sure_sites = np.flatnonzero(sure[first:last])
            first_sites.append(first + int(sure_sites[0]) if len(sure_sites) else first)
        return np.array(first_sites, dtype=np.int64)

    def calls(self, site: int) -> tuple[int, ...]:
        """Positions in `CompiledProgram.calls` that a site stands for, one per graph."""
        offset = int(self.offset[site])
        return tuple(int(self.first_call[g]) + offset for g in self.members[int(self.of[site])])

    @cached_property
    def site_of_call(self) -> Mapping[int, int]:
        """The site of each position in `CompiledProgram.calls`."""
        return {call: site for site in range(len(self)) for call in self.calls(site)}


def sites_of(program: CompiledProgram, shown: Collection[int] = ()) -> Sites:
    """The call sites of every graph of `program` that launches a generated kernel.

    Of others the names of libraries say nothing; `shown` are graphs that a reference run has.
    """
    # Both are keyed by what a graph launches: the graphs of each class, and its calls, of which
    # those of one graph are enough.
    classes: dict[Hashable, list[int]] = {}
    columns: dict[Hashable, list[tuple[WrapperCall, frozenset[str], Sizes | None, bool]]] = {}
    for number, graph in enumerate(program.graphs):
        calls = [
            (call, names_of_call(graph, call), sizes_of(graph, call), _is_multi_kernel(graph, call))
            for call in graph.calls
            if _may_launch_on_gpu(graph, call)
        ]
        # A graph without a generated kernel shows itself by nothing but libraries' names, which
        # eager code launches as well.
        if not calls or not (number in shown or any(names for _, names, _, _ in calls)):
            continue
        # A graph that was made from the profile is in no class with one whose code was given.
        key = (graph.code is None, tuple(_key_of_call(graph, call) for call, *_ in calls))
        classes.setdefault(key, []).append(number)
        columns.setdefault(key, calls)
    of, loops = [], []
    flat: list[tuple[WrapperCall, frozenset[str], Sizes | None, bool]] = []
    for number, calls in enumerate(columns.values()):
        first = -1
        for site in calls:
            call = site[0]
            looped = call.occurrence is Occurrence.LOOP
            # Calls of a loop that stand in a row are one loop; -1 for a call outside of any.
            first = (first if first >= 0 else len(flat)) if looped else -1
            loops.append(first)
            of.append(number)
            flat.append(site)
    return Sites(
        of=np.array(of, dtype=np.int64),
        offset=np.array([call.index for call, *_ in flat], dtype=np.int64),
        certain=np.array([c.occurrence is Occurrence.ONCE for c, *_ in flat], dtype=bool),
        branch=np.array([c.occurrence is Occurrence.BRANCH for c, *_ in flat], dtype=bool),
        loop=np.array(loops, dtype=np.int64),
        choice=np.array([chooses for *_, chooses in flat], dtype=bool),
        names=tuple(names for _, names, *_ in flat),
        sizes=tuple(sizes for _, _, sizes, _ in flat),
        family=tuple(
            None if names else operator_family(call.target or "") for call, names, *_ in flat
        ),
        target=tuple("" if names else call.target or "" for call, names, *_ in flat),
        members=tuple(tuple(graphs) for graphs in classes.values()),
        other_half=_other_halves(program, list(classes.values())),
        backward=np.array(
            [program.graphs[graphs[0]].kind == _BACKWARD for graphs in classes.values()], dtype=bool
        ),
        first_call=np.array(program.first_call, dtype=np.int64),
    )


_FORWARD, _BACKWARD = "forward", "backward"


def _other_halves(program: CompiledProgram, classes: Sequence[Sequence[int]]) -> Int:
    """The class of the other half of each class's only graph: forward and backward share a name."""
    # `0_forward` and `0_backward` are halves of one compilation.
    of_half = {
        (program.graphs[graphs[0]].id.removesuffix(kind), kind): number
        for number, graphs in enumerate(classes)
        if (kind := program.graphs[graphs[0]].kind) in {_FORWARD, _BACKWARD} and len(graphs) == 1
    }
    other = np.full(len(classes), NONE, dtype=np.int64)
    for (name, kind), number in of_half.items():
        other[number] = of_half.get((name, _BACKWARD if kind == _FORWARD else _FORWARD), NONE)
    return other


def _may_launch_on_gpu(graph: CompiledGraph, call: WrapperCall) -> bool:
    """Whether a call may launch something on a GPU, as far as its order can tell.

    Copies of misaligned inputs are told by their ranges alone: any copy looks like one.
    """
    if call.backend is Backend.CPP or copied_input(call) is not None:
        return False
    return graph.kernel_of(call) is not None or (call.kernel is None and call.target is not None)


def _is_multi_kernel(graph: CompiledGraph, call: WrapperCall) -> bool:
    kernel = graph.kernel_of(call)
    return kernel is not None and bool(kernel.members)


def _key_of_call(graph: CompiledGraph, call: WrapperCall) -> Hashable:
    """What calls have in common that launch the same."""
    return call.index, names_of_call(graph, call), call.target, call.occurrence, call.numels
