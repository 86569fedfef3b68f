"""One call, op, line or graph by a name that a person knows → its time per step, run after run.

Names change between commits, what they stand for need not. So a name is looked up in the newest run
that has it, and followed from there by what lasts: calls and graphs by their fingerprint, lines by
their text. Where the code did not say that, the name itself is followed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from kernelmap.errors import UsageError
from kernelmap.store.facts import RunFacts
from kernelmap.store.history import Value, history
from kernelmap.store.listing import Listed
from kernelmap.store.place import Place
from kernelmap.store.refs import Kin, kin, tag_words
from kernelmap.views.frames import Cell, Row, frame_of_rows
from kernelmap.views.schema import BY
from kernelmap.views.table import Column, Table, Type, Unit

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 5  # candidates of an error


def _column(
    name: str, kind: Type, text: str, *, unit: Unit | None = None, nullable: bool = True
) -> Column:
    return Column(name=name, type=kind, help=text, unit=unit, nullable=nullable)


FOLLOWED = Table(
    name="followed",
    row="one run that has the call, op, line or graph",
    order="time of recording, oldest first",
    columns=(
        _column("run", Type.TEXT, "its id", nullable=False),
        _column("created", Type.TEXT, "when it was recorded, in UTC", nullable=False),
        _column("name", Type.TEXT, "the name that the run was given"),
        _column("branch", Type.TEXT, "branch of the code that ran"),
        _column("device", Type.TEXT, "what its time was spent on: GPUs, or CPU", nullable=False),
        _column("tags", Type.TEXT, "tags that tell series apart, key=value; null without any"),
        _column("commit", Type.TEXT, "commit of the code that ran"),
        _column("title", Type.TEXT, "what it is called in this run", nullable=False),
        _column("config", Type.TEXT, "of a call: block sizes, num_warps, num_stages"),
        _column("rows", Type.INT, "how many rows of the run were added up", nullable=False),
        _column("launches", Type.INT, "its launches; null for lines and graphs"),
        _column("time_ns", Type.INT, "its time, backward included", unit=Unit.NS, nullable=False),
        _column("steps", Type.INT, "profiler steps of the window; null without steps"),
        _column("step_ns", Type.INT, "time_ns per step; null without steps", unit=Unit.NS),
        _column("share", Type.FLOAT, "part of the time of the window", unit=Unit.ONE),
        _column(
            "ratio",
            Type.FLOAT,
            "its time per step over that of the run before in the same series; without steps, its "
            "time; null for the first, and where only one of both has steps",
        ),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """How rows of a table are named: columns that a person writes, and the one that lasts."""

    names: tuple[str, ...]
    lasting: str
    times: tuple[str, ...] = ("time_ns",)


_KINDS: Mapping[str, _Kind] = {
    "op": _Kind(names=("name",), lasting="name"),
    "call": _Kind(names=("fingerprint", "call", "wrapper"), lasting="fingerprint"),
    "line": _Kind(names=("line",), lasting="code", times=("time_ns", "backward_ns")),
    "graph": _Kind(names=("fingerprint", "graph", "function"), lasting="fingerprint"),
}

KINDS = tuple(_KINDS)
"""What can be followed, in the order in which a name is looked for."""


def follow(
    place: Place,
    runs: Sequence[RunFacts],
    name: str,
    *,
    by: str | None = None,
    only: AbstractSet[str] | None = None,
    kins: Mapping[str, Kin] | None = None,
) -> pd.DataFrame:
    """The frame of FOLLOWED for the call, op, line (`file:line`) or graph of that name.

    `runs` are all of the store; `only` are the ids of those that count, `kins` their series by id:
    without them a branch and device is one. `by` is a word of KINDS;
    without it the first kind that knows the name is meant. `attrs` of the frame: `by`; `where`, the
    columns and values that were followed; `left_out`, the ids of damaged runs. Raises UsageError
    `nothing-to-follow` where no run knows the name, `ambiguous-name` where the newest one that does
    knows several; and as `history` does.
    """
    if by is not None and by not in KINDS:
        raise UsageError(
            "unknown-table", f"there is no history by {by!r}", f"Use one of {', '.join(KINDS)}."
        )
    for kind in KINDS if by is None else (by,):
        where = _meant(name, kind)
        if where is None:
            continue
        history_rows = _of_file(
            history(place, runs, BY[kind], where, any_of=True, only=only), name, kind
        )
        if not len(history_rows):
            continue
        lasting = _lasting(history_rows, name, kind)
        if lasting is not None and lasting != where:
            all_of_it = history(place, runs, BY[kind], lasting, only=only)
            all_of_it.attrs["where"] = lasting
            alike = _of_file(all_of_it, name, kind)
            if kind != "line" or len(_newest(alike)) == 1:  # else others have the same text
                history_rows = alike
        history_rows.attrs.setdefault("where", where)
        facts_by_id = {facts.id: facts for facts in runs}
        series = kins or {each.id: kin(Listed(facts=each, tags=each.tags)) for each in runs}
        return _frame(history_rows, kind, facts_by_id, series)
    raise UsageError(
        "nothing-to-follow",
        f"no run has {'a ' + by if by else 'an op, call, line or graph'} named {name!r}",
        "`kernelmap runs show latest --by call` shows names; a line is written file.py:12.",
    )


def _meant(name: str, kind: str) -> Mapping[str, Value] | None:
    """What any row that the name may mean has in one of its columns; None where it names none."""
    if kind != "line":
        return dict.fromkeys(_KINDS[kind].names, name)
    number = name.rpartition(":")[2]
    return {"line": int(number)} if number.isdecimal() and len(number) < 10 else None  # noqa: PLR2004 -- digits of a line


def _of_file(history_rows: pd.DataFrame, name: str, kind: str) -> pd.DataFrame:
    """The lines of the file that is named, by its path or the end of it."""
    if kind != "line":
        return history_rows
    file = name.rpartition(":")[0]
    ours = [
        each == file or each.endswith(("/" + file, "\\" + file)) for each in history_rows["file"]
    ]
    kept = history_rows[ours]
    kept.attrs = history_rows.attrs
    return kept


def _lasting(history_rows: pd.DataFrame, name: str, kind: str) -> Mapping[str, Value] | None:
    """What the newest run says of it that lasts; None where the name is all there is."""
    column = _KINDS[kind].lasting
    if bool((history_rows[column] == name).any()):
        return {column: name}
    rows = _records(_newest(history_rows))
    values = {_known(row[column]) for row in rows}
    if len(values) == 1:
        (value,) = values
        return None if value is None else {column: value}
    shown = [_candidate(row, kind) for row in rows[:_SHOWN]]
    more = f", and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    raise UsageError(
        "ambiguous-name",
        f"{name!r} may be {', '.join(shown)}{more}",
        "Give one of these; a fingerprint, in parentheses, is the same in all runs.",
    )


def _newest(history_rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the last run."""
    newest: pd.DataFrame = history_rows[history_rows["run"] == history_rows["run"].max()]
    return newest


