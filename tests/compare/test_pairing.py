"""Which calls are which: equal ones, and groups that were fused otherwise."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kernelmap.compare.pairing import Group, Piece, pair_calls, pair_graphs


def piece(letters: str, *, fingerprint: str | None = None) -> Piece:
    """A kernel that computes one node per letter."""
    parts = tuple(f"aten.{letter}.default f32[8]" for letter in letters)
    return Piece(fingerprint=fingerprint or f"f-{letters}", name=f"triton_{letters}", parts=parts)


def paired(before: str, after: str) -> list[tuple[str, str]]:
    """Groups of kernels, each written by its letters: "ab c" are two kernels."""
    ones, others = before.split(), after.split()
    return [
        (" ".join(ones[at] for at in group.before), " ".join(others[at] for at in group.after))
        for group in pair_calls([piece(each) for each in ones], [piece(each) for each in others])
        if not group.same
    ]


def test_a_broken_fusion_is_one_group() -> None:
    """One kernel that became two stands against both."""
    assert paired("x abc y", "x ab c y") == [("abc", "ab c")]


def test_what_moved_between_kernels_ties_them() -> None:
    """A node that another kernel took over makes one group of four calls."""
    assert paired("ab m c", "a m bc") == [("ab c", "a bc")]


def test_layers_do_not_run_into_each_other() -> None:
    """A change in one of several equal layers is a group there, and nothing elsewhere."""
    assert paired("ab c ab c ab c", "ab c a b c ab c") == [("ab", "a b")]


def test_new_and_gone_calls_have_no_other_side() -> None:
    """A call whose nodes are nowhere on the other side stands alone."""
    assert paired("a b c", "a c d") == [("b", ""), ("", "d")]


def test_views_tie_nothing() -> None:
    """Two kernels that read through the same kind of view have nothing in common."""
    view = "aten.view.default f32[8]"
    one = Piece(fingerprint="1", name="p", parts=(view, "aten.exp.default f32[8]"))
    other = Piece(fingerprint="2", name="q", parts=(view, "aten.log.default f32[8]"))

    assert pair_calls([one], [other]) == (
        Group(before=(0,), after=()),
        Group(before=(), after=(0,)),
    )


def test_other_shapes_still_pair() -> None:
    """The same ops on another batch size are the same calls, computing something else."""
    wide = Piece(fingerprint="w", name="k", parts=("aten.a.default f32[16]",))

    assert pair_calls([piece("a")], [wide]) == (Group(before=(0,), after=(0,)),)


KERNELS = st.lists(st.sampled_from(["a", "ab", "abc", "b", "c", "bc"]), max_size=12)


@given(KERNELS, KERNELS)
def test_every_call_is_in_one_group(before: list[str], after: list[str]) -> None:
    """Whatever the two sides are, no call is lost and none counts twice."""
    groups = pair_calls([piece(each) for each in before], [piece(each) for each in after])

    assert sorted(at for group in groups for at in group.before) == list(range(len(before)))
    assert sorted(at for group in groups for at in group.after) == list(range(len(after)))
    assert all(before[g.before[0]] == after[g.after[0]] for g in groups if g.same)


@given(KERNELS)
def test_the_same_code_is_the_same(kernels: list[str]) -> None:
    """A graph against itself: every call is itself, in place."""
    pieces = [piece(each) for each in kernels]

    assert pair_calls(pieces, pieces) == tuple(
        Group(before=(at,), after=(at,), same=True) for at in range(len(kernels))
    )


def test_graphs_are_paired_by_what_they_compute() -> None:
    """A graph that was numbered otherwise is found; one that is like none of the others is new."""
    layers, head = [piece("ab"), piece("c")], [piece("m"), piece("n"), piece("o")]
    found = pair_graphs(
        [layers, head],
        [head, [piece("x")], layers],
        (["0_inference", "1_inference"], ["0_inference", "7_inference", "2_inference"]),
    )

    assert found == [(0, 2), (1, 0)]
