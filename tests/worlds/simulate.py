"""A compiled program and a world → a profile of it, and the truth about every kernel.

Each step: eager work, the forward and inference graphs on the main thread, a loss, the backward
graphs on autograd's thread, gradients, optimizer. The ranges nest as torch 2.13 nests them.
"""

from __future__ import annotations

import hashlib
from base64 import b32encode
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from math import ceil
from random import Random

from kernelmap.model import Backend, CompiledGraph, CompiledProgram, Occurrence, WrapperCall
from kernelmap.model.marks import MarkedCall, MarkedGraph
from worlds.calls import Choices, Player
from worlds.capture import Capture
from worlds.eager import OPERATORS, Eager
from worlds.recorder import AUTOGRAD, WORKER, Recorder
from worlds.threads import by_thread, merged
from worlds.trace import SimulatedTrace, finished
from worlds.undecidable import alike
from worlds.world import EAGER, INPUTS, Owner, World

_FILL = "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<long>>(int)"
_MOST_LOOPS = 3
_WORKERS_SITES = 8
_CLONES = "torch/_inductor/utils.py(3041): copy_misaligned_inputs"
_TREES = "torch/_inductor/cudagraph_trees.py(2073): _run"
_COPIES = "torch/_inductor/cudagraph_trees.py(1057): _copy_inputs_and_remove_from_src"
_INPUTS = "void at::native::multi_tensor_apply_kernel<TensorListMetadata<2>, CopyFunctor<float>>()"


def simulate(program: CompiledProgram, world: World) -> SimulatedTrace:
    """Run `world.invocations` steps of `program`.

    Raises KeyError where `world.order` names a graph that the program does not have.
    """
    graphs = _in_order(program, world)
    keys = {graph.id: graph.cache_key or _invented_key(graph) for graph in program.graphs}
    recorders: list[Recorder] = []
    choices = Choices()
    for number, shared in enumerate(by_thread(graphs, world.threads)):
        recorders.append(Recorder(world, number))
        _thread(recorders[-1], Player(recorders[-1], choices), shared, keys)
    recorder = recorders[0] if len(recorders) == 1 else merged(recorders)
    return finished(recorder, keys, alike(graphs, world))


def _thread(
    recorder: Recorder, player: Player, graphs: list[CompiledGraph], keys: Mapping[str, str]
) -> None:
    """Everything that one host thread does."""
    world = recorder.world
    eager = Eager(recorder, player, launches=_eager_launches(graphs, world))
    if world.tuned_before:
        for graph in graphs:
            player.tune(graph)
    for step in range(world.invocations):
        recorder.wait(20_000, 60_000)
        mark = recorder.annotation(f"ProfilerStep#{step}") if world.steps else nullcontext()
        with ExitStack() as around, mark:
            for name in world.user_ranges:
                around.enter_context(recorder.annotation(name))
            number = step * world.threads + recorder.number
            _step(recorder, player, eager, _shuffled(graphs, recorder), keys, number)


def _shuffled(graphs: list[CompiledGraph], recorder: Recorder) -> list[CompiledGraph]:
    """The graphs of one step: in another order where the world changes it, backwards last."""
    world = recorder.world
    if not (world.shuffle or world.drawn):
        return graphs
    backwards = [graph for graph in graphs if graph.kind == "backward"]
    others = [graph for graph in graphs if graph.kind != "backward"]
    recorder.rng.shuffle(others)
    if world.drawn:
        others = others[: recorder.rng.randint(ceil(len(others) / 2), len(others))]
    return others + backwards


