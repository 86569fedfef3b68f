"""(launches of calls, their limits) → reasons in how calls were launched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernelmap.facts.helper_kernels import purpose_of_helper
from kernelmap.model.notices import format_count, format_duration, join_some
from kernelmap.model.roofline import Bound, CallSpeed, Slug
from kernelmap.model.work import CodeEvidence, Occupancy
from kernelmap.speed.limits.candidates import SHORT_NS, KnownSpeeds, ReasonCandidate, is_far

_FEWEST = 32
"""Multiprocessors that are assumed where the code states none: every GPU of limits.toml has more,
so a grid that is called small is small there as well."""

LAUNCH_NS = 2_000
"""What a launch takes whatever it does: kernels of one block take 0.7 to 2.2 µs in the samples of
an H200 and an H100, and 2.3 to 3.3 µs under the counters of Nsight Compute."""
PRODUCT_NS = 3_000
"""The same of products, convolutions and attention, whose kernels load tiles before they begin and
store them behind the end: with less than 0.4 µs of work they take 2.7 to 3.7 µs in the recording of
an H100 with the smallest ones (sample_traces/cuda_equal_layers)."""
_PART = 0.1
"""Of a call's time: less of it is no reason for its headroom that anybody could change. Chosen."""

_FEW_WARPS = 0.125
"""Of the warps that a multiprocessor could hold, two for each of its schedulers. Kernels for an
H100 that hold three (attention, products, convolutions) load ahead by themselves, and counters show
memory busy in some of them and nothing in others; one that held a single one had nothing busy
(sample_traces/cuda_wide_conv)."""

_UNEVEN_END = 0.25
"""Of a call's time has to be headroom before blocks that were left over explain it: a sum in 552
blocks for 528 places has 44 %, one in 4,096 has 14 % (sample_traces/cuda_reason_pairs)."""


def iter_launch_reasons(known: KnownSpeeds, evidence: CodeEvidence) -> Iterator[ReasonCandidate]:
    """Executions that are mostly start and end, helpers of a library, and grids too small."""
    for speed in known.speeds.values():
        yield from _start_and_end(known, speed)
        yield from _helper_kernels(known, speed)
        yield from _small_grid(known, speed, evidence.processors)
    yield from _iter_occupancy_reasons(known)


def _start_and_end(known: KnownSpeeds, speed: CallSpeed) -> Iterator[ReasonCandidate]:
    """What launches take to start, to wait for the first loads and to end, whatever they do.

    A short launch with next to no work is nothing else. Of longer ones it is a small part, which is
    said where it is a part worth saying.
    """
    headroom_ns, executions = speed.headroom_ns, speed.executions
    if not headroom_ns or not executions:
        return
    one_ns = PRODUCT_NS if speed.model_flops else LAUNCH_NS
    saved = short = 0
    for (_, time_ns), often in zip(speed.ran, speed.launches, strict=False):
        is_short = speed.bound_of_limit is Bound.LATENCY and time_ns <= SHORT_NS * often
        saved += time_ns if is_short else min(time_ns, one_ns * often)
        short += often * is_short
    saved = min(saved, headroom_ns)
    if saved < _PART * speed.time_ns:
        return
    launches = sum(speed.launches)
    evidence = (
        f"{known.name_of_call(speed.call)} is {format_count(launches, 'launch')} of "
        f"{format_duration(speed.time_ns // launches)}, and its work needs "
        f"{format_duration((speed.limit_ns or 0) // launches)} at the limits: "
    )
    if short == launches:
        evidence += "it takes that long to start, to load first and to end"
    else:
        evidence += f"each takes up to {format_duration(one_ns)} to start, to load first and to end"
    yield ReasonCandidate(
        slug=Slug.START_AND_END, savings={speed.call: saved}, bytes=None, evidence=evidence
    )


def _helper_kernels(known: KnownSpeeds, speed: CallSpeed) -> Iterator[ReasonCandidate]:
    """The time of launches that only prepare or finish what a library's kernel does."""
    helpers: dict[str, int] = {}
    for name, time_ns in speed.ran:
        purpose = purpose_of_helper(name)
        if purpose is not None:
            helpers[purpose] = helpers.get(purpose, 0) + time_ns
    # What only helps is no reason of a call that does nothing else.
    saved = min(sum(helpers.values()), speed.headroom_ns or 0)
    if not speed.executions or not 0 < sum(helpers.values()) < speed.time_ns or not saved:
        return
    said = [
        f"{format_duration(time_ns // speed.executions)} to {purpose}"
        for purpose, time_ns in sorted(helpers.items(), key=lambda pair: -pair[1])
    ]
    yield ReasonCandidate(
        slug=Slug.HELPER_KERNELS,
        savings={speed.call: saved},
        bytes=None,
        evidence=f"{known.name_of_call(speed.call)} takes "
        f"{format_duration(speed.time_ns // speed.executions)} each time, of which its library"
        f" needs {join_some(said)}",
    )


