"""What to set for the debug printer, and what it has left, as JSON: calls by their ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernelmap.outputs.json import indented
from kernelmap.printing.chosen import Settings
from kernelmap.printing.left_over import LeftOver, LogStory, SavedFile
from kernelmap.printing.shown import sentences
from kernelmap.printing.values import ValueRow


def of_settings(settings: Settings) -> str:
    """The variables and the calls as one JSON object."""
    return indented(
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
        "log": _log(left, left.log) if left.log is not None else None,
        "files": None if left.files is None else [_file(left, file) for file in left.files],
        "notices": left.notices,
    }
    return indented(value)


def _log(left: LeftOver, log: LogStory) -> Mapping[str, object]:
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
            "calls": _named(left, bad.calls),
            "run": bad.run,
            "line": bad.line,
            "suspects": _named(left, bad.suspects),
        },
        "end": end
        and {
            **{name: getattr(end, name) for name in ("kind", "kernel", "ordered", "run", "line")},
            "calls": [_about(left, at) for at in end.calls],
            "unfinished": end.unfinished,
            "next": None if end.next is None else _named(left, (end.next,))[0],
            "silent": _named(left, end.silent),
            "unheard": _named(left, end.unheard),
        },
        "tail": [
            {
                "calls": _named(left, line.calls),
                "kernel": line.kernel,
                "run": line.run,
                "line": line.line,
                "returned": line.returned,
            }
            for line in log.tail
        ],
        "values": [_row(left, row) for row in log.values],
    }


def _row(left: LeftOver, row: ValueRow) -> Mapping[str, object]:
    last = row.last
    return {
        "calls": _named(left, row.calls),
        **{name: getattr(row, name) for name in ("kernel", "argument", "when", "times")},
        **{name: getattr(last, name) for name in ("shape", "dtype", "elements", "device")},
        **{name: _json(getattr(row, name)) for name in ("low", "high")},
        "mean": _json(last.mean),
        "bad": row.bad,
        "bad_run": row.bad_run,
        "unset": row.unset,
    }


def _file(left: LeftOver, saved: SavedFile) -> Mapping[str, object]:
    return {
        "path": str(saved.file.path),
        "bytes": saved.file.size,
        "when": saved.file.when,
        "calls": [_about(left, at) for at in saved.name.calls],
        **{name: getattr(saved.name, name) for name in ("kernel", "argument", "device")},
        "tensor": saved.facts,
        "refused": saved.refused,
    }


def _about(left: LeftOver, at: int) -> Mapping[str, object]:
    graph, call = left.program.calls[at]
    return {
        "call": graph.call_id(call),
        "wrapper": call.wrapper,
        "ops": left.ops[at],
        "lines": left.lines[at],
    }


def _named(left: LeftOver, calls: Sequence[int]) -> list[str]:
    return [left.program.call_id(at) for at in calls]


def _json(value: float | None) -> float | str | None:
    """JSON has no NaN and no Inf; nothing is null that was printed."""
    return value if value is None or abs(value) < float("inf") else str(value)
