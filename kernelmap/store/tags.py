"""Tags that were set after recording: a small file per change, folded when they are read.

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

from kernelmap.errors import UsageError
from kernelmap.model import Notice
from kernelmap.store import ids
from kernelmap.store.facts import seal, unseal
from kernelmap.store.place import TAGS, Place
from kernelmap.views.frames import sound

_SUFFIX = ".toml"
_MOMENT = timedelta(microseconds=1)  # what ids tell apart

Changes = Mapping[str, Sequence[str]]
"""The ids of the changes of each run that has any, oldest first."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What one tagger did: tags that it set, and keys that it took away."""

    set: Mapping[str, str] = {}
    gone: Sequence[str] = ()

    def to(self, tags: Mapping[str, str]) -> Mapping[str, str]:
        """The tags after this change."""
        kept = {key: value for key, value in tags.items() if key not in self.gone}
        return {**kept, **self.set}


def checked(tags: Mapping[str, str]) -> Mapping[str, str]:
    """The tags as they are kept. Raises UsageError for a key that could never be named."""
    for key in tags:
        if not key or "=" in key:
            raise UsageError(
                "wrong-tag", f"{key!r} is no name of a tag", "Write key=value, such as model=small."
            )
    return {sound(key): sound(value) for key, value in tags.items()}


def write(change: Change) -> bytes:
    """The text of a change."""
    return seal({"gone": list(change.gone), "set": dict(change.set)})


def read(raw: bytes) -> Change:
    """A change from its text; raises ValueError where that is damaged."""
    try:
        return msgspec.convert(unseal(raw), Change)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error


def changes(place: Place) -> Changes:
    """What was changed of the tags of all runs. Raises OSError."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in sorted(place.files(TAGS)):
        run_id, _, change_id = name.removesuffix(_SUFFIX).partition(".")
        if ids.is_id(run_id) and ids.is_id(change_id):
            found[run_id].append(change_id)
    return found


def add(place: Place, run_id: str, change: Change) -> None:
    """Write a change, which comes after all that are there. Raises OSError."""
    seen = changes(place).get(run_id, ())
    last = ids.created(seen[-1]) if seen else None
    now = datetime.now(UTC)
    change_id = ids.new_id(now if last is None else max(now, last + _MOMENT))
    place.write(_path(run_id, change_id), write(change))


def folded(
    place: Place, run_id: str, recorded: Mapping[str, str], found: Changes, notices: list[Notice]
) -> Mapping[str, str]:
    """The tags of now; a change that is damaged is passed over, with a notice in `notices`."""
    tags = recorded
    for change_id in found.get(run_id, ()):
        try:
            tags = read(place.read(_path(run_id, change_id))).to(tags)
        except FileNotFoundError:  # the run has just been removed
            continue
        except (OSError, ValueError) as error:
            notices.append(
                Notice(
                    slug="tags-damaged",
                    message=f"a change of the tags of run {run_id} cannot be read: {error}",
                    hint="Set them again with `kernelmap runs tag`.",
                )
            )
    return tags


def remove(place: Place, run_id: str) -> None:
    """Take away all changes of a run. Raises OSError."""
    for change_id in changes(place).get(run_id, ()):
        place.delete(_path(run_id, change_id))


def _path(run_id: str, change_id: str) -> str:
    return f"{TAGS}/{run_id}.{change_id}{_SUFFIX}"
