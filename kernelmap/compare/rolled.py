"""The change per op, line, call and graph: the same tables on both sides, subtracted.

Takes two sides and how they were paired, gives rows whose changes add up to the whole change, to
the nanosecond. Ops go by name; lines by file and text: a line that moved is the same line, also
into another checkout, whose files are those with the same folders at the end of their paths.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import PurePath

from kernelmap.compare.causes import Paired
from kernelmap.compare.comparable import per_unit, whole_parts
from kernelmap.compare.side import Side, whole
from kernelmap.views.frames import Row, rows
from kernelmap.views.schema import TABLES


@dataclass(frozen=True, slots=True, kw_only=True)
class Rolled:
    """One op, line, call or graph: ns per unit on both sides."""

    name: str
    before_ns: int
    after_ns: int
    change_ns: int


_Times = dict[str, Fraction]


def rolled(
    sides: tuple[Side, Side], units: tuple[int, int], found: Paired
) -> Mapping[str, tuple[Rolled, ...]]:
    """The tables `ops`, `lines`, `calls` and `graphs`, largest change first."""
    return {
        "ops": _joined(*map(_ops, sides, units)),
        "lines": _joined(*_lines(sides, units)),
        "calls": _joined(*_calls(sides, units, found)),
        "graphs": _joined(*_graphs(sides, units, found)),
    }


def line_name(row: Row, file: str | None = None) -> str:
    """What a row of the table `lines` is called here, wherever it moved; `file` as it is known."""
    file = str(row["file"]) if file is None else file
    if row["line"] is None:
        return file
    return f"{file}:{row['line']}" if row["code"] is None else f"{file}: {row['code']}"


def _ops(side: Side, units: int) -> _Times:
    sums: dict[str, Fraction] = defaultdict(Fraction)
    for row in rows(TABLES["ops"], side.tables.frame("ops")):
        sums[str(row["name"])] += Fraction(whole(row["time_ns"]), units)
    return sums


def _lines(sides: tuple[Side, Side], units: tuple[int, int]) -> tuple[_Times, _Times]:
    found = [list(rows(TABLES["lines"], side.tables.frame("lines"))) for side in sides]
    twins = same_files(*({str(row["file"]) for row in each} for each in found))
    sums: tuple[_Times, _Times] = (defaultdict(Fraction), defaultdict(Fraction))
    for at, each in enumerate(found):
        for row in each:
            file = str(row["file"]) if at else twins.get(str(row["file"]), str(row["file"]))
            time = whole(row["time_ns"]) + whole(row["backward_ns"])
            sums[at][line_name(row, file)] += Fraction(time, units[at])
    return sums


def _calls(
    sides: tuple[Side, Side], units: tuple[int, int], found: Paired
) -> tuple[_Times, _Times]:
    sums: tuple[_Times, _Times] = (defaultdict(Fraction), defaultdict(Fraction))
    for pair in found.pairs:
        calls = pair.after or pair.before
        mark = "" if pair.after else " (gone)"
        name = " + ".join(f"{call.id} {call.name}" for call in calls) + mark
        for at, own in enumerate((pair.before, pair.after)):
            sums[at][name] += Fraction(sum(call.time_ns for call in own), units[at])
    for at, graphs, mark in ((0, found.gone, " (gone)"), (1, found.new, "")):
        for call in (call for graph in graphs for call in graph.calls):
            sums[at][f"{call.id} {call.name}{mark}"] += Fraction(call.time_ns, units[at])
    return _with_rests(sums, sides, units)


def _graphs(
    sides: tuple[Side, Side], units: tuple[int, int], found: Paired
) -> tuple[_Times, _Times]:
    sums: tuple[_Times, _Times] = (defaultdict(Fraction), defaultdict(Fraction))
    for pair in found.graphs:
        for at, graph in enumerate(pair):
            time = sum(call.time_ns for call in graph.calls)
            sums[at][pair[1].id] += Fraction(time, units[at])
    for at, only, mark in ((0, found.gone, " (gone)"), (1, found.new, "")):
        for graph in only:
            time = sum(call.time_ns for call in graph.calls)
            sums[at][graph.id + mark] += Fraction(time, units[at])
    return _with_rests(sums, sides, units)


def _with_rests(
    sums: tuple[_Times, _Times], sides: tuple[Side, Side], units: tuple[int, int]
) -> tuple[_Times, _Times]:
    """What has no call stands under one name each: outside compiled code, and the doubts."""
    for at, side in enumerate(sides):
        for rest in side.rests:
            name = "(outside compiled code)" if rest.outside else rest.name
            sums[at][name] += Fraction(rest.time_ns, units[at])
    return sums


def _joined(before: _Times, after: _Times) -> tuple[Rolled, ...]:
    names = sorted({*before, *after})
    times = [(before.get(name, Fraction(0)), after.get(name, Fraction(0))) for name in names]
    totals = (_total(before.values()), _total(after.values()))
    changes = whole_parts([other - one for one, other in times], totals[1] - totals[0])
    found = [
        Rolled(name=name, before_ns=_whole(one), after_ns=_whole(other), change_ns=change)
        for name, (one, other), change in zip(names, times, changes, strict=True)
    ]
    return tuple(sorted(found, key=lambda row: (-abs(row.change_ns), row.name)))


def _total(times: Iterable[Fraction]) -> int:
    return _whole(sum(times, Fraction(0)))


def _whole(time: Fraction) -> int:
    return per_unit(time.numerator, time.denominator)


def same_files(before: Iterable[str], after: Iterable[str]) -> Mapping[str, str]:
    """The files of `before` by what they are called in `after`; those without a twin stay out.

    Equal paths first, then those that share the most folders at their end, where that is one pair.

    >>> same_files(["/base/net/a.py", "/base/b.py"], ["/branch/net/a.py", "/branch/c.py"])
    {'/base/net/a.py': '/branch/net/a.py'}
    """
    left, right = set(before), set(after)
    found = {name: name for name in sorted(left & right)}
    for length in range(_longest(left), 0, -1):
        ends = [_by_end(side - done, length) for side, done in _unmatched(left, right, found)]
        for end in sorted(ends[0].keys() & ends[1].keys()):
            if len(ends[0][end]) == len(ends[1][end]) == 1:
                found[ends[0][end][0]] = ends[1][end][0]
    return found


def _unmatched(
    left: set[str], right: set[str], found: Mapping[str, str]
) -> tuple[tuple[set[str], set[str]], ...]:
    return (left, set(found)), (right, set(found.values()))


def _longest(names: Iterable[str]) -> int:
    return max((len(PurePath(name).parts) for name in names), default=0)


def _by_end(names: Iterable[str], length: int) -> dict[tuple[str, ...], list[str]]:
    ends: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        ends.setdefault(PurePath(name).parts[-length:], []).append(name)
    return ends
