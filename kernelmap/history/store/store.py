"""A store of runs: record, list, open, tag, remove; the one object that users hold.

Takes a path or a URL. All that can go wrong with the place itself becomes a KernelmapError that
names it. Nothing here changes a run once it is recorded: tags lie beside it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kernelmap.bearing import find_refusals, refuse
from kernelmap.errors import KernelmapError, UsageError, unwritable
from kernelmap.history.store.facts import RunFacts, created, is_id, is_one_in
from kernelmap.history.store.following import KINDS, follow
from kernelmap.history.store.history import Value, read_history, structures
from kernelmap.history.store.index import WORTH_IT, known_facts, table_of_runs
from kernelmap.history.store.listing import (
    Listed,
    Listing,
    checked_tags,
    facts_of,
    list_runs,
    list_tag_files,
    read_tags,
    remove_tags,
    say_left_out,
    write_tag,
)
from kernelmap.history.store.opening import place_at
from kernelmap.history.store.place import Place
from kernelmap.history.store.ranks import Ranks
from kernelmap.history.store.refs import bearing, kin, resolve
from kernelmap.history.store.run import Run, checked, damaged, odd_sizes
from kernelmap.model import Notice
from kernelmap.model.paths import is_regular
from kernelmap.pages.result import Result
from kernelmap.tables.rows import escape_unsound
from kernelmap.tables.schema import BY

if TYPE_CHECKING:
    import pandas as pd


DAY = timedelta(days=1)
"""No recording takes longer; what is older and has no manifest never will have one."""


class Store:
    """Runs in a folder or behind a URL; nothing is read or made before it is needed."""

    def __init__(self, url: str | PathLike[str]) -> None:
        """Raises UsageError for a URL that cannot be used, such as one whose package is missing."""
        self.place: Place = place_at(fspath(url))

    def __repr__(self) -> str:
        return f"<Store: {self.place.shown}>"

    def record(  # noqa: PLR0913 -- one parameter per fact that only the caller knows
        self,
        result: Result,
        *,
        name: str | None = None,
        branch: str | None = None,
        commit: str | None = None,
        changed: bool | None = None,
        forked: str | None = None,
        tags: Mapping[str, str] | None = None,
        launches: bool = False,
        ranks: Ranks | None = None,
        anyway: bool = False,
    ) -> Run:
        """Keep `result` as a new run; it appears whole, and lasts, before this returns.

        `changed` says that `commit` is not all of what ran, `forked` where the branch left the
        main one. `launches` keeps the table of launches as well. `ranks` make a fleet of the run.
        One recording in 64 also brings the index up to date. Raises KernelmapError where an input
        has gone or the store cannot be written, RefusedError where the result bears no figures,
        for runs are held against one another, unless it is kept `anyway`.
        """
        from kernelmap.history.store import recording

        for notice in () if anyway else find_refusals(result.tables.notices):
            raise refuse(
                notice,
                otherwise="--anyway (in Python: anyway=True) keeps it; no run is held against it.",
            )
        about = recording.About(
            name=name,
            branch=branch,
            commit=commit,
            changed=changed,
            forked=forked,
            tags=checked_tags(tags or {}),
        )
        facts, tables = recording.new_run(result, about)
        if ranks is not None:
            facts = replace(facts, fleet=ranks.facts)
        with self._writing():
            facts = recording.write(
                self.place,
                facts,
                tables,
                launches=launches,
                ranks=ranks,
            )
        if is_one_in(WORTH_IT, facts.id):
            self._keep_index()
        return Run(facts=facts, tags=facts.tags, place=self.place)

    def listing(self, before: Listing | None = None) -> Listing:
        """All runs, oldest first, and a notice for each that was passed over.

        With an earlier listing only what is new is read: runs never change, but their tags do.
        Raises KernelmapError where there is no store or it cannot be read.
        """
        with self._reading():
            sizes_by_run = self.place.runs()
            facts_by_id = {run.id: run.facts for run in before.runs} if before else {}
            # A few new runs are read by themselves; for many, or for all, the index is asked.
            if before is None or len(sizes_by_run.keys() - facts_by_id.keys()) >= WORTH_IT:
                facts_by_id = dict(known_facts(self.place, sizes_by_run.keys()))
            return list_runs(self.place, sizes_by_run, facts_by_id)

    def runs(self) -> tuple[Listed, ...]:
        """All runs that can be believed, oldest first."""
        return self.listing().runs

    def open(self, ref: str) -> Run:
        """The run that `ref` names: an id or its beginning, `latest`, `main~3`, a name, a tag k=v.

        Raises UsageError where it names none or several, KernelmapError where the run is damaged.
        """
        run_id = self.id_of(ref)
        with self._reading():
            facts = facts_of(self.place, run_id)
            if isinstance(facts, Notice):
                raise _unusable(facts)
            sizes = self.place.run(run_id)
            if facts is None or sizes is None:
                raise UsageError(
                    "no-such-run", f"run {run_id} has just been removed", "Choose another one."
                )
            reason = odd_sizes(facts, sizes)
            if reason is not None:
                raise damaged(run_id, reason)
            return Run(facts=facts, tags=self._tags(facts), place=self.place)

    def tag(self, ref: str, tags: Mapping[str, str | None]) -> Run:
        """Set tags of a run, or take away those that are None; gives the run with its new tags.

        Where several tag one run at the same moment, all changes stay; of one tag the later stands.
        Who is killed may have changed some of the tags.
        """
        run = self.open(ref)
        new = checked_tags({key: value for key, value in tags.items() if value is not None})
        gone = {escape_unsound(key): None for key, value in tags.items() if value is None}
        with self._writing():
            # First tags that are taken away, then those that are set; each has its file.
            for key, value in {**gone, **new}.items():
                write_tag(self.place, run.id, key, value)
        with self._reading():
            return dataclasses.replace(run, tags=self._tags(run.facts))

    def id_of(self, ref: str) -> str:
        """The whole id of the run that `ref` names; raises as `open` does, but not for damage."""
        with self._reading():
            # A whole id that exists needs no list of all runs.
            return ref if self._is_here(ref) else resolve(ref, self.runs()).id

    def remove(self, ref: str) -> str:
        """Remove a run and its tags, and give its id; a damaged run is named by its whole id."""
        run_id = self.id_of(ref)
        with self._writing():
            self.place.remove(run_id)
            remove_tags(self.place, run_id)
        return run_id

    def prune(self, *, older_than: timedelta = DAY) -> tuple[str, ...]:
        """Take away what killed recorders left behind, and give the ids that these runs had.

        Raises KernelmapError for what cannot be taken away, when all the rest has been.
        """
        # Older than any recording takes, so nobody is still writing it.
        limit = datetime.now(UTC) - older_than
        with self._reading():
            leftovers = [(leftover, created(leftover)) for leftover in self.place.leftovers()]
        old = tuple(
            sorted(run_id for run_id, made in leftovers if made is not None and made < limit)
        )
        # One that cannot be taken away must not keep the others.
        failed: list[OSError] = []
        for run_id in old:
            try:
                self.place.sweep(run_id)
            except OSError as error:
                failed.append(error)
        if failed:
            raise unwritable(self.place.shown, failed[0])
        return old

    def check(self) -> tuple[int, tuple[Notice, ...]]:
        """Read every file of every run, and compare it with its digest.

        Gives the number of runs that are as recorded, and a notice for each that is not.
        """
        # Without the index: what the runs say themselves is what is checked.
        with self._reading():
            listed = list_runs(self.place, self.place.runs(), {})
        notices, sound_runs = list(listed.notices), 0
        with self._reading():
            for run in listed.runs:
                try:
                    for file in run.facts.tables:
                        checked(self.place, run.id, file)
                    sound_runs += 1
                except KernelmapError as error:
                    notices.append(
                        Notice(slug="run-skipped", message=error.message, hint=error.hint, gap=True)
                    )
        return sound_runs, tuple(notices)

    def history(
        self,
        table: str,
        where: Mapping[str, Value],
        *,
        branch: str | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> pd.DataFrame:
        """The rows of `table` that equal `where`, one run after the other; see history.py.

        store.history("ops", {"name": "aten.mm"}, branch="main", tags={"model": "small"})
        """
        listed = self.runs()
        runs, only = [run.facts for run in listed], _only(listed, branch, tags)
        with self._reading():
            return read_history(self.place, runs, table, where, only=only)

    def follow(
        self,
        name: str,
        *,
        by: str | None = None,
        branch: str | None = None,
        tags: Mapping[str, str] | None = None,
        series: Sequence[str] = (),
    ) -> pd.DataFrame:
        """What one op, call, line or graph took in each run; see following.py for the columns.

        `tags` are what the runs have to bear; those that differ in a tag of `series`, as in branch
        or device, are not compared with one another.
        store.follow("aten.mm"), store.follow("model.py:42", branch="main", series=["model"])
        """
        listed = self.listing()
        runs, only = [run.facts for run in listed.runs], _only(listed.runs, branch, tags)
        kins = {run.id: kin(run, series) for run in listed.runs}
        with self._reading():
            frame = follow(self.place, runs, name, by=by, only=only, kins=kins)
        frame.attrs["notices"] = (
            *listed.notices,
            *say_left_out(run for run in listed.runs if branch in (None, run.facts.branch)),
            *map(_left_out, frame.attrs["left_out"]),
        )
        return frame

    def _keep_index(self) -> None:
        """Write what lists and histories need of runs that the index does not have yet."""
        with suppress(OSError, KernelmapError):  # a cache: without it answers take longer
            runs = [run.facts for run in self.runs()]
            for kind in KINDS:
                table_of_runs(self.place, runs, BY[kind]).refresh()

    def structures(self) -> Mapping[str, int]:
        """A number per run, equal for runs that ran the same code; see history.py."""
        runs = [run.facts for run in self.runs()]
        with self._reading():
            return structures(self.place, runs)

    def _is_here(self, ref: str) -> bool:
        return is_id(ref) and self.place.run(ref) is not None

    def _tags(self, facts: RunFacts) -> Mapping[str, str]:
        return read_tags(self.place, facts, list_tag_files(self.place), [])

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Make what the place raises one clear error; a store that was never made is another."""
        try:
            # A store that was never made, and a file in its place, get errors of their own.
            if not self.place.exists():
                if is_regular(Path(self.place.shown)):
                    raise UsageError(
                        "no-store",
                        f"{self.place.shown} is a file, and a store is a folder",
                        "Name the store with --store, KERNELMAP_STORE or in pyproject.toml.",
                    )
                raise UsageError(
                    "no-store",
                    f"{self.place.shown} is no store yet",
                    "The command `runs add` makes it; --store names another one.",
                )
            yield
        except OSError as error:
            raise KernelmapError(
                "store-unreadable",
                f"the store {self.place.shown} cannot be read: {error.strerror or error}",
                "Check the path or URL, your rights there, and the network.",
            ) from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise unwritable(self.place.shown, error) from error


def _only(
    runs: Sequence[Listed], branch: str | None, tags: Mapping[str, str] | None
) -> AbstractSet[str]:
    """The ids of the runs of a branch that bear tags and figures; of all without either."""
    return {
        run.id
        for run in bearing(runs, tags or {})
        if branch in (None, run.facts.branch) and not run.refused
    }


def _left_out(run_id: str) -> Notice:
    """The notice for a run whose table could not be read."""
    return Notice(
        slug="run-skipped",
        message=f"run {run_id} is damaged and was passed over.",
        hint="`kernelmap runs --check` says what is damaged.",
        gap=True,
    )


def _unusable(notice: Notice) -> KernelmapError:
    """The error for a run that a listing passes over."""
    hint = notice.hint or ""
    if notice.slug == "run-too-new":
        return KernelmapError("run-too-new", notice.message, hint)
    return KernelmapError("run-damaged", notice.message, hint)
