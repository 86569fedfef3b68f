"""All runs of a store with their facts and tags, and notices for those that cannot be believed.

Every run's files are compared with run.toml by name and size. The facts come from the index where
it has them, else from each run.toml. A tag that was set after recording has a small file:

    tags/<the run's id>.tag-<digest of the tag's name>.toml

It says what the tag is now, or that it was taken away, and each change replaces it as a whole. So
taggers need not know of each other: changes of different tags all stay, and of two that set one tag
the later stands. Stores of older versions have a file per change beside these, with the change's id
in place of `tag-…`; those are read first, oldest first.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.bearing import find_refusals
from kernelmap.errors import UsageError
from kernelmap.history.store.facts import (
    RUN_TOML,
    RunFacts,
    UnknownVersionError,
    is_id,
    read_facts,
    seal,
    unseal,
)
from kernelmap.history.store.place import RUNS, TAGS, Place, Runs
from kernelmap.history.store.run import odd_sizes
from kernelmap.model import Notice
from kernelmap.tables.rows import escape_unsound

_AGAIN = "Bring that file back from a copy of the store, or record the run's inputs again."
_TABLES_STAY = (
    f"Only {RUN_TOML} is damaged: bring it back from a copy of the store; the tables beside it are"
    " as they were, and any reader of Parquet opens them."
)

_SUFFIX = ".toml"
_DIGITS = 32  # of a tag's name, which may be longer than a file's
_OF_TAG = re.compile(rf"tag-[0-9a-f]{{{_DIGITS}}}")

TagFiles = Mapping[str, Sequence[str]]
"""By the run's id, the files that change its tags, in the order in which they are read."""


class Listed(Struct, frozen=True, kw_only=True):
    """A run with its tags of now."""

    facts: RunFacts
    tags: Mapping[str, str]

    @property
    def id(self) -> str:
        """Its id."""
        return self.facts.id

    @property
    def refused(self) -> tuple[Notice, ...]:
        """Why it bears no figures, empty where it does: it was kept all the same."""
        return find_refusals(self.facts.notices)


def say_left_out(runs: Iterable[Listed]) -> tuple[Notice, ...]:
    """A notice for each run that stands in no history and no chart, with the reason's own slug."""
    return tuple(
        replace(
            run.refused[0],
            message=f"run {run.id} is left out of what is compared: {run.refused[0].message}",
            hint=None,
            gap=True,
        )
        for run in runs
        if run.refused
    )


class Listing(Struct, frozen=True, kw_only=True):
    """Runs, oldest first, and what was passed over, each with a notice."""

    runs: tuple[Listed, ...]
    notices: tuple[Notice, ...]


def list_runs(place: Place, sizes_by_run: Runs, facts_by_id: Mapping[str, RunFacts]) -> Listing:
    """The listing of the runs in `sizes_by_run`; `facts_by_id` need not be read.

    Raises OSError where the place fails.
    """
    files = list_tag_files(place)
    runs: list[Listed] = []
    notices: list[Notice] = []
    for run_id, sizes in sorted(sizes_by_run.items()):
        if isinstance(sizes, OSError):
            notices.append(_unreadable(run_id, sizes))
            continue
        # From the index, else from the run's own file.
        facts = facts_by_id.get(run_id) or facts_of(place, run_id)
        # Removed since the folder was listed.
        if facts is None:
            continue
        if isinstance(facts, Notice):
            notices.append(facts)
            continue
        # Sizes alone are compared here; digests are, when a table is read.
        reason = odd_sizes(facts, sizes)
        if reason is not None:
            notices.append(_damaged(run_id, reason, _AGAIN))
            continue
        runs.append(Listed(facts=facts, tags=read_tags(place, facts, files, notices)))
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


class TagChange(Struct, frozen=True, kw_only=True):
    """Tags that were set, and keys that were taken away; of one tag in what is written today."""

    set: Mapping[str, str] = {}
    gone: Sequence[str] = ()

    def apply_to(self, tags: Mapping[str, str]) -> Mapping[str, str]:
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
    return {escape_unsound(key): escape_unsound(value) for key, value in tags.items()}


def write_change(change: TagChange) -> bytes:
    """The text of a change."""
    return seal({"gone": list(change.gone), "set": dict(change.set)})


def read_change(raw: bytes) -> TagChange:
    """A change from its text; raises ValueError where that is damaged."""
    try:
        return msgspec.convert(unseal(raw), TagChange)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error


def list_tag_files(place: Place) -> TagFiles:
    """The paths of the files that change the tags of each run. Raises OSError."""
    paths: dict[str, list[str]] = defaultdict(list)
    for name in sorted(place.files(TAGS)):  # ids begin with a digit, so older changes come first
        run_id, _, rest = name.removesuffix(_SUFFIX).partition(".")
        if is_id(run_id) and (is_id(rest) or _OF_TAG.fullmatch(rest)):
            paths[run_id].append(f"{TAGS}/{name}")
    return paths


def write_tag(place: Place, run_id: str, key: str, value: str | None) -> None:
    """Set one tag of a run, or take it away where `value` is None. Raises OSError."""
    change = TagChange(gone=[key]) if value is None else TagChange(set={key: value})
    digest = hashlib.sha256(key.encode()).hexdigest()[:_DIGITS]
    place.write(f"{TAGS}/{run_id}.tag-{digest}{_SUFFIX}", write_change(change))


def read_tags(
    place: Place, facts: RunFacts, files: TagFiles, notices: list[Notice]
) -> Mapping[str, str]:
    """A run's tags of now; a file that is damaged is passed over, with a notice in `notices`."""
    tags = facts.tags
    # Each file changes what the ones before it have left.
    for path in files.get(facts.id, ()):
        try:
            tags = read_change(place.read(path)).apply_to(tags)
        except FileNotFoundError:  # the run has just been removed
            continue
        except (OSError, ValueError) as error:
            notices.append(
                Notice(
                    slug="tags-damaged",
                    message=f"a change of the tags of run {facts.id} cannot be read: {error}",
                    hint="Set them again with the command `runs tag`.",
                )
            )
    return tags


def remove_tags(place: Place, run_id: str) -> None:
    """Take away all that was changed of a run's tags. Raises OSError."""
    for path in list_tag_files(place).get(run_id, ()):
        place.delete(path)
