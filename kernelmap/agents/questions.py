"""What an agent may ask of recordings: functions of plain values that give one JSON text each.

Every answer has a sentence, how sure its times are (the ledger), units by the names of its columns
(`_ns` nanoseconds, `_bytes` bytes, `share` of the window's time from 0 to 1), rows with ids to ask
on with, and what to ask next. A recording that cannot bear a question says so first, and no figure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock

from kernelmap.agents.explaining import explain_row
from kernelmap.agents.recordings import Recording, Recordings
from kernelmap.agents.said import SENTENCE, TOKENS, Document, Value, show_text, write_answer
from kernelmap.agents.source_lines import describe_source
from kernelmap.agents.spelled import SpelledForAgent
from kernelmap.agents.table_rows import (
    MEMORY,
    chosen_rows,
    columns_asked,
    meaning_of_numbers,
    show_row,
    words_of_confidence,
)
from kernelmap.bearing import Question, question_of_table
from kernelmap.commands import spelled_by
from kernelmap.errors import KernelmapError, UsageError, unforeseen
from kernelmap.history.compare.numbers.comparison import Comparison, compare_sides
from kernelmap.history.compare.texts.in_json import comparison_in_json
from kernelmap.matching.explaining.which import known_names
from kernelmap.model import Notice
from kernelmap.model.notices import format_count, format_duration, format_percent
from kernelmap.model.paths import reading_only
from kernelmap.pages.advice import say_verdict
from kernelmap.suggestions import did_you_mean
from kernelmap.tables.summary import Summary

_WORDS = {
    "exact": "the call is recorded, or follows without any choice",
    "inferred": "one best answer, clearly ahead of the second",
    "ambiguous": "several answers stand, all named; the time is in no single call",
    "outside": "not of compiled code: eager operators, the optimizer, copies",
    "unknown": "nothing tells what it belongs to",
}
_USAGE = 2  # exit code of an error that another question mends


class Questions:
    """The questions, over the recordings below some folders; one is answered at a time."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._recordings = Recordings(folders)
        self._lock = Lock()
        self._compared: dict[tuple[str, str], tuple[tuple[object, object], Comparison]] = {}

    def open(
        self,
        paths: Sequence[str],
        steps: str | None = None,
        like: Sequence[str] = (),
        *,
        anyway: bool = False,
        tokens: int = TOKENS,
    ) -> str:
        """What a recording is of, and which questions it can bear; gives it the name to ask with.

        `paths` are a bundle, or code and a trace in any mix; `steps` (`4:6`) counts these alone.
        `like` are other runs of the same code that know its calls, such as captures of the CUDA
        graphs that this one replays. With `anyway` figures are given where they mislead, beside
        the reason.
        """

        def opened() -> Recording:
            return self._recordings.open(paths, steps, like, anyway=anyway)

        return self._answer(tokens, lambda: _say_opened(opened(), anyway=anyway))

    def top(  # noqa: PLR0913 -- what a question about a table may say
        self,
        recording: str,
        by: str = "line",
        rows: int = 10,
        *,
        sort: str | None = None,
        contains: str | None = None,
        columns: Sequence[str] = (),
        tokens: int = TOKENS,
    ) -> str:
        """The first rows of one table: what takes most time, or most of the column `sort`.

        `by`: op, line, call, kernel, node, module, graph, launch, wall, step-kind, operator; or
        memory (by graph), buffer, memory-line. `contains` keeps rows with a text that has it.
        `columns` adds columns: an unknown one is answered with all that there are.
        """
        asked = (recording, by, rows, sort, contains, tuple(columns))
        return self._answer(tokens, lambda: self._top(*asked))

    def _top(
        self,
        name: str,
        by: str,
        most: int,
        sort: str | None,
        contains: str | None,
        columns: Sequence[str],
    ) -> Document:
        shown_columns, speeds = columns_asked(by, columns, sort)
        recording = self._recordings.find(name)
        about: Document = {"recording": name}
        # Memory is what the code states, whatever ran.
        refused = () if by in MEMORY else recording.refusals(question_of_table(by))
        about |= _say_refused(recording, refused)
        if refused and not recording.anyway:
            return about
        first, count = chosen_rows(recording, by, max(most, 1), sort, contains, speeds=speeds)
        summary = recording.summary
        shown_rows = f"{len(first)} of {format_count(count, 'row')} by {by}"
        if by in MEMORY:
            about["answer"] = f"{shown_rows}: what the code states, sizes as they ran where known"
        else:
            order = f"; most {sort} first" if sort else ""
            about["answer"] = f"{shown_rows}, of {_say_window(summary)}{order}"
            about["confidence"] = _say_confidence(summary)
        listed: list[Value] = []
        for at, row in first:
            shown = show_row(by, at, row, shown_columns)
            if by == "call" and isinstance(row["call"], str):
                shown["confidence"] = words_of_confidence(recording, row["call"])
            listed.append(shown)
        about["meaning"] = meaning_of_numbers(by, shown_columns)
        about["rows"] = listed
        about["next"] = [
            "explain a row by its id for its calls and evidence",
            "source of a line's row for the lines around it",
        ]
        return about

    def explain(self, recording: str, row: str, *, tokens: int = TOKENS) -> str:
        """What is behind a row (`line#3`), a call (`0_forward/3`) or a launch (`17`).

        Of a memory-line and of memory the buffers alive at the peak, largest first.
        """

        def explain() -> Document:
            kept = self._recordings.find(recording)
            # Memory is what the code states, whatever ran.
            refused = () if row.partition("#")[0] in MEMORY else kept.refusals()
            figures = kept.anyway or not refused
            return {
                "recording": recording,
                **_say_refused(kept, refused),
                **explain_row(kept, row, figures=figures),
            }

        return self._answer(tokens, explain)

    def which(self, recording: str, name: str, *, tokens: int = TOKENS) -> str:
        """Which kernels a name may stand for: a device name, a wrapper, a suffix, an operator."""

        def which() -> Document:
            kept = self._recordings.find(recording)
            refused = kept.refusals()
            figures = kept.anyway or not refused
            hits = kept.base.which(name)
            if not hits:
                launches = kept.base.trace.launches
                known = known_names(kept.base.program).union(launches.names)
                raise UsageError(
                    "unknown-name",
                    f"no kernel and no operator of this recording has the name {name[:80]!r}",
                    did_you_mean(name, known, "No known name is near it."),
                )
            return {
                "recording": recording,
                **_say_refused(kept, refused),
                "answer": f"{format_count(len(hits), 'kernel')} may be meant",
                "rows": [
                    {
                        "kernel": show_text(hit.wrapper),
                        "graph": show_text(hit.graph),
                        "found_by": hit.rule,
                        "calls": [show_text(call) for call in hit.calls[:6]],
                        "ops": [show_text(op) for op in hit.ops[:6]],
                        "source": [show_text(line) for line in hit.lines[:4]],
                        "confidence": ", ".join(f"{n} {word}" for word, n in hit.confidence),
                        "launches": hit.launches,
                        **(
                            {}
                            if hit.memory is None
                            else {"memory": show_text(hit.memory, SENTENCE)}
                        ),
                        **({"time_ns": hit.time_ns, "share": hit.share} if figures else {}),
                    }
                    for hit in hits
                ],
                "next": ["explain one of the calls"],
            }

        return self._answer(tokens, which)

    def diff(self, before: str, after: str, rows: int = 8, *, tokens: int = TOKENS) -> str:
        """What changed from one recording to another, by cause and kernel, without a remainder."""

        def diff() -> Document:
            sides = (self._recordings.find(before), self._recordings.find(after))
            about: Document = {"before": before, "after": after}
            for side in sides:
                refused = side.refusals()
                about |= _say_refused(side, refused)
                if refused and not side.anyway:
                    about["refused_of"] = side.id
                    return about
            return about | _say_change(self._compare(*sides), rows)

        return self._answer(tokens, diff)

    def _compare(self, before: Recording, after: Recording) -> Comparison:
        """The comparison, made once while both recordings stay as they are."""
        key, sides = (before.id, after.id), (before.side, after.side)
        kept = self._compared.get(key)
        if kept is None or kept[0] != sides:
            kept = (sides, compare_sides(*sides))
            self._compared = {key: kept}
        return kept[1]

    def doctor(self, recording: str, *, tokens: int = TOKENS) -> str:
        """What the steps could save at most, the largest first, and what the recording lacks."""

        def doctor() -> Document:
            kept = self._recordings.find(recording)
            refused = kept.refusals()
            about: Document = {"recording": recording, **_say_refused(kept, refused)}
            advice = kept.whole.advice
            if (kept.anyway or not refused) and advice.savings is not None:
                about["answer"] = advice.savings.headline or say_verdict(advice)
                about["of"] = advice.savings.about
                about["confidence"] = _say_confidence(kept.summary)
                about["savings"] = [
                    {
                        "slug": saving.slug,
                        "saves_ns_per_step": saving.step_ns,
                        "share_of_steps": round(saving.share, 6),
                        "finding": show_text(saving.finding, SENTENCE),
                        "do": show_text(saving.do, SENTENCE),
                        "calls": [show_text(call) for call in saving.calls[:4]],
                    }
                    for saving in advice.savings.items
                ]
            about["lacks"] = [
                {
                    "slug": finding.slug,
                    "what": show_text(finding.what, SENTENCE),
                    "do": show_text(finding.do, SENTENCE),
                }
                for finding in advice.findings
            ]
            return about

        return self._answer(tokens, doctor)

    def ledger(self, recording: str, *, tokens: int = TOKENS) -> str:
        """Where every nanosecond of the window is, by how sure its call is."""

        def ledger() -> Document:
            kept = self._recordings.find(recording)
            refused = kept.refusals(Question.TIME)
            about: Document = {"recording": recording, **_say_refused(kept, refused)}
            if refused and not kept.anyway:
                return about
            rows = rows_of_ledger(kept)
            summary = kept.summary
            return about | {
                "answer": _say_window(summary),
                "total_ns": summary.total_ns,
                "busy_ns": summary.busy_ns,
                "confidence": _say_confidence(summary),
                "rows": rows,
                "meaning": dict(_WORDS),
                "next": ["doctor: why time is not exact, and what mends it"],
            }

        return self._answer(tokens, ledger)

    def source(self, recording: str, place: str, around: int = 3, *, tokens: int = TOKENS) -> str:
        """A line (`line#3`, `model.py:47`) or a call, with its neighbors and its calls."""

        def source() -> Document:
            kept = self._recordings.find(recording)
            refused = kept.refusals()
            figures = kept.anyway or not refused
            found = describe_source(
                kept, place, min(max(around, 0), 40), self._recordings.folders, figures=figures
            )
            return {"recording": recording, **_say_refused(kept, refused), **found}

        return self._answer(tokens, source)

    def _answer(self, tokens: int, ask: Callable[[], Document]) -> str:
        """The document of a question, or that of its error; bounded."""
        spelled = spelled_by(SpelledForAgent(self._recordings.name_of))
        with self._lock, reading_only(self._recordings.folders), spelled:
            try:
                document = ask()
            except KernelmapError as error:
                document = _say_error(error)
            except Exception as error:  # noqa: BLE001 -- nothing that an input does may end the server
                document = _say_error(unforeseen(error))
        return write_answer(document, tokens)


