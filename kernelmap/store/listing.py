"""All runs of a store: their facts and tags, and notices for those that cannot be believed.

Every run's files are compared with run.toml by name and size. The facts come from the index where
it has them, else from each run.toml.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kernelmap.model import Notice
from kernelmap.store import tags
from kernelmap.store.facts import RUN_TOML, RunFacts, UnknownVersionError, read_facts
from kernelmap.store.place import RUNS, Place, Sizes
from kernelmap.store.run import odd_sizes

_REMOVE = "Remove it (`kernelmap runs remove`), or bring it back from a copy."


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A run with its tags of now."""

    facts: RunFacts
    tags: Mapping[str, str]

    @property
    def id(self) -> str:
        """Its id."""
        return self.facts.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Runs, oldest first, and what was passed over, each with a notice."""

    runs: tuple[Listed, ...]
    notices: tuple[Notice, ...]


def listing(place: Place, found: Mapping[str, Sizes], known: Mapping[str, RunFacts]) -> Listing:
    """The listing of the runs in `found`; `known` are facts that need not be read again.

    Raises OSError where the place fails.
    """
    changes = tags.changes(place)
    runs: list[Listed] = []
    notices: list[Notice] = []
    for run_id in sorted(found):
        facts = known.get(run_id) or facts_of(place, run_id)
        if facts is None:
            continue
        if isinstance(facts, Notice):
            notices.append(facts)
            continue
        reason = odd_sizes(facts, found[run_id])
        if reason is not None:
            notices.append(_damaged(run_id, reason))
            continue
        now = tags.folded(place, run_id, facts.tags, changes, notices)
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
    except (OSError, ValueError) as error:
        return _damaged(run_id, f"{RUN_TOML}: {error}")
    return facts if facts.id == run_id else _damaged(run_id, f"it says that it is {facts.id}")


def _damaged(run_id: str, reason: str) -> Notice:
    return Notice(
        slug="run-skipped",
        message=f"run {run_id} is damaged and was passed over: {reason}",
        hint=_REMOVE,
        gap=True,
    )
