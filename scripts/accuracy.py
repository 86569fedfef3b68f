"""Compare what kernelmap says with what is known: of recorded samples, and in simulated worlds.

    python scripts/accuracy.py --commit HASH FOLDER...   # writes docs/accuracy.md; a quarter hour
    python scripts/accuracy.py --samples   # the same, but the worlds are as they were measured
    python scripts/accuracy.py --check     # only says whether `exact` was always right in samples
    python scripts/accuracy.py --row "sorts at edges" --seed 7   # a row, in seconds
    python scripts/accuracy.py --row small --budget 60           # as many seeds as fit

Exit code 1 where an exact launch of a sample belongs to another call, or to none. Samples have a
truth.json (scripts/gpu_cases/truth.py), taken from ranges that were in the profile while it was
recorded and are not in it any more. Launches of which the run knew nothing are counted, and not
judged. Worlds play the code of samples and of every program in the folders, and code written
for the purpose (accuracy_worlds.py); two of their seeds follow from HASH (accuracy_tables.py).
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests"), str(PROJECT / "scripts")]

import accuracy_tables  # noqa: E402 -- after the line above
from accuracy_bare import KEPT, View, bare  # noqa: E402 -- as above
from gpu_cases.sample import RUN, TRUTH  # noqa: E402 -- as above

from kernelmap import Correlation, correlate  # noqa: E402 -- as above
from kernelmap.model import Confidence  # noqa: E402 -- as above

SAMPLES = PROJECT / "sample_traces"
PAGE = PROJECT / "docs" / "accuracy.md"
NONE = ("", -1)
_JUDGED = (Confidence.EXACT, Confidence.INFERRED, Confidence.AMBIGUOUS, Confidence.OUTSIDE)
_HEAD = """<!-- Made by scripts/accuracy.py; do not edit. -->
# Accuracy

What kernelmap says is held against what is known to be true: first in recordings of real programs,
then in simulated worlds, which are many more and none of which ran anywhere.

## In recordings

Samples that begin with `cuda_` were recorded on an H200 or an H100, as their RUN.toml says, those
that begin with `cpu_` on CPUs.
How much of the time that got a confidence is right, by samples whose run knew the answer: every
call stood in a range of its own while it was recorded, and the ranges were taken out afterwards.
A cell is the share of launches that are right, of how many, and the share of their time. An
ambiguous launch is right where the true call is among its candidates, an outside one where no call
made it. What is unknown claims nothing, and what the run did not know either is not judged.

"""


@dataclass(slots=True)
class Score:
    """Launches of one confidence, and how many of them are right."""

    launches: int = 0
    right: int = 0
    time_ns: int = 0
    right_ns: int = 0

    def add(self, dur_ns: int, *, right: bool) -> None:
        """Count a launch."""
        self.launches += 1
        self.time_ns += dur_ns
        self.right += right
        self.right_ns += dur_ns * right

    def __str__(self) -> str:
        if not self.launches:
            return "-"
        by_time = self.right_ns / self.time_ns if self.time_ns else 1.0
        return f"{self.right / self.launches:.1%} of {self.launches} ({by_time:.1%})"


@dataclass(frozen=True, slots=True)
class Judged:
    """A sample with its scores; `unknown` got no answer, `unjudged` had no truth.

    Of the time of launches that calls made, `inside_ns`, so much got the right call and so much has
    it among its candidates: `covered_ns`, `named_ns`.
    """

    name: str
    title: str
    scores: Mapping[Confidence, Score]
    unknown: int
    unjudged: int
    inside_ns: int
    covered_ns: int
    named_ns: int

    @property
    def is_exact_right(self) -> bool:
        """Whether nothing uncertain was called exact."""
        exact = self.scores[Confidence.EXACT]
        return exact.right == exact.launches

    @property
    def covered(self) -> float:
        """The share of compiled time that got the right call."""
        return self.covered_ns / self.inside_ns if self.inside_ns else 1.0

    @property
    def named(self) -> float:
        """The share of compiled time whose right call is one of several that are named."""
        return self.named_ns / self.inside_ns if self.inside_ns else 0.0

    @property
    def wrong(self) -> int:
        """Launches of which something false was said."""
        return sum(score.launches - score.right for score in self.scores.values())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, with `arguments` or those of the process."""
    parser = usage.parser(__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="folders of folders with code")
    parser.add_argument("--samples", action="store_true", help="keep what was measured in worlds")
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument(
        "--commit", help="the last one that changed the matching: decides two seeds"
    )
    parser.add_argument("--row", help="measure rows whose name has this word; write nothing")
    parser.add_argument("--seed", type=int, default=1, help="the first seed of --row")
    parser.add_argument("--budget", type=float, help="seconds for --row: as many seeds as fit")
    chosen = parser.parse_args(arguments)
    if chosen.row is not None:
        accuracy_tables.try_rows(chosen.row, chosen.seed, chosen.folders, chosen.budget)
        return
    judged = [judge(path) for path in samples(SAMPLES)]
    if not chosen.check:
        captured = [judge(path, like) for path, like in captured_samples(SAMPLES)]
        alone = judge_bare(SAMPLES)
        before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        worlds = (
            in_worlds(before)
            if chosen.samples
            else accuracy_tables.section(chosen.folders, chosen.commit)
        )
        PAGE.write_text(page(judged, alone, worlds, captured), encoding="utf-8")
        print(f"wrote {PAGE.relative_to(PROJECT)}: {len(judged)} samples")
    wrong = [verdict.name for verdict in judged if not verdict.is_exact_right]
    for name in wrong:
        print(f"{name}: something exact is wrong")
    sys.exit(1 if wrong else 0)


