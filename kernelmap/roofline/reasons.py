"""(what the code says, the speeds of calls) → why calls take longer than they need to.

A reason says what could be won at most. Several may concern one call: the largest counts in full,
the others what it leaves of the call's time, so that the sum never exceeds the time of the calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kernelmap.model import CompiledProgram
from kernelmap.model.notices import count
from kernelmap.model.work import CodeEvidence, Copy, Intermediate
from kernelmap.roofline.limits import Limits
from kernelmap.roofline.records import Bound, CallSpeed, Reason, Slug

_SECOND = 10**9  # ns
_FEWEST = 32  # multiprocessors: every GPU of limits.toml has more
_FAR = 0.5  # of its time is headroom: it runs at less than half of what the memory allows
_SHORT_NS = 5_000  # an execution that takes no longer is mostly start and end, whatever its grid


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """A reason by itself: what it could save of each call, None where no limit says so."""

    slug: Slug
    savings: Mapping[int, int | None]
    bytes: int | None
    evidence: str

    @property
    def total_ns(self) -> int:
        return sum(saving or 0 for saving in self.savings.values())


def reasons(
    program: CompiledProgram,
    calls: Sequence[CallSpeed],
    limits: Limits | None,
    evidence: CodeEvidence,
) -> tuple[Reason, ...]:
    """The reasons of the calls that ran, the largest saving first."""
    speeds = {speed.call: speed for speed in calls}
    candidates = [
        candidate
        for value in evidence.intermediates
        for candidate in _written_and_read(program, speeds, limits, value)
    ]
    candidates += [
        candidate
        for speed in calls
        for candidate in _small_grid(program, speed, evidence.processors)
    ]
    candidates += [
        _layout_copy(program, speeds[copy.call], copy)
        for copy in evidence.copies
        if copy.call in speeds
    ]
    candidates.sort(key=lambda each: (-each.total_ns, -(each.bytes or 0), tuple(each.savings)))
    left = {call: speed.time_ns for call, speed in speeds.items()}
    return tuple(_beside(candidate, left) for candidate in candidates)


def _beside(candidate: _Candidate, left: dict[int, int]) -> Reason:
    """The reason with what it saves beside those before it; `left` is the time of calls left."""
    savings = []
    for call, saving in candidate.savings.items():
        part = min(saving or 0, left[call])
        left[call] -= part
        savings.append(part)
    is_known = None not in candidate.savings.values()
    return Reason(
        slug=candidate.slug,
        calls=tuple(candidate.savings),
        bytes=candidate.bytes,
        savings=tuple(savings) if is_known else None,
        overlap_ns=candidate.total_ns - sum(savings) if is_known else None,
        evidence=candidate.evidence,
    )


def _written_and_read(
    program: CompiledProgram,
    speeds: Mapping[int, CallSpeed],
    limits: Limits | None,
    value: Intermediate,
) -> Iterator[_Candidate]:
    """Memory traffic of a value that fused kernels would keep in registers."""
    loads = [(call, size) for call, size in value.loads if call in speeds]
    if value.writer not in speeds or not loads:
        return
    names = {call: _name(program, call) for call in (value.writer, *dict(loads))}
    kept = value.kept
    if len(loads) < len(value.loads):
        kept = kept or "not all calls that read it ran in this window"
    executions = min(speeds[call].executions or 0 for call in names)
    moved = {value.writer: 0 if kept else value.stored * executions}
    for call, size in loads:
        moved[call] = moved.get(call, 0) + size * executions
    if not sum(moved.values()):
        return
    stated = [f"{names[value.writer]} writes {value.stored:,} bytes of {value.name}"]
    stated += [f"{names[call]} reads {size:,}" for call, size in loads]
    yield _Candidate(
        slug=Slug.WRITTEN_AND_READ,
        savings={
            call: None
            if limits is None
            else min(size * _SECOND // limits.bandwidth, speeds[call].time_ns)
            for call, size in moved.items()
        },
        bytes=sum(moved.values()),
        evidence=f"{', '.join(stated)}; {count(executions, 'time')}"
        + (f". The write stays: {kept}" if kept else ""),
    )


def _small_grid(
    program: CompiledProgram, speed: CallSpeed, processors: int | None
) -> Iterator[_Candidate]:
    """Memory traffic far below the limit, by fewer blocks than the device has multiprocessors.

    A block runs on one multiprocessor, so that some of them have nothing to do.
    """
    if None in (speed.blocks, speed.headroom_ns, speed.executions) or speed.bound is Bound.COMPUTE:
        return
    blocks, headroom_ns = speed.blocks or 0, speed.headroom_ns or 0
    is_far = headroom_ns > _FAR * speed.time_ns
    is_short = speed.time_ns <= _SHORT_NS * (speed.executions or 0)
    if blocks >= (processors or _FEWEST) or not is_far or is_short:
        return
    against = (
        f"the {processors:,} multiprocessors of the device that the code was compiled for"
        if processors
        else f"a device that is taken to have {_FEWEST} multiprocessors, fewer than any known one"
    )
    yield _Candidate(
        slug=Slug.SMALL_GRID,
        savings={speed.call: headroom_ns},
        bytes=None,
        evidence=f"{_name(program, speed.call)} runs in {count(blocks, 'block')} at most, "
        f"on {against}",
    )


def _layout_copy(program: CompiledProgram, speed: CallSpeed, copy: Copy) -> _Candidate:
    """A call that would not be needed if its source were written as it is read."""
    source, target = copy.dtypes
    ways = [f"cast from {source} to {target}"] if source != target else []
    ways += ["in another layout"] if copy.reorders else []
    return _Candidate(
        slug=Slug.LAYOUT_COPY,
        savings={speed.call: speed.time_ns},
        bytes=speed.bytes.most if speed.bytes else None,
        evidence=f"{_name(program, speed.call)} only copies {count(copy.elements, 'element')} of "
        f"{copy.source} to {copy.target}, {' and '.join(ways) or 'in the same layout'}",
    )


def _name(program: CompiledProgram, call: int) -> str:
    graph, stated = program.calls[call]
    return graph.call_id(stated)
