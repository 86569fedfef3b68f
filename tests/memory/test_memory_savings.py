"""What a peak could do without: the bytes are those of a graph that does without it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import kernelmap
from kernelmap.compiler import load_compiled
from kernelmap.memory import find_memory_savings, memory_of_program, memory_of_step
from kernelmap.model import Backend, CompiledProgram, KernelDef
from kernelmap.model.memory import StepMemory
from kernelmap.model.memory_savings import MemorySaving, MemorySavingKind
from kernelmap.model.source import GraphText
from kernelmap.pages.memory_savings import sections_of_savings
from kernelmap.pages.page import PageTable
from memory_worlds import MemoryWorld, program_of

COPY, CAST, RELU = (
    "triton_poi_fused_clone_0",
    "triton_poi_fused__to_copy_0",
    "triton_poi_fused_relu_0",
)
MOVES = {COPY: "aten.clone", CAST: "aten._to_copy"}


def program(*worlds: MemoryWorld) -> CompiledProgram:
    """The program with what the compiler says of its kernels: category, and what copies run."""
    made, _ = program_of(*worlds)
    graphs = []
    for graph in made.graphs:
        calls = tuple(
            replace(
                call,
                category="poi" if call.wrapper.startswith("triton_poi") else None,
                origins=replace(call.origins, aten=(MOVES[call.wrapper],))
                if call.wrapper in MOVES and call.origins is not None
                else call.origins,
            )
            for call in graph.calls
        )
        graphs.append(replace(graph, calls=calls))
    return CompiledProgram(graphs=tuple(graphs))


def savings(*worlds: MemoryWorld) -> tuple[MemorySaving, ...]:
    return find_memory_savings(program(*worlds), [world.memory for world in worlds])


def only(*worlds: MemoryWorld) -> MemorySaving:
    (saving,) = savings(*worlds)
    return saving


def copied(*, has_copy: bool) -> MemoryWorld:
    world = MemoryWorld().take("x", 40).call("aten.mm", "x", makes={"a": 400})
    if has_copy:
        world.call(COPY, "a", makes={"b": 400}, stride=(2,), frees=["a"])
    read = "b" if has_copy else "a"
    return world.call("aten.bmm", read, makes={"c": 800}, frees=[read]).give("c")


def test_a_copy_in_another_layout_saves_what_its_original_does_not_take() -> None:
    """The original is freed behind the copy: without that it lives as long, and nothing is won."""
    assert savings(copied(has_copy=True)) == ()
    # Here the original stays anyway.
    saving = only(copied(has_copy=True).change("a", freed=None))

    assert (saving.kind, saving.buffer.name) == (MemorySavingKind.LAYOUT_COPY, "b")
    assert saving.without_bytes == copied(has_copy=False).memory.peak_bytes
    assert not saving.likely


def test_a_wider_buffer_that_is_only_cast_could_be_narrow_at_once() -> None:
    """The narrower one stands in its place."""

    def world(*, wide: bool) -> MemoryWorld:
        made = MemoryWorld().take("x", 40)
        if wide:
            made.call("aten.mm", "x", makes={"a": 400})
            made.call(CAST, "a", makes={"b": 200}, dtype="bfloat16", frees=["a"])
        else:
            made.call("aten.mm", "x", makes={"b": 200}, dtype="bfloat16")
        return made.call("aten.bmm", "b", makes={"c": 100}, frees=["b"]).give("c")

    saving = only(world(wide=True))

    assert (saving.kind, saving.buffer.name) == (MemorySavingKind.NARROW, "a")
    assert saving.without_bytes == world(wide=False).memory.peak_bytes


def pointwise(*, again: bool, keeps_input: bool = True) -> MemoryWorld:
    """A relu that is needed before and behind a large product; `again`: it runs twice."""
    world = (
        MemoryWorld()
        .take("x", 400)
        .call("aten.mm", "x", makes={"a": 400})
        .call(RELU, "a", makes={"b": 400}, frees=[] if keeps_input else ["a"])
        .call("aten.bmm", "b", makes={"c": 40}, frees=["b"] if again else [])
        .call("aten.addmm", "c", makes={"d": 2_000}, frees=["c"])
        .call("aten.baddbmm", "d", makes={"e": 40}, frees=["d"])
    )
    if again:
        world.call(RELU, "a", makes={"b": 400})
    uses = ["b", "e", *(["a"] if keeps_input else [])]
    return world.call("aten.cat", *uses, makes={"f": 40}).give("f")


def test_a_pointwise_buffer_of_what_is_there_anyway_could_be_made_again() -> None:
    """The peak is that of the code which makes it twice."""
    saving = only(pointwise(again=False))

    assert (saving.kind, saving.buffer.name) == (MemorySavingKind.RECOMPUTE, "b")
    assert saving.without_bytes == pointwise(again=True).memory.peak_bytes
    assert saving.likely


def test_what_its_kernel_reads_has_to_be_there() -> None:
    """An input that is gone by then would have to live longer instead."""
    assert savings(pointwise(again=False, keeps_input=False)) == ()


def test_an_input_that_nobody_needs_any_more_could_go() -> None:
    """Unless it is a parameter, which Dynamo's graph tells by its name."""
    world = (
        MemoryWorld()
        .take("arg0_1", 400)
        .call("aten.mm", "arg0_1", makes={"a": 40})
        .call("aten.bmm", "a", makes={"b": 800}, frees=["a"])
        .give("b")
    )
    world.change("arg0_1", let_go=3)
    made = program(world)

    def found(stated: str) -> list[MemorySavingKind]:
        text = GraphText(f'    def forward(self, {stated}: "f32[100]"):\n', {})
        graph = replace(made.graphs[0], pre_grad_text=text)
        program_stated = CompiledProgram(graphs=(graph,))
        return [each.kind for each in find_memory_savings(program_stated, [world.memory])]

    assert [each.kind for each in savings(world)] == [MemorySavingKind.LET_GO]
    assert found("L_x_") == [MemorySavingKind.LET_GO]
    assert found("L_self_modules_head_parameters_weight_") == []


