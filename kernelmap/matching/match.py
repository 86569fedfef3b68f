"""(CompiledProgram, Trace) → Match: read the host side, then let the strategies decide in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from msgspec import Struct, structs
from msgspec.structs import replace
from numpy.typing import NDArray

from kernelmap.matching.aligner.amid_decided import place_lost_launches
from kernelmap.matching.context.decided import BY_HOST_SIDE, Decided, Float, Matched, Noted, Outcome
from kernelmap.matching.context.launch_order import launch_orders, lost_amid_decided
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.notices import of_graphs
from kernelmap.matching.context.reference_runs import ReferenceRuns, borrowed_program
from kernelmap.matching.context.survey import survey_host_side
from kernelmap.matching.evidence.autotuning import by_tuning, decide_benchmarks
from kernelmap.matching.evidence.capture_tags import (
    beside_tagged_calls,
    by_capture_tag,
    outside_capture_tags,
)
from kernelmap.matching.evidence.host_ranges import (
    by_capture,
    by_doubtful_range,
    by_name,
    by_range,
    outside_or_unknown,
)
from kernelmap.matching.evidence.recorded_nodes import by_recorded_node, recorded_notices
from kernelmap.matching.references.by_order import decide_by_order
from kernelmap.matching.references.comparison import reference_notices
from kernelmap.model import (
    NONE,
    CompiledProgram,
    Confidence,
    Matching,
    Method,
    Notice,
    Reason,
    RunnerUp,
    Trace,
)
from kernelmap.model.learnt import CapturedDetail, EagerOrigin, Learnt, LearntOrigins
from kernelmap.model.trace import Int

Strategy = Callable[[MatchContext, Matched], Iterable[Outcome]]


def amid_decided(context: MatchContext, matched: Matched) -> Iterable[Outcome]:
    """Place what lost its host side amid launches that have theirs, if there are such launches."""
    lost = lost_amid_decided(context, matched)
    return place_lost_launches(context, matched, lost) if lost.any() else ()


def by_model(context: MatchContext, matched: Matched) -> Iterable[Outcome]:
    """Place what follows no host side by the model of launch order, if there are such launches."""
    sequences = list(launch_orders(context, matched))
    return decide_by_order(context, matched, sequences) if sequences else ()


STRATEGIES: tuple[Strategy, ...] = (
    # What a capture wrote down or left open goes first: marks, noted nodes, ranges around a
    # node's creation.
    by_capture_tag,
    by_recorded_node,
    by_capture,
    # Before ranges decide: in a series of benchmarks the range of one may have been taken for the
    # call, which is the last launch.
    by_tuning,
    by_range,
    decide_benchmarks,
    outside_capture_tags,
    # From here on no range around the launch decides for certain.
    amid_decided,
    by_doubtful_range,
    by_model,
    by_name,
    beside_tagged_calls,
    outside_or_unknown,
)
"""From strongest to weakest; a later one never changes what an earlier one decided."""


class Match(Struct, frozen=True, kw_only=True):
    """The matching, and what it stands on.

    `program` is the given one plus the graphs that only the trace knows; `matching` counts calls in
    it. `context` and `references` answer why (matching/explaining/explain.py). `posterior` is
    parallel to the launches: how probable the call is of those that the model placed, NaN for the
    others; None where it placed none.
    """

    program: CompiledProgram
    matching: Matching
    context: MatchContext
    references: ReferenceRuns
    notices: tuple[Notice, ...]
    posterior: Float | None = None


def match_launches(
    program: CompiledProgram,
    trace: Trace,
    strategies: Sequence[Strategy] = STRATEGIES,
    *,
    learnt: Sequence[Learnt] = (),
    details: Mapping[int, CapturedDetail] | None = None,
) -> Match:
    """Pair the launches of `trace` with the calls of `program`; `learnt` is what other runs taught.

    Neither the order of `learnt` nor what it says about other code matters. `details` is what a
    second look at the files said of launches that were captured in this trace, by their api call.
    """
    context = replace(survey_host_side(program, trace), details=details or {})
    merged = _Merged(
        len(trace.launches),
        ReferenceRuns.translate_runs(learnt, program) if learnt else ReferenceRuns(),
    )
    for strategy in strategies:
        merged.add_outcomes(tuple(strategy(context, merged.so_far())))
    matching = merged.finish_columns(context.outer_op)
    return Match(
        program=context.program,
        matching=matching,
        context=context,
        references=merged.references,
        posterior=merged.posterior,
        notices=(
            *of_graphs(program, context, matching, like=bool(merged.references.sources)),
            *recorded_notices(context),
            *(reference_notices(merged.references) if merged.references.sources else ()),
        ),
    )


def match_like(
    program: CompiledProgram,
    trace: Trace,
    learnt: Sequence[Learnt],
    details: Mapping[int, CapturedDetail] | None = None,
) -> Match:
    """Pair the launches of `trace` with the calls of `program`, or else of the code of `learnt`.

    Borrowed code of which nothing was recognized is of another program, or did not run: it is left
    out again, so that names which happen to be alike decide nothing.
    """
    if program.graphs:
        return match_launches(program, trace, learnt=learnt, details=details)
    borrowed = borrowed_program(learnt)
    # The first matching tells which of the borrowed graphs ran.
    first = match_launches(
        structs.replace(program, graphs=borrowed.graphs), trace, learnt=learnt, details=details
    )
    ran = _find_recognized_graphs(first)
    kept = tuple(graph for number, graph in enumerate(borrowed.graphs) if number in ran)
    matched = first
    if len(kept) < len(borrowed.graphs):
        # The second goes without those that did not. What the first said of the runs of --like
        # stands, since there all their graphs took part.
        again = match_launches(
            structs.replace(program, graphs=kept), trace, learnt=learnt, details=details
        )
        notices = [
            notice
            for one, about_runs in ((again, False), (first, True))
            for notice in one.notices
            if notice.slug.startswith("like-") == about_runs
        ]
        matched = replace(again, notices=tuple(notices))
    files = borrowed.files if kept else ()
    return replace(matched, program=structs.replace(matched.program, files=files))


def _find_recognized_graphs(matched: Match) -> set[int]:
    """The graphs that ran, by host ranges or by a reference sequence that was recognized."""
    matching, program = matched.matching, matched.program
    graphs = {graph for one in matched.context.invocations for graph in one.assignment.graphs}
    # Names and order alone recognize nothing: code of another program may have the same names.
    rows = np.isin(matching.method, BY_HOST_SIDE) & (matching.call >= 0)
    calls = set(matching.call[rows].tolist())
    calls.update(
        call
        for one in matched.references.recognized
        for calls_of_launch in one.calls
        for call in calls_of_launch
    )
    return graphs | set(program.graph_of_call[list(calls)].tolist())


class _Merged:
    """The columns of a matching while strategies fill them: the only place where they change.

    A launch is decided once; what a later decision says about it is dropped.
    """

    def __init__(self, launches: int, references: ReferenceRuns) -> None:
        self.references = references
        self.posterior: Float | None = None
        self._call = np.full(launches, NONE, dtype=np.int64)
        self._invocation = np.full(launches, NONE, dtype=np.int64)
        self._method = np.full(launches, Method.NONE, dtype=np.int8)
        self._confidence = np.full(launches, Confidence.UNKNOWN, dtype=np.int8)
        self._reason = np.full(launches, Reason.NO_HOST_SIDE, dtype=np.int8)
        self._call_range = np.full(launches, NONE, dtype=np.int64)
        self._open = np.ones(launches, dtype=bool)
        self._candidates: dict[int, tuple[int, ...]] = {}
        self._runner_up: RunnerUp | None = None

    def so_far(self) -> Matched:
        """The columns as they are, read-only."""
        return Matched(
            call=_read_only(self._call),
            invocation=_read_only(self._invocation),
            method=_read_only(self._method),
            confidence=_read_only(self._confidence),
            reason=_read_only(self._reason),
            call_range=_read_only(self._call_range),
            open=_read_only(self._open),
            references=self.references,
        )

    def add_outcomes(self, outcomes: Iterable[Outcome]) -> None:
        """Take over what one strategy returned, in its order."""
        for outcome in outcomes:
            if isinstance(outcome, ReferenceRuns):
                self.references = outcome
            elif isinstance(outcome, Noted):
                still = self._open[outcome.rows]
                self._invocation[outcome.rows[still]] = outcome.invocation[still]
            else:
                self._take_decision(outcome)

    def _take_decision(self, decided: Decided) -> None:
        rows = decided.rows
        # `still` cuts rows, and every column parallel to them, down to the launches that nobody
        # decided yet; (rows,).
        rows = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        still = self._open[rows]
        fresh = rows[still]
        for column, values in (
            (self._confidence, decided.confidence),
            (self._method, decided.method),
            (self._reason, decided.reason),
            (self._call, decided.call),
            (self._call_range, decided.call_range),
        ):
            column[fresh] = np.broadcast_to(values, rows.shape)[still]
        numbers = np.broadcast_to(decided.invocation, rows.shape)[still]
        # Where a strategy does not say, what was noted before stands.
        self._invocation[fresh] = np.where(numbers == NONE, self._invocation[fresh], numbers)
        # Only ambiguous launches have candidates, so most decisions need no loop.
        for row in fresh.tolist() if decided.candidates else ():
            if row in decided.candidates:
                self._candidates[row] = decided.candidates[row]
        if decided.posterior is not None:
            if self.posterior is None:
                self.posterior = np.full(len(self._call), np.nan)
            self.posterior[fresh] = decided.posterior[still]
        if decided.second is not None and decided.margin is not None:
            self._runner_up = self._runner_up or RunnerUp.empty(len(self._call))
            self._runner_up.call[fresh] = decided.second[still]
            self._runner_up.margin[fresh] = decided.margin[still]
        self._open[fresh] = False

    def finish_columns(self, outer_op: Int) -> Matching:
        """The finished columns; launches of which nothing is known show their `outer_op`."""
        # Launches that nothing decided and that no range was named for; (launches,).
        bare = np.equal(self._confidence, Confidence.UNKNOWN) & (self._call_range < 0)
        count = len(self._call)
        # Candidates are ragged: those of launch i lie from `candidate_start[i]` up to
        # `candidate_start[i + 1]`; that column is (launches + 1,).
        lengths = np.zeros(count, dtype=np.int64)
        for row, calls in self._candidates.items():
            lengths[row] = len(calls)
        flat = [call for row in sorted(self._candidates) for call in self._candidates[row]]
        return Matching(
            call=self._call,
            invocation=self._invocation,
            method=self._method,
            confidence=self._confidence,
            reason=self._reason,
            call_range=np.where(bare, outer_op, self._call_range),
            candidate_start=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)]),
            candidates=np.array(flat, dtype=np.int64),
            runner_up=self._runner_up,
            learnt=self._find_origins(),
        )

    def _find_origins(self) -> LearntOrigins | None:
        """Where launches came from that a reference run shows to be outside of compiled code."""
        learnt = np.equal(self._confidence, Confidence.OUTSIDE)
        learnt &= np.equal(self._method, Method.TRANSFER)
        if not learnt.any():
            return None
        # Different origins are numbered; `code` is the number of each launch's, -1 without one.
        numbers: dict[EagerOrigin, int] = {}
        code = np.full(len(learnt), NONE, dtype=np.int64)
        for recognized in self.references.recognized:
            for place, origin in enumerate(recognized.eager):
                if origin is not None:
                    rows = recognized.rows[:, place]
                    code[rows[rows >= 0]] = numbers.setdefault(origin, len(numbers))
        return LearntOrigins(np.where(learnt, code, NONE), tuple(numbers))


_Scalar = TypeVar("_Scalar", bound=np.generic)


def _read_only(column: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """The same column for readers."""
    view = column.view()
    view.flags.writeable = False
    return view
