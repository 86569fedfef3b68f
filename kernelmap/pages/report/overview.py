"""The first view: how much time, how sure, where it goes, and what to do next."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import asdict

from kernelmap.model.advice import Advice, Finding, Weight
from kernelmap.model.roofline import BESIDE_CALLS
from kernelmap.model.savings import Savings
from kernelmap.pages import savings as shown
from kernelmap.pages import wall
from kernelmap.pages.advice import say_size, say_verdict
from kernelmap.pages.columns import (
    VIEWS,
    say_busy_share,
    say_longest_run,
    say_steady_state,
    say_utilization,
    steadiest_kind,
)
from kernelmap.pages.one_table import facts_of_window, step_parts
from kernelmap.pages.report.packed import PackedTexts
from kernelmap.pages.report.shared import Content, op_address
from kernelmap.tables.build import Tables
from kernelmap.tables.rows import Cell, Columns, Row, name_of_line, whole_number, whole_numbers
from kernelmap.tables.schema import STEP_KINDS
from kernelmap.tables.speeds import step_headrooms

_TOP = 8
_SLOW = " launches slow_launches slow_ns"
_OF_KINDS = ("kind", "batch", "steps", "tokens", "time_ns", "share", "mean_ns", "run_first")
_ADVICE = 6
_SAVINGS = 6
_CALLS = 3  # of a saving that have a link


def data_of_overview(content: Content, texts: PackedTexts) -> object:  # noqa: ARG001 -- the views' signature
    """The heads of the tables, the ledger, what the steps could save, and what inputs lack."""
    tables, summary = content.tables, content.tables.summary
    op_headroom, line_headroom, call_headroom = (
        _step_headrooms(content, name) for name in ("ops", "lines", "calls")
    )
    return {
        "busy_ns": summary.busy_ns,
        "facts": [*summary.devices, *facts_of_window(summary)],
        "steps": [{"where": where, "time_ns": ns} for where, ns in step_parts(summary)],
        "sources": summary.sources,
        "ledger": _rows_of_ledger(tables),
        "ops": [
            {**row, "address": op_address(row), "step_headroom_ns": op_headroom(row)}
            for row in _first_rows(
                tables,
                "ops",
                "name origin time_ns share exclusive_ns involved_ns headroom_ns" + _SLOW,
            )
        ],
        "lines": [
            {**row, "name": name_of_line(row), "step_headroom_ns": line_headroom(row)}
            for row in _first_rows(
                tables,
                "lines",
                "file line code function_line time_ns backward_ns share headroom_ns" + _SLOW,
            )
        ],
        "more": {
            name: max(0, len(tables.columns(name)["share"]) - _TOP) for name in ("ops", "lines")
        },
        # The page has the calls in a table of their own, so only what that lacks is told.
        "calls_step_headroom_ns": [call_headroom(row) for row in tables.rows("calls", slice(_TOP))],
        "knows_steps": content.records is not None and content.records.speeds_in_steps is not None,
        "wall": _data_of_wall(tables),
        "step_kinds": _data_of_step_kinds(tables),
        "savings": None if tables.savings is None else _data_of_savings(tables.savings),
        "has_reasons": _has_reasons(content),
        "advice": None if content.records is None else _data_of_advice(content.records.advice),
        "notices": [
            {"message": notice.message, "hint": notice.hint, "gap": notice.gap}
            for notice in tables.notices
        ],
        "version": summary.version,
    }


def _rows_of_ledger(tables: Tables) -> list[Row]:
    """Time and launches of each confidence, on the side that is counted."""
    totals: dict[Cell, Row] = {}
    for row in tables.rows("ledger"):
        if row["side"] != tables.summary.side:
            continue
        into = totals.setdefault(
            row["bucket"], {"bucket": row["bucket"], "time_ns": 0, "launches": 0}
        )
        for name in ("time_ns", "launches"):
            into[name] = whole_number(into, name) + whole_number(row, name)
    return list(totals.values())


def _data_of_wall(tables: Tables) -> object:
    """The steps of each device with the time of each part and cause; None without a GPU."""
    columns = tables.columns("wall")
    wall_items = wall.items_of_wall(columns)
    if not wall_items:
        return None
    kinds = wall.totals_by_name(wall_items)
    # Each step on each device with a time for every kind, 0 where it has none, so that bars have
    # equal parts.
    steps: dict[tuple[object, ...], dict[str, int]] = {}
    rows = (
        map(wall.kind_of_row, columns["cause"], columns["part"]),
        whole_numbers(columns["time_ns"]),
    )
    for step, kind, time_ns in zip(wall.steps_of_rows(columns), *rows, strict=True):
        times = steps.setdefault(step, dict.fromkeys(kinds, 0))
        times[kind] += time_ns
    devices = len({step[:-1] for step in steps})
    starts = _first_events(columns, devices)
    return {
        "kinds": [
            {"kind": kind, "name": wall.NAMES[kind], "time_ns": time_ns}
            for kind, time_ns in kinds.items()
        ],
        "steps": [
            {
                "name": _words_of_step(step, devices),
                "step": step[-1],
                "times": list(times.values()),
            }
            for step, times in steps.items()
        ],
        "total_ns": sum(kinds.values()),
        "profiler": wall.say_profilers_part(tables, wall_items),
        "items": [
            asdict(item) | starts[item.kind, item.what, item.source, item.longest_ns]
            for item in wall_items
        ],
    }


def _data_of_step_kinds(tables: Tables) -> object:
    """A serving engine's steps by kind and batch, with the steady state; None without any."""
    rows = list(tables.rows(STEP_KINDS.name))
    if not rows:
        return None
    view, steady = VIEWS[STEP_KINDS.name], steadiest_kind(rows)
    return {
        "engines": sorted({str(row["engine"]) for row in rows if row["engine"] is not None}),
        "steady": say_steady_state(rows),
        "rows": [
            {
                **{name: row[name] for name in _OF_KINDS},
                "busy": say_busy_share(row),
                "mfu": say_utilization(row),
                "longest": say_longest_run(row),
                "is_steady": row is steady,
                "is_rest": view.is_rest(row),
            }
            for row in rows
        ],
    }


