"""The program `kernelmap`, also `python -m kernelmap`: the command line in a process of its own."""

from __future__ import annotations

import atexit
import gc
import os
import threading

_NEW_OBJECTS = 100_000  # between two looks for garbage: a small trace takes fewer in all
_BLAS_THREADS = "OPENBLAS_NUM_THREADS"


def program() -> None:
    """Run the command line, and end at once.

    What Python does with memory is a sixth of a short run: it looks through modules and records
    for garbage while they are made, and takes them apart at exit, where the system takes all back.
    The threads that numpy starts for products of matrices, which nothing here needs, take as much.
    """
    gc.set_threshold(_NEW_OBJECTS)
    if _BLAS_THREADS not in os.environ:
        os.putenv(_BLAS_THREADS, "1")  # not in os.environ: the user's programs start without it
    from kernelmap.cli import main

    try:
        main()
    except SystemExit as end:
        if isinstance(end.code, int) and threading.active_count() == 1:
            _end(end.code)
        raise


def _end(code: int) -> None:
    """What Python does at exit, without taking apart what is in memory."""
    from kernelmap.cli.common import let_go

    atexit._run_exitfuncs()  # noqa: SLF001 -- os._exit skips them, and nothing public runs them
    let_go()
    os._exit(code)


if __name__ == "__main__":
    program()
