"""One call, op, line or graph by a name that a person knows → its time per step, run after run.

Names change between commits, what they stand for need not. So a name is looked up in the newest run
that has it, and followed from there by what lasts: calls and graphs by their fingerprint, lines by
their text. Where the code did not say that, the name itself is followed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from kernelmap.errors import UsageError
from kernelmap.history.store.facts import RunFacts
from kernelmap.history.store.history import Value, read_history
from kernelmap.history.store.listing import Listed
from kernelmap.history.store.place import Place
from kernelmap.history.store.ranks import OverRanks, over_ranks
from kernelmap.history.store.refs import Kin, kin, tag_words
from kernelmap.suggestions import one_of
from kernelmap.tables.frames import frame_of
from kernelmap.tables.rows import Row
from kernelmap.tables.schema import BY
from kernelmap.tables.table import Column, Table, Type, Unit

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 5  # candidates of an error
_OF_RUN = ("created", "name", "branch", "commit")


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
        _column("ranks", Type.INT, "of a fleet, whose times are medians: ranks that have it"),
        _column("least_ns", Type.INT, "of a fleet: step_ns of the fastest rank", unit=Unit.NS),
        _column("most_ns", Type.INT, "of a fleet: step_ns of the slowest rank", unit=Unit.NS),
    ),
)


class _FollowedKind(Struct, frozen=True, kw_only=True):
    """How rows of a table are named: columns that a person writes, and the one that lasts."""

    names: tuple[str, ...]
    lasting: str
    times: tuple[str, ...] = ("time_ns",)


_KINDS: Mapping[str, _FollowedKind] = {
    "op": _FollowedKind(names=("name",), lasting="name"),
    "call": _FollowedKind(names=("fingerprint", "call", "wrapper"), lasting="fingerprint"),
    "line": _FollowedKind(names=("line",), lasting="code", times=("time_ns", "backward_ns")),
    "graph": _FollowedKind(names=("fingerprint", "graph", "function"), lasting="fingerprint"),
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
        hint = one_of(by, KINDS, "Use one of")
        raise UsageError("unknown-table", f"there is no history by {by!r}", hint)
    for kind in KINDS if by is None else (by,):
        where = _meant(name, kind)
        if where is None:
            continue
        # The rows that bear this name in any column that a person writes, in all runs.
        history_rows = _of_file(
            read_history(place, runs, BY[kind], where, any_of=True, only=only), name, kind
        )
        if not len(history_rows):
            continue
        # What is followed is what stays when names change, such as the fingerprint.
        lasting = _lasting(history_rows, name, kind)
        if lasting is not None and lasting != where:
            all_of_it = read_history(place, runs, BY[kind], lasting, only=only)
            all_of_it.attrs["where"] = lasting
            alike = _of_file(all_of_it, name, kind)
            if kind != "line" or len(_newest(alike)) == 1:  # else others have the same text
                history_rows = alike
        history_rows.attrs.setdefault("where", where)
        facts_by_id = {facts.id: facts for facts in runs}
        series = kins or {run.id: kin(Listed(facts=run, tags=run.tags)) for run in runs}
        # Of runs of fleets, by run: median, least and most of the ranks.
        over = {
            str(run): over_ranks(place, facts_by_id[str(run)], kind, _plain(of_run))
            for run, of_run in history_rows.groupby("run")
            if facts_by_id[str(run)].fleet is not None
        }
        return _frame(history_rows, kind, facts_by_id, series, over)
    raise UsageError(
        "nothing-to-follow",
        f"no run has {'a ' + by if by else 'an op, call, line or graph'} named {name!r}",
        "`kernelmap runs show latest --by call` shows names; a line is written file.py:12.",
    )


def _plain(history_rows: pd.DataFrame) -> list[Row]:
    """The rows with None for what is missing."""
    plain: Any = history_rows.astype(object).where(history_rows.notna(), None)
    rows: list[Row] = plain.to_dict("records")
    return rows


def _meant(name: str, kind: str) -> Mapping[str, Value] | None:
    """Columns and values: a row of this name equals one of them; None for no such name."""
    if kind != "line":
        return dict.fromkeys(_KINDS[kind].names, name)
    number = name.rpartition(":")[2]
    if not (number.isdecimal() and len(number) < 10):  # noqa: PLR2004 -- digits of a line
        return None
    # A line is looked for by its number; the file is compared below, as it may be named by its end.
    # Of eager code functions are known: one is meant by the line where it begins.
    return {"line": int(number), "function_line": int(number)}


def _of_file(history_rows: pd.DataFrame, name: str, kind: str) -> pd.DataFrame:
    """The lines of the file that is named, by its path or the end of it."""
    if kind != "line":
        return history_rows
    file = name.rpartition(":")[0]
    ours = [
        path == file or path.endswith(("/" + file, "\\" + file)) for path in history_rows["file"]
    ]
    kept = history_rows[ours]
    kept.attrs = history_rows.attrs
    return kept


def _lasting(history_rows: pd.DataFrame, name: str, kind: str) -> Mapping[str, Value] | None:
    """The column and value by which the newest run's row is followed; None for the name alone."""
    # The name is one that lasts itself, such as a fingerprint or an op.
    column = _KINDS[kind].lasting
    if bool((history_rows[column] == name).any()):
        return {column: name}
    # Several rows of the newest run may bear the name; all must agree in what lasts.
    newest = _newest(history_rows)
    values = newest[column].drop_duplicates().to_list()
    # Null, where the code did not say what lasts: then the name alone is followed.
    if len(values) == 1:
        return {column: values[0]} if isinstance(values[0], str) else None
    shown = _candidates(newest.head(_SHOWN), kind)
    more = f", and {len(newest) - _SHOWN} more" if len(newest) > _SHOWN else ""
    raise UsageError(
        "ambiguous-name",
        f"{name!r} may be {', '.join(shown)}{more}",
        "Give one of these; a fingerprint, in parentheses, is the same in all runs.",
    )


