"""The count rule: which range of an invocation is which call."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kernelmap.matching.graphs.sequence import align_ranges
from kernelmap.matching.names.symbols import SymbolStep
from kernelmap.model import Confidence, Occurrence, Reason

SYMBOLS = st.sampled_from(["triton_a", "triton_b", "triton_c", "aten.mm", "aten.add"])


def steps(*symbols: str, **occurrence: Occurrence) -> list[SymbolStep]:
    return [SymbolStep(i, s, occurrence.get(s, Occurrence.ONCE)) for i, s in enumerate(symbols)]


def placed(
    seen: list[str], code: list[SymbolStep], *, first: bool = False
) -> list[tuple[object, ...]]:
    alignment = align_ranges(seen, code, first=first)
    return [(p.confidence.name, p.calls) for p in alignment.placements]


@given(st.lists(SYMBOLS, max_size=12))
def test_a_run_that_was_seen_whole_is_exact(symbols: list[str]) -> None:
    """Every range of a complete invocation is the call at its place."""
    alignment = align_ranges(symbols, steps(*symbols))

    assert [p.calls for p in alignment.placements] == [(i,) for i in range(len(symbols))]
    assert all(p.confidence is Confidence.EXACT for p in alignment.placements)
    assert alignment.complete


@given(st.lists(SYMBOLS, min_size=1, max_size=14), st.data())
def test_lost_ranges_never_make_a_wrong_answer_exact(
    symbols: list[str], data: st.DataObject
) -> None:
    """Whatever ranges are lost, what is still called exact is right, and truth is a candidate."""
    kept = data.draw(st.lists(st.booleans(), min_size=len(symbols), max_size=len(symbols)))
    truth = [i for i, keep in enumerate(kept) if keep]
    alignment = align_ranges([symbols[i] for i in truth], steps(*symbols))

    for call, placement in zip(truth, alignment.placements, strict=True):
        assert call in placement.calls
        assert placement.confidence is Confidence.EXACT or len(placement.calls) > 1


@given(st.lists(SYMBOLS, min_size=1, max_size=10), st.data())
def test_benchmarks_before_a_call_are_told_apart(symbols: list[str], data: st.DataObject) -> None:
    """In a first invocation the last of a kernel's repeated ranges is the call, never exact."""
    code = list(dict.fromkeys(symbols))
    repeats = data.draw(st.lists(st.integers(0, 4), min_size=len(code), max_size=len(code)))
    seen, truth = [], []
    for call, (symbol, number) in enumerate(zip(code, repeats, strict=True)):
        extra = number if "." not in symbol else 0
        seen += [symbol] * (extra + 1)
        truth += [()] * extra + [(call,)]
    alignment = align_ranges(seen, steps(*code), first=True)

    assert [p.calls for p in alignment.placements] == truth
    for placement in alignment.placements:
        assert placement.calls or placement.reason is Reason.AUTOTUNE


def test_what_runs_between_benchmarks_is_autotuning_too() -> None:
    """The autotuner clears the cache before every benchmark: no statement lies there."""
    seen = ["aten.empty", "aten.zero_", "triton_a", "aten.zero_", "triton_a", "aten.empty"]
    alignment = align_ranges(seen, steps("triton_a"), first=True)

    assert [p.reason for p in alignment.placements] == [
        Reason.GLUE,
        Reason.AUTOTUNE,
        Reason.AUTOTUNE,
        Reason.AUTOTUNE,
        Reason.NONE,
        Reason.GLUE,
    ]


def test_every_series_is_held_against_its_own_row_of_calls() -> None:
    """A kernel that is called twice in a row elsewhere was benchmarked here all the same."""
    code = steps("triton_a", "triton_b", "triton_a", "triton_a")
    seen = ["triton_a", "triton_a", "triton_b", "triton_a", "triton_a"]

    assert placed(seen, code, first=True) == [
        ("OUTSIDE", ()),
        ("INFERRED", (0,)),
        ("EXACT", (1,)),
        ("EXACT", (2,)),
        ("EXACT", (3,)),
    ]


