"""The tables of a fleet: every column named once, with its unit and its meaning.

`RANK` are the tables of one rank, which its task writes; `FLEET` are those of the answer. Times of
rows are per step, where a profile has steps, else those of the whole window.
"""

from __future__ import annotations

from collections.abc import Mapping

from kernelmap.tables.bandwidth import bandwidth_columns
from kernelmap.tables.table import (
    Column,
    Table,
    Type,
    int_column,
    ns_column,
    ns_or_null,
    text_column,
    text_or_null,
)

_RANK = int_column("rank", "rank of the distributed run")
_STEP = int_column("step", "ProfilerStep number; -1 where the profile has no steps")
_OF_STEP = (
    ns_column("begin_ns", "begin, from the first event of the rank's profile"),
    ns_column("wall_ns", "to the end of its range, or of its last work if that is later"),
    ns_column("compute_ns", "when the device computed, or did no more than copy"),
    ns_column("exposed_ns", "when collectives ran and nothing computed"),
    ns_column("idle_ns", "when nothing ran"),
    int_column(
        "device", "the GPU, of several the busiest, by the profiler's number; -1 for the CPU"
    ),
    ns_column(
        "around_ns", "idle before the first work and behind the last one of a profile without steps"
    ),
)

OUTSIDE = " · outside"
"""Ends the key of an op that ran outside compiled code."""

STEPS = Table(
    name="rank_steps",
    row="one step of one rank",
    order="rank, then step",
    columns=(_RANK, _STEP, *_OF_STEP),
)

GAPS = Table(
    name="rank_gaps",
    row="a cause for which nothing ran in one step of one device of a rank",
    order="rank, then device and step",
    columns=(
        _RANK,
        _STEP,
        text_or_null(
            "range",
            "the host event that shows the cause, else the host range that lasted as long; "
            "null without one",
        ),
        ns_column("time_ns", "how long nothing ran for it"),
        int_column("device", "the profiler's number of the GPU; -1 for the CPU"),
        text_column("cause", "why nothing ran: a cause of the wall time, as in the table wall"),
        int_column(
            "around", "1 where it is part of around_ns of the step, 0 where it is of idle_ns"
        ),
    ),
)

COLLECTIVES = Table(
    name="rank_collectives",
    row="one collective of one rank",
    order="rank, then start",
    columns=(
        _RANK,
        _STEP,
        text_column(
            "group", "process group, as its kernel names it, with its ranks; empty without"
        ),
        int_column("position", "position among the collectives of its group and step, from 0"),
        text_column("name", "the collective: all_reduce, all_gather, …"),
        text_or_null("dtype", "type of its elements"),
        int_column("elements_in", "elements that the rank gives", nullable=True),
        int_column("elements_out", "elements that the rank gets", nullable=True),
        ns_column("start_ns", "start, from the first event of the rank's profile"),
        ns_column("dur_ns", "how long it ran, waiting included"),
        ns_column("exposed_ns", "the part of it in which nothing computed"),
        int_column("members", "how many ranks its process group has", nullable=True),
    ),
)

ROWS = Table(
    name="rank_rows",
    row="a call, op, line or graph of one rank",
    order="rank, then kind, then time",
    columns=(
        _RANK,
        text_column("by", "call, op, line or graph"),
        text_column("key", "what the row is on every rank, whatever it is called there"),
        text_column("name", "what it is called on this rank"),
        text_or_null("graph", "the graph of a call"),
        int_column("launches", "its launches in the window"),
        ns_column("time_ns", "its time in the window"),
        text_or_null(
            "kernel", "the kernels that the device ran for a call, with the digest of their code"
        ),
        text_or_null("config", "block sizes, num_warps and num_stages of a call"),
        text_or_null("cache", "what the FX graph cache said of a graph"),
        int_column("compilation", "which compilation of its function a graph is", nullable=True),
        text_or_null("failed_guard", "the guard whose failure made it compile again"),
        int_column("first_step", "the step in which a graph ran first", nullable=True),
    ),
)

RANK: Mapping[str, Table] = {table.name: table for table in (STEPS, GAPS, COLLECTIVES, ROWS)}
"""What is kept of one rank, beside its ordinary tables."""

RANKS = Table(
    name="fleet_ranks",
    row="one rank",
    order="rank",
    columns=(
        _RANK,
        text_column("state", "read or missing"),
        text_or_null("reason", "why it is missing"),
        text_or_null("device", "the GPU, as the profile names it"),
        int_column("steps", "steps that were counted", nullable=True),
        ns_or_null("step_ns", "mean time of a step"),
        ns_or_null("own_ns", "mean time of a step without waiting for other ranks"),
        ns_or_null("excess_ns", "own_ns over the median of all ranks; of two, over the faster"),
        Column(
            name="slow",
            type=Type.TEXT,
            help="yes where the excess is more than what ranks differ by",
            nullable=True,
        ),
        ns_or_null("compute_ns", "compute_ns of a mean step"),
        ns_or_null("exposed_ns", "exposed_ns of a mean step"),
        ns_or_null("waiting_ns", "the part of it that waits for other ranks"),
        ns_or_null("idle_ns", "idle_ns of a mean step"),
        int_column("last_in", "collectives in which it came last", nullable=True),
        text_or_null("sources", "the files that were read"),
        int_column(
            "threads", "threads of torch within an operator, as a bundle states", nullable=True
        ),
        int_column("interop_threads", "threads of torch for operators side by side", nullable=True),
    ),
)

