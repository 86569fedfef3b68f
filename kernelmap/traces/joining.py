"""Columns put behind one another: rows stay in order, ids are moved to point into the whole.

Taken: columns of one kind whose `names` (and `details`) may differ. Given: one set of columns with
one table of names. Left out: links between kinds; `moved` shifts those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from kernelmap.model.trace import NONE, ApiCalls, Int, Launches, Ranges

Columns = TypeVar("Columns", Launches, ApiCalls, Ranges)


def joined(parts: Sequence[Columns]) -> Columns:
    """All rows of `parts` (at least one), in order."""
    if len(parts) == 1:
        return parts[0]
    names: dict[str, int] = {}
    named = [_with_names(part, names) for part in parts]
    arrays: dict[str, Any] = {  # fields of several types, for replace()
        each.name: np.concatenate([getattr(part, each.name) for part in named])
        for each in fields(named[0])
        if isinstance(getattr(named[0], each.name), np.ndarray)
    }
    return replace(named[0], names=tuple(names), **arrays)


def joined_ranges(parts: Sequence[Ranges]) -> Ranges:
    """As `joined`; the details of the parts stand behind one another."""
    before, shifted = 0, []
    for part in parts:
        shifted.append(replace(part, detail_id=moved(part.detail_id, before)))
        before += len(part.details)
    details = tuple(detail for part in parts for detail in part.details)
    return replace(joined(shifted), details=details)


def moved(links: Int, by: int) -> Int:
    """Links into rows that now stand `by` places later; -1 stays."""
    return np.where(links >= 0, links + by, NONE) if by else links


def _with_names(part: Columns, names: dict[str, int]) -> Columns:
    """`part` with ids that point into the table `names`, which grows."""
    ids = np.array([names.setdefault(name, len(names)) for name in part.names], dtype=np.int64)
    again: dict[str, Any] = {"name_id": _mapped(part.name_id, ids)}  # as above
    if isinstance(part, ApiCalls):
        again["device_name_id"] = _mapped(part.device_name_id, ids)
    return replace(part, **again)


def _mapped(column: Int, ids: Int) -> Int:
    if not len(ids):
        return column
    return np.where(column >= 0, ids[column], NONE)
