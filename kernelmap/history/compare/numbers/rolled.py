"""The change per op, line, call and graph: the same tables on both sides, subtracted.

Takes two sides and how they were paired, gives rows whose changes add up to the whole change, to
the nanosecond. Ops go by name; lines by file and text: a line that moved is the same line, also
into another checkout, whose files are those with the same folders at the end of their paths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import PurePath

from msgspec import Struct

from kernelmap.history.compare.numbers.comparable import per_unit, whole_parts
from kernelmap.history.compare.pairing.sides import Paired
from kernelmap.history.compare.sides.side import ComparedSide
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.rows import Row, whole_number
from kernelmap.tables.schema import TABLES
from kernelmap.tables.table import Table, ns_column, text_column

GONE, JOINT = " (gone)", " + "
"""What names of rows bear: of calls of the side before alone, and between calls of one row."""


class Rolled(Struct, frozen=True, kw_only=True):
    """One op, line, call or graph: ns per unit on both sides."""

    name: str
    before_ns: int
    after_ns: int
    change_ns: int


ROLLED = Table(
    name="diff_rows",
    row="one op, line, call or graph of two recordings, and its time a step or in all on each side",
    order="change_ns, largest first, whichever way",
    columns=(
        text_column("name", "what it is called"),
        ns_column("before_ns", "its time before"),
        ns_column("after_ns", "its time after"),
        ns_column("change_ns", "the difference: what is slower is above 0"),
    ),
)
"""What `diff --by` prints of any of the tables."""

_Times = Counter[str]
"""Ns by name."""


def roll_up(
    sides: tuple[ComparedSide, ComparedSide], units: tuple[int, int], pairing: Paired
) -> Mapping[str, tuple[Rolled, ...]]:
    """The tables `ops`, `lines`, `calls` and `graphs`, largest change first."""
    return {
        "ops": _join_sides((_roll_ops(sides[0]), _roll_ops(sides[1])), units),
        "lines": _join_sides(_roll_lines(sides), units),
        "calls": _join_sides(_roll_calls(sides, pairing), units),
        "graphs": _join_sides(_roll_graphs(sides, pairing), units),
    }


def line_name(row: Row, file: str | None = None) -> str:
    """What a row of the table `lines` is called here, wherever it moved; `file` as it is known.

    >>> line_name({"file": "a.py", "line": None, "code": "in f", "function_line": 3})
    'a.py: in f'
    """
    file = str(row["file"]) if file is None else file
    if row["code"] is not None:
        return f"{file}: {row['code']}"
    return file if row["line"] is None else f"{file}:{row['line']}"


def _roll_ops(side: ComparedSide) -> _Times:
    sums: _Times = Counter()
    for row in rows_of_frame(TABLES["ops"], side.tables.frame("ops")):
        sums[str(row["name"])] += whole_number(row, "time_ns")
    return sums


def _roll_lines(sides: tuple[ComparedSide, ComparedSide]) -> tuple[_Times, _Times]:
    listed = [list(rows_of_frame(TABLES["lines"], side.tables.frame("lines"))) for side in sides]
    # The files of the older side by what the newer one calls them.
    twins = same_files(*({str(row["file"]) for row in lines} for lines in listed))
    sums: tuple[_Times, _Times] = (Counter(), Counter())
    # Lines of both sides under the file names of the newer one.
    for at, lines in enumerate(listed):
        for row in lines:
            file = str(row["file"]) if at else twins.get(str(row["file"]), str(row["file"]))
            sums[at][line_name(row, file)] += whole_number(row, "time_ns") + whole_number(
                row, "backward_ns"
            )
    return sums


def _roll_calls(sides: tuple[ComparedSide, ComparedSide], pairing: Paired) -> tuple[_Times, _Times]:
    sums: tuple[_Times, _Times] = (Counter(), Counter())
    for pair in pairing.pairs:
        # Calls that were fused otherwise share a row, named after what they are now.
        calls = pair.after or pair.before
        mark = "" if pair.after else GONE
        name = JOINT.join(f"{call.id} {call.name}" for call in calls) + mark
        for at, held in enumerate((pair.before, pair.after)):
            sums[at][name] += sum(call.time_ns for call in held)
    for at, graphs, mark in ((0, pairing.gone, GONE), (1, pairing.new, "")):
        for call in (call for graph in graphs for call in graph.calls):
            sums[at][f"{call.id} {call.name}{mark}"] += call.time_ns
    return _with_rests(sums, sides)


def _roll_graphs(
    sides: tuple[ComparedSide, ComparedSide], pairing: Paired
) -> tuple[_Times, _Times]:
    sums: tuple[_Times, _Times] = (Counter(), Counter())
    for pair in pairing.graphs:
        for at, graph in enumerate(pair):
            sums[at][pair[1].id] += sum(call.time_ns for call in graph.calls)
    for at, only, mark in ((0, pairing.gone, GONE), (1, pairing.new, "")):
        for graph in only:
            sums[at][graph.id + mark] += sum(call.time_ns for call in graph.calls)
    return _with_rests(sums, sides)


def _with_rests(
    sums: tuple[_Times, _Times], sides: tuple[ComparedSide, ComparedSide]
) -> tuple[_Times, _Times]:
    """The sums with the time that has no call: outside compiled code, and each kind of doubt."""
    for at, side in enumerate(sides):
        for rest in side.rests:
            name = "(outside compiled code)" if rest.outside else rest.name
            sums[at][name] += rest.time_ns
    return sums


def _join_sides(sums: tuple[_Times, _Times], units: tuple[int, int]) -> tuple[Rolled, ...]:
    """Both sides by name, per unit; the changes add up to that of the sums."""
    before, after = sums
    # A name that one side lacks counts 0 there.
    names = sorted({*before, *after})
    # Exact fractions per name, rounded so that they add up to the change of the whole.
    changes = whole_parts(
        [Fraction(after[name], units[1]) - Fraction(before[name], units[0]) for name in names],
        per_unit(after.total(), units[1]) - per_unit(before.total(), units[0]),
    )
    rolled_rows = [
        Rolled(
            name=name,
            before_ns=per_unit(before[name], units[0]),
            after_ns=per_unit(after[name], units[1]),
            change_ns=change,
        )
        for name, change in zip(names, changes, strict=True)
    ]
    return tuple(sorted(rolled_rows, key=lambda row: (-abs(row.change_ns), row.name)))


def same_files(before: Iterable[str], after: Iterable[str]) -> Mapping[str, str]:
    """The files of `before` by what they are called in `after`; those without a twin stay out.

    Equal paths first, then those that share the most folders at their end, where that is one pair.

    >>> same_files(["/base/net/a.py", "/base/b.py"], ["/branch/net/a.py", "/branch/c.py"])
    {'/base/net/a.py': '/branch/net/a.py'}
    """
    left, right = set(before), set(after)
    twins = {name: name for name in sorted(left & right)}
    # The longest common end first: `a/net/x.py` is rather `b/net/x.py` than `b/old/x.py`.
    for length in range(_longest_path(left), 0, -1):
        ends = [_by_end(side - done, length) for side, done in _lines_unmatched(left, right, twins)]
        for end in sorted(ends[0].keys() & ends[1].keys()):
            # Only where one file a side has this end.
            if len(ends[0][end]) == len(ends[1][end]) == 1:
                twins[ends[0][end][0]] = ends[1][end][0]
    return twins


def _lines_unmatched(
    left: set[str], right: set[str], twins: Mapping[str, str]
) -> tuple[tuple[set[str], set[str]], ...]:
    return (left, set(twins)), (right, set(twins.values()))


def _longest_path(names: Iterable[str]) -> int:
    return max((len(PurePath(name).parts) for name in names), default=0)


def _by_end(names: Iterable[str], length: int) -> dict[tuple[str, ...], list[str]]:
    ends: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        ends.setdefault(PurePath(name).parts[-length:], []).append(name)
    return ends
