"""Which runs a person means: by a name, by tags, or as one series.

    latest      the newest of all             main          the newest of the branch main
    nightly     the run of that name          model=small   the run with that tag
    20261121    the run whose id begins so

`main~3` is the third before the newest of the branch; `~N` counts so behind `latest`, a name and a
tag as well. Behind an id it counts among the runs of the same branch. Only a branch may hold
several runs without `~`; of a name or a tag that several bear, none is meant.

A series is the runs of one branch, device and the tags that a project chose. Several models on one
branch are several series where their tag is named in pyproject.toml, found from the current folder
upward:

    [tool.kernelmap]
    series = ["model"]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from kernelmap.errors import UsageError
from kernelmap.history.store.facts import RunFacts
from kernelmap.history.store.listing import Listed
from kernelmap.model.notices import format_count
from kernelmap.settings import setting
from kernelmap.suggestions import did_you_mean

LATEST = "latest"
_BACK = re.compile(r"(?P<base>.+)~(?P<back>\d{1,9})", re.DOTALL)
_SHOWN = 5
_LISTED = "`kernelmap runs` lists ids, names, branches and tags; `latest` is the newest."

ACKNOWLEDGED = "acknowledged"
"""The tag of a run whose change somebody has looked at; its value is the note."""

CPU, UNKNOWN = "CPU", "(device not known)"


class _Meaning(Struct, frozen=True):
    """What a text may stand for, oldest first.

    `newest`: without `~` the last is meant, else any. `counted`: `~` counts backward among them.
    """

    runs: tuple[Listed, ...]
    newest: bool = False
    counted: bool = True


def resolve(ref: str, runs: Sequence[Listed]) -> Listed:
    """The run that `ref` names among `runs`, oldest first.

    Raises UsageError `no-such-run` where there is none and `ambiguous-run`, with the candidates,
    where there are several.
    """
    # As it stands first, since a name may end in `~1`; only then as so many steps back.
    candidates = _candidates(ref, 0, runs) or _stepped(ref, runs)
    unique = {candidate.id: candidate for candidate in candidates}
    if len(unique) == 1:
        return candidates[0]
    # The base is known, but has fewer runs than `~N` asks for.
    parts = _BACK.fullmatch(ref)
    if (
        not unique
        and parts is not None
        and int(parts["back"])
        and _stepped(f"{parts['base']}~0", runs)
    ):
        base = parts["base"]
        number = len(behind(base, runs))
        raise UsageError(
            "no-such-run",
            f"{base!r} does not go back so far: it has {format_count(number, 'run')}",
            f"The oldest is {base}~{number - 1}.",
        )
    if not unique:
        raise UsageError(
            "no-such-run",
            f"no run is named {ref!r}",
            " ".join(filter(None, (did_you_mean(ref, _names(runs)), _LISTED))),
        )
    shown = [_described(run) for run in list(unique.values())[-_SHOWN:]]
    more = f", and {len(unique) - _SHOWN} older" if len(unique) > _SHOWN else ""
    raise UsageError(
        "ambiguous-run",
        f"{ref!r} may be {', '.join(shown)}{more}",
        "Give an id, or more of it; `~0` after a name or a tag means the newest that bears it.",
    )


def _names(runs: Sequence[Listed]) -> Iterator[str]:
    """What a person may call one of the runs."""
    yield LATEST
    for run in runs:
        yield run.id
        yield from (name for name in (run.facts.branch, run.facts.name) if name is not None)
        yield from (f"{key}={value}" for key, value in run.tags.items())


def behind(ref: str, runs: Sequence[Listed]) -> tuple[Listed, ...]:
    """The runs `ref~0`, `ref~1` and so on, newest first; raises as `resolve` does for the first."""
    newest = resolve(f"{ref}~0", runs)
    # The runs of the meaning whose newest run this is.
    for meaning in _meanings(ref, runs):
        if (meaning.newest or meaning.counted) and newest in meaning.runs[-1:]:
            return meaning.runs[::-1]
    return (newest,)


def _stepped(ref: str, runs: Sequence[Listed]) -> list[Listed]:
    parts = _BACK.fullmatch(ref)
    return [] if parts is None else _candidates(parts["base"], int(parts["back"]), runs, step=True)


def _candidates(
    base: str, back: int, runs: Sequence[Listed], *, step: bool = False
) -> list[Listed]:
    """Every run that `base` may mean, or that lies `back` before it."""
    candidates: list[Listed] = []
    for meaning in _meanings(base, runs):
        # A branch means its newest run, or one before it; a name without `~` means any of its runs.
        if meaning.newest or (step and meaning.counted):
            if back < len(meaning.runs):
                candidates.append(meaning.runs[-1 - back])
        else:
            candidates.extend(meaning.runs)
    return candidates


def _meanings(base: str, runs: Sequence[Listed]) -> Iterator[_Meaning]:
    """What `base` may stand for; a whole id and `latest` mean nothing else."""
    # A whole id is nothing else, even if a run bears it as its name.
    exact = next((run for run in runs if run.id == base), None)
    if exact is not None:
        yield _Meaning(_up_to(exact, runs), newest=True)
        return
    if base == LATEST:
        yield _Meaning(tuple(runs), newest=True)
        return
    yield _Meaning(_of_branch(base, runs), newest=True)
    yield _Meaning(tuple(run for run in runs if run.facts.name == base))
    key, sign, value = base.partition("=")
    if sign:
        yield _Meaning(tuple(run for run in runs if run.tags.get(key) == value))
    # The beginning of one id counts back along its branch; with several ids nothing does.
    begun = tuple(run for run in runs if base and run.id.startswith(base))
    if len(begun) == 1:
        yield _Meaning(_up_to(begun[0], runs), newest=True)
    else:
        yield _Meaning(begun, counted=False)


def _up_to(run: Listed, runs: Sequence[Listed]) -> tuple[Listed, ...]:
    """The runs of its branch up to itself."""
    return tuple(other for other in _of_branch(run.facts.branch, runs) if other.id <= run.id)


def _of_branch(branch: str | None, runs: Sequence[Listed]) -> tuple[Listed, ...]:
    return tuple(run for run in runs if run.facts.branch == branch)


def _described(run: Listed) -> str:
    facts = run.facts
    about = [text for text in (facts.name, facts.branch) if text is not None]
    return f"{run.id} ({', '.join(about)})" if about else run.id


class Kin(Struct, frozen=True):
    """What the runs of one series share; `tags` are the chosen ones, None where a run lacks one."""

    branch: str | None
    device: str
    tags: tuple[tuple[str, str | None], ...]


def series_tags(folder: Path | None = None) -> tuple[str, ...]:
    """The tags that the nearest pyproject.toml chooses; none without one that does.

    Raises UsageError where what is chosen is no list of names.
    """
    path, chosen = setting("series", Path.cwd() if folder is None else folder)
    if chosen is None:
        return ()
    if not isinstance(chosen, list) or not all(isinstance(name, str) and name for name in chosen):
        raise UsageError(
            "wrong-series",
            f"{path}: `series` in [tool.kernelmap] is no list of tags",
            'Write the names of tags, such as series = ["model"].',
        )
    return tuple(dict.fromkeys(chosen))


def kin(run: Listed, chosen: Sequence[str] = ()) -> Kin:
    """The series of a run, with the tags of now."""
    tags = tuple((key, run.tags.get(key)) for key in chosen)
    return Kin(branch=run.facts.branch, device=device(run.facts), tags=tags)


def device(facts: RunFacts) -> str:
    """What a run's time was spent on, in one text: its GPUs by name, or the CPU."""
    if facts.window.side == "cpu":
        return CPU
    return ", ".join(facts.gpus) or UNKNOWN


def bearing(runs: Iterable[Listed], tags: Mapping[str, str]) -> tuple[Listed, ...]:
    """The runs that bear all of these tags now."""
    return tuple(
        run for run in runs if all(run.tags.get(key) == value for key, value in tags.items())
    )


def said(chosen: Sequence[str]) -> str:
    """What a series is, in words.

    >>> said([]), said(["model", "batch"])
    ('one branch and device', 'one branch, device and tags model, batch')
    """
    if not chosen:
        return "one branch and device"
    return f"one branch, device and {'tags' if len(chosen) > 1 else 'tag'} {', '.join(chosen)}"


def tag_words(tags: Iterable[tuple[str, str | None]]) -> str:
    """Tags in words; those that a run lacks are left out."""
    return ", ".join(f"{key}={value}" for key, value in tags if value is not None)
