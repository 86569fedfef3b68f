"""What the dashboard knows of its store: a listing that renews itself, and answers to questions.

A question is worked out once, in the background, however many ask it. Who asks before the answer is
there gets NotYetError with its progress, and asks again. Answers about single runs never change;
answers over all runs belong to one listing. A store that fails is trouble: the last listing stays.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.dashboard.project import Project
from kernelmap.errors import KernelmapError
from kernelmap.history.compare.numbers.comparison import Comparison, compare_sides
from kernelmap.history.compare.sides.side import ComparedSide
from kernelmap.history.store.facts import is_id
from kernelmap.history.store.history import Value
from kernelmap.history.store.listing import Listing
from kernelmap.history.store.run import Run
from kernelmap.history.store.store import Store
from kernelmap.pages.page import Note, Section, Tone, WaitingNote
from kernelmap.pages.text import make_visible

if TYPE_CHECKING:
    import pandas as pd


T = TypeVar("T")
Report = Callable[[int, int], None]
"""Says how far a question is: parts done, parts in all."""

_PATIENCE = 0.3  # seconds a page waits for an answer, before it shows the progress
_QUESTIONS = 3  # questions that may take so long; after them a page waits for none
_KEPT = 48  # answers in memory; a comparison holds the tables of two runs
_SIDES = 24  # runs read for comparisons that are kept for the next one
_FEW = 200  # runs of which a table is read as a whole: some 40,000 rows, where a run has 200 calls
_WORKERS = 2
_REST = 9  # times as long as a listing took, until the next one begins
_LEAST = 1.0  # seconds between two listings


class NotYetError(Exception):
    """The answer is being worked out; `done` of `of` parts are, where that is known."""

    def __init__(self, what: str, done: int | None = None, of: int | None = None) -> None:
        super().__init__(what)
        self.what, self.done, self.of = what, done, of


class Snapshot(Struct, frozen=True, kw_only=True):
    """The store as it was last seen; `listing` is None before it was seen at all.

    `trouble` is why the last look failed. `generation` grows whenever what is listed changes,
    `seen` whenever a page may look otherwise.
    """

    listing: Listing | None = None
    generation: int = 0
    seen: int = 0
    trouble: KernelmapError | None = None


class _Progress(Struct):
    """How far a question is; nothing where it did not say."""

    parts: tuple[int, int] | tuple[()] = ()

    def note(self, done: int, of: int) -> None:
        """Keep how far the question is."""
        self.parts = (done, of)


class _Asked(Struct, frozen=True):
    """A question on its way."""

    future: Future[Any]
    progress: _Progress


@dataclass
class Archive:
    """The store of one dashboard; all threads of the server share it.

    `patience` is how many seconds a question may take before it raises NotYetError; None waits for
    every answer. Within `one_page`, all questions together may take a few times that. `series` are
    the tags that tell series apart, `project` where commits and authors are shown. `snapshot` is
    the store as it was last seen.
    """

    store: Store
    patience: float | None = _PATIENCE
    series: tuple[str, ...] = ()
    project: Project = field(default_factory=Project)
    snapshot: Snapshot = field(default_factory=Snapshot)

    def __post_init__(self) -> None:
        self._asked: OrderedDict[Hashable, _Asked] = OrderedDict()
        self._lock = threading.Lock()
        self._looking = threading.Lock()
        self._pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="kernelmap-question")
        self._stopped = threading.Event()
        self._thread = threading.local()  # `until`: when this thread stops waiting
        self._sides: OrderedDict[str, ComparedSide] = OrderedDict()

    def look(self) -> Snapshot:
        """List the store again; never raises for what is wrong with it."""
        with self._looking:
            before = self.snapshot
            try:
                listing = self.store.listing(before.listing)
            except KernelmapError as error:
                # The same trouble once more changes no page.
                again = before.trouble is not None and before.trouble.message == error.message
                self.snapshot = replace(before, trouble=error, seen=before.seen + (not again))
            else:
                new = listing != before.listing
                self.snapshot = Snapshot(
                    listing=listing,
                    generation=before.generation + new,
                    # A store that can be read again changes pages, even with the listing of before.
                    seen=before.seen + (new or before.trouble is not None),
                )
            return self.snapshot

    def watch(self) -> None:
        """List the store in the background, now and again and again until `close`."""

        def again() -> None:
            pause = 0.0
            while not self._stopped.wait(pause):
                start = time.monotonic()
                self.look()
                # A store that is slow to list is listed more seldom.
                pause = max(_LEAST, _REST * (time.monotonic() - start))

        threading.Thread(target=again, name="kernelmap-watch", daemon=True).start()

    def close(self) -> None:
        """Stop watching; questions that have begun end in the background."""
        self._stopped.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def history(
        self, table: str, where: Mapping[str, Value], *, branch: str | None = None
    ) -> pd.DataFrame:
        """Rows of one table over the runs of a branch, or of all; see Store.history.

        Of few runs the table is read once for all questions: each question opens every run.
        """
        what = f"reading {table} of all runs"
        key = ("history", self.snapshot.generation, table, branch)
        listing = self.snapshot.listing
        # Of few runs one answer serves every question; of many only the rows asked for are read.
        if listing is not None and len(listing.runs) <= _FEW:
            whole = self.ask(key, what, lambda _: self.store.history(table, {}, branch=branch))
            return _rows_where(whole, where)
        return self.ask(
            (*key, tuple(sorted(where.items()))),
            what,
            lambda _: self.store.history(table, where, branch=branch),
        )

    def structures(self) -> Mapping[str, int]:
        """A number per run and structure of its code; see Store.structures."""
        key = ("structures", self.snapshot.generation)
        return self.ask(key, "reading the calls of all runs", lambda _: self.store.structures())

    def run(self, ref: str) -> Run:
        """The run of a name as the command line knows it, with its tables read.

        By its id a run is read once; its tags are then those of that time.
        """

        def work(_: Report) -> Run:
            run = self.store.open(ref)
            run.tables  # noqa: B018 -- read here, in the background
            return run

        # A name such as a tag may mean another run in the next listing; an id never does.
        generation = None if is_id(ref) else self.snapshot.generation
        return self.ask(("run", generation, ref), f"reading run {ref}", work)

    def comparison(self, before: str, after: str) -> Comparison:
        """What changed from one run to another; both are ids."""

        def work(report: Report) -> Comparison:
            sides = []
            for done, run_id in enumerate((before, after)):
                report(done, 3)
                sides.append(self._side(run_id))
            report(2, 3)
            return compare_sides(*sides)

        return self.ask(("compare", before, after), f"comparing {before} and {after}", work)

    def _side(self, run_id: str) -> ComparedSide:
        """A run as one side of a comparison, read once for the comparisons that follow."""
        from kernelmap.history.compare.sides.opening import side_of_run

        with self._lock:
            kept = self._sides.get(run_id)
        # Read without the lock: others must not wait while a run is opened.
        side = side_of_run(self.store.open(run_id), run_id) if kept is None else kept
        with self._lock:
            self._sides[run_id] = side
            self._sides.move_to_end(run_id)
            while len(self._sides) > _SIDES:
                self._sides.popitem(last=False)
        return side

    def ask(self, key: Hashable, what: str, work: Callable[[Report], T]) -> T:
        """The answer to a question; `key` identifies the question.

        Raises NotYetError while it is being worked out, and what `work` raises.
        """
        with self._lock:
            asked = self._asked.get(key)
            if asked is None:
                progress = _Progress()
                asked = _Asked(self._pool.submit(work, progress.note), progress)
                self._asked[key] = asked
            self._asked.move_to_end(key)
            self._forget()
        if not wait([asked.future], self._patience_left()).done:
            raise NotYetError(what, *asked.progress.parts)
        if asked.future.exception() is not None:
            with self._lock:  # a store that fails may recover: the next one asks again
                # Another thread may have asked anew already.
                if self._asked.get(key) is asked:
                    del self._asked[key]
        answer: T = asked.future.result()
        return answer

    @contextmanager
    def one_page(self) -> Iterator[None]:
        """Let all questions of this thread share one limit of waiting."""
        if self.patience is not None:
            self._thread.until = time.monotonic() + _QUESTIONS * self.patience
        try:
            yield
        finally:
            self._thread.until = None

    def _patience_left(self) -> float | None:
        until: float | None = getattr(self._thread, "until", None)
        if self.patience is None or until is None:
            return self.patience
        # The page's own limit, where it is nearer than that of one question.
        return max(0.0, min(self.patience, until - time.monotonic()))

    def _forget(self) -> None:
        """Let go of the oldest answers; what is being worked out stays."""
        for key in list(self._asked):
            if len(self._asked) <= _KEPT:
                return
            # Who waits for an answer still gets it.
            if self._asked[key].future.done():
                del self._asked[key]


def _rows_where(table: pd.DataFrame, where: Mapping[str, Value]) -> pd.DataFrame:
    """The rows whose columns equal `where`, where None stands for null, as Store.history has it."""
    for name, value in where.items():
        column = table[name]
        table = table[column.isna() if value is None else (column == value).fillna(value=False)]
    return table.reset_index(drop=True)


def attempt(make: Callable[[], Sequence[Section]]) -> tuple[Section, ...]:
    """The sections that `make` gives, or the one that says why there are none, or not yet."""
    try:
        return tuple(make())
    except NotYetError as waiting:
        return (still(waiting),)
    except KernelmapError as error:
        return (sorry(error),)


def still(waiting: NotYetError) -> WaitingNote:
    """What is being worked out, and how far it is."""
    return WaitingNote(what=waiting.what, done=waiting.done, of=waiting.of)


def sorry(error: KernelmapError) -> Note:
    """What went wrong, and what to do next."""
    text = make_visible(f"{error.message}. {error.hint}")
    return Note(lines=((text,),), tone=Tone.WARNING, failed=True)
