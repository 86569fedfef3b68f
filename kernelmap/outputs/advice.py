"""A diagnosis for a terminal, as JSON or as Markdown: the verdict, the findings, what adds up.

Takes an Advice, gives text; decides nothing but the words.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from rich.text import Text

from kernelmap.advice import Advice, Finding, Gap, Lack, Total, Weight
from kernelmap.model.notices import count
from kernelmap.outputs.json import indented
from kernelmap.outputs.layout import wrapped
from kernelmap.outputs.markdown import code, line
from kernelmap.present.text import duration, of_steps, percent, visible

_WORDS: Mapping[Lack, str] = {
    Lack.CALL: "not exact",
    Lack.OP: "without op",
    Lack.NODE: "without node",
    Lack.LINE: "without line",
    Lack.MODULE: "without module",
    Lack.STEADY: "no part of a usual step",
}
_STYLES = {Weight.LOST: "bold red", Weight.CHANGE: "bold yellow", Weight.NOTE: "bold"}
_INDENT, _LABEL = 3, 6


def verdict(advice: Advice) -> str:
    """How good the answer is, and how much there is to change, in one line."""
    changes = advice.changes
    notes = len(advice.findings) - changes
    parts = [_quality(advice)]
    parts.append(f"{count(changes, 'thing')} to change" if changes else "nothing to change")
    if notes:
        parts.append(count(notes, "note"))
    return "; ".join(parts)


def render(advice: Advice, width: int) -> Text:
    """The verdict, a block per finding, and the sums, in `width` characters."""
    lines = [Text(verdict(advice), "bold")]
    for number, finding in enumerate(advice.findings, 1):
        head = Text(f"{number:>{_INDENT - 1}} ").append(finding.slug, _STYLES[finding.weight])
        lines += [Text(), head.append(f" · {size(finding)}", "dim")]
        lines += _wrapped("", finding.what, width)
        for label, text in (("now", _now(finding)), ("then", finding.then), ("do", finding.do)):
            if text:
                lines += _wrapped(label, text, width)
        lines += _wrapped("see", finding.see, width)
    sums = [text for each in advice.totals for text in textwrap.wrap(_sum(advice, each), width)]
    if sums:
        lines += [Text(), *(Text(text, "dim") for text in sums)]
    return Text("\n").join([*lines, Text()])


def dumps(advice: Advice) -> str:
    """All of it as one JSON object, times in whole nanoseconds."""
    value = {
        "format": "kernelmap.advice",
        "version": 1,
        "verdict": verdict(advice),
        "side": advice.side,
        "total_ns": advice.total_ns,
        "confidence_ns": advice.confidence,
        "step_ns": advice.step_ns,
        "step_compiled_ns": advice.step_compiled_ns,
        "calls": advice.calls,
        "changes": advice.changes,
        "findings": [_finding(each) for each in advice.findings],
        "totals": advice.totals,
    }
    return indented(value)


def markdown(advice: Advice) -> str:
    """The verdict, the findings as a table, and the sums as a list."""
    lines = [f"### {verdict(advice)}", ""]
    if advice.findings:
        head = ["finding", "concerns", "what", "now", "then", "do", "see"]
        lines += [line(head), line(["---"] * len(head))]
        for each in advice.findings:
            texts = (each.what, _now(each), each.then, each.do)
            what, *rest = (code(text, empty="") for text in texts)
            lines.append(line([code(each.slug), size(each), what, *rest, code(each.see)]))
        lines.append("")
    sums = [f"- {_sum(advice, each)}" for each in advice.totals]
    return "\n".join([*lines, *sums, *([""] if sums else [])])


def _quality(advice: Advice) -> str:
    if advice.total_ns is None:
        without = {each.lack: each.calls for each in advice.totals}
        lines = advice.calls - without.get(Lack.LINE, 0)
        have = "has" if advice.calls == 1 else "have"
        return f"{lines:,} of {count(advice.calls, 'call')} {have} a source line"
    side = (advice.side or "").upper()
    if not advice.total_ns:
        return f"the window holds no {side} time"
    exact, outside = (advice.confidence.get(each, 0) for each in ("exact", "outside"))
    exact_share, outside_share = exact / advice.total_ns, outside / advice.total_ns
    rest = ", ".join(
        f"{percent(time_ns / advice.total_ns)} {confidence}"
        for confidence, time_ns in advice.confidence.items()
        if time_ns and confidence not in ("exact", "outside")
    )
    rest = f", {rest}" if rest else ""
    if advice.step_ns is not None and advice.step_compiled_ns is not None:
        rest += f"; {of_steps(advice.step_compiled_ns, advice.step_ns)}"
    if not outside:
        return f"{percent(exact_share)} of the {side} time is exact{rest}"
    settled = percent((exact + outside) / advice.total_ns)
    parts = f"{percent(exact_share)} exact, {percent(outside_share)}" if exact else "all of it"
    return f"{settled} of the {side} time is settled ({parts} outside compiled code){rest}"


def size(finding: Finding) -> str:
    """How much of the window a finding concerns by itself."""
    worst = finding.worst
    if finding.weight is Weight.LOST:
        return "time is missing"
    if worst is None:
        return "a note" if finding.weight is Weight.NOTE else "no time of its own"
    if worst.time_ns is None:
        return f"{count(worst.calls, 'call')}, {percent(worst.share)}"
    if not worst.time_ns:
        return "its time stands above"
    return f"{duration(worst.time_ns)}, {percent(worst.share)} of the window"


def _now(finding: Finding) -> str:
    """What lacks what today: `4.10 ms inferred, 5.20 ms without line`."""
    return ", ".join(text for gap in finding.gaps for text in _lacking(gap))


def _lacking(gap: Gap) -> Iterator[str]:
    if gap.time_ns is None:
        if gap.calls:
            yield f"{count(gap.calls, 'call')} {_WORDS[gap.lack]}"
    elif gap.time_ns:
        for confidence, time_ns in gap.now.items():
            yield f"{duration(time_ns)} {confidence}"
        if not gap.now:
            yield f"{duration(gap.time_ns)} {_WORDS[gap.lack]}"


def _sum(advice: Advice, total: Total) -> str:
    """`not exact: 4.10 ms (3.1 %) = 4.00 ms window-cut + 100 µs not-exact`."""
    parts = [
        f"{_amount(gap.time_ns, gap.calls)} {finding.slug}"
        for finding in advice.findings
        for gap in finding.gaps
        if gap.lack is total.lack and (gap.time_ns or (gap.time_ns is None and gap.calls))
    ]
    if total.unexplained_ns or (total.unexplained_ns is None and total.unexplained_calls):
        parts.append(
            f"{_amount(total.unexplained_ns, total.unexplained_calls)} without a known remedy"
        )
    whole = _amount(total.time_ns, total.calls)
    return f"{_WORDS[total.lack]}: {whole} ({percent(total.share)}) = {' + '.join(parts)}"


def _amount(time_ns: int | None, calls: int) -> str:
    return count(calls, "call") if time_ns is None else duration(time_ns)


def _wrapped(label: str, text: str, width: int) -> list[Text]:
    """A labeled text, broken where it does not fit."""
    indent = " " * (_INDENT + (_LABEL if label else 0))
    first = " " * _INDENT + (f"{label:<{_LABEL}}" if label else "")
    style = "dim" if label == "see" else ""
    return [Text(each, style) for each in wrapped(visible(text), width, first=first, then=indent)]


def _finding(finding: Finding) -> dict[str, object]:
    plain = ("slug", "what", "do", "then", "see")
    return {
        **{name: getattr(finding, name) for name in plain},
        "weight": finding.weight.name.lower(),
        "gaps": finding.gaps,
    }
