"""Which run of main a branch's run is held against."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from examples import examples
from kernelmap.history.store.facts import RunFacts
from kernelmap.history.store.forks import AtFork, MainRuns
from kernelmap.history.store.listing import Listed
from pages.hand_tables import make_tables

WINDOW = make_tables().summary
COMMITS = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12)


def runs_of(*kept: tuple[str, str | None, str | None]) -> list[Listed]:
    """Runs of (branch, commit, forked), in the order in which they were recorded."""
    return [
        Listed(
            facts=RunFacts(
                id=f"{at:04}",
                version=1,
                created="2026-01-01T00:00:00+00:00",
                kernelmap="0",
                window=WINDOW,
                tables=(),
                branch=branch,
                commit=commit,
                forked=forked,
            ),
            tags={},
        )
        for at, (branch, commit, forked) in enumerate(kept)
    ]


@given(COMMITS, COMMITS, st.sampled_from("abcdef"))
@settings(max_examples=examples(100))
def test_no_run_from_after_the_fork_is_taken(
    before: list[str], later: list[str], forked: str
) -> None:
    """What main became later changes no answer: with its runs since or without, it is one run.

    Where main has the commit of the fork it is a run of it, and the newest of them.
    """
    main = [("main", commit, None) for commit in before]
    new = [("main", commit + "2", None) for commit in later]
    without = runs_of(*main, ("topic", "x", forked))
    after = runs_of(*main, ("topic", "x", forked), *new)
    answers = [MainRuns.of(runs).base(runs[len(main)]) for runs in (without, after)]

    assert answers[0] == answers[1]
    assert answers[0] is not None
    if forked in before:
        last = max(at for at, commit in enumerate(before) if commit == forked)
        assert answers[0].run.id == f"{last:04}"
        assert answers[0].why is AtFork.FORK
    else:
        assert answers[0].run.id == f"{len(before) - 1:04}"
        assert answers[0].why is AtFork.UNRECORDED


def test_runs_of_main_itself_and_without_main_have_none() -> None:
    """Main is held against nothing here, nor is a branch that main has no run beside."""
    runs = runs_of(("main", "a", None), ("main", "b", None))

    assert MainRuns.of(runs).base(runs[1]) is None
    assert MainRuns.of([]).branch is None


def test_a_branch_before_main_is_held_against_its_first_run() -> None:
    """Nothing of main is older: the first run stands for it, and that is said."""
    runs = runs_of(("topic", "x", None), ("main", "a", None), ("main", "b", None))
    base = MainRuns.of(runs).base(runs[0])

    assert base is not None
    assert (base.run.id, base.why) == ("0001", AtFork.FIRST)


def test_a_fork_that_was_recorded_elsewhere_has_a_place() -> None:
    """Main's commit of the fork ran on another device: the last one before it on this one."""
    main = [("main", commit, None) for commit in "abc"]
    runs = runs_of(*main, ("topic", "x", "b"))
    other = Listed(facts=_on(runs[1].facts), tags={})
    base = MainRuns.of([runs[0], other, *runs[2:]]).base(runs[3])

    assert base is not None
    assert (base.run.id, base.why) == ("0000", AtFork.BEFORE)


def _on(facts: RunFacts) -> RunFacts:
    return replace(facts, gpus=("another",))
