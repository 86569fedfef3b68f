"""What a person should know about lessons of other runs: what differed, what was of no use."""

from __future__ import annotations

from collections.abc import Iterator

from kernelmap.matching.context.transfers import OWN, Transfers, Unlike
from kernelmap.model import Notice
from kernelmap.model.notices import count

_SHOWN = 3


def transfer_notices(transfers: Transfers) -> Iterator[Notice]:
    """Graphs that differ from what was learnt, and runs that taught nothing."""
    for source, graphs in transfers.missing:
        yield Notice(
            slug="like-code-differs",
            message=f"{source} ran {count(len(graphs), 'graph')} whose calls are none of the given"
            f" code: {_some(graphs)}. What it launched for them is not used.",
            hint="Record the like-run with this very code, or leave the code away to use its own.",
            gap=True,
        )
    for unlike in transfers.unlike[:_SHOWN]:
        yield _differs(transfers, unlike)
    if len(transfers.unlike) > _SHOWN:
        yield Notice(
            slug="like-differs",
            message=f"{count(len(transfers.unlike) - _SHOWN, 'more graph')} ran otherwise than the"
            " like-run's.",
            gap=True,
        )
    taught = {lesson.source for lesson in transfers.lessons} - {OWN}
    known = {source for source, _ in transfers.missing}
    for source in transfers.sources:
        if source not in taught and source not in known:
            yield Notice(
                slug="like-unused",
                message=f"{source} taught nothing: no invocation in it is known from its first"
                " launch to its last.",
                hint="Record whole steps with the host side, or a bundle: kernelmap capture.",
            )
    used = {transfers.lessons[number].source for number in transfers.used()}
    used |= {transfers.lessons[each.lesson].source for each in transfers.unlike}
    for source in sorted(taught - used):
        why = "nothing that it ran was found here" if transfers.needed else "every launch here has"
        yield Notice(
            slug="like-unused",
            message=f"{source} decides nothing: {why}"
            + ("." if transfers.needed else " a host side of its own."),
            hint="Is it a run of the same code?" if transfers.needed else None,
        )


def _differs(transfers: Transfers, unlike: Unlike) -> Notice:
    lesson = transfers.lessons[unlike.lesson]
    shown, expected = unlike.shown or "nothing", unlike.expected or "nothing"
    what = "grid or block differs" if shown == expected else f"{shown} ran, not {expected}"
    return Notice(
        slug="like-differs",
        message=f"{unlike.where} ran otherwise than in {lesson.source} ({lesson.sequence.label}):"
        f" {unlike.agree} of {count(unlike.launches, 'launch')} agree with {unlike.learnt} that"
        f" were learnt; at launch {unlike.place} {what}. Nothing of it is taken from there.",
        hint="The like-run has to run this code with these sizes, on such a GPU.",
        gap=True,
    )


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
