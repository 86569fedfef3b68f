"""A Dask cluster of processes on this machine, made for one fleet and ended with it."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import current_process
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from kernelmap.errors import KernelmapError, UsageError
from kernelmap.model.notices import format_count

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

_MARKS = "KERNELMAP_FLEET_MARKS"  # names the folder in which workers leave a mark
_OTHERWISE = (
    "Or read the ranks in this process, one after the other:"
    " FleetOptions(cluster=Cluster(workers=0)), --workers 0."
)
_QUIET = {
    # The answer says what failed and why; a traceback of every try would stand before it.
    "logging.distributed": "critical",
    "distributed.comm.timeouts.connect": "30s",
    # Processes look at themselves rarely: that took a tenth of their time on a busy machine.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "2s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.client.scheduler-info-interval": "60s",
    "distributed.worker.memory.monitor-interval": "1s",
    # It moves and drops copies of results; here a result is used once, where it was made.
    "distributed.scheduler.active-memory-manager.start": False,
}


@contextmanager
def local_client(workers: int) -> Iterator[Client]:
    """A client of a cluster of so many processes, which ends with it.

    Workers begin by importing the script that starts them. Raises UsageError `no-main-guard` where
    it calls this whenever it is imported, `no-worker-script` where it is no file that they could
    import, and KernelmapError `no-workers` where they do not start for another reason.
    """
    import dask
    from distributed import Client

    if getattr(current_process(), "_inheriting", False):  # as multiprocessing says it to itself
        _end_worker()
    with (
        dask.config.set(_QUIET),
        _start_cluster(workers) as local,
        Client(local, set_as_default=False) as client,  # other queries of the program keep theirs
    ):
        yield client


def local_cluster(workers: int) -> LocalCluster:
    """A cluster of processes on this machine, without Dask's dashboard.

    Its port is any that is free: another cluster of the machine may have the usual one.
    """
    from distributed import LocalCluster

    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        dashboard_address=":0",
        scheduler_kwargs={"dashboard": False},
        silence_logs=logging.CRITICAL,
        preload=["kernelmap.fleet.worker"],
    )


def _start_cluster(workers: int) -> LocalCluster:
    _require_script()
    with TemporaryDirectory(prefix="kernelmap-") as marks:
        os.environ[_MARKS] = marks
        try:
            return local_cluster(workers)
        except (RuntimeError, OSError) as error:
            # A worker that was about to start workers of its own leaves a mark; without one the
            # cluster failed for another reason.
            if not any(Path(marks).iterdir()):
                raise KernelmapError(
                    "no-workers",
                    f"{format_count(workers, 'worker process')} of the fleet could not start: "
                    f"{error}",
                    f"What a worker said of it stands above. {_OTHERWISE}",
                ) from error
            raise UsageError(
                "no-main-guard",
                'the script calls kernelmap.fleet outside of `if __name__ == "__main__":`,'
                " and workers import it when they start",
                f"Call it below that line. {_OTHERWISE}",
            ) from None
        finally:
            del os.environ[_MARKS]


def _require_script() -> None:
    """Raise UsageError where the running program is no file, so that no worker can import it.

    A program of `python -c`, a prompt and a notebook state no file: workers import none then.
    """
    main = sys.modules["__main__"]
    path = getattr(main, "__file__", None)
    # A program of `python -m` has a spec, and workers import it by its name.
    if getattr(main, "__spec__", None) is None and path is not None and not Path(path).is_file():
        read_from = "standard input" if path == "<stdin>" else f"{path}, which is no file now"
        raise UsageError(
            "no-worker-script",
            f"the script that calls kernelmap.fleet was read from {read_from},"
            " and workers import it when they start",
            f'Save it as a file, with the call below `if __name__ == "__main__":`. {_OTHERWISE}',
        )


def _end_worker() -> None:
    """End a worker that would start workers; it leaves a mark instead of a traceback."""
    if marks := os.environ.get(_MARKS):
        Path(marks, str(os.getpid())).touch()
    raise SystemExit(1)