def _step(
    recorder: Recorder,
    player: Player,
    eager: Eager,
    graphs: list[CompiledGraph],
    keys: Mapping[str, str],
    step: int,
) -> None:
    """One pass over all graphs; the parts of the eager work add up to one."""
    eager.operators("before", 0.25)
    sequences: dict[str, int] = {}
    for graph in graphs:
        if recorder.world.between and recorder.rng.random() < recorder.world.between:
            eager.between()
        pair = _pair(graph)
        if graph.kind == "backward":
            eager.operators("loss", 0.25)
            ranges = _backward(recorder, sequences.get(pair, recorder.next_sequence()))
        else:
            sequences[pair] = recorder.next_sequence()
            ranges = _forward(recorder, player, graph, sequences[pair])
        with ranges, _graph_range(recorder, keys[graph.id]):
            _clones(recorder)
            if recorder.world.cuda_graphs and (step > 0 or not recorder.world.capture):
                _run_as_graph(recorder, player, graph, step)
            else:
                _run(recorder, player, graph, step)
        recorder.wait(2_000, 9_000)
    eager.operators("after", 0.25)
    if any(graph.kind == "backward" for graph in graphs):
        eager.accumulate("gradients", 0.15)
        eager.optimizer(0.1)


def _clones(recorder: Recorder) -> None:
    """Inputs that are not aligned as the code wants are cloned before it runs."""
    share = recorder.world.misaligned
    if not share or recorder.rng.random() >= share:
        return
    with recorder.owned_by(INPUTS), recorder.frame(_CLONES):
        for _ in range(recorder.rng.randint(1, 2)):
            with recorder.op("aten::clone"), recorder.op("aten::copy_"):
                recorder.copy("DtoD (Device -> Device)", 1 << 20, recorder.duration(3_000))


def _run(recorder: Recorder, player: Player, graph: CompiledGraph, step: int) -> None:
    """The calls of one invocation, in program order."""
    digest = graph.digest or ""
    code = f"/cache/c{_invented_key(graph)[1:]}.py(88): call"
    with (
        recorder.frame(code),
        recorder.mark(MarkedGraph(digest=digest, name=graph.aot_id, compile_id=graph.compile_id)),
    ):
        for call in graph.calls:
            mark = MarkedCall(digest=digest, index=call.index, wrapper=call.wrapper)
            for _ in range(_executions(call, recorder.rng)):
                _intrude(recorder, player)
                owner = Owner(graph=graph.id, call=call.index, invocation=step)
                with recorder.mark(mark):
                    player.play(graph, call, owner)
                recorder.wait(500, 4_000)


def _intrude(recorder: Recorder, player: Player) -> None:
    """Another thread launches something on the same stream, now and then."""
    world = recorder.world
    if world.other_thread and recorder.rng.random() < world.other_thread:
        site = recorder.rng.randrange(_WORKERS_SITES)
        operator = OPERATORS[site % len(OPERATORS)]
        with recorder.on_thread(WORKER), recorder.owned_by(EAGER), recorder.apart():
            player.library(operator, site=("worker", site))


def _run_as_graph(recorder: Recorder, player: Player, graph: CompiledGraph, step: int) -> None:
    """Copy the inputs to where the captured graph reads them, capture it the first time, launch."""
    with (
        recorder.owned_by(INPUTS),
        recorder.frame(_COPIES),
        recorder.op("aten::_foreach_copy_"),
    ):
        recorder.launch(_INPUTS, recorder.duration(2_000))
    with recorder.frame(_TREES):
        _launch_graph(recorder, player, graph, step)


def _launch_graph(recorder: Recorder, player: Player, graph: CompiledGraph, step: int) -> None:
    """Capture the graph the first time, and launch it."""
    captures = recorder.captures
    if graph.id not in captures and recorder.world.capture:
        captures[graph.id] = _captured(recorder, player, graph, step)
    elif graph.id not in captures:
        with recorder.before_the_window():
            _run(recorder, player, graph, step)
            captures[graph.id] = _captured(recorder, player, graph, step)
    recorder.replay(captures[graph.id], step)


def _captured(recorder: Recorder, player: Player, graph: CompiledGraph, step: int) -> Capture:
    """The calls of one invocation as nodes of a graph that can be launched."""
    number = len(recorder.captures)
    if recorder.world.misaligned:
        with recorder.owned_by(INPUTS):
            for _ in range(2):
                with recorder.op("aten::fill_"):
                    recorder.launch(_FILL, recorder.duration(1_000))
    recorder.api("cudaStreamBeginCapture")
    recorder.capture = captured = Capture(number, clones=1 + number % 2)
    _run(recorder, player, graph, step)
    recorder.capture = None
    recorder.api("cudaStreamEndCapture")
    recorder.instantiate(captured)
    return captured


