"""A result → its lines and calls as an editor shows them, with how sure each of them is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from kernelmap.bearing import find_refusals
from kernelmap.editors.recorded import CallOfLines, HowSure, RecordedLine, RecordedLines
from kernelmap.matching.explaining.explain import WHY_BY_METHOD
from kernelmap.model import Confidence, Method
from kernelmap.pages.result import Result
from kernelmap.tables.rows import Row, name_of_line, whole_number
from kernelmap.tables.schema import CALLS, LAUNCHES, LINES

if TYPE_CHECKING:
    import pandas as pd

_FRAMES = "Python frames of the profile show that this function launched it"


def lines_of_result(
    result: Result, name: str, again: str, *, anyway: bool = False
) -> RecordedLines:
    """The lines and calls of a result that is called `name`; `anyway`: also where it is refused."""
    tables, summary = result.tables, result.summary
    refused = () if anyway else find_refusals(tables.notices)
    launches = tables.frame(LAUNCHES.name) if LAUNCHES.name in tables.held else None
    sure = None if launches is None else _Evidence(launches)
    rows = [row for row in tables.rows(CALLS.name) if row["call"] is not None]
    # Positions of the calls that work for each line, as `file:line`.
    by_line: dict[str, list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        for line in _texts(row["source"]):
            by_line[line].append(at)
    calls = tuple(_call_of(row, sure) for row in rows)
    return RecordedLines(
        name=name,
        again=again,
        side=summary.side,
        devices=summary.devices,
        steps=summary.steps,
        step_count=summary.step_count,
        total_ns=summary.total_ns,
        coverage=summary.coverage,
        gaps=tuple(notice.message for notice in tables.notices if notice.gap),
        refused=refused[0].text if refused else None,
        lines=tuple(
            _line_of(row, by_line.get(name_of_line(row), ()), calls, sure)
            for row in tables.rows(LINES.name)
            # Rest rows, `(unknown)` and the like, have neither.
            if row["line"] is not None or row["code"] is not None
        ),
        calls=calls,
    )


class _Evidence:
    """How sure the launches of calls, lines and functions are, from the table of launches."""

    def __init__(self, launches: pd.DataFrame) -> None:
        columns = ["call", "confidence", "method", "source", "dur_ns"]
        grouped = launches[columns].groupby(columns[:-1], dropna=False, sort=False)["dur_ns"]
        sums = grouped.agg(["size", "sum"]).reset_index()
        self.of_call: dict[str, list[HowSure]] = defaultdict(list)
        self.of_function: dict[str, list[HowSure]] = defaultdict(list)
        for row in sums.to_dict("records"):
            texts = {name: _text(row[name]) for name in columns[:-1]}
            kept = self.of_function if texts["call"] is None else self.of_call
            owner = texts["source"] if texts["call"] is None else texts["call"]
            if owner is not None:
                why = _FRAMES if texts["call"] is None else _say_method(texts["method"])
                kept[owner].append(_how_sure(texts["confidence"], why, row["size"], row["sum"]))
        # Ambiguous launches by the calls that stand: they count for a line that all of these share.
        self.of_several: dict[frozenset[str], list[int]] = defaultdict(list)
        ambiguous = launches[launches["confidence"] == Confidence.AMBIGUOUS.name.lower()]
        for candidates, time_ns in zip(ambiguous["candidates"], ambiguous["dur_ns"], strict=True):
            self.of_several[frozenset(candidates)].append(int(time_ns))

    def of_line(self, calls: Iterable[CallOfLines], name: str) -> tuple[HowSure, ...]:
        """What the launches of a line's calls stand on, or those of a function of this name."""
        ours = {call.call: call for call in calls}
        parts = [part for call in ours.values() for part in call.evidence]
        parts += self.of_function.get(name, ())
        word = Confidence.AMBIGUOUS.name.lower()
        for candidates, times in self.of_several.items():
            if candidates and candidates <= ours.keys():
                why = "each call that it may belong to is one of this line"
                parts.append(_how_sure(word, why, len(times), sum(times)))
        return _add_up(parts)


def _add_up(parts: Sequence[HowSure]) -> tuple[HowSure, ...]:
    """The parts with those of one confidence and reason together, the surest first."""
    by_reason: dict[tuple[str, str], list[HowSure]] = defaultdict(list)
    for part in parts:
        by_reason[part.confidence, part.why].append(part)
    sums = (
        _how_sure(word, why, sum(it.launches for it in same), sum(it.time_ns for it in same))
        for (word, why), same in by_reason.items()
    )
    words = [confidence.name.lower() for confidence in Confidence]
    return tuple(sorted(sums, key=lambda part: (words.index(part.confidence), -part.time_ns)))


def _how_sure(confidence: str | None, why: str, launches: int, time_ns: int) -> HowSure:
    word = confidence or Confidence.UNKNOWN.name.lower()
    return HowSure(confidence=word, why=why, launches=int(launches), time_ns=int(time_ns))


def _say_method(method: str | None) -> str:
    # A run that was recorded by a newer kernelmap may say a word that this one does not know.
    known = None if method is None else Method.__members__.get(method.upper())
    return WHY_BY_METHOD.get(known or Method.NONE, "nothing else fits")


def _call_of(row: Row, sure: _Evidence | None) -> CallOfLines:
    name = str(row["call"])
    return CallOfLines(
        call=name,
        wrapper=str(row["wrapper"]),
        time_ns=whole_number(row, "time_ns"),
        share=_fraction(row["share"]),
        launches=whole_number(row, "launches"),
        lines=len(_texts(row["source"])),
        evidence=() if sure is None else _add_up(sure.of_call.get(name, ())),
    )


def _line_of(
    row: Row, calls: Sequence[int], all_calls: Sequence[CallOfLines], sure: _Evidence | None
) -> RecordedLine:
    # A call that works for several lines is mostly of the others: what is likely to be most of this
    # line comes first. What never ran says nothing.
    ran = [at for at in calls if all_calls[at].launches]
    longest = sorted(ran, key=lambda at: -all_calls[at].time_ns / all_calls[at].lines)
    ours = [all_calls[at] for at in calls]
    return RecordedLine(
        file=str(row["file"]),
        line=_number(row["line"]),
        code=_text(row["code"]),
        function_line=_number(row["function_line"]),
        time_ns=whole_number(row, "time_ns"),
        forward_ns=_number(row["forward_ns"]),
        backward_ns=whole_number(row, "backward_ns"),
        involved_ns=whole_number(row, "involved_ns"),
        share=_fraction(row["share"]),
        launches=whole_number(row, "launches"),
        bytes=_number(row["bytes"]),
        flops=_number(row["flops"]),
        share_of_limit=_fraction(row["share_of_limit"]),
        bound=_text(row["bound"]),
        headroom_ns=_number(row["headroom_ns"]),
        noted_ns=_number(row["noted_ns"]),
        calls=tuple(longest),
        evidence=None if sure is None else sure.of_line(ours, name_of_line(row)),
    )


def _texts(cell: object) -> list[str]:
    return [str(text) for text in cell] if isinstance(cell, list) else []


def _text(cell: Any) -> str | None:  # noqa: ANN401 -- a cell of pandas: a text, or one of its nulls
    return cell if isinstance(cell, str) else None


def _number(cell: object) -> int | None:
    return cell if isinstance(cell, int) else None


def _fraction(cell: object) -> float | None:
    return float(cell) if isinstance(cell, int | float) else None