def _iter_occupancy_reasons(known: KnownSpeeds) -> Iterator[ReasonCandidate]:
    """What registers, shared memory and blocks of kernels explain; files are asked once."""
    long = {
        call: dict(_iter_long_launches(speed))
        for call, speed in known.speeds.items()
        if speed.headroom_ns and (not speed.is_busy or _may_end_unevenly(speed))
    }
    names = {name for kernels in long.values() for name in kernels}
    occupancies = known.find_occupancies(names) if names else {}
    for call, kernels in long.items():
        held = {name: occupancies[name] for name in kernels if name in occupancies}
        yield from _low_occupancy(known, known.speeds[call], kernels, held)
        yield from _last_wave(known, known.speeds[call], held)


def _low_occupancy(
    known: KnownSpeeds,
    speed: CallSpeed,
    kernels: Mapping[str, int],
    occupancies: Mapping[str, Occupancy],
) -> Iterator[ReasonCandidate]:
    """A kernel that keeps nothing busy, with few warps that could run while others wait."""
    few = {
        name: kernels[name]
        for name, held in occupancies.items()
        if held.warps <= _FEW_WARPS * held.most_warps
    }
    if speed.is_busy or not few:
        return
    # Each launch has its part of the headroom; the longest is told.
    name = max(few, key=lambda one: few[one])
    held = occupancies[name]
    yield ReasonCandidate(
        slug=Slug.LOW_OCCUPANCY,
        savings={speed.call: (speed.headroom_ns or 0) * sum(few.values()) // speed.time_ns},
        bytes=None,
        evidence=f"a multiprocessor holds {held.warps} of {held.most_warps} warps of {name} in "
        f"{known.name_of_call(speed.call)}: {format_count(held.blocks, 'block')} of "
        f"{held.threads:,} threads, with {held.registers} registers each and "
        f"{held.shared_memory:,} bytes of shared memory in a block. Little else runs while these"
        " wait",
    )


def _last_wave(
    known: KnownSpeeds, speed: CallSpeed, occupancies: Mapping[str, Occupancy]
) -> Iterator[ReasonCandidate]:
    """A kernel of which a few blocks run behind all others, on a part of the device."""
    # The grid is that of a single kernel, else it is not known whose it is.
    if not _may_end_unevenly(speed) or len(occupancies) != 1 or speed.blocks is None:
        return
    (held,) = occupancies.values()
    idle = held.idle_share(speed.blocks)
    if idle < _PART:
        return
    places = held.blocks * held.processors
    yield ReasonCandidate(
        slug=Slug.LAST_WAVE,
        savings={speed.call: min(speed.headroom_ns or 0, round(speed.time_ns * idle))},
        bytes=None,
        evidence=f"{known.name_of_call(speed.call)} has {speed.blocks:,} blocks for {places:,} "
        f"places ({held.blocks} on each of {held.processors} multiprocessors): "
        f"{speed.blocks % places} run behind the others, while the rest of the device has nothing"
        " to do",
    )


def _may_end_unevenly(speed: CallSpeed) -> bool:
    """Whether a call is one kernel with so much to win that blocks left over may be why."""
    return len(speed.ran) == 1 and (speed.headroom_ns or 0) > _UNEVEN_END * speed.time_ns


def _iter_long_launches(speed: CallSpeed) -> Iterator[tuple[str, int]]:
    """The launches of a call that are neither short nor helpers, by name with their time."""
    for (name, time_ns), often in zip(speed.ran, speed.launches, strict=False):
        if time_ns > SHORT_NS * often and purpose_of_helper(name) is None:
            yield name, time_ns


def _small_grid(
    known: KnownSpeeds, speed: CallSpeed, processors: int | None
) -> Iterator[ReasonCandidate]:
    """Memory traffic far below the limit, by fewer blocks than the device has multiprocessors.

    A block runs on one multiprocessor, so that the others have nothing to do: spread over all of
    them, its work would take as much less as there are more.
    """
    blocks = speed.blocks
    most = processors or _FEWEST
    if blocks is None or blocks >= most or not is_far(speed):
        return
    idle = most - blocks
    # This reason explains memory traffic. Calls bound by arithmetic have other reasons.
    if speed.bound is Bound.COMPUTE:
        return
    against = (
        f"the {processors:,} multiprocessors of the device that the code was compiled for"
        if processors
        else f"a device that is taken to have {_FEWEST} multiprocessors, fewer than any known one"
    )
    yield ReasonCandidate(
        slug=Slug.SMALL_GRID,
        savings={speed.call: min(speed.headroom_ns or 0, speed.time_ns * idle // most)},
        bytes=None,
        evidence=f"{known.name_of_call(speed.call)} runs in {format_count(blocks, 'block')} "
        f"at most, on {against}",
    )
