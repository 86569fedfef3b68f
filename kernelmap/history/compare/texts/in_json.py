"""A comparison → the document of JSON that `diff` and `gate` write, and the test suite reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kernelmap.history.compare.memory.page import memory_in_json
from kernelmap.history.compare.numbers.change import Change
from kernelmap.history.compare.numbers.comparison import Comparison
from kernelmap.history.compare.numbers.sums import ChangeSum
from kernelmap.history.compare.texts.first_line import find_first_line
from kernelmap.history.compare.texts.why import say_why
from kernelmap.history.compare.texts.words import of_change, of_sum
from kernelmap.tables.json import indent_json
from kernelmap.tables.rows import Row, rows_of
from kernelmap.tables.table import (
    Column,
    Table,
    Type,
    Unit,
    int_column,
    ns_column,
    text_column,
    text_or_null,
    texts_column,
)


def dumps(comparison: Comparison) -> str:
    """The document as a text that ends in a newline."""
    return indent_json(comparison_in_json(comparison))


def about_comparison(comparison: Comparison) -> dict[str, object]:
    """What is said of the whole change before any part of it."""
    return {
        "before": comparison.sides[0].title,
        "after": comparison.sides[1].title,
        "comparable": not comparison.differences,
        "differences": comparison.differences,
        "unit": comparison.unit,
        "before_ns": comparison.before_ns,
        "after_ns": comparison.after_ns,
        "change_ns": comparison.change_ns,
        "on_the_clock": comparison.on_the_clock,
        "clock": float(comparison.clock),
        "sm_clock": comparison.sm_clock,
        "at_equal_clocks": comparison.at_equal_clocks,
        "floor": comparison.floor,
        "causes": {cause.value: ns for cause, ns in comparison.by_cause.items()},
        "finding": find_first_line(comparison),
        "why": say_why(comparison),
    }


def comparison_in_json(comparison: Comparison) -> dict[str, object]:
    """All of it, in ns per unit; changes and tables add up to `change_ns`."""
    return {
        "format": "kernelmap.diff",
        "version": 1,
        **about_comparison(comparison),
        "sums": [_sum_in_json(each, comparison) for each in comparison.sums],
        "changes": [_change_in_json(change, comparison.unit.word) for change in comparison.changes],
        **{
            name: [row for row in rows if row.change_ns] for name, rows in comparison.tables.items()
        },
        "memory": memory_in_json(comparison.memory),
    }


SUMS = Table(
    name="diff_sums",
    row="the changes of one cause and one kernel or operator",
    order="change_ns, largest first, whichever way",
    columns=(
        text_column("cause", "what the change is put down to"),
        text_column("what", "the kernel or the operator"),
        int_column("changes", "how many single changes these are"),
        texts_column("before", "its calls before"),
        texts_column("after", "its calls after"),
        texts_column("ops", "original ATen ops of these calls"),
        texts_column("source", "lines of the user's source, file:line"),
        ns_column("before_ns", "their time before"),
        ns_column("after_ns", "their time after"),
        ns_column("change_ns", "the difference: what is slower is above 0"),
        Column(
            name="share",
            type=Type.FLOAT,
            help="its part of the whole change; null where there is none",
            unit=Unit.ONE,
            nullable=True,
        ),
        Column(
            name="ratio",
            type=Type.FLOAT,
            help="time after over time before; null where one of both has none",
            nullable=True,
        ),
        text_or_null("words", "what happened, in words"),
    ),
)
"""What `diff` prints of the sums of changes, of each as far as cells of tables go."""


def rows_of_sums(comparison: Comparison) -> list[Row]:
    """The sums of changes as rows of SUMS."""
    documents: Sequence[Mapping[str, Any]] = [
        _sum_in_json(each, comparison) for each in comparison.sums
    ]
    return rows_of(SUMS, documents)


def _sum_in_json(each: ChangeSum, comparison: Comparison) -> dict[str, object]:
    whole_ns = comparison.change_ns
    before, after = each.shares_of_limit
    return {
        "cause": each.cause.value,
        "what": each.what,
        "changes": len(each.changes),
        "before": [call.id for call in each.before],
        "after": [call.id for call in each.after],
        "ops": each.ops,
        "source": each.source,
        "before_ns": each.before_ns,
        "after_ns": each.after_ns,
        "change_ns": each.change_ns,
        "share": each.change_ns / whole_ns if whole_ns else None,
        "ratio": each.ratio,
        "interval_ns": each.interval_ns,
        "significant": each.significant,
        "share_of_limit_before": before,
        "share_of_limit_after": after,
        "words": of_sum(each),
        "evidence": each.evidence,
    }


def _change_in_json(change: Change, unit: str) -> dict[str, object]:
    evidence = change.evidence
    calls = (*change.after, *change.before)
    limits = change.shares_of_limit
    return {
        "cause": change.cause.value,
        "what": change.what,
        "graph": change.graph,
        "detail": change.detail,
        "before": [call.id for call in change.before],
        "after": [call.id for call in change.after],
        "ops": list(dict.fromkeys(op for call in calls for op in call.ops)),
        "source": list(dict.fromkeys(line for call in calls for line in call.source)),
        "paired_by": change.witness,
        "before_ns": change.before_ns,
        "after_ns": change.after_ns,
        "change_ns": change.change_ns,
        "interval_ns": change.interval_ns,
        "significant": change.significant,
        "share_of_limit_before": limits[0],
        "share_of_limit_after": limits[1],
        "words": of_change(change, unit),
        "evidence": evidence,
    }