FLEET_STEPS = Table(
    name="fleet_steps",
    row="one step of one rank",
    order="rank, then step",
    columns=(
        *STEPS.columns,
        ns_column("waiting_ns", "the part of exposed_ns that waits for other ranks"),
        ns_column("own_ns", "wall_ns without waiting_ns"),
    ),
)

CAUSES = Table(
    name="fleet_causes",
    row="a cause for which a slow rank is slow",
    order="rank, then the largest",
    columns=(
        _RANK,
        text_column("cause", "the cause, in the words of `kernelmap diff`, or what the host did"),
        text_column("what", "the call, op or host range"),
        text_or_null("where", "the graph or call it stands in"),
        text_or_null("step", "the step or steps in which it happened, where it did not in all"),
        ns_column("change_ns", "time per step more than on the median rank"),
        text_or_null("detail", "what differs"),
        int_column("against", "the median rank"),
    ),
)

SPREAD = Table(
    name="fleet_spread",
    row="a call, op, line or graph over all ranks",
    order="kind, then the difference between most and median, largest first",
    columns=(
        text_column("by", "call, op, line or graph"),
        text_column("name", "what most ranks call it"),
        text_column("key", "what it is on every rank, whatever it is called there"),
        int_column("ranks", "ranks on which it ran"),
        ns_column("least_ns", "the least time of a rank, per step"),
        int_column("least_rank", "that rank"),
        ns_column("median_ns", "the median over the ranks on which it ran, per step"),
        ns_column("most_ns", "the most time of a rank, per step"),
        int_column("most_rank", "that rank"),
    ),
)

BY_OP = Table(
    name="fleet_by_op",
    row="one op on one rank, of the ops in which ranks differ most",
    order="op, the largest difference first, then rank",
    columns=(text_column("name", "the op"), _RANK, ns_column("time_ns", "its time, per step")),
)

DIVERGENCE = Table(
    name="fleet_divergence",
    row="something that some ranks do otherwise than most",
    order="kind, then what",
    columns=(
        text_column(
            "kind", "graph, kernel, configuration, cache, compilation, collective or threads"
        ),
        text_column("what", "the graph, call or collective"),
        text_or_null("usual", "what most ranks have"),
        text_or_null("value", "what these ranks have; null where they lack it"),
        int_column("ranks", "how many ranks"),
        text_column("which", "these ranks"),
    ),
)

COMMUNICATION = Table(
    name="fleet_communication",
    row="the collectives of one kind, group and size, matched over ranks",
    order="exposed time, most first",
    columns=(
        text_column("name", "the collective"),
        text_column("group", "process group; empty where the profiles do not say"),
        text_or_null("dtype", "type of the elements"),
        int_column("elements", "elements that a rank gives", nullable=True),
        int_column("collectives", "how many were matched over ranks"),
        int_column("ranks", "ranks that took part"),
        ns_column(
            "transfer_ns", "per step: the time of the rank that came last, so without waiting"
        ),
        ns_column("waiting_ns", "per step and rank, mean: time beyond that"),
        ns_column("exposed_ns", "per step and rank, mean: when nothing else ran"),
        int_column("last_rank", "the rank that came last most often"),
        int_column("last_in", "in how many of them"),
        int_column("elements_out", "elements that a rank gets", nullable=True),
        int_column("members", "how many ranks the process group has", nullable=True),
        int_column(
            "bytes", "bytes of the whole array of one of them, not of one part", nullable=True
        ),
        ns_or_null("shortest_ns", "the shortest transfer of one of them"),
        *bandwidth_columns("the time is that from the arrival of the last rank to the end"),
        text_or_null("reason", "why a number is null, or why bus_gbps is a lower bound"),
    ),
)

WHAT_IF = Table(
    name="fleet_what_if",
    row="a slow rank, and what the step would take if it were as fast as the median",
    order="what is saved, most first",
    columns=(
        _RANK,
        ns_column("step_ns", "estimate of a step without its excess"),
        ns_column("saved_ns", "estimate of what a step would save"),
    ),
)

FLEET: Mapping[str, Table] = {
    table.name.removeprefix("fleet_"): table
    for table in (
        RANKS,
        FLEET_STEPS,
        CAUSES,
        SPREAD,
        BY_OP,
        DIVERGENCE,
        COMMUNICATION,
        WHAT_IF,
    )
}
"""The tables of an answer, by their names in it."""
