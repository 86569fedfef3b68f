"""What to set for the debug printer, and what it has left, as JSON: calls by their ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernelmap.debug_printer.chosen import Settings
from kernelmap.debug_printer.left_over import LeftOver, LogStory, SavedFile
from kernelmap.debug_printer.shown import sentences
from kernelmap.debug_printer.values import ValueRow
from kernelmap.tables.json import indent_json


def of_settings(settings: Settings) -> str:
    """The variables and the calls as one JSON object."""
    return indent_json(
        {
            "format": "kernelmap.debug-printer",
            "version": 1,
            "level": settings.level,
            "environment": dict(settings.variables),
            "assignments": settings.assignments,
            "calls": settings.chosen,
            "notices": settings.notices,
        }
    )


def of_left_over(left: LeftOver) -> str:
    """All of it as one JSON object; numbers that JSON lacks (NaN, Inf) become texts."""
    value = {
        "format": "kernelmap.printed",
        "version": 1,
        "log": _document_of_log(left, left.log) if left.log is not None else None,
        "files": None
        if left.files is None
        else [_document_of_file(left, file) for file in left.files],
        "notices": left.notices,
    }
    return indent_json(value)


def _document_of_log(left: LeftOver, log: LogStory) -> Mapping[str, object]:
    end, bad = log.end, log.first_bad
    return {
        "path": str(log.path),
        "levels": log.levels,
        "launches": log.launches,
        "runs": log.runs,
        "kernels": dict(log.heard),
        "story": sentences(left, log),
        "first_bad": bad
        and {
            **{name: getattr(bad, name) for name in ("bad", "kernel", "argument", "when")},
            "calls": _ids_of_calls(left, bad.calls),
            "run": bad.run,
            "line": bad.line,
            "suspects": _ids_of_calls(left, bad.suspects),
        },
        "end": end
        and {
            **{name: getattr(end, name) for name in ("kind", "kernel", "ordered", "run", "line")},
            "calls": [_document_of_call(left, at) for at in end.calls],
            "unfinished": end.unfinished,
            "next": None if end.next is None else _ids_of_calls(left, (end.next,))[0],
            "silent": _ids_of_calls(left, end.silent),
            "unheard": _ids_of_calls(left, end.unheard),
        },
        "tail": [
            {
                "calls": _ids_of_calls(left, line.calls),
                "kernel": line.kernel,
                "run": line.run,
                "line": line.line,
                "returned": line.returned,
            }
            for line in log.tail
        ],
        "values": [_document_of_row(left, row) for row in log.values],
    }


def _document_of_row(left: LeftOver, row: ValueRow) -> Mapping[str, object]:
    last = row.last
    return {
        "calls": _ids_of_calls(left, row.calls),
        **{name: getattr(row, name) for name in ("kernel", "argument", "when", "times")},
        **{name: getattr(last, name) for name in ("shape", "dtype", "elements", "device")},
        **{name: _json_number(getattr(row, name)) for name in ("low", "high")},
        "mean": _json_number(last.mean),
        "bad": row.bad,
        "bad_run": row.bad_run,
        "unset": row.unset,
    }


def _document_of_file(left: LeftOver, saved: SavedFile) -> Mapping[str, object]:
    return {
        "path": str(saved.file.path),
        "bytes": saved.file.size,
        "when": saved.file.when,
        "calls": [_document_of_call(left, at) for at in saved.name.calls],
        **{name: getattr(saved.name, name) for name in ("kernel", "argument", "device")},
        "tensor": saved.facts,
        "refused": saved.refused,
    }


def _document_of_call(left: LeftOver, at: int) -> Mapping[str, object]:
    graph, call = left.program.calls[at]
    return {
        "call": graph.call_id(call),
        "wrapper": call.wrapper,
        "ops": left.ops[at],
        "lines": left.lines[at],
    }


def _ids_of_calls(left: LeftOver, calls: Sequence[int]) -> list[str]:
    return [left.program.call_id(at) for at in calls]


def _json_number(value: float | None) -> float | str | None:
    """JSON has no NaN and no Inf; nothing is null that was printed."""
    return value if value is None or abs(value) < float("inf") else str(value)