def test_what_the_code_runs_between_benchmarks_may_be_its_own() -> None:
    """The autotuner copies as the code does: none of the copies is the call for certain."""
    seen = ["aten.copy_", "triton_a", "aten.copy_", "triton_a"]

    assert placed(seen, steps("aten.copy_", "triton_a"), first=True) == [
        ("AMBIGUOUS", (0,)),
        ("OUTSIDE", ()),
        ("AMBIGUOUS", (0,)),
        ("INFERRED", (1,)),
    ]


def test_a_lost_range_leaves_the_rest_exact() -> None:
    """Between two anchors the count rule holds again."""
    code = steps("triton_a", "aten.mm", "triton_b", "aten.mm")

    assert placed(["triton_a", "triton_b", "aten.mm"], code) == [
        ("EXACT", (0,)),
        ("EXACT", (2,)),
        ("EXACT", (3,)),
    ]


def test_a_branch_that_holds_one_of_two_calls_leaves_both_open() -> None:
    """A cond decides which statement ran: both stand."""
    code = steps("triton_a", "triton_b", "triton_a", triton_a=Occurrence.BRANCH)

    assert placed(["triton_b", "triton_a"], code) == [("EXACT", (1,)), ("AMBIGUOUS", (0, 2))]


def test_the_only_call_of_a_loop_takes_every_range() -> None:
    """However often a loop ran its one statement, each range is that statement."""
    code = steps("triton_a", triton_a=Occurrence.LOOP)

    assert placed(["triton_a"] * 3, code) == [("EXACT", (0,))] * 3


def test_another_order_than_the_code_is_never_exact() -> None:
    """Counts prove nothing about a run in another order."""
    code = steps("triton_a", "triton_b")

    assert [c for c, _ in placed(["triton_b", "triton_a"], code)] == ["AMBIGUOUS", "AMBIGUOUS"]


def test_another_order_is_never_exact_where_ranges_are_missing() -> None:
    """Counts that agree between two anchors prove nothing about what crosses there."""
    code = steps("triton_a", "triton_b", "triton_c", "triton_a", "triton_b")

    assert {c for c, _ in placed(["triton_b", "triton_a", "triton_c"], code)} == {"AMBIGUOUS"}


def test_operators_that_no_statement_runs_are_glue() -> None:
    """What the code does not name lies outside of its calls."""
    alignment = align_ranges(["aten.empty", "triton_a"], steps("triton_a"))

    assert alignment.placements[0].reason is Reason.GLUE
    assert alignment.placements[1].confidence is Confidence.EXACT


@given(st.lists(st.tuples(SYMBOLS, st.booleans(), st.booleans()), min_size=1, max_size=10))
def test_branches_never_make_a_wrong_answer_exact(code: list[tuple[str, bool, bool]]) -> None:
    """Whether a branch ran or a range was lost, what is called exact is right.

    Of each step: its symbol, whether a branch holds it, and whether its range was seen.
    """
    written = [
        SymbolStep(i, symbol, Occurrence.BRANCH if branch else Occurrence.ONCE)
        for i, (symbol, branch, _) in enumerate(code)
    ]
    truth = [i for i, (*_, seen) in enumerate(code) if seen]
    alignment = align_ranges([code[i][0] for i in truth], written)

    for call, placement in zip(truth, alignment.placements, strict=True):
        if placement.confidence is Confidence.EXACT:
            assert placement.calls == (call,)
        else:
            assert call in placement.calls


def test_a_call_before_a_branch_is_told_by_what_runs_between() -> None:
    """Code a, b, and a once more in a branch: what is seen before b is the first a."""
    code = [
        *steps("triton_a", "aten.mm"),
        SymbolStep(2, "triton_a", Occurrence.BRANCH),
        SymbolStep(3, "triton_b", Occurrence.BRANCH),
    ]

    assert placed(["triton_a", "aten.mm", "triton_b"], code) == [
        ("EXACT", (0,)),
        ("EXACT", (1,)),
        ("EXACT", (3,)),
    ]
    assert placed(["aten.mm", "triton_a"], code)[1] == ("AMBIGUOUS", (0, 2))
