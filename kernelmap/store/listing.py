"""All runs of a store with their facts and tags, and notices for those that cannot be believed.

Every run's files are compared with run.toml by name and size. The facts come from the index where
it has them, else from each run.toml. Tags that were set after recording stand in a small file per
change:

    tags/<the run's id>.<the change's id>.toml

A change says which tags it sets and which it takes away, and is never written again. Taggers need
not know of each other: the changes of all of them stay, and of two that set one tag the later
stands. Whoever has seen a change comes after it, whatever the clocks of their machines say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec import Struct

from kernelmap.errors import UsageError
from kernelmap.model import Notice
from kernelmap.store.facts import (
    RUN_TOML,
    RunFacts,
    UnknownVersionError,
    created,
    is_id,
    new_id,
    read_facts,
    seal,
    unseal,
)
from kernelmap.store.place import RUNS, TAGS, Place, Runs
from kernelmap.store.run import odd_sizes
from kernelmap.views.rows import sound

_AGAIN = "Bring that file back from a copy of the store, or record the run's inputs again."
_TABLES_STAY = (
    f"Only {RUN_TOML} is damaged: bring it back from a copy of the store; the tables beside it are"
    " as they were, and any reader of Parquet opens them."
)

_SUFFIX = ".toml"
_MOMENT = timedelta(microseconds=1)  # the resolution of ids

Changes = Mapping[str, Sequence[str]]
"""The ids of the changes of each run that has any, oldest first."""


class Listed(Struct, frozen=True, kw_only=True):
    """A run with its tags of now."""

    facts: RunFacts
    tags: Mapping[str, str]

    @property
    def id(self) -> str:
        """Its id."""
        return self.facts.id


class Listing(Struct, frozen=True, kw_only=True):
    """Runs, oldest first, and what was passed over, each with a notice."""

    runs: tuple[Listed, ...]
    notices: tuple[Notice, ...]


def listing(place: Place, sizes_by_run: Runs, facts_by_id: Mapping[str, RunFacts]) -> Listing:
    """The listing of the runs in `sizes_by_run`; `facts_by_id` need not be read.

    Raises OSError where the place fails.
    """
    changes = tag_changes(place)
    runs: list[Listed] = []
    notices: list[Notice] = []
    for run_id, sizes in sorted(sizes_by_run.items()):
        if isinstance(sizes, OSError):
            notices.append(_unreadable(run_id, sizes))
            continue
        facts = facts_by_id.get(run_id) or facts_of(place, run_id)
        if facts is None:
            continue
        if isinstance(facts, Notice):
            notices.append(facts)
            continue
        reason = odd_sizes(facts, sizes)
        if reason is not None:
            notices.append(_damaged(run_id, reason, _AGAIN))
            continue
        now = folded_tags(place, run_id, facts.tags, changes, notices)
        runs.append(Listed(facts=facts, tags=now))
    return Listing(runs=tuple(runs), notices=tuple(notices))


def facts_of(place: Place, run_id: str) -> RunFacts | Notice | None:
    """What a run says of itself, or the notice that it cannot be used; None where it is gone."""
    try:
        facts = read_facts(place.read(f"{RUNS}/{run_id}/{RUN_TOML}"))
    except FileNotFoundError:
        return None
    except UnknownVersionError as error:
        return Notice(
            slug="run-too-new",
            message=f"run {run_id} is of version {error} and was passed over.",
            hint="Update kernelmap.",
        )
    except OSError as error:
        return _unreadable(run_id, error)
    except ValueError as error:
        return _damaged(run_id, f"{RUN_TOML}: {error}", _TABLES_STAY)
    wrong = f"{RUN_TOML} says that it is {facts.id}"
    return facts if facts.id == run_id else _damaged(run_id, wrong, _TABLES_STAY)


def _damaged(run_id: str, reason: str, hint: str) -> Notice:
    return Notice(
        slug="run-skipped",
        message=f"run {run_id} is damaged and was passed over: {reason}",
        hint=hint,
        gap=True,
    )


def _unreadable(run_id: str, error: OSError) -> Notice:
    return Notice(
        slug="run-skipped",
        message=f"run {run_id} cannot be read and was passed over: {error.strerror or error}",
        hint="Check your rights there; all other runs are used.",
        gap=True,
    )


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What one tagger did: tags that it set, and keys that it took away."""

    set: Mapping[str, str] = {}
    gone: Sequence[str] = ()

    def to(self, tags: Mapping[str, str]) -> Mapping[str, str]:
        """The tags after this change."""
        kept = {key: value for key, value in tags.items() if key not in self.gone}
        return {**kept, **self.set}


def checked_tags(tags: Mapping[str, str]) -> Mapping[str, str]:
    """The tags as they are kept. Raises UsageError for a key that could never be named."""
    for key in tags:
        if not key or "=" in key:
            raise UsageError(
                "wrong-tag", f"{key!r} is no name of a tag", "Write key=value, such as model=small."
            )
    return {sound(key): sound(value) for key, value in tags.items()}


def write_change(change: Change) -> bytes:
    """The text of a change."""
    return seal({"gone": list(change.gone), "set": dict(change.set)})


def read_change(raw: bytes) -> Change:
    """A change from its text; raises ValueError where that is damaged."""
    try:
        return msgspec.convert(unseal(raw), Change)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error


def tag_changes(place: Place) -> Changes:
    """What was changed of the tags of all runs. Raises OSError."""
    changes: dict[str, list[str]] = defaultdict(list)
    for name in sorted(place.files(TAGS)):
        run_id, _, change_id = name.removesuffix(_SUFFIX).partition(".")
        if is_id(run_id) and is_id(change_id):
            changes[run_id].append(change_id)
    return changes


def add_tag_change(place: Place, run_id: str, change: Change) -> None:
    """Write a change, which comes after all that are there. Raises OSError."""
    seen = tag_changes(place).get(run_id, ())
    last = created(seen[-1]) if seen else None
    now = datetime.now(UTC)
    change_id = new_id(now if last is None else max(now, last + _MOMENT))
    place.write(_path(run_id, change_id), write_change(change))


def folded_tags(
    place: Place, run_id: str, recorded: Mapping[str, str], changes: Changes, notices: list[Notice]
) -> Mapping[str, str]:
    """The tags of now; a change that is damaged is passed over, with a notice in `notices`."""
    tags = recorded
    for change_id in changes.get(run_id, ()):
        try:
            tags = read_change(place.read(_path(run_id, change_id))).to(tags)
        except FileNotFoundError:  # the run has just been removed
            continue
        except (OSError, ValueError) as error:
            notices.append(
                Notice(
                    slug="tags-damaged",
                    message=f"a change of the tags of run {run_id} cannot be read: {error}",
                    hint="Set them again with the command `runs tag`.",
                )
            )
    return tags


def remove_tags(place: Place, run_id: str) -> None:
    """Take away all changes of a run. Raises OSError."""
    for change_id in tag_changes(place).get(run_id, ()):
        place.delete(_path(run_id, change_id))


def _path(run_id: str, change_id: str) -> str:
    return f"{TAGS}/{run_id}.{change_id}{_SUFFIX}"
