"""The tables of a fleet: every column named once, with its unit and its meaning.

`RANK` are the tables of one rank, which its task writes; `FLEET` are those of the answer. Times of
rows are per step, where a profile has steps, else those of the whole window.
"""

from __future__ import annotations

from collections.abc import Mapping

from kernelmap.views.table import Column, Table, Type, Unit


def _int(name: str, text: str, *, unit: Unit | None = None, nullable: bool = False) -> Column:
    return Column(name=name, type=Type.INT, help=text, unit=unit, nullable=nullable)


def _ns(name: str, text: str) -> Column:
    return _int(name, text, unit=Unit.NS)


def _ns_or_null(name: str, text: str) -> Column:
    return _int(name, text, unit=Unit.NS, nullable=True)


def _text(name: str, text: str) -> Column:
    return Column(name=name, type=Type.TEXT, help=text)


def _text_or_null(name: str, text: str) -> Column:
    return Column(name=name, type=Type.TEXT, help=text, nullable=True)


_RANK = _int("rank", "rank of the distributed run")
_STEP = _int("step", "ProfilerStep number; -1 where the profile has no steps")
_OF_STEP = (
    _ns("begin_ns", "begin, from the first event of the rank's profile"),
    _ns("wall_ns", "to the end of its range, or of its last work if that is later"),
    _ns("compute_ns", "when the device computed, or did no more than copy"),
    _ns("exposed_ns", "when collectives ran and nothing computed"),
    _ns("idle_ns", "when nothing ran"),
    _int("device", "the GPU, of several the busiest, by the profiler's number; -1 for the CPU"),
    _ns(
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
        _text_or_null(
            "range",
            "the host event that shows the cause, else the host range that lasted as long; "
            "null without one",
        ),
        _ns("time_ns", "how long nothing ran for it"),
        _int("device", "the profiler's number of the GPU; -1 for the CPU"),
        _text("cause", "why nothing ran: a cause of the wall time, as in the table wall"),
        _int("around", "1 where it is part of around_ns of the step, 0 where it is of idle_ns"),
    ),
)

COLLECTIVES = Table(
    name="rank_collectives",
    row="one collective of one rank",
    order="rank, then start",
    columns=(
        _RANK,
        _STEP,
        _text("group", "process group, as its kernel names it, with its ranks; empty without"),
        _int("position", "position among the collectives of its group and step, from 0"),
        _text("name", "the collective: all_reduce, all_gather, …"),
        _text_or_null("dtype", "type of its elements"),
        _int("elements_in", "elements that the rank gives", nullable=True),
        _int("elements_out", "elements that the rank gets", nullable=True),
        _ns("start_ns", "start, from the first event of the rank's profile"),
        _ns("dur_ns", "how long it ran, waiting included"),
        _ns("exposed_ns", "the part of it in which nothing computed"),
    ),
)

ROWS = Table(
    name="rank_rows",
    row="a call, op, line or graph of one rank",
    order="rank, then kind, then time",
    columns=(
        _RANK,
        _text("by", "call, op, line or graph"),
        _text("key", "what the row is on every rank, whatever it is called there"),
        _text("name", "what it is called on this rank"),
        _text_or_null("graph", "the graph of a call"),
        _int("launches", "its launches in the window"),
        _ns("time_ns", "its time in the window"),
        _text_or_null(
            "kernel", "the kernels that the device ran for a call, with the digest of their code"
        ),
        _text_or_null("config", "block sizes, num_warps and num_stages of a call"),
        _text_or_null("cache", "what the FX graph cache said of a graph"),
        _int("compilation", "which compilation of its function a graph is", nullable=True),
        _text_or_null("failed_guard", "the guard whose failure made it compile again"),
        _int("first_step", "the step in which a graph ran first", nullable=True),
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
        _text("state", "read or missing"),
        _text_or_null("reason", "why it is missing"),
        _text_or_null("device", "the GPU, as the profile names it"),
        _int("steps", "steps that were counted", nullable=True),
        _ns_or_null("step_ns", "mean time of a step"),
        _ns_or_null("own_ns", "mean time of a step without waiting for other ranks"),
        _ns_or_null("excess_ns", "own_ns over the median of all ranks; of two, over the faster"),
        Column(
            name="slow",
            type=Type.TEXT,
            help="yes where the excess is more than what ranks differ by",
            nullable=True,
        ),
        _ns_or_null("compute_ns", "compute_ns of a mean step"),
        _ns_or_null("exposed_ns", "exposed_ns of a mean step"),
        _ns_or_null("waiting_ns", "the part of it that waits for other ranks"),
        _ns_or_null("idle_ns", "idle_ns of a mean step"),
        _int("last_in", "collectives in which it came last", nullable=True),
        _text_or_null("sources", "the files that were read"),
        _int("threads", "threads of torch within an operator, as a bundle states", nullable=True),
        _int("interop_threads", "threads of torch for operators side by side", nullable=True),
    ),
)

