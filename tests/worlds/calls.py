"""How each kind of wrapper call looks while it runs: operators, api rows, kernels.

Takes one call of a graph and plays it on a Recorder. Left out: C++ kernels, which run on the host.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kernelmap.model import Backend, CompiledGraph, KernelDef, WrapperCall
from worlds.autotune import benchmark, benchmark_ways
from worlds.configs import Config, configs_of, legacy_name
from worlds.libraries import Way, vendored, way_of
from worlds.long_libraries import long_way
from worlds.recorder import Recorder
from worlds.triton import TritonLaunch
from worlds.world import Owner

_LIBRARY_NS = 18_000
_GLUE_BYTES = 4096
_CHOICES = 3
PRODUCTS = ("aten::mm", "aten::addmm", "aten::bmm")


@dataclass(frozen=True, slots=True)
class Choices:
    """What one process was tuned to, and how each of its call sites runs its library."""

    tuned: dict[tuple[str, str], Config] = field(default_factory=dict)
    picked: dict[tuple[str, str], KernelDef] = field(default_factory=dict)
    ways: dict[tuple[str, int], Way] = field(default_factory=dict)


class Player:
    """Plays calls on one thread of a process."""

    def __init__(self, recorder: Recorder, choices: Choices) -> None:
        self._recorder = recorder
        self._choices = choices
        self._sites: dict[tuple[int, str], TritonLaunch] = {}

    def play(self, graph: CompiledGraph, call: WrapperCall, owner: Owner) -> None:
        """Everything that one execution of `call` does."""
        kernel = graph.kernel_of(call)
        with self._recorder.owned_by(owner):
            if call.backend is Backend.CPP:
                return
            if call.backend is Backend.GLUE:
                self._glue(call)
            elif call.backend is Backend.MULTI and kernel is not None:
                self._multi(graph, call, kernel)
            elif kernel is not None:
                self._triton(graph, call, kernel, call.wrapper)
            else:
                self.library(operator_of(call), site=(graph.id, call.index))

    def library(self, operator: str, *, site: tuple[str, int]) -> None:
        """One library operator, run the way that its call site always runs it."""
        if site not in self._choices.ways:
            self._choices.ways[site] = self._way(operator, site)
        with self._recorder.op(operator):
            self._run(self._choices.ways[site])

    def tune(self, graph: CompiledGraph) -> None:
        """Measure configs and libraries for the calls of `graph`, as it is done while compiling."""
        for call in graph.calls:
            kernel = graph.kernel_of(call)
            if kernel is not None and call.backend not in {Backend.MULTI, Backend.CPP}:
                self._config(graph, self._site(call, kernel, call.wrapper))
            elif (operator := operator_of(call)) in PRODUCTS:
                choices = [self._way(operator, ("tune", at)) for at in range(_CHOICES)]
                benchmark_ways(self._recorder, choices, self._run)

    def _way(self, operator: str, site: tuple[str, int]) -> Way:
        choices = self._recorder.choices(site)
        world = self._recorder.world
        way = long_way(operator, choices) if world.long else way_of(operator, choices)
        return vendored(way) if world.vendor else way

    def _run(self, way: Way) -> None:
        for kernels in way:
            self._inner(kernels.path, kernels.names, memset=kernels.memset)

    def _inner(self, path: tuple[str, ...], names: tuple[str, ...], *, memset: bool) -> None:
        recorder = self._recorder
        if path:
            with recorder.op(path[0]):
                self._inner(path[1:], names, memset=memset)
            return
        if memset:
            recorder.fill(1 << 16, recorder.duration(1_200))
        for name in names:
            recorder.launch(name, recorder.duration(_LIBRARY_NS))

    def _glue(self, call: WrapperCall) -> None:
        recorder = self._recorder
        if "item" in (call.target or call.wrapper):
            with recorder.op("aten::item"), recorder.op("aten::_local_scalar_dense"):
                recorder.copy("DtoH (Device -> Pageable)", 4, recorder.duration(1_500))
            return
        with recorder.op(operator_of(call)):
            if "zero_" in (call.target or call.wrapper):
                recorder.fill(_GLUE_BYTES, recorder.duration(1_200))
            else:
                recorder.copy("DtoD (Device -> Device)", _GLUE_BYTES, recorder.duration(2_000))

    def _multi(self, graph: CompiledGraph, call: WrapperCall, multi: KernelDef) -> None:
        """A choice among kernels: all are measured once, one of them runs from then on."""
        key = (graph.id, multi.name)
        if key not in self._choices.picked:
            members = [graph.kernel_by_name[name] for name in multi.members]
            for member in members:
                site = self._site(call, member, member.name)
                config = self._config(graph, site)
                if self._recorder.world.autotune:
                    benchmark(self._recorder, site, [config])
            self._choices.picked[key] = self._recorder.choices(key).choice(members)
        member = self._choices.picked[key]
        self._triton(graph, call, member, member.name)

    def _triton(
        self, graph: CompiledGraph, call: WrapperCall, kernel: KernelDef, name: str
    ) -> None:
        site = self._site(call, kernel, name)
        site.launch(self._recorder, self._config(graph, site))

    def _config(self, graph: CompiledGraph, site: TritonLaunch) -> Config:
        """The config of this kernel, benchmarked where it runs for the first time."""
        key = (graph.id, site.kernel.name)
        if key not in self._choices.tuned:
            rng = self._recorder.choices(key)
            world = self._recorder.world
            chooses = world.autotune or world.machine is not None
            configs = configs_of(site.kernel, rng, autotune=chooses)
            if world.autotune and len(configs) > 1:
                benchmark(self._recorder, site, configs)
            self._choices.tuned[key] = rng.choice(configs)
        return self._choices.tuned[key]

    def _site(self, call: WrapperCall, kernel: KernelDef, name: str) -> TritonLaunch:
        """`name` is the host range's: the call's wrapper, or the member of a multi-kernel."""
        key = (id(call), name)
        if key not in self._sites:
            legacy = self._recorder.world.names == "legacy" and kernel.backend is not Backend.USER
            self._sites[key] = TritonLaunch(
                kernel=kernel,
                call=call,
                range_name=name,
                device_name=legacy_name(kernel) if legacy else kernel.function,
            )
        return self._sites[key]


def operator_of(call: WrapperCall) -> str:
    """The operator that an extern call runs, as the profiler writes it (`aten::addmm`)."""
    parts = (call.target or call.wrapper).removeprefix("torch.ops.").split(".")
    space, name = (parts[0], parts[1]) if len(parts) > 1 else ("aten", parts[0])
    return f"{'aten' if space == 'extern_kernels' else space}::{name}"
