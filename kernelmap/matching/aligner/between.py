"""Library launches under names that say nothing: what always runs between the same two kernels.

A name that says nothing of its operator leaves a launch its place. What runs between two generated
kernels of one invocation is of the library calls between these. What always follows the last one
of a graph, whatever runs next, is of the calls at its end; what always precedes the first one is
of those at its beginning. Each of these calls launches something: of several in a row the first
launch is the first one's, the last launch the last one's, and in between all that fit are named.
Before that, invocations that seemed to end amid such launches are put together again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from kernelmap.matching.aligner.edges import ends_of
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.tokens import Tokens
from kernelmap.model import NONE
from kernelmap.model.trace import Bool, Int

MOST = 6
"""More candidates say nothing."""
_ALWAYS = 0.8
"""What stands in so many gaps always stands there: some launches are lost."""
_STEADY = 0.9
"""Eager work in so many gaps is always the same; what a program leaves out now and then is not."""
_GAPS = 3
"""So many gaps show what is always the same."""
_ONE = 0.7
"""Where the same kernel lies beyond more of the gaps, eager work in them may be always the same."""

Calls = tuple[int, ...]
_Ends = tuple[int, int, bool]


class Gap(NamedTuple):
    """What runs between two generated kernels that are placed, at the sites `before` and `after`.

    `at` are the launches in between, without the autotuner's, `names` the numbers of their names;
    `runs` are the invocations of the two kernels.
    """

    sequence: int
    before: int
    after: int
    runs: tuple[int, int]
    at: Calls
    names: Calls

    @property
    def ends(self) -> _Ends:
        """What gaps have in common that lie between the same two kernels."""
        return self.before, self.after, self.within

    @property
    def within(self) -> bool:
        """Whether one invocation goes on."""
        return self.runs[0] == self.runs[1]


class Place(NamedTuple):
    """The library call sites that one launch may be of, and its invocation."""

    calls: Calls
    run: int


def rejoined(
    run: Int, of_run: Int, site: Int, named: Bool, nameless: Bool, sites: Sites
) -> tuple[Int, Int]:
    """The invocations, where one that breaks off at library calls without names goes on.

    What such calls launch may look like eager work between two halves of an invocation. They are
    halves where no kernel of the code is missing between them, or stands there. `run`, `site` and
    `named`, that a launch bears a name of the code, are over the launches of one sequence, `of_run`
    is the class of each invocation, and `nameless` masks calls without names. Gives `run` and
    `of_run` anew.
    """
    kernels = np.flatnonzero((run >= 0) & sites.generated[site])
    first, last = ends_of(run, kernels, len(of_run))
    at = np.flatnonzero((last[:-1] >= 0) & (last[1:] >= 0) & (of_run[1:] == of_run[:-1]))
    one, other = last[at], first[at + 1]
    before, after = site[one], site[other]
    begins = np.ones(len(of_run), dtype=bool)
    begins[at + 1] = (
        (_between(sites.generated & sites.certain, before, after) > 0)
        | (_between(nameless, before, after) == 0)
        | (_between(named, one, other) > 0)
    )
    number = np.append(np.cumsum(begins) - 1, NONE)
    return number[run], of_run[begins]


def _between(mask: Bool, one: Int, other: Int) -> Int:
    """How many places of `mask` lie between one place and a later one, for several pairs."""
    total = np.concatenate([[0], np.cumsum(mask)])
    return np.asarray(total[other] - total[np.minimum(one + 1, other)])


def gaps_of(  # noqa: PLR0913, PLR0917 -- a launch's columns, and what their numbers stand for
    sequence: int,
    run: Int,
    site: Int,
    sure: Bool,
    measured: Bool,
    token: Int,
    tokens: Tokens,
    sites: Sites,
) -> Iterator[Gap]:
    """The gaps of one sequence; none where a kernel of the code is in between.

    All columns are over its launches: `run` is the invocation, `site` the call site where `sure`.
    """
    kernels = np.flatnonzero(sure & sites.generated[site] & (run >= 0))
    rest = np.flatnonzero(~measured)
    ranks = np.searchsorted(rest, kernels).tolist()
    stray = np.concatenate([[0], np.cumsum(tokens.word[token[rest]] >= 0)]).tolist()
    names = tokens.name[token[rest]].tolist()
    at = rest.tolist()
    of = list(zip(site[kernels].tolist(), run[kernels].tolist(), ranks, strict=True))
    for (before, one, first), (after, other, last) in pairwise(of):
        if stray[last] == stray[first + 1]:
            inside = slice(first + 1, last)
            yield Gap(
                sequence, before, after, (one, other), tuple(at[inside]), tuple(names[inside])
            )


def places_of(gaps: Sequence[Gap], nameless: Bool, sites: Sites) -> Iterator[dict[int, Place]]:
    """For each gap its launches that have a place; `nameless` masks calls without names."""
    alike: defaultdict[_Ends, list[Gap]] = defaultdict(list)
    begin: defaultdict[int, list[Gap]] = defaultdict(list)
    end: defaultdict[int, list[Gap]] = defaultdict(list)
    for gap in gaps:
        alike[gap.ends].append(gap)
        if not gap.within:
            begin[gap.before].append(gap)
            end[gap.after].append(gap)
    sides = {ends: _sides(ends, sites) for ends in alike}
    whole = {ends: _whole([gap.names for gap in alike_gaps]) for ends, alike_gaps in alike.items()}
    after = {
        site: _start([gap.names for gap in alike_gaps])
        for site, alike_gaps in begin.items()
        if _vary([gap.after for gap in alike_gaps])
    }
    before = {
        site: _start([gap.names[::-1] for gap in alike_gaps])
        for site, alike_gaps in end.items()
        if _vary([gap.before for gap in alike_gaps])
    }
    steady = _steady(alike, whole, sides)
    shared_out = cache(partial(_shared_out, sites))
    for gap in gaps:
        tail, head = sides[gap.ends]
        usual = len(alike[gap.ends]) >= _ALWAYS * max(len(begin[gap.before]), len(end[gap.after]))
        content = whole[gap.ends]
        calls_at: dict[int, Calls] = {}
        if content is not None and (gap.within or (usual and not steady)):
            calls_at = dict(shared_out(gap.names, content, tail + head))
        elif content and usual:
            calls_at = _beside(gap, tail, head)
        elif not gap.within:
            calls_at = dict(shared_out(gap.names, after.get(gap.before, ()), tail))
            last = len(gap.names) - 1
            for at, calls in shared_out(gap.names[::-1], before.get(gap.after, ()), head[::-1]):
                calls_at[last - at] = calls_at.get(last - at, ()) + calls[::-1]
        yield {
            gap.at[at]: Place(calls, gap.runs[calls[0] not in tail])
            for at, calls in calls_at.items()
            if len(calls) <= MOST and nameless[list(calls)].all()
        }


def _steady(
    alike: Mapping[_Ends, Sequence[Gap]],
    whole: Mapping[_Ends, Calls | None],
    sides: Mapping[_Ends, tuple[Calls, Calls]],
) -> bool:
    """Whether eager work may be the same each time, and so look like a call.

    It is where something always runs beside an end that has no call, and where nothing changes.
    """
    changes = False
    for ends, gaps in alike.items():
        if ends[2] or len(gaps) < _GAPS:
            continue
        names = [gap.names for gap in gaps]
        content = whole[ends]
        changes |= content is None
        tail, head = sides[ends]
        if content and not tail and not head:
            return True
        if content is None and not tail and _start(names, _STEADY):
            return True
        if content is None and not head and _start([row[::-1] for row in names], _STEADY):
            return True
    return not changes


def _sides(ends: _Ends, sites: Sites) -> tuple[Calls, Calls]:
    """The library calls behind the first kernel of a gap, and those ahead of the second one.

    Within an invocation all are behind. Where a kernel that has to run was lost there is none.
    """
    before, after, within = ends
    behind = np.arange(before + 1, after if within else sites.bounds[sites.of[before] + 1])
    ahead = np.arange(after if within else sites.bounds[sites.of[after]], after)
    one, other = (
        () if (sites.generated & sites.certain)[part].any() else part[~sites.generated[part]]
        for part in (behind, ahead)
    )
    return tuple(map(int, one)), tuple(map(int, other))


def _start(rows: Sequence[Calls], least: float = _ALWAYS) -> Calls:
    """What all rows begin with, but for what was lost."""
    return _common(rows, least)[0]


def _whole(rows: Sequence[Calls]) -> Calls | None:
    """What all rows are, but for what was lost; None where that changes."""
    common, same = _common(rows)
    return common if len(rows) >= _GAPS and same >= _ALWAYS * len(rows) else None


def _beside(gap: Gap, tail: Calls, head: Calls) -> dict[int, Calls]:
    """The launches right beside the kernels are of their calls; of several, all are named."""
    both = tail + head
    calls_at = dict.fromkeys(range(len(gap.names)), both) if len(both) > 1 else {}
    if tail and gap.names:
        calls_at[0] = tail[:1]
    if head and gap.names:
        calls_at[len(gap.names) - 1] = head[-1:]
    return calls_at


def _common(rows: Sequence[Calls], least: float = _ALWAYS) -> tuple[Calls, int]:
    """What rows begin with, but for what was lost, and how many of them go no further."""
    times = Counter(rows)
    step = dict.fromkeys(times, 0)
    common: list[int] = []
    while True:
        votes: Counter[int] = Counter()
        for row, count in times.items():
            if step[row] < len(row):
                votes[row[step[row]]] += count
        name, most = max(votes.items(), key=itemgetter(1), default=(0, 0))
        if most < max(least * len(rows), 1):
            return tuple(common), sum(n for row, n in times.items() if step[row] == len(row))
        common.append(name)
        for row in times:
            step[row] += row[step[row] : step[row] + 1] == (name,)


def _vary(sites: Sequence[int]) -> bool:
    """Whether no site is nearly all of `sites`."""
    most = max(Counter(sites).values())
    return len(sites) >= _GAPS and most <= _ONE * len(sites)


def _shared_out(
    sites: Sites, names: Calls, content: Calls, calls: Calls
) -> tuple[tuple[int, Calls], ...]:
    """Which of `names` are of `content`, each with those of `calls` that fit there, in order."""
    total, number = len(content), len(calls)
    all_launch = number <= total and bool(sites.certain[list(calls)].all())
    shares = []
    step = 0
    for place, name in enumerate(content if calls else ()):
        if names[step : step + 1] == (name,):
            fitting = calls[max(0, number - total + place) : place + 1] if all_launch else calls
            shares.append((step, fitting))
            step += 1
    return tuple(shares)