def in_worlds(text: str) -> str:
    """The part of a page that is about simulated worlds."""
    begin = text.find(accuracy_tables.HEADING)
    return text[begin:] if begin >= 0 else ""


def samples(folder: Path) -> list[Path]:
    """The samples in `folder` that have a truth."""
    return sorted(path.parent for path in folder.glob(f"*/{TRUTH}"))


def captured_samples(folder: Path) -> Iterator[tuple[Path, list[Path]]]:
    """The samples in `folder` with profiles of their captures, made in another run, and these."""
    for sample in samples(folder):
        captures = sorted(sample.glob("captures/capture_*.json.gz"))
        if captures:
            yield sample, captures


def judge(sample: Path, like: Sequence[Path] = ()) -> Judged:
    """Correlate `sample`, taught by the runs `like`, and compare."""
    run = tomllib.loads((sample / RUN).read_text(encoding="utf-8"))
    truth = json.loads((sample / TRUTH).read_text(encoding="utf-8"))
    correlation = correlate(sample, like=like)
    scores = {confidence: Score() for confidence in _JUDGED}
    given = {str(graph.digest) for graph in correlation.program.graphs if graph.digest}
    unknown = unjudged = inside_ns = covered_ns = named_ns = 0
    for row, dur_ns, true in _rows(correlation, truth):
        confidence = Confidence(int(correlation.matching.confidence[row]))
        if true is not None and true != NONE and not correlation.trace.launches.on_cpu[row]:
            said, named = _said(correlation, row), _as_named(true, given)
            inside_ns += dur_ns
            covered_ns += dur_ns * (said == {named})
            named_ns += dur_ns * (len(said) > 1 and named in said)
        if true is None:
            unjudged += 1
        elif confidence is Confidence.UNKNOWN:
            unknown += 1
        else:
            said = _said(correlation, row)
            right = _as_named(true, given) in said if said else true == NONE
            scores[confidence].add(dur_ns, right=right)
    return Judged(
        sample.name,
        str(run["title"]),
        scores,
        unknown,
        unjudged,
        inside_ns=inside_ns,
        covered_ns=covered_ns,
        named_ns=named_ns,
    )


def judge_bare(folder: Path) -> dict[View, list[Judged]]:
    """The samples of `folder` that a GPU recorded, without their host side, by what is left."""
    judged: dict[View, list[Judged]] = {view: [] for view in KEPT}
    for sample in samples(folder):
        for view in KEPT if sample.name.startswith(_ON_GPU) else ():
            with bare(sample, view) as copy:
                judged[view].append(judge(copy))
    return judged


def page(
    judged: list[Judged],
    alone: Mapping[View, list[Judged]],
    worlds: str,
    captured: Sequence[Judged] = (),
) -> str:
    """The text of docs/accuracy.md.

    `alone` has samples without host, `captured` those with captures, taught by these; `worlds` is
    the other part.
    """
    without = "" if any(alone.values()) else _NO_GPU
    parts = [_HEAD + _table(judged), without]
    if captured:
        parts.append(_CAPTURED + _table(captured, covers=True) + "\n")
    for view, judged_alone in alone.items():
        if judged_alone:
            parts.append(
                _ALONE[view]
                + _covered(judged_alone)
                + "\n\n"
                + _table(judged_alone, covers=True)
                + "\n"
            )
    return "\n".join((*parts, worlds))


