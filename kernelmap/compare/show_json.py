"""A comparison as one JSON document: `{"format": "kernelmap.diff", "version": 1, …}`.

Numbers are exact ns per unit; `changes` add up to `change_ns`, and so does every table.
"""

from __future__ import annotations

from kernelmap.compare.comparison import Change, Comparison
from kernelmap.compare.words import of_change
from kernelmap.outputs.json import indented


def dumps(comparison: Comparison) -> str:
    """The document, ending in a newline."""
    return indented(
        {
            "format": "kernelmap.diff",
            "version": 1,
            "before": comparison.sides[0].title,
            "after": comparison.sides[1].title,
            "comparable": not comparison.differences,
            "differences": comparison.differences,
            "unit": comparison.unit,
            "before_ns": comparison.before_ns,
            "after_ns": comparison.after_ns,
            "change_ns": comparison.change_ns,
            "clock": float(comparison.clock),
            "floor": comparison.floor,
            "causes": {cause.value: ns for cause, ns in comparison.by_cause.items()},
            "changes": [_change(change, comparison.unit.word) for change in comparison.changes],
            **{
                name: [row for row in rows if row.change_ns]
                for name, rows in comparison.tables.items()
            },
        }
    )


def _change(change: Change, unit: str) -> dict[str, object]:
    evidence = change.evidence
    calls = (*change.after, *change.before)
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
        "words": of_change(change, unit),
        "evidence": evidence,
    }
