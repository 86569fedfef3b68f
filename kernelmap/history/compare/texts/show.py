"""A comparison as a page: the finding, a waterfall of causes, the changes, and the roll-ups.

The changes are summed by cause and kernel or operator; the single calls stand below them. Every
medium draws from these sections: `short_page` is the page of a terminal and of Markdown,
`whole_page` that of an HTML file; the dashboard's page Compare takes the sections one by one, and
gives names that lead to their items. As JSON it is in in_json.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
from msgspec.structs import replace

from kernelmap.history.compare.memory.page import sections_of_memory
from kernelmap.history.compare.numbers.change import Change
from kernelmap.history.compare.numbers.comparison import Comparison
from kernelmap.history.compare.numbers.rolled import GONE, JOINT
from kernelmap.history.compare.texts.first_line import find_first_line
from kernelmap.history.compare.texts.sm_clock_words import sm_clock_line
from kernelmap.history.compare.texts.why import say_why
from kernelmap.history.compare.texts.words import (
    Line,
    call_lines,
    clock_line,
    interval_note,
    lines_of_changes,
    say_verdict,
    say_whole_change,
    stands_alone,
)
from kernelmap.pages.page import (
    Bar,
    CellKind,
    Cells,
    Note,
    Page,
    PageColumn,
    PageRow,
    PageTable,
    Section,
    Tone,
)
from kernelmap.pages.text import ELLIPSIS, format_duration, format_signed, make_visible

BY: Mapping[str, str] = {"op": "ops", "line": "lines", "call": "calls", "graph": "graphs"}
"""The words of --by, and the table of a comparison that each one names."""

_ALL = 50  # rows of each table of a file
_WHAT, _WHERE, _WORDS, _NAME = 14, 12, 12, 30  # characters to which a terminal may cut


def short_page(
    comparison: Comparison, *, by: str | None = None, top: int = 20, calls: bool = False
) -> Page:
    """The changes, or with `by` one roll-up, below what is compared; at most `top` rows.

    With `calls` the single changes stand below their sums.
    """
    table = (
        table_of_changes(comparison, top) if by is None else table_of_rolled(comparison, by, top)
    )
    is_asked = calls and by is None and has_sums(comparison)
    single = [single_changes(comparison, top)] if is_asked else []
    memory = sections_of_memory(comparison.memory, top) if by is None else []
    return _page_with(comparison, [table, *single, *memory])


def whole_page(comparison: Comparison) -> Page:
    """All sections: the waterfall, the changes, the single calls, every roll-up, memory."""
    single = [single_changes(comparison, _ALL)] if has_sums(comparison) else []
    tables = [table_of_rolled(comparison, by, _ALL) for by in BY]
    memory = sections_of_memory(comparison.memory, _ALL)
    changes = [table_of_causes(comparison), table_of_changes(comparison, _ALL)]
    sections = [*changes, *single, *memory, *tables]
    return _page_with(comparison, sections)


def _page_with(comparison: Comparison, sections: Sequence[Section]) -> Page:
    """The finding as the first line, the whole change as the second."""
    about = _note_about(comparison)
    return Page(name=find_first_line(comparison), title="", sections=(about, *sections))


def has_sums(comparison: Comparison) -> bool:
    """Whether a sum that stands alone holds several changes, so that single ones say more."""
    return any(len(each.changes) > 1 and stands_alone(each) for each in comparison.sums)


def title_of(comparison: Comparison) -> str:
    """`GPU time: 1.04x slower: 5.00 ms → 5.20 ms, +200 µs a step`."""
    return f"{comparison.sides[1].summary.side.upper()} time: {say_whole_change(comparison)}"


def say_sides(comparison: Comparison) -> str:
    """What is compared with what."""
    return " → ".join(make_visible(side.title) for side in comparison.sides)


def _note_about(comparison: Comparison) -> Note:
    clock = clock_line(comparison)
    sampled = sm_clock_line(comparison)
    known = [*([sampled] if sampled else []), title_of(comparison), *([clock] if clock else [])]
    texts = [*known, say_sides(comparison), *say_verdict(comparison), *say_why(comparison)]
    tone = Tone.WARNING if comparison.differences else Tone.DIM
    return Note(lines=tuple((text,) for text in texts), tone=tone)


def table_of_causes(comparison: Comparison) -> PageTable:
    """A bar per cause; each begins where the one above it ends.

    The bars of both times are cut off on the left where the changes are small beside them, and the
    table says where they begin.
    """
    by_cause = comparison.by_cause
    # (start, end) of each bar in ns: the older time, the causes in a row, the newer time.
    running, spans = comparison.before_ns, [(0, comparison.before_ns)]
    for change_ns in by_cause.values():
        spans.append((running, running + change_ns))
        running += change_ns
    spans.append((0, comparison.after_ns))
    # Changes are small beside the times, so the axis begins as far left of the leftmost change as
    # the changes reach; the bars of both times are cut off there.
    edges = [edge for span in spans[1:-1] for edge in span] or [0]
    least = max(0, min(edges) - (max(edges) - min(edges)))
    room = max(1, max(max(span) for span in spans) - least)
    names = ["before", *(cause.value for cause in by_cause), "after"]
    times = [comparison.before_ns, *by_cause.values(), comparison.after_ns]
    rows = []
    for name, time_ns, span in zip(names, times, spans, strict=True):
        # Both ends as parts of the width, 0 to 1.
        start, end = (max(edge - least, 0) / room for edge in sorted(span))
        total = span[0] == 0 and name in ("before", "after")
        kind = Tone.MORE if time_ns > 0 else Tone.LESS
        bar = Bar(start, end, Tone.PLAIN if total else kind, broken=total and least > 0)
        rows.append(
            PageRow(
                cells=(name, bar, format_duration(time_ns) if total else format_signed(time_ns))
            )
        )
    unit = comparison.unit.word
    cut = f", cut off at the break: {format_duration(least)} lie left of it" if least else ""
    return PageTable(
        id="causes",
        title="What the change is made of",
        columns=(
            PageColumn(name="cause", kind=CellKind.WORD),
            PageColumn(name="", kind=CellKind.BAR),
            PageColumn(name=f"a {unit}", kind=CellKind.NUMBER),
        ),
        rows=tuple(rows),
        frame=pd.DataFrame({"bar": names, "ns": times}),
        about=(f"Blue: time a {unit}{cut}. Red: more. Green: less.",),
        ordered=True,
    )


def table_of_changes(
    comparison: Comparison,
    top: int,
    *,
    what: Callable[[Line], Cells] = lambda line: line.what,
    where: Callable[[Line], Cells] = lambda line: line.where,
) -> PageTable:
    """The sums of changes, largest first; `what` and `where` name a line's subject and calls."""
    shown = lines_of_changes(comparison, top)
    return replace(
        _table_of_lines(comparison, shown, what, where),
        id="changes",
        title="What changed, largest first",
    )


