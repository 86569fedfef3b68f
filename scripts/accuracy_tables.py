"""What docs/accuracy.md says of simulated worlds: its tables, and how they are read.

Measuring is the work of accuracy_worlds.py.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from accuracy_scores import BANDS, Tally
from accuracy_worlds import PROJECT, SAMPLES, Measure, measures, programs_in

from kernelmap.matching.match import STRATEGIES, Strategy
from kernelmap.model import Confidence

HEADING = "## In simulated worlds\n"
_CHOSEN = (1, 2, 3)
_DRAWN = 2
_ROOM = 1_000_000
_INTRODUCTION = """
Profiles in which it is known what launched every kernel, played by `tests/worlds`: first the
generated code of {programs} programs, then programs that are written for this, a new one for each
seed, in which little tells calls apart. A quarter to a third of the launches is eager work of the
same kinds, the first invocation autotunes, the window cuts the first and the last step, and 1 % of
the events is lost. Nothing was recorded: library kernels, eager work and durations are invented,
and durations say nothing.
{seeds}

Shares are of the compiled GPU time. `covered` got a call; time for which nobody can decide counts
where all its candidates are named. What nobody can decide the simulator marks before anything is
matched: graphs that launch the same in changing order, what losses leave of equal launches in a
row, and adjacent library calls under names that say nothing, as long as there are six candidates or
fewer. `worst graph` is the covered share of the graph for which it is least, in whatever program
and seed. `right` is the share of what was said, about whatever launch, that is true. `no call` is
compiled time of which nothing was said. `outside claimed` is the share of all other GPU time that
was given to a call. `tests/test_accuracy.py` holds every row to a goal.
"""
_ALL = """
Launches without a host side are covered to {mean} on the average of {rows} rows, in the least
row to {least}.
"""
_REAL = "\n### Code that torch compiled\n\n"
_WRITTEN = "\n### Code written for this\n\n"
_POSTERIOR = """
### The posterior, and how often it is right

Launches that got a call by their order, by the probability that the model gave the call. A mistake
that repeats in every invocation is one mistake: `calls` counts each call of a world once, by its
mean probability, as right where most of its launches are.

