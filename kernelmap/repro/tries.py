"""The reasons of a kernel's headroom → the configurations that may win it, each with its reason.

A reason proposes something: more blocks, more warps, another shape of a block. What can be had by
another configuration of the same kernel is tried. Of any other reason the script says why nothing
is. A kernel without a reason is measured with the configurations around the recorded one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice, permutations

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.model.roofline import Slug
from kernelmap.repro.configurations import KernelConfig, LaunchPlan
from kernelmap.repro.recorded import CallReason, RecordedCall

_MOST_TRIED = 8  # of one reason
_MOST_AROUND = 12  # of none

NOT_TRIED: Mapping[Slug, str] = {
    Slug.START_AND_END: "only fewer launches win it, by fusion or CUDA graphs",
    Slug.WRITTEN_AND_READ: "one kernel in the place of both is to be written first",
    Slug.COMPUTED_AGAIN: "one kernel in the place of both is to be written first",
    Slug.SPLIT_REDUCTION: "one kernel in the place of both is to be written first",
    Slug.LAYOUT_COPY: "any configuration copies: its source is to be written as it is read",
    Slug.PADDING_COPY: "any configuration copies: its source is to be padded where it is made",
    Slug.COSTLY_FUNCTIONS: "any configuration computes the same functions",
    Slug.BUSY_SMS: "any configuration runs the same instructions",
    Slug.SCATTERED_ACCESS: "the places are those of the data, which a recording does not have",
    Slug.CONTENDED_ATOMICS: "the places are those of the data, which a recording does not have",
    Slug.L2_ATOMICS: "the places are those of the data, which a recording does not have",
    Slug.UNEVEN_ROWS: "the kernel's source states how far rows lie apart: pad them where they are"
    " made",
    Slug.UNEVEN_PRODUCT: "the kernel's source states its tiles and how far rows lie apart",
    Slug.FLOAT32_PRODUCT: "the kernel's source states ALLOW_TF32: autotuning under"
    " torch.set_float32_matmul_precision('high') writes another one",
}
"""Why no configuration answers a reason."""
_BESIDE: Mapping[Slug, str] = {
    Slug.STRIDED_ACCESS: "another layout of the tensor, as the kernel's source states its strides",
}
"""What a reason proposes beside other configurations."""
_SPENT = "its blocks are as small as they can be: only a kernel that splits its rows has more"
_NONE_LEFT = "the kernel has no other configuration of this kind"


class CallTry(Struct, frozen=True, kw_only=True):
    """Something to measure: the reason that it answers, and the dictionary that `run` is given."""

    reason: str
    text: str


class CallTries(Struct, frozen=True, kw_only=True):
    """What a script measures beside the recorded call.

    `evidence` are the reasons with what shows them, `untried` those for which nothing is tried,
    with why.
    """

    tried: tuple[CallTry, ...] = ()
    untried: tuple[tuple[str, str], ...] = ()
    evidence: tuple[str, ...] = ()


def plan_tries(plan: LaunchPlan, recorded: RecordedCall) -> CallTries:
    """The configurations of a Triton kernel that its reasons propose."""
    first = plan.configs[0]
    seen = {*plan.configs}
    tried: list[CallTry] = []
    untried = []

    def add(reason: str, configs: Iterator[KernelConfig], most: int) -> bool:
        fresh = (one for one in dict.fromkeys(configs) if one not in seen and plan.allows(one))
        chosen = list(islice(fresh, most))
        seen.update(chosen)
        tried.extend(CallTry(reason=reason, text=one.text) for one in chosen)
        return bool(chosen)

    for reason in recorded.reasons:
        propose = _PROPOSED.get(reason.slug)
        if propose is None:
            untried.append((reason.text, NOT_TRIED.get(reason.slug, _NONE_LEFT)))
            continue
        answered = add(reason.text, propose(first, plan), _MOST_TRIED)
        if reason.slug in _BESIDE:
            untried.append((reason.text, _BESIDE[reason.slug]))
        elif not answered:
            why = _SPENT if reason.slug is Slug.SMALL_GRID else _NONE_LEFT
            untried.append((reason.text, why))
    if not recorded.is_explained:
        most = "most of its headroom has no reason" if recorded.reasons else "no reason is known"
        add(
            f"{most}: around the recorded configuration",
            _iter_neighbours(first, plan),
            _MOST_AROUND,
        )
    return CallTries(
        tried=tuple(tried),
        untried=tuple(dict.fromkeys(untried)),
        evidence=evidence_of(recorded.reasons),
    )


def evidence_of(reasons: tuple[CallReason, ...]) -> tuple[str, ...]:
    """The lines that say what shows each reason."""
    return tuple(f"{one.text}: {one.evidence}." for one in reasons)


def _iter_more_blocks(config: KernelConfig, plan: LaunchPlan) -> Iterator[KernelConfig]:
    """Smaller blocks until each multiprocessor has one; with as many elements for each thread."""
    rule = plan.rule
    if rule is None:
        return
    for name in filter(None, dict.fromkeys(rule.blocks)):
        sizes, warps = dict(config.blocks), config.warps
        while sizes[name] > 1:
            sizes[name], warps = sizes[name] // 2, max(warps // 2, 1)
            smaller = config.with_blocks(sizes)
            yield replace(smaller, warps=warps)
            yield smaller
            x, y, z = rule.blocks_with(sizes)
            if plan.processors is not None and x * y * z >= plan.processors:
                break


def _iter_other_counts(config: KernelConfig, plan: LaunchPlan) -> Iterator[KernelConfig]:
    """Other numbers of blocks, of which others are left over; and of places for them."""
    for warps in (config.warps // 2, config.warps // 4, config.warps * 2):
        yield replace(config, warps=warps)
    for name in filter(None, dict.fromkeys(plan.rule.blocks if plan.rule else ())):
        size = dict(config.blocks)[name]
        for other in (size // 2, size * 2, size // 4, size * 4):
            yield config.with_blocks({name: other})


def _iter_other_shapes(config: KernelConfig, _: LaunchPlan) -> Iterator[KernelConfig]:
    """Blocks that reach further along one axis, and as much less along another."""
    sizes = dict(config.blocks)
    for times in (2, 4, 8):
        for name, other in permutations(sizes, 2):
            yield config.with_blocks({name: sizes[name] * times, other: sizes[other] // times})
    # Along a single axis a larger block has more neighbours, a smaller one fits a cache.
    for times in (2, 4):
        for name, size in sizes.items():
            yield config.with_blocks({name: size * times})
            yield config.with_blocks({name: size // times})


def _iter_more_warps(config: KernelConfig, _: LaunchPlan) -> Iterator[KernelConfig]:
    """More warps at once: in a block, or by blocks that take less of a multiprocessor."""
    for times in (2, 4, 8):
        yield replace(config, warps=config.warps * times)
    for times in (2, 4):
        for name, size in reversed(config.blocks):
            yield config.with_blocks({name: size // times})
    if config.stages > 1:  # each keeps a tile in shared memory
        yield replace(config, stages=config.stages - 1)


_PROPOSED: Mapping[Slug, Callable[[KernelConfig, LaunchPlan], Iterator[KernelConfig]]] = {
    Slug.SMALL_GRID: _iter_more_blocks,
    Slug.LAST_WAVE: _iter_other_counts,
    Slug.STRIDED_ACCESS: _iter_other_shapes,
    Slug.EXCESS_TRAFFIC: _iter_other_shapes,
    Slug.LOW_OCCUPANCY: _iter_more_warps,
}


def _iter_neighbours(config: KernelConfig, plan: LaunchPlan) -> Iterator[KernelConfig]:
    """Half and twice of each block, a whole row at once, other warps and more stages."""
    for name, size in config.blocks:
        if name.startswith("R"):
            yield config.with_blocks({name: plan.reach.get(name, size)})
        for other in (size * 2, size // 2, size * 4, size // 4):
            yield config.with_blocks({name: other})
    for warps in (config.warps * 2, config.warps // 2, config.warps * 4, config.warps // 4):
        yield replace(config, warps=warps)
    for stages in (config.stages + 1, config.stages + 2, config.stages - 1):
        yield replace(config, stages=stages)