def test_what_a_forward_saves_could_be_made_again_in_the_backward() -> None:
    """Where it is pointwise, and what its kernel reads is saved as well."""
    forward = (
        MemoryWorld("0_forward")
        .take("x", 40)
        .call("aten.mm", "x", makes={"a": 400})
        .call(RELU, "a", makes={"b": 400})
        .call("aten.bmm", "b", makes={"c": 40})
        .call("aten.addmm", "c", makes={"d": 800}, frees=["c"])
        .give("d", "a", "b")
    )
    backward = MemoryWorld("0_backward").take("a", 400, origin="0_forward/0")
    backward.take("b", 400, origin="0_forward/1").take("tangents_1", 800)
    backward.call("aten.mm", "a", "b", "tangents_1", makes={"d": 40}).give("d")
    (saving,) = [each for each in savings(forward, backward) if each.graph == "0_forward"]

    assert (saving.kind, saving.buffer.name) == (MemorySavingKind.RECOMPUTE, "b")
    assert saving.saved_bytes == 400
    assert "in the backward" in saving.doubt


def trained(*, again: bool, releases: bool = False) -> tuple[MemoryWorld, MemoryWorld]:
    """A forward that saves a product and its relu; `again`: the backward makes the relu itself.

    `releases`: the backward lets go of the product before it needs the relu.
    """
    forward = (
        MemoryWorld("0_forward")
        .take("x", 40)
        .call("aten.mm", "x", makes={"a": 400})
        .call(RELU, "a", makes={"b": 400})
        .call("aten.bmm", "b", makes={"c": 40}, frees=["b"] if again else [])
        .call("aten.addmm", "c", makes={"d": 800}, frees=["c"])
        .give("d", "a", *([] if again else ["b"]))
    )
    backward = MemoryWorld("0_backward").take("a", 400, origin="0_forward/0")
    if not again:
        backward.take("b", 400, origin="0_forward/1")
    is_early = releases and not again
    backward.take("tangents_1", 800)
    backward.call("aten.mm", "a", "tangents_1", makes={"e": 600}, frees=["a"] if is_early else [])
    backward.call("aten.addmm", "e", makes={"f": 40}, frees=["e"])
    if again:
        backward.call(RELU, "a", makes={"b": 400}, frees=["a"] if releases else [])
    backward.call("aten.bmm", "b", "f", makes={"g": 40}, frees=["b", *([] if releases else ["a"])])
    return forward, backward.give("g", "f")


