"""(wall time, calls, their limits) → Savings: every part of the steps that one change could save.

The time of each part is known to the nanosecond (idle.py, busy.py). Here parts are put together
that one change saves, and each gets its sentences.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.attribution.records import Attribution
from kernelmap.matching import Match
from kernelmap.model import CompiledProgram, Trace
from kernelmap.model.roofline import Roofline
from kernelmap.model.savings import Basis, Saving, Savings
from kernelmap.model.trace import Int
from kernelmap.model.wall_time import PARTS, StepPart
from kernelmap.speed.advice.savings.busy import eager_parts, fusion_ns, host_parts, moving_parts
from kernelmap.speed.advice.savings.idle import idle_parts
from kernelmap.speed.advice.savings.items import SavingMaker
from kernelmap.speed.advice.savings.launching import (
    EAGER,
    LEVERS,
    copying_inputs,
    could_be_fused,
    levers_of_launches,
    levers_on_host,
)
from kernelmap.speed.advice.savings.parts import StepParts, joined_parts
from kernelmap.speed.advice.savings.scene import Scene, look_at_program
from kernelmap.speed.wall.critical import WaitedFor, exposed_on, waited_for
from kernelmap.speed.wall.measure import Wall
from kernelmap.speed.wall.texts import IdleTexts, PlacesAt


class MeasuredSteps(Struct, frozen=True, kw_only=True):
    """The steps of a window: what devices did, what steps waited for, and how that is called.

    `exposed_ns` is of launches; `what` and `source` number texts, for the pieces of `wall`.
    """

    wall: Wall
    waited: tuple[WaitedFor, ...]
    exposed_ns: Int
    texts: IdleTexts
    what: Int
    source: Int


def measure_steps(
    program: CompiledProgram,
    trace: Trace,
    match: Match,
    attribution: Attribution,
    wall: Wall,
    places_at: PlacesAt,
) -> MeasuredSteps:
    """What savings are made of; `places_at` as the texts of the wall time take it."""
    texts = IdleTexts(wall, program, trace, match.matching, attribution, places_at)
    what, source = texts.of_pieces()
    waited = waited_for(wall, trace)
    return MeasuredSteps(
        wall=wall,
        waited=waited,
        exposed_ns=exposed_on(waited, wall, trace),
        texts=texts,
        what=what,
        source=source,
    )


def find_savings(
    program: CompiledProgram,
    trace: Trace,
    match: Match,
    attribution: Attribution,
    step: MeasuredSteps,
    roofline: Roofline | None,
) -> Savings:
    """All that the steps could save; without `roofline` nothing of the time of calls."""
    wall = step.wall
    # Which change would spare each launch, as a position among the levers; (launches,).
    lever = levers_of_launches(trace, match, wall.host.events)
    parts = _cut_into_parts(trace, match, attribution, step, lever)
    frame = _measure_frame(attribution, wall)
    scene = look_at_program(program, trace, match, wall)
    maker = SavingMaker(program, trace, match, attribution, frame, scene, lever, step.texts)
    # On the CPU operators and calls may run beside one another: what is left is for the calls.
    busy_ns = int(parts.time_ns[parts.is_busy].sum()) if frame.side == "cpu" else 0
    items = [*maker.of_parts(parts), *maker.of_calls(roofline, frame.computing_ns - busy_ns)]
    judged_ns = min(_judged_ns(roofline), frame.computing_ns)
    return replace(frame, items=_order_savings(items), judged_ns=judged_ns)


def _cut_into_parts(
    trace: Trace, match: Match, attribution: Attribution, step: MeasuredSteps, lever: Int
) -> StepParts:
    """All parts of the steps but the calls: idle time, what moves data, what runs eagerly."""
    wall, texts = step.wall, step.texts
    copying = copying_inputs(trace, lever, wall.host.events)
    # The first launch of each device; (devices,).
    first = np.array([device.time.rows[0] for device in step.waited], dtype=np.int64)
    parts = [idle_parts(wall, match.matching, lever, copying, step.what, step.source, first)]
    # Launches of the window outside compiled code, and those of them that fusion could take in.
    outside = attribution.counted & (match.matching.call < 0)
    ops = attribution.outside_op
    fused = could_be_fused(trace, ops.code, ops.names)
    if any(it.on_cpu for it in wall.steps):
        # On the CPU, operators are the work; these are the ones that some change would spare.
        kinds = levers_on_host(trace, wall, lever, fused)
        what, source = texts.of_launches(np.arange(len(trace.launches)))
        parts.append(host_parts(wall, trace, kinds, outside, what, source))
    else:
        # On the GPU: what moves data and nothing hides, and eager kernels that could be fused.
        parts.append(moving_parts(wall, trace, step.waited))
        eager = outside & fused & np.isin(lever, [LEVERS.index(it) for it in EAGER])
        saved_ns = fusion_ns(lever, eager, step.exposed_ns, step.waited)
        # Only launches of which something is saved.
        rows = np.flatnonzero(saved_ns > 0)
        parts.append(eager_parts(rows, lever, saved_ns, *texts.of_launches(rows)))
    together = joined_parts(parts)
    return together.take_parts(np.flatnonzero(together.time_ns > 0))


def _measure_frame(attribution: Attribution, wall: Wall) -> Savings:
    """A list without savings: how long the steps took, and what the devices did in them."""
    pieces = wall.pieces
    dur_ns = pieces.end_ns - pieces.start_ns
    # Ns of each part over all steps: computing, communication, copies, idle.
    by_part = {part: int(dur_ns[np.equal(pieces.part, at)].sum()) for at, part in enumerate(PARTS)}
    marked = sum(step.step is not None for step in wall.steps)
    devices = len({step.device for step in wall.steps})
    took = attribution.step_time
    return Savings(
        side=attribution.side,
        basis=Basis.STEPS if marked else Basis.WINDOW,
        total_ns=int(dur_ns.sum()),
        computing_ns=by_part[StepPart.COMPUTING],
        exposed_ns=by_part[StepPart.COMMUNICATION] + by_part[StepPart.COPY],
        idle_ns=by_part[StepPart.IDLE],
        # A step counts once on every device; one that a device took no part in is a step all the
        # same.
        steps=-(-marked // devices) if marked else 0,
        devices=devices,
        compiled_ns=took.compiled_ns if took else None,
    )


def find_gpu_savings(
    program: CompiledProgram,
    trace: Trace,
    match: Match,
    attribution: Attribution,
    roofline: Roofline,
) -> Savings:
    """What calls could save of the GPU's time, where the host side is not recorded."""
    frame = Savings(
        side=attribution.side,
        basis=Basis.GPU_TIME,
        total_ns=attribution.total_ns,
        computing_ns=attribution.total_ns,
        judged_ns=_judged_ns(roofline),
    )
    scene = Scene(
        is_compiled=True, on_cpu=False, has_cuda_graphs=False, has_stacks=False, is_fsdp=False
    )
    # Without wall time no launch has a lever.
    none = np.zeros(0, dtype=np.int64)
    items = SavingMaker(program, trace, match, attribution, frame, scene, none, None)
    return replace(frame, items=_order_savings(list(items.of_calls(roofline, frame.total_ns))))


def _order_savings(items: Sequence[Saving]) -> tuple[Saving, ...]:
    return tuple(sorted(items, key=lambda it: (-it.saves_ns, it.slug, it.finding)))


def _judged_ns(roofline: Roofline | None) -> int:
    """The time of calls whose limit is known."""
    if roofline is None:
        return 0
    return sum(speed.time_ns for speed in roofline.calls if speed.limit_ns is not None)
