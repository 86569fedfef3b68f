"""The view Ops: the tables of ops and modules, and all time as module, line, op and call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelmap.attribution.places import leaves
from kernelmap.model.module_paths import ROOT_MODULE, module_tree
from kernelmap.outputs.report.packed import Texts, numbers
from kernelmap.outputs.report.shared import Content, Records, rows_of_calls
from kernelmap.present.columns import VIEWS
from kernelmap.views.rows import Row
from kernelmap.views.tables import Tables

_COLUMNS = (
    "name origin time_ns exclusive_ns involved_ns backward_ns launches calls share"
    " slow_launches slow_ns"
)
_WITH_INSIDE = " total_ns total_exclusive_ns total_involved_ns"
"""Columns of modules: the module with all modules in it."""


def data(content: Content, texts: Texts) -> object:  # noqa: ARG001 -- the views' signature
    """The tables, and the leaves of the tree; `tree` is None without records."""
    return {
        "ops": _table(content.tables, "ops", _COLUMNS),
        "modules": _modules(content.tables),
        "root": ROOT_MODULE,
        "tree": None if content.records is None else _tree(content.records, content.tables),
    }


def _modules(tables: Tables) -> list[Row]:
    """The table of modules from the outside in: those with most time in them first."""
    rows = _table(tables, "modules", _COLUMNS + _WITH_INSIDE)
    return sorted(rows, key=VIEWS["modules"].time_ns, reverse=True)


def _table(tables: Tables, name: str, columns: str) -> list[Row]:
    return [{column: row[column] for column in columns.split()} for row in tables.rows(name)]


def _tree(records: Records, tables: Tables) -> object:
    """Leaves as columns: numbers of module, line and op in their names, and the row of the call.

    `call` is a row of the shared table of calls + 1, 0 for none. `around` has the modules around
    each module, the outermost first, itself last.
    """
    parts = leaves(records.program, records.trace, records.matching, records.attribution)
    names: dict[str, int] = {}
    row_of = rows_of_calls(records, tables)

    def column(texts: Sequence[str]) -> object:
        return numbers(np.array([names.setdefault(text, len(names)) for text in texts], np.int64))

    # Time without a known module has a name in parentheses, which is in no tree.
    around = module_tree(leaf.module for leaf in parts if not leaf.module.startswith("("))
    calls = [row_of[0 if leaf.call is None else leaf.call + 1] for leaf in parts]
    return {
        "module": column([leaf.module for leaf in parts]),
        "line": column([leaf.line for leaf in parts]),
        "op": column([leaf.op for leaf in parts]),
        "call": numbers(np.array(calls, np.int64)),
        "time_ns": numbers(np.array([leaf.time_ns for leaf in parts], np.int64)),
        "names": list(names),
        "around": dict(around),
    }