def single_changes(
    comparison: Comparison,
    top: int,
    *,
    what: Callable[[Line], Cells] = lambda line: line.what,
    where: Callable[[Line], Cells] = lambda line: line.where,
) -> PageTable:
    """The single changes that the sums hold, largest first."""
    shown = call_lines(comparison, top)
    return replace(
        _table_of_lines(comparison, shown, what, where),
        id="single",
        title="The same, call by call",
        folded=True,
    )


def _table_of_lines(
    comparison: Comparison,
    shown: Sequence[Line],
    what: Callable[[Line], Cells],
    where: Callable[[Line], Cells],
) -> PageTable:
    """Lines as rows; columns without content are left out."""
    longest = max((abs(line.change_ns) for line in shown), default=0) or 1
    rows = [
        PageRow(
            cells=(
                format_signed(line.change_ns),
                _bar_of_change(line.change_ns, longest),
                line.interval,
                line.cause,
                what(line),
                where(line),
                line.speed,
                line.source,
                line.words,
            ),
            dim=line.dim,
            ours=not line.cause,  # what is not shown has none
        )
        for line in shown
    ]
    # A single id is not to be cut; a list of them may be.
    alone = all("," not in line.where for line in shown)
    columns = (
        PageColumn(name=f"a {comparison.unit.word}", kind=CellKind.NUMBER),
        PageColumn(name="", kind=CellKind.BAR, rank=4),
        PageColumn(name="interval", kind=CellKind.NUMBER, rank=2, about=interval_note(comparison)),
        PageColumn(name="cause", kind=CellKind.WORD),
        PageColumn(name="what", kind=CellKind.NAME, least=_WHAT),
        PageColumn(name="where", kind=CellKind.ID, whole=alone, least=_WHERE, rank=3, tells=True),
        PageColumn(name="", kind=CellKind.WORD, rank=1),
        PageColumn(name="line", least=_WHERE, rank=1),
        PageColumn(name="", kind=CellKind.SENTENCE, least=_WORDS),
    )
    # The data beside either table are the single changes: sums follow from them.
    return PageTable(
        title="",
        columns=columns,
        rows=tuple(rows),
        frame=_frame_of_changes(comparison),
        empty="No change.",
    ).filled