def of_step(worlds: Sequence[MemoryWorld], runs: int = 1) -> tuple[CompiledProgram, StepMemory]:
    """The program, and a step in which each forward runs so many times, then its backward."""
    made = program(*worlds)
    graphs = tuple(
        replace(graph, kind=graph.id.rpartition("_")[2], aot_id=graph.id) for graph in made.graphs
    )
    made = CompiledProgram(graphs=graphs)
    order = [worlds[0].name] * runs + [worlds[1].name] * runs
    return made, memory_of_step([world.memory for world in worlds], made, order)


def peak_of(step: StepMemory) -> int:
    return max(run.peak for run in step.runs)


@pytest.mark.parametrize("runs", [1, 3])
@pytest.mark.parametrize("releases", [False, True])
def test_the_peak_of_a_step_is_that_of_the_code_which_makes_it_again(
    releases: bool,
    runs: int,
) -> None:
    """Over forward and backward: what it is made of lives until then, where it would have gone.

    A forward that runs several times saves several times as much.
    """
    worlds = trained(again=False, releases=releases)
    made, step = of_step(worlds, runs)
    found = find_memory_savings(made, [world.memory for world in worlds], step)
    (saving,) = [each for each in found if each.buffer.name == "b"]
    _, changed = of_step(trained(again=True, releases=releases), runs)

    assert saving.step_peak_bytes == peak_of(step)
    assert saving.step_without_bytes == peak_of(changed)
    assert ("has to live until then" in saving.doubt) == releases


def test_a_tensor_that_is_gone_at_the_peak_of_its_step_saves_nothing_there() -> None:
    """Its graph's peak falls, and that of the step does not: both are said."""
    forward, backward = trained(again=False)
    backward.call("aten.cat", "g", makes={"h": 4_000}).give("h")
    made, step = of_step((forward, backward))
    (saving,) = find_memory_savings(made, [forward.memory, backward.memory], step)

    assert saving.saved_bytes == 400
    assert saving.step_saved_bytes == 0


def test_what_a_cuda_graph_replays_saves_nothing_in_a_step() -> None:
    """A replay allocates nothing: only the peak of the graph is said."""
    worlds = trained(again=False)
    made, _ = of_step(worlds)
    memories = [world.memory for world in worlds]
    names = [world.name for world in worlds]
    (saving,) = find_memory_savings(
        made, memories, memory_of_step(memories, made, names, replayed=names)
    )

    assert saving.saved_bytes == 400
    assert saving.step_peak_bytes is saving.step_saved_bytes is None


def test_what_saves_most_in_the_step_comes_first() -> None:
    """A tensor that is made behind the peak of its forward counts, too: the backward finds it."""
    forward = MemoryWorld("0_forward").take("x", 40).call("aten.mm", "x", makes={"a": 400})
    forward.call("aten.addmm", "a", makes={"d": 4_000})
    forward.call("aten.bmm", "d", makes={"e": 40}, frees=["d"])
    forward.call(RELU, "a", makes={"b": 400}).give("e", "a", "b")
    backward = MemoryWorld("0_backward").take("a", 400, origin="0_forward/0")
    backward.take("b", 400, origin="0_forward/3").take("tangents_1", 40)
    backward.call("aten.mm", "a", "tangents_1", makes={"f": 5_000})
    backward.call("aten.addmm", "f", makes={"g": 40}, frees=["f"])
    backward.call("aten.bmm", "g", "b", makes={"h": 40}, frees=["a", "b"]).give("h")
    made, step = of_step((forward, backward))
    (saving, *_) = find_memory_savings(made, [forward.memory, backward.memory], step)

    assert saving.buffer.name == "b"
    assert (saving.saved_bytes, saving.step_saved_bytes) == (0, 400)


