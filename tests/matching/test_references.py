"""What reference runs teach the model of launch sequences: habits of calls, and whose they are not.

A reference is written as words and call numbers, `a:0 sgemm:1 splitk:1 b:2`; a dash is no call.
"""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

import tiny
from kernelmap.matching import Match, match_launches, match_like
from kernelmap.matching.aligner.pinned import pin_references
from kernelmap.matching.explaining.explain import explain_launch
from kernelmap.matching.references.learning import LearntRan, learned_sequences, sequences_of
from kernelmap.model import NONE, Activity, CompiledGraph, CompiledProgram, Method
from kernelmap.model.learnt import Learnt, LearntLaunch, LearntSequence
from matching.bare import graph, matched, named, run
from matching.test_transfer import GEMM, Host, capture

COLUMNS = ("call", "confidence", "method", "reason", "invocation")


def launches(words: str, shapes: str = "") -> tuple[LearntLaunch, ...]:
    """The launches of a reference; of `shapes`, one letter per launch, equal ones are equal."""
    learned = []
    for at, word in enumerate(words.split()):
        name, _, call = word.partition(":")
        learned.append(
            LearntLaunch(
                name=f"k_{name}" if len(name) == 1 else name,
                activity=Activity.KERNEL,
                shape=(ord(shapes[at]), 1, 1, 128, 1, 1) if shapes else None,
                calls=() if call == "-" else (int(call),),
                run=NONE if call == "-" else 0,
            )
        )
    return tuple(learned)


def taught(
    words: str,
    reference: str,
    *graphs: CompiledGraph,
    shapes: tuple[str, str] = ("", ""),
) -> Match:
    """What is made of launches in a row by one reference; `shapes` of both."""
    program = CompiledProgram(graphs=graphs)
    sequence = LearntSequence(
        launches=launches(reference, shapes[1]), whole=False, times=3, label="invocation 0"
    )
    learnt = Learnt(program=program, sequences=(sequence,), source="bundle")
    return match_like(program, run(words, shapes=shapes[0]), [learnt])


def columns(result: Match) -> list[list[int]]:
    """The columns of a matching."""
    return [getattr(result.matching, column).tolist() for column in COLUMNS]


SPLIT = graph("0_forward", "a mm mm b")
HABIT = "a:0 xk1:1 xk2:2 xk3:2 b:3"
"""Vendor kernels whose names say nothing: only the reference knows that there are one and two."""


def test_a_habit_is_taught_where_the_invocation_differs() -> None:
    """An invocation with a foreign launch is no reference, but its calls teach their habits."""
    result = taught("a xk1 eager xk2 xk3 b", HABIT, SPLIT)

    assert named(result) == ["0/0", "0/1", "-", "0/2", "0/2", "0/3"]
    assert Method.TRANSFER not in result.matching.method


@pytest.mark.parametrize("lost", [0, 1])
def test_another_gpu_teaches_nothing(lost: int) -> None:
    """Where the trace lacks a library kernel of the reference every launch is as without it."""
    words = " ".join(["a ysgemm b eager", *["a ysgemm ysgemm b eager"] * (4 - lost)])
    alone = matched(words, SPLIT)

    assert columns(taught(words, HABIT, SPLIT)) == columns(alone)


def test_a_graph_of_library_calls_alone_is_known_by_its_reference() -> None:
    """Any code launches such names: only a long row of them, just as in the reference, is its."""
    only = graph("0_forward", "mm mm mm mm mm mm")
    reference = " ".join(f"sgemm:{number}" for number in range(6))
    ids = [f"0/{number}" for number in range(6)]
    row = ["sgemm"] * 6

    result = taught(" ".join(["eager", *row, "fill", *row]), reference, only)
    assert named(result) == ["-", *ids, "-", *ids]
    assert named(matched(" ".join(row), only)) == ["-"] * 6
    assert named(taught(" ".join(row[:4]), reference, only)) == ["-"] * 4
    assert "0/" not in "".join(named(taught("eager sgemm sgemm fill sgemm", reference, only)))