def _say_opened(recording: Recording, *, anyway: bool) -> Document:
    """What a recording is of, what it cannot bear, and what could not be used of it."""
    summary = recording.summary
    refused = recording.refusals()
    others = [it for it in recording.base.notices if it not in refused]
    about: Document = {"recording": recording.id, **_say_refused(recording, refused)}
    if not refused or anyway:
        about["answer"] = _say_window(summary)
        about["confidence"] = _say_confidence(summary)
    about["side"] = summary.side
    about["launches"] = summary.launches
    about["steps"] = list(summary.steps) if summary.steps else None
    about["counted_steps"] = summary.counted_steps
    about["devices"] = [show_text(name) for name in summary.devices]
    about["calls"] = summary.calls
    about["calls_seen"] = summary.calls_seen
    about["sources"] = [show_text(name) for name in summary.sources[:8]]
    about["notices"] = [_say_notice(notice) for notice in others]
    about["next"] = (
        ["doctor: what the recording lacks, and how to record what can be asked"]
        if refused and not anyway
        else ["top by line, op or call", "doctor: what the steps could save", "ledger"]
    )
    return about


def rows_of_ledger(recording: Recording) -> list[Value]:
    """The rows of the ledger, as JSON has them."""
    return [
        {name: cell for name, cell in row.items() if isinstance(cell, str | int | float)}
        for row in recording.base.tables.rows("ledger")
    ]


