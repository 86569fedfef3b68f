"""Children that a process forks after Kineto has run can end.

Kineto's thread waits on a condition for as long as the process lives. A forked child has the
condition and not the thread, so Kineto's destructor waits for it forever when the child exits. Such
a child therefore leaves before destructors that were registered before the fork: with its exit
code, after Python has ended and everything that C had buffered was written.
"""

from __future__ import annotations

import ctypes
import os

_registered = False


def let_children_end() -> None:
    """Do that for all children forked from now on, and for theirs; where the system knows how."""
    global _registered  # noqa: PLW0603 -- a handler of forks cannot be taken back
    if not _registered and hasattr(os, "register_at_fork"):
        _registered = True
        os.register_at_fork(after_in_child=_leave_early)


def _leave_early() -> None:
    """Have `exit` of C write what is buffered, then leave: its handlers run last in, first out."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "on_exit"):  # GNU's; it hands the exit code over
        libc.on_exit(libc._exit, None)  # noqa: SLF001 -- C's name
        libc["__cxa_atexit"](libc.fflush, None, None)
