"""What a peak could do without: the bytes are those of a graph that does without it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kernelmap.compiler import load_compiled
from kernelmap.memory import find_memory_savings, memory_of_program
from kernelmap.model import CompiledProgram
from kernelmap.model.memory_savings import MemorySaving, MemorySavingKind
from kernelmap.model.source import GraphText
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