def _covered(judged: Sequence[Judged]) -> str:
    """How much of the compiled time is covered: of all samples, and of those below the aim."""
    inside = sum(verdict.inside_ns for verdict in judged)
    right = sum(verdict.covered_ns for verdict in judged)
    named = sum(verdict.named_ns for verdict in judged)
    wrong = sum(
        verdict.scores[confidence].launches - verdict.scores[confidence].right
        for verdict in judged
        for confidence in (Confidence.EXACT, Confidence.INFERRED)
    )
    said = (
        f"{right / inside:.2%} of the compiled time has the right call. {named / inside:.2%} has it"
        f" among the candidates that are named. {wrong} launches have a wrong call."
    )
    lines = [said]
    below = [verdict for verdict in judged if verdict.covered < _AIM]
    for verdict in below:
        share, more = f"{verdict.covered:.2%}", f"{verdict.named:.2%}"
        lines.append(f"Below {_AIM:.0%}: {verdict.name} with {share}, and {more} by candidates.")
    return "\n".join(lines)


def _table(judged: Sequence[Judged], *, covers: bool = False) -> str:
    """A row per sample; `covers` adds the shares of compiled time that are covered."""
    names = [confidence.name.lower() for confidence in _JUDGED]
    covered = ["covered", "by candidates"] if covers else []
    heads = ["sample", "what it is", *covered, *names, "unknown", "not judged"]
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for verdict in judged:
        shares = [f"{verdict.covered:.2%}", f"{verdict.named:.2%}"] if covers else []
        scores = [str(verdict.scores[confidence]) for confidence in _JUDGED]
        counts = [str(verdict.unknown), str(verdict.unjudged)]
        lines.append(f"| {' | '.join([verdict.name, verdict.title, *shares, *scores, *counts])} |")
    return "\n".join(lines)


_ON_GPU = "cuda_"
_AIM = 0.99
"""So much of a sample's compiled time is meant to get its call without a host side."""
_ALONE: Mapping[View, str] = {
    "bare": """### The same without a host side

The recordings of a GPU, from which everything but kernels, copies and memsets was taken away. Eager
work stays unknown there; that is no mistake. What counts as covered has one call, the right one.
What cannot be decided has all its candidates: two threads that launch on one stream at once mix
their launches, and a library's kernel may be of whichever call is open in either of them.

""",
    "threads": """### The same with api calls, but without operators

The same recordings with the api call and the thread of each launch, as a report of Nsight Systems
without ranges has them.

""",
}
_CAPTURED = """### The same with their captures

Programs that capture CUDA graphs themselves, eager work included. The captures were profiled in
another run and given with `--like`: what they launched eagerly is outside then, no longer unknown.

"""
_NO_GPU = """
No sample here was recorded on a GPU yet: `python scripts/record_gpu_samples.py` records them.
"""

Call = tuple[str, int]


def _rows(
    correlation: Correlation, truth: Mapping[str, Any]
) -> Iterator[tuple[int, int, Call | None]]:
    """Each launch with its time and its true call: NONE outside of calls, None where not known."""
    calls = [tuple(call) for call in truth["calls"]]
    made = dict(zip(truth["events"], truth["call"], strict=True))
    launches = correlation.trace.launches
    for row, event in enumerate(launches.event.tolist()):
        # Operators are listed where they lie in a call, GPU activities wherever the run knew it.
        number: int | None = made.get(event)
        if number is None and launches.on_cpu[row]:
            number = -1
        true = None if number is None else calls[number] if number >= 0 else NONE
        yield row, int(launches.dur_ns[row]), true


def _as_named(true: Call, given: Collection[str]) -> Call:
    """The true call as kernelmap names it: a graph whose code is not `given` has no digest."""
    return true if true == NONE or true[0] in given else (str(None), true[1])


def _said(correlation: Correlation, row: int) -> set[Call]:
    """The calls that kernelmap names for a launch, by the digest of their code."""
    matching, calls = correlation.matching, correlation.program.calls
    call = int(matching.call[row])
    named = (call,) if call >= 0 else matching.candidates_of(row)
    return {(str(calls[position][0].digest), calls[position][1].index) for position in named}


if __name__ == "__main__":
    main()
