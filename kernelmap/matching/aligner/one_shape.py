"""Invocations whose kernels have other grids or blocks than those of their graph.

Code that is not given may run kernels of the same names. A call whose sizes the code states
launches the same on a device every time, once the autotuner has chosen: one kind at most is its.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct

from kernelmap.matching.aligner.decisions import Decisions
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.states import Float
from kernelmap.matching.aligner.tokens import LaunchSequence, Tokens
from kernelmap.model import NONE
from kernelmap.model.columns import group_starts, paired
from kernelmap.model.trace import Bool, Int

_ONE = 0.8
"""What a call of known sizes launches so often is what it launches."""
_MORE = 0.5
"""So many calls more show which of two kinds of invocations are the graph's."""


def of_other_sizes(
    sequences: Sequence[LaunchSequence],
    decisions: Sequence[Decisions],
    doubted: Sequence[Bool],
    tokens: Tokens,
    sites: Sites,
    is_small: Bool,
) -> list[Bool]:
    """Per sequence, the runs whose kernels have other grids or blocks than those of the graph.

    What nearly all invocations launch is the call's; of classes that are small, for which other
    code is soon taken, what those do that show more of the calls. Else nobody knows. What is
    `doubted` already does not count. Shapes: is_small (classes,), the masks (runs,).
    """
    known = np.array([sizes is not None for sizes in sites.sizes], dtype=bool)
    known &= sites.certain & ~sites.choice
    known &= np.array([len(graphs) == 1 for graphs in sites.members], dtype=bool)[sites.of]
    placed = [
        _placed(sequence, decided, bad, known, tokens)
        for sequence, decided, bad in zip(sequences, decisions, doubted, strict=True)
    ]
    device, site, shape, times, calls = np.concatenate([one.columns for one in placed], axis=1)
    call = paired(device, site)
    kinds, kind = np.unique(np.stack([call, shape]), axis=1, return_inverse=True)
    kind = kind.reshape(-1)
    count = np.bincount(kind, weights=times).astype(np.float64)
    shown = np.bincount(kind, weights=times * calls).astype(np.float64)
    of_small = np.zeros(len(kinds[0]), dtype=bool)
    of_small[kind] = is_small[sites.of[site]]
    other = np.zeros(len(kinds[0]), dtype=bool)
    for begin, end in pairwise([*group_starts([kinds[0]]).tolist(), len(kinds[0])]):
        usual = _usual(count[begin:end], shown[begin:end], is_small=bool(of_small[begin]))
        other[begin:end] = usual is not None
        if usual is not None and usual >= 0:
            other[begin + usual] = False
    ends = np.cumsum([one.columns.shape[1] for one in placed])[:-1]
    return [
        np.bincount(one.run, weights=here, minlength=len(decided.of_run)) > 0
        for one, decided, here in zip(placed, decisions, np.split(other[kind], ends), strict=True)
    ]


class _Placed(Struct, frozen=True):
    """Launches of a sequence: their `run`; as rows device, site, shape, times, calls of the run."""

    run: Int
    columns: Int


def _placed(
    sequence: LaunchSequence, decided: Decisions, bad: Bool, known: Bool, tokens: Tokens
) -> _Placed:
    at = np.flatnonzero((decided.run >= 0) & ~np.append(bad, True)[decided.run])
    pairs = np.unique(np.stack([decided.run[at], decided.site[at]]), axis=1)
    calls = np.bincount(pairs[0], minlength=len(decided.of_run))
    at = at[known[decided.site[at]] & (tokens.word[sequence.token[at]] >= 0)]
    run, shape = decided.run[at], tokens.shape[sequence.token[at]]
    device, times = np.full((2, len(at)), [[sequence.device], [sequence.times]], dtype=np.int64)
    return _Placed(run, np.stack([device, decided.site[at], shape, times, calls[run]]))


def _usual(times: Float, calls: Float, *, is_small: bool) -> int | None:
    """Which of some shapes a call launches: its place, -1 where nobody knows, None: any of them."""
    if times.max() >= _ONE * times.sum():
        return int(times.argmax())
    if not is_small:
        return None
    share = calls / times
    first, second = np.sort(share)[:-3:-1]
    return int(share.argmax()) if first >= second + _MORE else NONE