def table_of_rolled(
    comparison: Comparison, by: str, top: int, *, name: Callable[[str], Cells] | None = None
) -> PageTable:
    """One of the tables of a comparison; rows without a change are in the data only.

    `name` names what a row is about.
    """
    name = name or _name_with_count
    every = comparison.tables[BY[by]]
    # Rows without a change are in the data only; those beyond the first are one row.
    changed = [row for row in every if row.change_ns]
    rest = changed[top:]
    times = [(name(row.name), row.before_ns, row.after_ns, row.change_ns) for row in changed[:top]]
    if rest:
        before, after, change = (
            sum(getattr(row, part) for row in rest)
            for part in ("before_ns", "after_ns", "change_ns")
        )
        times.append((f"{ELLIPSIS} {len(rest):,} more", before, after, change))
    longest = max((abs(change_ns) for *_, change_ns in times), default=0) or 1
    columns = ["name", "before_ns", "after_ns", "change_ns"]
    return PageTable(
        id=BY[by],
        title=f"By {by}, a {comparison.unit.word}",
        columns=(
            PageColumn(name=by, kind=CellKind.NAME, least=_NAME),
            PageColumn(name="before", kind=CellKind.NUMBER),
            PageColumn(name="after", kind=CellKind.NUMBER),
            PageColumn(name="change", kind=CellKind.NUMBER),
            PageColumn(name="", kind=CellKind.BAR, rank=1),
        ),
        rows=tuple(
            PageRow(
                cells=(
                    named,
                    format_duration(before_ns),
                    format_duration(after_ns),
                    format_signed(change_ns),
                    _bar_of_change(change_ns, longest),
                ),
                dim=at >= top,
                ours=at >= top,
            )
            for at, (named, before_ns, after_ns, change_ns) in enumerate(times)
        ),
        frame=pd.DataFrame(
            [{name: getattr(row, name) for name in columns} for row in every], columns=columns
        ),
        empty="No change.",
    )


def _name_with_count(name: str) -> str:
    """The name of a row; of calls that were fused otherwise the first, and how many there are."""
    first, *others = name.removesuffix(GONE).split(JOINT)
    gone = GONE if name.endswith(GONE) else ""
    return make_visible(f"{first} and {len(others):,} more{gone}" if len(others) > 1 else name)


def _bar_of_change(change_ns: int, longest_ns: int) -> Bar:
    kind = Tone.MORE if change_ns > 0 else Tone.LESS
    return Bar(0, abs(change_ns) / longest_ns, kind)


_COLUMNS = [
    "cause",
    "what",
    "graph",
    "detail",
    "calls_before",
    "calls_after",
    "before_ns",
    "after_ns",
    "change_ns",
    "significant",
    "share_of_limit_before",
    "share_of_limit_after",
]


def _frame_of_changes(comparison: Comparison) -> pd.DataFrame:
    """Each single change as a row, largest first."""
    return pd.DataFrame(
        [_data_of_change(change) for change in comparison.changes], columns=_COLUMNS
    )


def _data_of_change(change: Change) -> dict[str, object]:
    """A change as a row of data."""
    return {
        "cause": change.cause.value,
        "what": change.what,
        "graph": change.graph,
        "detail": change.detail,
        "calls_before": " ".join(call.id for call in change.before),
        "calls_after": " ".join(call.id for call in change.after),
        "before_ns": change.before_ns,
        "after_ns": change.after_ns,
        "change_ns": change.change_ns,
        "significant": change.significant,
        **_of_limit(change),
    }


def _of_limit(change: Change) -> dict[str, float | None]:
    before, after = change.shares_of_limit
    return {"share_of_limit_before": before, "share_of_limit_after": after}
