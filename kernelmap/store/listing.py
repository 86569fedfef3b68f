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
from kernelmap.store.place import RUNS, Place, Runs
from kernelmap.store.run import odd_sizes

_AGAIN = "Bring that file back from a copy of the store, or record the run's inputs again."
_TABLES_STAY = (
    f"Only {RUN_TOML} is damaged: bring it back from a copy of the store; the tables beside it are"
    " as they were, and any reader of Parquet opens them."
)


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


def listing(place: Place, found: Runs, known: Mapping[str, RunFacts]) -> Listing:
    """The listing of the runs in `found`; `known` are facts that need not be read again.

    Raises OSError where the place fails.
    """
    changes = tags.changes(place)
    runs: list[Listed] = []
    notices: list[Notice] = []
    for run_id, sizes in sorted(found.items()):
        if isinstance(sizes, OSError):
            notices.append(_unreadable(run_id, sizes))
            continue
        facts = known.get(run_id) or facts_of(place, run_id)
        if facts is None:
            continue
        if isinstance(facts, Notice):
            notices.append(facts)
            continue
        reason = odd_sizes(facts, sizes)
        if reason is not None:
            notices.append(_damaged(run_id, reason, _AGAIN))
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
