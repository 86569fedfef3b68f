"""Which calls are which: equal ones, and groups that were fused otherwise."""

from __future__ import annotations

import shutil
from pathlib import Path

from histories.play import Cost, Weather, play
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kernelmap.compiler import load_compiled
from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.history.compare.numbers.comparison import compare_sides
from kernelmap.history.compare.pairing.calls import pair_calls, pair_graphs
from kernelmap.history.compare.sides.pieces import Group, Piece, Witness
from kernelmap.history.compare.sides.side import side_of_result


def piece(letters: str, *, fingerprint: str | None = None) -> Piece:
    """A kernel that computes one node per letter."""
    parts = tuple(f"aten.{letter}.default f32[8]" for letter in letters)
    return Piece(fingerprint=fingerprint or f"f-{letters}", name=f"triton_{letters}", parts=parts)


def lined(text: str) -> list[Piece]:
    """Kernels written `work@line`: equal work has equal fingerprints; `@` may be left out."""
    pieces = []
    for number, word in enumerate(text.split()):
        letters, _, line = word.partition("@")
        count = sum(e.partition("@")[0] == letters for e in text.split()[:number])
        one = piece(letters, fingerprint=f"f-{letters}~{count}" if count else None)
        pieces.append(replace(one, lines=(f"model.py: {line}",) if line else ()))
    return pieces


def witnessed(before: str, after: str) -> list[tuple[str, str, Witness | None]]:
    """Groups as they are written, and what paired them."""
    return [
        (
            " ".join(before.split()[at] for at in group.before),
            " ".join(after.split()[at] for at in group.after),
            group.witness,
        )
        for group in pair_calls(lined(before), lined(after))
    ]


