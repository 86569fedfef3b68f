"""Why a gate fails, in sentences that fit: each change as one, those of one sum together as one.

Sixty calls of one kernel that fail by the same cause are one thing to know, and so are the parts of
a graph that were fused otherwise. How many calls are concerned is said; which ones they are stands
in the JSON of the comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.history.compare.numbers.change import Change
from kernelmap.history.compare.numbers.comparable import WorkUnit
from kernelmap.history.compare.numbers.sums import SampledChange, sum_changes
from kernelmap.history.compare.texts.words import of_sum
from kernelmap.model.notices import format_count
from kernelmap.pages.text import format_signed

_NAMED = 2  # calls: a call that became two is named, a part of a graph is counted


def reason_of(change: Change, by: str | None, unit: WorkUnit) -> str:
    """One change that fails: `call NAME [0_forward/3]: same code, 1.10x slower, +3 µs a step`."""
    ids = [call.id for call in change.after]
    where = ", ".join(ids) if len(ids) <= _NAMED else format_count(len(ids), "call")
    what = f"call {change.what} [{where}]"
    what = f"graph {change.what}" if change.cause is Cause.NEW_GRAPH else what
    detail = f" ({change.detail})" if change.detail else ""
    return f"{what}: {change.cause}{detail}, {by}, {format_signed(change.change_ns)} a {unit.word}"


def told_together(
    reasons: Iterable[str], changes: Mapping[str, Change], unit: WorkUnit
) -> tuple[str, ...]:
    """The reasons, those of several changes of one sum as one sentence where the first stood.

    `changes` are what reasons are about, by the reason; those of the whole are about none.
    """
    kept = list(reasons)
    # The reasons about one change; those about the whole stay as they are.
    failed = [SampledChange(change=changes[text]) for text in kept if text in changes]
    first: dict[str, str] = {}
    dropped: set[str] = set()
    # A sum of several changes that fail is told in the place of the first; the others go.
    for each in sum_changes(failed):
        members = [text for text in kept if changes.get(text) in each.changes]
        if len(members) > 1:
            first[members[0]] = f"{of_sum(each)}, {format_signed(each.change_ns)} a {unit.word}"
            dropped.update(members[1:])
    return tuple(first.get(text, text) for text in kept if text not in dropped)
