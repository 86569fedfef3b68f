"""Which runs are one series: those of one branch, device and the tags that a project chose.

Several models on one branch are several series where their tag is named in pyproject.toml, found
from the current folder upward:

    [tool.kernelmap]
    series = ["model"]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kernelmap.errors import UsageError
from kernelmap.store.facts import RunFacts
from kernelmap.store.listing import Listed
from kernelmap.store.where import setting

CPU, UNKNOWN = "CPU", "(device not known)"


@dataclass(frozen=True, slots=True)
class Kin:
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
    if not isinstance(chosen, list) or not all(isinstance(each, str) and each for each in chosen):
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