def test_an_input_that_is_let_go_of_is_gone_while_later_graphs_of_the_step_run() -> None:
    """Behind the peak of its own graph as well, where it is known to be no parameter."""
    forward = MemoryWorld("0_forward").take("primals_1", 400)
    forward.call("aten.mm", "primals_1", makes={"a": 4_000})
    forward.call("aten.addmm", "a", makes={"b": 40}, frees=["a"]).give("b")
    forward.change("primals_1", let_go=len(forward.steps) - 1)
    backward = MemoryWorld("0_backward").take("tangents_1", 40)
    backward.call("aten.bmm", "tangents_1", makes={"c": 8_000}).give("c")
    made, step = of_step((forward, backward))

    def found(stated: str) -> list[tuple[int, int | None]]:
        text = GraphText(f'    def forward(self, {stated}: "f32[100]"):\n', {})
        told = replace(made.graphs[0], pre_grad_text=text)
        program_told = CompiledProgram(graphs=(told, made.graphs[1]))
        memories = [forward.memory, backward.memory]
        each = find_memory_savings(program_told, memories, step)
        return [(one.saved_bytes, one.step_saved_bytes) for one in each]

    assert found("L_x_") == [(0, 400)]
    assert found("L_self_modules_head_parameters_weight_") == []


def test_a_kernel_in_cpp_that_adds_up_nothing_is_pointwise() -> None:
    """Its name does not say so, but its text does."""

    def world(line: str) -> list[str]:
        made = program(pointwise(again=False))
        graph = made.graphs[0]
        calls = tuple(
            replace(call, backend=Backend.CPP, category=None, kernel=RELU)
            if call.wrapper == RELU
            else call
            for call in graph.calls
        )
        kernel = KernelDef(name=RELU, function=RELU, backend=Backend.CPP, first_line=1, last_line=1)
        told = replace(graph, calls=calls, kernels=(kernel,), text=line)
        program_told = CompiledProgram(graphs=(told,))
        memories = [pointwise(again=False).memory]
        return [each.buffer.name for each in find_memory_savings(program_told, memories)]

    assert world("tmp0.store(out_ptr0);") == ["b"]
    assert world("float tmp_acc0 = 0;") == []


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_no_saving_is_more_than_its_buffer(sizes: list[int]) -> None:
    """And a peak is never lower than what the graph is handed."""
    world = MemoryWorld().take("x", 40)
    last = "x"
    for at, size in enumerate(sizes):
        world.call(RELU, last, makes={f"buf{at}": 40 * size})
        last = f"buf{at}"
    for saving in savings(world.give(last)):
        assert 0 < saving.saved_bytes <= (saving.buffer.nbytes or 0)


@pytest.mark.parametrize("sample", ["cuda_mlp_train", "cuda_lost_kernels", "cuda_reason_pairs"])
def test_savings_of_real_code_are_of_buffers_at_the_peak(samples: Path, sample: str) -> None:
    """Largest first, and each below its own bytes."""
    code = load_compiled(samples / sample)
    memories = {memory.graph: memory for memory in memory_of_program(code)}
    found = find_memory_savings(code, list(memories.values()))

    assert found
    assert [each.saved_bytes for each in found] == sorted(
        (each.saved_bytes for each in found), reverse=True
    )
    for saving in found:
        memory = memories[saving.graph]
        assert saving.buffer.is_alive_after(memory.peak_step)
        assert saving.peak_bytes == memory.peak_bytes
        assert saving.saved_bytes <= (saving.buffer.nbytes or 0)


def test_a_page_shows_what_lowers_the_step_and_not_what_lowers_one_graph_alone(
    samples: Path,
) -> None:
    """Of two activations of equal size only the one that is saved over the peak is worth a line."""
    result = kernelmap.memory_of(samples / "cuda_mlp_train")
    rows = result.tables.rows["savings"]
    (section,) = sections_of_savings(rows)

    assert [row["name"] for row in rows] == ["buf6", "buf17"]
    assert [row["step_saved_bytes"] for row in rows] == [2_330_624, 0]
    assert isinstance(section, PageTable)
    (shown,) = section.rows
    assert shown.cells[0] == "2.33 MB"
    assert "23.3 MB → 21 MB" in shown.cells
    assert "over all graphs of a step" in str(section.about)
