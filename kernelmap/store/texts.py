"""Runs as texts: the list in four forms, one run's facts, and what one thing took in each run.

Takes what listing.py gives, newest first, or the frame of following.py; gives a rich Text, JSON,
CSV or Markdown. The columns of JSON and CSV are those of `RUNS` and of FOLLOWED; what comes from
the input is escaped as everywhere.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import msgspec

from kernelmap.model.notices import Notice, count
from kernelmap.outputs import csv
from kernelmap.outputs.layout import Bars, Part, draw, from_zero
from kernelmap.outputs.markdown import code, line
from kernelmap.present.text import duration, percent, visible
from kernelmap.store.following import FOLLOWED
from kernelmap.store.listing import Listed
from kernelmap.store.refs import CPU
from kernelmap.views.frames import Cell, Row, rows
from kernelmap.views.table import Column, Table, Type, Unit

if TYPE_CHECKING:
    import pandas as pd
    from rich.text import Text

FORMAT, VERSION = "kernelmap.runs", 1
_SHORT = 10  # characters of a commit

FOLLOWED_FORMAT, FOLLOWED_VERSION = "kernelmap.followed", 1


def _text(name: str, text: str, *, nullable: bool = True) -> Column:
    return Column(name=name, type=Type.TEXT, help=text, nullable=nullable)


def _int(name: str, text: str, unit: Unit | None = None) -> Column:
    return Column(name=name, type=Type.INT, help=text, unit=unit)


RUNS = Table(
    name="runs",
    row="one run of a store",
    order="time of recording, newest first",
    columns=(
        _text("run", "its id", nullable=False),
        _text("created", "when it was recorded, in UTC", nullable=False),
        _text("name", "the name that it was given"),
        _text("branch", "branch of the code that ran"),
        _text("commit", "commit of the code that ran"),
        Column(name="tags", type=Type.TEXTS, help="tags of now, key=value", nullable=True),
        _text("side", "gpu or cpu: whose time this is", nullable=False),
        _int("total_ns", "time of the window", Unit.NS),
        _int("launches", "launches in the window"),
        _int("invocations", "executions of graphs in the window"),
        _int("calls", "calls of the code"),
        Column(
            name="exact",
            type=Type.FLOAT,
            help="share of time that is exact; null where the window has none",
            unit=Unit.ONE,
            nullable=True,
        ),
        Column(name="gpus", type=Type.TEXTS, help="the devices' names", nullable=True),
        _text("torch", "version, where the inputs tell"),
        _text("triton", "version, where the inputs tell"),
        _text("kernelmap", "version that recorded it", nullable=False),
        _int("notices", "what could not be used, in number"),
    ),
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
    }


def table(runs: Sequence[Listed], more: int, width: int) -> Text:
    """A line per run in `width` characters; `more` are runs that are not shown."""
    from rich.text import Text

    if not runs:
        return Text("No runs.\n", "dim")
    parts = [
        Part(header="run", cells=[run.id for run in runs], style="bold"),
        Part(header="name", cells=_cells(run.facts.name for run in runs), least=8, rank=2),
        Part(header="branch", cells=_cells(run.facts.branch for run in runs), least=8, rank=1),
        Part(header="commit", cells=[_commit(run) for run in runs], rank=3),
        Part(header="time", cells=[_time(run) for run in runs], right=True),
        Part(header="exact", cells=[_exact(run) for run in runs], right=True, rank=4),
        Part(header="launches", cells=[_launches(run) for run in runs], right=True, rank=6),
        Part(header="device", cells=_cells(_device(run) for run in runs), least=8, rank=5),
        Part(header="tags", cells=_cells(", ".join(_tags(r.tags)) for r in runs), least=8, rank=3),
    ]
    shown = [part for part in parts if any(part.cells)]
    lines = draw(shown, width, [False] * len(runs))
    if more:
        lines.append(Text(f"… {more:,} more; --top shows them", "dim"))
    return Text("\n").join([*lines, Text()])


def markdown(runs: Sequence[Listed], more: int) -> str:
    """The same for a page."""
    head = ["run", "name", "branch", "commit", "time", "exact", "tags"]
    lines = [line(head), line(["---", "---", "---", "---", "---:", "---:", "---"])]
    for run in runs:
        texts = (run.facts.name, run.facts.branch, _commit(run))
        named = [code(text or "", empty="") for text in texts]
        tags = code(", ".join(_tags(run.tags)), empty="")
        lines.append(line([code(run.id), *named, _time(run), _exact(run), tags]))
    return "\n".join([*lines, *([f"\n… {more:,} more"] if more else []), ""])


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
    values = asdict(run.facts) | {"tags": run.tags}
    return msgspec.json.format(msgspec.json.encode(values), indent=1).decode() + "\n"


def facts_text(run: Listed) -> str:
    """All that a person would ask of a run before its tables, a fact per line."""
    return "".join(f"{key:<12}{visible(text)}\n" for key, text in _facts(run))


def _facts(run: Listed) -> Iterator[tuple[str, str]]:
    facts, window = run.facts, run.facts.window
    changed = " with changes that it lacks" if facts.changed else ""
    steps = None if window.steps is None else f"{window.steps[0]} to {window.steps[1]}"
    invocations = count(window.invocations, "invocation")
    stated = (
        ("run", facts.id),
        ("created", facts.created),
        ("name", facts.name),
        ("branch", facts.branch),
        ("commit", None if facts.commit is None else facts.commit + changed),
        *(("tag", tag) for tag in _tags(run.tags)),
        ("time", f"{_time(run)} on the {window.side.upper()}, {_exact(run) or 'none'} exact"),
        ("window", f"{count(window.launches, 'launch')} in {invocations}"),
        ("steps", steps),
        *(("device", gpu) for gpu in facts.gpus),
        ("torch", facts.torch),
        ("triton", facts.triton),
        ("cuda", facts.cuda),
        ("rocm", facts.rocm),
        ("kernelmap", facts.kernelmap),
        *(("table", f"{each.name}, {count(each.rows, 'row')}") for each in facts.tables),
        *(("input", f"{each.name}, sha256 {each.sha256}") for each in facts.inputs),
        *(("note", notice.message) for notice in facts.notices),
    )
    return ((key, value) for key, value in stated if value is not None)


def _tags(tags: Mapping[str, str]) -> list[str]:
    return [f"{key}={value}" for key, value in sorted(tags.items())]


def _cells(values: Iterator[str | None]) -> list[str]:
    return [visible(value or "") for value in values]


def _commit(run: Listed) -> str:
    commit = visible(run.facts.commit or "")[:_SHORT]
    return f"{commit}+" if commit and run.facts.changed else commit


def _time(run: Listed) -> str:
    return duration(run.facts.window.total_ns)


def _exact(run: Listed) -> str:
    return percent(run.facts.window.coverage.get("exact"))


def _launches(run: Listed) -> str:
    return f"{run.facts.window.launches:,}"


def _device(run: Listed) -> str:
    names = ", ".join(dict.fromkeys(run.facts.gpus))
    return CPU if run.facts.window.side == "cpu" else names


def followed_table(frame: pd.DataFrame, more: int, width: int) -> Text:
    """A line per run, oldest first; `more` are older runs that are not shown.

    Its name and config stand where they change.
    """
    from rich.text import Text

    followed = list(rows(FOLLOWED, frame))
    step = "step_ns" if any(row["step_ns"] is not None for row in followed) else "time_ns"
    times = [_number(row[step]) for row in followed]
    parts = [
        Part(header="run", cells=_column_cells(followed, "run"), style="bold"),
        Part(header="name", cells=_column_cells(followed, "name"), least=8, rank=4),
        Part(header="branch", cells=_column_cells(followed, "branch"), least=8, rank=2),
        Part(header="tags", cells=_column_cells(followed, "tags"), least=8, rank=3),
        Part(header="device", cells=_changes(followed, "device"), least=8, rank=6),
        Part(
            header="a step" if step == "step_ns" else "time",
            cells=["" if time is None else duration(time) for time in times],
            right=True,
        ),
        Part(header="ratio", cells=[_ratio(row["ratio"]) for row in followed], right=True),
        Part(
            header="share",
            cells=[percent(_number(row["share"])) for row in followed],
            right=True,
            rank=3,
        ),
        Bars(header="", values=from_zero(times), style="cyan", rank=1),
        Part(header=str(frame.attrs["by"]), cells=_changes(followed, "title"), least=16, rank=5),
        Part(header="config", cells=_changes(followed, "config"), least=12, rank=6),
    ]
    shown = [part for part in parts if isinstance(part, Bars) or any(part.cells)]
    lines = [Text(_heading(frame), "bold"), Text(), *draw(shown, width, [False] * len(followed))]
    if more:
        lines.insert(2, Text(f"… {more:,} older; -n shows them", "dim"))
    return Text("\n").join([*lines, Text()])


def followed_csv(frame: pd.DataFrame) -> str:
    """A line per run with the columns of FOLLOWED."""
    buffer = io.BytesIO()
    csv.write_rows(buffer, FOLLOWED, rows(FOLLOWED, frame))
    return buffer.getvalue().decode()


def followed_json(frame: pd.DataFrame) -> str:
    """One document, a run per line, with what was followed and what was passed over."""
    encode = msgspec.json.encode
    lines = b",\n".join(map(encode, rows(FOLLOWED, frame)))
    by, where, notices = (encode(frame.attrs[key]) for key in ("by", "where", "notices"))
    return (
        b'{\n"format": %b,\n"version": %d,\n"by": %b,\n"where": %b,\n"runs": [\n%b\n],\n'
        b'"notices": %b\n}\n'
        % (encode(FOLLOWED_FORMAT), FOLLOWED_VERSION, by, where, lines, notices)
    ).decode()


def _heading(frame: pd.DataFrame) -> str:
    """What is followed, and by what: `call t [0_forward/3], by fingerprint 1c5fa9d02b7e`."""
    last = next(iter(rows(FOLLOWED, frame.iloc[-1:])))
    alternatives = " or ".join(f"{key} {value}" for key, value in frame.attrs["where"].items())
    return visible(f"{frame.attrs['by']} {last['title']}, followed by {alternatives}")


def _column_cells(followed: Sequence[Row], column: str) -> list[str]:
    return [visible(str(row[column] or "")) for row in followed]


def _changes(followed: Sequence[Row], column: str) -> list[str]:
    """The cells where they are other than in the line before; none where all are alike."""
    cells = _column_cells(followed, column)
    alike = len(set(cells)) == 1
    before = [None, *cells[:-1]]
    return ["" if alike or cell == last else cell for cell, last in zip(cells, before, strict=True)]


def _number(cell: Cell) -> float | None:
    return cell if isinstance(cell, int | float) else None


def _ratio(cell: Cell) -> str:
    number = _number(cell)
    return "" if number is None else f"{number:.2f}x"
