"""One rank: its files → the ordinary tables of a correlation, and small tables for the fleet.

This is what a worker runs. It takes names of files that the worker can read, and gives tables that
do not grow with the trace but with its steps, calls and collectives.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
from msgspec import Struct, field

from kernelmap.bearing import Question, find_refusals, refuse
from kernelmap.correlation import Correlation
from kernelmap.errors import KernelmapError
from kernelmap.facts.communication import ONE_TO_ONE
from kernelmap.fleet.files import fetch_file, identify_content
from kernelmap.fleet.timeline import build_timeline
from kernelmap.options import Options
from kernelmap.pages import report
from kernelmap.pipeline import correlate_apart
from kernelmap.tables import json
from kernelmap.tables.fleet import OUTSIDE, RANK
from kernelmap.tables.frames import ARROW, Array
from kernelmap.tables.rows import Cell, Row, name_of_line, whole_number
from kernelmap.tables.table import Table
from kernelmap.version import VERSION

FORMAT = 15
"""Counts how often the meaning of what is kept changed: older entries are not read."""
_ENDS = 64
"""Of collectives, by which ranks are aligned: these travel to the client for every rank. With fewer
than the shifts that are tried (alignment.py) no shift could be told. Chosen."""
_CUT = ("trace-truncated", "trace-damaged")


class RankTask(Struct, frozen=True, kw_only=True):
    """What a worker needs: a rank, its files by path or URL, and how to read them.

    `shared` are files and folders of code that all ranks ran. `complete_steps` are the first and
    the last step that the rank's capture recorded whole, None where no manifest says. `anyway`
    reads it though it bears no figures.
    """

    rank: int
    files: tuple[str, ...]
    shared: tuple[str, ...] = ()
    options: Options = field(default_factory=Options)
    complete_steps: tuple[int, int] | None = None
    anyway: bool = False

    def key(self) -> str:
        """What the result depends on, as a digest: content of inputs, options, version.

        Raises KernelmapError where a file cannot be read.
        """
        options = self.options
        facts = [FORMAT, VERSION, self.rank, options.steps, self.complete_steps]
        facts += [options.side.value, self.anyway]
        inputs = [identify_content(name) for name in (*self.files, *self.shared)]
        return hashlib.sha256(repr((facts, inputs)).encode()).hexdigest()[:32]


class RankFacts(Struct, frozen=True, kw_only=True):
    """What is known of a rank that was read; small enough to travel to the client.

    `gpus` is how many GPUs its profile lists, 0 where it lists none. `processes` is how many its
    report recorded. Of each process group, `counts` is how many collectives it has in each step,
    `ends` are the ends of the first ones in ns.
    """

    rank: int
    device: str | None
    gpus: int = 0
    side: str
    steps: int
    launches: int
    total_ns: int
    collectives: int
    counts: Mapping[str, Mapping[int, int]]
    ends: Mapping[str, Sequence[int]]
    processes: int
    code: str
    sources: tuple[str, ...]


class RankResult(Struct, frozen=True):
    """The correlation of one rank and its small tables, by the names of tables.fleet.RANK."""

    facts: RankFacts
    correlation: Correlation
    tables: Mapping[str, Array]


def read_rank(task: RankTask) -> list[RankResult]:
    """Run the pipeline on one rank; a report of several processes gives a result for each.

    Raises KernelmapError where its files cannot be used.
    """
    # A fleet shows neither the work of calls nor the rows of wall time, a third of a rank's time;
    # steps and idleness are asked of the wall time itself (timeline.py).
    with _correlate_processes(
        task, replace(task.options, wall=False, work=False, memory=False)
    ) as correlations:
        return [
            _result_of_process(task, correlation, len(correlations)) for correlation in correlations
        ]


@contextmanager
def _correlate_processes(task: RankTask, options: Options) -> Iterator[list[Correlation]]:
    """The results of a rank's processes, while its files are here."""
    with ExitStack() as stack:
        local = [stack.enter_context(fetch_file(name)) for name in (*task.files, *task.shared)]
        yield list(correlate_apart(*local, options=options, complete_steps=task.complete_steps))


