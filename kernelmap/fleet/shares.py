"""Which collectives of all ranks one task matches, so that no task holds those of the whole fleet.

Steps are independent of each other. Where there are fewer steps than tasks are needed, as in a
profile without any, each step is cut into pieces by the positions of collectives in their group:
what is matched over ranks has one position, so it is in one piece on all of them. A piece begins on
a rank where the one before it ended there, and the replay of what-if goes from piece to piece.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from msgspec import Struct

from kernelmap.fleet.rank import RankFacts
from kernelmap.model.trace import Int
from kernelmap.tables.frames import Array

ROWS_OF_A_TASK = 1_000_000
"""How many collectives, over all ranks, one task matches: a million rows of twenty columns are 160
MB, of which matching holds several copies. Of many fewer, tasks cost more than matching. Chosen."""


class CollectiveShare(Struct, frozen=True, kw_only=True):
    """The steps whose number leaves `rest` when divided by `of`, and of each piece `piece`.

    `pieces` is how many a step has; `groups` how many collectives a group has in a step at most.
    """

    rest: int
    of: int
    piece: int
    pieces: int
    groups: Mapping[str, int]


def share_collectives(facts: Sequence[RankFacts], rows_of_a_task: int) -> list[CollectiveShare]:
    """As many shares as the collectives of all ranks need; the pieces of one step are in order."""
    # Whole steps are shared out first. Only where there are fewer steps than tasks is each of them
    # cut, into no more pieces than its largest group has collectives.
    rows = sum(rank_facts.collectives for rank_facts in facts)
    needed = max(1, -(-rows // rows_of_a_task))
    of = min(needed, max(1, *(rank_facts.steps for rank_facts in facts)))
    groups: dict[str, int] = {}
    for rank_facts in facts:
        for group, counts in rank_facts.counts.items():
            groups[group] = max(groups.get(group, 0), *counts.values())
    pieces = min(-(-needed // of), max(groups.values(), default=1))
    return [
        CollectiveShare(rest=rest, of=of, piece=piece, pieces=pieces, groups=groups)
        for rest in range(of)
        for piece in range(pieces)
    ]


def share_of(tables: Mapping[str, Array], share: CollectiveShare) -> dict[str, Array]:
    """The rank_steps and rank_collectives of one rank, aligned, as far as they are of the share."""
    # Tables of the steps of the share, with all of their collectives.
    steps, rows = (
        table.filter(table["step"].to_numpy() % share.of == share.rest)
        for table in (tables["rank_steps"], tables["rank_collectives"])
    )
    if share.pieces > 1:
        steps, rows = _piece_of(steps, rows, share)
    return {"rank_steps": steps, "rank_collectives": rows}


def _piece_of(steps: Array, rows: Array, share: CollectiveShare) -> tuple[Array, Array]:
    """The collectives of the piece, and steps that begin and end with it."""
    # Both are (collectives,): the size of the row's group, and the piece of the row. Ten
    # collectives in two pieces: positions 0 to 4 are piece 0, 5 to 9 are piece 1.
    counts = np.array([share.groups[group] for group in rows["group"].to_pylist()], dtype=np.int64)
    piece = rows["position"].to_numpy() * share.pieces // np.maximum(counts, 1)
    piece = np.clip(piece, 0, share.pieces - 1)  # ranks that were shifted have some around them
    step, ends = rows["step"].to_numpy(), rows["start_ns"].to_numpy() + rows["dur_ns"].to_numpy()
    begin, wall = steps["begin_ns"].to_numpy(), steps["wall_ns"].to_numpy()

    def reached(before: int) -> Int:
        """Where each step is when the pieces up to `before` have ended, (steps,)."""
        made: Int = begin.copy()
        for at, number in enumerate(steps["step"].to_pylist()):
            made[at] = ends[(step == number) & (piece < before)].max(initial=made[at])
        return made

    # The piece is a step of its own for the replay: from where the pieces before it end, to where
    # it ends. The last one lasts to the end of the step.
    start = reached(share.piece)
    stop = begin + wall if share.piece == share.pieces - 1 else reached(share.piece + 1)
    for name, values in (("begin_ns", start), ("wall_ns", np.maximum(stop - start, 0))):
        at = steps.column_names.index(name)
        steps = steps.set_column(at, name, pa.array(values, pa.int64()))
    return steps, rows.filter(pa.array(piece == share.piece))