| posterior | launches | right | calls | right |
|---|---:|---:|---:|---:|
"""
_COLUMNS = (
    "situation",
    "covered",
    "worst graph",
    "exact",
    "right",
    "inferred",
    "right",
    "ambiguous",
    "true call named",
    "no call",
    "outside claimed",
)
HEAD = (f"| {' | '.join(_COLUMNS)} |", f"|---|{'---:|' * (len(_COLUMNS) - 1)}")


@dataclass(frozen=True, slots=True)
class Seeds:
    """The seeds of a page: those that were chosen, and those that a commit decides."""

    numbers: tuple[int, ...]
    text: str


def seeds_of(commit: str | None) -> Seeds:
    """Three seeds, and two more from the hash of `commit`.

    Raises CalledProcessError where git knows no such commit.
    """
    if commit is None:
        return Seeds(_CHOSEN, f"Seeds: {_listed(_CHOSEN)}.")
    command = ["git", "-C", str(PROJECT), "rev-parse", "--verify", f"{commit}^{{commit}}"]
    run = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 -- a fixed program
    whole = run.stdout.strip()
    digest = hashlib.sha256(whole.encode()).digest()
    drawn = tuple(int.from_bytes(digest[8 * at : 8 * at + 8]) % _ROOM for at in range(_DRAWN))
    text = (
        f"Seeds: {_listed(_CHOSEN)}, and {_listed(drawn)}, which follow from the hash of the "
        f"commit `{whole[:12]}`, the last that changed the matching."
    )
    return Seeds((*_CHOSEN, *drawn), text)


def section(folders: Iterable[Path], commit: str | None = None) -> str:
    """The part of docs/accuracy.md about worlds: of code in the samples and in `folders`."""
    programs = programs_in(SAMPLES, *folders)
    seeds = seeds_of(commit)
    rows = measures(programs)
    tallies: dict[str, Tally] = {}
    for measure in rows:
        tallies[measure.name] = measure.tally(seeds.numbers)
        print(row(measure.name, tallies[measure.name]), flush=True)
    parts = [
        HEADING,
        _INTRODUCTION.format(programs=len(programs), seeds=seeds.text),
        _summary(rows, tallies),
        _REAL,
        _table(row(measure.name, tallies[measure.name]) for measure in rows if not measure.written),
        _WRITTEN,
        _table(row(measure.name, tallies[measure.name]) for measure in rows if measure.written),
        calibration(tallies.values()),
    ]
    return "".join(parts)


def try_rows(
    word: str,
    seed: int,
    folders: Iterable[Path],
    budget_s: float | None,
    *,
    strategies: Sequence[Strategy] = STRATEGIES,
) -> None:
    """Print a line per row with `word` in its name: of one seed, or of all that fit in a budget.

    Seeds come in turn, each for all rows, so that rows differ by one seed at most. What a budget
    does not reach has no line.
    """
    rows = measures(programs_in(SAMPLES, *folders), word)
    if not rows:
        sys.exit(f"no row has {word!r} in its name")
    tallies = {measure.name: Tally() for measure in rows}
    began = time.monotonic()
    seeds = count(seed) if budget_s is not None else [seed]
    for at, measure in ((at, measure) for at in seeds for measure in rows):
        tallies[measure.name] += measure.tally([at], strategies)
        if budget_s is not None and time.monotonic() - began >= budget_s:
            break
    reached = [measure for measure in rows if tallies[measure.name].launches]
    for line in (*HEAD, *(row(measure.name, tallies[measure.name]) for measure in reached)):
        print(line)
    launches = sum(tally.launches for tally in tallies.values())
    print(f"\n{launches} launches in {time.monotonic() - began:.1f} s")
    print(_summary(reached, tallies) + calibration(tallies.values()), end="")


def row(name: str, tally: Tally) -> str:
    """One line of the table."""
    judged = (Confidence.EXACT, Confidence.INFERRED, Confidence.AMBIGUOUS)
    cells = [tally.covered, tally.worst]
    cells += [
        share
        for confidence in judged
        for share in (tally.share(confidence), tally.right(confidence))
    ]
    none = [tally.share(confidence) for confidence in (Confidence.OUTSIDE, Confidence.UNKNOWN)]
    cells += [sum(share or 0.0 for share in none), tally.claimed]
    return f"| {name} | {' | '.join(map(_percent, cells))} |"


def calibration(tallies: Iterable[Tally]) -> str:
    """The table of posteriors; empty where the matching hands out none."""
    total = Tally()
    for tally in tallies:
        total += tally
    lines: list[str] = []
    for lower, upper in zip(BANDS, (*BANDS[1:], 1.0), strict=True):
        cells: list[str] = []
        for counted in (total.bands, total.calls):
            right, number = counted[lower, True], counted[lower, True] + counted[lower, False]
            cells += [str(number), _percent(right / number if number else None)]
        if cells[0] != "0":
            lines.append(f"| {lower:g} to {upper:g} | {' | '.join(cells)} |\n")
    return _POSTERIOR + "".join(lines) if lines else ""


def _summary(rows: Sequence[Measure], tallies: Mapping[str, Tally]) -> str:
    """The mean and the least coverage of the rows without a host side; empty without such rows."""
    covered = [tallies[measure.name].covered for measure in rows if measure.hostless]
    shares = [share for share in covered if share is not None]
    if not shares:
        return ""
    mean, least = _percent(sum(shares) / len(shares)), _percent(min(shares))
    return _ALL.format(mean=mean, rows=len(shares), least=least)


def _table(lines: Iterator[str]) -> str:
    return "\n".join((*HEAD, *lines)) + "\n"


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:-1])) + f" and {numbers[-1]}"


def _percent(share: float | None) -> str:
    """Rounded, but nothing is called whole that is not, nor nothing that is something."""
    if share is None:
        return "-"
    digits = next((it for it in (1, 2, 3) if share in (0, 1) or 0 < round(share, it + 2) < 1), 3)
    return f"{100 * share:.{digits}f} %" if share not in (0, 1) else f"{100 * share:.0f} %"
