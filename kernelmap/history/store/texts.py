"""Runs as pages, JSON and CSV: the list, one run's facts, and what one thing took in each run.

Takes what listing.py gives, newest first, or the frame of following.py. The columns of JSON and CSV
are those of `RUNS` and of FOLLOWED; what comes from the input is escaped as everywhere.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from kernelmap.history.store.facts import FORMAT as RUN_FORMAT
from kernelmap.history.store.facts import FleetFacts
from kernelmap.history.store.following import FOLLOWED
from kernelmap.history.store.listing import Listed
from kernelmap.history.store.refs import CPU
from kernelmap.model.notices import Notice, format_count
from kernelmap.pages import csv
from kernelmap.pages.page import Bar, CellKind, Note, Page, PageColumn, PageRow, PageTable, Tone
from kernelmap.pages.text import format_duration, format_percent, make_visible
from kernelmap.tables import table as views
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.rows import Cell, Row
from kernelmap.tables.table import Type, Unit

if TYPE_CHECKING:
    import pandas as pd

FORMAT, VERSION = "kernelmap.runs", 1
_SHORT = 10  # characters of a commit

FOLLOWED_FORMAT, FOLLOWED_VERSION = "kernelmap.followed", 1


def _text(name: str, text: str, *, nullable: bool = True) -> views.Column:
    return views.Column(name=name, type=Type.TEXT, help=text, nullable=nullable)


def _int(name: str, text: str, unit: Unit | None = None) -> views.Column:
    return views.Column(name=name, type=Type.INT, help=text, unit=unit)


RUNS = views.Table(
    name="runs",
    row="one run of a store",
    order="time of recording, newest first",
    columns=(
        _text("run", "its id", nullable=False),
        _text("created", "when it was recorded, in UTC", nullable=False),
        _text("name", "the name that it was given"),
        _text("branch", "branch of the code that ran"),
        _text("commit", "commit of the code that ran"),
        views.Column(name="tags", type=Type.TEXTS, help="tags of now, key=value", nullable=True),
        _text("side", "gpu or cpu: whose time this is", nullable=False),
        _int("total_ns", "time of the window", Unit.NS),
        _int("launches", "launches in the window"),
        _int("invocations", "executions of graphs in the window"),
        _int("calls", "calls of the code"),
        views.Column(
            name="exact",
            type=Type.FLOAT,
            help="share of time that is exact; null where the window has none",
            unit=Unit.ONE,
            nullable=True,
        ),
        views.Column(name="gpus", type=Type.TEXTS, help="the devices' names", nullable=True),
        _text("torch", "version, where the inputs tell"),
        _text("triton", "version, where the inputs tell"),
        _text("kernelmap", "version that recorded it", nullable=False),
        _int("notices", "what could not be used, in number"),
        views.Column(
            name="steps",
            type=Type.INT,
            help="steps in the window; null where none are marked",
            nullable=True,
        ),
        views.Column(
            name="step_ns",
            type=Type.INT,
            help="total_ns over steps: the time of a mean step; null without steps",
            unit=Unit.NS,
            nullable=True,
        ),
    ),
)

A_STEP, WHOLE = "time a step", "whole time"
"""Headings: GPU time, or that of operators on a CPU, of a mean step and of everything recorded."""


_RUNS_SHOWN = (
    PageColumn(name="run", kind=CellKind.NAME),
    PageColumn(name="name", least=8, rank=2),
    PageColumn(name="branch", least=8, rank=1),
    PageColumn(name="commit", rank=3),
    PageColumn(name=A_STEP, kind=CellKind.NUMBER),
    PageColumn(name=WHOLE, kind=CellKind.NUMBER),
    PageColumn(name="exact", kind=CellKind.NUMBER, rank=4),
    PageColumn(name="launches", kind=CellKind.NUMBER, rank=6),
    PageColumn(name="device", least=8, rank=5),
    PageColumn(name="tags", least=8, rank=3),
)


def row(run: Listed) -> Row:
    """A run as a row of RUNS."""
    facts, window = run.facts, run.facts.window
    return {
        "run": facts.id,
        "created": facts.created,
        "name": facts.name,
        "branch": facts.branch,
        "commit": facts.commit,
        "tags": _tags(run.tags),
        "side": window.side,
        "total_ns": window.total_ns,
        "launches": window.launches,
        "invocations": window.invocations,
        "calls": window.calls,
        "exact": window.coverage.get("exact"),
        "gpus": list(facts.gpus),
        "torch": facts.torch,
        "triton": facts.triton,
        "kernelmap": facts.kernelmap,
        "notices": len(facts.notices),
        "steps": window.step_count,
        "step_ns": _step_ns(run),
    }


def page_of_runs(runs: Sequence[Listed], more: int) -> Page:
    """A row per run; `more` are runs that are not shown.

    What a step took is shown: recordings are of different length. Where no steps are marked, it is
    the time of all that was recorded.
    """
    shown = tuple(
        PageRow(
            cells=(
                *(run.id, run.facts.name or "", run.facts.branch or "", _commit(run)),
                *_times(run),
                *(_exact(run), f"{run.facts.window.launches:,}"),
                *(_device(run), ", ".join(_tags(run.tags))),
            )
        )
        for run in runs
    )
    table = PageTable(title="", columns=_RUNS_SHOWN, rows=shown, empty="No runs.")
    note = Note(lines=((f"… {more:,} more; --top shows them",),), tone=Tone.DIM, ours=True)
    return Page(title="", sections=(table.filled if runs else table, *([note] if more else [])))


def csv_text(runs: Sequence[Listed]) -> str:
    """A line per run with the columns of RUNS."""
    buffer = io.BytesIO()
    csv.write_rows(buffer, RUNS, map(row, runs))
    return buffer.getvalue().decode()


def json_text(runs: Sequence[Listed], notices: Sequence[Notice]) -> str:
    """One document, a run per line."""
    encode = msgspec.json.encode
    rows = b",\n".join(encode(row(run)) for run in runs)
    return (
        b'{\n"format": %b,\n"version": %d,\n"runs": [\n%b\n],\n"notices": %b\n}\n'
        % (encode(FORMAT), VERSION, rows, encode(list(notices)))
    ).decode()


def facts_json(run: Listed) -> str:
    """All that run.toml says, with the tags of now."""
    values = {"format": RUN_FORMAT, **msgspec.to_builtins(run.facts), "tags": run.tags}
    return msgspec.json.format(msgspec.json.encode(values), indent=1).decode() + "\n"


def facts_text(run: Listed) -> str:
    """All that a person would ask of a run before its tables, a fact per line."""
    return "".join(f"{key:<12}{make_visible(text)}\n" for key, text in _facts(run))


def _facts(run: Listed) -> Iterator[tuple[str, str]]:
    facts, window = run.facts, run.facts.window
    changed = " with changes that it lacks" if facts.changed else ""
    step_ns = _step_ns(run)
    steps = None if window.steps is None else f"{window.steps[0]} to {window.steps[1]}"
    invocations = format_count(window.invocations, "invocation")
    stated = (
        ("run", facts.id),
        ("created", facts.created),
        ("name", facts.name),
        ("branch", facts.branch),
        ("commit", None if facts.commit is None else facts.commit + changed),
        *(("tag", tag) for tag in _tags(run.tags)),
        ("ranks", None if facts.fleet is None else _ranks(facts.fleet)),
        ("time", f"{_time(run)} on the {window.side.upper()}, {_exact(run) or 'none'} exact"),
        ("a step", None if step_ns is None else format_duration(step_ns)),
        ("window", f"{format_count(window.launches, 'launch')} in {invocations}"),
        ("steps", steps),
        *(("device", gpu) for gpu in facts.gpus),
        *facts.versions.items(),
        ("kernelmap", facts.kernelmap),
        *(("table", f"{table.name}, {format_count(table.rows, 'row')}") for table in facts.tables),
        *(("input", f"{file.name}, sha256 {file.sha256}") for file in facts.inputs),
        *(("note", notice.message) for notice in facts.notices),
    )
    return ((key, value) for key, value in stated if value is not None)


def _ranks(fleet: FleetFacts) -> str:
    """`62 of 64, 3 slow; time and tables are those of rank 5, the median one`."""
    read = f"{fleet.read:,} of {fleet.expected:,}, {fleet.slow:,} slow"
    return f"{read}; time and tables are those of rank {fleet.reference}, the median one"


def _tags(tags: Mapping[str, str]) -> list[str]:
    return [f"{key}={value}" for key, value in sorted(tags.items())]


def _commit(run: Listed) -> str:
    commit = make_visible(run.facts.commit or "")[:_SHORT]
    return f"{commit}+" if commit and run.facts.changed else commit


def _time(run: Listed) -> str:
    return format_duration(run.facts.window.total_ns)


def _step_ns(run: Listed) -> int | None:
    """The time of a mean step, where steps are known."""
    window = run.facts.window
    return round(window.total_ns / window.step_count) if window.step_count else None


def _times(run: Listed) -> tuple[str, str]:
    """What a step took, or what everything took, each in its column."""
    step_ns = _step_ns(run)
    return ("", _time(run)) if step_ns is None else (format_duration(step_ns), "")


def _exact(run: Listed) -> str:
    return format_percent(run.facts.window.coverage.get("exact"))


def _device(run: Listed) -> str:
    names = ", ".join(dict.fromkeys(run.facts.gpus))
    return CPU if run.facts.window.side == "cpu" else names


def followed_page(frame: pd.DataFrame, more: int) -> Page:
    """A row per run, oldest first; `more` are older runs that are not shown.

    Its name and config stand where they change.
    """
    records = list(rows_of_frame(FOLLOWED, frame))
    # Times of a step where any run has steps, else those of whole recordings.
    step = "step_ns" if any(record["step_ns"] is not None for record in records) else "time_ns"
    times = [_number(record[step]) for record in records]
    # The longest bar is the longest time of all runs.
    longest = max((time for time in times if time), default=0)
    columns = (
        PageColumn(name="run", kind=CellKind.NAME),
        PageColumn(name="name", least=8, rank=4),
        PageColumn(name="branch", least=8, rank=2),
        PageColumn(name="tags", least=8, rank=3),
        PageColumn(name="device", least=8, rank=6),
        PageColumn(name=A_STEP if step == "step_ns" else WHOLE, kind=CellKind.NUMBER),
        PageColumn(name="least", kind=CellKind.NUMBER, rank=2),
        PageColumn(name="most", kind=CellKind.NUMBER, rank=2),
        PageColumn(name="ratio", kind=CellKind.NUMBER),
        PageColumn(name="share", kind=CellKind.NUMBER, rank=3),
        PageColumn(name="", kind=CellKind.BAR, rank=1),
        PageColumn(name=str(frame.attrs["by"]), least=16, rank=5),
        PageColumn(name="config", least=12, rank=6),
    )
    cells = zip(
        *(_column_cells(records, name) for name in ("run", "name", "branch", "tags")),
        _changes(records, "device"),
        ["" if time is None else format_duration(time) for time in times],
        *(
            [
                "" if (ns := _number(record[name])) is None else format_duration(ns)
                for record in records
            ]
            for name in ("least_ns", "most_ns")
        ),
        [_ratio(record["ratio"]) for record in records],
        [format_percent(_number(record["share"])) for record in records],
        [Bar(0, time / longest) if time else "" for time in times],
        _changes(records, "title"),
        _changes(records, "config"),
        strict=True,
    )
    table = PageTable(
        title="", columns=columns, rows=tuple(PageRow(cells=cell) for cell in cells)
    ).filled
    note = Note(lines=((f"… {more:,} older; -n shows them",),), tone=Tone.DIM, ours=True)
    return Page(title="", name=_heading(frame), sections=(*([note] if more else []), table))


def followed_csv(frame: pd.DataFrame) -> str:
    """A line per run with the columns of FOLLOWED."""
    buffer = io.BytesIO()
    csv.write_rows(buffer, FOLLOWED, rows_of_frame(FOLLOWED, frame))
    return buffer.getvalue().decode()


def followed_json(frame: pd.DataFrame) -> str:
    """One document, a run per line, with what was followed and what was passed over."""
    encode = msgspec.json.encode
    lines = b",\n".join(map(encode, rows_of_frame(FOLLOWED, frame)))
    by, where, notices = (encode(frame.attrs[key]) for key in ("by", "where", "notices"))
    return (
        b'{\n"format": %b,\n"version": %d,\n"by": %b,\n"where": %b,\n"runs": [\n%b\n],\n'
        b'"notices": %b\n}\n'
        % (encode(FOLLOWED_FORMAT), FOLLOWED_VERSION, by, where, lines, notices)
    ).decode()


def _heading(frame: pd.DataFrame) -> str:
    """What is followed, and by what: `call t [0_forward/3], by fingerprint 1c5fa9d02b7e`."""
    last = next(iter(rows_of_frame(FOLLOWED, frame.iloc[-1:])))
    alternatives = " or ".join(f"{key} {value}" for key, value in frame.attrs["where"].items())
    return make_visible(f"{frame.attrs['by']} {last['title']}, followed by {alternatives}")


def _column_cells(records: Sequence[Row], column: str) -> list[str]:
    return [make_visible(str(row[column] or "")) for row in records]


def _changes(records: Sequence[Row], column: str) -> list[str]:
    """The cells where they are other than in the line before; none where all are alike."""
    cells = _column_cells(records, column)
    alike = len(set(cells)) == 1
    before = [None, *cells[:-1]]
    return ["" if alike or cell == last else cell for cell, last in zip(cells, before, strict=True)]


def _number(cell: Cell) -> float | None:
    return cell if isinstance(cell, int | float) else None


def _ratio(cell: Cell) -> str:
    number = _number(cell)
    return "" if number is None else f"{number:.2f}x"