def _say_refused(recording: Recording, refused: Sequence[Notice]) -> Document:
    """The reasons, first in a document; that figures follow all the same, where they do."""
    if not refused:
        return {}
    said: Document = {"refused": [_say_notice(notice) for notice in refused]}
    said["figures"] = (
        "given because `anyway` asked for them: they mislead, for the reasons above"
        if recording.anyway
        else "none: open it with steps, or with `anyway`, as the hints say"
    )
    return said


def _say_error(error: KernelmapError) -> Document:
    """An error: `refused` where the input cannot be used, `error` where another question can.

    What nobody foresaw is an error too: it says nothing of the recording.
    """
    said: Value = {
        "slug": error.slug,
        "message": show_text(error.message, SENTENCE),
        "hint": show_text(error.hint, SENTENCE),
    }
    if error.exit_code == _USAGE or error.slug == "unforeseen":
        return {"error": said}
    return {"refused": [said], "figures": "none"}


def _say_notice(notice: Notice) -> Value:
    said: Document = {"slug": notice.slug, "message": show_text(notice.message, SENTENCE)}
    if notice.hint is not None:
        said["hint"] = show_text(notice.hint, SENTENCE)
    return said


def _say_window(summary: Summary) -> str:
    """`343.21 µs GPU time of 3 steps (4 to 6), 141 launches`."""
    whose = summary.side.upper()
    steps = ""
    if summary.steps is not None and summary.step_count is not None:
        first, last = summary.steps
        steps = f" of {format_count(summary.step_count, 'step')} ({first} to {last})"
    time = format_duration(summary.total_ns)
    return f"{time} {whose} time{steps}, {format_count(summary.launches, 'launch')}"


