"""The view Ops: the tables of ops and modules, and all time as module, line, op and call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelmap.attribution.places import smallest_parts
from kernelmap.model.module_paths import ROOT_MODULE, module_tree
from kernelmap.pages.columns import VIEWS
from kernelmap.pages.report.packed import PackedTexts, pack_numbers
from kernelmap.pages.report.shared import Content, Records, rows_of_calls
from kernelmap.tables.build import Tables
from kernelmap.tables.rows import Row

_COLUMNS = (
    "name origin time_ns exclusive_ns involved_ns backward_ns launches calls share"
    " slow_launches slow_ns"
)
_WITH_INSIDE = " total_ns total_exclusive_ns total_involved_ns"
"""Columns of modules: the module with all modules in it."""


def data_of_ops(content: Content, texts: PackedTexts) -> object:  # noqa: ARG001 -- the views' signature
    """The tables, and the leaves of the tree; `tree` is None without records."""
    return {
        "ops": _rows_with_columns(content.tables, "ops", _COLUMNS),
        "modules": _rows_of_modules(content.tables),
        "root": ROOT_MODULE,
        "tree": None
        if content.records is None
        else _columns_of_tree(content.records, content.tables),
    }


def _rows_of_modules(tables: Tables) -> list[Row]:
    """The table of modules from the outside in: those with most time in them first."""
    rows = _rows_with_columns(tables, "modules", _COLUMNS + _WITH_INSIDE)
    return sorted(rows, key=VIEWS["modules"].time_ns, reverse=True)


def _rows_with_columns(tables: Tables, name: str, columns: str) -> list[Row]:
    return [{column: row[column] for column in columns.split()} for row in tables.rows(name)]


def _columns_of_tree(records: Records, tables: Tables) -> object:
    """Leaves as columns: numbers of module, line, op and rest in their names, and the call's row.

    `call` is a row of the shared table of calls + 1, 0 for none; `rest` is "" for what has a call.
    `around` has the modules around each module, the outermost first, itself last.
    """
    parts = smallest_parts(records.program, records.trace, records.matching, records.attribution)
    names: dict[str, int] = {}
    row_of = rows_of_calls(records, tables)

    def column(texts: Sequence[str]) -> object:
        return pack_numbers(
            np.array([names.setdefault(text, len(names)) for text in texts], np.int64)
        )

    # Time without a known module has a name in parentheses, which is in no tree.
    around = module_tree(leaf.module for leaf in parts if not leaf.module.startswith("("))
    calls = [row_of[0 if leaf.call is None else leaf.call + 1] for leaf in parts]
    return {
        "module": column([leaf.module for leaf in parts]),
        "line": column([leaf.line for leaf in parts]),
        "op": column([leaf.op for leaf in parts]),
        "rest": column([leaf.rest or "" for leaf in parts]),
        "call": pack_numbers(np.array(calls, np.int64)),
        "time_ns": pack_numbers(np.array([leaf.time_ns for leaf in parts], np.int64)),
        "names": list(names),
        "around": dict(around),
    }
