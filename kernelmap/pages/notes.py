"""Notices of one or several runs → the lines that a person reads, each kind of notice once.

What several runs say in the same words is one line that names the runs. Left out: nothing of the
notices themselves; JSON keeps all of them, and `whole` prints each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kernelmap.model import Notice
from kernelmap.model.notices import format_count, join_some

_OF_ONE_RUN = 3  # notices of one kind that are printed before the rest is counted
_RUNS = 5  # named in one line


@dataclass(slots=True)
class _Said:
    """One message, the notice that says it, and the runs of which it is said."""

    notice: Notice
    runs: list[str] = field(default_factory=list)


def note_lines(
    of_runs: Sequence[tuple[str, Sequence[Notice]]], *, whole: bool = False
) -> list[str]:
    """The notices of runs by name, as lines: what is said once, of which runs, and what to do."""
    # Messages in the order in which they came, by kind of notice; the same words of several runs
    # are one message.
    by_slug: dict[str, dict[tuple[str, str | None], _Said]] = {}
    for run, notices in of_runs:
        for notice in notices:
            messages = by_slug.setdefault(notice.slug, {})
            said = messages.setdefault((notice.message, notice.hint), _Said(notice))
            said.runs.append(run)
    several = len(of_runs) > 1
    return [
        line
        for messages in by_slug.values()
        for line in _of_kind(list(messages.values()), several=several, whole=whole)
    ]


def _of_kind(messages: Sequence[_Said], *, several: bool, whole: bool) -> Iterator[str]:
    """The lines of one slug: its first messages, each with its hint, then how many more."""
    shown = len(messages) if whole else 1 if several else _OF_ONE_RUN
    for position, said in enumerate(messages[:shown]):
        yield f"note: {_of_runs(said)}" if several else f"note: {said.notice.message}"
        hint = said.notice.hint
        following = [other.notice.hint for other in messages[position + 1 : shown]]
        if hint is not None and hint not in following:  # else it stands below the last that has it
            yield f"hint: {hint}"
    rest = messages[shown:]
    if rest:
        runs = list(dict.fromkeys(run for said in rest for run in said.runs))
        where = f", in {join_some(runs, _RUNS)}" if several else ""
        yield (
            f"note: {format_count(len(rest), 'more note')} of this kind{where}; --debug prints each"
        )


def _of_runs(said: _Said) -> str:
    """The message with the runs of which it is said."""
    runs = list(dict.fromkeys(said.runs))
    if len(runs) == 1:
        return f"{runs[0]}: {said.notice.message}"
    return (
        f"{said.notice.message.rstrip('.')} ({format_count(len(runs), 'run')}: "
        f"{join_some(runs, _RUNS)})"
    )
