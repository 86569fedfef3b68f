"""(what the code says, the speeds of calls) → reasons of memory traffic that need not be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kernelmap.model.notices import format_count, format_duration, join_some
from kernelmap.model.roofline import Bound, Slug
from kernelmap.model.work import (
    PIECE,
    CodeEvidence,
    Copy,
    Indirect,
    Intermediate,
    Repeated,
    Strided,
    UnevenRows,
)
from kernelmap.speed.limits.candidates import (
    SECOND,
    KnownSpeeds,
    ReasonCandidate,
    is_far,
)

_TURNS = 0.5
"""Of a call's time: so much has to be left when the bytes of scattered additions are taken off.
Additions in the order of memory leave 1 % there, to 64 places 87 %. Chosen between."""

_UNEVEN = 0.25
"""Of a call's time has to be headroom before uneven rows explain it: a softmax of rows of 4,095
elements has 33 %, one of 4,096 has 14 % (sample_traces/cuda_reason_pairs)."""


def iter_traffic_reasons(known: KnownSpeeds, evidence: CodeEvidence) -> Iterator[ReasonCandidate]:
    """Values that pass through memory, copies, and pieces of memory of which a part is used."""
    for value in evidence.intermediates:
        yield from _written_and_read(known, value)
    yield from _split_reductions(known, evidence.intermediates)
    for copy in evidence.copies:
        yield from _layout_copy(known, copy)
    for strided in evidence.strided:
        yield from _strided_access(known, strided)
    for uneven in evidence.uneven_rows:
        yield from _uneven_rows(known, uneven)
    yield from _indirect_accesses(known, evidence.indirect)
    for repeated in evidence.repeated:
        yield from _computed_again(known, repeated)


def _written_and_read(known: KnownSpeeds, value: Intermediate) -> Iterator[ReasonCandidate]:
    """Memory traffic of a value that fused kernels would keep in registers."""
    speeds = known.speeds
    # The readers that ran, with the bytes that one execution loads. A call that only finishes
    # the reduction is the subject of another reason.
    ran = [(call, size) for call, size in value.loads if call in speeds]
    loads = [(call, size) for call, size in ran if call not in value.finishers]
    if value.writer not in speeds or not loads:
        return
    names = {call: known.name_of_call(call) for call in (value.writer, *dict(loads))}
    # Something else needs the value in memory: then the store stays, and only loads can be
    # saved.
    kept = value.kept
    if len(ran) < len(value.loads):
        kept = kept or "not all calls that read it ran in this window"
    elif len(loads) < len(ran):
        kept = kept or "a second kernel finishes its reduction"
    # Fused, the calls would run together: the one that ran least often says how often.
    executions = min(speeds[call].executions or 0 for call in names)
    # The bytes that each call would not have to move, in all executions together.
    moved = {value.writer: 0 if kept else value.stored * executions}
    for call, size in loads:
        moved[call] = moved.get(call, 0) + size * executions
    if not sum(moved.values()):
        return
    stated = [f"{names[value.writer]} writes {value.stored:,} bytes of {value.name}"]
    stated += [f"{names[call]} reads {size:,}" for call, size in loads]
    yield ReasonCandidate(
        slug=Slug.WRITTEN_AND_READ,
        savings={call: known.time_of_moving(call, size) for call, size in moved.items()},
        bytes=sum(moved.values()),
        evidence=f"{', '.join(stated)}; {format_count(executions, 'time')}"
        + _say_refusals(value, names)
        + (f". The write stays: {kept}" if kept else ""),
    )


def _split_reductions(
    known: KnownSpeeds, values: Iterable[Intermediate]
) -> Iterator[ReasonCandidate]:
    """Kernels that only finish what another one reduced in part."""
    # A kernel may leave several partial results (a sum and a maximum) to one finisher.
    pairs: dict[tuple[int, int], list[Intermediate]] = {}
    for value in values:
        for finisher in value.finishers:
            if {value.writer, finisher} <= known.speeds.keys():
                pairs.setdefault((value.writer, finisher), []).append(value)
    for (writer, finisher), partial in pairs.items():
        executions = known.speeds[finisher].executions or 0
        stored = sum(value.stored for value in partial) * executions
        loaded = sum(dict(value.loads)[finisher] for value in partial) * executions
        # A single kernel would not need the finisher: besides what its loads take at the limit,
        # all of its headroom would go.
        headroom_ns = known.speeds[finisher].headroom_ns
        saved = known.time_of_moving(finisher, loaded)
        if headroom_ns is not None and saved is not None:
            saved = min(headroom_ns + saved, known.speeds[finisher].time_ns)
        names = join_some([value.name for value in partial])
        yield ReasonCandidate(
            slug=Slug.SPLIT_REDUCTION,
            savings={writer: known.time_of_moving(writer, stored), finisher: saved},
            bytes=stored + loaded,
            evidence=f"{known.name_of_call(writer)} reduces to {partial[0].stored:,} bytes of "
            f"{names}, "
            f"which {known.name_of_call(finisher)} does nothing with but reduce them to the "
            f"end; {format_count(executions, 'time')}",
        )


def _layout_copy(known: KnownSpeeds, copy: Copy) -> Iterator[ReasonCandidate]:
    """A call that would not be needed if its source were written as it is read.

    A copy from one device to another changes more than the layout.
    """
    speed = known.speeds.get(copy.call)
    if speed is None or speed.crosses_link:
        return
    source, target = copy.dtypes
    ways = [f"cast from {source} to {target}"] if source != target else []
    ways += ["in another layout"] if copy.reorders else []
    ways += [f"with {copy.padding:,} more around them"] if copy.padding else []
    yield ReasonCandidate(
        slug=Slug.PADDING_COPY if copy.padding else Slug.LAYOUT_COPY,
        savings={speed.call: speed.time_ns},
        bytes=speed.bytes.most if speed.bytes else None,
        evidence=f"{known.name_of_call(speed.call)} only copies "
        f"{format_count(copy.elements, 'element')} of "
        f"{copy.source} to {copy.target}, {' and '.join(ways) or 'in the same layout'}",
    )


def _strided_access(known: KnownSpeeds, strided: Strided) -> Iterator[ReasonCandidate]:
    """Headroom of a call that moves pieces of memory of which its threads use a part."""
    speed = known.speeds.get(strided.call)
    if speed is None or known.limits is None or not is_far(speed) or strided.wasted <= 0:
        return
    # The headroom bounds the saving, for a cache may have kept what seems wasted.
    wasted = strided.wasted * (speed.executions or 0)
    saved = min(speed.headroom_ns or 0, wasted * SECOND // known.limits.bandwidth)
    said = [
        f"{one.name} {'written' if one.written else 'read'} at a distance of {one.distance:,} "
        f"bytes: {one.used:,} of {one.moved:,} bytes that move are used"
        for one in strided.operands
    ]
    yield ReasonCandidate(
        slug=Slug.STRIDED_ACCESS,
        savings={speed.call: saved},
        bytes=wasted,
        evidence=f"neighbouring threads of {known.name_of_call(speed.call)} do not share "
        f"pieces of memory: {join_some(said)}",
    )


def _uneven_rows(known: KnownSpeeds, uneven: UnevenRows) -> Iterator[ReasonCandidate]:
    """Headroom of a call that loads element by element what it could load sixteen bytes at a time.

    Other kernels do as well from memory, so this is a reason for a call with something to win only.
    """
    speed = known.speeds.get(uneven.call)
    if speed is None or not speed.headroom_ns or speed.headroom_ns < _UNEVEN * speed.time_ns:
        return
    if speed.bound_of_limit is not Bound.MEMORY:
        return
    yield ReasonCandidate(
        slug=Slug.UNEVEN_ROWS,
        savings={speed.call: speed.headroom_ns},
        bytes=None,
        evidence=f"rows of {join_some([name for name, _ in uneven.rows])} lie "
        f"{uneven.rows[0][1]:,} bytes apart in {known.name_of_call(uneven.call)}, which is no"
        " multiple of 16, so that its threads move element by element",
    )


def _indirect_accesses(
    known: KnownSpeeds, accesses: Iterable[Indirect]
) -> Iterator[ReasonCandidate]:
    """Headroom of calls whose single elements lie where data say.

    Elements that lie apart move what memory hands over for each of them. A call with atomic
    additions that takes longer than even that adds to the same places, where additions take turns.
    """
    by_call: dict[int, list[Indirect]] = {}
    for access in accesses:
        by_call.setdefault(access.call, []).append(access)
    for call, found in by_call.items():
        speed = known.speeds.get(call)
        if speed is None or known.limits is None or not is_far(speed) or not speed.headroom_ns:
            continue
        # At most what each element moves for nothing.
        wasted = sum(access.wasted for access in found) * (speed.executions or 0)
        apart_ns = wasted * SECOND // known.limits.bandwidth
        added = [access for access in found if access.is_atomic]
        takes_turns = bool(added) and speed.headroom_ns - apart_ns > _TURNS * speed.time_ns
        said = [
            f"{access.elements:,} elements of {access.name}"
            for access in (added if takes_turns else found)
        ]
        name = known.name_of_call(call)
        if takes_turns:
            evidence = (
                f"{name} adds to {join_some(said)} at places that data give. If all of them lay "
                f"apart, their bytes would take {format_duration(apart_ns)} of its "
                f"{format_duration(speed.time_ns)}: additions to one place take turns"
            )
        else:
            evidence = (
                f"{name} reaches {join_some(said)} at places that data give; where they lie apart,"
                f" memory hands over {PIECE} bytes for each"
            )
        yield ReasonCandidate(
            slug=Slug.CONTENDED_ATOMICS if takes_turns else Slug.SCATTERED_ACCESS,
            savings={call: speed.headroom_ns if takes_turns else min(speed.headroom_ns, apart_ns)},
            bytes=None if takes_turns else wasted,
            evidence=evidence,
        )


def _computed_again(known: KnownSpeeds, repeated: Repeated) -> Iterator[ReasonCandidate]:
    """Loads that only serve to compute what an earlier kernel computed."""
    if not {repeated.call, repeated.before} <= known.speeds.keys() or not repeated.loads:
        return
    executions = known.speeds[repeated.call].executions or 0
    loaded = sum(size for _, size in repeated.loads)
    names = join_some([name for name, _ in repeated.loads])
    yield ReasonCandidate(
        slug=Slug.COMPUTED_AGAIN,
        savings={repeated.call: known.time_of_moving(repeated.call, loaded * executions)},
        bytes=loaded * executions,
        evidence=f"{known.name_of_call(repeated.call)} computes "
        f"{join_some(list(dict.fromkeys(repeated.operations)))} as "
        f"{known.name_of_call(repeated.before)} "
        f"did, and reads {loaded:,} bytes of {names} for nothing else; "
        f"{format_count(executions, 'time')}",
    )


def _say_refusals(value: Intermediate, names: Mapping[int, str]) -> str:
    """The scheduler's own reasons, each with the readers that it is about."""
    readers: dict[str, list[str]] = {}
    for call, reason in value.refused:
        if call in names:
            readers.setdefault(reason, []).append(names[call])
    said = [f"with {join_some(calls)}: {reason}" for reason, calls in readers.items()]
    return f". The scheduler did not fuse it {'; '.join(said)}" if said else ""
