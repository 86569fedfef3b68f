"""What the steps could save, as sections of a page: the list, its head, or one line of it.

Whatever shows it shows the same list in the same order (kernelmap/advice/savings).
"""

from __future__ import annotations

from kernelmap.advice.savings import Basis, Saving, Savings
from kernelmap.model.notices import count
from kernelmap.present.page import Cell, Column, Facts, Kind, Note, Row, Section, Table
from kernelmap.present.text import ELLIPSIS, duration, percent, visible

HEAD = 3
"""So many savings stand where the list is not the answer itself."""
TITLE = "What would shorten the steps"
_OF_GPU_TIME = "What would save GPU time"
_SMALL = 0.001  # of the time: a list that is read leaves less out, and says how much
_NOTABLE = 0.01  # of the time: less is not worth a change
_COLUMNS = (
    Column(name="saving", kind=Kind.WORD),
    Column(name="at most", kind=Kind.WORD),
    Column(name="what"),
    Column(name="do"),
    Column(name="calls", kind=Kind.NAME),
)


def sections(savings: Savings, *, top: int | None = None) -> tuple[Section, ...]:
    """The list, or its first `top` savings, with what its time is; nothing where there is none."""
    if not savings.total_ns:
        return ()
    about = Facts(facts=(savings.about,))
    return (
        (about, table(savings, top=top), *_unjudged(savings))
        if top is None
        else (table(savings, top=top),)
    )


def table(savings: Savings, *, top: int | None = None) -> Table:
    """The savings as blocks to read; one more row says what those that are left out save."""
    large = [it for it in savings.items if it.share >= _SMALL] or list(savings.items[:1])
    shown = large if top is None else large[:top]
    rows = [
        Row(
            cells=(
                saving.slug,
                size(saving, savings),
                visible(saving.finding),
                visible(saving.do),
                calls_in_words(saving),
            )
        )
        for saving in shown
    ]
    after = savings.items[len(shown) :]
    if after:
        left_ns = sum(saving.saves_ns for saving in after)
        more = f"{ELLIPSIS} {len(after):,} more"
        see = "kernelmap doctor" if top is not None else "kernelmap doctor --format json"
        cells = (more, f"at most {duration(left_ns)}: {see}", "", "", "")
        rows.append(Row(cells=cells, dim=True, ours=True))
    return Table(
        title=title(savings),
        columns=_COLUMNS,
        rows=tuple(rows),
        stacked=True,
        empty="Nothing that this profile shows.",
    )


def title(savings: Savings) -> str:
    """What the list is called."""
    return _OF_GPU_TIME if savings.basis is Basis.GPU_TIME else TITLE


def size(saving: Saving, savings: Savings) -> str:
    """`at most 13.29 ms of a step, 74.1 %`: of one step, where several were measured."""
    of = "GPU time" if savings.basis is Basis.GPU_TIME else "wall time"
    whole = f"at most {duration(saving.saves_ns)}, {percent(saving.share)} of the {of}"
    if savings.steps * savings.devices > 1:
        return f"{whole}, {duration(saving.step_ns)} a step"
    return whole


def calls_in_words(saving: Saving) -> str:
    """How many calls it concerns, and how to see them."""
    if not saving.calls:
        return ""
    if len(saving.calls) <= HEAD:
        return visible(", ".join(saving.calls))
    first = visible(saving.calls[0])
    return f"{count(len(saving.calls), 'call')}, such as {first}: --by call, or doctor's JSON"


def closing(savings: Savings) -> Note | None:
    """One paragraph: how much of its time the device computes, and what to change first."""
    headline, first = savings.headline, savings.first
    if headline is None:
        return None
    line: list[Cell] = [f"{headline}."]
    if first is not None and first.share >= _NOTABLE:
        line.append(
            f" Largest saving: {first.slug}, at most {duration(first.saves_ns)}"
            f" ({percent(first.share)}). {visible(_first_sentence(first.do))}"
            " `kernelmap doctor` has all."
        )
    return Note(lines=(tuple(line),))


def _first_sentence(text: str) -> str:
    head, stop, _ = text.partition(". ")
    return f"{head}." if stop else text


def _unjudged(savings: Savings) -> tuple[Section, ...]:
    """A word where most of the time is computing of which nobody knows how fast it could be."""
    computing, judged = savings.computing_ns, savings.judged_ns
    if savings.side == "cpu" or 2 * computing < savings.total_ns or 2 * judged >= computing:
        return ()
    share = percent(computing / savings.total_ns)
    known = f"only {percent(judged / computing)} of it" if judged else "none of it"
    text = (
        f"Computing takes {share}. How much faster it could be is known of {known}: give the"
        " generated code, and for an unknown device its limits (--device-limits)."
    )
    return (Note(lines=((text,),), ours=True),)
