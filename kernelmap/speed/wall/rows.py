"""Pieces of steps → one row for each part, cause, host event's name and source line of a step."""

from __future__ import annotations

import numpy as np

from kernelmap.attribution.records import Attribution
from kernelmap.model import NONE, CompiledProgram, Matching, Trace
from kernelmap.model.columns import group_starts, pair_columns
from kernelmap.model.trace import Int
from kernelmap.model.wall_time import SAID, WallTimes
from kernelmap.speed.wall.measure import Wall
from kernelmap.speed.wall.texts import IdleTexts, PlacesAt


def wall_rows(
    wall: Wall,
    program: CompiledProgram,
    trace: Trace,
    matching: Matching,
    attribution: Attribution,
    places_at: PlacesAt,
) -> WallTimes:
    """The rows of all steps; those of one step on one device add up to it.

    `places_at` gives the functions in which host threads were at some moments.
    """
    pieces = wall.pieces
    words = IdleTexts(wall, program, trace, matching, attribution, places_at)
    what, line = words.of_pieces()
    cause = np.append(np.array(SAID, dtype=np.int64), NONE)[pieces.cause]  # busy ones have none
    # One number per row of the table; (pieces,). The longest piece of a key stands for its row.
    key = pair_columns(pieces.step, pieces.part, cause, what, line)
    dur_ns = pieces.end_ns - pieces.start_ns
    longest = _longest_by_key(key, dur_ns, pieces.start_ns)
    time_ns = np.zeros(len(longest), dtype=np.int64)
    np.add.at(time_ns, key, dur_ns)
    return WallTimes(
        steps=wall.steps,
        texts=words.texts,
        step=pieces.step[longest],
        part=pieces.part[longest],
        cause=cause[longest],
        what=what[longest],
        source=line[longest],
        stretches=np.bincount(key, minlength=len(longest)).astype(np.int64),
        time_ns=time_ns,
        longest_ns=dur_ns[longest],
        longest_start_ns=pieces.start_ns[longest],
    )


def _longest_by_key(key: Int, dur_ns: Int, start_ns: Int) -> Int:
    """The position of the longest of each key, of equally long ones the first; (keys,)."""
    most_ns = np.zeros(int(key.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(most_ns, key, dur_ns)
    # Several pieces may be the longest of their key. The one that starts first is taken.
    rows = np.flatnonzero(np.equal(dur_ns, most_ns[key]))
    rows = rows[np.lexsort((start_ns[rows], key[rows]))]
    return rows[group_starts([key[rows]])]
