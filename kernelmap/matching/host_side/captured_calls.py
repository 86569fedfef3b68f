"""A captured call → where it stands in the program, and what its nodes may run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kernelmap.matching.names.device_names import calls_by_device_name
from kernelmap.model import Activity, CompiledProgram
from kernelmap.model.trace import CapturedCall


@dataclass(frozen=True, slots=True)
class Launched:
    """What a node of a replayed graph ran; `node` is the id that the profiler gives it."""

    node: int
    name: str
    activity: Activity


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls of a program, by the digest of their code and by the names of their kernels."""

    program: CompiledProgram
    graphs: Mapping[str, Sequence[int]]
    by_name: Mapping[str, tuple[int, ...]]
    generated: frozenset[int]

    @classmethod
    def of(cls, program: CompiledProgram) -> Calls:
        """Look them up once."""
        graphs: dict[str, list[int]] = defaultdict(list)
        for position, graph in enumerate(program.graphs):
            if graph.digest is not None:
                graphs[graph.digest].append(position)
        by_name = calls_by_device_name(program)
        generated = frozenset(call for calls in by_name.values() for call in calls)
        return cls(program, graphs, by_name, generated)

    def positions(self, digest: str, captured: CapturedCall) -> tuple[int, ...]:
        """Positions in `program.calls`: several where code is given twice.

        There is none where it is not given, or where this statement runs something else.
        """
        found = []
        for graph in self.graphs.get(digest, ()):
            calls = self.program.graphs[graph].calls
            if captured.index in range(len(calls)) and (
                calls[captured.index].wrapper == captured.wrapper
            ):
                found.append(self.program.first_call[graph] + captured.index)
        return tuple(found)

    def is_generated(self, launched: Launched) -> bool:
        """Whether it bears the name of a generated kernel."""
        return launched.activity is Activity.KERNEL and launched.name in self.by_name

    def may_run(self, calls: Sequence[int], launched: Launched) -> bool:
        """Whether one of `calls` may have made a node that runs this."""
        if launched.activity is not Activity.KERNEL:
            return True
        named = self.by_name.get(launched.name)
        if named is None:
            return any(call not in self.generated for call in calls)
        return any(call in named for call in calls)
