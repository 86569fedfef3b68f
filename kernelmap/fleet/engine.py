"""Where tasks run: on a Dask cluster, or one after the other in this process.

A task is a function of this package and its arguments. Both travel to workers, which need the same
kernelmap, and read files by themselves. A task that fails is tried again; a task whose worker died
runs on another. A task that fails for good gives an answer, too, so one rank never ends the others.
Dask is loaded here and in local.py, nowhere else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from kernelmap.errors import KernelmapError, UsageError
from kernelmap.fleet.limit import LIMIT_S, run_within
from kernelmap.fleet.local import local_client
from kernelmap.installing import install_command
from kernelmap.version import VERSION

if TYPE_CHECKING:
    from distributed import Client

Item = TypeVar("Item")
Value = TypeVar("Value")
Handle: TypeAlias = Any  # a value, or a future of it, as the engine holds it

TRIES = 3
"""How often a task is tried before it counts as failed: a store that fails twice in a row is down.
Chosen."""
_FAN_IN = 16
"""How many parts a task of the tree joins."""
_MAY_PASS = ("unreadable-path", "unreachable-url")  # errors of a store that may answer next time
_PACKAGES = ("python", "numpy", "pandas", "pyarrow", "dask", "distributed")


class Failed(Struct, frozen=True):
    """Why a task failed, in one line."""

    reason: str


class Done(Struct, Generic[Value], frozen=True):
    """The outcome of the item at a position."""

    position: int
    value: Value | Failed


class Engine(Protocol):
    """What a fleet needs of whoever runs its tasks."""

    notices: list[str]

    def as_completed(
        self, work: Callable[[Item], Value], items: Sequence[Item]
    ) -> Iterator[Done[Value]]:
        """Run `work` on every item; outcomes come as they are ready, in any order."""

    def tree(
        self,
        leaf: Callable[[Sequence[Item]], Value],
        join: Callable[[Sequence[Value]], Value],
        items: Sequence[Item],
    ) -> Handle:
        """Join all items by groups: `leaf` makes the first parts, `join` fewer and fewer of them.

        A leaf reads files, so it ends within the limit. The parts stay where they were made.
        """

    def later(self, work: Callable[..., Value], *arguments: Handle) -> Handle:
        """Run `work` on handles and values; what it gives stays where it was made."""

    def apply(self, work: Callable[..., Value], *arguments: Handle) -> Value:
        """Run `work` on handles and values, and fetch what it gives. Raises what it raises."""


@dataclass
class InProcess:
    """One task after the other in this process, which needs no Dask."""

    limit_s: float = LIMIT_S
    notices: list[str] = field(default_factory=list)

    def as_completed(
        self, work: Callable[[Item], Value], items: Sequence[Item]
    ) -> Iterator[Done[Value]]:
        """Run `work` on every item, in order."""
        for position, item in enumerate(items):
            yield Done(position, self._try_often(work, item))

    def tree(
        self,
        leaf: Callable[[Sequence[Item]], Value],
        join: Callable[[Sequence[Value]], Value],
        items: Sequence[Item],
    ) -> Handle:
        """All parts, joined."""
        return join([run_within(self.limit_s, leaf, group) for group in _iter_groups(items)])

    def later(self, work: Callable[..., Value], *arguments: Handle) -> Handle:
        """What `work` gives."""
        return work(*arguments)

    def apply(self, work: Callable[..., Value], *arguments: Handle) -> Value:
        """Run `work`."""
        return work(*arguments)

    def _try_often(self, work: Callable[[Item], Value], item: Item) -> Value | Failed:
        """What `work` gives, tried as often as on a cluster."""
        failed = Failed("")
        for _ in range(TRIES):
            try:
                return _try_work(work, self.limit_s, item)
            except Exception as error:  # noqa: BLE001 -- clients of stores raise errors of their own
                failed = Failed(in_words(error))
        return failed


@dataclass
class OnDask:
    """Tasks on the workers of a Dask cluster."""

    client: Client
    limit_s: float = LIMIT_S
    notices: list[str] = field(default_factory=list)

    def as_completed(
        self, work: Callable[[Item], Value], items: Sequence[Item]
    ) -> Iterator[Done[Value]]:
        """Run `work` on every item on some worker."""
        from distributed import as_completed

        # A task that raises is tried again by Dask. Not pure, so that equal items get keys of their
        # own, by which their outcomes find their positions.
        futures = [
            self.client.submit(_try_work, work, self.limit_s, item, retries=TRIES - 1, pure=False)
            for item in items
        ]
        positions = {future.key: position for position, future in enumerate(futures)}
        for future in as_completed(futures, loop=self.client.loop):
            position = positions[future.key]
            if future.status == "finished":
                yield Done(position, future.result())
            else:
                # A task that was cancelled has neither a result nor an error.
                error = future.exception() if future.status == "error" else None
                yield Done(position, Failed(in_words(error)))
            future.release()

    def tree(
        self,
        leaf: Callable[[Sequence[Item]], Value],
        join: Callable[[Sequence[Value]], Value],
        items: Sequence[Item],
    ) -> Handle:
        """A tree of tasks, at most 16 parts below one."""
        level = [
            self.client.submit(
                run_within, self.limit_s, leaf, list(group), retries=TRIES - 1, pure=False
            )
            for group in _iter_groups(items)
        ]
        # Each turn joins up to 16 parts into one, on the worker that runs the task, until one is
        # left.
        while len(level) > 1:
            level = [
                self.client.submit(join, list(group), retries=TRIES - 1, pure=False)
                for group in _iter_groups(level)
            ]
        return level[0]

    def later(self, work: Callable[..., Value], *arguments: Handle) -> Handle:
        """A future of what `work` gives."""
        return self.client.submit(work, *arguments, retries=TRIES - 1, pure=False)

    def apply(self, work: Callable[..., Value], *arguments: Handle) -> Value:
        """Run `work` on a worker."""
        value: Value = self.later(work, *arguments).result()
        return value


class Cluster(Struct, frozen=True, kw_only=True):
    """Which cluster to use: that of a scheduler's address or file, else one made for the command.

    `workers` is how many processes the own one has; 0 runs everything in this process, None as many
    as the machine has cores, and no more than there are ranks. `limit_s` is how long a try of a
    task may take.
    """

    scheduler: str | None = None
    workers: int | None = None
    limit_s: float = LIMIT_S


@contextmanager
def open_engine(cluster: Cluster, tasks: int) -> Iterator[Engine]:
    """An engine for so many tasks; a cluster that was made for it ends with it.

    Raises UsageError `no-dask` where Dask is needed and missing, `no-scheduler` where the scheduler
    cannot be reached, and what local.py says where no worker can start.
    """
    if cluster.workers == 0 and cluster.scheduler is None:
        yield InProcess(cluster.limit_s)
        return
    if find_spec("distributed") is None:
        raise UsageError(
            "no-dask",
            "Dask is not installed; it reads the ranks of a fleet side by side",
            f"Install it: {install_command('fleet')} (few ranks need none: --workers 0)",
        )
    with _open_client(cluster, tasks) as client:
        engine = OnDask(client, cluster.limit_s)
        if cluster.scheduler is not None:
            engine.notices += list(iter_differing_versions(client))
        yield engine


@contextmanager
def _open_client(cluster: Cluster, tasks: int) -> Iterator[Client]:
    if cluster.scheduler is not None:
        with _reach_scheduler(cluster.scheduler) as client:
            yield client
        return

    with local_client(cluster.workers or max(1, min(tasks, os.cpu_count() or 1))) as client:
        yield client


@contextmanager
def _reach_scheduler(scheduler: str) -> Iterator[Client]:
    """A client of a scheduler that is there, by its address or the file that it wrote."""
    from distributed import Client

    try:
        if Path(scheduler).is_file():
            where = {"scheduler_file": scheduler}
        else:
            where = {"address": scheduler}
        # Other queries of the program keep the scheduler that they have.
        client = Client(**where, timeout="30s", set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(
            "no-scheduler",
            f"no Dask scheduler answers at {scheduler}: {error}",
            "Start one with `dask scheduler`, and give its address or its --scheduler-file.",
        ) from error
    with client:
        # Workers may still be starting.
        if not client.scheduler_info()["workers"]:
            client.wait_for_workers(1, timeout=60)
        yield client


def _try_work(work: Callable[[Item], Value], limit_s: float, item: Item) -> Value | Failed:
    """The result of `work`, or Failed where the input is at fault.

    A fault of the input would fail again, so it is not tried again. Raises OSError where a store
    may be at fault.
    """
    try:
        return run_within(limit_s, work, item)
    except KernelmapError as error:
        # What is raised is tried again: of our own errors only those of a store that may answer
        # next time.
        if error.slug in _MAY_PASS:
            raise OSError(error.message) from None
        return Failed(error.message)


def installed_version() -> str:
    """The version of kernelmap where this runs."""
    return VERSION


def iter_differing_versions(client: Client) -> Iterator[str]:
    """What differs between this process and the workers."""
    try:
        theirs = client.run(installed_version)
    except ModuleNotFoundError as error:
        raise UsageError(
            "no-kernelmap-on-workers",
            f"the workers cannot load kernelmap: {error}",
            "Install the same version there as here.",
        ) from error
    if others := sorted(set(map(str, theirs.values())) - {VERSION}):
        yield f"kernelmap: {VERSION} here, {', '.join(others)} on workers"
    said = client.get_versions()
    here = said["client"]["packages"]
    for name in _PACKAGES:
        there = {str(worker["packages"].get(name)) for worker in said["workers"].values()}
        if others := sorted(there - {str(here.get(name))}):
            yield f"{name}: {here.get(name)} here, {', '.join(others)} on workers"


def in_words(error: BaseException | None) -> str:
    """Why a task failed, in one line."""
    if error is None:
        return "it was cancelled"
    if isinstance(error, KernelmapError):
        return error.message
    if type(error).__name__ == "KilledWorker":
        return f"its worker died {TRIES} times, perhaps for want of memory"
    text = next(iter(str(error).splitlines()), "")
    if isinstance(error, OSError) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _iter_groups(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    for start in range(0, len(items), _FAN_IN):
        yield items[start : start + _FAN_IN]
