"""Calls, ops, lines and graphs as items: their keys, their rows in the store, their time in runs.

A call goes by its fingerprint, so that it is found again when its name or place changed; an op by
its name, a graph by its id, a line by its file and text, or its number where the text is not known.
The rule for lines stands here only: `file TAB code`, `file TAB #number`, or the file alone.

An item's level is its time in a few runs around the one that lies N runs before the newest. Left
out: the runs between, which the item's own page draws.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, TypeAlias

from kernelmap.present.address import Address
from kernelmap.views.frames import Row, frame_of, rows
from kernelmap.views.schema import TABLES as SCHEMA

if TYPE_CHECKING:
    from kernelmap.store.run import Run

PAGE = "item"
TABLES: Mapping[str, str] = {"call": "calls", "op": "ops", "line": "lines", "graph": "graphs"}
"""The table that has the rows of a kind."""

_COLUMNS: Mapping[str, str] = {"call": "fingerprint", "op": "name", "graph": "graph"}
_APART, _NUMBER = "\t", "#"  # no line of code that runs begins with #
Where: TypeAlias = "Mapping[str, str | int | None]"


def item(kind: str, row: Mapping[str, object]) -> Address | None:
    r"""The address of what a row of `TABLES[kind]` is about; None where the row names nothing.

    >>> item("line", {"file": "a.py", "line": 3, "code": None}).key
    'a.py\t#3'
    """
    if kind == "line":
        return Address(page=PAGE, kind=kind, key=line_key(row["file"], row["line"], row["code"]))
    key = row[_COLUMNS[kind]]
    return Address(page=PAGE, kind=kind, key=key) if isinstance(key, str) and key else None


def line_key(file: object, line: object, code: object) -> str:
    r"""The key of a source line; `line` and `code` are None where they are not known.

    >>> line_key("a.py", 3, "x = y + 1")
    'a.py\tx = y + 1'
    """
    if isinstance(code, str):
        return f"{file}{_APART}{code}"
    return str(file) if line is None else f"{file}{_APART}{_NUMBER}{line}"


def rows_of(kind: str | None, key: str | None) -> tuple[str, Where] | None:
    r"""The table and what its rows equal, as Store.history takes them; None for no known kind.

    >>> rows_of("line", "a.py\tx = y + 1")
    ('lines', {'file': 'a.py', 'code': 'x = y + 1'})
    """
    if kind is None or kind not in TABLES or not key:
        return None
    if kind != "line":
        return TABLES[kind], {_COLUMNS[kind]: key}
    file, apart, rest = key.partition(_APART)
    if not apart:
        return TABLES[kind], {"file": file, "line": None, "code": None}
    number = rest.removeprefix(_NUMBER)
    if number != rest and number.isascii() and number.isdecimal():
        return TABLES[kind], {"file": file, "line": int(number), "code": None}
    return TABLES[kind], {"file": file, "code": rest}


_AROUND = 2  # runs on each side of the one that is so far back; their median is the level


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What one item took in one run, in ns of the whole window; `row` is its longest row there.

    `key` is what its page goes by; None for time that has no such item.
    """

    key: str | None
    row: Row
    time_ns: int

    @property
    def name(self) -> str:
        """What the item is called."""
        if "wrapper" in self.row:
            return str(self.row["wrapper"])
        if "file" in self.row:
            code, line = self.row["code"], self.row["line"]
            place = str(self.row["file"]) + ("" if line is None else f":{line}")
            return place if code is None else f"{place}: {code}"
        return str(self.row["name"] if "name" in self.row else self.row["graph"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One item: ns a step now, and at the level before; None where it is not there."""

    item: Taken
    now_ns: float | None
    before_ns: float | None

    @property
    def change(self) -> float | None:
        """Now over before, less 1; None where one is missing or nothing."""
        if self.now_ns is None or not self.before_ns:
            return None
        return self.now_ns / self.before_ns - 1

    @property
    def change_ns(self) -> float:
        """Ns a step by which it changed, all of it where it is new or gone."""
        return (self.now_ns or 0) - (self.before_ns or 0)


def taken(run: Run, kind: str) -> Mapping[str, Taken]:
    """The items of a run by key, or by name in the run where they have none."""
    table = SCHEMA[TABLES[kind]]
    grouped: dict[str, list[Row]] = defaultdict(list)
    keys: dict[str, str | None] = {}
    columns = run.arrow(table.name)
    frame = frame_of(table, {name: columns.column(name) for name in table.by_name})
    for row in rows(table, frame):
        to = item(kind, row)
        key = None if to is None else to.key
        known_as = key or f"\0{row.get('wrapper')}"
        grouped[known_as].append(row)
        keys[known_as] = key
    return {
        known_as: Taken(key=keys[known_as], row=max(same, key=_time), time_ns=sum(map(_time, same)))
        for known_as, same in grouped.items()
    }


def runs_before(runs: Sequence[str], back: int) -> tuple[str, ...]:
    """The runs around the one that lies `back` before the last, which is none of them.

    Of too few runs the first ones; none where there is only one.

    >>> runs_before(["a", "b", "c", "d", "e", "f", "g"], 3)
    ('b', 'c', 'd', 'e', 'f')
    >>> runs_before(["a", "b", "c"], 20)
    ('a', 'b')
    """
    newest = len(runs) - 1
    middle = max(newest - back, 0)
    return tuple(runs[max(middle - _AROUND, 0) : min(middle + _AROUND + 1, newest)])


def levels(
    now: Mapping[str, Taken],
    before: Sequence[Mapping[str, Taken]],
    steps: tuple[int, Sequence[int]],
) -> tuple[Level, ...]:
    """All items of now, and those that most of the runs before had; longest first, gone ones last.

    `steps` are those of the run now and of the runs before, by which times are divided.
    """
    both = []
    for known_as in {**now, **{key: None for one in before for key in one}}:
        earlier = [
            (one[known_as], one[known_as].time_ns / count)
            for one, count in zip(before, steps[1], strict=True)
            if known_as in one
        ]
        then = (
            median(time for _, time in earlier)
            if earlier and 2 * len(earlier) >= len(before)
            else None
        )
        here = now.get(known_as)
        if here is None and then is None:
            continue
        both.append(
            Level(
                item=earlier[-1][0] if here is None else here,
                now_ns=None if here is None else here.time_ns / steps[0],
                before_ns=then,
            )
        )
    return tuple(sorted(both, key=lambda key: (key.now_ns is None, -(key.now_ns or 0))))


def _time(row: Row) -> int:
    forward, backward = row["time_ns"], row.get("backward_ns", 0) if "file" in row else 0
    return int(str(forward)) + int(str(backward))