def _result_of_process(task: RankTask, correlation: Correlation, processes: int) -> RankResult:
    _require_whole(correlation)
    if not task.anyway:
        _require_bearing(correlation)
    lines = build_timeline(correlation.trace, correlation.matching, correlation.attribution)
    rows = list(_iter_rows(correlation))
    tables = {
        name: table_of(table, [{"rank": task.rank, **row} for row in given])
        for (name, table), given in zip(
            RANK.items(), (lines.steps, lines.gaps, lines.collectives, rows), strict=True
        )
    }
    summary = correlation.summary
    # Ranks that ran the same graphs have the same digest, whatever order they ran in.
    graphs = sorted(str(row["key"]) for row in rows if row["by"] == "graph")
    facts = RankFacts(
        rank=task.rank,
        device=", ".join(summary.devices) or None,
        gpus=max((device.listed for device in correlation.trace.devices), default=0),
        side=summary.side,
        # A profile without steps has one row, step -1, and counts no step.
        steps=sum(row["step"] != -1 for row in lines.steps),
        launches=summary.launches,
        total_ns=summary.total_ns,
        collectives=len(lines.collectives),
        counts=_count_collectives(lines.collectives),
        ends=_ends_of_collectives(lines.collectives),
        processes=processes,
        code=hashlib.sha256("\n".join(graphs).encode()).hexdigest()[:16],
        sources=tuple(Path(name).name for name in task.files),
    )
    # Versions are read from the inputs, which are here now: copies of remote ones go afterwards.
    _ = correlation.tables.configuration
    return RankResult(facts=facts, correlation=correlation, tables=tables)


def _count_collectives(collectives: Sequence[Row]) -> dict[str, dict[int, int]]:
    """How many collectives that all ranks of a group have there are, by group and step.

    What goes between two ranks has positions of its own, and says nothing of the others.
    """
    counts: dict[str, dict[int, int]] = {}
    for row in collectives:
        steps = counts.setdefault(str(row["group"]), {})
        if row["name"] in ONE_TO_ONE:
            continue
        step = whole_number(row, "step")
        # Positions count from 0, so the highest one of a step tells how many collectives it has.
        steps[step] = max(whole_number(row, "position") + 1, steps.get(step, 0))
    return counts


def _ends_of_collectives(collectives: Sequence[Row]) -> dict[str, list[int]]:
    """The ends of the first collectives that all ranks of a group have, by step and position."""
    ends: dict[str, list[int]] = {}
    for row in sorted(
        collectives, key=lambda row: (whole_number(row, "step"), whole_number(row, "position"))
    ):
        of_group = ends.setdefault(str(row["group"]), [])
        # Sends and receives end on two ranks only, and say nothing of the clocks of others.
        if row["name"] not in ONE_TO_ONE and len(of_group) < _ENDS:
            of_group.append(whole_number(row, "start_ns") + whole_number(row, "dur_ns"))
    return ends


class WholeTask(Struct, frozen=True):
    """A rank to be read once more: the task that reads it, and its place in the task's results."""

    rank: int
    task: RankTask
    process: int


def whole_result(wanted: WholeTask) -> bytes:
    """All tables of a rank as JSON. The tables that are kept lack wall time and work.

    Raises KernelmapError as `read_rank`.
    """
    handle = io.BytesIO()
    with _correlate_processes(wanted.task, wanted.task.options) as correlations:
        json.write_json(correlations[wanted.process].tables, handle)
    return handle.getvalue()


def report_of(wanted: WholeTask) -> bytes:
    """The report of a rank, a page of HTML. Raises KernelmapError as `read_rank`."""
    with _correlate_processes(wanted.task, wanted.task.options) as correlations:
        correlation = correlations[wanted.process]
        content = report.Content(
            tables=correlation.tables, records=correlation.records, name=f"rank {wanted.rank}"
        )
        return report.render_report(content).encode("utf-8", "backslashreplace")


def _require_whole(correlation: Correlation) -> None:
    """Raise KernelmapError where a trace ends early: its steps are not those of other ranks."""
    for notice in correlation.notices:
        if notice.slug in _CUT:
            raise KernelmapError(
                "rank-incomplete",
                f"its steps cannot be compared with others: {notice.message}",
                "Copy the trace again from where it was recorded.",
            )


