"""Why the peak of a graph's memory changed: buffers, reasons, sums to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.compiler import load_compiled
from kernelmap.history.compare.memory.codes import compare_codes, read_code_memory
from kernelmap.history.compare.memory.peaks import PeakChange, change_of_peak
from kernelmap.history.compare.memory.reasons import MemoryReason
from kernelmap.history.compare.pairing.buffers import CallGroup
from kernelmap.history.compare.pairing.calls import pair_calls
from kernelmap.history.compare.sides.held import HeldGraph, held_graphs
from kernelmap.history.compare.sides.pieces import Piece
from kernelmap.memory import memory_of_program
from kernelmap.tables.lifetimes import rows_of_lifetimes
from memory_worlds import MemoryWorld, program_of

RELU, GELU, CLONE = "triton_poi_fused_relu_0", "triton_poi_fused_gelu_0", "triton_poi_fused_clone_0"


def held(*worlds: MemoryWorld) -> tuple[HeldGraph, ...]:
    return held_graphs(rows_of_lifetimes(*program_of(*worlds)))


def changed(before: MemoryWorld, after: MemoryWorld) -> PeakChange:
    """The change between two worlds; calls of one name compute the same."""
    groups = pair_calls(
        *([Piece(fingerprint=name, name=name) for name in one.symbols] for one in (before, after))
    )
    return change_of_peak(
        held(before)[0],
        held(after)[0],
        [CallGroup(before=one.before, after=one.after, same=one.same) for one in groups],
    )


def told(change: PeakChange) -> list[tuple[str, MemoryReason, int]]:
    return [(one.buffer.name, one.reason, one.change_bytes) for one in change.changes]


def name_of_other(change: PeakChange) -> str | None:
    """The second buffer that the first reason speaks of."""
    other = change.changes[0].other
    return None if other is None else other.name


def chain(*, frees: bool = True, name: str = "0_inference") -> MemoryWorld:
    """Two products and a kernel; without `frees` the first result stays until the end."""
    return (
        MemoryWorld(name)
        .take("x", 100)
        .call("aten.mm", "x", makes={"buf0": 400})
        .call(RELU, "buf0", makes={"buf1": 400}, frees=["buf0"] if frees else [])
        .call("aten.bmm", "buf1", makes={"buf2": 400}, frees=["buf1"])
        .give("buf2")
    )


def test_the_peak_of_calls_is_the_peak_of_statements() -> None:
    """To the byte, at whatever statement between two calls it stands."""
    world = chain()

    assert held(world)[0].peak_bytes == world.memory.peak_bytes == 900
    assert held(world)[0].peak_moment == 1


def test_nothing_changes_between_equal_codes() -> None:
    """Other names of buffers are no change."""
    change = changed(chain(), chain())

    assert (change.changes, change.change_bytes, change.room_bytes) == ((), 0, 0)


def test_a_buffer_that_lives_longer_is_named_with_what_the_peak_had_at_that_place() -> None:
    """The newer peak stands at another call: what was alive there before is no change."""
    change = changed(chain(), chain(frees=False))

    assert told(change) == [("buf0", MemoryReason.LONGER, 400)]
    assert (change.change_bytes, change.room_bytes, change.places) == (400, 0, (2, 2))
    assert [one and one.last for one in (change.changes[0].before, change.changes[0].after)] == [
        1,
        2,
    ]


def test_a_buffer_that_is_freed_earlier_is_named_where_the_peak_was() -> None:
    """The other way round."""
    change = changed(chain(frees=False), chain())

    assert told(change) == [("buf0", MemoryReason.SHORTER, -400)]
    assert change.change_bytes == -400


def test_memory_that_nobody_takes_over_any_more_is_told_with_its_heir() -> None:
    """The heir has memory of its own now."""

    def world(reuses: dict[str, str]) -> MemoryWorld:
        frees = [] if reuses else ["buf0"]
        return (
            MemoryWorld()
            .take("x", 100)
            .call("aten.mm", "x", makes={"buf0": 400})
            .call(RELU, "buf0", makes={"buf1": 400}, reuses=reuses, frees=frees)
            .give("buf1")
        )

    change = changed(world({"buf1": "buf0"}), world({}))

    assert told(change) == [("buf0", MemoryReason.REUSE_LOST, 400)]
    assert name_of_other(change) == "buf1"


def test_what_is_used_later_as_well_lives_longer() -> None:
    """Also where its memory was reused before: the later use is the reason."""
    before = (
        MemoryWorld()
        .take("x", 100)
        .call("aten.mm", "x", makes={"buf0": 400})
        .call(RELU, "buf0", makes={"buf1": 400}, reuses={"buf1": "buf0"})
        .call("aten.bmm", "buf1", makes={"buf2": 40}, frees=["buf1"])
        .give("buf2")
    )
    after = (
        MemoryWorld()
        .take("x", 100)
        .call("aten.mm", "x", makes={"buf0": 400})
        .call(RELU, "buf0", makes={"buf1": 400})
        .call("aten.bmm", "buf1", "buf0", makes={"buf2": 40}, frees=["buf1", "buf0"])
        .give("buf2")
    )

    assert told(changed(before, after)) == [("buf0", MemoryReason.LONGER, 400)]


def test_what_a_forward_saves_is_told_as_saved() -> None:
    """Where the backward is known, which takes it."""

    def worlds(*saved: str) -> tuple[MemoryWorld, MemoryWorld]:
        forward = (
            MemoryWorld("0_forward")
            .take("x", 100)
            .call("aten.mm", "x", makes={"buf0": 400})
            .call(RELU, "buf0", makes={"buf1": 400}, frees=[] if "buf0" in saved else ["buf0"])
            .call("aten.bmm", "buf1", makes={"buf2": 400}, frees=["buf1"])
            .give("buf2", *saved)
        )
        backward = MemoryWorld("0_backward")
        for name in saved:
            backward.take(name, 400, origin="0_forward/0")
        backward.take("tangents_1", 400).call("aten.mm", "tangents_1", makes={"buf0": 100})
        return forward, backward.give("buf0")

    before, after = held(*worlds()), held(*worlds("buf0"))
    same = [CallGroup(before=(at,), after=(at,), same=True) for at in range(3)]
    forward, backward = (
        change_of_peak(one, other, same) for one, other in zip(before, after, strict=True)
    )

    assert told(forward) == [("buf0", MemoryReason.SAVED, 400)]
    assert told(backward) == [("buf0", MemoryReason.SAVED, 400)]


def test_a_kernel_that_became_two_leaves_a_buffer_between_them() -> None:
    """The last result is the old one, also where both have one type."""
    before = MemoryWorld().take("x", 400).call(RELU, "x", makes={"buf0": 400}).give("buf0")
    after = (
        MemoryWorld()
        .take("x", 400)
        .call(RELU, "x", makes={"buf0": 400})
        .call(GELU, "buf0", makes={"buf1": 400}, frees=["buf0"])
        .give("buf1")
    )
    change = change_of_peak(
        held(before)[0], held(after)[0], [CallGroup(before=(0,), after=(0, 1), same=False)]
    )

    assert told(change) == [("buf0", MemoryReason.UNFUSED, 400)]


def test_a_copy_is_told_with_what_it_is_a_copy_of() -> None:
    """A kernel that only clones one tensor makes a copy; in another dtype it is a cast."""

    def world(*, copies: bool, dtype: str = "float32") -> MemoryWorld:
        made = MemoryWorld().take("x", 100).call("aten.mm", "x", makes={"buf0": 400})
        if copies:
            nbytes = {"float32": 400, "bfloat16": 200}[dtype]
            made.call("aten.clone", "buf0", makes={"buf1": nbytes}, dtype=dtype, stride=(2,))
        source = "buf1" if copies else "buf0"
        return made.call("aten.bmm", source, makes={"buf2": 400}).give("buf2")

    assert told(changed(world(copies=False), world(copies=True))) == [
        ("buf1", MemoryReason.LAYOUT_COPY, 400)
    ]
    cast = changed(world(copies=False), world(copies=True, dtype="bfloat16"))
    assert told(cast) == [("buf1", MemoryReason.CAST_COPY, 200)]
    assert name_of_other(cast) == "buf0"
    assert told(changed(world(copies=True), world(copies=False))) == [
        ("buf1", MemoryReason.NO_LAYOUT_COPY, -400)
    ]


@pytest.mark.parametrize(
    ("nbytes", "dtype", "reason"),
    [(800, "float32", MemoryReason.DTYPE), (600, "bfloat16", MemoryReason.SHAPE)],
)
def test_a_larger_buffer_says_what_makes_it_larger(
    nbytes: int, dtype: str, reason: MemoryReason
) -> None:
    """The dtype, else the shape."""

    def world(nbytes: int, dtype: str) -> MemoryWorld:
        return (
            MemoryWorld()
            .take("x", 100)
            .call("aten.mm", "x", makes={"buf0": nbytes}, dtype=dtype)
            .give("buf0")
        )

    change = changed(world(400, "bfloat16"), world(nbytes, dtype))

    assert told(change) == [("buf0", reason, nbytes - 400)]


_SIZES = st.integers(1, 9)
_CALLS = st.lists(
    st.tuples(st.sampled_from(["aten.mm", "aten.bmm", RELU, GELU]), _SIZES, st.integers(0, 3)),
    min_size=1,
    max_size=8,
)


def random_world(calls: list[tuple[str, int, int]]) -> MemoryWorld:
    """Each call makes a buffer and frees the one that many calls back, if there is one."""
    world = MemoryWorld().take("x", 40)
    living: list[str] = []
    for at, (symbol, size, back) in enumerate(calls):
        uses = living[-1:] or ["x"]
        frees = [living.pop(-back)] if 0 < back <= len(living) else []
        world.call(symbol, *uses, makes={f"buf{at}": 40 * size}, frees=frees)
        living.append(f"buf{at}")
    return world.give(f"buf{len(calls) - 1}")


@given(_CALLS, _CALLS)
def test_changes_and_room_add_up_to_the_change_of_the_peak(
    before: list[tuple[str, int, int]], after: list[tuple[str, int, int]]
) -> None:
    """Whatever two graphs hold, and none of a graph against itself."""
    one, other = random_world(before), random_world(after)
    change = changed(one, other)
    total = sum(each.change_bytes for each in change.changes)

    assert change.change_bytes == other.memory.peak_bytes - one.memory.peak_bytes
    assert not change.change_bytes or total + change.room_bytes == change.change_bytes
    assert changed(one, one).changes == ()
    assert changed(one, one).room_bytes == 0


CODES = sorted(
    path.parent.name
    for path in (Path(__file__).parents[3] / "sample_traces").glob("*/RUN.toml")
    if path.parent.name != "sim_fleet"
)


@pytest.mark.sampled
@pytest.mark.parametrize("sample", CODES)
def test_peaks_over_calls_are_those_over_statements_in_all_samples(
    sample: str, samples: Path
) -> None:
    """The rows of a graph add up to its peak, and a code held against itself has no change."""
    code = load_compiled(samples / sample)
    memories = memory_of_program(code)
    rows = rows_of_lifetimes(code, memories)
    sums: dict[str, int] = {memory.graph: 0 for memory in memories}
    for row in rows:
        sums[str(row["graph"])] += int(str(row["peak_bytes"]))

    peaks = {memory.graph: memory.peak_bytes for memory in memories}
    assert sums == peaks
    assert {graph.graph: graph.peak_bytes for graph in held_graphs(rows)} == {
        graph: peak for graph, peak in peaks.items() if peak
    }
    known = read_code_memory(code)
    compared = compare_codes(known, known)
    assert (compared.changed, compared.new, compared.gone) == ((), (), ())
