"""What the steps could save, as sections of a page: the list, its head, or one line of it.

Whatever shows it shows the same list in the same order (kernelmap/speed/advice/savings).
"""

from __future__ import annotations

from kernelmap.model.savings import Basis, Saving, Savings
from kernelmap.pages.page import CellKind, Facts, Note, PageColumn, PageRow, PageTable, Section
from kernelmap.pages.text import ELLIPSIS, format_duration, format_percent, make_visible

HEAD = 3
"""So many savings stand where the list is not the answer itself."""
TITLE = "What would shorten the steps"
_OF_GPU_TIME = "What would save GPU time"
_SMALL = 0.001
"""Of the time: a list that is read leaves less out, and says how much. It decides what is shown
alone."""
_NOTABLE = 0.01
"""Of the time: less is not worth a change. It decides what is shown alone."""
_COLUMNS = (
    PageColumn(name="saving", kind=CellKind.WORD),
    PageColumn(name="at most", kind=CellKind.WORD),
    PageColumn(name="what"),
    PageColumn(name="do"),
    PageColumn(name="calls", kind=CellKind.NAME),
)


def sections_of_savings(savings: Savings, *, top: int | None = None) -> tuple[Section, ...]:
    """The list, or its first `top` savings, with what its time is; nothing where there is none."""
    if not savings.total_ns:
        return ()
    about = Facts(facts=(savings.about,))
    return (
        (about, table_of_savings(savings, top=top), *_sections_of_unjudged(savings))
        if top is None
        else (table_of_savings(savings, top=top),)
    )


def table_of_savings(savings: Savings, *, top: int | None = None) -> PageTable:
    """The savings as blocks to read; one more row says what those that are left out save."""
    # If all of them are small, the largest one is still shown.
    large = [it for it in savings.items if it.share >= _SMALL] or list(savings.items[:1])
    # The whole list has all but small savings, its head the first few.
    shown = large if top is None else large[:top]
    rows = [
        PageRow(
            cells=(
                saving.slug,
                say_size(saving, savings),
                make_visible(saving.finding),
                make_visible(saving.do),
                calls_in_words(saving, savings),
            )
        )
        for saving in shown
    ]
    # Small savings are among what is left out, and in its sum.
    after = savings.items[len(shown) :]
    if after:
        left_ns = sum(saving.saves_ns for saving in after)
        more = f"{ELLIPSIS} {len(after):,} more"
        how = f": {_command_for_all(savings, in_json=top is None)}" if savings.command else ""
        cells = (more, f"at most {a_step(left_ns, savings)}{how}", "", "", "")
        rows.append(PageRow(cells=cells, dim=True, ours=True))
    return PageTable(
        title=title_of_list(savings),
        columns=_COLUMNS,
        rows=tuple(rows),
        stacked=True,
        empty="Nothing that this profile shows.",
    )


def title_of_list(savings: Savings) -> str:
    """What the list is called."""
    return _OF_GPU_TIME if savings.basis is Basis.GPU_TIME else TITLE


def say_size(saving: Saving, savings: Savings) -> str:
    """`at most 13.29 ms a step, 74.1 %`."""
    return f"at most {a_step(saving.saves_ns, savings)}, {format_percent(saving.share)}"


def a_step(time_ns: int, savings: Savings) -> str:
    """A part of the list's time: that of one step, where steps are marked."""
    if not savings.steps:
        return format_duration(time_ns)
    # Devices work at the same time, so the time of all of them is that of steps times devices.
    return f"{format_duration(time_ns / (savings.steps * savings.devices))} a step"


def _command_for_all(savings: Savings, *, in_json: bool = False) -> str:
    """The command that prints all savings, or with all of their places and calls."""
    return make_visible(savings.command + " --format json" * in_json)


def calls_in_words(saving: Saving, savings: Savings) -> str:
    """How many calls it concerns, and how to see them."""
    if not saving.calls:
        return ""
    if len(saving.calls) <= HEAD:
        return make_visible(", ".join(saving.calls))
    how = f"; all: {_command_for_all(savings, in_json=True)}" if savings.command else ""
    return f"{len(saving.calls):,}, such as {make_visible(saving.calls[0])}{how}"


def closing_note(savings: Savings) -> Note | None:
    """How much of its time the device computes, what to change first, and how to see the rest."""
    headline, first = savings.headline, savings.first
    if headline is None:
        return None
    if first is None or first.share < _NOTABLE:
        return Note(lines=((f"{headline}.",),))
    lines = [
        f"{headline}. Largest saving: {first.slug}, {say_size(first, savings)}.",
        make_visible(_first_sentence(first.do)),
    ]
    if savings.command:
        lines.append(f"All of them: {_command_for_all(savings)}")
    return Note(lines=tuple((line,) for line in lines))


def _first_sentence(text: str) -> str:
    head, stop, _ = text.partition(". ")
    return f"{head}." if stop else text


def _sections_of_unjudged(savings: Savings) -> tuple[Section, ...]:
    """A word where most of the time is computing of which nobody knows how fast it could be."""
    computing, judged = savings.computing_ns, savings.judged_ns
    # Said only if computing takes at least half the time, and most of it could not be judged.
    if savings.side == "cpu" or 2 * computing < savings.total_ns or 2 * judged >= computing:
        return ()
    share = format_percent(computing / savings.total_ns)
    known = f"for {format_percent(judged / computing)} of it only" if judged else "for none of it"
    text = (
        f"Computing takes {share}. How much faster it could be is known {known}: that needs the"
        " generated code, and the limits of the device (--device-limits, if it is not listed)."
    )
    return (Note(lines=((text,),), ours=True),)
