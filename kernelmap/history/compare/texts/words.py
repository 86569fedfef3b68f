"""A comparison → the words and lines that terminal, HTML, Markdown and the gate share.

Takes a Comparison, gives short texts; first_line.py has the one that stands first. Lines are sums
of changes, or single changes; what is no more than noise stands in one line per cause, and so does
what all calls share (a slower clock). Both add up to the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.history.compare.numbers.causes import BY_CLOCK, COUNTED, Cause
from kernelmap.history.compare.numbers.change import Change
from kernelmap.history.compare.numbers.comparison import Comparison
from kernelmap.history.compare.numbers.differences import Difference, states_settings
from kernelmap.history.compare.numbers.replaced import count_of_the_same
from kernelmap.history.compare.numbers.sums import ChangeSum
from kernelmap.history.compare.sides.pieces import Witness
from kernelmap.history.compare.sides.side import CallSide, ComparedSide
from kernelmap.model.notices import format_count, join_some
from kernelmap.pages.text import UNITS, format_duration, format_signed, make_visible


class Line(Struct, frozen=True, kw_only=True):
    """One line: a cause, what it concerns, ns per unit and their interval, what there is to say.

    `source` is the source line that bears most of it, and how many others there are. `shown` is the
    change or the sum of changes that it stands for; None where it holds others.
    """

    cause: str
    what: str
    where: str
    change_ns: int
    words: str
    speed: str = ""
    source: str = ""
    interval: str = ""
    dim: bool = False
    shown: Change | ChangeSum | None = None

    @property
    def change(self) -> Change | None:
        """The one change that it shows; None where it sums up several."""
        if isinstance(self.shown, ChangeSum):
            return self.shown.changes[0] if len(self.shown.changes) == 1 else None
        return self.shown


def say_whole_change(comparison: Comparison) -> str:
    """The whole change: `1.04x slower: 5.00 ms → 5.20 ms, +200 µs a step`."""
    speed_words = (
        say_speed(comparison.after_ns / comparison.before_ns)
        if comparison.before_ns
        else "new time"
    )
    times = f"{format_duration(comparison.before_ns)} → {format_duration(comparison.after_ns)}"
    return f"{speed_words}: {times}, {format_signed(comparison.change_ns)} a {comparison.unit.word}"


def clock_line(comparison: Comparison) -> str | None:
    """`A step: 2.58x faster on the clock: 5.43 ms → 2.10 ms`; None where nothing says."""
    clock = comparison.on_the_clock
    if clock is None:
        return None
    doubt = "" if clock.beyond_noise else ", may be noise"
    times = f"{format_duration(clock.before_ns)} → {format_duration(clock.after_ns)}"
    return f"A step: {say_speed(clock.ratio)} on the clock: {times}{doubt}"


def say_verdict(comparison: Comparison) -> list[str]:
    """Whether the two may be compared, a sentence per difference."""
    unit = comparison.unit
    counts = f"{unit.before:,} and {format_count(unit.after, unit.noun)}"
    if unit.word != "step":
        launches = " and ".join(f"{side.summary.launches:,}" for side in comparison.sides)
        counts = f"without steps: {counts}, {launches} launches"
    fleets = [side.fleet for side in comparison.sides if side.fleet is not None]
    over = []
    if fleets:
        read = " and ".join(f"{fleet.read:,}" for fleet in fleets)
        medians = " and ".join(str(fleet.reference) for fleet in fleets)
        over = [f"samples are ranks: {read}; the whole is that of the median rank, {medians}"]
    if not comparison.differences:
        alike = f"comparable: nothing else is known to differ ({counts})"
        return [alike, *_say_unstated(comparison.sides), *over]
    per = [] if unit.word == "step" else [f"times are those of one {unit.word} ({counts})"]
    return [*say_differences(comparison), *per, *over]


def say_differences(comparison: Comparison) -> list[str]:
    """A sentence per difference; of settings the first are named, and the rest is counted."""
    # Another version of torch changes many settings.
    settings = [difference for difference in comparison.differences if difference.is_setting]
    left = settings[_SETTINGS:]
    said = [
        of_difference(difference) for difference in comparison.differences if difference not in left
    ]
    if left:
        said.append(f"differs beside the code: {format_count(len(left), 'more setting')}")
    return said


def _say_unstated(sides: tuple[ComparedSide, ComparedSide]) -> list[str]:
    """That settings could not be compared, where compiled code ran on both sides."""
    unstated = [
        which
        for which, side in zip(("the older side", "the newer side"), sides, strict=True)
        if not states_settings(side)
    ]
    if not unstated or not all(side.graphs for side in sides):
        return []
    whose = "either side" if len(unstated) == len(sides) else unstated[0]
    return [f"not compared: settings of the compiler, which no log of {whose} states"]


def say_explaining(comparison: Comparison) -> str:
    """What differs and may explain the change: `max_fusion_size 64 → 2, epilogue_fusion on → off`.

    Empty where nothing does; many are counted.
    """
    found = [each.say_briefly() for each in comparison.differences if each.may_explain]
    more = [f"{len(found) - _EXPLAINING:,} more"] if len(found) > _EXPLAINING else []
    return " and ".join(filter(None, [", ".join(found[:_EXPLAINING]), *more]))


def of_difference(difference: Difference) -> str:
    """What makes two recordings hard to compare: other code, or something beside it."""
    what = "hardly comparable" if difference.is_other_code else "differs beside the code"
    return f"{what}: {make_visible(difference.say_difference())}"


ALIKE = "as fast as before"
_EXPLAINING = 3  # that the first line names
_SETTINGS = 5  # that are named; another version of torch changes many
MAY_BE_NOISE = (Cause.SAME_CODE, Cause.OUTSIDE, Cause.DOUBT)


def is_beyond_noise(each: ChangeSum) -> bool:
    """Whether a sum may be more than noise: it is, or there is too little to tell."""
    return each.cause is not Cause.SPREAD and each.significant is not False


_SAID_OF_CLOCK = {
    Cause.CLOCK: "all of the same code alike: clock, power or device",
    Cause.SM_CLOCK: "calls that are compute bound, at another SM clock",
}


def of_sum(each: ChangeSum) -> str:
    """What happened, without its time: `aten.mm is 1.10x slower in 63 calls, same code`."""
    number, cause = each.calls, each.cause
    if cause is Cause.REFUSED:
        return _say_fusions(each)
    if cause is Cause.REPLACED:
        graphs = {change.graph for change in each.changes if change.graph is not None}
        where = f" in {len(graphs):,} graphs" if len(graphs) > 1 else ""
        return f"{each.what}{where} ({detail_of(each)})"
    if cause in BY_CLOCK:
        return _SAID_OF_CLOCK[cause]
    if cause in (Cause.NEW_GRAPH, Cause.GONE_GRAPH):
        is_what = "new" if cause is Cause.NEW_GRAPH else "gone"
        return f"the graph {each.what} is {is_what} ({format_count(number, 'call')})"
    if cause in (Cause.NEW, Cause.GONE):
        several = f"{number:,} calls are gone" if cause is Cause.GONE else f"{number:,} new calls"
        return f"{cause if number == 1 else several}: {each.what}"
    calls = f" in {number:,} calls" if number > 1 else ""
    ratio = "" if each.ratio is None else f" is {say_speed(each.ratio)}"
    detail = f" ({shared})" if (shared := detail_of(each)) else ""
    return f"{each.what}{ratio}{calls}, {cause}{detail}"


def _say_fusions(each: ChangeSum) -> str:
    """`45 parts are fused otherwise: 72 calls became 280`, or the kernels of the only part."""
    before, after = len(each.before), len(each.after)
    if len(each.changes) > 1:
        parts = f"{len(each.changes):,} parts are fused otherwise"
        names = {call.name for call in each.before}
        of = f" of {names.pop()}" if len(names) == 1 else ""
        return f"{parts}: {format_count(before, 'call')}{of} became {after:,}"
    became = " → ".join(_say_names(calls) for calls in (each.before, each.after))
    return f"fused otherwise: {format_count(before, 'call')} became {after:,}, {became}"


def _say_names(calls: Sequence[CallSide]) -> str:
    return join_some(list(dict.fromkeys(call.name for call in calls)), shown=1)


def detail_of(each: ChangeSum) -> str | None:
    """What differs, as the largest change says it, and how many others say something else."""
    details = dict.fromkeys(change.detail for change in each.changes if change.detail)
    if each.cause is Cause.REPLACED:
        return f"{count_of_the_same(each.changes):,} do the same work as before"
    if not details or each.cause in BY_CLOCK:
        return None
    if each.cause is Cause.REFUSED and len(each.changes) > 1:
        return None  # counted in what it is about
    return join_some(list(details), shown=1)


def lines_of(each: ChangeSum) -> str:
    """The source line that bears most of a sum, and how many more there are."""
    source = each.source
    if not source:
        return ""
    more = f" and {format_count(len(source) - 1, 'more line')}" if len(source) > 1 else ""
    return f"{PurePath(source[0]).name}{more}"


def lines_of_changes(comparison: Comparison, top: int = 20) -> list[Line]:
    """The sums of changes as lines, largest first; they add up to the change."""
    # What stands in a row of its own, and the changes of all other sums.
    alone = [each for each in comparison.sums if stands_alone(each)]
    noise = [
        change for each in comparison.sums if not stands_alone(each) for change in each.changes
    ]
    return _lines_with_noise(
        [_line_of_sum(each) for each in alone[:top]], alone[top:], noise, comparison
    )


def call_lines(comparison: Comparison, top: int = 20) -> list[Line]:
    """The single changes of the sums as lines, largest first; they add up to the change as well."""
    told = [change for each in comparison.sums if stands_alone(each) for change in each.changes]
    # By identity: changes have no hash, and the single changes keep their own order.
    held = set(map(id, told))
    alone = [change for change in comparison.changes if id(change) in held]
    noise = [change for change in comparison.changes if id(change) not in held]
    return _lines_with_noise(
        [_line(change) for change in alone[:top]], alone[top:], noise, comparison
    )


def _lines_with_noise(
    rows: list[Line],
    rest: Sequence[Change | ChangeSum],
    noise: Sequence[Change],
    comparison: Comparison,
) -> list[Line]:
    """The rows with a line per cause of noise, and one for the `rest`."""
    # Noise of one cause is one row; rows are in order of size, and what is left out comes last.
    for cause in dict.fromkeys(change.cause for change in noise):
        together = [change for change in noise if change.cause is cause]
        rows.append(_line_of_cause(cause, together, comparison))
    rows.sort(key=lambda line: -abs(line.change_ns))
    if rest:
        more = sum(each.change_ns for each in rest)
        rows.append(
            Line(cause="", what=f"{len(rest):,} more", where="", change_ns=more, words="", dim=True)
        )
    return rows


def say_speed(ratio: float) -> str:
    """After over before, in words.

    >>> say_speed(1.08), say_speed(0.5), say_speed(1.004)
    ('1.08x slower', '2.00x faster', 'as fast as before')
    """
    if not ratio:
        return "gone"
    times = f"{max(ratio, 1 / ratio):.2f}x"
    if times == "1.00x":
        return ALIKE
    return f"{times} slower" if ratio > 1 else f"{times} faster"


def say_interval(low: int, high: int) -> str:
    """An interval of a change, in one unit.

    >>> say_interval(36_120, 47_000), say_interval(-41, 300), say_interval(-2_100_000, 900)
    ('+36.1..+47.0 µs', '-41..+300 ns', '-2.1..+0.0 ms')
    """
    # One unit for both ends, that of the larger one.
    largest = max(abs(low), abs(high))
    scale, unit = next((pair for pair in UNITS if largest >= pair[0]), (1, "ns"))
    digits = 0 if scale == 1 else 1
    ends = [round(end / scale, digits) + 0.0 for end in (low, high)]  # the sum makes 0 of -0
    return f"{ends[0]:+,.{digits}f}..{ends[1]:+,.{digits}f} {unit}"


def interval_note(comparison: Comparison) -> str | None:
    """What the intervals are, where there are any."""
    if all(change.interval_ns is None for change in comparison.changes):
        return None
    return (
        f"what is tested is medians: their change a {comparison.unit.word}, its ratio, and the "
        f"95 % interval; the whole is means, and {Cause.SPREAD.value!r} is what lies between"
    )


def of_change(change: Change, unit: str) -> str:
    """One change in words: `1.08x slower, +41.00 µs a step (+36.0..+47.0 µs), significant`."""
    span = "" if change.interval_ns is None else f" ({say_interval(*change.interval_ns)})"
    times = f"{format_signed(change.change_ns)} a {unit}{span}"
    parts = (
        _say_speed_of_work(change),
        times,
        _say_significance(change),
        change.detail,
        of_limit(change),
        _say_doubt(change),
    )
    return ", ".join(filter(None, parts))


_LIMITS = {"memory": "bandwidth", "compute": "peak arithmetic"}


def of_limit(change: Change | ChangeSum) -> str | None:
    """`moved from 61 to 34 % of bandwidth`; None where that says nothing.

    A side is not known, both are alike, or the change may be noise.
    """
    before, after = change.shares_of_limit
    if before is None or after is None or change.cause in COUNTED or not _is_told(change):
        return None
    shown = f"{100 * before:.0f}", f"{100 * after:.0f}"
    if shown[0] == shown[1]:
        return None
    # Named after its limit only where all calls have the same one.
    bounds = {call.bound for call in (*change.before, *change.after)}
    limit = _LIMITS.get(bounds.pop() or "") if len(bounds) == 1 else None
    return f"moved from {shown[0]} to {shown[1]} % of {limit or 'its limit'}"


def _is_told(change: Change | ChangeSum) -> bool:
    """Whether it is no noise, or a change of code of which there are too few runs to tell."""
    if change.significant is None:
        return change.cause not in MAY_BE_NOISE
    return change.significant


def _say_significance(change: Change | ChangeSum) -> str | None:
    """Whether it is noise; None for what is no matter of chance."""
    if change.cause is Cause.SPREAD:
        return "single runs"
    if change.significant is not None and change.evidence is not None:
        return "significant" if change.significant else "not significant"
    if not (change.before or change.after) or change.cause is Cause.REPLACED:
        return "not tested"
    # Launch counts, the clock, and calls on one side only are no matter of chance.
    counted = change.cause in COUNTED or not (change.before and change.after)
    return None if counted else "too few runs to tell"


def _say_doubt(change: Change) -> str | None:
    """What is not certain about which calls are meant."""
    if change.witness is None or change.witness.sure:
        return None
    if change.witness is Witness.AMONG:
        return "one of several equal calls, by order"
    return f"paired by {change.witness}"


def stands_alone(change: Change | ChangeSum) -> bool:
    """Whether a change, or a sum of them, stands in a line of its own."""
    if change.cause in BY_CLOCK:
        return False
    # Only the same code, and time without a call, may be mere noise; other code is always told.
    return change.cause not in (*MAY_BE_NOISE, Cause.SPREAD) or change.significant is not False


def _line(change: Change) -> Line:
    parts = (change.detail, _say_significance(change), of_limit(change), _say_doubt(change))
    return Line(
        cause=change.cause.value,
        what=make_visible(change.what),
        where=make_visible(_say_calls(change.after or change.before)),
        change_ns=change.change_ns,
        words=make_visible(", ".join(filter(None, parts))),
        speed=_say_speed_of_work(change) or "",
        interval="" if change.interval_ns is None else say_interval(*change.interval_ns),
        shown=change,
    )


_COUNTED_CALLS = (Cause.REFUSED, Cause.REPLACED)
"""Causes whose sums say in what they are about how many calls became how many."""


def _line_of_sum(each: ChangeSum) -> Line:
    """The line of a sum; of a single change it says all that the change's own line says."""
    if len(each.changes) == 1:
        line = _line(each.changes[0])
        return replace(line, source=make_visible(lines_of(each)), shown=each)
    main = each.main
    mostly = f"mostly {_say_calls(main.after or main.before)}" if main else None
    parts = (detail_of(each), _say_significance(each), of_limit(each), mostly)
    return Line(
        cause=each.cause.value,
        what=make_visible(each.what),
        where="" if each.cause in _COUNTED_CALLS else format_count(each.calls, "call"),
        change_ns=each.change_ns,
        words=make_visible(", ".join(filter(None, parts))),
        speed="" if each.ratio is None else say_speed(each.ratio),
        source=make_visible(lines_of(each)),
        interval="" if each.interval_ns is None else say_interval(*each.interval_ns),
        shown=each,
    )


