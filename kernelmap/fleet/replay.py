"""Steps as work between collectives → what they would take if a rank were as fast as the median.

Work is the time from the end of a collective to the start of the next one on the same rank, so a
collective that runs beside other work counts as if that work waited for it. Steps are replayed one
after the other, each from its begin on every rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from msgspec import Struct

from kernelmap.model.trace import Bool, Int


class Replay(Struct, frozen=True):
    """A step; rows are `ranks` in order, columns its collectives in order.

    `work_ns` is what a rank did before each collective, `part` whether it took part in it,
    `transfer_ns` what each took once all were there, `rest_ns` the work behind the last one.
    """

    step: int
    ranks: Int
    work_ns: Int
    part: Bool
    transfer_ns: Int
    rest_ns: Int

    def ends_ns(self, begins_ns: Int, without: int | None = None) -> Int:
        """When each rank ends the step that it begins at `begins_ns`, both (ranks,).

        `without` leaves out the excess of a rank: its work before a collective is then at most the
        median of all ranks.
        """
        # Work is (ranks, collectives), rest (ranks,). Of the rank without its excess both are at
        # most the median over ranks, column by column.
        work, rest = self.work_ns, self.rest_ns
        at = self.ranks == without
        if at.any():
            work, rest = work.copy(), rest.copy()
            work[at] = np.minimum(work[at], np.median(self.work_ns, axis=0).astype(np.int64))
            rest[at] = np.minimum(rest[at], int(np.median(self.rest_ns)))
        # Where each rank is, (ranks,). Collective by collective every rank does its work; those
        # that take part go on together, when the last of them is there and the transfer is done.
        now = begins_ns.copy()
        for column in range(work.shape[1]):
            now += work[:, column]
            members = self.part[:, column]
            if members.any():
                now[members] = now[members].max() + self.transfer_ns[column]
        ends: Int = now + rest
        return ends


def window_ns(steps: Sequence[Replay], without: int | None = None) -> int:
    """How long the steps take in order; `without` the excess of a rank."""
    # All ranks begin at 0; a rank that lacks a step stays where it is.
    ranks = np.unique(np.concatenate([step.ranks for step in steps]))
    now = np.zeros(len(ranks), dtype=np.int64)
    for step in steps:
        at = np.searchsorted(ranks, step.ranks)
        now[at] = step.ends_ns(now[at], without)
    return int(now.max(initial=0))


def iter_replays(collectives: pd.DataFrame, steps: pd.DataFrame) -> Iterator[Replay]:
    """The steps of all ranks, in order.

    `steps` are rows of tables.fleet.STEPS. `collectives` are those that were matched: rows of
    tables.fleet.COLLECTIVES with `occurrence`, their order, and `transfer_ns`.
    """
    by_step = collectives.groupby("step")
    for step, of_step in steps.groupby("step", sort=True):
        number = int(str(step))
        rows = collectives.iloc[by_step.indices.get(number, [])]
        yield _replay_step(number, of_step.sort_values("rank"), rows)


def _replay_step(step: int, of_step: pd.DataFrame, rows: pd.DataFrame) -> Replay:
    ranks, begin, wall = (
        of_step[name].to_numpy(np.int64) for name in ("rank", "begin_ns", "wall_ns")
    )
    # Each row is one collective on one rank: its place in the matrices of (ranks, collectives).
    occurrences, column = np.unique(rows["occurrence"].to_numpy(np.int64), return_inverse=True)
    at = np.searchsorted(ranks, rows["rank"].to_numpy(np.int64))
    shape = (len(ranks), len(occurrences))
    # Where a rank takes no part in a collective, work and end stay 0 and the mask is False.
    work, end = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    part = np.zeros(shape, dtype=np.bool_)
    start_ns, dur_ns = (rows[name].to_numpy(np.int64) for name in ("start_ns", "dur_ns"))
    work[at, column], end[at, column], part[at, column] = start_ns, start_ns + dur_ns, True
    # The transfer of a collective is the same on all its rows.
    transfer = np.zeros(len(occurrences), dtype=np.int64)
    transfer[column] = rows["transfer_ns"]
    # Until here the column of work holds starts. From left to right each becomes the time since the
    # end of the collective before it on the rank, 0 where the two overlap.
    reached = begin.copy()
    for occurrence in range(len(occurrences)):
        members = part[:, occurrence]
        work[members, occurrence] = np.maximum(work[members, occurrence] - reached[members], 0)
        reached[members] = np.maximum(end[members, occurrence], reached[members])
    return Replay(
        step=step,
        ranks=ranks,
        work_ns=work,
        part=part,
        transfer_ns=transfer,
        rest_ns=np.maximum(begin + wall - reached, 0),
    )
