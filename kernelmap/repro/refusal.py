"""Why no script can be made of a call, or no check: the one exception that says so."""

from __future__ import annotations


class NotInInputsError(Exception):
    """Something that a script would need is not in the inputs.

    `reason` continues a sentence that begins with the call, `step` says what to do next.
    """

    def __init__(self, reason: str, step: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.step = step
