"""The one error that users see: what is wrong, and what to do next.

Left out: warnings about input that could still be used; those are `model.Notice`.
"""

from __future__ import annotations


class KernelmapError(Exception):
    """Input or usage that kernelmap cannot work with.

    `slug` names the heading in docs/messages.md, `message` says in one line what is wrong,
    `hint` says in one line what to do next, `exit_code` is what the command line exits with
    (2 wrong usage, 3 unusable input).
    """

    def __init__(self, slug: str, message: str, hint: str, *, exit_code: int = 3) -> None:
        super().__init__(message)
        self.slug = slug
        self.message = message
        self.hint = hint
        self.exit_code = exit_code


class UsageError(KernelmapError):
    """A request that cannot be carried out as it was put."""

    def __init__(self, slug: str, message: str, hint: str) -> None:
        super().__init__(slug, message, hint, exit_code=2)