def _say_confidence(summary: Summary) -> str:
    """The ledger in a line: `exact 76.0 %, outside 24.0 % of the time`."""
    parts = [f"{word} {format_percent(share)}" for word, share in summary.coverage.items() if share]
    return f"{', '.join(parts) or 'no time'} of the time"


def _say_change(comparison: Comparison, rows: int) -> Document:
    """A comparison as its own JSON has it, without the single changes and the evidence."""
    whole = comparison_in_json(comparison)
    sums: list[Value] = [
        {
            "what": show_text(each.what),
            "cause": each.cause.value,
            "change_ns": each.change_ns,
            "before_ns": each.before_ns,
            "after_ns": each.after_ns,
            "significant": each.significant,
            "calls_before": [show_text(call.id) for call in each.before[:3]],
            "calls_after": [show_text(call.id) for call in each.after[:3]],
            "source": [show_text(line) for line in list(each.source)[:3]],
        }
        for each in comparison.sums[: max(rows, 1)]
    ]
    return {
        "answer": show_text(str(whole["finding"]), SENTENCE),
        "unit": comparison.unit.word,
        "before_ns": comparison.before_ns,
        "after_ns": comparison.after_ns,
        "change_ns": comparison.change_ns,
        "causes": {cause.value: ns for cause, ns in comparison.by_cause.items()},
        "hard_to_compare": [
            show_text(each.say_difference(), SENTENCE) for each in comparison.differences
        ],
        "confidence": "; ".join(
            f"{side.title}: {_say_confidence(side.summary)}" for side in comparison.sides
        ),
        "rows": sums,
        "next": ["explain a call of either recording"],
    }
