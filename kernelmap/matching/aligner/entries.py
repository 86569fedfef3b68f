"""The states in which invocations and windows may begin, by what is launched first."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from kernelmap.matching.aligner.emissions import Emissions
from kernelmap.matching.aligner.network import Network
from kernelmap.matching.aligner.states import Float, StateKind
from kernelmap.model.columns import positions_between
from kernelmap.model.trace import Int


class Entries(Struct, frozen=True):
    """Per token, the entry states that launch it: `state[start[t]:start[t + 1]]`, with rates.

    `begins` are the states in which a window may open, likewise.
    """

    start: Int
    state: Int
    rate: Float
    begins_start: Int
    begins: Int
    begins_rate: Float


_OPENINGS = (
    ((StateKind.GENERATED, StateKind.MAIN, StateKind.FOLLOWER), 0.5),
    ((StateKind.CLEARING, StateKind.MEASURED), 0.01),
)
"""What a window may open with, and how often: a call in its middle, or, where the autotuner
measures for longer than a window, one of its kernels."""
_LITTLE = 1e-5
"""States that launch a token more rarely than this are no beginning of a window: it keeps the
beginnings few. Chosen for time; no recording depends on it (1e-7 and 1e-3 tried)."""


def entries_of(network: Network, emissions: Emissions) -> Entries:
    """Where invocations and windows may begin, by token."""
    # A state may be an entry by several ways: their rates are added up.
    into = np.unique(network.entry)
    count = len(network)
    rate = np.bincount(network.entry, weights=network.entry_rate, minlength=count)
    entries = _by_token(emissions, into, rate[into].astype(np.float64))
    # Where a window opens amid an invocation, each state of a kind is as likely as any other.
    opening = np.zeros(count)
    for kinds, often in _OPENINGS:
        of_kinds = np.isin(network.kind, kinds)
        opening[of_kinds] = often / max(int(of_kinds.sum()), 1)
    anywhere = np.flatnonzero(opening)
    return Entries(*entries, *_by_token(emissions, anywhere, opening[anywhere]))


def _by_token(emissions: Emissions, state: Int, rate: Float) -> tuple[Int, Int, Float]:
    """States with their rates times that of each token: a ragged table by token."""
    # `order` has the tokens by word: each state launches `count` of them, from `begin` on.
    tokens = len(emissions.column)
    word = emissions.word_of_state[state]
    order = np.argsort(emissions.word_of_token, kind="stable")
    words = emissions.word_of_token[order]
    begin = np.searchsorted(words, word, side="left")
    count = np.searchsorted(words, word, side="right") - begin
    # States of no word launch every token that the code does not name.
    at = positions_between(begin, begin + count)
    at_state, token = np.repeat(np.arange(len(state)), count), order[at]
    # Rows of (state, token) where the state launches the token at all; then sorted by token.
    emitted = emissions.rate[emissions.row[state[at_state]] + emissions.column[token]]
    keep = emitted > _LITTLE
    at_state, token, emitted = at_state[keep], token[keep], emitted[keep]
    by_token = np.argsort(token, kind="stable")
    at_state, token, emitted = at_state[by_token], token[by_token], emitted[by_token]
    start = np.searchsorted(token, np.arange(tokens + 1))
    return start, state[at_state], rate[at_state] * emitted