def test_the_blocks_of_generated_kernels_may_be_others() -> None:
    """The autotuner chose other blocks there; a kernel with a unique name is still the call's."""
    result = taught("a xk1 xk2 xk3 b", HABIT, SPLIT, shapes=("PQRSP", "XQRSX"))

    assert named(result) == ["0/0", "0/1", "0/2", "0/2", "0/3"]
    assert set(result.matching.method.tolist()) == {Method.TRANSFER}


def test_grids_tell_equal_names_apart() -> None:
    """If one of two products is lost, the grid says which, where both runs recorded grids."""
    long = graph("0_forward", "a mm mm b c d e f g h")
    reference = "a:0 sgemm:1 sgemm:2 b:3 c:4 d:5 e:6 f:7 g:8 h:9"
    words = "a sgemm b c d e f g h"
    with_grids = taught(words, reference, long, shapes=("AYBBBBBBB", "AXYBBBBBBB"))
    open_ = taught(words, reference, long, shapes=("AYBBBBBBB", ""))

    assert named(with_grids)[1] == "0/2"
    assert named(open_)[1] == "?0/1,0/2"


@pytest.mark.parametrize(
    ("trace", "reference", "kept"),
    [("AB", "AB", True), ("AB", "AC", True), ("AB", "CD", False), ("AB", "", False)],
    ids=["equal", "some in common", "none in common", "absent"],
)
def test_grids_are_compared_where_both_runs_have_some_in_common(
    trace: str, reference: str, kept: bool
) -> None:
    """Where grids of a name have nothing in common they are ignored: they may be other blocks."""
    sequence = LearntSequence(
        launches=launches("sgemm:0 sgemm:1", reference), whole=False, times=1, label=""
    )
    shown = pin_references(run("sgemm sgemm c", shapes=f"{trace}Z").launches, [sequence]).shown

    assert (shown.extent[:2] >= 0).all() == kept
    assert shown.extent[2] >= 0
    assert len(shown.names) == 2


def test_what_only_one_invocation_shows_is_clear_by_its_reference() -> None:
    """The reference knows which of two products launched two of three equal kernels."""
    result = taught("a sgemm eager sgemm sgemm b", "a:0 sgemm:1 sgemm:2 sgemm:2 b:3", SPLIT)
    other = taught("a sgemm sgemm eager sgemm b", "a:0 sgemm:1 sgemm:1 sgemm:2 b:3", SPLIT)

    assert named(result) == ["0/0", "0/1", "-", "0/2", "0/2", "0/3"]
    assert named(other)[:3] == ["0/0", "0/1", "0/1"]
    assert named(other)[4:] == ["0/2", "0/3"]


def test_of_graphs_that_launch_the_same_the_reference_names_its_own() -> None:
    """The graph with another kernel of the same name never ran in the reference."""
    symbols = ("k_a", "aten.mm", "aten.mm", "k_b")
    one, other = (
        tiny.graph(name, *symbols, hashes={"k_a": name}) for name in ("0_forward", "1_forward")
    )

    assert named(taught("a xk1 xk2 xk3 b", HABIT, one, other)) == [
        "0/0",
        "0/1",
        "0/2",
        "0/2",
        "0/3",
    ]