def _first_events(columns: Columns, devices: int) -> dict[tuple[str, str, str, object], Row]:
    """Where pieces begin, from the first event of the earliest trace: by kind, event, line, length.

    Of equal ones the first counts. `device` is told where there are several.
    """
    about = (columns[name] for name in ("cause", "part", "what", "source", "longest_ns"))
    starts: dict[tuple[str, str, str, object], Row] = {}
    for (cause, part, what, source, longest_ns), start_ns, step in zip(
        zip(*about, strict=True),
        columns["longest_start_ns"],
        wall.steps_of_rows(columns),
        strict=True,
    ):
        # The longest piece of an item is found by what the item is and by its length.
        key = wall.kind_of_row(cause, part), str(what or ""), str(source or ""), longest_ns
        device = " ".join(_words_of_device(step, devices)) or None
        starts.setdefault(key, {"start_ns": start_ns, "device": device})
    return starts


def _words_of_device(step: tuple[object, ...], devices: int) -> list[str]:
    """`rank 3` and `GPU 0`, where there are several devices."""
    rank, _, device, _ = step
    return [] if devices == 1 else [f"rank {rank}"] * (rank is not None) + [f"GPU {device}"]


def _words_of_step(step: tuple[object, ...], devices: int) -> str:
    """`step 3`, with its rank and device where there are several; `window` without steps."""
    number = step[-1]
    return " ".join(
        [*_words_of_device(step, devices), "window" if number is None else f"step {number}"]
    )


def _first_rows(tables: Tables, name: str, columns: str) -> list[Row]:
    """The first rows of a table that hold time; rest rows stand among them."""
    records = tables.rows(name, slice(_TOP))
    return [{column: row[column] for column in columns.split()} for row in records]


def _step_headrooms(content: Content, name: str) -> Callable[[Row], Cell]:
    """What gives the part of a row's headroom that could shorten steps: None where unknown."""
    if content.records is None or content.records.speeds_in_steps is None:
        return lambda row: None  # noqa: ARG005 -- what asks does not know that nothing is known
    return step_headrooms(content.records.program, content.records.speeds_in_steps, name)


def _has_reasons(content: Content) -> bool:
    """Whether the view Roofline says why calls have headroom."""
    speeds = content.records.speeds if content.records else None
    return speeds is not None and any(it.slug not in BESIDE_CALLS for it in speeds.reasons)


def _data_of_savings(savings: Savings) -> object:
    """The head of the list with what its time is, and how much the others could save."""
    head, others = savings.items[:_SAVINGS], savings.items[_SAVINGS:]
    return {
        "headline": savings.headline,
        "title": shown.title_of_list(savings),
        "about": savings.about,
        "items": [
            {
                "slug": saving.slug,
                "size": shown.say_size(saving, savings),
                "share": saving.share,
                "what": saving.finding,
                "do": saving.do,
                "calls": saving.calls[:_CALLS],
                "more_calls": max(0, len(saving.calls) - _CALLS),
            }
            for saving in head
        ],
        "more": len(others),
        "more_size": shown.a_step(sum(saving.saves_ns for saving in others), savings),
    }


def _data_of_advice(advice: Advice) -> object:
    """The findings that ask for a change, worst first, and the notes if there are none."""
    changing = [finding for finding in advice.findings if finding.weight is not Weight.NOTE]
    return {
        "verdict": say_verdict(advice),
        "findings": [_data_of_finding(finding, advice.side) for finding in changing[:_ADVICE]],
        "more": max(0, len(changing) - _ADVICE),
        "notes": [
            _data_of_finding(finding, advice.side)
            for finding in advice.findings
            if finding.weight is Weight.NOTE
        ],
    }


def _data_of_finding(finding: Finding, side: str | None) -> dict[str, object]:
    worst = finding.worst
    return {
        "what": finding.what,
        "then": finding.then,
        "do": finding.do,
        "size": say_size(finding, side),
        "time_ns": worst.time_ns if worst else None,
        "lost": finding.weight is Weight.LOST,
    }