def paired(before: str, after: str) -> list[tuple[str, str]]:
    """Groups of kernels, each written by its letters: "ab c" are two kernels."""
    ones, others = before.split(), after.split()
    return [
        (" ".join(ones[at] for at in group.before), " ".join(others[at] for at in group.after))
        for group in pair_calls(
            [piece(letters) for letters in ones], [piece(letters) for letters in others]
        )
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

    assert pair_calls([piece("a")], [wide]) == (
        Group(before=(0,), after=(0,), witness=Witness.OPS),
    )


def test_equal_calls_are_recognized_by_their_lines() -> None:
    """One more of equal calls takes no other's place, wherever it was put in."""
    assert witnessed("a@1 a@2", "a@1 a@new a@2") == [
        ("a@1", "a@1", Witness.LINE),
        ("", "a@new", Witness.LINE),
        ("a@2", "a@2", Witness.LINE),
    ]
    assert witnessed("a@1 a@2 a@3", "a@2 a@3")[0] == ("a@1", "", Witness.LINE)
    assert witnessed("a@1 a@2", "a@2 a@1") == [
        ("a@2", "a@2", Witness.LINE),
        ("a@1", "a@1", Witness.LINE),
    ]


def test_calls_at_known_lines_hold_the_others_in_place() -> None:
    """A call whose line was written otherwise stands between the same neighbors as before."""
    assert witnessed("a@1 a@2 a@3", "a@2 a@other") == [
        ("a@1", "", Witness.AMONG),
        ("a@2", "a@2", Witness.LINE),
        ("a@3", "a@other", Witness.AMONG),
    ]


def test_what_only_order_tells_is_not_called_sure() -> None:
    """Without lines, or in a loop, one of several equal calls may be another."""
    for before, after in (("a a", "a a a"), ("a@1 a@1", "a@1 a@1 a@1")):
        witnesses = [witness for _, _, witness in witnessed(before, after)]

        assert witnesses == [Witness.AMONG] * 3
        assert not Witness.AMONG.sure
    assert [witness for _, _, witness in witnessed("a b a", "a b a")] == [
        Witness.ORDER,
        Witness.FINGERPRINT,
        Witness.ORDER,
    ]


def test_other_work_is_paired_at_its_line() -> None:
    """The same op on other sizes, twice: each is held against the one at its own line."""

    def sized(line: str, size: int) -> Piece:
        part = f"aten.a.default f32[{size}]"
        return Piece(
            fingerprint=f"{line}{size}", name="k", parts=(part,), ops=("aten.a",), lines=(line,)
        )

    assert pair_calls([sized("x", 1), sized("y", 2)], [sized("y", 3), sized("x", 4)]) == (
        Group(before=(1,), after=(0,), witness=Witness.OPS_LINE),
        Group(before=(0,), after=(1,), witness=Witness.OPS_LINE),
    )
    assert pair_calls([sized("x", 1)], [sized("y", 3)])[0].witness is Witness.OPS


def test_a_group_is_as_sure_as_its_weakest_tie() -> None:
    """One half stands at the line of the whole, of the other half no line is known: nodes."""
    whole, *halves = (replace(piece(letters), lines=("x",)) for letters in ("ab", "a", "b"))

    assert pair_calls([whole], halves)[0].witness is Witness.NODES_LINE
    assert pair_calls([whole], [halves[0], replace(halves[1], lines=())]) == (
        Group(before=(0,), after=(0, 1), witness=Witness.NODES),
    )


def test_a_line_put_into_real_code_is_the_new_call(tmp_path: Path) -> None:
    """Inductor's own code before and after: the third of four equal products is the new one.

    By their numbers alone the fourth would be new, and the third would stand against another line.
    """
    sides = []
    for seed, name in enumerate(("before", "after")):
        kept = Path(__file__).parent / "inserted" / name
        for path in kept.iterdir():  # texts there, so that no tool takes them for our code
            place = tmp_path / name / path.name.replace(".txt", ".py")
            place.parent.mkdir(exist_ok=True)
            shutil.copyfile(path, place)
        program = load_compiled(tmp_path / name)
        costs = [
            Cost(ns=10_000 + 5_000 * at, device_name=c.wrapper)
            for at, (_, c) in enumerate(program.calls)
        ]
        sides.append(side_of_result(play(program, costs, Weather(), seed), name))
    comparison = compare_sides(*sides)
    (new,) = [change for change in comparison.changes if change.cause is Cause.NEW]
    pairs = {
        change.before[0].id: (change.after[0].id, change.witness)
        for change in comparison.changes
        if change.before and change.after
    }

    assert [call.id for call in new.after] == ["0_inference/2"]
    assert new.witness is Witness.LINE
    assert pairs["0_inference/1"] == ("0_inference/1", Witness.LINE)
    assert pairs["0_inference/2"] == ("0_inference/3", Witness.LINE)
    assert pairs["0_inference/3"] == ("0_inference/4", Witness.FINGERPRINT)


KERNELS = st.lists(st.sampled_from(["a", "ab", "abc", "b", "c", "bc"]), max_size=12)


@given(KERNELS, KERNELS)
def test_every_call_is_in_one_group(before: list[str], after: list[str]) -> None:
    """Whatever the two sides are, no call is lost and none counts twice."""
    groups = pair_calls(
        [piece(letters) for letters in before], [piece(letters) for letters in after]
    )

    assert sorted(at for group in groups for at in group.before) == list(range(len(before)))
    assert sorted(at for group in groups for at in group.after) == list(range(len(after)))
    assert all(before[g.before[0]] == after[g.after[0]] for g in groups if g.same)


LINED = st.lists(
    st.tuples(st.sampled_from(["a", "ab", "b"]), st.sampled_from(["", "@1", "@2", "@3"])).map(
        "".join
    ),
    max_size=10,
)


@given(LINED, LINED)
def test_lines_lose_no_call_and_every_pair_has_a_witness(
    before: list[str], after: list[str]
) -> None:
    """Calls at known and unknown lines are each in one group, which names its witness."""
    groups = pair_calls(lined(" ".join(before)), lined(" ".join(after)))
    by_line = [
        (witness, before[g.before[0]], after[g.after[0]])
        for g in groups
        if (witness := g.witness) is Witness.LINE and g.before and g.after
    ]

    assert sorted(at for group in groups for at in group.before) == list(range(len(before)))
    assert sorted(at for group in groups for at in group.after) == list(range(len(after)))
    assert all(group.witness for group in groups if group.before and group.after)
    assert all(one == other and before.count(one) == 1 for _, one, other in by_line)


@given(KERNELS)
def test_the_same_code_is_the_same(kernels: list[str]) -> None:
    """In a graph against itself, every call is paired with itself."""
    pieces = [piece(letters) for letters in kernels]

    assert pair_calls(pieces, pieces) == tuple(
        Group(
            before=(at,),
            after=(at,),
            same=True,
            witness=Witness.FINGERPRINT if kernels.count(letters) == 1 else Witness.ORDER,
        )
        for at, letters in enumerate(kernels)
    )


def test_graphs_are_paired_by_what_they_compute() -> None:
    """A graph that was numbered otherwise is found; one that is like none of the others is new."""
    layers, head = [piece("ab"), piece("c")], [piece("m"), piece("n"), piece("o")]
    pairs = pair_graphs(
        [layers, head],
        [head, [piece("x")], layers],
        (["0_inference", "1_inference"], ["0_inference", "7_inference", "2_inference"]),
    )

    assert pairs == [(0, 2), (1, 0)]


def test_what_stands_between_the_same_calls_is_one_place() -> None:
    """Work that shares nothing is still one call that became another, where its result is alike."""
    assert witnessed("a b c", "a d c") == [
        ("a", "a", Witness.FINGERPRINT),
        ("b", "d", Witness.PLACE),
        ("c", "c", Witness.FINGERPRINT),
    ]
    wider = replace(piece("d"), parts=("aten.d.default f32[16]",))
    groups = pair_calls(lined("a b c"), [piece("a"), wider, piece("c")])
    assert [(group.before, group.after) for group in groups if not group.same] == [
        ((1,), ()),
        ((), (1,)),
    ]
    assert not Witness.PLACE.sure


def test_a_call_on_one_side_only_holds_no_place() -> None:
    """Behind the same call, but not ahead of one that has its counterpart, may stand anything."""
    for before, after in (("a b c", "a d e"), ("c b a", "e d a")):
        pairs = {(one, other) for one, other, _ in witnessed(before, after)}
        assert pairs == {("a", "a"), ("b", ""), ("c", ""), ("", "d"), ("", "e")}


def test_what_stands_beside_a_replaced_call_is_of_its_group() -> None:
    """A call that became two is one group where the code names no nodes, but the same operators.

    So is one of two that became one. What works for other operators, or does not stand beside it,
    is new or gone by itself.
    """
    norm, add = ("aten.layer_norm", "aten.view"), ("aten.add",)

    def piece(key: str, ops: tuple[str, ...], *parts: str) -> Piece:
        return Piece(fingerprint=key, name=f"triton_{key}", ops=ops, parts=parts or ops)

    fence = [piece("first", ("aten.mm",)), piece("last", ("aten.mm",))]
    one = [fence[0], piece("whole", norm), fence[1]]
    two = [fence[0], piece("mean", norm), piece("scale", norm), fence[1]]
    other = [fence[0], piece("mean", norm), piece("sum", add), fence[1]]
    apart = [fence[0], piece("mean", norm), fence[1], piece("scale", norm)]

    def others(before: list[Piece], after: list[Piece]) -> list[tuple[int, int]]:
        groups = [group for group in pair_calls(before, after) if not group.same]
        return [(len(group.before), len(group.after)) for group in groups]

    assert others(one, two) == [(1, 2)]
    assert others(two, one) == [(2, 1)]
    assert others(one, other) == [(1, 1), (0, 1)]
    assert others(one, apart) == [(1, 1), (0, 1)]
