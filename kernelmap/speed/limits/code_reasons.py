"""(what the code says, the speeds of calls) → what each reason by itself could save of them.

Each function states one reason: what shows it, and what it saves at most. A saving is the headroom
that the reason explains, and the part of the limit that would fall with it: bytes that would not
have to move, operations that would run faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from kernelmap.model import CompiledProgram
from kernelmap.model.notices import format_count, join_some
from kernelmap.model.roofline import Bound, CallSpeed, DeviceLimits, Slug
from kernelmap.model.work import CodeEvidence, Copy, Intermediate, Product, Repeated, Strided

_SECOND = 10**9  # ns
_FEWEST = 32
"""Multiprocessors that are assumed where the code states none: every GPU of limits.toml has more,
so a grid that is called small is small there as well."""
_FAR = 0.5
"""Of its time is headroom: it runs at less than half of what the device allows. Nearer to the limit
the reasons would explain measuring errors. Chosen."""
_SHORT_NS = 5_000
"""An execution that takes no longer is mostly start and end, whatever it does: kernels of one block
take 0.7 to 2.2 µs in the samples of an H200. With less, a small grid is blamed for that; with more,
it is not seen."""
_TILES = re.compile(r"(?<![0-9])(32|64|96|128|192|256|384|512)x(32|64|96|128|192|256|384|512)")
_SMALLEST_TILE = (64, 64)
"""Taken where no name of a kernel states a tile. Larger tiles waste at least as much, so what is
said is at least true."""
_WASTED = 0.2
"""Of what the tiles compute is no part of the result; less is what any size that is no multiple
wastes. Chosen."""
_PLAIN_FLOAT32 = ("sgemm", "f32f32_f32f32", "simt")  # in the names of kernels without tensor cores


class ReasonCandidate(Struct, frozen=True, kw_only=True):
    """A reason by itself: what it could save of each call, None where no limit says so."""

    slug: Slug
    savings: Mapping[int, int | None]
    bytes: int | None
    evidence: str

    @property
    def total_ns(self) -> int:
        """What it could save of all its calls, as far as that is known."""
        return sum(saving or 0 for saving in self.savings.values())


def iter_candidates(
    program: CompiledProgram,
    speeds: Mapping[int, CallSpeed],
    limits: DeviceLimits | None,
    evidence: CodeEvidence,
) -> Iterator[ReasonCandidate]:
    """All reasons that the code shows, of the calls that ran; `speeds` has them by position."""
    reasons = _Reasons(program, speeds, limits)
    for value in evidence.intermediates:
        yield from reasons.written_and_read(value)
    yield from reasons.split_reductions(evidence.intermediates)
    for speed in speeds.values():
        yield from reasons.small_grid(speed, evidence.processors)
    for copy in evidence.copies:
        yield from reasons.layout_copy(copy)
    for strided in evidence.strided:
        yield from reasons.strided_access(strided)
    for repeated in evidence.repeated:
        yield from reasons.computed_again(repeated)
    for product in evidence.products:
        yield from reasons.float32_product(product)
        yield from reasons.uneven_product(product)


class _Reasons(Struct, frozen=True):
    """What all reasons need: the calls that ran, by position, and the device's limits."""

    program: CompiledProgram
    speeds: Mapping[int, CallSpeed]
    limits: DeviceLimits | None

    def written_and_read(self, value: Intermediate) -> Iterator[ReasonCandidate]:
        """Memory traffic of a value that fused kernels would keep in registers."""
        speeds = self.speeds
        # The readers that ran, with the bytes that one execution loads. A call that only finishes
        # the reduction is the subject of another reason.
        ran = [(call, size) for call, size in value.loads if call in speeds]
        loads = [(call, size) for call, size in ran if call not in value.finishers]
        if value.writer not in speeds or not loads:
            return
        names = {call: self._name_of_call(call) for call in (value.writer, *dict(loads))}
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
            savings={call: self._time_of_moving(call, size) for call, size in moved.items()},
            bytes=sum(moved.values()),
            evidence=f"{', '.join(stated)}; {format_count(executions, 'time')}"
            + _say_refusals(value, names)
            + (f". The write stays: {kept}" if kept else ""),
        )

    def split_reductions(self, values: Iterable[Intermediate]) -> Iterator[ReasonCandidate]:
        """Kernels that only finish what another one reduced in part."""
        # A kernel may leave several partial results (a sum and a maximum) to one finisher.
        pairs: dict[tuple[int, int], list[Intermediate]] = {}
        for value in values:
            for finisher in value.finishers:
                if {value.writer, finisher} <= self.speeds.keys():
                    pairs.setdefault((value.writer, finisher), []).append(value)
        for (writer, finisher), partial in pairs.items():
            executions = self.speeds[finisher].executions or 0
            stored = sum(value.stored for value in partial) * executions
            loaded = sum(dict(value.loads)[finisher] for value in partial) * executions
            # A single kernel would not need the finisher: besides what its loads take at the limit,
            # all of its headroom would go.
            headroom_ns = self.speeds[finisher].headroom_ns
            saved = self._time_of_moving(finisher, loaded)
            if headroom_ns is not None and saved is not None:
                saved = min(headroom_ns + saved, self.speeds[finisher].time_ns)
            names = join_some([value.name for value in partial])
            yield ReasonCandidate(
                slug=Slug.SPLIT_REDUCTION,
                savings={writer: self._time_of_moving(writer, stored), finisher: saved},
                bytes=stored + loaded,
                evidence=f"{self._name_of_call(writer)} reduces to {partial[0].stored:,} bytes of "
                f"{names}, "
                f"which {self._name_of_call(finisher)} does nothing with but reduce them to the "
                f"end; {format_count(executions, 'time')}",
            )

    def small_grid(self, speed: CallSpeed, processors: int | None) -> Iterator[ReasonCandidate]:
        """Memory traffic far below the limit, by fewer blocks than the device has multiprocessors.

        A block runs on one multiprocessor, so that some of them have nothing to do.
        """
        blocks = speed.blocks
        if blocks is None or blocks >= (processors or _FEWEST) or not _is_far(speed):
            return
        # This reason explains memory traffic. Calls bound by arithmetic have other reasons.
        if speed.bound is Bound.COMPUTE:
            return
        against = (
            f"the {processors:,} multiprocessors of the device that the code was compiled for"
            if processors
            else f"a device that is taken to have {_FEWEST} multiprocessors, fewer than any known"
            " one"
        )
        yield ReasonCandidate(
            slug=Slug.SMALL_GRID,
            savings={speed.call: speed.headroom_ns},
            bytes=None,
            evidence=f"{self._name_of_call(speed.call)} runs in {format_count(blocks, 'block')} "
            f"at most, on {against}",
        )

    def layout_copy(self, copy: Copy) -> Iterator[ReasonCandidate]:
        """A call that would not be needed if its source were written as it is read.

        A copy from one device to another changes more than the layout.
        """
        speed = self.speeds.get(copy.call)
        if speed is None or speed.crosses_link:
            return
        source, target = copy.dtypes
        ways = [f"cast from {source} to {target}"] if source != target else []
        ways += ["in another layout"] if copy.reorders else []
        yield ReasonCandidate(
            slug=Slug.LAYOUT_COPY,
            savings={speed.call: speed.time_ns},
            bytes=speed.bytes.most if speed.bytes else None,
            evidence=f"{self._name_of_call(speed.call)} only copies "
            f"{format_count(copy.elements, 'element')} of "
            f"{copy.source} to {copy.target}, {' and '.join(ways) or 'in the same layout'}",
        )

    def strided_access(self, strided: Strided) -> Iterator[ReasonCandidate]:
        """Headroom of a call that moves sectors of which its threads use a part."""
        speed = self.speeds.get(strided.call)
        if speed is None or self.limits is None or not _is_far(speed) or strided.wasted <= 0:
            return
        # The headroom bounds the saving, for a cache may have kept what seems wasted.
        wasted = strided.wasted * (speed.executions or 0)
        saved = min(speed.headroom_ns or 0, wasted * _SECOND // self.limits.bandwidth)
        said = [
            f"{one.name} {'written' if one.written else 'read'} at a distance of {one.distance:,} "
            f"bytes: {one.used:,} of {one.moved:,} bytes that move are used"
            for one in strided.operands
        ]
        yield ReasonCandidate(
            slug=Slug.STRIDED_ACCESS,
            savings={speed.call: saved},
            bytes=wasted,
            evidence=f"neighbouring threads of {self._name_of_call(speed.call)} do not share "
            f"sectors: {join_some(said)}",
        )

    def computed_again(self, repeated: Repeated) -> Iterator[ReasonCandidate]:
        """Loads that only serve to compute what an earlier kernel computed."""
        if not {repeated.call, repeated.before} <= self.speeds.keys() or not repeated.loads:
            return
        executions = self.speeds[repeated.call].executions or 0
        loaded = sum(size for _, size in repeated.loads)
        names = join_some([name for name, _ in repeated.loads])
        yield ReasonCandidate(
            slug=Slug.COMPUTED_AGAIN,
            savings={repeated.call: self._time_of_moving(repeated.call, loaded * executions)},
            bytes=loaded * executions,
            evidence=f"{self._name_of_call(repeated.call)} computes "
            f"{join_some(list(dict.fromkeys(repeated.operations)))} as "
            f"{self._name_of_call(repeated.before)} "
            f"did, and reads {loaded:,} bytes of {names} for nothing else; "
            f"{format_count(executions, 'time')}",
        )

    def float32_product(self, product: Product) -> Iterator[ReasonCandidate]:
        """A product that runs at the peak of float32 where TensorFloat32 has a higher one."""
        speed = self.speeds.get(product.call)
        if speed is None or speed.dtype != "float32" or speed.bound is not Bound.COMPUTE:
            return
        # A kernel's name says that it multiplies without tensor cores; of a template its source
        # does.
        plain = [name for name, _ in speed.ran if any(word in name for word in _PLAIN_FLOAT32)]
        peak = self.limits.peak_of("float32", on_tensor_cores=True) if self.limits else None
        if not peak or not speed.flops or not (plain or product.is_plain):
            return
        shown = f"by {join_some(plain)}" if plain else "by a template with ALLOW_TF32 = False"
        # The limit that the product would have on tensor cores: its memory traffic stays the same.
        limit_ns = max(speed.memory_ns or 0, speed.flops * _SECOND // peak)
        if limit_ns >= (speed.limit_ns or 0):
            return
        yield ReasonCandidate(
            slug=Slug.FLOAT32_PRODUCT,
            savings={speed.call: max(0, speed.time_ns - limit_ns)},
            bytes=None,
            evidence=f"{self._name_of_call(speed.call)} multiplies {_say_sizes(product)} in "
            f"float32, {shown}; tensor cores would take TensorFloat32 "
            "(torch.set_float32_matmul_precision('high')) or bfloat16",
        )

    def uneven_product(self, product: Product) -> Iterator[ReasonCandidate]:
        """Headroom of a product whose sizes do not suit tensor cores."""
        speed = self.speeds.get(product.call)
        if speed is None or speed.headroom_ns is None or speed.dtype == "float32":
            return  # without tensor cores neither matters
        # Rows that begin unevenly are a reason by themselves. Tiles are looked at only without
        # them.
        if product.uneven and _is_far(speed):
            said = [
                f"rows of {name} lie {apart:,} elements apart" for name, apart in product.uneven
            ]
            yield ReasonCandidate(
                slug=Slug.UNEVEN_PRODUCT,
                savings={speed.call: speed.headroom_ns},
                bytes=None,
                evidence=f"{self._name_of_call(speed.call)} multiplies {_say_sizes(product)} in "
                f"{product.dtype}: {join_some(said)}, which is no multiple of 16 bytes, so that "
                "tensor cores' kernels load them in parts. Pad that dimension",
            )
            return
        # A name such as `128x256` does not say which of both is the rows': the better fit counts.
        tile = _tile_of_result([name for name, _ in speed.ran])
        waste, spelled = min(
            (_wasted_part(product, sizes), f"{sizes[0]} x {sizes[1]}")
            for sizes in (tile, tile[::-1])
        )
        # What all of the tiles would take at the peak. Below the time for memory the waste costs
        # nothing.
        padded_ns = round((speed.compute_ns or 0) / (1 - waste))
        if waste < _WASTED or padded_ns <= (speed.memory_ns or 0):
            return
        # Only what the waste adds to the limit, not all headroom.
        lost_ns = padded_ns - (speed.limit_ns or 0)
        yield ReasonCandidate(
            slug=Slug.UNEVEN_PRODUCT,
            savings={speed.call: min(speed.headroom_ns, lost_ns)},
            bytes=None,
            evidence=f"{self._name_of_call(speed.call)} multiplies {_say_sizes(product)} in tiles "
            f"of {spelled}: {waste:.0%} of what they compute is no part of the result",
        )

    def _time_of_moving(self, call: int, size: int) -> int | None:
        """What moving so many bytes takes at the limit, no more than the call took."""
        if self.limits is None:
            return None
        return min(size * _SECOND // self.limits.bandwidth, self.speeds[call].time_ns)

    def _name_of_call(self, call: int) -> str:
        graph, stated = self.program.calls[call]
        return graph.call_id(stated)


def _say_refusals(value: Intermediate, names: Mapping[int, str]) -> str:
    """The scheduler's own reasons, each with the readers that it is about."""
    readers: dict[str, list[str]] = {}
    for call, reason in value.refused:
        if call in names:
            readers.setdefault(reason, []).append(names[call])
    said = [f"with {join_some(calls)}: {reason}" for reason, calls in readers.items()]
    return f". The scheduler did not fuse it {'; '.join(said)}" if said else ""


def _is_far(speed: CallSpeed) -> bool:
    """Whether more than half of a call's time is headroom, in executions that are not short."""
    if speed.headroom_ns is None or not speed.executions:
        return False
    is_short = speed.time_ns <= _SHORT_NS * speed.executions
    return speed.headroom_ns > _FAR * speed.time_ns and not is_short


def _say_sizes(product: Product) -> str:
    """`2 x 64 x 128 by 128 x 32`."""
    batch = f"{product.batch:,} x " if product.batch > 1 else ""
    return f"{batch}{product.rows:,} x {product.inner:,} by {product.inner:,} x {product.columns:,}"


def _tile_of_result(kernels: Iterable[str]) -> tuple[int, int]:
    """The tile of the result that the names of kernels state; else the smallest usual one."""
    # A name has its tile in its first pair of sizes. Of several kernels the smallest tile counts,
    # which wastes least.
    tiles = [(int(a), int(b)) for name in kernels for a, b in _TILES.findall(name)[:1]]
    return min(tiles, key=lambda tile: tile[0] * tile[1], default=_SMALLEST_TILE)


def _wasted_part(product: Product, tile: tuple[int, int]) -> float:
    """The part of what whole tiles compute that is no part of the result.

    >>> _wasted_part(Product(call=0, batch=1, rows=96, inner=8, columns=128, dtype=None), (64, 128))
    0.25
    """
    rows, columns = -(-product.rows // tile[0]) * tile[0], -(-product.columns // tile[1]) * tile[1]
    whole = rows * columns
    return 1 - product.rows * product.columns / whole if whole else 0.0
