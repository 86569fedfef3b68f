"""What a program does already (CUDA graphs, stacks, its optimizer), as far as remedies need it."""

from __future__ import annotations

from msgspec import Struct

from kernelmap.facts.engines import find_engine
from kernelmap.matching import Match
from kernelmap.model import CompiledProgram, Trace
from kernelmap.model.columns import distinct_values
from kernelmap.model.compilations import find_recompilations
from kernelmap.model.names import is_optimizer_step
from kernelmap.model.notices import format_place
from kernelmap.speed.wall.measure import Wall


class Scene(Struct, frozen=True, kw_only=True):
    """What is known of the program that the remedies depend on.

    `breaks` are its graph breaks, as `models.py:106 (reason)`, `again` what was compiled once more
    and why, `optimizers` the names of optimizers that ran eagerly, `breaks_in_torch` those of
    `breaks` that lie in torch's own code, `engine` the serving engine that ran.
    """

    is_compiled: bool
    on_cpu: bool
    has_cuda_graphs: bool
    has_stacks: bool
    is_fsdp: bool
    by_nsys: bool = False
    has_steps: bool = True
    breaks: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    optimizers: tuple[str, ...] = ()
    breaks_in_torch: tuple[str, ...] = ()
    engine: str | None = None


def look_at_program(program: CompiledProgram, trace: Trace, match: Match, wall: Wall) -> Scene:
    """The scene of a window whose wall time was measured."""
    events = wall.host.events
    # Names that a range of this trace bears.
    used = set(distinct_values(trace.ranges.name_id).tolist())
    ranges = [name for at, name in enumerate(trace.ranges.names) if at in used]
    # Each break as it is told, with its file.
    breaks = {
        f"{format_place(f'{it.line.file}:{it.line.line}')} ({_first_line(it.reason)})": it.line.file
        for one in program.compilations
        for it in one.graph_breaks
        if it.line
    }
    # Functions that were compiled again and again; without these, single guards that did not hold.
    again = [one.words for one in find_recompilations(program.compilations)] or [
        f"{one.title or 'a function'}, because this did not hold: {one.failed_guards[0].guard}"
        for one in program.compilations
        if one.failed_guards
    ]
    # `Optimizer.step#AdamW.step` is a step of AdamW.
    optimizers = [
        name.partition("#")[2].partition(".")[0] for name in ranges if is_optimizer_step(name)
    ]
    compiled = bool((match.matching.call >= 0).any() or events.regions.any() or events.graphs.any())
    return Scene(
        is_compiled=compiled,
        on_cpu=any(step.on_cpu for step in wall.steps),
        has_cuda_graphs=bool(match.context.host.replayed.any()),
        has_stacks=any(base_ns is not None for base_ns in trace.frames_ns),
        is_fsdp=any(name.startswith("FSDP::") for name in ranges),
        by_nsys=bool(trace.by_nsys) and all(trace.by_nsys),
        has_steps=any(step.step is not None for step in wall.steps),
        breaks=tuple(breaks),
        breaks_in_torch=tuple(text for text, file in breaks.items() if _IN_TORCH in file),
        again=tuple(again),
        optimizers=tuple(dict.fromkeys(optimizers)),
        engine=find_engine(trace),
    )


_IN_TORCH = "-packages/torch/"


def _first_line(reason: str) -> str:
    """The first line of a reason."""
    return reason.partition("\n")[0].strip()
