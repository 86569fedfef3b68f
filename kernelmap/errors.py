"""The one error that users see: what is wrong, and what to do next.

Only what every layer has to say has a constructor here; other errors are written where they arise.
Left out: warnings about input that could still be used; those are `model.Notice`.
"""

from __future__ import annotations

from os import PathLike, fspath

from kernelmap.suggestions import path_hint

_LONGEST, _SHOWN = 4096, 80  # characters of a path


class KernelmapError(Exception):
    """Input or usage that kernelmap cannot work with.

    `slug` names the heading in docs/messages.md, `message` says in one line what is wrong,
    `hint` says in one line what to do next, `exit_code` is what the command line exits with
    (2 wrong usage, 3 unusable input).
    """

    def __init__(self, slug: str, message: str, hint: str, *, exit_code: int = 3) -> None:
        super().__init__(slug, message, hint)  # what a copy in another process is made from
        self.add_note(hint)  # a traceback shows it below the message
        self.slug = slug
        self.message = message
        self.hint = hint
        self.exit_code = exit_code

    def __str__(self) -> str:
        return self.message


class UsageError(KernelmapError):
    """A request that cannot be carried out as it was put."""

    def __init__(self, slug: str, message: str, hint: str) -> None:
        super().__init__(slug, message, hint, exit_code=2)


class TooLargeError(OSError):
    """A file that asks for more memory than a limit allows; reads like one that cannot be read."""

    def of(self, path: PathLike[str] | str) -> KernelmapError:
        """The error that a user sees."""
        return KernelmapError(
            "input-too-large",
            f"{_short(path)} is not read: {self}",
            "If you trust the file, set KERNELMAP_LIMITS=4 to allow four times as much, or off.",
        )


def unreadable(
    path: PathLike[str] | str,
    reason: Exception | str,
    hint: str = "Check the spelling of the path and that you may read it.",
) -> KernelmapError:
    """The error for a path that does not exist, that we may not read, or that is too large.

    Of a path that does not exist the hint names what is there instead, where that is like it.
    """
    if isinstance(reason, TooLargeError):
        return reason.of(path)
    if isinstance(reason, FileNotFoundError | NotADirectoryError):
        hint = path_hint(path) or hint
    if isinstance(reason, OSError):
        reason = reason.strerror or str(reason)
    return KernelmapError("unreadable-path", f"{_short(path)} cannot be read: {reason}", hint)


def unwritable(place: PathLike[str] | str, error: OSError) -> UsageError:
    """The error for a place that cannot be written, such as a full disk."""
    return UsageError(
        "unwritable-output",
        f"{_short(place)} cannot be written: {error.strerror or error}",
        "Check the space and the rights there, or choose another place.",
    )


def unforeseen(error: Exception) -> KernelmapError:
    """The error for what no part of kernelmap expected: memory that is not there, or a fault."""
    if isinstance(error, MemoryError):
        return KernelmapError(
            "out-of-memory",
            "the memory of this machine does not suffice for the input",
            "Give fewer steps or ranks at a time, or use a machine with more memory.",
        )
    lines = str(error).splitlines()
    return KernelmapError(
        "unforeseen",
        f"kernelmap could not cope with the input: {type(error).__name__}"
        + (f": {lines[0][:_SHOWN]}" if lines else ""),
        "Run it again with --debug, and report what it prints with the input that caused it.",
    )


def _short(path: PathLike[str] | str) -> str:
    """The path; of one that is too long for any file only the beginning."""
    text = fspath(path)
    return text if len(text) <= _LONGEST else f"{text[:_SHOWN]}…"
