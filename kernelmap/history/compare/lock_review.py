"""Code and its lock → what a gate says of them: each change that nobody reviewed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from kernelmap.commands import command, input_word
from kernelmap.history.compare.lock import lock_changes, lock_of, read_lock, review_changes
from kernelmap.model import Notice

_FENCE = "```"  # ends a block of code in Markdown; a name in a lock may hold it


class LockReview(Struct, frozen=True, kw_only=True):
    """`changes` is what differs from the lock, as text, empty without any; `verdict` says it short.

    `advice` is how a reviewed change gets into the lock. `files` are those that were read.
    """

    changes: str
    verdict: str
    advice: str
    notices: tuple[Notice, ...]
    files: tuple[Path, ...]

    @property
    def text(self) -> str:
        """All of it, for a terminal, ending in a newline."""
        if not self.changes:
            return f"gate: {self.verdict}\n"
        return f"{self.changes}gate: {self.verdict}; {self.advice}\n"

    @property
    def comment(self) -> str:
        """The changes as Markdown, for a comment on a pull request."""
        shown = self.changes.replace(_FENCE, "")
        return f"### kernelmap gate: {self.verdict}\n\n{_FENCE}diff\n{shown}{_FENCE}\n"


def review_code(lock: Path, inputs: Sequence[Path]) -> LockReview:
    """The code among `inputs` held against a lock; raises as reading them does."""
    expected = read_lock(lock)
    graphs, notices, files = lock_of(inputs)
    changes = lock_changes(expected, graphs)
    number = "1 unreviewed change" if len(changes) == 1 else f"{len(changes)} unreviewed changes"
    anew = command("inspect", *map(input_word, inputs), "--lock", lock)
    return LockReview(
        changes=review_changes(changes),
        verdict=number if changes else "the code is what the lock says",
        advice=f"once reviewed, `{anew}` writes the new lock",
        notices=tuple(notices),
        files=(lock, *files),
    )
