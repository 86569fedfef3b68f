"""Laws of the parts of the model: what is inferred, what is named, and what may launch what."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from msgspec.structs import replace

from kernelmap.facts.families import Family
from kernelmap.matching.aligner.amid_decided import _do_threads_interleave
from kernelmap.matching.aligner.decisions import Decisions, decisions_of
from kernelmap.matching.aligner.learning import Learner, Model, Unlearned
from kernelmap.matching.aligner.network import Network, network_of
from kernelmap.matching.aligner.pinned import pin_references
from kernelmap.matching.aligner.rates import first_rates
from kernelmap.matching.aligner.sites import Sites, sites_of
from kernelmap.matching.aligner.states import StateKind
from kernelmap.matching.aligner.tokens import Tokens, tokens_of
from kernelmap.matching.context.launch_order import LaunchOrder
from kernelmap.model import CompiledProgram
from matching.bare import graph, run


def read(words: str, *codes: str) -> tuple[Sites, Tokens]:
    """The call sites of graphs, and launches as tokens."""
    graphs = tuple(graph(f"{number}_forward", code) for number, code in enumerate(codes))
    sites = sites_of(CompiledProgram(graphs=graphs))
    launches = run(words).launches
    rows = np.arange(len(launches))
    order = LaunchOrder(rows, rows[None, :], whole=False)
    return sites, tokens_of(
        pin_references(launches, ()).shown, [order], sites, np.full(len(rows), -1)
    )


def state(network: Network, kind: StateKind, site: int) -> int:
    """The first state of a kind at a call site."""
    return int(np.flatnonzero((network.kind == kind) & (network.site == site))[0])


def decide(code: str, shares: list[dict[int, float]], names: str, once: float = 1.0) -> Decisions:
    """The decisions about launches: the shares of each call site, and what one invocation shows."""
    sites, tokens = read(names, code)
    pairs = [
        (at, site, share)
        for at, of_launch in enumerate(shares)
        for site, share in of_launch.items()
    ]
    at, site = (np.array([pair[column] for pair in pairs], dtype=np.int64) for column in (0, 1))
    share = np.array([pair[2] for pair in pairs])
    count = len(sites)
    # A state per site, and the background.
    kind = np.array(
        [*np.where(sites.generated, StateKind.GENERATED, StateKind.MAIN), StateKind.BACKGROUND]
    )
    token = tokens.sequences[0].token
    every = np.arange(len(token))
    looked = Unlearned(
        [np.zeros(len(token), dtype=np.int64)],
        [every],
        [np.array([max(of_launch, key=of_launch.__getitem__) for of_launch in shares])],
        [np.where(every == len(token) - 1, once, 1.0)],
    )
    model: Model = SimpleNamespace(  # type: ignore[assignment] # what is asked
        states=SimpleNamespace(
            kind=kind, site=np.array([*range(count), -1]), place=np.zeros(count + 1, dtype=int)
        ),
        calls=np.array([*range(count), -1]),
        unlearned=looked,
        rates=SimpleNamespace(loss=0.01),
    )
    posterior: Any = SimpleNamespace(
        sequence=[np.zeros(len(at), dtype=np.int64)], at=[at], state=[site], share=[share]
    )
    (decided,) = decisions_of(posterior, model, tokens, sites)
    return decided


def test_a_call_is_inferred_from_a_posterior_of_95_percent() -> None:
    """Of a generated kernel as of memory that is cleared."""
    for share, sure in ((0.96, True), (0.94, False), (0.971, True)):
        assert decide("a b", [{0: 1.0}, {1: share}], "a b").sure[1] == sure
        cleared = decide("a zero_ b", [{0: 1.0}, {1: share}, {2: 1.0}], "a fill b")
        assert cleared.sure[1] == sure


def test_candidates_hold_nine_tenths_together() -> None:
    """With less none is named."""
    for second, named_ in ((0.42, True), (0.38, False), (0.44, True)):
        several = decide("a b b", [{0: 1.0}, {1: 0.5, 2: second}], "a b").several
        assert bool(several) == named_


def test_single_invocations_show_what_is_inferred() -> None:
    """It takes four fifths, and nine tenths for calls whose kernels have meaningless names."""
    for once, sure in ((0.78, False), (0.85, True), (0.88, True)):
        assert decide("a b", [{0: 1.0}, {1: 1.0}], "a b", once).sure[1] == sure
    nameless = [
        decide("a b mm", [{0: 1.0}, {1: 1.0}, {2: 1.0}], "a b vendor", once).sure[2]
        for once in (0.85, 0.95)
    ]
    assert nameless == [False, True]


def test_helpers_follow_their_kernel() -> None:
    """And what a library launches before a kernel never comes behind it."""
    sites, tokens = read("a nhwctonchw fprop nchwtonhwc a", "a convolution a")
    model = Learner(sites, tokens, np.zeros(len(tokens.words), dtype=bool)).model_so_far()
    emissions = model.decoder.emissions

    def launches(kind: StateKind, family: Family) -> bool:
        token = tokens.family.index(family)
        row = emissions.row[state(model.network, kind, 1)]
        return bool(emissions.rate[row + emissions.column[token]] > 0)

    assert launches(StateKind.PRELUDE, Family.PRELUDE)
    assert not launches(StateKind.PRELUDE, Family.HELPER)
    assert launches(StateKind.FOLLOWER, Family.HELPER)
    assert not launches(StateKind.FOLLOWER, Family.PRELUDE)


def test_an_invocation_begins_with_libraries_only_ahead_of_its_first_kernel() -> None:
    """If that kernel was lost, the invocation begins with the next one, not with a library call."""
    sites, tokens = read("a b", "mm a mm b")
    words = np.zeros(len(tokens.words), dtype=bool)
    learning = Learner(sites, tokens, words)
    network = network_of(sites, learning.model_so_far().states, first_rates(sites))

    assert set(network.site[network.entry]) == {0, 1, 3}


# A private: nothing of what is matched shows that few interruptions count for nothing, as threads
# that take turns are one sequence anyway (launch_order.py).
def test_threads_are_apart_where_they_interrupt_one_another() -> None:
    """Where more than one invocation in ten is interrupted; else they are one sequence."""
    for interrupted, apart in ((2, False), (3, True)):
        rows_of = [
            row
            for number in range(20)
            for row in (
                (1, 0, number),
                *([(7, -1, -1)] if number < interrupted else []),
                (1, 0, number),
            )
        ]
        thread, call, invocation = np.array([*rows_of, (7, -1, -1)]).T
        rows = np.arange(len(thread))
        launches = replace(run(" ".join(["a"] * len(rows))).launches, api=rows)
        context: Any = SimpleNamespace(
            trace=SimpleNamespace(launches=launches, apis=SimpleNamespace(thread=thread)),
            program=SimpleNamespace(graph_of_call=np.zeros(2, dtype=np.int64)),
        )
        matched: Any = SimpleNamespace(call=call, invocation=invocation)
        pinned = np.flatnonzero(call >= 0)

        assert _do_threads_interleave(context, matched, pinned, rows) == apart
