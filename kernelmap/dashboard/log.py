"""What the server says on stderr: errors only, and nothing in them that a client could steer.

Paths and texts of errors come from whoever asks; control characters in them are shown as escapes,
so that they neither reach the owner's terminal nor make a line that nobody logged.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import TracebackType

from kernelmap.present.text import visible

Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class _Escaping(logging.Formatter):
    """A message is one line; the lines of a traceback are indented below it."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 -- logging's name
        """The line."""
        record.message = visible(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: Raised) -> str:  # noqa: N802 -- logging's name
        """The traceback."""
        lines = super().formatException(ei).split("\n")
        return "\n".join(f"  {visible(line)}" for line in lines)


def errors_on_stderr(*names: str) -> Callable[[], None]:
    """Show what these loggers and those below them say; gives the way back."""
    handler = logging.StreamHandler()
    handler.setLevel(logging.ERROR)
    handler.setFormatter(_Escaping("dashboard: %(message)s"))
    loggers = [logging.getLogger(name) for name in names]
    before = [logger.propagate for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.propagate = False

    def undo() -> None:
        for logger, propagates in zip(loggers, before, strict=True):
            logger.removeHandler(handler)
            logger.propagate = propagates

    return undo