def _records(history_rows: pd.DataFrame) -> list[Row]:
    return [
        {str(key): cell for key, cell in row.items()} for row in history_rows.to_dict("records")
    ]


def _frame(
    history_rows: pd.DataFrame, kind: str, runs: Mapping[str, RunFacts], kins: Mapping[str, Kin]
) -> pd.DataFrame:
    before: dict[Kin, Row] = {}
    rows: list[Row] = []
    for run_id, run_rows in groupby(
        _records(history_rows), itemgetter("run")
    ):  # which they are sorted by
        facts = runs[str(run_id)]
        of = kins[facts.id]
        row = _row(facts, list(run_rows), kind)
        row |= {"device": of.device, "tags": tag_words(of.tags) or None}
        row["ratio"] = _ratio(row, before.get(of))
        before[of] = row
        rows.append(row)
    frame = frame_of_rows(FOLLOWED, rows)
    frame.attrs = history_rows.attrs | {"by": kind}
    return frame


def _row(facts: RunFacts, run_rows: Sequence[Row], kind: str) -> Row:
    """What one run has of it, added up."""
    times = [sum(_int(row[column]) for column in _KINDS[kind].times) for row in run_rows]
    longest = run_rows[times.index(max(times))]
    counts = [row.get("launches") for row in run_rows]  # None in runs that did not keep them
    window, time_ns = facts.window, sum(times)
    steps = window.step_count
    return {
        "run": facts.id,
        "created": facts.created,
        "name": facts.name,
        "branch": facts.branch,
        "commit": facts.commit,
        "title": _title(longest, kind),
        "config": _known(longest.get("config")),
        "rows": len(run_rows),
        "launches": None if None in counts else sum(map(_int, counts)),
        "time_ns": time_ns,
        "steps": steps,
        "step_ns": None if steps is None else round(time_ns / steps),
        "share": time_ns / window.total_ns if window.total_ns else None,
    }


def _ratio(row: Row, before: Row | None) -> float | None:
    if before is None or (row["steps"] is None) != (before["steps"] is None):
        return None
    column = "time_ns" if row["steps"] is None else "step_ns"
    earlier = _int(before[column])
    return _int(row[column]) / earlier if earlier else None


def _title(row: Row, kind: str) -> str:
    if kind == "line":
        return f"{row['file']}:{row['line']}"
    if kind == "call":
        return str(row["wrapper"]) + (f" [{call}]" if (call := _known(row["call"])) else "")
    return str(row["graph" if kind == "graph" else "name"])


def _candidate(row: Row, kind: str) -> str:
    """A candidate, as it may be given."""
    if kind == "line":
        return _title(row, kind)
    return f"{row[kind]} ({_known(row['fingerprint']) or 'no fingerprint'})"


def _known(cell: Cell) -> str | None:
    return cell if isinstance(cell, str) else None


def _int(cell: Cell) -> int:
    if not isinstance(cell, int):
        raise TypeError(f"{cell!r} is no whole number")  # the schema says it is one
    return cell
