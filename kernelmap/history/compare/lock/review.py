"""Code and its lock → what a gate says of them: each change that nobody reviewed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from kernelmap.commands import command, input_word
from kernelmap.history.compare.lock.changes import (
    LockChange,
    lock_changes,
    memory_changes,
    review_changes,
)
from kernelmap.history.compare.lock.records import read_code_to_lock, read_lock
from kernelmap.model import Notice
from kernelmap.pages.text import make_visible

_FENCE = "```"  # ends a block of code in Markdown; a name in a lock may hold it


class LockReview(Struct, frozen=True, kw_only=True):
    """`changes` is what differs from the lock, as text, empty without any; `verdict` says it short.

    `advice` is how a reviewed change gets into the lock. `files` are those that were read. `notes`
    tell of memory that changed and may: it is less, or not more than was allowed.
    """

    changes: str
    verdict: str
    advice: str
    notices: tuple[Notice, ...]
    files: tuple[Path, ...]
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All of it, for a terminal, ending in a newline."""
        notes = "".join(f"note: {make_visible(note)}\n" for note in self.notes)
        if not self.changes:
            return f"{notes}gate: {self.verdict}\n"
        return f"{self.changes}{notes}gate: {self.verdict}; {self.advice}\n"

    @property
    def comment(self) -> str:
        """The changes as Markdown, for a comment on a pull request."""
        shown = self.changes.replace(_FENCE, "")
        return f"### kernelmap gate: {self.verdict}\n\n{_FENCE}diff\n{shown}{_FENCE}\n"


def review_code(lock: Path, inputs: Sequence[Path], max_memory: float = 0.0) -> LockReview:
    """The code among `inputs` held against a lock; raises as reading them does.

    The peak of a graph's memory may grow by `max_memory`, a share of what the lock says.
    """
    expected = read_lock(lock)
    code = read_code_to_lock(inputs)
    of_memory = memory_changes(expected, code.graphs, code.held)
    grown = [change for change in of_memory if _grows_beyond(change, max_memory)]
    changes = (*lock_changes(expected, code.graphs), *grown)
    number = "1 unreviewed change" if len(changes) == 1 else f"{len(changes)} unreviewed changes"
    anew = command("inspect", *map(input_word, inputs), "--lock", lock)
    return LockReview(
        changes=review_changes(changes),
        verdict=number if changes else "the code is what the lock says",
        advice=f"once reviewed, `{anew}` writes the new lock",
        notices=code.notices,
        files=(lock, *code.files),
        notes=tuple(
            f"{change.graph}: {change.what}, which may pass"
            for change in of_memory
            if change not in grown
        ),
    )


def _grows_beyond(change: LockChange, share: float) -> bool:
    growth = change.growth
    return growth is not None and growth.after_bytes > growth.before_bytes * (1 + share)