def _newest(history_rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the last run."""
    newest: pd.DataFrame = history_rows[history_rows["run"] == history_rows["run"].max()]
    return newest


def _frame(
    history_rows: pd.DataFrame,
    kind: str,
    runs: Mapping[str, RunFacts],
    kins: Mapping[str, Kin],
    over: Mapping[str, OverRanks | None],
) -> pd.DataFrame:
    """A row per run: what it has of it, added up, under the title of its longest part.

    Of a fleet that is what the median of its ranks has.
    """
    # The run's id and the time of each row in ns; (rows,).
    run = history_rows["run"]
    times = history_rows[list(_KINDS[kind].times)].sum(axis=1)
    # One row per run, the one with the most time: it gives title and config. Ids sort by time, so
    # all columns below are in the order of runs, oldest first.
    longest = history_rows.loc[times.groupby(run).idxmax()]
    facts = [runs[run_id] for run_id in longest["run"]]
    windows = [run.window for run in facts]
    series = [kins[run.id] for run in facts]
    steps = [window.step_count for window in windows]
    of_ranks = [over.get(run.id) for run in facts]
    # Per run, the ns of all its rows; of a fleet, the median rank's time a step, times the steps.
    time_ns = [
        time if ranks is None else ranks.median_ns * (count or 1)
        for time, count, ranks in zip(times.groupby(run).sum(), steps, of_ranks, strict=True)
    ]
    # Ns a step, None where the run has no steps.
    step_ns = [
        None if count is None else round(time / count)
        for time, count in zip(time_ns, steps, strict=True)
    ]
    shares = [
        time / window.total_ns if window.total_ns else None
        for time, window in zip(time_ns, windows, strict=True)
    ]
    frame = frame_of(
        FOLLOWED,
        {
            **{key: [getattr(run, key) for run in facts] for key in _OF_RUN},
            "run": [run.id for run in facts],
            "device": [of.device for of in series],
            "tags": [tag_words(of.tags) or None for of in series],
            "title": _titles(longest, kind),
            "config": longest["config"] if "config" in longest else [None] * len(facts),
            "rows": times.groupby(run).size().to_list(),
            "launches": _launches(history_rows) or [None] * len(facts),
            "time_ns": time_ns,
            "steps": steps,
            "step_ns": step_ns,
            "share": shares,
            "ratio": _ratios(series, time_ns, step_ns),
            **{
                name: [None if ranks is None else getattr(ranks, name) for ranks in of_ranks]
                for name in ("ranks", "least_ns", "most_ns")
            },
        },
    )
    frame.attrs = history_rows.attrs | {"by": kind}
    return frame


def _titles(rows: pd.DataFrame, kind: str) -> pd.Series[str]:
    """What the rows are called, as a person may give it."""
    if kind == "line":
        of_function = rows["file"] + ": " + rows["code"]
        return (rows["file"] + ":" + rows["line"].astype("string")).fillna(of_function)
    if kind == "call":
        return rows["wrapper"] + (" [" + rows["call"] + "]").fillna("")
    return rows["graph" if kind == "graph" else "name"]


def _launches(history_rows: pd.DataFrame) -> list[int | None]:
    """The launches of each run, None where it did not keep them; empty for a table without."""
    if "launches" not in history_rows:
        return []
    by_run = history_rows["launches"].groupby(history_rows["run"])
    # Per run: the sum, how many rows state a count, and how many rows there are.
    counts = zip(by_run.sum(), by_run.count(), by_run.size(), strict=True)
    return [int(total) if kept == rows else None for total, kept, rows in counts]


def _ratios(
    series: Sequence[Kin], time_ns: Sequence[int], step_ns: Sequence[int | None]
) -> list[float | None]:
    """Each time over that of the run before in its series; None where they are not comparable."""
    # By series, the latest time and whether it is that of a step.
    latest: dict[Kin, tuple[bool, int]] = {}
    ratios = []
    for of, time, step in zip(series, time_ns, step_ns, strict=True):
        has_steps, value = step is not None, time if step is None else step
        had_steps, earlier = latest.get(of, (has_steps, 0))
        ratios.append(value / earlier if earlier and had_steps == has_steps else None)
        latest[of] = has_steps, value
    return ratios


def _candidates(rows: pd.DataFrame, kind: str) -> list[str]:
    """What may be given instead of a name that several rows bear."""
    if kind == "line":
        return _titles(rows, kind).to_list()
    names = rows[kind].fillna(rows[_KINDS[kind].names[-1]])
    return (names + " (" + rows["fingerprint"].fillna("no fingerprint") + ")").to_list()
