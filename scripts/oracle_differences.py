"""How two answers differ, by kind: what scripts/oracle.py prints.

An answer is the JSON of a correlation with its launches, and beside it `explained` and `advice`.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

Json = dict[str, Any]

_IDENTITY = ("start_ns", "dur_ns", "device", "stream", "pid", "rank", "name", "graph_node")
"""Columns that say which activity a row of launches is, whatever is concluded about it."""
_NUMBERING = ("launch", "event")
_KEYS = {
    "ledger": ("bucket", "activity", "side"),
    "ops": ("name", "origin"),
    "modules": ("name", "origin"),
    "calls": ("call", "wrapper", "graph"),
    "kernels": ("graph", "wrapper", "device_name"),
    "nodes": ("graph", "name"),
    "lines": ("file", "line"),
    "graphs": ("graph",),
    "invocations": ("graph", "invocation", "rank", "pid", "call", "op", "step"),
}


def differences(old: Json, new: Json) -> Iterator[tuple[str, str]]:
    """Kinds of difference between two answers, each with an example."""
    for part in dict.fromkeys([*old, *new]):
        if part not in old or part not in new:
            yield f"{part} {'gone' if part in old else 'new'}", str(new.get(part, ""))[:200]
        elif part == "launches":
            yield from _launches(old[part], new[part])
        elif part in _KEYS:
            yield from _rows(part, old[part], new[part])
        elif part == "explained":
            yield from _explanations(old[part], new[part])
        elif old[part] != new[part]:
            yield f"{part} changed", f"{_short(old[part], new[part])}"


def _launches(old: list[Json], new: list[Json]) -> Iterator[tuple[str, str]]:
    before, after = _by_identity(old), _by_identity(new)
    gone, more = before.keys() - after.keys(), after.keys() - before.keys()
    if gone:
        yield "launches gone", f"{len(gone)}, such as {before[next(iter(gone))]}"
    if more:
        words = Counter(after[it]["confidence"] for it in more)
        yield "launches new", f"{dict(words)}, such as {after[next(iter(more))]}"
    changes: dict[str, list[Json]] = defaultdict(list)
    for key in before.keys() & after.keys():
        was, now = before[key], after[key]
        columns = [c for c in {**was, **now} if c not in _NUMBERING and was.get(c) != now.get(c)]
        if columns:
            confidence = f"{was['confidence']}→{now['confidence']}"
            changes[f"launches: {confidence}, columns {', '.join(sorted(columns))}"].append(now)
    for kind, rows in changes.items():
        names = ", ".join(
            f"{name} {n}" for name, n in Counter(r["name"] for r in rows).most_common(3)
        )
        yield kind, f"{len(rows)} ({names})"


def _by_identity(rows: list[Json]) -> dict[tuple[object, ...], Json]:
    seen: Counter[tuple[object, ...]] = Counter()
    result = {}
    for row in rows:
        key = tuple(row[column] for column in _IDENTITY)
        seen[key] += 1
        result[*key, seen[key]] = row
    return result


def _rows(table: str, old: list[Json], new: list[Json]) -> Iterator[tuple[str, str]]:
    columns = [c for c in _KEYS[table] if not old or c in old[0]]
    before = {tuple(row.get(c) for c in columns): row for row in old}
    after = {tuple(row.get(c) for c in columns): row for row in new}
    for key in before.keys() | after.keys():
        was, now = before.get(key), after.get(key)
        if was is None or now is None:
            yield f"{table}: row {'new' if was is None else 'gone'}", f"{was or now}"
        elif was != now:
            changed = sorted(c for c in {**was, **now} if was.get(c) != now.get(c))
            values = {c: (was.get(c), now.get(c)) for c in changed}
            yield f"{table}: {', '.join(changed)}", f"{key}: {values}"


def _explanations(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for target in old.keys() & new.keys():
        if old[target] != new[target]:
            yield "explained otherwise", f"{target}: {_short(old[target], new[target])}"


def judged_changes(old: Json, new: Json, truth: list[Any]) -> Counter[tuple[str, bool, bool]]:
    """Launches of a world whose answer changed: from and to which confidence, and whether true."""
    result: Counter[tuple[str, bool, bool]] = Counter()
    if not len(old["launches"]) == len(new["launches"]) == len(truth):
        return result
    for was, now, true in zip(old["launches"], new["launches"], truth, strict=True):
        if (was["call"], was["confidence"]) != (now["call"], now["confidence"]):
            change = f"{was['confidence']}→{now['confidence']}"
            result[change, _is_right(was, true), _is_right(now, true)] += 1
    return result


def _is_right(row: Json, true: list[Any] | None) -> bool:
    """Whether what is said of a launch is true; of one without a call, that no call made it."""
    if row["call"]:
        return true is not None and row["call"] == true[0]
    if row["candidates"]:
        return true is not None and true[0] in row["candidates"]
    return true is None


def _short(old: object, new: object) -> str:
    """Both values, without what they begin with alike."""
    was, now = json.dumps(old, default=str), json.dumps(new, default=str)
    pairs = enumerate(zip(was, now, strict=False))
    same = next((at for at, (one, other) in pairs if one != other), min(len(was), len(now)))
    start = max(0, same - 40)
    return f"…{was[start : start + 150]} → …{now[start : start + 150]}"
