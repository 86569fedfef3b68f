"""A diagnosis as a page: the verdict, the findings, what adds up. Decides nothing but the words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernelmap.model.advice import Advice, Finding, Gap, Lack, Total, WantedCounters, Weight
from kernelmap.model.notices import format_count, join_some
from kernelmap.pages import savings
from kernelmap.pages.page import CellKind, Note, Page, PageColumn, PageRow, PageTable, Tone
from kernelmap.pages.text import format_duration, format_percent, of_steps

_WORDS: Mapping[Lack, str] = {
    Lack.CALL: "not exact",
    Lack.OP: "without op",
    Lack.NODE: "without node",
    Lack.LINE: "without line",
    Lack.MODULE: "without module",
    Lack.STEADY: "no part of a usual step",
}
_TONES = {Weight.LOST: Tone.ALARM, Weight.CHANGE: Tone.WARNING, Weight.NOTE: Tone.PLAIN}
_COLUMNS = (
    PageColumn(name="finding", kind=CellKind.NAME),
    PageColumn(name="concerns", kind=CellKind.WORD),
    PageColumn(name="what"),
    PageColumn(name="now"),
    PageColumn(name="then"),
    PageColumn(name="do"),
    PageColumn(name="see"),
)
LACKS = "What the recording lacks"


def page_of_advice(advice: Advice) -> Page:
    """What steps could save; then, as it costs them nothing, what the recording lacks."""
    rows = tuple(
        PageRow(
            cells=(
                *(
                    finding.slug,
                    say_size(finding, advice.side),
                    finding.what,
                    _say_what_lacks(finding),
                ),
                *(finding.then, finding.do, finding.see),
            ),
            tone=_TONES[finding.weight],
        )
        for finding in advice.findings
    )
    saving = savings.sections_of_savings(advice.savings) if advice.savings else ()
    headline = advice.savings.headline if advice.savings else None
    title = LACKS if saving else ""
    refused = [f"no savings are given: {notice.text}" for notice in advice.refused]
    quality = Note(lines=((say_verdict(advice),),), title=title or None, ours=True)
    findings = PageTable(title="", columns=_COLUMNS, rows=rows, stacked=True)
    texts = tuple((_say_sum(advice, total),) for total in advice.totals)
    sums = Note(lines=texts, tone=Tone.DIM, ours=True)
    return Page(
        title=headline or say_verdict(advice),
        sections=(
            *saving,
            *(
                [Note(lines=tuple((text,) for text in refused), tone=Tone.WARNING)]
                if refused
                else []
            ),
            *([quality] if saving or headline else []),
            *([findings] if rows else []),
            *([sums] if sums.lines else []),
            *([_note_of_counters(advice.counters)] if advice.counters else []),
        ),
    )


def _note_of_counters(wanted: WantedCounters) -> Note:
    """The command that counts what neither code nor profile say."""
    calls = join_some(list(wanted.calls))
    more = format_duration(wanted.headroom_ns)
    opened = f"Neither code nor profile say why {calls} take {more} beyond their limits."
    begin = "the program calls torch.cuda.profiler.start() there"
    lines = (
        f"{opened} Nsight Compute may:",
        wanted.command,
        f"It counts from where this recording began: {begin}. Then:",
        wanted.then,
    )
    return Note(lines=tuple((line,) for line in lines), title="What counters would tell")


def say_verdict(advice: Advice) -> str:
    """How good the answer is, and how much there is to change, in one line."""
    changes = advice.changes
    # What is no change is a note.
    notes = len(advice.findings) - changes
    parts = [_say_quality(advice)]
    parts.append(f"{format_count(changes, 'thing')} to change" if changes else "nothing to change")
    if notes:
        parts.append(format_count(notes, "note"))
    return "; ".join(parts)


def say_size(finding: Finding, side: str | None) -> str:
    """How much time a finding concerns by itself, and which part of that of its side."""
    worst = finding.worst
    if finding.weight is Weight.LOST:
        return "time is missing"
    if worst is None:
        return "a note" if finding.weight is Weight.NOTE else "no time of its own"
    if worst.time_ns is None:
        return f"{format_count(worst.calls, 'call')}, {format_percent(worst.share)}"
    if not worst.time_ns:
        return "its time stands above"
    return (
        f"{format_duration(worst.time_ns)}, {format_percent(worst.share)} of the "
        f"{(side or '').upper()} time"
    )


def _say_quality(advice: Advice) -> str:
    if advice.total_ns is None:
        without = {total.lack: total.calls for total in advice.totals}
        lines = advice.calls - without.get(Lack.LINE, 0)
        have = "has" if advice.calls == 1 else "have"
        return f"{lines:,} of {format_count(advice.calls, 'call')} {have} a source line"
    side = (advice.side or "").upper()
    if not advice.total_ns:
        return f"the window holds no {side} time"
    # Time outside of compiled code has no call to find, so it is settled like what is exact.
    exact, outside = (advice.confidence.get(name, 0) for name in ("exact", "outside"))
    exact_share, outside_share = exact / advice.total_ns, outside / advice.total_ns
    rest = ", ".join(
        f"{format_percent(time_ns / advice.total_ns)} {confidence}"
        for confidence, time_ns in advice.confidence.items()
        if time_ns and confidence not in ("exact", "outside")
    )
    rest = f", {rest}" if rest else ""
    if advice.step_ns is not None and advice.step_compiled_ns is not None:
        rest += f"; {of_steps(advice.step_compiled_ns, advice.step_ns)}"
    if not outside:
        return f"{format_percent(exact_share)} of the {side} time is exact{rest}"
    settled = format_percent((exact + outside) / advice.total_ns)
    parts = (
        f"{format_percent(exact_share)} exact, {format_percent(outside_share)}"
        if exact
        else "all of it"
    )
    return f"{settled} of the {side} time is settled ({parts} outside compiled code){rest}"


def _say_what_lacks(finding: Finding) -> str:
    """What lacks what today: `4.10 ms inferred, 5.20 ms without line`."""
    return ", ".join(text for gap in finding.gaps for text in _iter_lacking(gap))


def _iter_lacking(gap: Gap) -> Iterator[str]:
    # Without a profile there is no time, and calls are counted.
    if gap.time_ns is None:
        if gap.calls:
            yield f"{format_count(gap.calls, 'call')} {_WORDS[gap.lack]}"
    elif gap.time_ns:
        for confidence, time_ns in gap.now.items():
            yield f"{format_duration(time_ns)} {confidence}"
        if not gap.now:
            yield f"{format_duration(gap.time_ns)} {_WORDS[gap.lack]}"


def _say_sum(advice: Advice, total: Total) -> str:
    """`not exact: 4.10 ms (3.1 %) = 4.00 ms window-cut + 100 µs not-exact`."""
    parts = [
        f"{_say_amount(gap.time_ns, gap.calls)} {finding.slug}"
        for finding in advice.findings
        for gap in finding.gaps
        if gap.lack is total.lack and (gap.time_ns or (gap.time_ns is None and gap.calls))
    ]
    if total.unexplained_ns or (total.unexplained_ns is None and total.unexplained_calls):
        parts.append(
            f"{_say_amount(total.unexplained_ns, total.unexplained_calls)} without a known remedy"
        )
    whole = _say_amount(total.time_ns, total.calls)
    return f"{_WORDS[total.lack]}: {whole} ({format_percent(total.share)}) = {' + '.join(parts)}"


def _say_amount(time_ns: int | None, calls: int) -> str:
    return format_count(calls, "call") if time_ns is None else format_duration(time_ns)
