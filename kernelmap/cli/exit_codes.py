"""What each exit code of `kernelmap` says: the one table of them, which `kernelmap help` prints."""

from __future__ import annotations

from collections.abc import Mapping

EXIT_CODES: Mapping[str, str] = {
    "0": "the answer is there",
    "1": "the answer is there, and is no: a gate failed, --strict found gaps, `runs --check` found"
    " a file that differs, or a question was not answered with yes",
    "2": "wrong usage: an option, a name, a condition, or a place that cannot be written",
    "3": "unusable input, or a recording that cannot bear the question: the message says what is"
    " wrong with it, the hint what to do",
    "130": "interrupted from the keyboard",
    "141": "the reader of the output has gone, such as `head`",
    "128 + N": "ended by signal N: 143 is SIGTERM, 129 SIGHUP",
    "any": "`capture` ends as the program that it ran",
}
"""By the code, in the order of the numbers."""


def exit_codes_text() -> str:
    """The table as lines for a terminal."""
    width = max(map(len, EXIT_CODES))
    lines = (f"{code:>{width}}  {meaning}" for code, meaning in EXIT_CODES.items())
    return "\n".join(["Exit codes", "", *lines]) + "\n"