FLEET_STEPS = Table(
    name="fleet_steps",
    row="one step of one rank",
    order="rank, then step",
    columns=(
        *STEPS.columns,
        _ns("waiting_ns", "the part of exposed_ns that waits for other ranks"),
        _ns("own_ns", "wall_ns without waiting_ns"),
    ),
)

CAUSES = Table(
    name="fleet_causes",
    row="a cause for which a slow rank is slow",
    order="rank, then the largest",
    columns=(
        _RANK,
        _text("cause", "the cause, in the words of `kernelmap diff`, or what the host did"),
        _text("what", "the call, op or host range"),
        _text_or_null("where", "the graph or call it stands in"),
        _text_or_null("step", "the step or steps in which it happened, where it did not in all"),
        _ns("change_ns", "time per step more than on the median rank"),
        _text_or_null("detail", "what differs"),
        _int("against", "the median rank"),
    ),
)

SPREAD = Table(
    name="fleet_spread",
    row="a call, op, line or graph over all ranks",
    order="kind, then the difference between most and median, largest first",
    columns=(
        _text("by", "call, op, line or graph"),
        _text("name", "what most ranks call it"),
        _text("key", "what it is on every rank, whatever it is called there"),
        _int("ranks", "ranks on which it ran"),
        _ns("least_ns", "the least time of a rank, per step"),
        _int("least_rank", "that rank"),
        _ns("median_ns", "the median over the ranks on which it ran, per step"),
        _ns("most_ns", "the most time of a rank, per step"),
        _int("most_rank", "that rank"),
    ),
)

BY_OP = Table(
    name="fleet_by_op",
    row="one op on one rank, of the ops in which ranks differ most",
    order="op, the largest difference first, then rank",
    columns=(_text("name", "the op"), _RANK, _ns("time_ns", "its time, per step")),
)

DIVERGENCE = Table(
    name="fleet_divergence",
    row="something that some ranks do otherwise than most",
    order="kind, then what",
    columns=(
        _text("kind", "graph, kernel, configuration, cache, compilation, collective or threads"),
        _text("what", "the graph, call or collective"),
        _text_or_null("usual", "what most ranks have"),
        _text_or_null("value", "what these ranks have; null where they lack it"),
        _int("ranks", "how many ranks"),
        _text("which", "these ranks"),
    ),
)

COMMUNICATION = Table(
    name="fleet_communication",
    row="the collectives of one kind, group and size, matched over ranks",
    order="exposed time, most first",
    columns=(
        _text("name", "the collective"),
        _text("group", "process group; empty where the profiles do not say"),
        _text_or_null("dtype", "type of the elements"),
        _int("elements", "elements that a rank gives", nullable=True),
        _int("collectives", "how many were matched over ranks"),
        _int("ranks", "ranks that took part"),
        _ns("transfer_ns", "per step: the time of the rank that came last, so without waiting"),
        _ns("waiting_ns", "per step and rank, mean: time beyond that"),
        _ns("exposed_ns", "per step and rank, mean: when nothing else ran"),
        _int("last_rank", "the rank that came last most often"),
        _int("last_in", "in how many of them"),
    ),
)

WHAT_IF = Table(
    name="fleet_what_if",
    row="a slow rank, and what the step would take if it were as fast as the median",
    order="what is saved, most first",
    columns=(
        _RANK,
        _ns("step_ns", "estimate of a step without its excess"),
        _ns("saved_ns", "estimate of what a step would save"),
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