_WORDS_OF_CAUSE = {
    Cause.CLOCK: "all alike: clock, power or device, not the code",
    Cause.SM_CLOCK: "compute bound, at another SM clock",
    Cause.SPREAD: "single runs",
}


def _factor_of_clock(cause: Cause, comparison: Comparison) -> float:
    """By how much longer the calls take that follow this clock."""
    if cause is Cause.SM_CLOCK and comparison.sm_clock is not None:
        return 1 / comparison.sm_clock.ratio
    return float(comparison.clock)


def _line_of_cause(cause: Cause, changes: Sequence[Change], comparison: Comparison) -> Line:
    words = _WORDS_OF_CAUSE.get(cause, "not significant")
    if len(changes) == 1 and cause not in BY_CLOCK:
        return replace(_line(changes[0]), dim=True)
    total = sum(change.change_ns for change in changes)
    return Line(
        cause=cause.value,
        what=_say_subject(changes),
        where="",
        change_ns=total,
        words=words,
        speed=say_speed(_factor_of_clock(cause, comparison)) if cause in BY_CLOCK else "",
        dim=True,
    )


def _say_subject(changes: Sequence[Change]) -> str:
    """How many calls; what is no call by its names, since there are few.

    One that bears more than all others together is named.
    """
    most, *others = sorted(changes, key=lambda change: -abs(change.change_ns))
    if others and abs(most.change_ns) > sum(abs(change.change_ns) for change in others):
        return f"{make_visible(most.what)} and {len(others)} more"
    calls = sum(bool(change.after) for change in changes)
    rest = join_some([make_visible(change.what) for change in changes if not change.after])
    return " and ".join(filter(None, [format_count(calls, "call") if calls else "", rest]))


def _say_speed_of_work(change: Change) -> str | None:
    """What one run of the same work takes, after over before."""
    if not (change.before_ns and change.after_ns) or change.cause in COUNTED:
        return None
    # The interval is of medians, so the ratio beside it is, too.
    if change.interval_ns is not None and change.evidence is not None and change.evidence.before_ns:
        return say_speed(change.evidence.ratio)
    return say_speed(change.after_ns / change.before_ns)


def _say_calls(calls: Sequence[CallSide]) -> str:
    return join_some([call.id for call in calls])
