"""Strategies decide in turn, and what one of them decided no later one changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.compiler import load_compiled
from kernelmap.matching import STRATEGIES, match_launches
from kernelmap.matching.context.decided import Decided, Matched, Noted, Outcome, decide_candidates
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.match import Strategy
from kernelmap.model import CompiledProgram, Confidence, Matching, Method, Reason
from kernelmap.traces import load_trace
from matching.bare import graph, run
from worlds import simulate
from worlds.situations import BARE, NOISY, REPLAY

PROGRAM = CompiledProgram(graphs=(graph("0_inference", "a b c"),))
TRACE = run("a b c a b c")
ROWS = range(len(TRACE.launches))

COLUMNS = ("call", "invocation", "method", "confidence", "reason", "call_range")


def returns(outcomes: list[Outcome]) -> Strategy:
    """A strategy that returns these, whatever it is given."""
    return lambda _context, _matched: outcomes


@st.composite
def decisions(draw: st.DrawFn) -> Decided:
    """A decision about some launches, with columns of any kind."""
    rows = np.array(draw(st.lists(st.sampled_from(ROWS), unique=True)), dtype=np.int64)
    if draw(st.booleans()):
        several = draw(st.sets(st.integers(0, 2), min_size=2))
        return decide_candidates(rows, sorted(several), draw(st.sampled_from(Reason)))
    columns = st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows))
    return Decided(
        np.isin(ROWS, rows) if draw(st.booleans()) else np.sort(rows),
        draw(st.sampled_from([Confidence.EXACT, Confidence.INFERRED])),
        call=np.array(draw(columns), dtype=np.int64),
        invocation=draw(st.integers(0, 3)),
        method=draw(st.sampled_from(Method)),
    )


def notes() -> st.SearchStrategy[Noted]:
    """The invocation of one launch."""
    return st.builds(
        lambda row, number: Noted(np.array([row]), np.array([number])),
        st.sampled_from(ROWS),
        st.integers(0, 9),
    )


@given(st.lists(st.lists(decisions() | notes(), max_size=3), max_size=4))
def test_the_first_decision_about_a_launch_stands(outcomes: list[list[Outcome]]) -> None:
    """Whatever later decisions and notes say, of this strategy or of another."""
    matching = match_launches(PROGRAM, TRACE, [returns(strategy) for strategy in outcomes]).matching
    decided = [
        outcome for strategy in outcomes for outcome in strategy if isinstance(outcome, Decided)
    ]

    for row in ROWS:
        first = next((decision for decision in decided if row in positions(decision)), None)
        if first is None:
            assert matching.confidence[row] == Confidence.UNKNOWN
            assert matching.call[row] < 0
            continue
        at = positions(first).index(row)
        assert matching.confidence[row] == np.broadcast_to(first.confidence, at + 1)[at]
        assert matching.method[row] == first.method
        assert matching.call[row] == (first.call if isinstance(first.call, int) else first.call[at])
        assert matching.candidates_of(row) == first.candidates.get(row, ())
        if first.invocation != -1:
            assert matching.invocation[row] == first.invocation


def positions(decided: Decided) -> list[int]:
    """The launches that a decision is about."""
    rows = decided.rows
    chosen: list[int] = (np.flatnonzero(rows) if rows.dtype == np.bool_ else rows).tolist()
    return chosen


@pytest.mark.parametrize("column", [*COLUMNS, "open"])
def test_no_strategy_writes_into_the_matching_so_far(column: str) -> None:
    """Its columns are read-only."""

    def writes(_context: MatchContext, matched: Matched) -> Iterator[Outcome]:
        getattr(matched, column)[0] = 0
        yield from ()

    with pytest.raises(ValueError, match="read-only"):
        match_launches(PROGRAM, TRACE, [writes])


@dataclass
class Spy:
    """A strategy that decides nothing and keeps what it is shown."""

    seen: list[tuple[np.ndarray, ...]] = field(default_factory=list)

    def __call__(self, _context: MatchContext, matched: Matched) -> tuple[Outcome, ...]:
        """Copy the columns of the launches that are decided."""
        decided = ~matched.open
        columns = (getattr(matched, name)[decided].copy() for name in COLUMNS)
        self.seen.append((decided, *columns))
        return ()


@pytest.mark.parametrize("kind", ["host", "gpu only", "replayed"])
def test_launches_that_are_decided_never_change(kind: str, samples: Path, tmp_path: Path) -> None:
    """What is decided after any strategy is the same in the finished matching."""
    program = load_compiled(samples / "sim_mlp_train")
    world = {"host": NOISY, "gpu only": BARE, "replayed": REPLAY}[kind]
    simulate(program, world).write_kineto(tmp_path / "t.json")
    spy = Spy()
    between: list[Strategy] = [either for strategy in STRATEGIES for either in (strategy, spy)]
    matching: Matching = match_launches(program, load_trace(tmp_path / "t.json"), between).matching

    assert len(spy.seen) == len(STRATEGIES)
    assert spy.seen[-1][0].all()
    for decided, *columns in spy.seen:
        for name, values in zip(COLUMNS, columns, strict=True):
            final = getattr(matching, name)[decided]
            shown = values >= 0 if name == "call_range" else np.ones(len(values), dtype=bool)
            assert final[shown].tolist() == values[shown].tolist(), name