def _require_bearing(correlation: Correlation) -> None:
    """Raise RefusedError where its times cannot be held against those of other ranks.

    A rank that lost kernels would be the fastest one, and all others slow. Code that it did not run
    is no reason: its steps took what they took, and it has no rows of calls.
    """
    for notice in find_refusals(correlation.notices, Question.TIME):
        raise refuse(notice)


def table_of(table: Table, rows: Sequence[Row]) -> Array:
    """Rows as an Arrow table with the columns of `table`."""
    fields = [pa.field(column.name, ARROW[column.type]) for column in table.columns]
    columns = [
        pa.array([row[column.name] for row in rows], ARROW[column.type]) for column in table.columns
    ]
    return pa.table(columns, schema=pa.schema(fields))


def _iter_rows(correlation: Correlation) -> Iterator[Row]:
    """Calls, ops, lines and graphs of one rank with what ranks may differ in."""
    tables = correlation.tables
    for row in tables.rows("calls"):
        if row["call"] is not None:
            yield _make_row("call", row, _key_of_row(row, "call"), str(row["call"])) | {
                "graph": row["graph"],
                "kernel": _kernels_of_call(row),
                "config": row["config"],
            }
    for row in tables.rows("ops"):
        # An operator may run in compiled code and outside of it: two rows, which need two keys.
        outside = OUTSIDE if row["origin"] == "outside" else ""
        name = f"{row['name']}{outside}"
        yield _make_row("op", row, name, name)
    for row in tables.rows("lines"):
        name = name_of_line(row)
        # The table of lines keeps forward and backward apart; ranks are compared by both together.
        yield _make_row("line", row, name, name) | {
            "time_ns": whole_number(row, "time_ns") + whole_number(row, "backward_ns")
        }
    first = _first_steps(correlation)
    for row in tables.rows("graphs"):
        name = str(row["graph"])
        # Rows in parentheses hold the time of no graph.
        if not name.startswith("("):
            yield _make_row("graph", row, _key_of_row(row, "graph"), name) | {
                "cache": row["cache"],
                "compilation": _number_of_compilation(row),
                "failed_guard": row["failed_guard"],
                "first_step": first.get(name),
            }


def _make_row(by: str, row: Row, key: str, name: str) -> Row:
    return {
        "by": by,
        "key": key,
        "name": name,
        "graph": None,
        "launches": whole_number(row, "launches")
        if "launches" in row
        else whole_number(row, "invocations"),
        "time_ns": whole_number(row, "time_ns"),
        "kernel": None,
        "config": None,
        "cache": None,
        "compilation": None,
        "failed_guard": None,
        "first_step": None,
    }


def _key_of_row(row: Row, name: str) -> str:
    """The identity of a row on every rank: its fingerprint, else its name."""
    return str(row["fingerprint"] or row[name])


def _kernels_of_call(row: Row) -> Cell:
    """The kernels that ran a call, in no order, with the digest of their code where it is given."""
    names = row["device_names"]
    # Sorted, because the table has the device names by their time, which differs from rank to rank.
    ran = " + ".join(sorted(names)) if isinstance(names, list) else ""
    parts = [str(part) for part in (ran, row["body"]) if part]
    return " ".join(parts) or None


def _number_of_compilation(row: Row) -> int | None:
    """The number of a graph among the compilations of its function, from 1; None if unknown.

    The log states it, else the compile id does.
    """
    if row["compilation"] is not None:
        return whole_number(row, "compilation")
    # `0/1` is the second compilation of function 0; of several ids the first one counts.
    numbers = str(row["compile_id"] or "").partition(",")[0].rpartition("/")[2]
    return int(numbers) + 1 if numbers.isdecimal() else None


def _first_steps(correlation: Correlation) -> dict[str, int]:
    """The first counted step in which a launch of each graph lies."""
    attribution, matching = correlation.attribution, correlation.matching
    graphs = [graph.id for graph, _ in correlation.program.calls]
    # Launches of the window that belong to a call and lie in a step; (launches,).
    rows = attribution.counted & (matching.call >= 0) & (attribution.step >= 0)
    first: dict[str, int] = {}
    for call, step in zip(
        matching.call[rows].tolist(), attribution.step[rows].tolist(), strict=True
    ):
        name = graphs[call]
        first[name] = min(step, first.get(name, step))
    return first
