"""JSON Schemas of all documents that commands print: `kernelmap help schemas` and docs/schemas.md.

They are made of what makes the documents: records and the columns of tables. A document may get
further keys in a later version of kernelmap; `version` rises where one that is there changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import GenericAlias
from typing import Any, Literal

import msgspec
from msgspec import Struct

from kernelmap.errors import UsageError
from kernelmap.history.compare.on_the_clock import ClockChange
from kernelmap.suggestions import one_of
from kernelmap.tables.schema import BY, LATER, LONG, TABLES
from kernelmap.tables.table import Column, Table, Type

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Keys = Mapping[str, Any]
"""The keys of a document and the types of their values; a tuple of type and default: may lack."""
_CELLS: Mapping[Type, Any] = {
    Type.INT: int,
    Type.FLOAT: float,
    Type.TEXT: str,
    Type.TEXTS: list[str],
}


class DocumentKind(Struct, frozen=True, kw_only=True):
    """A kind of document: its name and version, which commands print it, and its keys."""

    version: int
    printed_by: str
    keys: Callable[[], Keys]


@cache
def schema_of(name: str) -> Mapping[str, Any]:
    """The schema of the documents with the format `name`; UsageError where there is none."""
    if name not in KINDS:
        hint = one_of(name, KINDS, "There are")
        raise UsageError("unknown-help", f"no document has the format {name!r}", hint)
    kind = KINDS[name]
    heads = {"format": Literal[name], "version": Literal[kind.version]}
    document = _record(name, {**heads, **kind.keys()})
    schema = msgspec.json.schema(document)
    head = {"$schema": DIALECT, "$id": f"{name}.{kind.version}", "title": name}
    if name == "kernelmap.rows":
        schema |= {"allOf": list(_schemas_of_rows(schema["$defs"]))}
    return {**head, "description": f"Printed by {kind.printed_by}.", **schema}


def _record(name: str, keys: Keys) -> Any:  # noqa: ANN401 -- a type that is made here
    """A record with these keys, which stands for an object in a schema."""
    fields = [
        (key, *kind) if isinstance(kind, tuple) else (key, kind) for key, kind in keys.items()
    ]
    return msgspec.defstruct(name.replace(".", "_").replace("-", "_"), fields, kw_only=True)


def _list_of(kind: Any) -> Any:  # noqa: ANN401 -- as of _record
    """A list of such records; written as `list[kind]`, the name would have to be of a class."""
    return GenericAlias(list, (kind,))


def _row_of(table: Table) -> Any:  # noqa: ANN401 -- as of _record
    """What a row of a table is in JSON: a key per column."""
    return _record(table.name, {name: _cell_of(column) for name, column in table.by_name.items()})


def _cell_of(column: Column) -> Any:  # noqa: ANN401 -- a type
    kind = _CELLS[column.type]
    return kind | None if column.nullable else kind


def _rows(tables: Mapping[str, Table], *, lacking: tuple[str, ...] = ()) -> Keys:
    """A list of rows per table; those of `lacking` may be null or missing."""
    return {
        name: (_list_of(_row_of(table)) | None, None)
        if name in lacking
        else _list_of(_row_of(table))
        for name, table in tables.items()
    }


def _schemas_of_rows(definitions: dict[str, Any]) -> Any:  # noqa: ANN401 -- conditions of a schema
    """Per table which keys its rows have; a row has those that were asked for, in any number."""
    for table in _tables_of_rows():
        made = msgspec.json.schema(_row_of(table))
        definition = dict(made["$defs"][table.name])
        del definition["required"]
        definitions[f"row_{table.name}"] = definition
        rows = {"type": "array", "items": {"$ref": f"#/$defs/row_{table.name}"}}
        yield {
            "if": {"properties": {"table": {"const": table.name}}},
            "then": {"properties": {"rows": rows}},
        }


def _tables_of_rows() -> list[Table]:
    from kernelmap.history.compare.in_json import SUMS
    from kernelmap.history.compare.rolled import ROLLED
    from kernelmap.history.store.following import FOLLOWED
    from kernelmap.history.store.texts import RUNS
    from kernelmap.pages.program import CODE_CALLS
    from kernelmap.tables.fleet import FLEET
    from kernelmap.tables.memory import MEMORY
    from kernelmap.tables.roofline import ROOFLINE

    own = [TABLES[name] for name in BY.values()]
    others = [CODE_CALLS, MEMORY, SUMS, ROLLED, RUNS, FOLLOWED, FLEET["ranks"], FLEET["spread"]]
    return [*own, *ROOFLINE.values(), *others]


def _keys_of_rows() -> Keys:
    from kernelmap.tables.rows_document import RowsDocument

    hints = msgspec.structs.fields(RowsDocument)
    return {
        field.encode_name: dict[str, Any] if field.name == "about" else field.type
        for field in hints
        if field.name not in ("format", "version", "about", "rows")
    } | {"about": dict[str, Any] | None, "rows": list[dict[str, Any]]}


def _keys_of_correlation() -> Keys:
    from kernelmap.model import Notice
    from kernelmap.model.savings import Savings
    from kernelmap.tables.configuration import Configuration
    from kernelmap.tables.summary import Summary

    lacking = (*LATER, *LONG)
    return {
        "summary": Summary,
        **_rows(TABLES, lacking=lacking),
        "savings": Savings | None,
        "configuration": (Configuration | None, None),
        "notices": list[Notice],
    }


def _keys_of_advice() -> Keys:
    from kernelmap.model import Notice
    from kernelmap.model.advice import Gap, Headroom, Total, WantedCounters
    from kernelmap.model.savings import Savings

    texts = dict.fromkeys(("slug", "what", "do", "then", "see"), str)
    finding = _record(
        "finding", {**texts, "weight": Literal["lost", "change", "note"], "gaps": list[Gap]}
    )
    return {
        "verdict": str,
        "side": Literal["gpu", "cpu"] | None,
        "total_ns": int | None,
        "confidence_ns": dict[str, int],
        "step_ns": int | None,
        "step_compiled_ns": int | None,
        "calls": int,
        "changes": int,
        "findings": _list_of(finding),
        "totals": list[Total],
        "headrooms": list[Headroom],
        "counters": (WantedCounters | None, None),
        "finding": str | None,
        "savings": Savings | None,
        "refused": list[Notice],
    }


def _keys_of_which() -> Keys:
    from kernelmap.matching.explaining.hits import Where

    texts = dict.fromkeys(("calls", "ops", "lines", "evidence"), list[str])
    hit = _record(
        "hit",
        {
            **dict.fromkeys(("wrapper", "graph", "rule"), str),
            **texts,
            "weight": int,
            "launches": int | None,
            "confidence": dict[str, int],
            "where": Where | None,
            "time_ns": int | None,
            "share": float | None,
            "memory": str | None,
        },
    )
    return {"name": str, "hits": _list_of(hit)}


_EXPLANATION: Keys = {
    "title": str,
    "verdict": str,
    "evidence": list[str],
    "candidates": list[str],
    "steps": list[str],
    "memory": str | None,
}


def _keys_of_program() -> Keys:
    from kernelmap.model import Notice

    texts = dict.fromkeys(("kind", "code", "compile_id", "aot_id", "cache_key"), str | None)
    records = dict.fromkeys(("emitted", "kernels", "calls", "nodes"), list[dict[str, Any]])
    graph = _record(
        "graph",
        {"id": str, **texts, "found": dict[str, int], "missing": list[Any], **records},
    )
    return {
        "graphs": _list_of(graph),
        "compilations": list[dict[str, Any]],
        "notices": list[Notice],
    }


def _keys_of_roofline() -> Keys:
    from kernelmap.model import Notice
    from kernelmap.model.roofline import DeviceLimits, ModelUse
    from kernelmap.model.savings import Savings
    from kernelmap.tables.roofline import COLLECTIVE_SPEEDS, REASONS, ROOFLINE

    device = _record("device", {"name": str | None, "limits": DeviceLimits | None})
    fields = {field.name: field.type for field in msgspec.structs.fields(ModelUse)}
    use = _record("use_of_device", {**fields, "mfu": float | None})
    tables = {f"{word}s": table for word, table in ROOFLINE.items()}
    return {
        "devices": _list_of(device),
        "total_ns": int,
        "idle_ns": int | None,
        "model_use": use,
        "model_use_by_step_kind": GenericAlias(dict, (str, use)),
        **_rows({**tables, "reasons": REASONS, "collectives": COLLECTIVE_SPEEDS}),
        "savings": Savings | None,
        "notices": list[Notice],
    }


def _keys_of_memory() -> Keys:
    from kernelmap.model import Notice
    from kernelmap.tables.memory import MEMORY_TABLES
    from kernelmap.tables.memory_measured import MEASURED_TABLES

    return {**_rows({**MEMORY_TABLES, **MEASURED_TABLES}), "notices": list[Notice]}


def _keys_of_memory_change() -> Any:  # noqa: ANN401 -- a type
    graph = _record("graph_with_peak", {"graph": str, "peak_bytes": int})
    numbers = dict.fromkeys(("before_bytes", "after_bytes", "change_bytes"), int)
    texts = dict.fromkeys(("before_buffer", "source", "op", "call"), str | None)
    change = _record(
        "change_of_buffer",
        {"graph": str, "reason": str, "buffer": str, **texts, **numbers, "words": str},
    )
    peak = _record(
        "change_of_peak",
        {
            "graph": str,
            "before_graph": str,
            **numbers,
            "room_bytes": int,
            "changes": _list_of(change),
        },
    )
    graphs = {"graphs": _list_of(peak), "new": _list_of(graph), "gone": _list_of(graph)}
    return _record("change_of_memory", {"before_bytes": int, "after_bytes": int, **graphs})


def _keys_of_diff() -> Keys:
    from kernelmap.history.compare.comparable import WorkUnit
    from kernelmap.history.compare.difference import Difference
    from kernelmap.history.compare.rolled import Rolled
    from kernelmap.history.compare.sm_clock import SmClock

    change = _keys_of_memory_change()
    return {
        "before": str,
        "after": str,
        "comparable": bool,
        "differences": list[Difference],
        "unit": WorkUnit,
        **dict.fromkeys(("before_ns", "after_ns", "change_ns"), int),
        "on_the_clock": ClockChange | None,
        "clock": float,
        "sm_clock": SmClock | None,
        "at_equal_clocks": bool,
        "floor": float,
        "causes": dict[str, int],
        "finding": str,
        "why": list[str],
        "sums": list[dict[str, Any]],
        "changes": list[dict[str, Any]],
        **dict.fromkeys(("ops", "lines", "calls", "graphs"), list[Rolled]),
        "memory": change | None,
        # A gate adds its verdict, and the times that services track.
        "gate": (dict[str, Any] | None, None),
        "times": (list[dict[str, Any]] | None, None),
    }


def _keys_of_gate() -> Keys:
    return {"failed": bool, "changes": str}


def _keys_of_memory_diff() -> Keys:
    return {"before": str, "after": str, "memory": _keys_of_memory_change() | None}


def _keys_of_fleet() -> Keys:
    from kernelmap.model import Notice
    from kernelmap.tables.fleet import FLEET

    numbers = ("ranks_expected", "ranks_read", "ranks_new", "collectives_matched")
    return {
        **dict.fromkeys(numbers, int),
        "median_rank": int | None,
        "what_if_is": str,
        **_rows(FLEET),
        "unplaced": list[dict[str, Any]],
        "notices": list[Notice],
    }


def _keys_of_runs() -> Keys:
    from kernelmap.history.store.texts import RUNS
    from kernelmap.model import Notice

    return {**_rows({"runs": RUNS}), "notices": list[Notice]}


def _keys_of_run() -> Keys:
    from kernelmap.history.store.facts import RunFacts

    fields = msgspec.structs.fields(RunFacts)
    return {field.name: field.type for field in fields if field.name != "version"}


def _keys_of_followed() -> Keys:
    from kernelmap.history.store.following import FOLLOWED
    from kernelmap.model import Notice

    return {
        "by": str,
        "where": dict[str, Any],
        **_rows({"runs": FOLLOWED}),
        "notices": list[Notice],
    }


def _keys_of_settings() -> Keys:
    return {
        "level": int,
        "environment": dict[str, str],
        "assignments": Any,
        "calls": list[Any],
        "notices": list[Any],
    }


def _keys_of_printed() -> Keys:
    return {
        "log": dict[str, Any] | None,
        "files": list[dict[str, Any]] | None,
        "notices": list[Any],
    }


def _kind(printed_by: str, keys: Callable[[], Keys]) -> DocumentKind:
    return DocumentKind(version=1, printed_by=printed_by, keys=keys)


def _keys_of_refusal() -> Keys:
    reason = _record("reason", {"slug": str, "message": str, "hint": str | None})
    return {"refused": _list_of(reason)}


KINDS: Mapping[str, DocumentKind] = {
    "kernelmap.rows": _kind(
        "every command with rows, with --top, --by, --columns or --where", _keys_of_rows
    ),
    "kernelmap.correlation": _kind("`correlate`, and written by -o", _keys_of_correlation),
    "kernelmap.speed.limits": _kind("`correlate --roofline`", _keys_of_roofline),
    "kernelmap.program": _kind("`inspect`", _keys_of_program),
    "kernelmap.debug-printer": _kind("`inspect --debug-printer`", _keys_of_settings),
    "kernelmap.printed": _kind("`inspect --printed`", _keys_of_printed),
    "kernelmap.which": _kind("`which`", _keys_of_which),
    "kernelmap.explanation": _kind("`explain`", lambda: _EXPLANATION),
    "kernelmap.explanations": _kind(
        "`which --at` and `which --correlation`",
        lambda: {"launches": _list_of(_record("explained", _EXPLANATION))},
    ),
    "kernelmap.speed.advice": _kind("`doctor`", _keys_of_advice),
    "kernelmap.memory": _kind("`memory`", _keys_of_memory),
    "kernelmap.fleet": _kind("`fleet`", _keys_of_fleet),
    "kernelmap.diff": _kind("`diff`, and `gate --baseline` with its verdict", _keys_of_diff),
    "kernelmap.memory_diff": _kind("`diff` of code without profiles", _keys_of_memory_diff),
    "kernelmap.gate": _kind("`gate --lock`", _keys_of_gate),
    "kernelmap.runs": _kind("`runs`", _keys_of_runs),
    "kernelmap.run": _kind("`runs show`", _keys_of_run),
    "kernelmap.followed": _kind("`runs history`", _keys_of_followed),
    "kernelmap.refusal": _kind(
        "`correlate`, `diff` and `gate` where a recording cannot bear the question",
        _keys_of_refusal,
    ),
}
"""All documents, in the order in which a newcomer meets their commands."""