def _executions(call: WrapperCall, rng: Random) -> int:
    """How often one invocation runs a statement; of the branches' statements any may run."""
    if call.occurrence is Occurrence.LOOP:
        return rng.randint(0, _MOST_LOOPS)
    return rng.randint(0, 1) if call.occurrence is Occurrence.BRANCH else 1


@contextmanager
def _forward(
    recorder: Recorder, player: Player, graph: CompiledGraph, sequence: int
) -> Iterator[None]:
    """The ranges around a forward or inference graph on the main thread.

    Behind a forward its region copies a mutated input: inside the region, outside the graph.
    """
    with recorder.op("TorchDynamo Cache Lookup"):
        pass
    function: AbstractContextManager[object] = nullcontext()
    if graph.kind == "forward":
        function = recorder.op(
            "CompiledFunction", {"Sequence number": sequence, "Fwd thread id": 0}
        )
    with recorder.op(_region(recorder.world, graph)):
        if recorder.world.names == "unique":
            for name in ("Pregraph bytecode", "AOTDispatcher Runtime Wrapper Prologue"):
                with recorder.op(name):
                    pass
        with function:
            yield
        if graph.kind == "forward" and recorder.world.eager > 0:
            player.library("aten::copy_", site=("epilogue", 0))


def _region(world: World, graph: CompiledGraph) -> str:
    """The region's name; torch before 2.5 writes no compile id."""
    name = "Torch-Compiled Region"
    return name if world.names == "legacy" else f"{name}: {graph.compile_id or _pair(graph) + '/0'}"


@contextmanager
def _backward(recorder: Recorder, sequence: int) -> Iterator[None]:
    """The ranges around a backward graph on autograd's thread."""
    linked = {"Sequence number": sequence, "Fwd thread id": 1}
    name = "CompiledFunctionBackward"
    with (
        recorder.on_thread(AUTOGRAD),
        recorder.op(f"autograd::engine::evaluate_function: {name}", linked),
        recorder.op(name, linked),
    ):
        yield


@contextmanager
def _graph_range(recorder: Recorder, key: str) -> Iterator[None]:
    """`## Call CompiledFxGraph … ##`: an annotation with shapes recorded, an operator without."""
    world = recorder.world
    if world.graph_ranges == "absent":
        yield
        return
    name = f"## Call CompiledFxGraph {key if world.graph_ranges == 'key' else None} ##"
    if world.record_shapes:
        with recorder.annotation(name, {"scope": "user_scope"}):
            yield
    else:
        with recorder.op(name):
            yield


def _in_order(program: CompiledProgram, world: World) -> list[CompiledGraph]:
    by_id = {graph.id: graph for graph in program.graphs}
    if world.order is not None:
        return [by_id[name] for name in world.order]
    backwards = [graph for graph in program.graphs if graph.kind == "backward"]
    return [graph for graph in program.graphs if graph not in backwards] + backwards[::-1]


def _eager_launches(graphs: list[CompiledGraph], world: World) -> int:
    """Eager launches per step, from the compiled calls' number and the wanted share."""
    launching = [
        call for graph in graphs for call in graph.calls if call.backend is not Backend.CPP
    ]
    return round(len(launching) * world.eager / (1 - world.eager))


def _pair(graph: CompiledGraph) -> str:
    """What a forward and its backward have in common: the number in `0_forward`."""
    return (graph.aot_id or graph.id).partition("_")[0]


def _invented_key(graph: CompiledGraph) -> str:
    """An FX cache key of the right shape: `f` and 51 letters and digits."""
    digest = hashlib.sha256(graph.id.encode()).digest()
    return "f" + b32encode(digest).decode().lower()[:51]
