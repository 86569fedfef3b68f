"""What a worker of the command's own cluster does first: it leaves Ctrl-C to the command.

A terminal sends Ctrl-C to all processes of a command. The client ends its workers, so they need
not end, with a traceback, by themselves. Dask loads this module by its name.
"""

from __future__ import annotations

import signal


def dask_setup(worker: object) -> None:  # noqa: ARG001 -- Dask's signature
    """Ignore SIGINT; Dask calls this in the main thread of the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