@pytest.mark.parametrize("lost", range(5))
def test_a_tenth_of_a_reference_may_be_lost(lost: int) -> None:
    """An invocation that lacks more is placed by the model alone."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    long = graph("0_forward", " ".join(letters))
    reference = " ".join(f"{letter}:{number}" for number, letter in enumerate(letters))
    kept = [n for n in range(26) if n not in (4, 9, 14, 19)[:lost]]
    result = taught(" ".join(letters[n] for n in kept), reference, long)

    assert named(result) == [f"0/{n}" for n in kept]
    assert (Method.TRANSFER in result.matching.method) == (lost <= 2)


def common(count: int) -> tuple[str, CompiledGraph]:
    """A graph of kernels that are all called `triton_`, with so many signatures; what it runs."""
    names = ["triton__0d", "triton__0d1d", "triton__0d1c"][:count]
    names = [names[n % count] for n in range(4)]
    return " ".join(names), tiny.graph("0_forward", *names)


@pytest.mark.parametrize("different", [2, 3])
def test_three_different_names_are_a_reference_where_many_kernels_bear_them(different: int) -> None:
    """Two may come in this order by chance."""
    words, compiled = common(different)
    reference = " ".join(f"{word}:{n}" for n, word in enumerate(words.split()))

    recognized = taught(words, reference, compiled).matching.method == Method.TRANSFER
    assert recognized.all() == (different == 3)


def test_five_library_launches_are_no_reference() -> None:
    """Eager code may launch as many in a row."""
    only = graph("0_forward", "mm mm mm mm mm")
    reference = " ".join(f"sgemm:{number}" for number in range(5))

    assert named(taught("fill sgemm sgemm sgemm sgemm sgemm fill", reference, only)) == ["-"] * 7


def test_what_has_little_in_common_is_not_reported() -> None:
    """If one launch of five agrees, that is other code, not a run that went otherwise."""
    result = taught("a x y z w", HABIT, SPLIT)

    assert "like-differs" not in {notice.slug for notice in result.notices}


@pytest.mark.parametrize(("usual", "lessons_"), [(3, 2), (6, 1)])
def test_a_way_that_is_rare_teaches_nothing(usual: int, lessons_: int) -> None:
    """A launch missing in one invocation of seven was lost; in one of four that is a habit."""
    timeline = Host({})
    for number in range(usual + 1):
        timeline.made = {GEMM: (GEMM, "splitKreduce_kernel") if number else (GEMM,)}
        timeline.invoke(SPLIT, key="f0")
    program = CompiledProgram(graphs=(replace(SPLIT, cache_key="f0"),))
    result = match_launches(program, timeline.trace())

    assert len(learned_sequences(result.context, result.matching)) == lessons_


def test_a_capture_without_names_teaches_the_model_nothing() -> None:
    """Only a whole replay can be held against it."""
    result = capture(named_kernels=False)
    sequences = learned_sequences(result.context, result.matching)
    learnt = Learnt(program=result.program, sequences=sequences, source="capture")
    words = f"k_a {GEMM} k_b eager".replace("k_", "")
    alone = match_launches(result.program, run(words))

    assert columns(match_like(result.program, run(words), [learnt])) == columns(alone)


@pytest.mark.parametrize(
    ("names", "calls", "lessons"),
    [
        ([0, 1, 0, 1], [0, 1, 0, 1], 1),
        ([0, 1, 0, 2], [0, 1, 0, 1], 0),
        ([0, 1] * 2, [0, 1, 0, 0], 0),
    ],
    ids=["the same", "another kernel", "another call"],
)
def test_a_graph_whose_nodes_changed_teaches_nothing(
    names: list[int], calls: list[int], lessons: int
) -> None:
    """Two replays of two nodes: a node that launched something else since is no example."""
    nothing, zero = np.full(4, NONE), np.zeros(4, dtype=np.int64)
    ran = LearntRan(
        names=("k_a", "k_b", "k_c"),
        name_id=np.array(names),
        activity=np.full(4, Activity.KERNEL, dtype=np.int8),
        shape=np.full((4, 6), NONE),
        process=zero,
        device=zero,
        lane=nothing,
        when=np.arange(4),
        replay=np.array([1, 1, 2, 2]),
        graph=np.full(4, 7),
        node=np.array([1, 2] * 2),
        call=np.array(calls),
        invocation=nothing,
        sure=np.ones(4, dtype=bool),
        eager_op=nothing,
        ops=(),
        beside=np.zeros(4, dtype=bool),
    )

    assert len(sequences_of(ran, CompiledProgram(graphs=(graph("0_forward", "a b"),)))) == lessons


def test_launches_without_names_are_nobodys_second_best() -> None:
    """Launches without a name could be of any call, so they are no second best."""
    other = graph("1_forward", "c mm mm d")
    program = CompiledProgram(graphs=(SPLIT, other))
    named_, nameless = (
        LearntSequence(launches=shown, whole=False, times=1, label="invocation 0")
        for shown in (
            launches(HABIT),
            tuple(
                replace(launch, name=None, calls=(4 + n,))
                for n, launch in enumerate(launches(HABIT)[:4])
            ),
        )
    )
    learnt = Learnt(program=program, sequences=(named_, nameless), source="bundle")
    result = match_like(program, run("a xk1 xk2 xk3 b"), [learnt])

    assert "second best: nothing else" in "\n".join(explain_launch(result, 1).evidence)
